package dataflow_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// explored is a graph that is run with a crash at every append, in many orders, and forked behind every entry.
type explored struct {
	name    string
	parts   func(t testing.TB, effect *calls) []dataflow.Part
	given   vals
	answers map[string][]any
	want    vals
	onDisk  bool
}

// effects is a node that has an effect in a step, and writes what came of it.
func effects(c *calls, name, input, output string) *dataflow.NodeDef {
	return dataflow.Func(name, output, func(ctx node.Context, in struct{ X string }) (string, error) {
		return node.Step(ctx, "do", func(node.Context) (string, error) {
			c.add(name)
			return in.X + " " + name, nil
		})
	}, dataflow.RenameInput("x", input))
}

// explorations are the graphs of the issue: loops, nested loops, maps, subgraphs, questions in loops, streams and skips.
var explorations = []explored{
	{
		name: "refine", given: vals{"prompt": "p"}, onDisk: true,
		parts: func(t testing.TB, c *calls) []dataflow.Part {
			return append(refine(3), effects(c, "publish", "draft", "published"))
		},
		want: vals{"draft": "p++", "score": 3, "feedback": "+++", "published": "p++ publish"},
	},
	{
		name: "order without data", given: vals{"p": "x", "q": "y"}, onDisk: true,
		parts: func(t testing.TB, c *calls) []dataflow.Part {
			return []dataflow.Part{
				effects(c, "charge", "p", "charged"), effects(c, "mail", "q", "mailed").With(dataflow.After("charge")),
				effects(c, "close", "q", "closed").With(dataflow.After("mail", "charge")),
			}
		},
		want: vals{"charged": "x charge", "mailed": "y mail", "closed": "y close"},
	},
	{
		name: "nested loops", given: vals{},
		parts: func(testing.TB, *calls) []dataflow.Part { return nested(2, 2) },
		want:  vals{"round": 2, "draft": 202, "steps": 4},
	},
	{
		name: "map", given: vals{"x": []string{"a", "b", "c"}}, onDisk: true,
		parts: func(t testing.TB, c *calls) []dataflow.Part {
			return []dataflow.Part{
				graphOf(t, effects(c, "one", "x", "y"), effects(c, "two", "y", "z")).Map("each", []string{"x"}, dataflow.Limit(2)),
				unary("join", "z", "all", func(z []string) string { return strings.Join(z, ",") }),
			}
		},
		want: vals{"y": []string{"a one", "b one", "c one"}, "z": []string{"a one two", "b one two", "c one two"}, "all": "a one two,b one two,c one two"},
	},
	{
		name: "subgraphs with a gate", given: vals{"pick": "a", "x": "x"},
		parts: func(t testing.TB, c *calls) []dataflow.Part {
			inner := graphOf(t, told("gate", "a", "b"), effects(c, "a", "x", "y"), effects(c, "b", "x", "z"))
			return []dataflow.Part{graphOf(t, inner.As("deep"), effects(c, "beside", "x", "w")).As("sub"), follow("with", "y", "end"), follow("without", "z", "never")}
		},
		want: vals{"y": "x a", "w": "x beside", "end": "x a with"},
	},
	{
		name: "a question in a loop", given: vals{}, onDisk: true, answers: map[string][]any{"ask": {"more", "better", "good"}},
		parts: func(t testing.TB, c *calls) []dataflow.Part {
			draft := dataflow.Func("draft", "text", func(ctx node.Context, in struct {
				Said string `json:"said,omitempty"`
			},
			) (string, error) {
				return node.Step(ctx, "write", func(node.Context) (string, error) { c.add("write"); return "after " + in.Said, nil })
			})
			return []dataflow.Part{
				draft, dataflow.Interrupt[string, string]("ask", "text", "said"),
				dataflow.Branch("good", func(_ node.Context, in struct{ Said string }) (bool, error) { return in.Said == "good", nil }, dataflow.End, draft),
			}
		},
		want: vals{"text": "after better", "said": "good"},
	},
	{
		name: "questions in items and beside", given: vals{"x": []string{"a", "b"}, "q": "q"}, answers: map[string][]any{"ask": {"side"}, "each/ask": {"first", "second"}},
		parts: func(t testing.TB, c *calls) []dataflow.Part {
			inner := graphOf(t, dataflow.Interrupt[string, string]("ask", "x", "said"), effects(c, "use", "said", "used"))
			return []dataflow.Part{
				inner.Map("each", []string{"x"}, dataflow.Limit(1)).With(dataflow.RenameOutput("said", "all")),
				dataflow.Interrupt[string, string]("ask", "q", "said"), follow("last", "said", "end"),
			}
		},
		want: vals{"all": []string{"first", "second"}, "used": []string{"first use", "second use"}, "said": "side", "end": "side last"},
	},
	{
		name: "streams and skips", given: vals{"pick": "stream", "prompt": "a b", "x": "x"},
		parts: func(t testing.TB, c *calls) []dataflow.Part {
			return []dataflow.Part{
				told("gate", "stream", "silent"), dataflow.Stream("stream", "said", words, dataflow.Join()), effects(c, "silent", "x", "none"),
				follow("with", "said", "end"), follow("without", "none", "never"), follow("far", "never", "ever"),
			}
		},
		want: vals{"said": "a b ", "end": "a b  with"},
	},
	{
		name: "several at once, in a loop", given: vals{"x": "x"},
		parts: func(t testing.TB, c *calls) []dataflow.Part {
			work, gate := stages([]string{"left", "right", "work"}, []string{"right", "work"}, []string{"left", dataflow.End})
			return []dataflow.Part{
				work, gate, effects(c, "left", "x", "l"), effects(c, "right", "x", "r"),
				dataflow.Func("both", "all", func(_ node.Context, in struct {
					L, R string
					N    int
				},
				) (string, error) {
					return fmt.Sprint(in.L, in.R, in.N), nil
				}),
			}
		},
		want: vals{"n": 3, "l": "x left", "r": "x right", "all": "x leftx right3"},
	},
	{
		name: "failures that are handled", given: vals{"x": "x", "y": "y", "list": []string{"a", "b"}}, onDisk: true,
		answers: map[string][]any{"ask": {"from a person"}},
		parts: func(t testing.TB, c *calls) []dataflow.Part {
			item := graphOf(t, breaks(c, "try", "x", "z"), mends(c, "mend", "x", "z"), dataflow.OnError("try", "mend"))
			sub := graphOf(t, effects(c, "deep", "y", "w"), breaks(c, "deeper", "w", "v")).As("sub")
			return []dataflow.Part{
				breaks(c, "fetch", "x", "page"), mends(c, "stale", "x", "page"), dataflow.OnError("fetch", "stale"), follow("read", "page", "text"),
				breaks(c, "score", "text", "rank"), dataflow.OnError("score", dataflow.End), follow("sort", "rank", "sorted"),
				item.Map("each", []string{"x"}).With(dataflow.RenameInput("x", "list")),
				sub, dataflow.Interrupt[string, string]("ask", "y", "said"), dataflow.OnError(sub, "ask"), follow("use", "said", "used"),
			}
		},
		want: vals{
			"page": "x stale after fetch#1: it breaks", "text": "x stale after fetch#1: it breaks read", "said": "from a person", "used": "from a person use",
			"z": []string{"a mend after each#1.1/try#1: it breaks", "b mend after each#1.2/try#1: it breaks"},
		},
	},
	{
		name: "failures after retries", given: vals{"x": "x"},
		parts: func(t testing.TB, c *calls) []dataflow.Part {
			return []dataflow.Part{
				breaks(c, "fetch", "x", "page").With(dataflow.Retry(3, time.Millisecond)), mends(c, "stale", "x", "page"), dataflow.OnError("fetch", "stale"),
				follow("read", "page", "text"), effects(c, "beside", "x", "seen"),
			}
		},
		want: vals{"page": "x stale after fetch#1: it breaks", "text": "x stale after fetch#1: it breaks read", "seen": "x beside"},
	},
	{
		name: "failures in a loop", given: vals{},
		parts: func(t testing.TB, c *calls) []dataflow.Part {
			return unsteady(c)
		},
		want: vals{"n": 4, "text": "4 drafted", "log": ",2 failed,3 failed"},
	},
	{
		name: "stuck", given: vals{"all": []string{"take"}, "given": "g"},
		parts: func(t testing.TB, _ *calls) []dataflow.Part {
			return []dataflow.Part{starving(t.(*testing.T)).As("inner"), says("beside", "b")}
		},
	},
}

