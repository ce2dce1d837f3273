package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// batches notes how many entries each append has stored.
type batches struct {
	journal.Store
	sizes []int
}

func (b *batches) Append(ctx context.Context, batch journal.Batch) error {
	if len(batch.Entries) > 0 {
		b.sizes = append(b.sizes, len(batch.Entries))
	}
	return b.Store.Append(ctx, batch)
}

// allPure declares all nodes of a plan pure, those of its subgraphs, too.
func allPure(p *plan.Plan) {
	for _, f := range p.Flat() {
		f.Pure = true
	}
}

// What calculations come to is stored before whatever may be an effect: a node that is not pure, a step, what follows
// Sync, a question.
func TestJ2_CalculationsAreStoredBeforeAnEffect(t *testing.T) {
	rt, store := inMemory(t)
	stored := func(ctx node.Context) string {
		all := entries(t, store, ctx.Info().Run)
		return line(t, &all[len(all)-1])
	}
	var seen []string
	see := func(ctx node.Context, what string) { seen = append(seen, what+": "+stored(ctx)) }
	calc := func(ctx node.Context, s state) (state, error) {
		see(ctx, ctx.Info().Task())
		return s, node.Emit(ctx, node.EventStatus, "said by "+ctx.Info().Task())
	}
	g := graph.New[state]("pure").
		Node("a", calc, graph.Pure()).Node("b", calc, graph.Pure()).
		Node("act", func(ctx node.Context, s state) (state, error) { see(ctx, "act"); return s, nil }).
		Node("c", calc, graph.Pure()).
		Node("step", func(ctx node.Context, s state) (state, error) {
			see(ctx, "before the step")
			_, err := node.Step(ctx, "s", func(ctx node.Context) (int, error) { see(ctx, "in the step"); return 1, nil })
			return s, err
		}, graph.Pure()).
		Node("d", calc, graph.Pure()).
		Node("sync", func(ctx node.Context, s state) (state, error) {
			see(ctx, "before Sync")
			err := errors.Join(node.Emit(ctx, node.EventStatus, "said"), node.Sync(ctx))
			see(ctx, "after Sync")
			return s, err
		}, graph.Pure()).
		Node("ask", func(ctx node.Context, s state) (state, error) {
			see(ctx, "ask")
			_, err := node.Interrupt[bool](ctx, nil)
			return s, err
		}, graph.Pure()).
		Edge(graph.Start, "a").Edge("a", "b").Edge("b", "act").Edge("act", "c").Edge("c", "step").Edge("step", "d").Edge("d", "sync").Edge("sync", "ask").
		MustCompile()
	run := start(t, rt, g, state{})
	answer(t, rt, question(t, run).ID, true)
	ends(t, run, fermata.Completed)
	want := []string{
		"a#1: node.started a#1",
		"b#1: node.started a#1",
		"act: node.started act#1",
		"c#1: node.started c#1",
		"before the step: node.started c#1",
		"in the step: node.started step#1",
		"d#1: step.finished step#1 step:s#1 = 1",
		"before Sync: step.finished step#1 step:s#1 = 1",
		`after Sync: status sync#1 emit:status#1`,
		"ask: status sync#1 emit:status#1",
		"ask: run.resumed answer",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("the last entry that was stored (-want +got):\n%s", diff)
	}
}

// However many nodes are pure, the journal is the same to the line; only the appends are fewer.
func TestJ1_PureNodesMakeTheSameJournal(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		doings := rapid.SliceOfN(rapid.SampledFrom([]string{"calc", "step", "emit", "ask", "fail", "sub", "now", "fork"}), 1, 7).Draw(r, "nodes")
		pure := rapid.SliceOfN(rapid.Bool(), len(doings), len(doings)).Draw(r, "pure")
		rounds := rapid.IntRange(1, 3).Draw(r, "rounds")
		var journals [2][]string
		var appends [2]int
		for i := range journals {
			store := &batches{Store: memory.New()}
			rt := newRuntime(t, fermata.Options{Store: store})
			run := start(t, rt, variety(doings, func(k int) bool { return i == 1 && pure[k] }, rounds), state{})
			for {
				res := wait(t, run)
				if res.Status != fermata.Paused {
					break
				}
				for _, q := range res.Interrupts {
					answer(t, rt, q.ID, true)
				}
			}
			for _, l := range lines(t, store, run.ID()) {
				l, _, _ = strings.Cut(l, " = \"20") // the time is another one
				journals[i] = append(journals[i], l)
			}
			if slices.Contains(doings, "fork") { // whose branches are in any order
				slices.Sort(journals[i])
			}
			appends[i] = len(store.sizes)
		}
		if diff := cmp.Diff(journals[0], journals[1]); diff != "" {
			t.Fatalf("journal (-without +with pure nodes):\n%s", diff)
		}
		if appends[1] > appends[0] && !slices.Contains(doings, "fork") {
			t.Fatalf("%d appends, %d without pure nodes", appends[1], appends[0])
		}
	})
}

