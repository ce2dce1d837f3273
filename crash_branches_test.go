package fermata_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// branchCases are graphs with branches that crashes, faults and meddlers are tried on. What people say to a question
// follows from who asks.
var branchCases = []struct {
	name  string
	build func(w *world) *graph.Graph[team]
	once  []string
}{
	{name: "nested forks", build: func(w *world) *graph.Graph[team] {
		inner := diamond(stepsIn(w, "inner left"), asksFor("inner right"))
		return graph.New[team]("nested").Node("a", stepsIn(w, "a")).Node("b", stepsIn(w, "b")).Node("c", asksFor("c")).Sub("d", inner).
			Node("bc", says("bc"), graph.All()).Node("all", stepsIn(w, "all"), graph.All()).
			Edge(graph.Start, "a").Edge("a", "b", "d").Edge("b", "c", "e").Node("e", stepsIn(w, "e")).
			Edge("c", "bc").Edge("e", "bc").Edge("bc", "all").Edge("d", "all").MustCompile()
	}},
	{name: "a join in a loop", build: func(w *world) *graph.Graph[team] {
		return graph.New[team]("rounds").Node("head", says("head")).Node("b", stepsIn(w, "b")).Node("c", asksFor("c")).
			Node("join", says("join"), graph.All()).
			Edge(graph.Start, "head").Edge("head", "b", "c").Edge("b", "join").Edge("c", "join").
			Route("join", func(_ node.Context, s team) (string, error) {
				if s.Sum < 4 {
					return "head", nil
				}
				return graph.End, nil
			}, "head", graph.End).MustCompile()
	}},
	{name: "a map with a limit, retries, sleeps and questions", build: func(w *world) *graph.Graph[team] {
		child := graph.New[team]("item").Node("work", item(func(ctx node.Context, name string) (string, error) {
			if _, err := w.step(ctx, "work on "+name); err != nil {
				return "", err
			}
			switch name {
			case "sleeps":
				return name, node.Sleep(ctx, time.Hour)
			case "fails":
				if ctx.Info().Attempt < 2 {
					return "", errors.New("not yet")
				}
			case "asks":
				return node.Interrupt[string](ctx, name)
			}
			return name, nil
		}), graph.Retry(2, time.Minute)).Node("after", stepsIn(w, "after")).Edge(graph.Start, "work").Edge("work", "after").MustCompile()
		return mapTeams(graph.New[team]("map").Node("list", func(_ node.Context, s team) (team, error) {
			s.Log = []string{"sleeps", "asks", "fails", "works"}
			return s, nil
		}), "each", child, graph.Limit(2)).Edge(graph.Start, "list").Edge("list", "each").MustCompile()
	}},
	{name: "a map that keeps failures", build: func(w *world) *graph.Graph[team] {
		child := diamond(asksFor("left"), item(func(ctx node.Context, name string) (string, error) {
			if _, err := w.step(ctx, "right of "+name); err != nil {
				return "", err
			}
			if name == "bad" {
				return "", errors.New("bad")
			}
			return name, nil
		}))
		b := graph.New[team]("keep").Node("list", func(_ node.Context, s team) (team, error) {
			s.Log = []string{"good", "bad"}
			return s, nil
		})
		graph.MapKeep(b, "each", itemsOf, child, func(s team, done []graph.Item[team]) (team, error) {
			s.Log = nil
			for _, one := range done {
				s.Log = append(s.Log, fmt.Sprint(one.Value.Log, one.Err))
			}
			return s, nil
		})
		return b.Edge(graph.Start, "list").Edge("list", "each").MustCompile()
	}},
	{name: "a map that is tried again", build: func(w *world) *graph.Graph[team] {
		child := diamond(func(ctx node.Context, s team) (team, error) {
			if s.Left == "good" {
				return asksFor("left")(ctx, s)
			}
			return stepsIn(w, "left of "+s.Left)(ctx, s)
		}, func(ctx node.Context, s team) (team, error) {
			if _, err := w.step(ctx, "right of "+s.Left); err != nil {
				return s, err
			}
			if s.Left == "bad" && ctx.Info().Attempt < 3 {
				return s, errors.New("bad")
			}
			return s, nil
		})
		return mapTeams(graph.New[team]("again").Node("list", func(_ node.Context, s team) (team, error) {
			s.Log = []string{"good", "bad"}
			return s, nil
		}), "each", child, graph.Retry(3, time.Minute), graph.Limit(1)).Edge(graph.Start, "list").Edge("list", "each").MustCompile()
	}},
	{name: "a subgraph in a branch that fails, with an error edge", build: func(w *world) *graph.Graph[team] {
		inner := diamond(stepsIn(w, "inner"), func(ctx node.Context, s team) (team, error) {
			_, err := w.step(ctx, "before the failure")
			return s, errors.Join(err, errors.New("no"))
		})
		return graph.New[team]("errors").Sub("sub", around(inner)).Node("asks", asksFor("asks")).Node("mends", stepsIn(w, "mends")).
			Node("join", says("join"), graph.All()).
			Edge(graph.Start, "sub", "asks").Edge("sub", "join").Edge("asks", "join").Edge("mends", "join").OnError("sub", "mends").MustCompile()
	}},
	{name: "a failing fork and a question", build: func(w *world) *graph.Graph[team] {
		return diamond(asksFor("left"), func(ctx node.Context, s team) (team, error) {
			_, err := w.step(ctx, "right")
			return s, errors.Join(err, errors.New("no"))
		})
	}},
	{name: "steps that happen once at most", once: []string{"charge", "book"}, build: func(w *world) *graph.Graph[team] {
		once := func(name string) graph.Func[team] {
			return func(ctx node.Context, s team) (team, error) {
				_, err := w.step(ctx, name, node.AtMostOnce())
				s.Log = append(s.Log, name)
				return s, err
			}
		}
		return diamond(once("charge"), once("book"))
	}},
	{name: "streams of the same name", build: func(w *world) *graph.Graph[team] {
		tells := func(name string) graph.Func[team] {
			return func(ctx node.Context, s team) (team, error) {
				if err := streams(ctx, "answer", name, " says", " so"); err != nil {
					return s, err
				}
				_, err := w.step(ctx, name)
				return s, err
			}
		}
		return diamond(tells("left"), tells("right"))
	}},
	{name: "a gate that asks, behind a subgraph", build: func(w *world) *graph.Graph[team] {
		b := graph.New[team]("gated").Sub("sub", diamond(stepsIn(w, "l"), stepsIn(w, "r"))).Node("beside", stepsIn(w, "beside")).
			Node("x", says("x")).Node("y", says("y")).Node("join", says("join"), graph.All())
		b.RouteMany("sub", func(ctx node.Context, _ team) ([]string, error) {
			if _, err := w.step(ctx, "in the gate"); err != nil {
				return nil, err
			}
			_, err := node.Interrupt[string](ctx, "where to?")
			return []string{"y", "x"}, err
		}, "x", "y", graph.End)
		return b.Edge(graph.Start, "sub", "beside").Edge("beside", "join").Edge("x", "join").Edge("y", "join").MustCompile()
	}},
	{name: "a deadline that routes beside a sleep", build: func(w *world) *graph.Graph[team] {
		return graph.New[team]("times").Node("asks", asksFor("silence", node.Within(time.Hour), node.OrRoute("late"))).
			Node("late", stepsIn(w, "late")).Node("sleeps", func(ctx node.Context, s team) (team, error) {
			if _, err := w.step(ctx, "before"); err != nil {
				return s, err
			}
			if err := node.Sleep(ctx, time.Hour); err != nil {
				return s, err
			}
			_, err := w.step(ctx, "behind")
			return s, err
		}).Node("join", says("join"), graph.All()).Edge(graph.Start, "asks", "sleeps").Edge("asks", "join").Edge("late", "join").
			Edge("sleeps", "join").OnDeadline("asks", "late").MustCompile()
	}},
	{name: "cached nodes in a pool", build: func(w *world) *graph.Graph[team] {
		child := graph.Of("look up", stepsIn(w, "look up"), graph.Cache("1"), graph.Pool("library")).MustCompile()
		return mapTeams(graph.New[team]("cached").Node("list", func(_ node.Context, s team) (team, error) {
			s.Log = []string{"x", "y", "x", "x"}
			return s, nil
		}), "each", child, graph.Limit(1)).Edge(graph.Start, "list").Edge("list", "each").MustCompile()
	}},
	{name: "a run that fails fast", build: func(w *world) *graph.Graph[team] {
		return graph.New[team]("fast").FailFast().Node("waits", func(ctx node.Context, s team) (team, error) {
			<-ctx.Done()
			return s, ctx.Err()
		}).Node("asks", asksFor("asks")).Node("fails", func(ctx node.Context, s team) (team, error) {
			_, err := w.step(ctx, "last deed")
			time.Sleep(20 * time.Millisecond) // the question is there by then, also after a crash
			return s, errors.Join(err, errors.New("no luck"))
		}).Edge(graph.Start, "waits", "asks", "fails").MustCompile()
	}},
}

