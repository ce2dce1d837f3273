package fermata_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// part is the state of a subgraph that has another than its parent.
type part struct {
	Words []string       `json:"words,omitempty"`
	Tags  map[string]int `json:"tags,omitempty"`
}

func partOf(s state) (part, error) { return part{Words: s.Log, Tags: s.Tags}, nil }

func putBack(s state, p part) (state, error) {
	s.Log, s.Tags = p.Words, p.Tags
	return s, nil
}

func word(ctx node.Context, p part) (part, error) {
	p.Words = append(p.Words, ctx.Info().Task())
	return p, nil
}

// nested is a chain with a subgraph of the same state in it, which has one of another state in it.
func nested(inner graph.Func[part]) *graph.Graph[state] {
	deep := graph.New[part]("deep").Node("x", inner).Node("y", word).Edge(graph.Start, "x").Edge("x", "y").MustCompile()
	mid := graph.New[state]("mid").Node("before", logged).Node("after", logged)
	graph.SubOf(mid, "deep", deep, partOf, putBack)
	m := mid.Edge(graph.Start, "before").Edge("before", "deep").Edge("deep", "after").MustCompile()
	return graph.New[state]("outer").Node("first", logged).Sub("mid", m).Node("last", logged).
		Edge(graph.Start, "first").Edge("first", "mid").Edge("mid", "last").MustCompile()
}

