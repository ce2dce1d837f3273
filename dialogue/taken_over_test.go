package dialogue_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/fermata-go/fermata/dialogue"
)

const limits = `kind: Dialogue
flows:
  limit:
    trigger: [raise my limit]
    steps:
      - {id: sure, type: confirm, message: "Really?"}
      - {id: done, type: say, message: Raised.}
`

// TestN3_OnlyTheUserAnswersTheUsersQuestion has a person speak before they have taken over, and after they have given back: their
// yes is no yes of the user's. A message that comes again has the reply that was missed.
func TestN3_OnlyTheUserAnswersTheUsersQuestion(t *testing.T) {
	d, err := dialogue.Parse([]byte(limits), "limits.yaml", dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := talks(t, nil, d, dialogue.ConversationOptions{})
	open(t, c, "c", nil)
	refused := func(m dialogue.Message) {
		t.Helper()
		before, _ := c.Standing(t.Context(), "c")
		if _, err := c.Send(t.Context(), "c", m); !errors.Is(err, dialogue.ErrNotTakenOver) {
			t.Errorf("%+v: %v; expected ErrNotTakenOver", m, err)
		}
		if after, err := c.Standing(t.Context(), "c"); err != nil || after.Seq != before.Seq {
			t.Errorf("%+v: entries %d to %d, %v", m, before.Seq, after.Seq, err)
		}
	}
	yes, done := dialogue.Message{Text: "yes", From: "agent"}, dialogue.Message{ID: "a1", Text: "It is done.", From: "agent", Done: true}
	refused(yes)
	send(t, c, "c", dialogue.Message{Text: "raise my limit"})
	refused(yes)
	refused(dialogue.Message{ID: "a0", Text: "yes", From: "agent"})
	if r := send(t, c, "c", dialogue.Message{Text: "I want to talk to a person"}); !r.Handoff {
		t.Fatalf("no person has taken over: %+v", r)
	}
	r := send(t, c, "c", done)
	if again := send(t, c, "c", done); !again.Again || !slices.Equal(again.Texts(), r.Texts()) {
		t.Errorf("the same again: %+v; expected %v", again, r.Texts())
	}
	refused(yes)
	refused(dialogue.Message{From: "agent", Done: true})
}