// said is what people say to a question in a branch.
func said(q fermata.Interrupt) any {
	if q.Deadline != 0 {
		return fermatatest.NoAnswer
	}
	return "to " + q.Task
}

func teamInput() any { return &team{} }

// Wherever a process dies, branches, joins and maps come to the same end.
func TestJ4_CrashBranchesAtEveryAppend(t *testing.T) {
	t.Parallel()
	for _, c := range branchCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			report := fermatatest.Crash(t, c.build(w).Plan(), teamInput, fermatatest.Effects(w.effects),
				fermatatest.AnswerFunc(said), fermatatest.OnlyOnce(c.once...))
			t.Logf("%d appends, %d crashes, %s", len(report.Appends), report.Crashes, report.Result.Status)
		})
	}
}

// The same on disk, at some of the places.
func TestJ4_CrashBranchesOnSQLite(t *testing.T) {
	t.Parallel()
	stride := 5
	switch {
	case exploring():
		stride = 1
	case lawtest.Racing:
		stride = 17
	}
	for _, c := range branchCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			fermatatest.Crash(t, c.build(w).Plan(), teamInput, fermatatest.Effects(w.effects), fermatatest.AnswerFunc(said),
				fermatatest.OnlyOnce(c.once...), fermatatest.Every(stride), fermatatest.On(func(dir string) (journal.Store, error) {
					return sqlite.OpenWith(filepath.Join(dir, "runs.db"), sqlite.Options{Sync: sqlite.Normal})
				}))
		})
	}
}
