package dataflow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// counted is what the gates of these tests read: how often a node has written.
type counted struct{ N int }

// counts is a node that counts its own visits in what it writes.
func counts(name, output string) *dataflow.NodeDef {
	return dataflow.Func(name, output, func(_ node.Context, in struct {
		Own int `json:"own,omitempty"`
	},
	) (int, error) {
		return in.Own + 1, nil
	}, dataflow.RenameInput("own", output))
}

// adds is a node that writes more than it reads, if it reads anything.
func adds(name, input, output string) *dataflow.NodeDef {
	return dataflow.Func(name, output, func(_ node.Context, in struct {
		In int `json:"in,omitempty"`
	},
	) (int, error) {
		return in.In + 1, nil
	}, dataflow.RenameInput("in", input))
}

// until is a gate that goes back to a node until the value it reads has come so far.
func until(name, input string, n int, back string) *dataflow.NodeDef {
	return dataflow.Route(name, func(_ node.Context, in counted) (string, error) {
		if in.N < n {
			return back, nil
		}
		return dataflow.End, nil
	}, back, dataflow.End).With(dataflow.RenameInput("n", input))
}

// refine is the loop of the seed: generate, evaluate, and a gate that decides whether it goes round again.
func refine(rounds int) []dataflow.Part {
	type brief struct {
		Prompt   string
		Feedback string `json:"feedback,omitempty"`
	}
	type judged struct {
		Score    int
		Feedback string
	}
	generate := dataflow.Func("generate", "draft", func(_ node.Context, in brief) (string, error) { return in.Prompt + in.Feedback, nil })
	evaluate := dataflow.Node("evaluate", func(_ node.Context, in struct{ Draft string }) (judged, error) {
		return judged{Score: strings.Count(in.Draft, "+") + 1, Feedback: strings.Repeat("+", strings.Count(in.Draft, "+")+1)}, nil
	})
	return []dataflow.Part{generate, evaluate, until("gate", "score", rounds, "generate")}
}

// The head of a loop is the one target that can start without the loop. The body runs once before its gate decides (law
// D12), and each round begins at the head.
func TestD12_LoopsRunTheirBodyBeforeTheGateDecides(t *testing.T) {
	g := graphOf(t, refine(3)...)
	got, visited, told := outcome(t, g, vals{"prompt": "p"})
	same(t, "outputs", vals{"draft": "p++", "score": 3, "feedback": "+++"}, got)
	same(t, "visits", []string{
		"generate#1 prompt<run", "evaluate#1 draft<generate#1", "gate#1 score<evaluate#1",
		"generate#2 feedback<evaluate#1 prompt<run", "evaluate#2 draft<generate#2", "gate#2 score<evaluate#2",
		"generate#3 feedback<evaluate#2 prompt<run", "evaluate#3 draft<generate#3", "gate#3 score<evaluate#3",
	}, visited)
	same(t, "routes", []string{"route.taken gate#1 -> generate", "route.taken gate#2 -> generate", "route.taken gate#3 -> END"}, only(told, "route.taken"))
	same(t, "loops", []plan.Loop{{
		Nodes: []string{"generate", "evaluate", "gate"}, Head: "generate", Entries: []string{"generate"},
		Back: []plan.Edge{
			{From: "evaluate", To: "generate", Kind: plan.Data, Label: "feedback"},
			{From: "gate", To: "generate", Kind: plan.Choice},
		},
	}}, g.Describe().Loops)
	_, once, _ := outcome(t, graphOf(t, refine(0)...), vals{"prompt": "p"})
	same(t, "a gate that never goes back", visited[:3], once)
}

