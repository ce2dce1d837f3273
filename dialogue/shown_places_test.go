package dialogue

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/internal/expression"
)

// programForm is a form in which programs write values, and people do not.
var programForm = regexp.MustCompile(`\d{4}-\d\d|\bP(T?\d+[YMDHS])+\b|[A-Za-z]/[A-Z]|\w_\w|[\[{}\]]|\d\d:\d\d:|\b(true|false|null|nil)\b`)

// shownSamples are values of every type of slots.
func shownSamples() map[SlotType][]any {
	all := maps.Clone(samples)
	maps.Copy(all, map[SlotType][]any{
		Text: {"the small one"}, Boolean: {true, false}, Duration: {"P2D", "P17D", "PT30M", "PT1H30M", "P1Y2M"}, Phone: {"+49301234567"}, Email: {"ada@example.com"},
		TimeZone: {"America/New_York", "Etc/GMT-2", "UTC"}, Object: {map[string]any{"name": "Ann", "ages": []any{json.Number("3")}, "here": true, "none": nil}},
		List: {[]any{"Ann", "Bob"}, []any{}}, DateTime: {"2026-11-27T02:17:22Z", "2026-12-01T19:00:00+01:00"}, Number: {json.Number("2.5")}, Percent: {json.Number("12.5")},
	})
	return all
}

// TestNoValueIsShownAsProgramsWriteIt shows values of every type in three languages at every place of a message.
func TestNoValueIsShownAsProgramsWriteIt(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC).UnixMicro()
	all := shownSamples()
	for _, kind := range SlotTypes() {
		if len(all[kind]) == 0 {
			t.Errorf("there is no value of the type %s", kind)
		}
	}
	for _, language := range []string{"en", "de", "fr"} {
		for kind, values := range all {
			sl := Slot{Name: "value", Type: kind, Description: "the thing"}
			switch kind {
			case Choice:
				sl.Choices = []Option{{Value: "red"}, {Value: "blue"}}
			case List, Range:
				sl.Items = map[SlotType]SlotType{List: Text, Range: Money}[kind]
			case Object:
				sl.Schema = json.RawMessage(`{"type":"object"}`)
			}
			d, err := Compile(Definition{Name: "shown", Settings: Settings{Language: language, Currency: "EUR", Holidays: []string{"christian"}}, Flows: []Flow{{
				Name: "fest", Slots: []Slot{sl, {Name: "other", Type: Text}}, Trigger: []string{"fest"}, Steps: []Step{{ID: "ask", Type: CollectStep, Slot: "value", Message: "?"}},
			}}}, Options{})
			if err != nil {
				t.Fatal(kind, err)
			}
			p := place{slot: d.flows["fest"].slots["value"]}
			for _, v := range values {
				s := &State{At: now}
				f := s.push("fest", map[string]any{"value": v})
				value := d.shown(s, p.slot, v)
				texts := map[string]string{
					"a notice":     d.defaultWords(OnCorrection, nil, map[string]any{"slot": p.slot.title(), "value": value}),
					"a refusal":    d.impossible(value),
					"another":      d.notOfType(Integer, value),
					"a doubt":      d.doubtQuestion(s, p.slot, Change{Left: "zebra"}, v),
					"a bare doubt": d.doubtQuestion(s, p.slot, Change{}, v),
				}
				for _, text := range []string{"{{ value }}", "{{ value ?? 'none' }}", "{{ other ?? value }}", "{{ other == nil ? value : other }}", "{{ (other ?? value) ?? 'none' }}"} {
					template, fault := d.compileText(text)
					if fault != nil {
						t.Fatal(text, fault)
					}
					said, err := d.render(template, f, d.scope(s, f))
					if err != nil {
						t.Fatal(text, err)
					}
					if texts[text] = said; kind != Time && kind != DateTime && said != value { // a notice has the word for a time
						t.Errorf("%s: %s of the %s %v is %q, and %q by itself", language, text, kind, v, said, value)
					}
				}
				for where, text := range texts {
					if text == "" || programForm.MatchString(text) || !strings.Contains(text, strings.TrimSuffix(value, " Uhr")) {
						t.Errorf("%s: the %s %v is shown as %q in %s", language, kind, v, text, where)
					}
				}
			}
		}
	}
}

