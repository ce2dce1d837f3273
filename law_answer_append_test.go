package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// callCount counts the calls of a store: what an answer costs where a call is a round trip or a write to disk.
type callCount struct {
	journal.Store
	appends, reads, rows, inboxes atomic.Int64
}

func (s *callCount) Append(ctx context.Context, b journal.Batch) error {
	s.appends.Add(1)
	return s.Store.Append(ctx, b)
}

func (s *callCount) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	s.reads.Add(1)
	return s.Store.Read(ctx, run, after)
}

func (s *callCount) Runs(ctx context.Context, f journal.RunFilter) ([]journal.RunRow, error) {
	s.rows.Add(1)
	return s.Store.Runs(ctx, f)
}

func (s *callCount) Inbox(ctx context.Context, f journal.InboxFilter) ([]journal.Interrupt, error) {
	s.inboxes.Add(1)
	return s.Store.Inbox(ctx, f)
}

// since returns the calls since the last call of since, but for counts of zero.
func (s *callCount) since() map[string]int64 {
	calls := map[string]int64{}
	for name, n := range map[string]*atomic.Int64{"append": &s.appends, "read": &s.reads, "rows": &s.rows, "inbox": &s.inboxes} {
		if n := n.Swap(0); n > 0 {
			calls[name] = n
		}
	}
	return calls
}

func asksBoss() *graph.Graph[state] {
	return graph.New[state]("asking").Node("ask", func(ctx node.Context, s state) (state, error) {
		_, err := node.Interrupt[string](ctx, nil, node.Role("boss"))
		return s, err
	}).Edge(graph.Start, "ask").MustCompile()
}

// An answer is stored with the resumption that follows from it, and what the node does then is stored once more. A run that is in
// memory is not read for that, and another one is read once.
func TestJ2_AnAnswerIsStoredWithWhatFollows(t *testing.T) {
	t.Parallel()
	for name, others := range map[string]int{"kept in memory": 0, "not kept": 100} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := &callCount{Store: memory.New()}
			rt, g := newRuntime(t, fermata.Options{Store: store}), asksBoss()
			run := start(t, rt, g, state{})
			q := question(t, run)
			for range others {
				question(t, start(t, rt, g, state{}))
			}
			store.since()
			answer(t, rt, q.ID, "yes", fermata.AsRole("boss"))
			ends(t, run, fermata.Completed)
			want := map[string]int64{"append": 2}
			if others > 0 {
				want = map[string]int64{"append": 2, "read": 1, "rows": 1, "inbox": 1}
			}
			if diff := cmp.Diff(want, store.since()); diff != "" {
				t.Errorf("calls of the store for an answer (-want +got):\n%s", diff)
			}
		})
	}
}

// A question that a process has in memory may have changed in the store: somebody is asked in place of another, has claimed it or
// has answered it through another process. The store decides who may answer, and with what.
func TestH2_TheStoreDecidesAboutQuestionsInMemory(t *testing.T) {
	t.Parallel()
	boss := fermata.AsRole("boss")
	tests := map[string]struct {
		elsewhere func(ctx context.Context, rt *fermata.Runtime, id string) error
		by        string
		value     any
		want      error
	}{
		"asked in place of another": {
			func(ctx context.Context, rt *fermata.Runtime, id string) error {
				return rt.Reassign(ctx, id, fermata.Assignment{Person: "bob", Role: "clerk"}, fermata.AsPerson("ann"), boss)
			}, "bob", "yes", nil,
		},
		"no longer asked": {
			func(ctx context.Context, rt *fermata.Runtime, id string) error {
				return rt.Reassign(ctx, id, fermata.Assignment{Person: "bob", Role: "boss"}, fermata.AsPerson("ann"), boss)
			}, "ann", "yes", fermata.ErrForbidden,
		},
		"claimed by another": {
			func(ctx context.Context, rt *fermata.Runtime, id string) error {
				return rt.Claim(ctx, id, "bob", "boss")
			}, "ann", "yes", fermata.ErrClaimed,
		},
		"answered by another": {
			func(ctx context.Context, rt *fermata.Runtime, id string) error { return rt.Answer(ctx, id, "no", boss) }, "ann", "yes", fermata.ErrAnswered,
		},
		"answered in the same way": {
			func(ctx context.Context, rt *fermata.Runtime, id string) error {
				return rt.Answer(ctx, id, "yes", boss)
			}, "ann", "yes", nil,
		},
		"cancelled": {
			func(ctx context.Context, rt *fermata.Runtime, id string) error {
				open, err := rt.Inbox(ctx, journal.InboxFilter{ID: id})
				if err != nil || len(open) != 1 {
					return fmt.Errorf("%d questions: %w", len(open), err)
				}
				return rt.Cancel(ctx, open[0].Run, "over", "ann")
			}, "ann", "yes", node.ErrWithdrawn,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := memory.New()
			here, there := newRuntime(t, fermata.Options{Store: store}), newRuntime(t, fermata.Options{Store: store})
			q := question(t, start(t, here, asksBoss(), state{}))
			if err := tt.elsewhere(t.Context(), there, q.ID); err != nil {
				t.Fatal(err)
			}
			roles := []fermata.AnswerOption{fermata.AsPerson(tt.by), boss}
			if tt.by == "bob" {
				roles = append(roles, fermata.AsRole("clerk"))
			}
			if err := here.Answer(t.Context(), q.ID, tt.value, roles...); !errors.Is(err, tt.want) {
				t.Errorf("the answer of %s: %v, expected %v", tt.by, err, tt.want)
			}
		})
	}
}

// A wrong answer may have had its run read, where several are given at once. The run still waits then, and takes the right one.
func TestH2_AWrongAnswerToARunThatIsNotInMemoryChangesNothing(t *testing.T) {
	t.Parallel()
	rt, g := newRuntime(t, fermata.Options{Store: memory.New()}), asksBoss()
	run := start(t, rt, g, state{})
	q := question(t, run)
	for range 100 {
		question(t, start(t, rt, g, state{}))
	}
	boss := fermata.AsRole("boss")
	if err := rt.AnswerAll(t.Context(), map[string]any{q.ID: 5}, boss); !errors.Is(err, fermata.ErrInvalid) {
		t.Errorf("a number where a text is asked for: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Paused {
		t.Fatalf("after the wrong answer the run is %s, error %v", res.Status, err)
	}
	answer(t, rt, q.ID, "yes", boss)
	ends(t, run, fermata.Completed)
}
