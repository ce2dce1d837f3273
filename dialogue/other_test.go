package dialogue_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
)

// TestTheOtherOneOfTwo says "no, the other one" to a question for a yes. It is the other one where exactly one slot has one of two things,
// and the user is asked where several have.
func TestTheOtherOneOfTwo(t *testing.T) {
	for _, tt := range []struct {
		language, begin, first, second, day, other string
	}{
		{"en", "pay", "savings", "current", "tomorrow", "no, the other one"},
		{"en", "pay", "current", "savings", "tomorrow", "no. The other one please"},
		{"de", "zahlen", "Sparkonto", "Girokonto", "morgen", "nein, das andere"},
		{"de", "zahlen", "Girokonto", "Sparkonto", "morgen", "nein, der andere"},
		{"fr", "payer", "épargne", "courant", "demain", "non, l'autre"},
	} {
		for two, want := range map[bool]string{false: tt.second + "?", true: "asked"} {
			speed := ""
			if two {
				speed = "      - {type: collect, slot: speed, message: \"S?\"}\n"
			}
			file := fmt.Sprintf(`
settings: {language: %s}
flows:
  pay:
    trigger: [%s]
    slots:
      account: {type: choice, choices: [%q, %q]}
      day: {type: date}
      speed: {type: choice, choices: [xylo, zorg]}
    steps:
      - {type: collect, slot: account, message: "A?"}
      - {type: collect, slot: day, message: "D?"}
%s      - {type: confirm, message: "{{ account }}?"}
      - {type: say, message: Done.}
`, tt.language, tt.begin, tt.first, tt.second, speed)
			c := talks(t, nil, written(t, file, dialogue.Options{}), dialogue.ConversationOptions{})
			open(t, c, "c", nil)
			says := []string{tt.begin, tt.first, tt.day, tt.other}
			if two {
				says = slices.Insert(says, 3, "xylo")
			}
			var got []string
			for _, text := range says {
				got = send(t, c, "c", dialogue.Message{Text: text}).Texts()
			}
			last := got[len(got)-1]
			if two && last != tt.first+"?" && last != "Done." && len(got) == 1 {
				last = "asked"
			}
			if diff := cmp.Diff(want, last); diff != "" {
				t.Errorf("%s %q, two choices %v: %s\n%q", tt.language, tt.other, two, diff, got)
			}
		}
	}
}
