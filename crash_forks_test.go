package fermata_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

const (
	forkRounds = 3
	forkItems  = 4
)

// forkGraph goes round after round through a line of steps, a sleep, and a map whose items work and ask; they meet.
func forkGraph(o outside) *graph.Graph[order] {
	child := graph.Of("item", func(ctx node.Context, s order) (order, error) {
		if err := o.step(ctx, "item", time.Millisecond); err != nil {
			return s, err
		}
		if s.Amount == 1 {
			said, err := node.Interrupt[int](ctx, map[string]int{"n": s.Amount})
			s.Amount = said
			return s, err
		}
		return s, nil
	}).MustCompile()
	b := graph.New[order]("fork").Merge(func(base order, branches []order) (order, error) {
		sum := base.Amount
		for _, one := range branches {
			sum += one.Amount - base.Amount
		}
		base.Amount = sum
		return base, nil
	})
	b.Node("head", func(_ node.Context, s order) (order, error) { s.Rounds++; return s, nil })
	b.Node("line", func(ctx node.Context, s order) (order, error) {
		for n := range 4 {
			if err := o.step(ctx, fmt.Sprintf("line %d", n), time.Millisecond); err != nil {
				return s, err
			}
			s.Amount++
		}
		return s, nil
	})
	b.Node("sleep", func(ctx node.Context, s order) (order, error) {
		if err := o.step(ctx, "sleep", 0); err != nil {
			return s, err
		}
		return s, node.Sleep(ctx, 2*time.Millisecond)
	})
	graph.Map(b, "each", func(s order) ([]order, error) {
		items := make([]order, forkItems)
		for i := range items {
			items[i].Amount = i
		}
		return items, nil
	}, child, func(s order, done []order) (order, error) {
		for _, one := range done {
			s.Amount += one.Amount
		}
		return s, nil
	}, graph.Limit(3))
	b.Node("join", func(_ node.Context, s order) (order, error) { return s.note("round %d: %d", s.Rounds, s.Amount), nil }, graph.All())
	b.Route("join", func(_ node.Context, s order) (string, error) {
		if s.Rounds < forkRounds {
			return "head", nil
		}
		return graph.End, nil
	}, "head", graph.End)
	return b.Edge(graph.Start, "head").Edge("head", "line", "sleep", "each").Edge("line", "join").Edge("sleep", "join").
		Edge("each", "join").MustCompile()
}

// A process is killed at any moment while branches and the items of a map are at work: the run comes to its end, no step
// is recorded twice, and no more effects happen again than were under way when a kill came, each with its own key.
func TestJ5_Kill9WithBranches(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	want := childResult{Status: fermata.Completed}
	for range forkRounds {
		want.State.Rounds++
		want.State.Amount += 4 + 6 // the line, and the items
		want.State = want.State.note("round %d: %d", want.State.Rounds, want.State.Amount)
	}
	finished := make(map[string]bool)
	killed := killed(t, "fork", folder, kills(40, 1000), 40*time.Millisecond, func(run string, r childResult) {
		finished[run] = true
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("%s (-want +got):\n%s", run, diff)
		}
	})
	store, err := openChild(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	const effects, beside = forkRounds * (4 + 1 + forkItems), 5 // the line, the sleep and three items
	for run := range finished {
		answered := 0
		for _, e := range journalOf(t, store, run) {
			if e.Kind == journal.InterruptResolved {
				answered++
			}
		}
		happened, twice := effectsOf(t, folder, run), 0
		for key, names := range happened {
			twice += len(names) - 1
			if slices.ContainsFunc(names, func(name string) bool { return name != names[0] }) {
				t.Errorf("%s: the key %s stands for several effects: %q", run, key, names)
			}
		}
		if len(happened) != effects || twice > beside*killed[run] || answered != forkRounds {
			t.Errorf("%s: %d effects, expected %d; %d of them happened again, after %d kills; %d answers", run, len(happened),
				effects, twice, killed[run], answered)
		}
	}
}
