package fermata_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// mapTeams adds a map over teams: one item for each entry of the log, which becomes the item's Left. The logs of the
// results are put behind each other, in order.
func mapTeams(b *graph.Builder[team], name string, child *graph.Graph[team], opts ...graph.NodeOption) *graph.Builder[team] {
	return graph.Map(b, name, itemsOf, child, func(s team, done []team) (team, error) {
		s.Log = nil
		for _, one := range done {
			s.Log = append(s.Log, one.Log...)
		}
		return s, nil
	}, opts...)
}

func itemsOf(s team) ([]team, error) {
	var items []team
	for _, name := range s.Log {
		items = append(items, team{Left: name})
	}
	return items, nil
}

// item is a node of an item: it notes the item's name.
func item(f func(ctx node.Context, name string) (string, error)) graph.Func[team] {
	return func(ctx node.Context, s team) (team, error) {
		said, err := f(ctx, s.Left)
		if err == nil {
			s.Log = append(s.Log, said)
		}
		return s, err
	}
}

// An item that fails is tried again by itself: the others are not.
func TestG5_AnItemIsTriedAgainByItself(t *testing.T) {
	w := newWorld()
	child := graph.Of("write", item(func(ctx node.Context, name string) (string, error) {
		if _, err := w.step(ctx, name); err != nil {
			return "", err
		}
		w.effect(ctx, "pass "+name)
		if attempt := ctx.Info().Attempt; name == "b" && attempt < 3 {
			return "", fmt.Errorf("not at attempt %d", attempt)
		}
		return fmt.Sprintf("%s %d", name, ctx.Info().Attempt), nil
	}), graph.Retry(3, time.Microsecond)).MustCompile()
	g := mapTeams(graph.New[team]("items"), "map", child).Edge(graph.Start, "map").MustCompile()
	rt, store := inMemory(t)
	run := startTeam(t, rt, g, team{Log: []string{"a", "b", "c"}})
	if diff := cmp.Diff([]string{"a 1", "b 3", "c 1"}, teamEnds(t, run, fermata.Completed).State.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := map[string]int{"a": 1, "b": 1, "c": 1, "pass a": 1, "pass b": 3, "pass c": 1}
	if diff := cmp.Diff(want, w.effects()); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	if n := count(lines(t, store, run.ID()), "node.retrying map#1.2/write#1"); n != 2 {
		t.Errorf("the item was tried again %d times: %q", n, lines(t, store, run.ID()))
	}
}

// Items whose subgraphs fork, ask and join wait for people by themselves: each is answered alone, in any order, also
// after a restart, and the results come in the order of the items.
func TestG5_ItemsAskByThemselves(t *testing.T) {
	ask := item(func(ctx node.Context, name string) (string, error) { return node.Interrupt[string](ctx, name) })
	child := diamond(ask, item(func(_ node.Context, name string) (string, error) { return "beside " + name, nil }))
	g := mapTeams(graph.New[team]("items"), "map", child, graph.Limit(4)).Edge(graph.Start, "map").MustCompile()
	want := []string{
		"a", "says map#1.1/left#1", "beside x", "join", "a", "says map#1.2/left#1", "beside y", "join",
		"a", "says map#1.3/left#1", "beside z", "join",
	}
	onStores(t, func(t *testing.T, s journal.Store) {
		for _, anew := range []bool{false, true} {
			rt := newRuntime(t, fermata.Options{Store: s})
			run := startTeam(t, rt, g, team{Log: []string{"x", "y", "z"}})
			open := teamEnds(t, run, fermata.Paused).Interrupts
			slices.Reverse(open)
			for n, q := range open {
				if n == 1 && anew {
					rt, run = restart(t, rt, s, g, run.ID())
				}
				answer(t, rt, q.ID, "says "+q.Task)
			}
			if diff := cmp.Diff(want, teamEnds(t, run, fermata.Completed).State.Log); diff != "" {
				t.Errorf("anew %t (-want +got):\n%s", anew, diff)
			}
		}
	})
}

// Maps lie in each other: the items of an inner map are those of one item of the outer one.
func TestG5_AMapInAMap(t *testing.T) {
	var most, now atomic.Int32
	leaf := graph.Of("leaf", item(func(ctx node.Context, name string) (string, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(100 * time.Microsecond)
		return ctx.Info().Task() + " " + name, nil
	})).MustCompile()
	inner := mapTeams(graph.New[team]("inner").Node("split", func(_ node.Context, s team) (team, error) {
		s.Log = strings.Split(s.Left, "")
		return s, nil
	}), "in", leaf, graph.Limit(2)).Edge(graph.Start, "split").Edge("split", "in").MustCompile()
	g := mapTeams(graph.New[team]("outer"), "out", inner, graph.Limit(2)).Edge(graph.Start, "out").MustCompile()
	got := both(t, g, team{Log: []string{"ab", "c", "def"}})
	want := []string{
		"out#1.1/in#1.1/leaf#1 a", "out#1.1/in#1.2/leaf#1 b", "out#1.2/in#1.1/leaf#1 c",
		"out#1.3/in#1.1/leaf#1 d", "out#1.3/in#1.2/leaf#1 e", "out#1.3/in#1.3/leaf#1 f",
	}
	if diff := cmp.Diff(want, got.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := most.Load(); n > 4 {
		t.Errorf("%d items were at work at once; at most 2 of 2 may be", n)
	}
}

var errRotten = errors.New("rotten")

// A map that keeps failures gives them in their place, and withdraws what failed items still ask; those that are done
// are not run again.
func TestG5_FailuresAreKeptInTheirPlace(t *testing.T) {
	w := newWorld()
	hold := newGate()
	child := diamond(item(func(ctx node.Context, name string) (string, error) {
		if name == "good" {
			return w.step(ctx, name)
		}
		return node.Interrupt[string](ctx, name)
	}), item(func(ctx node.Context, name string) (string, error) {
		if name == "bad" {
			return "", errors.Join(hold.pass(ctx), node.Terminal(errRotten))
		}
		return "", nil
	}))
	b := graph.New[team]("keep")
	graph.MapKeep(b, "map", itemsOf, child, func(s team, done []graph.Item[team]) (team, error) {
		s.Log = nil
		for _, one := range done {
			if one.Err != nil {
				s.Log = append(s.Log, "failed: "+one.Err.Error())
				continue
			}
			s.Log = append(s.Log, one.Value.Left)
		}
		return s, nil
	})
	g := b.Edge(graph.Start, "map").MustCompile()
	rt, store := inMemory(t)
	run := startTeam(t, rt, g, team{Log: []string{"good", "bad", "asks"}})
	waitForQuestions(t, rt, run.ID(), 2)
	close(hold.open)
	open := teamEnds(t, run, fermata.Paused).Interrupts
	if len(open) != 1 || open[0].Task != "map#1.3/left#1" {
		t.Fatalf("what is still asked: %+v", open)
	}
	rt, run = restart(t, rt, store, g, run.ID())
	answer(t, rt, open[0].ID, "yes")
	want := []string{"good", "failed: rotten", "asks"}
	if diff := cmp.Diff(want, teamEnds(t, run, fermata.Completed).State.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := w.effects()["good"]; n != 1 {
		t.Errorf("the good item ran %d times", n)
	}
}

// A gate that chooses several targets may choose the end among them.
func TestF6_AGateChoosesTheEndAndMore(t *testing.T) {
	for _, chosen := range [][]string{{graph.End}, {graph.End, "x"}, {"x", graph.End, "y"}, {"x", "x"}} {
		b := graph.New[team]("ends").Node("plan", says("plan")).Node("x", says("x")).Node("y", says("y")).Node("join", says("join"), graph.All())
		b.RouteMany("plan", func(node.Context, team) ([]string, error) { return chosen, nil }, "x", "y", graph.End)
		g := b.Edge(graph.Start, "plan").Edge("x", "join").Edge("y", "join").MustCompile()
		got := both(t, g, team{})
		want := []string{"plan"}
		for _, name := range []string{"x", "y"} {
			if slices.Contains(chosen, name) {
				want = append(want, name)
			}
		}
		if len(want) > 1 {
			want = append(want, "join")
		}
		if diff := cmp.Diff(want, got.Log); diff != "" {
			t.Errorf("chosen %q (-want +got):\n%s", chosen, diff)
		}
	}
}

// A node that runs for each branch sends each on; a node behind it takes all of them.
func TestG3_EachThenAll(t *testing.T) {
	g := graph.New[team]("eachall").Node("b", says("b")).Node("c", says("c")).Node("each", says("each"), graph.Each()).
		Node("all", says("all"), graph.All()).Edge(graph.Start, "b", "c").Edge("b", "each").Edge("c", "each").Edge("each", "all").MustCompile()
	got := both(t, g, team{})
	if diff := cmp.Diff(team{Log: []string{"b", "each", "c", "each", "all"}, Sum: 5}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A subgraph with a fork inside that two branches are in at the same time: their tokens do not meet.
func TestG6_ASubgraphIsEnteredTwiceAtOnce(t *testing.T) {
	meet := make(chan struct{}, 2)
	inner := diamond(func(ctx node.Context, s team) (team, error) {
		meet <- struct{}{}
		for len(meet) < 2 && ctx.Err() == nil {
			time.Sleep(50 * time.Microsecond)
		}
		s.Log = append(s.Log, "l of "+s.Left)
		return s, nil
	}, func(_ node.Context, s team) (team, error) {
		s.Log = append(s.Log, "r of "+s.Left)
		return s, nil
	})
	named := func(name string) graph.Func[team] {
		return func(_ node.Context, s team) (team, error) { s.Left = name; return s, nil }
	}
	b := graph.New[team]("twice").Node("x", named("x")).Node("y", named("y")).Sub("sub", inner, graph.Each()).
		Node("all", says("all"), graph.All(), graph.MergeWith(func(base team, branches []team) (team, error) {
			for _, one := range branches {
				base.Log = append(base.Log, one.Log...)
			}
			return base, nil
		}))
	g := b.Edge(graph.Start, "x", "y").Edge("x", "sub").Edge("y", "sub").Edge("sub", "all").MustCompile()
	run := func(stored bool) team {
		for len(meet) > 0 {
			<-meet
		}
		if !stored {
			s, err := g.Run(timeLimit(t), team{})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		rt, _ := inMemory(t)
		return teamEnds(t, startTeam(t, rt, g, team{}), fermata.Completed).State
	}
	want := []string{"a", "l of x", "r of x", "join", "a", "l of y", "r of y", "join", "all"}
	for _, stored := range []bool{false, true} {
		if diff := cmp.Diff(want, run(stored).Log); diff != "" {
			t.Errorf("stored %t (-want +got):\n%s", stored, diff)
		}
	}
}

// The gate of a subgraph's node may make steps, and somebody may write to the journal meanwhile.
func TestJ3_TheGateOfASubgraphMakesSteps(t *testing.T) {
	for name, add := range map[string]func(b *graph.Builder[team]){
		"one state": func(b *graph.Builder[team]) { b.Sub("sub", around(diamond(says("l"), says("r")))) },
		"as it is":  func(b *graph.Builder[team]) { b.Sub("sub", graph.Of("x", says("x")).MustCompile()) },
		"a map": func(b *graph.Builder[team]) {
			mapTeams(b, "sub", graph.Of("x", says("x")).MustCompile())
		},
		"mapped": func(b *graph.Builder[team]) {
			graph.SubOf(b, "sub", graph.Of("x", says("x")).MustCompile(),
				func(s team) (team, error) { return s, nil }, func(_ team, s team) (team, error) { return s, nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := journaltest.NewFaulty(memory.New())
			rt, other := newRuntime(t, fermata.Options{Store: store}), newRuntime(t, fermata.Options{Store: store})
			w := newWorld()
			var open string
			b := graph.New[team]("gated").Node("asks", asksFor("asks")).Node("next", says("next")).Node("join", says("join"), graph.All())
			add(b)
			b.Route("sub", func(ctx node.Context, _ team) (string, error) {
				if err := other.Claim(t.Context(), open, "Ada", ""); err != nil {
					return "", err
				}
				if _, err := w.step(ctx, "in the gate"); err != nil {
					return "", err
				}
				return "next", nil
			}, "next")
			g := b.Node("first", func(ctx node.Context, s team) (team, error) {
				open = waitForQuestions(t, rt, ctx.Info().Run, 1)[0].ID
				s.Log = append(s.Log, "first")
				return s, nil
			}).Edge(graph.Start, "asks", "first").Edge("first", "sub").Edge("next", "join").Edge("asks", "join").MustCompile()
			run := startTeam(t, rt, g, team{})
			res := teamEnds(t, run, fermata.Paused)
			answer(t, rt, res.Interrupts[0].ID, "yes", fermata.AsPerson("Ada"))
			log := teamEnds(t, run, fermata.Completed).State.Log
			if !slices.Contains(log, "next") || !slices.Contains(log, "asks yes") {
				t.Errorf("it ends with %q", log)
			}
			if diff := cmp.Diff(map[string]int{"in the gate": 1}, w.effects()); diff != "" {
				t.Errorf("effects (-want +got):\n%s", diff)
			}
			journalOf(t, store, run.ID())
		})
	}
}

// The gate of a subgraph's node may ask, as any other gate.
func TestN1_TheGateOfASubgraphAsks(t *testing.T) {
	for name, add := range map[string]func(b *graph.Builder[team]){
		"a node":     func(b *graph.Builder[team]) { b.Node("sub", says("x")) },
		"a subgraph": func(b *graph.Builder[team]) { b.Sub("sub", graph.Of("x", says("x")).MustCompile()) },
		"a map":      func(b *graph.Builder[team]) { mapTeams(b, "sub", graph.Of("x", says("x")).MustCompile()) },
		"a map of nothing": func(b *graph.Builder[team]) {
			graph.Map(b, "sub", func(team) ([]team, error) { return nil, nil }, graph.Of("x", says("x")).MustCompile(),
				func(s team, _ []team) (team, error) { return s, nil })
		},
		"a subgraph of another state": func(b *graph.Builder[team]) {
			graph.SubOf(b, "sub", graph.Of("y", func(_ node.Context, l letter) (letter, error) { return l, nil }).MustCompile(),
				func(team) (letter, error) { return letter{To: "x"}, nil },
				func(s team, l letter) (team, error) { return s, nil })
		},
	} {
		for _, how := range []string{"answered", "answered after a restart", "answered so that it fails", "late"} {
			t.Run(name+", "+how, func(t *testing.T) {
				clock := newClock()
				_, s := inMemory(t)
				rt := newRuntime(t, fermata.Options{Store: s, Clock: clock})
				w := newWorld()
				b := graph.New[team]("gated").Node("next", says("next")).Node("failed", says("failed"))
				add(b)
				b.Route("sub", func(ctx node.Context, _ team) (string, error) {
					if _, err := w.step(ctx, "look up"); err != nil {
						return "", err
					}
					said, err := node.Interrupt[string](ctx, "where to?", node.Within(time.Hour), node.OrRoute("next"))
					if err == nil && said == "fail" {
						return "", errors.New("once more")
					}
					return said, err
				}, "next", graph.End).OnError("sub", "failed").OnDeadline("sub", "next")
				g := b.Edge(graph.Start, "sub").MustCompile()
				run := startTeam(t, rt, g, team{Log: []string{"i"}})
				res := teamEnds(t, run, fermata.Paused)
				if how == "answered after a restart" {
					if err := rt.Close(); err != nil {
						t.Fatal(err)
					}
					rt = newRuntime(t, fermata.Options{Store: s, Clock: clock})
					var err error
					if run, err = g.Resume(timeLimit(t), rt, run.ID()); err != nil {
						t.Fatal(err)
					}
				}
				want := "next"
				switch how {
				case "late":
					clock.Advance(time.Hour)
				case "answered so that it fails":
					want = "failed"
					answer(t, rt, res.Interrupts[0].ID, "fail")
				default:
					answer(t, rt, res.Interrupts[0].ID, "next")
				}
				if log := teamEnds(t, run, fermata.Completed).State.Log; !slices.Contains(log, want) {
					t.Errorf("it ends with %q", log)
				}
				if n := w.effects()["look up"]; n != 1 {
					t.Errorf("the gate looked up %d times", n)
				}
				journalOf(t, s, run.ID())
			})
		}
	}
}
