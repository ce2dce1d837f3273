package dialogue

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// samples are values of every type of slots that is shown in another form than it is stored.
var samples = map[SlotType][]any{
	Money: {json.Number("50"), json.Number("49.9"), json.Number("1200.05")}, Date: {"2026-11-27", "2026-12-01", "2027-12-24", "1990-03-05"},
	DateTime: {"2026-11-27T19:00:00Z", "2027-12-01T08:05:00Z"}, Time: {"19:00", "08:05"}, Fraction: {json.Number("0.5"), json.Number("0.75"), json.Number("1.5")},
	Range:   {map[string]any{"from": json.Number("50"), "to": json.Number("100")}, map[string]any{"from": json.Number("50")}, map[string]any{"to": json.Number("100")}},
	Holiday: {map[string]any{"date": "2026-12-25", "name": "Christmas"}}, List: {[]any{"salt", "pepper"}},
	Choice: {"red"}, Integer: {json.Number("3")}, Number: {json.Number("3")}, Percent: {json.Number("5")},
}

// TestWhatIsShownOfAnyTypeIsReadAsTheSame shows values of every type in three languages, and says them back: they are the same, or are
// asked about.
func TestWhatIsShownOfAnyTypeIsReadAsTheSame(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	same := make(map[SlotType]int)
	for _, language := range []string{"en", "de", "fr"} {
		for kind, values := range samples {
			sl := Slot{Name: "value", Type: kind}
			switch kind {
			case Choice:
				sl.Choices = []Option{{Value: "red", Label: "Scarlet"}, {Value: "blue"}}
			case Holiday, List, Range:
				sl.Items = map[SlotType]SlotType{List: Text, Range: Money}[kind]
			}
			d, err := Compile(Definition{Name: "shown", Settings: Settings{Language: language, Currency: "EUR", Holidays: []string{"christian"}}, Flows: []Flow{{
				Name: "fest", Slots: []Slot{sl}, Trigger: []string{"fest"}, Steps: []Step{{ID: "ask", Type: CollectStep, Slot: "value", Message: "?"}},
			}}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			s := &State{At: now.UnixMicro()}
			of := d.flows["fest"].slots["value"]
			for _, v := range values {
				text := d.shown(s, of, v)
				got, ok := d.localeOf(of).Read(spoken(of), text, now)
				switch {
				case !ok, got.Reason != "", got.Left != "":
				case equal(got.Value, v), fmt.Sprint(got.Value) == fmt.Sprint(v):
					same[kind]++
				case kind == Money && got.Value == json.Number("49.90"):
					same[kind]++
				default:
					t.Errorf("%s: the %s %v is shown as %q, and read as %v", language, kind, v, text, got.Value)
				}
			}
		}
	}
	for kind := range samples {
		if same[kind] == 0 {
			t.Errorf("no %s is read as it is shown", kind)
		}
	}
}

// TestTextsOfAuthorsShowValues fills in placeholders of values, in the language of the conversation, and names a currency once.
func TestTextsOfAuthorsShowValues(t *testing.T) {
	for _, c := range []struct{ language, currency, text, want string }{
		{"en", "EUR", "On {{ day }} for {{ price }}?", "On Friday 27 November for €49.90?"},
		{"de", "EUR", "Am {{ day }} für {{ price }}?", "Am Freitag, 27. November für 49,90 €?"},
		{"fr", "EUR", "Le {{ day }} pour {{ price }} ?", "Le vendredi 27 novembre pour 49,90 € ?"},
		{"en", "EUR", "{{ price }} euros?", "49.90 euros?"},
		{"de", "EUR", "{{ price }} Euro?", "49,90 Euro?"},
		{"en", "GBP", "£{{ price }}?", "£49.90?"},
		{"en", "", "{{ price }}?", "49.90?"},
		{"en", "EUR", "After {{ today }}, {{ moment }}.", "After Friday 20 November, Friday 27 November at 19:00."},
		{"en", "EUR", "{{ day + '' }} {{ day > today }}", "2026-11-27 yes"},
	} {
		d, err := Compile(Definition{Name: "shown", Settings: Settings{Language: c.language, Currency: c.currency}, Flows: []Flow{{
			Name: "fest", Trigger: []string{"fest"}, Slots: []Slot{{Name: "day", Type: Date}, {Name: "price", Type: Money}, {Name: "moment", Type: DateTime}},
			Steps: []Step{{ID: "ask", Type: CollectStep, Slot: "day", Message: "?"}, {ID: "more", Type: CollectStep, Slot: "price", Message: "?"}, {ID: "last", Type: CollectStep, Slot: "moment", Message: "?"}, {ID: "tell", Type: InformStep, Message: c.text}},
		}}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := &State{At: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC).UnixMicro()}
		f := s.push("fest", map[string]any{"day": "2026-11-27", "price": json.Number("49.9"), "moment": "2026-11-27T19:00:00Z"})
		text, err := d.worded(d.flows["fest"].steps["tell"].message, s, 0, f, d.scope(s, f))
		if err != nil || text != c.want {
			t.Errorf("%s: %q is %q %v, want %q", c.language, c.text, text, err, c.want)
		}
	}
}
