package fermata_test

import (
	"fmt"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// benchLines is a state that its schema describes; benchAny one with a part of any type, which no schema describes.
type (
	benchLine struct {
		Name string
		N    int
	}
	benchLines struct{ Lines []benchLine }
	benchAny   struct{ Lines []any }
)

// BenchmarkPauseAndResume starts a run that asks, and goes on with it in another runtime: what a deployment, or a worker that takes a
// run up, pays for reading the journal and for the check that the plan fits (law J8).
func BenchmarkPauseAndResume(b *testing.B) {
	for _, kb := range []int{100, 1000} {
		n := kb * 1000 / 40
		lines, loose := benchLines{}, benchAny{}
		for i := range n {
			lines.Lines = append(lines.Lines, benchLine{fmt.Sprint("a line of the order ", i), i})
			loose.Lines = append(loose.Lines, map[string]any{"Name": fmt.Sprint("a line of the order ", i), "N": i})
		}
		b.Run(fmt.Sprintf("described/%dKB", kb), func(b *testing.B) { pauseAndResume(b, lines) })
		b.Run(fmt.Sprintf("any/%dKB", kb), func(b *testing.B) { pauseAndResume(b, loose) })
	}
}

func pauseAndResume[S any](b *testing.B, state S) {
	g := graph.New[S]("bench").Node("ask", func(ctx node.Context, s S) (S, error) {
		_, err := node.Interrupt[bool](ctx, nil, node.ID("ok"))
		return s, err
	}).Node("end", func(_ node.Context, s S) (S, error) { return s, nil }).Edge(graph.Start, "ask").Edge("ask", "end").MustCompile()
	store := memory.New()
	newRuntime := func() *fermata.Runtime {
		rt, err := fermata.New(fermata.Options{Store: store})
		if err != nil {
			b.Fatal(err)
		}
		return rt
	}
	ctx := b.Context()
	for b.Loop() {
		rt := newRuntime()
		run, err := g.Start(ctx, rt, state)
		if err != nil {
			b.Fatal(err)
		}
		res, err := run.Wait(ctx)
		if err != nil || res.Status != fermata.Paused {
			b.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
		}
		_ = rt.Close()
		rt = newRuntime()
		if err := rt.Answer(ctx, res.Interrupts[0].ID, true, fermata.Hold()); err != nil {
			b.Fatal(err)
		}
		if run, err = g.Resume(ctx, rt, res.Run); err != nil {
			b.Fatal(err)
		}
		if res, err = run.Wait(ctx); err != nil || res.Status != fermata.Completed {
			b.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
		}
		_ = rt.Close()
		if err := store.Delete(ctx, res.Run); err != nil {
			b.Fatal(err)
		}
	}
}