// Each node fires once for its token, and its result travels on.
func TestG1_ANodeFiresOncePerToken(t *testing.T) {
	g := graph.New[state]("loop").
		Node("a", logged).Node("b", logged).Node("c", logged).
		Edge(graph.Start, "a").Edge("a", "b").
		Route("b", func(_ node.Context, s state) (string, error) {
			if len(s.Log) < 5 {
				return "a", nil
			}
			return "c", nil
		}, "a", "c").MustCompile()
	want := []string{"a#1", "b#1", "a#2", "b#2", "a#3", "b#3", "c#1"}
	rt, _ := inMemory(t)
	if diff := cmp.Diff(want, ends(t, start(t, rt, g, state{}), fermata.Completed).State.Log); diff != "" {
		t.Errorf("on a runtime (-want +got):\n%s", diff)
	}
	got, err := g.Run(timeLimit(t), state{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Log); diff != "" {
		t.Errorf("without a store (-want +got):\n%s", diff)
	}
}

// The tasks of a subgraph are journaled under its path, in the same run.
func TestG6_TasksOfSubgraphsHaveTheirPath(t *testing.T) {
	rt, store := inMemory(t)
	g := nested(word)
	run := start(t, rt, g, state{Tags: map[string]int{"kept": 1}})
	res := ends(t, run, fermata.Completed)
	want := state{
		Log:  []string{"first#1", "mid/before#1", "mid/deep/x#1", "mid/deep/y#1", "mid/after#1", "last#1"},
		Tags: map[string]int{"kept": 1},
	}
	if diff := cmp.Diff(want, res.State); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	wantLines := []string{
		"run.started", "node.started first#1", "node.finished first#1",
		"node.started mid#1", "route.taken mid#1 -> mid/before",
		"node.started mid/before#1", "node.finished mid/before#1",
		"node.started mid/deep#1", "route.taken mid/deep#1 -> mid/deep/x",
		"node.started mid/deep/x#1", "node.finished mid/deep/x#1", "node.started mid/deep/y#1", "node.finished mid/deep/y#1",
		"node.finished mid/deep#1", "node.started mid/after#1", "node.finished mid/after#1",
		"node.finished mid#1", "node.started last#1", "node.finished last#1", "run.finished completed",
	}
	if diff := cmp.Diff(wantLines, lines(t, store, run.ID())); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
	got, err := g.Run(timeLimit(t), state{Tags: map[string]int{"kept": 1}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("without a store (-want +got):\n%s", diff)
	}
}

// A question inside bubbles up with its path; the run goes on inside.
func TestG6_QuestionsBubbleUp(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, nested(func(ctx node.Context, p part) (part, error) {
		text, err := node.Interrupt[string](ctx, nil)
		p.Words = append(p.Words, text)
		return p, err
	}), state{})
	q := question(t, run)
	if q.Task != "mid/deep/x#1" {
		t.Errorf("the question is of task %s", q.Task)
	}
	answer(t, rt, q.ID, "yes")
	want := []string{"first#1", "mid/before#1", "yes", "mid/deep/y#1", "mid/after#1", "last#1"}
	if diff := cmp.Diff(want, ends(t, run, fermata.Completed).State.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An error inside takes the nearest failure edge outwards, with the state that the subgraph was given.
func TestG6_ErrorsInsideTakeTheParentsEdge(t *testing.T) {
	inner := graph.New[state]("inner").Node("x", logged).Node("y", func(_ node.Context, s state) (state, error) {
		s.Text = "half done"
		return s, errFlaky
	}).Edge(graph.Start, "x").Edge("x", "y").MustCompile()
	g := graph.New[state]("outer").Node("a", logged).Sub("in", inner).
		Node("rescue", func(ctx node.Context, s state) (state, error) {
			s.Text = ctx.Cause().Task + ": " + ctx.Cause().Message
			return logged(ctx, s)
		}).
		Edge(graph.Start, "a").Edge("a", "in").OnError("in", "rescue").MustCompile()
	want := state{Log: []string{"a#1", "rescue#1"}, Text: "in#1: flaky"}
	rt, store := inMemory(t)
	run := start(t, rt, g, state{})
	if diff := cmp.Diff(want, ends(t, run, fermata.Completed).State); diff != "" {
		t.Errorf("on a runtime (-want +got):\n%s", diff)
	}
	wantLines := []string{"node.failed in/y#1 flaky", "node.failed in#1 flaky", "route.taken in#1 -> rescue", "node.started rescue#1"}
	if diff := cmp.Diff(wantLines, lines(t, store, run.ID())[8:12]); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
	got, err := g.Run(timeLimit(t), state{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("without a store (-want +got):\n%s", diff)
	}
}

// A failure that nobody catches fails the run and names the task inside; a retry of the run goes on in there.
func TestG6_ARetryGoesOnInside(t *testing.T) {
	broken := true
	var visits calls
	g := nested(func(ctx node.Context, p part) (part, error) {
		visits.add(ctx.Info().Task())
		if broken {
			return p, errFlaky
		}
		return word(ctx, p)
	})
	rt, _ := inMemory(t)
	run := start(t, rt, g, state{})
	res := ends(t, run, fermata.Failed)
	var e *fermata.Error
	if !errors.As(res.Err, &e) || e.Task != "mid/deep/x#1" {
		t.Errorf("the error is %v, want one that names mid/deep/x#1", res.Err)
	}
	broken = false
	again, err := g.Retry(timeLimit(t), rt, run.ID())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"first#1", "mid/before#1", "mid/deep/x#1", "mid/deep/y#1", "mid/after#1", "last#1"}
	if diff := cmp.Diff(want, ends(t, again, fermata.Completed).State.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A subgraph has a retry policy of its own: it is entered again with the value that it was given.
func TestG6_ASubgraphIsRetried(t *testing.T) {
	build := func() *graph.Graph[state] {
		inner := graph.New[state]("inner").Node("x", logged).Node("y", failing(2)).Edge(graph.Start, "x").Edge("x", "y").MustCompile()
		return graph.New[state]("outer").Sub("in", inner, graph.Retry(3, time.Millisecond)).Node("b", logged).
			Edge(graph.Start, "in").Edge("in", "b").MustCompile()
	}
	want := []string{"in/x#3", "in/y#3", "b#1"}
	rt, _ := inMemory(t)
	if diff := cmp.Diff(want, ends(t, start(t, rt, build(), state{}), fermata.Completed).State.Log); diff != "" {
		t.Errorf("on a runtime (-want +got):\n%s", diff)
	}
	got, err := build().Run(timeLimit(t), state{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Log); diff != "" {
		t.Errorf("without a store (-want +got):\n%s", diff)
	}
}

// A gate may stand behind a subgraph.
func TestG6_ASubgraphCanBeAGate(t *testing.T) {
	inner := graph.New[state]("inner").Node("x", logged).Edge(graph.Start, "x").MustCompile()
	gate := func(_ node.Context, s state) (string, error) {
		if len(s.Log) < 2 {
			return "in", nil
		}
		return "b", nil
	}
	build := func(other bool) *graph.Graph[state] {
		b := graph.New[state]("outer").Node("b", logged)
		if other {
			deep := graph.New[part]("deep").Node("x", word).Edge(graph.Start, "x").MustCompile()
			graph.SubOf(b, "in", deep, partOf, putBack)
		} else {
			b.Sub("in", inner)
		}
		return b.Edge(graph.Start, "in").Route("in", gate, "in", "b").MustCompile()
	}
	want := []string{"in/x#1", "in/x#2", "b#1"}
	for _, other := range []bool{false, true} {
		rt, _ := inMemory(t)
		if diff := cmp.Diff(want, ends(t, start(t, rt, build(other), state{}), fermata.Completed).State.Log); diff != "" {
			t.Errorf("on a runtime (-want +got):\n%s", diff)
		}
		got, err := build(other).Run(timeLimit(t), state{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Log); diff != "" {
			t.Errorf("without a store (-want +got):\n%s", diff)
		}
	}
}

// Stop inside a subgraph with a state of its own ends the run; its result is of the run's own state.
func TestG6_StopInsideAnotherState(t *testing.T) {
	deep := graph.New[part]("deep").Node("x", word).Edge(graph.Start, "x").
		Route("x", func(node.Context, part) (string, error) { return graph.Stop, nil }, graph.Stop).MustCompile()
	b := graph.New[state]("outer").Node("a", logged).Node("b", logged)
	graph.SubOf(b, "in", deep, partOf, putBack)
	g := b.Edge(graph.Start, "a").Edge("a", "in").Edge("in", "b").MustCompile()
	rt, store := inMemory(t)
	run := start(t, rt, g, state{})
	stored := ends(t, run, fermata.Completed).State
	unstored, err := g.Run(timeLimit(t), state{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(stored, unstored); diff != "" {
		t.Errorf("with and without a store it differs (-with +without):\n%s", diff)
	}
	if stored.Log[0] != "a#1" || count(lines(t, store, run.ID()), "node.started b") != 0 {
		t.Errorf("it ended with %v", stored)
	}
	res, err := rt.Result(t.Context(), run.ID(), g.Plan())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&stored, res.Value); diff != "" {
		t.Errorf("the store has another result (-run +store):\n%s", diff)
	}
}

// A mapping that fails or panics fails its subgraph's node.
func TestG6_MappingsCanFail(t *testing.T) {
	deep := graph.New[part]("deep").Node("x", word).Edge(graph.Start, "x").MustCompile()
	bad := func(s state) (part, error) { return part{}, errFlaky }
	tests := map[string]struct {
		in  func(state) (part, error)
		out func(state, part) (state, error)
	}{
		"in":         {bad, putBack},
		"in panics":  {func(state) (part, error) { panic(errFlaky) }, putBack},
		"out":        {partOf, func(s state, _ part) (state, error) { return s, errFlaky }},
		"out panics": {partOf, func(state, part) (state, error) { panic(errFlaky) }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := graph.New[state]("outer").Node("rescue", logged)
			graph.SubOf(b, "in", deep, tt.in, tt.out)
			g := b.Edge(graph.Start, "in").OnError("in", "rescue").MustCompile()
			rt, _ := inMemory(t)
			if diff := cmp.Diff([]string{"given", "rescue#1"}, ends(t, start(t, rt, g, state{Log: []string{"given"}}), fermata.Completed).State.Log); diff != "" {
				t.Errorf("on a runtime (-want +got):\n%s", diff)
			}
			got, err := g.Run(timeLimit(t), state{Log: []string{"given"}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"given", "rescue#1"}, got.Log); diff != "" {
				t.Errorf("without a store (-want +got):\n%s", diff)
			}
		})
	}
}

// Wherever the process dies, a child that has finished is not run again because its parent had not recorded it yet.
func TestG6_AFinishedChildIsNotRunAgain(t *testing.T) {
	all := crashedEverywhere(t, nested(word), state{})
	if len(all) < 15 {
		t.Fatalf("only %d crashes", len(all))
	}
	want := []string{"first#1", "mid/before#1", "mid/deep/x#1", "mid/deep/y#1", "mid/after#1", "last#1"}
	for _, one := range all {
		if diff := cmp.Diff(want, one.state.Log); diff != "" {
			t.Errorf("%s (-want +got):\n%s", one.way, diff)
		}
		var finished calls
		for _, l := range lines(t, one.store, one.run) {
			if strings.HasPrefix(l, "node.finished") && finished.add(l) > 1 {
				t.Errorf("%s: %s twice", one.way, l)
			}
		}
	}
}

// Entries of a run refer to values of the same run only, whatever graphs are around it.
func TestG6_ValuesInSubgraphsAreReadBackWhole(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, nested(word), state{Text: "unchanged", Tags: map[string]int{"a": 1}})
	ends(t, run, fermata.Completed)
	var inputs []string
	for m, err := range rt.History(t.Context(), run.ID()) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Entry.Kind == journal.NodeStarted {
			inputs = append(inputs, m.Entry.Node+" "+string(m.Input))
		}
	}
	want := []string{
		`first {"text":"unchanged","tags":{"a":1}}`,
		`mid {"log":["first#1"],"text":"unchanged","tags":{"a":1}}`,
		`mid/before {"log":["first#1"],"text":"unchanged","tags":{"a":1}}`,
		`mid/deep {"log":["first#1","mid/before#1"],"text":"unchanged","tags":{"a":1}}`,
		`mid/deep/x {"words":["first#1","mid/before#1"],"tags":{"a":1}}`,
		`mid/deep/y {"words":["first#1","mid/before#1","mid/deep/x#1"],"tags":{"a":1}}`,
		`mid/after {"log":["first#1","mid/before#1","mid/deep/x#1","mid/deep/y#1"],"text":"unchanged","tags":{"a":1}}`,
		`last {"log":["first#1","mid/before#1","mid/deep/x#1","mid/deep/y#1","mid/after#1"],"text":"unchanged","tags":{"a":1}}`,
	}
	if diff := cmp.Diff(sortedMembers(t, want), sortedMembers(t, inputs)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
