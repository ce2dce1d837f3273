package fermata_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/plan"
)

// heldAt is where a run was held, in order.
func heldAt(t *testing.T, store journal.Store, run string) (at []string) {
	t.Helper()
	for _, e := range entries(t, store, run) {
		if e.Kind != journal.RunHeld {
			continue
		}
		switch body := bodyOf[journal.HeldBody](t, &e); {
		case body.Before != "":
			at = append(at, "before "+body.Before)
		case body.After != "":
			at = append(at, "after "+body.After)
		default:
			at = append(at, "by "+body.By)
		}
	}
	return at
}

// everywhere are breakpoints on both sides of all nodes of a plan.
func everywhere(p *plan.Plan) (b fermata.Breaks) {
	for _, f := range p.Flat() {
		b.Before, b.After = append(b.Before, f.Path), append(b.After, f.Path)
	}
	return b
}

// A run with breakpoints on both sides of each node ends as one without, is held once before and behind each visit, and nothing
// begins while it is held: in all graphs, also where its process dies at any append.
func TestJ19_BreakpointsEverywhere(t *testing.T) {
	t.Parallel()
	for _, c := range withUndos {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			p := c.build(w).Plan()
			want := newDriven(t, c, p).undisturbed()
			clean := newDriven(t, c, p)
			clean.breaks = everywhere(p)
			got := clean.undisturbed()
			sameEnd(t, c, clean, want, got)
			heldOnceAVisit(t, clean)
			stride := max(1, clean.store.Appends()/12)
			if exploring() {
				stride = 1
			}
			for n := 1; n <= clean.store.Appends(); n += stride {
				for _, mode := range []journaltest.Mode{journaltest.Before, journaltest.After} {
					d := newDriven(t, c, p)
					d.breaks, d.fresh = everywhere(p), true
					fault := func(k int) error {
						if k == n {
							return errDead
						}
						return nil
					}
					if d.store.BeforeAppend = fault; mode == journaltest.After {
						d.store.BeforeAppend, d.store.AfterAppend = nil, fault
					}
					got, err := d.finish()
					if err != nil {
						t.Fatalf("append %d: %v", n, err)
					}
					sameEnd(t, c, d, want, got)
					heldOnceAVisit(t, d)
				}
			}
		})
	}
}

