package fermata_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// counts returns a graph that counts to n in a loop of two nodes; each number is a round.
func counts(name string, n int) *graph.Builder[state] {
	b := graph.New[state](name)
	b.Node("count", func(_ node.Context, s state) (state, error) { s.N++; return s, nil })
	b.Node("look", func(_ node.Context, s state) (state, error) { return s, nil })
	b.Edge(graph.Start, "count").Edge("count", "look")
	return b.Route("look", func(_ node.Context, s state) (string, error) {
		if s.N < n {
			return "count", nil
		}
		return graph.End, nil
	}, "count", graph.End)
}

const forEver = 1 << 40

// limited asserts that an error is the default limit of tasks, and says what can be done.
func limited(t *testing.T, err error) {
	t.Helper()
	refused(t, err, refusal{fermata.CodeLimit, fermata.ErrLimit})
	limit, ok := errors.AsType[*fermata.LimitError](err)
	if !ok {
		t.Fatalf("the error is %v, want a *LimitError in it", err)
	}
	want := fermata.LimitError{
		Limit: "tasks", Max: "10000", Reason: "its plan has a loop and sets no limit, and this is the default for tasks that start while the run " +
			"never waits; if they are right, set a higher one (Limits.Tasks, or -1 for none), and retry the run, which goes on from here",
	}
	if diff := cmp.Diff(want, *limit); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// LangGraph ends a run after 10,007 steps unless recursion_limit says otherwise, and each invocation counts from 0. Here
// a plan with a loop may start 10,000 tasks while its run never waits.
func TestF4_ALoopWithoutALimitHasOne(t *testing.T) {
	loop := counts("loop", forEver).MustCompile()
	around := graph.New[state]("around").Sub("inner", loop).Edge(graph.Start, "inner").MustCompile()
	mapped := graph.New[state]("mapped")
	graph.Map(mapped, "each", func(state) ([]state, error) { return make([]state, 2), nil }, loop,
		func(s state, _ []state) (state, error) { return s, nil }, graph.Limit(1))
	mapped.Edge(graph.Start, "each")
	for name, g := range map[string]*graph.Graph[state]{"a graph": loop, "a subgraph": around, "an item": mapped.MustCompile()} {
		t.Run(name, func(t *testing.T) {
			_, err := g.Run(timeLimit(t), state{})
			limited(t, err)
		})
	}
	t.Run("a dataflow", func(t *testing.T) {
		type number struct {
			N int `default:"0"`
		}
		step := dataflow.Func("step", "n", func(_ node.Context, in number) (int, error) { return in.N + 1, nil })
		again := dataflow.Route("again", func(node.Context, struct{ N int }) (string, error) { return "step", nil }, "step", dataflow.End)
		_, err := dataflow.Must(dataflow.New("flow", step, again)).Run(timeLimit(t), dataflow.Values{})
		limited(t, err)
	})
	t.Run("on a runtime", func(t *testing.T) {
		rt, _ := inMemory(t)
		g := counts("loop", 7000).MustCompile()
		run := start(t, rt, g, state{})
		limited(t, ends(t, run, fermata.Failed).Err)
		again, err := g.Retry(timeLimit(t), rt, run.ID())
		if err != nil {
			t.Fatal(err)
		}
		if got := ends(t, again, fermata.Completed).State.N; got != 7000 {
			t.Errorf("it counted to %d", got)
		}
	})
}

// The default is for loops that nothing holds up: it ends no wide map and no long plan, and a limit of the plan's own
// takes its place. That a run which waits is not ended by it is a test of internal/machine.
func TestF4_TheDefaultLimitIsForLoopsAlone(t *testing.T) {
	wide := func(items int) *graph.Graph[state] {
		b := graph.New[state]("wide")
		graph.Map(b, "each", func(state) ([]state, error) { return make([]state, items), nil }, counts("three", 3).MustCompile(),
			func(s state, all []state) (state, error) { s.N = len(all); return s, nil })
		return b.Edge(graph.Start, "each").MustCompile()
	}
	long := graph.New[state]("long")
	for i := range plan.DefaultTasks + 1 {
		long.Node(fmt.Sprint(i), func(_ node.Context, s state) (state, error) { s.N++; return s, nil })
		long.Edge(map[bool]string{true: graph.Start, false: fmt.Sprint(i - 1)}[i == 0], fmt.Sprint(i))
	}
	own := func(tasks int) *graph.Graph[state] {
		return counts("own", 6000).Limits(plan.Limits{Tasks: tasks}).MustCompile()
	}
	for name, g := range map[string]struct {
		g *graph.Graph[state]
		n int
	}{
		"a wide map": {wide(2000), 2000}, "a long plan": {long.MustCompile(), plan.DefaultTasks + 1},
		"a higher limit": {own(12_000), 6000}, "no limit": {own(plan.Unlimited), 6000},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := g.g.Run(timeLimit(t), state{})
			if err != nil || got.N != g.n {
				t.Errorf("%d, %v; want %d", got.N, err, g.n)
			}
		})
	}
}