// variety is a graph of nodes that do this and that, one after the other, round by round.
func variety(doings []string, pure func(i int) bool, rounds int) *graph.Graph[state] {
	b := graph.New[state]("variety")
	last := graph.Start
	for i, do := range doings {
		name := fmt.Sprint("n", i)
		var opts []graph.NodeOption
		if pure(i) {
			opts = append(opts, graph.Pure())
		}
		b.Edge(last, name)
		last = name
		switch do {
		case "sub":
			b.Sub(name, graph.New[state](name).Node("x", logged, opts...).Node("y", logged, opts...).Edge(graph.Start, "x").Edge("x", "y").MustCompile())
		case "fork": // of which one branch changes the state
			last = name + "join"
			b.Node(name, logged, opts...).Node(name+"l", doing("emit"), opts...).Node(name+"r", same, opts...).Node(last, logged, append(opts, graph.All())...).
				Edge(name, name+"l").Edge(name, name+"r").Edge(name+"l", last).Edge(name+"r", last)
		default:
			b.Node(name, doing(do), append(opts, graph.Retry(2, 1))...)
		}
	}
	b.Node("round", func(_ node.Context, s state) (state, error) { s.N++; return s, nil }, graph.Pure())
	b.Edge(last, "round")
	b.Route("round", func(_ node.Context, s state) (string, error) {
		if s.N < rounds {
			return "n0", nil
		}
		return graph.End, nil
	}, "n0", graph.End)
	return b.MustCompile()
}

// same is a node that changes nothing.
func same(_ node.Context, s state) (state, error) { return s, nil }

func doing(do string) graph.Func[state] {
	return func(ctx node.Context, s state) (state, error) {
		var err error
		switch do {
		case "step":
			_, err = node.Step(ctx, "s", func(node.Context) (int, error) { return 1, nil })
		case "emit":
			err = node.Emit(ctx, node.EventMessage, "hello")
		case "ask":
			_, err = node.Interrupt[bool](ctx, nil)
		case "now":
			_, err = node.Now(ctx)
		case "fail":
			if ctx.Info().Attempt == 1 {
				err = errors.New("not yet")
			}
		}
		if err != nil {
			return s, err
		}
		return logged(ctx, s)
	}
}

// Whatever the engine was calculating when it died, it comes to the same end.
func TestJ4_CrashInCalculations(t *testing.T) {
	t.Parallel()
	for _, c := range crashCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			p := c.build(w).Plan()
			allPure(p)
			c.check(t, fermatatest.Crash(t, p, input, c.options(w)...))
		})
	}
}

