package fermata_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// move is a plan whose nodes have other names, while a run waits in one of them.
type move struct {
	name  string
	old   build
	now   build
	nodes map[string]string
	want  []string
}

func moves(w *calls) []move {
	inner := graph.New[state]("inner").Node("x", logged).Node("y", steps(w)).Edge(graph.Start, "x").Edge("x", "y").MustCompile()
	renamed := graph.New[state]("inner").Node("x", logged).Node("z", steps(w)).Edge(graph.Start, "x").Edge("x", "z").MustCompile()
	withSub := func(name string, sub *graph.Graph[state]) build {
		return func(b *graph.Builder[state]) *graph.Builder[state] {
			return b.Node("a", logged).Sub(name, sub).Node("c", logged).Edge("a", name).Edge(name, "c")
		}
	}
	return []move{
		{
			"a node",
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Node("b", steps(w)).Node("c", logged).Edge("a", "b").Edge("b", "c")
			},
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Node("review", steps(w)).Node("d", logged).Edge("a", "review").Edge("review", "d")
			},
			map[string]string{"b": "review"},
			[]string{"a#1", "first ", "yes", "second ", "d#1"},
		},
		{
			"two nodes that change places",
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Node("b", steps(w)).Node("c", logged).Edge("a", "b").Edge("b", "c")
			},
			func(b *graph.Builder[state]) *graph.Builder[state] {
				return b.Node("a", logged).Node("c", steps(w)).Node("b", logged).Edge("a", "c").Edge("c", "b")
			},
			map[string]string{"b": "c", "c": "b"},
			[]string{"a#1", "first ", "yes", "second ", "b#2"}, // the run has had a b#1
		},
		{
			"a subgraph, with what is in it",
			withSub("s", inner), withSub("t", inner),
			map[string]string{"s": "t"},
			[]string{"a#1", "s/x#1", "first ", "yes", "second ", "c#1"},
		},
		{
			"a node in a subgraph",
			withSub("s", inner), withSub("s", renamed),
			map[string]string{"s/y": "s/z"},
			[]string{"a#1", "s/x#1", "first ", "yes", "second ", "c#1"},
		},
		{
			"a subgraph, and a node in it",
			withSub("s", inner), withSub("t", renamed),
			map[string]string{"s": "t", "s/y": "t/z"},
			[]string{"a#1", "s/x#1", "first ", "yes", "second ", "c#1"},
		},
	}
}

// A run that waits in a node goes on in the node that a migration names, with its recorded steps and its question;
// also after it was read again, and in a fork.
func TestJ8_AMigrationMapsNames(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		var w calls
		for _, tt := range moves(&w) {
			t.Run(tt.name, func(t *testing.T) {
				first := runtimeOn(t, s)
				old, now := compile(tt.old), compile(tt.now)
				run := start(t, first, old, state{})
				q := question(t, run)
				if err := first.Close(); err != nil {
					t.Fatal(err)
				}
				rt := runtimeOn(t, s)
				_, err := rt.Replan(t.Context(), run.ID(), now.Plan(), "")
				if tt.nodes["c"] == "" {
					refused(t, err, refusal{fermata.CodePlanChanged, fermata.ErrPlanChanged})
				}
				m := plan.Migration{Nodes: tt.nodes}
				fork := forked(t, rt, now, run.ID(), fermata.ForkOptions{Migration: m, Hold: true})
				before := w.all()["first "]
				if tt.nodes["c"] == "" {
					if _, err = rt.Migrate(t.Context(), run.ID(), now.Plan(), m, "def_2"); err != nil {
						t.Fatal(err)
					}
				} else {
					_ = rt.Close()
					other := start(t, runtimeOn(t, s), old, state{})
					q = question(t, other)
					_ = other.Stop(0)
					run, rt = other, runtimeOn(t, s)
					if _, err = rt.Migrate(t.Context(), run.ID(), now.Plan(), m, "def_2"); err != nil {
						t.Fatal(err)
					}
					before = w.all()["first "]
				}
				asked, err := rt.Inbox(t.Context(), journal.InboxFilter{ID: q.ID})
				if err != nil || len(asked) != 1 || asked[0].Task != m.Path(nodeOf(q.Task))+"#1" {
					t.Fatalf("the inbox has %+v, %v", asked, err)
				}
				if err := rt.Close(); err != nil {
					t.Fatal(err)
				}
				rt = runtimeOn(t, s)
				for _, id := range []string{run.ID(), fork.ID()} {
					moved := resume(t, rt, now, id)
					answer(t, rt, question(t, moved).ID, "yes")
					if diff := cmp.Diff(tt.want, ends(t, moved, fermata.Completed).State.Log); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
				}
				if again := w.all()["first "] - before; again != 0 {
					t.Errorf("a recorded step happened %d times more", again)
				}
				info, err := rt.Info(t.Context(), run.ID())
				if err != nil || info.Fingerprint != now.Plan().Fingerprint() || info.Definition != "def_2" {
					t.Errorf("the row is %+v, %v", info, err)
				}
			})
		}
	})
}

