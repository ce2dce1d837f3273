package bench

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/fermata-go/fermata/bench/internal/contest"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// transfer is a dialogue of one flow: it asks for two values and for a yes, and calls an action.
func transfer() *dialogue.Dialogue {
	type order struct {
		Payee  string  `json:"payee"`
		Amount float64 `json:"amount"`
	}
	send := dialogue.MustAction("bank.transfer", "Send money", func(_ node.Context, o order) (string, error) {
		return "sent", nil
	})
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "bank",
		Flows: []dialogue.Flow{{
			Name: "transfer", Description: "Send money", Trigger: []string{"send money"},
			Slots: []dialogue.Slot{{Name: "amount", Type: dialogue.Money}, {Name: "payee"}},
			Steps: []dialogue.Step{
				{ID: "who", Type: dialogue.CollectStep, Slot: "payee", Message: "To whom?"},
				{ID: "much", Type: dialogue.CollectStep, Slot: "amount", Message: "How much?"},
				{ID: "ok", Type: dialogue.ConfirmStep, Message: "Send {{ amount }} to {{ payee }}?"},
				{ID: "send", Type: dialogue.ActionStep, Call: "bank.transfer"},
			},
		}},
	}, dialogue.Options{Actions: []dialogue.Action{send}})
	if err != nil {
		panic(err)
	}
	return d
}

// spoken are the messages of one transfer, again and again, and a part of what is said in answer to each.
var spoken = []struct{ line, reply string }{
	{"send money", "To whom?"}, {"Ada", "How much?"}, {"50", "Send 50 to Ada?"}, {"yes", ""},
}

// talking holds conversations, one turn of each after the other. The window is open during turns.
func talking(name string, h *host, conversations, turns int) contest.Contestant {
	d, w := transfer(), &contest.Window{}
	ctx, opened := context.Background(), 0
	return contest.Contestant{
		Name: name, Ready: h.renew, Over: h.close, Window: w,
		Run: func() error {
			talks := dialogue.NewConversations(h.rt, d, dialogue.ConversationOptions{})
			ids := make([]string, conversations)
			for i := range ids {
				opened++
				ids[i] = "c" + strconv.Itoa(opened)
				if _, _, err := talks.Open(ctx, ids[i], nil); err != nil {
					return err
				}
			}
			w.Open()
			for turn := range turns {
				says := spoken[turn%len(spoken)]
				for _, id := range ids {
					r, err := talks.Send(ctx, id, dialogue.Message{Text: says.line})
					if err != nil {
						return err
					}
					if says.reply != "" && !slices.Contains(r.Texts(), says.reply) {
						return fmt.Errorf("turn %d: %q is answered with %q, expected %q", turn, says.line, r.Texts(), says.reply)
					}
				}
			}
			w.Close()
			return nil
		},
	}
}

// BenchmarkGrowthConversations has more conversations that are open at once, or longer ones. A unit is a turn.
func BenchmarkGrowthConversations(b *testing.B) {
	at := func(b *testing.B, conversations, turns int) (int, []contest.Contestant) {
		return conversations * turns, []contest.Contestant{
			talking("default-stored", inMemory(b), conversations, turns),
			talking("default-sqlite", inSQLite(b, sqlite.Normal), conversations, turns),
		}
	}
	n := len(spoken)
	grow(b, "count", "turn", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, 10*f, n) })
	grow(b, "size", "turn", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, 1, 10*n*f) })
}
