package dialogue_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

func prompts(all []dialogue.Delivery) (texts []string) {
	for _, d := range all {
		texts = append(texts, d.Said.Prompt)
	}
	return texts
}

// TestE3_ASinkThatFailsCostsNoMessage fills a buffer: the message counts, the error says so, and what was missed is there
// for whoever follows on from the cursor.
func TestE3_ASinkThatFailsCostsNoMessage(t *testing.T) {
	buffer := &dialogue.Buffered{Most: 1}
	c := talks(t, nil, bank(t), dialogue.ConversationOptions{Sink: buffer})
	open(t, c, "c", map[string]any{"balance": 100})
	r := send(t, c, "c", dialogue.Message{Text: "show my balance"})
	said := []string{"You have 100.", "Is there anything else?"}
	if diff := cmp.Diff(said, r.Texts()); diff != "" || !errors.Is(r.SinkErr, dialogue.ErrFull) {
		t.Errorf("the sink said %v; %s", r.SinkErr, diff)
	}
	took := buffer.Take("c")
	if diff := cmp.Diff(said[:1], prompts(took)); diff != "" {
		t.Fatal(diff)
	}
	var rest []string
	ctx, stop := context.WithCancel(t.Context())
	err := c.Follow(ctx, "c", took[0].Seq, dialogue.SinkFunc(func(_ context.Context, d dialogue.Delivery) error {
		rest = append(rest, d.Said.Prompt)
		stop()
		return nil
	}))
	if diff := cmp.Diff(said[1:], rest); diff != "" || !errors.Is(err, context.Canceled) {
		t.Error(err, diff)
	}
	var again []dialogue.Delivery
	for d, err := range c.Said(t.Context(), "c", took[0].Seq) {
		if err != nil {
			t.Fatal(err)
		}
		again = append(again, d)
	}
	if diff := cmp.Diff(said[1:], prompts(again)); diff != "" {
		t.Error(diff)
	}
	if r := send(t, c, "c", dialogue.Message{Text: "show my balance"}); !errors.Is(r.SinkErr, dialogue.ErrFull) {
		t.Errorf("the next turn: %v", r.SinkErr)
	}
	if n := len(buffer.Take("c")); n != 1 {
		t.Errorf("the next turn left %d deliveries in the buffer", n)
	}
}

// TestE1_ASinkHearsWhileTheFlowGoesOn is told what is said before an action is done, not after it.
func TestE1_ASinkHearsWhileTheFlowGoesOn(t *testing.T) {
	heard := make(chan string, 9)
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "slow",
		Flows: []dialogue.Flow{{
			Name: "work", Description: "Work", Trigger: []string{"work"},
			Steps: []dialogue.Step{
				{ID: "tell", Type: dialogue.InformStep, Message: "One moment, please."},
				{ID: "do", Type: dialogue.ActionStep, Call: "work"},
				{ID: "told", Type: dialogue.InformStep, Message: "Done."},
			},
		}},
	}, dialogue.Options{Actions: []dialogue.Action{
		dialogue.MustAction("work", "", func(node.Context, struct{}) (string, error) { return <-heard, nil }),
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := talks(t, nil, d, dialogue.ConversationOptions{Sink: dialogue.SinkFunc(func(_ context.Context, d dialogue.Delivery) error {
		heard <- d.Said.Prompt
		return nil
	})})
	open(t, c, "c", nil)
	want := []string{"One moment, please.", "Done.", "Is there anything else?"}
	if diff := cmp.Diff(want, send(t, c, "c", dialogue.Message{Text: "work"}).Texts()); diff != "" {
		t.Error(diff)
	}
	for _, text := range want[1:] { // the action has taken the first
		if got := <-heard; got != text {
			t.Errorf("the sink has heard %q, expected %q", got, text)
		}
	}
}

// TestE1_AWebhookIsCalledAgainUntilItTakesADelivery refuses every delivery twice: each comes again with the same key, and
// none before the one in front of it was taken.
func TestE1_AWebhookIsCalledAgainUntilItTakesADelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := talks(t, nil, bank(t), dialogue.ConversationOptions{})
		open(t, c, "c", map[string]any{"balance": 100})
		send(t, c, "c", dialogue.Message{Text: "show my balance"})
		ctx, stop := context.WithCancel(t.Context())
		var got []string
		keys := make(map[string]int)
		hook := &dialogue.Webhook{URL: "http://desk.example/said", Header: http.Header{"authorization": {"Bearer s"}}}
		hook.Client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			var d dialogue.Delivery
			if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
				return nil, err
			}
			key := r.Header.Get("Idempotency-Key")
			if key != d.Key() || r.Header.Get("Authorization") != "Bearer s" {
				t.Errorf("delivery %+v came with %v", d, r.Header)
			}
			w := httptest.NewRecorder()
			switch keys[key]++; keys[key] {
			case 1:
				return nil, io.ErrUnexpectedEOF
			case 2:
				w.WriteHeader(http.StatusServiceUnavailable)
			default:
				if got = append(got, d.Said.Prompt); len(got) == 2 {
					stop()
				}
			}
			return w.Result(), nil
		})}
		if err := c.Follow(ctx, "c", 0, hook); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"You have 100.", "Is there anything else?"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAConsoleIsPlainWhereItIsNoTerminal shows quick replies and agents, and lets nobody command the terminal.
func TestAConsoleIsPlainWhereItIsNoTerminal(t *testing.T) {
	var out strings.Builder
	console := dialogue.NewConsole(&out)
	for _, said := range []dialogue.Said{
		{PendingTask: dialogue.NewConfirm("Send 5 to \x1b[2JAda?"), By: "bot"},
		{PendingTask: dialogue.NewInform("Hello, this is Bob."), By: "agent"},
	} {
		if err := console.Deliver(t.Context(), dialogue.Delivery{Said: said}); err != nil {
			t.Fatal(err)
		}
	}
	want := "Send 5 to [2JAda?  [yes | no]\n(agent) Hello, this is Bob.\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