// A loop that cannot begin, cannot be left, or could begin in several ways is refused, with what to do about it.
func TestD4_LoopsAreCheckedWhenTheGraphIsMade(t *testing.T) {
	for _, tt := range []struct {
		name  string
		parts []dataflow.Part
		code  plan.Code
		want  string
	}{
		{
			"no gate",
			[]dataflow.Part{follow("a", "y", "x"), follow("b", "x", "y")},
			plan.Endless,
			`node "a": the loop "a" -> "b" -> "a" never ends: no gate is in it that chooses whether it goes round again`,
		},
		{
			"no head",
			[]dataflow.Part{follow("a", "y", "x"), follow("b", "x", "y"), told("gate", "a", dataflow.End).With(dataflow.RenameInput("pick", "y"))},
			plan.NoHead,
			`node "a": the loop "a" -> "b" -> "a" cannot begin: of the nodes that its gates choose, "a" needs "y", which only the loop itself writes; ` +
				`give it a default, or name the node that the loop begins at as an entry and give a run the value`,
		},
		{
			"two heads",
			[]dataflow.Part{
				adds("a", "y", "x"), adds("b", "x", "y"),
				dataflow.Route("gate", func(_ node.Context, in struct{ X, Y int }) (string, error) { return "a", nil }, "a", "b", dataflow.End),
			},
			plan.AmbiguousHead,
			`node "a": the loop "a" -> "b" -> "a" can begin at "a", "b": each is chosen by a gate in it and can start without it; ` +
				`name the one that it begins at as an entry`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := problemsOf(t, tt.parts...)
			same(t, "problems", []string{string(tt.code) + " " + tt.want}, []string{string(found[0].Code) + " " + found[0].String()})
			if len(found) != 1 {
				t.Errorf("%d problems: %v", len(found), found)
			}
		})
	}
}

// Where a loop could begin in two ways, an entry says in which.
func TestD4_AnEntryIsTheHead(t *testing.T) {
	gate := dataflow.Route("gate", func(_ node.Context, in struct{ X, Y int }) (string, error) {
		if in.X+in.Y > 3 {
			return dataflow.End, nil
		}
		return "b", nil
	}, "a", "b", dataflow.End)
	g := graphOf(t, adds("a", "y", "x"), adds("b", "x", "y"), gate, dataflow.Entry("b"))
	_, visited, _ := outcome(t, g, vals{})
	same(t, "head", "b", g.Describe().Loops[0].Head)
	same(t, "visits", []string{
		"b#1", "a#1 y<b#1", "gate#1 x<a#1 y<b#1", "b#2 x<a#1", "a#2 y<b#2", "gate#2 x<a#2 y<b#2",
	}, visited)
}

