package dialogue

import (
	"testing"
	"time"

	"github.com/fermata-go/fermata/node"
)

// TestAPlaceIsOneOfWhatWasNamed answers the question which of several values is meant by the place of one, for slots of each kind.
func TestAPlaceIsOneOfWhatWasNamed(t *testing.T) {
	places := map[string]struct {
		first, second, last, third, none []string
		said                             map[string]string // by slot
	}{
		"wishes_en": {
			first: []string{"the first", "the first one please", "number one"}, second: []string{"the second one", "um, the second", "option two"}, last: []string{"the last one", "the latter"},
			third: []string{"the third one"}, none: []string{"neither", "none of them"},
			said: map[string]string{"amount": "50 or 60", "day": "2 December or 3 December", "name": "Ada or Bob", "size": "medium or large"},
		},
		"wishes_de": {
			first: []string{"der erste", "das erste bitte"}, second: []string{"die zweite", "den zweiten", "das zweite"}, last: []string{"der letzte", "die letzte"},
			third: []string{"der dritte"}, none: []string{"keins davon", "keiner von beiden"},
			said: map[string]string{"amount": "50 oder 60", "day": "2. Dezember oder 3. Dezember", "name": "Ada oder Bob", "size": "mittel oder groß"},
		},
		"wishes_fr": {
			first: []string{"le premier", "la première"}, second: []string{"la deuxième", "le second"}, last: []string{"le dernier"},
			third: []string{"le troisième"}, none: []string{"aucun des deux"},
			said: map[string]string{"amount": "50 ou 60", "day": "2 décembre ou 3 décembre", "name": "Ada ou Bob", "size": "moyen ou grand"},
		},
	}
	values := map[string][2]string{"amount": {"50", "60"}, "day": {"2026-12-02", "2026-12-03"}, "name": {"Ada", "Bob"}, "size": {"medium", "large"}}
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for name, tt := range places {
		d := example(t, name)
		for slot, said := range tt.said {
			sl := d.slotOf(d.flows["account"], slot)
			task := NewCollect(slotStep(d, slot).Message, slot)
			asks := d.language.Say("pattern.doubt.text", map[string]any{"value": said, "slot": slot})
			if slot != "name" {
				v, ok := d.localeOf(sl).Read(spoken(sl), said, now)
				if asks = v.Reason; !ok || asks == "" || len(v.Among) != 2 {
					t.Fatalf("%s: %q is %+v", name, said, v)
				}
			}
			answer := func(text string) []Command {
				turn := &Turn{Dialogue: d, Now: now, Text: text, Active: []string{"account"}, Pending: &task, Filled: map[string]any{}}
				turn.Lines = []Line{{By: byUser, Text: said}, {By: string(byBot), Text: asks}, {By: byUser, Text: text}}
				found, err := d.defaults.NLU.Understand(node.Context{}, turn)
				if err != nil {
					t.Fatal(err)
				}
				return found
			}
			expect := func(texts []string, want string) {
				for _, text := range texts {
					found := answer(text)
					if want == "" {
						if len(found) > 0 && found[0].Type != Repeat && found[0].Left == "" && valueText(found[0].Value) == text {
							t.Errorf("%s, %s: %q is %+v", name, slot, text, found)
						}
						for _, c := range found {
							if v, err := d.read(sl, c.Value, now); c.Type == SetSlot && c.Left == "" && err == nil && slot != "name" {
								t.Errorf("%s, %s: %q is %v", name, slot, text, v)
							}
						}
						continue
					}
					if len(found) != 1 || found[0].Type != SetSlot || found[0].Slot != slot || found[0].Left != "" || valueText(found[0].Value) != want {
						t.Errorf("%s, %s: %q is %+v, expected %s", name, slot, text, found, want)
					}
				}
			}
			expect(tt.first, values[slot][0])
			expect(tt.second, values[slot][1])
			expect(tt.last, values[slot][1])
			if slot != "size" { // of choices all are a place
				expect(tt.third, "")
			}
			expect(tt.none, "")
		}
	}
}
