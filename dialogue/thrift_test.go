package dialogue_test

import (
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/teststore"
)

// TestATurnReadsItsRunAtMostOnce counts how a store is read for turns of a conversation: what is new, once, for the reply. Only a
// process that takes the conversation over reads its journal whole, once.
func TestATurnReadsItsRunAtMostOnce(t *testing.T) {
	mine := teststore.NewLedger()
	yours := mine.Beside() // a process that hears of the other one's turns may read them at any time
	process := func(store *teststore.Ledger) *dialogue.Conversations {
		rt, err := fermata.New(fermata.Options{Store: store})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = rt.Close() })
		d, err := dialogue.Load("testdata/files/bank.yaml", fileOptions())
		if err != nil {
			t.Fatal(err)
		}
		return dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
	}
	here, there := process(mine), process(yours)
	if _, _, err := here.Open(t.Context(), "ada", map[string]any{"balance": 100}); err != nil {
		t.Fatal(err)
	}
	mine.Take()
	turn := func(talks *dialogue.Conversations, store *teststore.Ledger, text string, whole int) {
		t.Helper()
		if _, err := talks.Send(t.Context(), "ada", dialogue.Message{Text: text}); err != nil {
			t.Fatal(err)
		}
		asked, reads, ofAll := store.Take(), 0, 0
		for _, what := range asked {
			switch {
			case what == "read after 0":
				ofAll++
			case strings.HasPrefix(what, "read"):
				reads++
			}
		}
		if ofAll != whole || reads != 1 && whole == 0 {
			t.Errorf("%q reads the run whole %d times and %d parts of it, expected %d and 1: %q", text, ofAll, reads, whole, asked)
		}
	}
	turn(here, mine, "transfer 50 to Bob", 0)
	turn(here, mine, "no", 0)
	turn(here, mine, "transfer 20 to Bob", 0)
	turn(there, yours, "yes", 1)
	turn(there, yours, "transfer 10 to Bob", 0)
}
