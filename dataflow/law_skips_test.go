package dataflow_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// What was not chosen is skipped, and so is what needs what therefore does not come: recorded once, with the reason.
func TestD9_SkippedNodesAreRecordedWithTheReason(t *testing.T) {
	inner := dataflow.Route("inner", func(_ node.Context, in struct{ X string }) (string, error) { return "deep", nil }, "deep", dataflow.End)
	maybe := dataflow.Func("maybe", "m", func(_ node.Context, in struct {
		X string `default:"none"`
	},
	) (string, error) {
		return in.X, nil
	})
	g := graphOf(t, told("gate", "a", "b"), says("a", "x"), says("b", "y"), says("free", "z"),
		follow("after", "x", "x2"), follow("far", "x2", "x3"), inner, says("deep", "d"), maybe,
		dataflow.Func("mixed", "xz", func(_ node.Context, in struct{ X, Z string }) (string, error) { return in.X + in.Z, nil }))
	got, _, told := outcome(t, g, vals{"pick": "b"})
	same(t, "outputs", vals{"y": "b", "z": "free", "m": "none"}, got)
	same(t, "skipped", []string{
		`node.skipped a#1 gate "gate" did not choose it`,
		`node.skipped after#1 it needs "x", and "a" was skipped`,
		`node.skipped inner#1 it needs "x", and "a" was skipped`,
		`node.skipped mixed#1 it needs "x", and "a" was skipped`,
		`node.skipped far#1 it needs "x2", and "after" was skipped`,
		`node.skipped deep#1 gate "inner" was skipped`,
	}, only(told, "node.skipped"))
	got, _, told = outcome(t, g, vals{"pick": "a"})
	same(t, "outputs", vals{
		"x": "a", "z": "free", "x2": "a after", "x3": "a after far", "d": "deep", "m": "a", "xz": "afree",
	}, got)
	same(t, "skipped", []string{`node.skipped b#1 gate "gate" did not choose it`}, only(told, "node.skipped"))
}

// Observers are told of what was skipped, like of everything else (law E1).
func TestE1_SkippedNodesAreEvents(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, graphOf(t, told("gate", "a", "b"), says("a", "x"), says("b", "y")), vals{"pick": "b"})
	var seen []string
	for e, err := range run.Events(timeLimit(t), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type() != "node.skipped" {
			continue
		}
		data, err := e.Data()
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, e.Task()+" "+string(data))
	}
	same(t, "events", 1, len(seen))
	if !strings.HasPrefix(seen[0], "a#1 ") || !strings.Contains(seen[0], `gate \"gate\" did not choose it`) {
		t.Errorf("the event says %s", seen[0])
	}
}

// starving is a graph in which a node is chosen that gets nothing.
func starving(t *testing.T) *dataflow.Graph {
	t.Helper()
	gate := dataflow.RouteMany("gate", func(_ node.Context, in struct{ All []string }) ([]string, error) { return in.All, nil },
		"take", "make")
	take := dataflow.Func("take", "taken", func(_ node.Context, in struct{ Made, Given string }) (string, error) {
		return in.Made + in.Given, nil
	})
	return graphOf(t, gate, take, says("make", "made"), follow("after", "taken", "end"), says("free", "other"))
}

// A node that was chosen and never gets what it needs makes the run stuck, which says what it waits for and why. It is said
// again to whoever asks later, in another process, and where nothing is kept.
func TestF5_AStuckRunSaysWhatItWaitsFor(t *testing.T) {
	g := starving(t)
	all := vals{"all": []string{"take"}, "given": "g"}
	want := &fermata.StuckError{Nodes: []journal.StuckNode{
		{Node: "take", Needs: []string{"made"}, Reason: `it was chosen, and it waits for "made": "make" was skipped`},
		{Node: "after", Needs: []string{"taken"}, Reason: `it waits for "taken": "take" cannot run either`},
	}}
	stuck := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, fermata.ErrStuck) {
			t.Fatalf("%s: %v", what, err)
		}
		same(t, what, want, asError[*fermata.StuckError](t, err))
	}
	d := onDisk(t)
	var id string
	d.process(t, func(rt *fermata.Runtime, store journal.Store) {
		run := start(t, rt, g, all)
		id = run.ID()
		stuck("the run", ends(t, run, fermata.Stuck).Err)
		same(t, "skipped", []string{`node.skipped make#1 gate "gate" did not choose it`}, only(lines(t, store, id), "node.skipped"))
		same(t, "what could run has", []string{"gate#1 all<run", "free#1"}, visits(t, store, id))
	})
	d.process(t, func(rt *fermata.Runtime, _ journal.Store) {
		res, err := rt.Result(t.Context(), id, g.Plan())
		same(t, "status", []any{fermata.Stuck, error(nil)}, []any{res.Status, err})
		stuck("from the store", res.Err)
		res, err = rt.Result(t.Context(), id, nil)
		if err != nil {
			t.Fatal(err)
		}
		stuck("without the plan", res.Err)
		text := res.Err.Error()
		if !strings.Contains(text, "node \"take\" cannot run: it was chosen, and it waits for \"made\": \"make\" was skipped\n") {
			t.Error(text)
		}
	})
	res, err := g.Run(timeLimit(t), all)
	stuck("where nothing is kept", errors.Join(err, res.Err))
	res, err = g.Call(timeLimit(t), all)
	stuck("one after the other", errors.Join(err, res.Err))
	same(t, "with what it needs", vals{"made": "make", "taken": "makeg", "end": "makeg after", "other": "free"},
		evaluated(t, g, vals{"all": []string{"take", "make"}, "given": "g"}))
}

// A round that was chosen and never gets what it needs is stuck as well: here the run began behind what lies before it.
func TestF5_ARoundThatCannotBeginIsStuck(t *testing.T) {
	g := graphOf(t, append(refine(3), dataflow.Entry("gate"))...)
	same(t, "it needs no round", vals{"score": 9}, evaluated(t, g, vals{"score": 9}))
	same(t, "with what a round needs", vals{"draft": "p++", "feedback": "+++", "score": 3}, evaluated(t, g, vals{"score": 1, "prompt": "p"}))
	rt, store := inMemory(t)
	run := start(t, rt, g, vals{"score": 1})
	same(t, "error", &fermata.StuckError{Nodes: []journal.StuckNode{
		{Node: "generate", Needs: []string{"prompt"}, Reason: `it was chosen, and it waits for "prompt": nobody writes it`},
	}}, asError[*fermata.StuckError](t, ends(t, run, fermata.Stuck).Err))
	same(t, "visits", []string{"gate#1 score<run"}, visits(t, store, run.ID()))
}

// A subgraph that is stuck makes the run stuck, and says so with its path.
func TestF5_StuckInASubgraph(t *testing.T) {
	g := graphOf(t, starving(t).As("inner"), follow("behind", "end", "last"))
	rt, store := inMemory(t)
	run := start(t, rt, g, vals{"all": []string{"take"}, "given": "g"})
	res := ends(t, run, fermata.Stuck)
	found := asError[*fermata.StuckError](t, res.Err)
	same(t, "nodes", []string{"inner/take", "inner/after"}, []string{found.Nodes[0].Node, found.Nodes[1].Node})
	same(t, "visits", []string{"inner#1 all<run given<run", "inner/gate#1 all<input", "inner/free#1"}, visits(t, store, run.ID()))
}