// TestCalculatedValuesAreShownWithoutBraces shows what no slot holds.
func TestCalculatedValuesAreShownWithoutBraces(t *testing.T) {
	for _, c := range []struct {
		text string
		want [3]string
	}{
		{"{{ ['a', 'b'] }}", [3]string{"a and b", "a und b", "a et b"}},
		{"{{ none ?? [] }}", [3]string{"none", "keine", "aucun"}},
		{"{{ 2 > 1 }}", [3]string{"yes", "ja", "oui"}},
		{"{{ nil }}", [3]string{"–", "–", "–"}},
		{"{{ 5 / 2 }}", [3]string{"2.5", "2,5", "2,5"}},
		{"{{ {\"a\": [1, 2]} }}", [3]string{"a: 1 and 2", "a: 1 und 2", "a: 1 et 2"}},
		{"{{ none ?? false }}", [3]string{"no", "nein", "non"}},
	} {
		for i, language := range []string{"en", "de", "fr"} {
			d, err := Compile(Definition{Name: "shown", Settings: Settings{Language: language}, Flows: []Flow{{Name: "fest", Trigger: []string{"fest"}, Steps: []Step{{ID: "tell", Type: InformStep, Message: "!"}}}}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			template, fault := d.compileText(c.text)
			if fault != nil {
				t.Fatal(c.text, fault)
			}
			s := &State{}
			if got, err := d.render(template, s.push("fest", nil), map[string]any{"none": nil}); err != nil || got != c.want[i] {
				t.Errorf("%s: %s is %q %v, want %q", language, c.text, got, err, c.want[i])
			}
		}
	}
}

// TestADoubtIsNotContradictory asks about a value without what was not understood where that is the value.
func TestADoubtIsNotContradictory(t *testing.T) {
	for _, c := range []struct {
		language, said, left string
		slot                 Slot
		value                any
		want                 string
	}{
		{"en", "make it 3", "3", Slot{Type: Integer, Description: "discount"}, json.Number("3"), "Do you mean 3 as the discount?"},
		{"en", "zebra 3", "zebra", Slot{Type: Integer, Description: "discount"}, json.Number("3"), "I did not understand “zebra”. Do you mean 3 as the discount?"},
		{"en", "three or  four things", "three or four  things", Slot{Type: Integer, Description: "discount"}, json.Number("3"), "Do you mean 3 as the discount?"},
		{"de", "um   10 zurück", "um        zurück", Slot{Type: Time, Description: "Abfahrt"}, "10:00", "„um zurück“ habe ich nicht verstanden. Meinen Sie 10:00 Uhr als Abfahrt?"},
		{"de", "egal", "Buß- und Bettag", Slot{Type: Text, Description: "Anlass"}, "Buß- und Bettag", "Meinen Sie „Buß- und Bettag“ als Anlass?"},
		{"fr", "zèbre", "zèbre", Slot{Type: Text, Description: "destinataire"}, "zèbre", "Voulez-vous dire « zèbre » comme destinataire ?"},
		{"fr", "4 jours, mon zèbre", "mon zèbre", Slot{Type: Duration, Description: "durée"}, "P4D", "Je n'ai pas compris « mon zèbre ». Voulez-vous dire 4 jours comme durée ?"},
	} {
		c.slot.Name = "value"
		d, err := Compile(Definition{Name: "shown", Settings: Settings{Language: c.language}, Flows: []Flow{{
			Name: "fest", Slots: []Slot{c.slot}, Trigger: []string{"fest"}, Steps: []Step{{ID: "ask", Type: CollectStep, Slot: "value", Message: "?"}},
		}}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := &State{At: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC).UnixMicro(), Lines: []Line{{By: byUser, Text: c.said}}}
		if got := d.doubtQuestion(s, d.flows["fest"].slots["value"], Change{Left: c.left}, c.value); got != c.want {
			t.Errorf("%q: %s, want %s", c.left, got, c.want)
		}
	}
}

// TestNoticesHaveOneForm finds the words of a verb beside a slot: its number and gender are not known.
func TestNoticesHaveOneForm(t *testing.T) {
	for _, l := range []*phrase.Language{phrase.English, phrase.German, phrase.French} {
		for _, key := range []phrase.Key{"pattern.correction", "pattern.cleared"} {
			_, behind, ok := strings.Cut(l.Texts[key], "{slot}")
			if !ok || !strings.HasPrefix(strings.TrimSpace(behind), ":") {
				t.Errorf("%s: %s is %q; expected a colon behind the slot", l.Tag, key, l.Texts[key])
			}
		}
	}
}

func (d *Dialogue) compileText(text string) (*template, error) {
	t, fault := expression.CompileTemplate(text)
	if fault != nil {
		return nil, errors.New(fault.Message)
	}
	return t, nil
}
