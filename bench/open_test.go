package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/bench/internal/workload"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/replay"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// checkpointed is how many entries lie behind a checkpoint at most.
const checkpointed = 1000

// BenchmarkOpen is what it takes to know how a long run stands: by all of its journal in SQLite, and by a checkpoint in the
// same file and the entries after it. The run is a loop that asks in the end.
func BenchmarkOpen(b *testing.B) {
	for _, entries := range few(10_000, 100_000, 1_000_000) {
		store, _ := open(b, sqlite.Normal)
		g := loopThenAsk(entries / 3)
		run := paused(b, store, g)
		all, size := reopened(b, store, run, g.Plan(), true), 0
		for _, way := range []string{"journal", "checkpoint"} {
			if way == "checkpoint" {
				size = checkpoint(b, store, run, g.Plan(), all.Head()-checkpointed)
			}
			b.Run(fmt.Sprintf("entries=%d/%s", entries, way), func(b *testing.B) {
				for b.Loop() {
					if m := reopened(b, store, run, g.Plan(), way == "journal"); m.Head() != all.Head() || m.Status() != all.Status() {
						b.Fatalf("the run is %s at %d, expected %s at %d", m.Status(), m.Head(), all.Status(), all.Head())
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms/open")
				b.ReportMetric(float64(size), "B/checkpoint")
			})
		}
	}
}

// loopThenAsk goes round, and then asks.
func loopThenAsk(n int) *graph.Graph[messages] {
	return graph.New[messages]("loop").
		Node("count", pure(workload.Count)).
		Node("ask", func(ctx node.Context, s messages) (messages, error) {
			_, err := node.Interrupt[bool](ctx, nil)
			return s, err
		}).
		Edge(graph.Start, "count").
		Route("count", func(_ node.Context, s messages) (string, error) {
			if s.Count >= n {
				return "ask", nil
			}
			return "count", nil
		}, "count", "ask").
		MustCompile()
}

// paused is a run that waits for its answer.
func paused(b *testing.B, store journal.Store, g *graph.Graph[messages]) (run string) {
	b.Helper()
	r, err := g.Start(b.Context(), newRuntime(b, fermata.Options{Store: store}), messages{}, fermata.WithDurability(fermata.Async))
	if err != nil {
		b.Fatal(err)
	}
	res, err := r.Wait(b.Context())
	if err != nil || res.Status != fermata.Paused {
		b.Fatalf("the run is %s, %v", res.Status, err)
	}
	return r.ID()
}

// checkpoint stores a checkpoint of the run at an entry, and returns how large it is.
func checkpoint(b *testing.B, store journal.Store, run string, p *plan.Plan, at uint64) int {
	b.Helper()
	r := replay.New(p)
	for e, err := range store.Read(b.Context(), run, 0) {
		if err == nil && e.Seq <= at {
			err = r.Apply(&e)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	c, err := r.Checkpoint()
	if err == nil {
		err = store.Append(b.Context(), journal.Batch{Run: run, After: at + checkpointed, Checkpoint: &c})
	}
	if err != nil {
		b.Fatal(err)
	}
	return len(c.Data)
}

// reopened reads a run, with its values.
func reopened(b *testing.B, store journal.Store, run string, p *plan.Plan, whole bool) *machine.Machine {
	r, err := replay.Open(context.Background(), store, run, p, replay.Options{Whole: whole})
	if err != nil {
		b.Fatal(err)
	}
	return r.Machine()
}
