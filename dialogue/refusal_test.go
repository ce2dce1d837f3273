package dialogue_test

import (
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue"
)

// A slot's error is about its checks. It does not stand in the place of the reason why a value could not be read, which it
// would be wrong about, unless the slot has no checks or nobody speaks the language.
func TestASlotsErrorIsSaidOfWhatItsChecksRefuse(t *testing.T) {
	for name, test := range map[string]struct{ settings, slot, text, want string }{
		"validate refuses":                     {slot: "type: date, validate: day > today", text: "2001-01-01", want: "Own words."},
		"validate, and it cannot be read":      {slot: "type: date, validate: day > today", text: "31 November", want: "November has no day 31."},
		"schema refuses":                       {slot: "type: integer, schema: {minimum: 5}", text: "3", want: "Own words."},
		"schema, and it cannot be read":        {slot: "type: integer, schema: {minimum: 5}", text: "1.5", want: "1.5 is not a whole number."},
		"no check, and it cannot be read":      {slot: "type: date", text: "31 November", want: "Own words."},
		"no check, and it is none of a choice": {slot: "type: choice, choices: [red, blue]", text: "green", want: "Own words."},
		"nobody speaks the language": {
			settings: "settings: {language: xx, model: m}", slot: "type: date, validate: day > today", text: "31 November", want: "Own words.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := test.settings + `
flows: {a: {slots: {day: {` + test.slot + `, error: Own words.}}, steps: [{type: collect, slot: day, message: "Which?"}, {type: say, message: "{{ day }}"}]}}`
			c := talks(t, nil, written(t, file, dialogue.Options{}), dialogue.ConversationOptions{})
			open(t, c, "c", nil)
			send(t, c, "c", dialogue.Message{Commands: []dialogue.Command{{Type: dialogue.StartFlow, Flow: "a"}}})
			set := dialogue.Command{Type: dialogue.SetSlot, Slot: "day", Value: test.text}
			got := strings.Join(send(t, c, "c", dialogue.Message{Commands: []dialogue.Command{set}}).Texts(), " ")
			if want := test.want + " Which?"; got != want {
				t.Errorf("expected %q, found %q", want, got)
			}
		})
	}
}