// A migration that names what is not there is refused, all of it at once, with the nearest names; what still has no
// place is said like without one.
func TestJ8_AWrongMigrationIsRefused(t *testing.T) {
	store := memory.New()
	first := newRuntime(t, fermata.Options{Store: store})
	run := start(t, first, compile(chainABC), state{})
	question(t, run)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	rt := newRuntime(t, fermata.Options{Store: store})
	now := compile(func(b *graph.Builder[state]) *graph.Builder[state] {
		return b.Node("a", logged).Node("review", asking).Edge("a", "review")
	})
	before := lines(t, store, run.ID())
	_, err := rt.Migrate(t.Context(), run.ID(), now.Plan(), plan.Migration{Nodes: map[string]string{"b": "reviwe", "x": "a", "c": "a"}}, "")
	known, ok := errors.AsType[*fermata.Error](err)
	want := "migration: b -> reviwe: the new plan has no node \"reviwe\"; did you mean \"review\"?\n" +
		"x -> a: the old plan has no node \"x\"\nx -> a: \"c\" goes there already"
	if !ok || known.Code != fermata.CodeInvalid || known.Err.Error() != want {
		t.Errorf("found:\n%v\nwant:\n%s", err, want)
	}
	_, err = rt.Migrate(t.Context(), run.ID(), now.Plan(), plan.Migration{Nodes: map[string]string{"c": "review"}}, "")
	refused(t, err, refusal{fermata.CodePlanChanged, fermata.ErrPlanChanged})
	_, err = rt.Migrate(t.Context(), run.ID(), now.Plan(), plan.Migration{Nodes: map[string]string{"b": "a"}}, "")
	refused(t, err, refusal{fermata.CodePlanChanged, fermata.ErrPlanChanged})
	if changed, ok := errors.AsType[*fermata.PlanChangedError](err); !ok || changed.Reason != "task b#1 would be a#1, and the run has had "+
		"a task of that name: let the plan have another name for the node" {
		t.Errorf("the reason is %v", err)
	}
	if diff := cmp.Diff(before, lines(t, store, run.ID())); diff != "" {
		t.Errorf("the journal changed:\n%s", diff)
	}
}

// A migration of a run that has failed takes its failed task up, in the node that it names (law F2).
func TestJ8_AMigrationOfAFailedRunRetriesIt(t *testing.T) {
	rt, store := inMemory(t)
	old := compile(func(b *graph.Builder[state]) *graph.Builder[state] {
		return b.Node("a", logged).Node("b", func(_ node.Context, s state) (state, error) { return s, errors.New("no") }).Edge("a", "b")
	})
	now := compile(func(b *graph.Builder[state]) *graph.Builder[state] {
		return b.Node("a", logged).Node("c", logged).Edge("a", "c")
	})
	run := start(t, rt, old, state{})
	ends(t, run, fermata.Failed)
	if _, err := rt.Migrate(t.Context(), run.ID(), now.Plan(), plan.Migration{Nodes: map[string]string{"b": "c"}}, ""); err != nil {
		t.Fatal(err)
	}
	standsAt(t, rt, run.ID(), fermata.Completed)
	var reasons []string
	for _, e := range entries(t, store, run.ID()) {
		if e.Kind == journal.RunResumed {
			reasons = append(reasons, bodyOf[journal.ResumedBody](t, &e).Reason)
		}
	}
	if diff := cmp.Diff([]string{"retry"}, reasons); diff != "" {
		t.Errorf("the run was resumed (-want +got):\n%s", diff)
	}
}