// Where somebody else writes meanwhile, what was calculated and is not stored is forgotten and calculated again.
func TestJ3_CalculationsAreMadeAgainAfterAConflict(t *testing.T) {
	var rt *fermata.Runtime
	var visits calls
	visit := func(meddle bool) graph.Func[state] {
		return func(ctx node.Context, s state) (state, error) {
			if visits.add(ctx.Info().Task()); meddle && visits.add("meddled") == 1 {
				open, err := rt.Inbox(ctx, journal.InboxFilter{Run: ctx.Info().Run})
				if err == nil {
					err = rt.Claim(ctx, open[0].ID, "ada", "")
				}
				if err != nil {
					return s, err
				}
			}
			return logged(ctx, s)
		}
	}
	g := graph.New[state]("contended").
		Node("ask", func(ctx node.Context, s state) (state, error) {
			_, err := node.Ask[bool](ctx, nil) // which nobody waits for
			return s, err
		}).
		Node("act", visit(false)).
		Node("b", visit(false), graph.Pure()).Node("c", visit(false), graph.Pure()).Node("d", visit(true), graph.Pure()).
		Node("last", visit(false)).
		Edge(graph.Start, "ask").Edge("ask", "act").Edge("act", "b").Edge("b", "c").Edge("c", "d").Edge("d", "last").MustCompile()
	rt, store := inMemory(t)
	run := start(t, rt, g, state{})
	if diff := cmp.Diff([]string{"act#1", "b#1", "c#1", "d#1", "last#1"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	want := []string{"act#1: 1", "b#1: 2", "c#1: 2", "d#1: 2", "last#1: 1", "meddled: 2"}
	if diff := cmp.Diff(want, visits.lines()); diff != "" {
		t.Errorf("visits (-want +got):\n%s", diff)
	}
	all := lines(t, store, run.ID())
	if i := slices.Index(all, "interrupt.updated ask#1 claim"); i < 0 || count(all[:i], "node.finished b#1") > 0 || count(all, "node.finished b#1") != 1 {
		t.Errorf("the claim is not where b was about to be stored:\n%q", all)
	}
}

// A run that is cancelled while it calculates is over, and what was calculated is not.
func TestF3_CancelledWhileCalculating(t *testing.T) {
	var rt *fermata.Runtime
	g := graph.New[state]("cancelled").
		Node("a", logged, graph.Pure()).
		Node("b", logged, graph.Pure()).
		Node("c", func(ctx node.Context, s state) (state, error) {
			if err := rt.Cancel(context.WithoutCancel(ctx), ctx.Info().Run, "enough", "ada"); err != nil {
				return s, err
			}
			return logged(ctx, s)
		}, graph.Pure()).
		Node("d", func(ctx node.Context, s state) (state, error) { t.Error("d was begun"); return s, nil }).
		Edge(graph.Start, "a").Edge("a", "b").Edge("b", "c").Edge("c", "d").MustCompile()
	rt, store := inMemory(t)
	run := start(t, rt, g, state{})
	ends(t, run, fermata.Cancelled)
	all := lines(t, store, run.ID())
	if got := all[len(all)-1]; got != "run.finished enough cancelled" {
		t.Errorf("the journal ends with %q:\n%q", got, all)
	}
}

// A loop of calculations is stored piece by piece, so that a crash costs few of them.
func TestJ2_LongCalculationsAreStoredInPieces(t *testing.T) {
	const rounds = 1000
	store := &batches{Store: memory.New()}
	rt := newRuntime(t, fermata.Options{Store: store})
	g := graph.New[state]("loop").
		Node("a", func(_ node.Context, s state) (state, error) { s.N++; return s, nil }, graph.Pure()).
		Edge(graph.Start, "a").
		Route("a", func(_ node.Context, s state) (string, error) {
			if s.N < rounds {
				return "a", nil
			}
			return graph.End, nil
		}, "a", graph.End).MustCompile()
	ends(t, start(t, rt, g, state{}), fermata.Completed)
	all, largest := 0, slices.Max(store.sizes)
	for _, n := range store.sizes {
		all += n
	}
	if all < 2*rounds || largest > 160 || len(store.sizes) > all/100 {
		t.Errorf("%d entries in %d appends, at most %d at once", all, len(store.sizes), largest)
	}
}

// What was calculated when a program is told to stop is stored before it does.
func TestF3_StoppedWhileCalculating(t *testing.T) {
	store := memory.New()
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	hold := newGate()
	var stopping atomic.Bool
	g := graph.New[state]("stopped").
		Node("a", logged, graph.Pure()).Node("b", logged, graph.Pure()).
		Node("c", func(ctx node.Context, s state) (state, error) {
			if stopping.CompareAndSwap(false, true) {
				if err := hold.pass(ctx); err != nil {
					return s, err
				}
			}
			return logged(ctx, s)
		}, graph.Pure()).
		Edge(graph.Start, "a").Edge("a", "b").Edge("b", "c").MustCompile()
	run := start(t, rt, g, state{})
	hold.waitEntered(t)
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	if all := lines(t, store, run.ID()); count(all, "node.finished b#1") != 1 || count(all, "node.finished c#1") != 0 {
		t.Errorf("the journal: %q", all)
	}
	again := newRuntime(t, fermata.Options{Store: store})
	if diff := cmp.Diff([]string{"a#1", "b#1", "c#1"}, ends(t, resume(t, again, g, run.ID()), fermata.Completed).State.Log); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}