// Whatever the engine was doing when it died: another one takes the run on, and brings it to the same end.
func TestJ4_CrashAtEveryAppend(t *testing.T) {
	for _, x := range explorations {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			x.crash(t)
		})
	}
}

// The same on disk, where the file is closed and opened again with each crash.
func TestJ4_CrashAtEveryAppendOnSQLite(t *testing.T) {
	for _, x := range explorations {
		if !x.onDisk {
			continue
		}
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			x.crash(t, fermatatest.Every(5), fermatatest.On(func(dir string) (journal.Store, error) {
				return sqlite.OpenWith(filepath.Join(dir, "runs.db"), sqlite.Options{Sync: sqlite.Normal})
			}))
		})
	}
}

func (x explored) crash(t *testing.T, opts ...fermatatest.CrashOption) {
	t.Helper()
	var c calls
	g := graphOf(t, x.parts(t, &c)...)
	opts = append(opts, fermatatest.Answers(x.answers), fermatatest.Effects(c.all))
	report := fermatatest.Crash(t, g.Plan(), inputOf(t, g, x.given), opts...)
	x.check(t, g, report.Result)
}

func (x explored) check(t *testing.T, g *dataflow.Graph, res fermata.Result) {
	t.Helper()
	if x.want == nil {
		same(t, "status", fermata.Stuck, res.Status)
		return
	}
	if res.Status != fermata.Completed {
		t.Fatalf("it is %s: %v", res.Status, res.Err)
	}
	same(t, "outputs", x.want, outputsOf(t, g, res))
}