// heldOnceAVisit checks that a run with breakpoints everywhere was held before each task that began, and behind each one that has
// an outcome.
func heldOnceAVisit(t *testing.T, d *driven) {
	t.Helper()
	nothingBegins(t, d.inner, drivenID)
	want := make(map[string]int)
	for _, e := range entries(t, d.inner, drivenID) {
		task := fmt.Sprintf("%s#%d", e.Node, e.Visit)
		switch e.Kind {
		case journal.NodeStarted:
			if e.Attempt <= 1 {
				want["before "+task] = 1
			}
		case journal.NodeFinished, journal.NodeCached, journal.NodeFailed:
			want["after "+task] = 1
		default:
		}
	}
	got := make(map[string]int)
	for _, at := range heldAt(t, d.inner, drivenID) {
		got[at]++
	}
	maps.DeleteFunc(want, func(at string, _ int) bool { // a deadline or a cancel may have ended the run first
		return strings.HasPrefix(at, "after ") && got[at] == 0 && d.isOver()
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("where the run was held (-want +got):\n%s", diff)
	}
}

// isOver reports whether the run has ended otherwise than by coming to its end.
func (d *driven) isOver() bool {
	row, err := d.inner.Runs(d.t.Context(), journal.RunFilter{ID: drivenID})
	return err == nil && len(row) == 1 && row[0].Status != "completed"
}

// threeInARow is a graph of three nodes in a row.
func threeInARow() *graph.Graph[state] {
	return graph.New[state]("steps").Node("score", logged).Node("review", logged).Node("pay", logged).
		Edge(graph.Start, "score").Edge("score", "review").Edge("review", "pay").MustCompile()
}

// A run is held at the breakpoints of its start, of a resumption and of a fork, and says at which one.
func TestJ19_WhereARunIsHeld(t *testing.T) {
	t.Parallel()
	rt, store := inMemory(t)
	g := threeInARow()
	run := start(t, rt, g, state{}, fermata.BreakBefore("review"), fermata.BreakAfter("review"))
	res := ends(t, run, fermata.Paused)
	if res.Hold == nil || res.Hold.Before != "review#1" {
		t.Fatalf("held: %+v", res.Hold)
	}
	if info, err := rt.Info(t.Context(), run.ID()); err != nil || info.Error != "held before review#1" {
		t.Errorf("the row says %q, %v", info.Error, err)
	}
	ctx := timeLimit(t)
	if err := rt.ReleaseRun(ctx, run.ID(), "", "ann"); err != nil {
		t.Fatal(err)
	}
	if res = ends(t, run, fermata.Paused); res.Hold == nil || res.Hold.After != "review#1" {
		t.Fatalf("held: %+v", res.Hold)
	}

	// A fork begins with the breakpoints that it is given, and is not held by what holds the run that it comes from.
	fork, err := rt.Fork(ctx, run.ID(), g.Plan(), fermata.ForkOptions{
		Set: map[string]json.RawMessage{"n": json.RawMessage("7")}, Breaks: fermata.Breaks{Before: []string{"pay"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	forked, err := fork.Wait(ctx)
	if err != nil || forked.Hold == nil || forked.Hold.Before != "pay#1" {
		t.Fatalf("the fork is held: %+v, %v", forked.Hold, err)
	}
	if err := rt.ReleaseRun(ctx, fork.ID(), "", "ann"); err != nil {
		t.Fatal(err)
	}
	if forked, err = fork.Wait(ctx); err != nil || forked.Status != fermata.Completed || !strings.Contains(string(forked.Output), `7`) {
		t.Errorf("the fork ends as %s with %s, %v", forked.Status, forked.Output, err)
	}

	// Resumed with others, the run is held at those; it stays held where it is until it is released.
	again, err := g.Resume(ctx, rt, run.ID(), fermata.WithBreaks(fermata.Breaks{After: []string{"pay"}}))
	if err != nil {
		t.Fatal(err)
	}
	if res = ends(t, again, fermata.Paused); res.Hold == nil || res.Hold.After != "review#1" {
		t.Fatalf("held: %+v", res.Hold)
	}
	if err := rt.ReleaseRun(ctx, run.ID(), "", "ann"); err != nil {
		t.Fatal(err)
	}
	if res = ends(t, again, fermata.Paused); res.Hold == nil || res.Hold.After != "pay#1" {
		t.Fatalf("held: %+v", res.Hold)
	}
	if err := rt.ReleaseRun(ctx, run.ID(), "", "ann"); err != nil {
		t.Fatal(err)
	}
	ends(t, again, fermata.Completed)
	if diff := cmp.Diff([]string{"before review#1", "after review#1", "after pay#1"}, heldAt(t, store, run.ID())); diff != "" {
		t.Errorf("where the run was held (-want +got):\n%s", diff)
	}
}

// A breakpoint at a node that the plan does not have is refused with the nearest one, and nothing is recorded. So is one in a run that
// is not stored.
func TestJ19_BreakpointsAreChecked(t *testing.T) {
	t.Parallel()
	rt, _ := inMemory(t)
	g := threeInARow()
	_, err := g.Start(t.Context(), rt, state{}, fermata.WithID("r"), fermata.BreakBefore("reveiw"))
	if !isCode(err, fermata.CodeInvalid) || !strings.Contains(err.Error(), `breakpoint "reveiw": plan "steps" has no node of this path`) || !strings.Contains(err.Error(), "review") {
		t.Errorf("a node that there is not: %v", err)
	}
	if _, err := rt.Info(t.Context(), "r"); !isCode(err, fermata.CodeNotFound) {
		t.Errorf("and yet there is a run: %v", err)
	}
	if _, err := g.Start(t.Context(), rt, state{}, fermata.WithDurability(fermata.None), fermata.BreakAfter("pay")); !isCode(err, fermata.CodeInvalid) {
		t.Errorf("a run that is not stored: %v", err)
	}
	run := start(t, rt, g, state{}, fermata.BreakBefore("pay"))
	ends(t, run, fermata.Paused)
	if _, err := g.Resume(t.Context(), rt, run.ID(), fermata.WithBreaks(fermata.Breaks{After: []string{"pya"}})); !isCode(err, fermata.CodeInvalid) {
		t.Errorf("a resumption: %v", err)
	}
	if _, err := rt.Fork(t.Context(), run.ID(), g.Plan(), fermata.ForkOptions{Breaks: fermata.Breaks{After: []string{"pya"}}}); !isCode(err, fermata.CodeInvalid) {
		t.Errorf("a fork: %v", err)
	}
}