// A migration that gives two members of a state one name is refused: one of the two would be gone.
func TestJ8_AMigrationDropsNoMember(t *testing.T) {
	id, store, _ := pausedOn(t, asksAbout[billMore]())
	before := lines(t, store, id)
	rt := newRuntime(t, fermata.Options{Store: store})
	_, err := rt.Migrate(timeLimit(t), id, asksAbout[bill](), plan.Migration{Values: map[string]string{"Tip": "Amount"}}, "")
	if err == nil || !strings.Contains(err.Error(), `two values would be called "Amount"`) {
		t.Errorf("the error is %v", err)
	}
	if diff := cmp.Diff(before, lines(t, store, id)); diff != "" {
		t.Errorf("the journal changed:\n%s", diff)
	}
}

// Timers move with their tasks: each is there once, and wakes the run.
func TestJ8_TimersMoveWithTheirTasks(t *testing.T) {
	plans := func(name string) *graph.Graph[state] {
		return compile(func(b *graph.Builder[state]) *graph.Builder[state] {
			return b.Node("a", logged).Node(name, func(ctx node.Context, s state) (state, error) {
				if err := node.Sleep(ctx, time.Hour); err != nil {
					return s, err
				}
				if ctx.Info().Attempt == 1 {
					return s, errors.New("not yet")
				}
				return logged(ctx, s)
			}, graph.Retry(2, time.Hour)).Edge("a", name)
		})
	}
	store, c := memory.New(), newClock()
	names := []string{"b", "sleeper", "dreamer", "waker"}
	id := ""
	for i, name := range names {
		rt := newRuntime(t, fermata.Options{Store: store, Clock: c})
		g := plans(name)
		switch i {
		case 0:
			id = start(t, rt, g, state{}).ID()
		default:
			m := plan.Migration{Nodes: map[string]string{names[i-1]: name}}
			if _, err := rt.Migrate(t.Context(), id, g.Plan(), m, ""); err != nil {
				t.Fatal(err)
			}
		}
		want := name + "#1 sleep:sleep#1"
		if i == 2 {
			c.Advance(time.Hour)
			want = "retry " + name + "#1"
		}
		if i == 3 {
			want = "retry " + name + "#1"
		}
		var found []string
		eventually(t, want, func() bool {
			timers, err := store.Timers(t.Context(), math.MaxInt64, 0)
			if err != nil {
				t.Fatal(err)
			}
			found = nil
			for _, timer := range timers {
				found = append(found, timer.ID)
			}
			return cmp.Equal([]string{want}, found)
		})
		if i < len(names)-1 {
			if err := rt.Close(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		run := resume(t, rt, g, id)
		c.Advance(time.Hour)
		if diff := cmp.Diff([]string{"a#1", "waker#1"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// The idempotency key of a task that is open stays the same when a migration gives its node, or the subgraph around it,
// another name, also twice: what it had begun to do outside is known there by that key.
func TestJ5_AKeyOutlivesARename(t *testing.T) {
	var keys calls
	asks := func(ctx node.Context, s state) (state, error) {
		keys.add(node.IdempotencyKey(ctx))
		_, err := node.Interrupt[bool](ctx, nil, node.ID("q"))
		return s, err
	}
	g := func(sub, name string) *graph.Graph[state] {
		inner := graph.New[state]("inner").Node(name, asks).Edge(graph.Start, name).MustCompile()
		return graph.New[state]("outer").Sub(sub, inner).Edge(graph.Start, sub).MustCompile()
	}
	store := memory.New()
	rt := newRuntime(t, fermata.Options{Store: store})
	run := start(t, rt, g("s", "pay"), state{})
	q := question(t, run)
	for _, nodes := range []map[string]string{{"s/pay": "s/charge"}, {"s": "t", "s/charge": "t/charge"}} {
		_ = rt.Close()
		rt = newRuntime(t, fermata.Options{Store: store})
		now := g("s", "charge")
		if nodes["s"] != "" {
			now = g("t", "charge")
		}
		moved, err := rt.Migrate(t.Context(), run.ID(), now.Plan(), plan.Migration{Nodes: nodes}, "")
		if err != nil {
			t.Fatal(err)
		}
		run = resume(t, rt, now, moved.ID())
		ends(t, run, fermata.Paused)
	}
	answer(t, rt, q.ID, true)
	ends(t, run, fermata.Completed)
	if all := keys.all(); len(all) != 1 || all[run.ID()+"/s/pay#1"] < 2 {
		t.Errorf("the keys were %v, expected %s/s/pay#1 each time", all, run.ID())
	}
}
