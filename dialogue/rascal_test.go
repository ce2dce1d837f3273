package dialogue_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/lawtest"
)

// rascal is a sink that does not return from its first deliveries, nor from any piece.
type rascal struct {
	leave func()
	times int

	mu   sync.Mutex // guards took
	took []string
}

// taken returns what was delivered.
func (r *rascal) taken() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.took)
}

func (r *rascal) Deliver(_ context.Context, d dialogue.Delivery) error {
	if r.times--; r.times >= 0 {
		r.leave()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took = append(r.took, d.Said.Prompt)
	return nil
}

func (r *rascal) Stream(context.Context, dialogue.Piece) { r.leave() }

// TestN7_ASinkMayNotReturn has a sink panic and end its goroutine. A message that it was to hear of counts, and the reply says
// that it has missed something; whoever follows delivers again until it returns.
func TestN7_ASinkMayNotReturn(t *testing.T) {
	for how, leave := range lawtest.Leavings {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink := &rascal{leave: leave, times: 1}
				c := talks(t, nil, bank(t), dialogue.ConversationOptions{Sink: sink})
				open(t, c, "c", map[string]any{"balance": 100})
				r := send(t, c, "c", dialogue.Message{Text: "show my balance"})
				said := []string{"You have 100.", "Is there anything else?"}
				if diff := cmp.Diff(said, r.Texts()); diff != "" || r.SinkErr == nil || len(sink.taken()) > 0 {
					t.Errorf("the sink has taken %q and said %v; %s", sink.taken(), r.SinkErr, diff)
				}
				if r := send(t, c, "c", dialogue.Message{Text: "show my balance"}); r.SinkErr != nil {
					t.Errorf("the next turn: %v", r.SinkErr)
				}
				ctx, stop := context.WithCancel(t.Context())
				follows := &rascal{leave: leave, times: 3}
				followed := make(chan error, 1)
				go func() { followed <- c.Follow(ctx, "c", 0, follows) }()
				synctest.Wait()
				for len(follows.taken()) < 2*len(said) {
					time.Sleep(time.Second)
					synctest.Wait()
				}
				stop()
				if err := <-followed; !slices.Equal(follows.taken(), slices.Concat(said, said)) || !errors.Is(err, context.Canceled) {
					t.Errorf("who follows was told %q, and ends with %v", follows.taken(), err)
				}
			})
		})
	}
}
