package dialogue_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue"
)

// asks is a dialogue that asks for one slot and shows it.
func asks(t testing.TB, s dialogue.Slot, settings dialogue.Settings) *dialogue.Dialogue {
	t.Helper()
	s.Name = "it"
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "asks", Settings: settings,
		Flows: []dialogue.Flow{{
			Name: "begin", Description: "Begin", Trigger: []string{"begin"}, Slots: []dialogue.Slot{s},
			Steps: []dialogue.Step{
				{ID: "ask", Type: dialogue.CollectStep, Slot: "it", Message: "What?"},
				{ID: "say", Type: dialogue.InformStep, Message: "It is {{ it }}."},
			},
		}},
	}, dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestSlotsOfFurtherTypes says values for slots of a type, and looks at what the dialogue makes of them: it understands or asks.
func TestSlotsOfFurtherTypes(t *testing.T) {
	share, span := dialogue.Slot{Type: dialogue.Fraction}, dialogue.Slot{Type: dialogue.Range}
	days, prices := dialogue.Slot{Type: dialogue.Range, Items: dialogue.Date}, dialogue.Slot{Type: dialogue.Range, Items: dialogue.Money}
	zone, feast := dialogue.Slot{Type: dialogue.TimeZone}, dialogue.Slot{Type: dialogue.Holiday}
	church, kirche := dialogue.Settings{Holidays: []string{"christian"}}, dialogue.Settings{Language: "de", Holidays: []string{"de-by"}}
	en, de := dialogue.Settings{}, dialogue.Settings{Language: "de"}
	for _, tt := range []struct {
		slot       dialogue.Slot
		settings   dialogue.Settings
		said, want string
	}{
		{share, en, "two thirds", "It is 2/3."},
		{share, en, "half of my balance", "Do you mean 1/2 as the it?"},
		{share, de, "drei Viertel", "It is 3/4."},
		{span, en, "between 50 and 100", "It is 50 to 100."},
		{span, en, "at least 50 please", "It is at least 50."},
		{span, en, "more than 50", "I did not understand “more than”. Do you mean at least 50 as the it?"},
		{span, en, "5 to 10 thousand", "Do you mean 5 to 10000 as the it?"},
		{span, en, "50", "Do you mean from “50”, or up to “50”?"},
		{span, de, "höchstens 20", "It is höchstens 20."},
		{prices, en, "between 50 and 99.50 euros", "It is 50 to 99.50."},
		{days, en, "from 3 to 10 december 2031", "It is Wednesday 3 December 2031 to Wednesday 10 December 2031."},
		{days, en, "until 3 may 2031", "It is until Saturday 3 May 2031."},
		{zone, en, "Berlin time", "It is Berlin."},
		{zone, en, "CST", "can be Chicago, Shanghai or Havana"},
		{zone, en, "two hours before Berlin", "Do you mean Berlin as the it?"},
		{zone, de, "Wiener Zeit", "It is Vienna."},
		{feast, church, "easter monday 2031", "It is Easter Monday (14 April 2031)."},
		{feast, church, "christmas 2031 and a goose", "I did not understand “goose”."},
		{feast, church, "3 may 2031", "I know no holiday called “3 may 2031”."},
		{feast, kirche, "Fronleichnam 2031", "It is Fronleichnam (12. Juni 2031)."},
	} {
		c := talks(t, nil, asks(t, tt.slot, tt.settings), dialogue.ConversationOptions{})
		open(t, c, "c", nil)
		send(t, c, "c", dialogue.Message{Text: "begin"})
		r := send(t, c, "c", dialogue.Message{Text: tt.said})
		if said := strings.Join(r.Texts(), " "); !strings.Contains(said, tt.want) {
			t.Errorf("%s %q is answered %q, want %q in it", tt.slot.Type, tt.said, said, tt.want)
		}
	}
}

// TestValuesThatFitTheSchemaMayBeNone gives slots values as models and programs do: what has the form of a value and is none
// fills no slot.
func TestValuesThatFitTheSchemaMayBeNone(t *testing.T) {
	for _, tt := range []struct {
		slot dialogue.Slot
		v    any
		want string
	}{
		{dialogue.Slot{Type: dialogue.Range}, map[string]any{"from": 1, "to": 2}, "It is 1 to 2."},
		{dialogue.Slot{Type: dialogue.Range}, `{"from": 1}`, "It is at least 1."},
		{dialogue.Slot{Type: dialogue.Range}, map[string]any{"from": 2, "to": json.Number("1.5")}, "2 to 1.5 ends before it begins."},
		{dialogue.Slot{Type: dialogue.Range}, map[string]any{}, "is not a range."},
		{dialogue.Slot{Type: dialogue.Range, Items: dialogue.Date}, map[string]any{"from": "2031-05-03", "to": "2031-05-01"}, "ends before it begins."},
		{dialogue.Slot{Type: dialogue.Fraction}, 0.75, "It is 3/4."},
		{dialogue.Slot{Type: dialogue.Fraction}, -1, "-1 is not a fraction."},
		{dialogue.Slot{Type: dialogue.TimeZone}, "Asia/Tokyo", "It is Tokyo."},
		{dialogue.Slot{Type: dialogue.TimeZone}, "CST", "can be Chicago"},
		{dialogue.Slot{Type: dialogue.TimeZone}, "Mars/Olympus", "“Mars/Olympus” is not a time zone."},
		{dialogue.Slot{Type: dialogue.Holiday}, map[string]any{"date": "2031-04-14", "name": "Easter Monday"}, "It is Easter Monday (14 April 2031)."},
		{dialogue.Slot{Type: dialogue.Holiday}, map[string]any{"date": "2031-04-15", "name": "Easter Monday"}, "I know no holiday called “Easter Monday, 15 April 2031”."},
	} {
		c := talks(t, nil, asks(t, tt.slot, dialogue.Settings{Holidays: []string{"christian"}}), dialogue.ConversationOptions{})
		open(t, c, "c", nil)
		send(t, c, "c", dialogue.Message{Text: "begin"})
		r := send(t, c, "c", dialogue.Message{Text: "-", Commands: []dialogue.Command{{Type: dialogue.SetSlot, Slot: "it", Value: tt.v}}})
		if said := strings.Join(r.Texts(), " "); !strings.Contains(said, tt.want) {
			t.Errorf("%s %v is answered %q, want %q in it", tt.slot.Type, tt.v, said, tt.want)
		}
	}
}