// A node waits for an ancestor that may still write a value that it could do without.
func TestD5_ANodeWaitsForWhatMayStillCome(t *testing.T) {
	done := make(chan struct{})
	slow := dataflow.Func("slow", "y", func(ctx node.Context, _ none) (string, error) {
		select {
		case <-done:
			return "slow", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	fast := constant("fast", "x", "fast")
	after := unary("after_fast", "x", "z", func(s string) string { close(done); return s })
	take := dataflow.Func("take", "taken", func(_ node.Context, in struct {
		X string
		Y string `default:"nothing"`
	},
	) (string, error) {
		return in.X + " " + in.Y, nil
	})
	got, visited, _ := outcome(t, graphOf(t, take, fast, slow, after), vals{})
	same(t, "outputs", vals{"x": "fast", "y": "slow", "z": "fast", "taken": "fast slow"}, got)
	same(t, "visits", []string{"fast#1", "slow#1", "after_fast#1 x<fast#1", "take#1 x<fast#1 y<slow#1"}, visited)
}

// A node waits as well for ancestors that are not at work yet, over any number of nodes in between.
func TestD5_ANodeWaitsForAncestorsThatHaveNotBegun(t *testing.T) {
	chain := []dataflow.Part{says("a", "v0")}
	for i := range 5 {
		chain = append(chain, follow(fmt.Sprintf("n%d", i), fmt.Sprintf("v%d", i), fmt.Sprintf("v%d", i+1)))
	}
	chain = append(chain, dataflow.Func("take", "taken", func(_ node.Context, in struct {
		First string `json:"v0"`
		Last  string `json:"v5,omitempty"`
	},
	) (string, error) {
		return in.First + "|" + in.Last, nil
	}))
	got, visited, _ := outcome(t, graphOf(t, chain...), vals{})
	same(t, "taken", "a|a n0 n1 n2 n3 n4", got["taken"].(string))
	same(t, "it ran once, last", "take#1 v0<a#1 v5<n4#1", visited[len(visited)-1])
}

// nested is a loop in a loop: plan begins the outer one, write the inner one. What is written in round 2 is 201, 202, ….
func nested(inner, outer int) []dataflow.Part {
	type written struct{ Draft, Steps int }
	return []dataflow.Part{
		dataflow.Func("plan", "round", func(_ node.Context, in struct {
			Draft int `json:"draft,omitempty"`
		},
		) (int, error) {
			return in.Draft/100 + 1, nil
		}),
		dataflow.Node("write", func(_ node.Context, in struct {
			Round int
			Draft int `json:"draft,omitempty"`
			Steps int `json:"steps,omitempty"`
		},
		) (written, error) {
			if in.Draft/100 != in.Round {
				return written{Draft: in.Round*100 + 1, Steps: in.Steps + 1}, nil
			}
			return written{Draft: in.Draft + 1, Steps: in.Steps + 1}, nil
		}),
		dataflow.Route("again", func(_ node.Context, in struct{ Draft int }) (string, error) {
			if in.Draft%100 < inner {
				return "write", nil
			}
			return dataflow.End, nil
		}, "write", dataflow.End),
		until("over", "round", outer, "plan"),
	}
}

// The innermost loop's round goes first; the other selection waits for the round after it. The inner head opens again by
// itself when the outer round has written anew (law D6).
func TestD7_InnermostLoopFirst(t *testing.T) {
	g := graphOf(t, nested(2, 2)...)
	loop := g.Describe().Loops[0]
	same(t, "loops", []string{"plan", "write"}, []string{loop.Head, loop.Inner[0].Head})
	got, visited, told := outcome(t, g, vals{})
	same(t, "outputs", vals{"round": 2, "draft": 202, "steps": 4}, got)
	same(t, "visits", []string{
		"plan#1", "write#1 round<plan#1", "over#1 round<plan#1", "again#1 draft<write#1",
		"write#2 draft<write#1 round<plan#1 steps<write#1", "again#2 draft<write#2",
		"plan#2 draft<write#2", "write#3 draft<write#2 round<plan#2 steps<write#2", "over#2 round<plan#2", "again#3 draft<write#3",
		"write#4 draft<write#3 round<plan#2 steps<write#3", "again#4 draft<write#4",
	}, visited)
	same(t, "decisions of over", []string{"route.taken over#1 -> plan", "route.taken over#2 -> END"}, only(told, "route.taken over"))
}

// A head that only its own loop's gate controls opens by itself on the first pass, and again when what lies before it has
// written anew; a node that a gate ahead controls does not.
func TestD6_HeadsOpenByThemselves(t *testing.T) {
	_, visited, told := outcome(t, graphOf(t, nested(1, 3)...), vals{})
	same(t, "the inner head", []string{
		"write#1 round<plan#1", "write#2 draft<write#1 round<plan#2 steps<write#1", "write#3 draft<write#2 round<plan#3 steps<write#2",
	}, only(visited, "write"))
	same(t, "its gate never chose it", []string{"route.taken again#1 -> END", "route.taken again#2 -> END", "route.taken again#3 -> END"},
		only(told, "route.taken again"))
	work, gate := stages([]string{"work", "target"}, []string{"work"}, []string{dataflow.End})
	_, visited, _ = outcome(t, graphOf(t, work, gate, adds("target", "n", "seen")), vals{})
	same(t, "a target runs when it is chosen", []string{"target#1 n<work#1"}, only(visited, "target"))
}

// A round begins only when nothing is at work any more that follows from the one before: here a slow reader of the draft.
func TestD7_ARoundWaitsForAllThatFollows(t *testing.T) {
	parts := append(refine(2), follow("publish", "draft", "published"), follow("archive", "published", "archived"))
	got, visited, told := outcome(t, graphOf(t, parts...), vals{"prompt": "p"})
	same(t, "outputs", vals{"draft": "p+", "score": 2, "feedback": "++", "published": "p+ publish", "archived": "p+ publish archive"}, got)
	second := slices.Index(told, "node.started generate#2")
	for _, task := range []string{"publish#1", "archive#1"} {
		if at := slices.Index(told, "node.finished "+task); at < 0 || at > second {
			t.Errorf("%s was not over when the second round began: %v", task, told)
		}
	}
	same(t, "tasks", 10, len(visited))
}

// What a round does not concern goes on beside it.
func TestD7_RegionsThatDoNotTouchDoNotWait(t *testing.T) {
	rounds := make(chan struct{})
	work := dataflow.Func("work", "n", func(_ node.Context, in struct {
		N int `json:"n,omitempty"`
	},
	) (int, error) {
		if in.N == 2 {
			close(rounds)
		}
		return in.N + 1, nil
	})
	aside := dataflow.Func("aside", "x", func(ctx node.Context, _ none) (string, error) {
		select {
		case <-rounds:
			return "after three rounds", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	got := evaluated(t, graphOf(t, work, until("gate", "n", 3, "work"), aside), vals{})
	same(t, "outputs", vals{"n": 3, "x": "after three rounds"}, got)
}

// stages is a loop of which round n chooses what the n-th list says.
func stages(lists ...[]string) (work, gate *dataflow.NodeDef) {
	targets := []string{"work", dataflow.End}
	for _, l := range lists {
		for _, name := range l {
			if !slices.Contains(targets, name) {
				targets = append(targets, name)
			}
		}
	}
	work = counts("work", "n")
	gate = dataflow.RouteMany("gate", func(_ node.Context, in counted) ([]string, error) { return lists[in.N-1], nil }, targets...)
	return work, gate
}

// A gate's new decision takes the place of what nothing was begun for of its old one.
func TestD8_ANewDecisionReplacesTheOldOne(t *testing.T) {
	work, gate := stages([]string{"work", "target"}, []string{"late"})
	target := follow("target", "x", "y")
	g := graphOf(t, work, gate, target, says("late", "x"))
	got, visited, told := outcome(t, g, vals{})
	same(t, "outputs", vals{"n": 2, "x": "late"}, got)
	same(t, "visits", []string{"work#1", "gate#1 n<work#1", "work#2 n<work#1", "gate#2 n<work#2", "late#1"}, visited)
	same(t, "skipped", 1, len(only(told, "node.skipped target#1")))
	// Chosen again, it runs.
	work, gate = stages([]string{"work", "target"}, []string{"late", "target"})
	got, _, _ = outcome(t, graphOf(t, work, gate, target, says("late", "x")), vals{})
	same(t, "chosen again", vals{"n": 2, "x": "late", "y": "late target"}, got)
}

// A gate that was not chosen any more loses its own decisions too, and so do the gates behind it.
func TestD8_DecisionsAreLostTransitively(t *testing.T) {
	work, gate := stages([]string{"work", "second"}, []string{"late"})
	second := dataflow.Route("second", func(node.Context, none) (string, error) { return "third", nil }, "third", dataflow.End)
	third := dataflow.Route("third", func(node.Context, none) (string, error) { return "target", nil }, "target", dataflow.End)
	g := graphOf(t, work, gate, second, third, follow("target", "x", "y"), says("late", "x"))
	got, visited, _ := outcome(t, g, vals{})
	same(t, "outputs", vals{"n": 2, "x": "late"}, got)
	same(t, "visits", []string{
		"work#1", "gate#1 n<work#1", "second#1", "third#1", "work#2 n<work#1", "gate#2 n<work#2", "late#1",
	}, visited)
}

// A target of several gates is open when any of them chooses it, and runs once for all that do.
func TestD8_AnyGateOpensItsTarget(t *testing.T) {
	gates := func(one, two bool) *dataflow.Graph {
		choose := func(name string, yes bool) *dataflow.NodeDef {
			return dataflow.Branch(name, func(node.Context, none) (bool, error) { return yes, nil }, "target", dataflow.End)
		}
		return graphOf(t, choose("one", one), choose("two", two), says("target", "x"))
	}
	for _, tt := range []struct {
		one, two bool
		want     []string
	}{
		{true, true, []string{"one#1", "two#1", "target#1"}},
		{true, false, []string{"one#1", "two#1", "target#1"}},
		{false, true, []string{"one#1", "two#1", "target#1"}},
		{false, false, []string{"one#1", "two#1"}},
	} {
		_, visited, _ := outcome(t, gates(tt.one, tt.two), vals{})
		same(t, fmt.Sprint(tt.one, tt.two), tt.want, visited)
	}
}

// Limits end a loop that does not end by itself, and say so.
func TestF4_ALoopReachesItsLimit(t *testing.T) {
	g := graphOf(t, append(refine(1000), dataflow.Limits(plan.Limits{Tasks: 10}))...)
	rt, store := inMemory(t)
	run := start(t, rt, g, vals{"prompt": "p"})
	res := ends(t, run, fermata.Failed)
	same(t, "error", &fermata.LimitError{Limit: "tasks", Max: "10"}, asError[*fermata.LimitError](t, res.Err))
	same(t, "tasks", 10, len(visits(t, store, run.ID())))
}