// outputsOf are the named values of a result that the engine's own tools have brought.
func outputsOf(t testing.TB, g *dataflow.Graph, res fermata.Result) vals {
	t.Helper()
	outputs, err := g.Outputs(res)
	if err != nil {
		t.Fatal(err)
	}
	return outputs
}

// Whatever finishes first: the same tasks are given the same, and the result is the same.
func TestD11_TheOrderMakesNoDifference(t *testing.T) {
	for _, x := range explorations {
		t.Run(x.name, func(t *testing.T) {
			var c calls
			g := graphOf(t, x.parts(t, &c)...)
			report := fermatatest.Schedules(t, g.Plan(), inputOf(t, g, x.given), fermatatest.Answers(x.answers), fermatatest.Orders(20),
				fermatatest.WithCrashes(), fermatatest.Before(c.reset))
			x.check(t, g, report.Result)
		})
	}
}

// Gates that run side by side and lead to common targets.
func TestD11_ParallelGates(t *testing.T) {
	const rounds = 3
	work := counts("work", "n")
	choose := func(name string, more int) *dataflow.NodeDef {
		return dataflow.RouteMany(name, func(_ node.Context, in counted) ([]string, error) {
			var to []string
			if (in.N+more)%2 == 0 {
				to = append(to, "shared")
			}
			if in.N < rounds && in.N%2 == more {
				to = append(to, "work")
			}
			if len(to) == 0 {
				to = append(to, dataflow.End)
			}
			return to, nil
		}, "work", "shared", dataflow.End)
	}
	shared := dataflow.Func("shared", "s", func(_ node.Context, in struct {
		N int
		S string `json:"s,omitempty"`
	},
	) (string, error) {
		return fmt.Sprint(in.S, in.N), nil
	})
	g := graphOf(t, work, choose("even", 0), choose("odd", 1), shared, follow("last", "s", "end"))
	report := fermatatest.Schedules(t, g.Plan(), inputOf(t, g, vals{}), fermatatest.Orders(60), fermatatest.WithCrashes())
	same(t, "outputs", vals{"n": 3, "s": "123", "end": "123 last"}, outputsOf(t, g, report.Result))
	if report.Choices == 0 {
		t.Error("nothing was concurrent")
	}
}