// LangGraph's RemainingSteps: a node sees how many tasks the limit leaves, and can come to an end before it fails.
func TestF4_ANodeSeesHowManyTasksAreLeft(t *testing.T) {
	looks := func(limits plan.Limits) *graph.Graph[state] {
		return graph.New[state]("looks").Limits(limits).
			Node("look", func(ctx node.Context, s state) (state, error) {
				if _, err := node.Step(ctx, "pay", func(node.Context) (int, error) { return 1, nil }); err != nil {
					return s, err
				}
				s.N = ctx.Info().TasksLeft
				return s, nil
			}).
			Edge(graph.Start, "look").
			Route("look", func(ctx node.Context, _ state) (string, error) {
				if left := ctx.Info().TasksLeft; left == 1 || left == 9990 || left == 0 {
					return graph.End, nil
				}
				return "look", nil
			}, "look", graph.End).MustCompile()
	}
	for name, g := range map[string]struct {
		limits plan.Limits
		left   int
	}{
		"a limit": {plan.Limits{Tasks: 5}, 1}, "the default": {plan.Limits{}, 9990}, "no limit": {plan.Limits{Tasks: plan.Unlimited}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := looks(g.limits).Run(timeLimit(t), state{N: 77})
			if err != nil || got.N != g.left {
				t.Errorf("%d, %v; want %d tasks left", got.N, err, g.left)
			}
			report := fermatatest.Crash(t, looks(g.limits).Plan(), func() any { return &state{N: 77} })
			if got := report.Result.Value.(*state).N; got != g.left {
				t.Errorf("through crashes %d, want %d", got, g.left)
			}
		})
	}
}

// What a node sees of the tasks that are left stays the same when it runs again, although others have started meanwhile.
func TestN3_TheTasksLeftAreThoseOfTheBeginning(t *testing.T) {
	rt, _ := inMemory(t)
	seen := make(chan int, 2)
	g := graph.New[team]("beside").Limits(plan.Limits{Tasks: 20}).
		Node("asks", func(ctx node.Context, s team) (team, error) {
			seen <- ctx.Info().TasksLeft
			_, err := node.Interrupt[bool](ctx, "?")
			return s, err
		}).
		Node("one", func(_ node.Context, s team) (team, error) { return s, nil }).
		Node("two", func(_ node.Context, s team) (team, error) { return s, nil }).
		Edge(graph.Start, "asks", "one").Edge("one", "two").MustCompile()
	run := startTeam(t, rt, g, team{})
	res, err := run.Wait(timeLimit(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Answer(t.Context(), res.Interrupts[0].ID, true); err != nil {
		t.Fatal(err)
	}
	if res, err = run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Completed {
		t.Fatalf("%s, %v", res.Status, err)
	}
	if first, again := <-seen, <-seen; first != 20 || again != first {
		t.Errorf("it saw %d, and then %d; want 20 both times", first, again)
	}
}
