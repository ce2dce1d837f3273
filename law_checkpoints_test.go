package fermata_test

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// checkpointing is a store that counts the entries that are read, and whose checkpoints others may change.
type checkpointing struct {
	journal.Store
	read  atomic.Int64
	given func(journal.Checkpoint) (journal.Checkpoint, error)
}

func (c *checkpointing) Checkpoint(ctx context.Context, run string) (journal.Checkpoint, error) {
	kept, err := c.Store.Checkpoint(ctx, run)
	if err == nil && kept.Seq > 0 && c.given != nil {
		return c.given(kept)
	}
	return kept, err
}

func (c *checkpointing) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		for e, err := range c.Store.Read(ctx, run, after) {
			c.read.Add(1)
			if !yield(e, err) {
				return
			}
		}
	}
}

// A long run that is taken up by one process after another ends as it would have without checkpoints, whatever the store
// makes of them; and where it keeps them, what is read does not grow with the length of the run.
func TestJ6_LongRunsAreOpenedFromCheckpoints(t *testing.T) {
	const rounds = 12
	g := graph.New[state]("long").
		Node("say", func(_ node.Context, s state) (state, error) {
			s.N++
			s.Log = append(s.Log, fmt.Sprintf("round %d, with a text that is worth a delta", s.N))
			return s, nil
		}).
		Node("left", func(_ node.Context, s state) (state, error) { return s, nil }).
		Node("right", func(_ node.Context, s state) (state, error) { s.Text += "."; return s, nil }).
		Node("ask", func(ctx node.Context, s state) (state, error) {
			ok, err := node.Interrupt[bool](ctx, s.N)
			if ok {
				s.Text += "!"
			}
			return s, err
		}, graph.All()).
		Edge(graph.Start, "say").Edge("say", "left", "right").Edge("left", "ask").Edge("right", "ask").
		Route("ask", func(_ node.Context, s state) (string, error) {
			if s.N < rounds {
				return "say", nil
			}
			return graph.End, nil
		}, "say", graph.End).MustCompile()
	play := func(t *testing.T, after uint64, given func(journal.Checkpoint) (journal.Checkpoint, error)) (state, int64) {
		t.Helper()
		store := &checkpointing{Store: memory.New(), given: given}
		open := func() *fermata.Runtime {
			rt := newRuntime(t, fermata.Options{Store: store})
			fermata.CheckpointAfter(rt, after)
			return rt
		}
		rt := open()
		run := start(t, rt, g, state{})
		for {
			res, err := run.Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if res.Status != fermata.Paused {
				if res.Status != fermata.Completed {
					t.Fatalf("the run is %s: %v", res.Status, res.Err)
				}
				return res.State, store.read.Load()
			}
			id := res.Interrupts[0].ID
			if after > 0 {
				eventually(t, "there is a checkpoint of all that was stored", func() bool {
					c, err := store.Store.Checkpoint(t.Context(), run.ID())
					info, err2 := rt.Info(t.Context(), run.ID())
					return err == nil && err2 == nil && c.Seq == info.Head
				})
			}
			if err := rt.Close(); err != nil {
				t.Fatal(err)
			}
			rt = open()
			if err := rt.Answer(t.Context(), id, true, fermata.Hold()); err != nil {
				t.Fatal(err)
			}
			run = resume(t, rt, g, run.ID())
		}
	}
	want, whole := play(t, 0, nil)
	var first journal.Checkpoint
	for name, given := range map[string]func(journal.Checkpoint) (journal.Checkpoint, error){
		"kept": nil,
		"lost": func(journal.Checkpoint) (journal.Checkpoint, error) { return journal.Checkpoint{}, journal.ErrCorrupt },
		"damaged": func(c journal.Checkpoint) (journal.Checkpoint, error) {
			c.Data[len(c.Data)/2] ^= 1
			return c, nil
		},
		"ahead": func(c journal.Checkpoint) (journal.Checkpoint, error) {
			c.Seq++
			return c, nil
		},
		"old": func(c journal.Checkpoint) (journal.Checkpoint, error) {
			if first.Seq == 0 {
				first = c
			}
			return first, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, read := play(t, 1, given)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the run ends otherwise (-without checkpoints +with):\n%s", diff)
			}
			if name == "kept" && read > whole/2 {
				t.Errorf("%d entries were read, and %d without checkpoints", read, whole)
			}
		})
	}
}
