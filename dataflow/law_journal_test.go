package dataflow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// What the loop of the seed does, told for people: what each task was given, what it gave, and where it went.
func TestJ1_GoldenOfTheRefineLoop(t *testing.T) {
	g := graphOf(t, refine(3)...)
	rt, _ := inMemory(t)
	run := start(t, rt, g, vals{"prompt": "a poem"})
	ends(t, run, fermata.Completed)
	fermatatest.Golden(t, rt, g.Plan(), run.ID())
}

// The same of a run with a question, a map, a subgraph and a skipped node.
func TestJ1_GoldenOfARunWithPeople(t *testing.T) {
	inner := graphOf(t, told("gate", "a", "b"), says("a", "ya"), says("b", "yb"))
	each := graphOf(t, follow("say", "x", "said"))
	g := graphOf(t, append(reviewed(), inner.As("inner"), each.Map("each", []string{"x"}), follow("never", "yb", "nothing"))...)
	rt, _ := inMemory(t)
	run := start(t, rt, g, vals{"draft": "d", "pick": "a", "x": []string{"1", "2"}})
	ends(t, run, fermata.Paused)
	if err := run.Answer(timeLimit(t), decision{Choice: "approve"}, fermata.AsRole("editor"), fermata.AsPerson("eve")); err != nil {
		t.Fatal(err)
	}
	ends(t, run, fermata.Completed)
	fermatatest.Golden(t, rt, g.Plan(), run.ID())
}

// chat is a loop that adds a message in each round, and counts them.
func chat(t *testing.T, rounds int, message string) *dataflow.Graph {
	t.Helper()
	add := dataflow.Func("add", "messages", func(_ node.Context, in struct {
		Messages []string `json:"messages,omitempty"`
		N        int      `json:"n,omitempty"`
	},
	) ([]string, error) {
		return append(in.Messages, fmt.Sprint(message, " ", in.N)), nil
	})
	count := unary("count", "messages", "n", func(all []string) int { return len(all) })
	return graphOf(t, add, count, until("gate", "n", rounds, "add"))
}

// size is how many bytes a run's values and bodies take.
func size(t *testing.T, g *dataflow.Graph, v vals) int {
	t.Helper()
	rt, store := inMemory(t)
	run := start(t, rt, g, v)
	ends(t, run, fermata.Completed)
	n := 0
	for _, e := range entries(t, store, run.ID()) {
		n += len(journal.AppendEntries(nil, []journal.Entry{e}))
	}
	return n
}

// A list that grows by one in each round costs what was added: twice as many rounds cost twice as much.
func TestJ7_AnAccumulatorCostsWhatWasAdded(t *testing.T) {
	message := strings.Repeat("long message ", 20)
	short, long := size(t, chat(t, 50, message), vals{}), size(t, chat(t, 100, message), vals{})
	grown, most := long-short, short+short/4
	if grown > most {
		t.Errorf("50 rounds take %d bytes, 50 more take %d", short, grown)
	}
	if perRound := grown / 50; perRound > 2*len(message)+400 { // once as it was added, once in the result
		t.Errorf("a round takes %d bytes for a message of %d", perRound, len(message))
	}
}

// A value that is written again as it was costs nothing, however large it is; neither does being read by many.
func TestJ7_AnEqualValueCostsNothing(t *testing.T) {
	build := func(text string) *dataflow.Graph {
		work := dataflow.Node("work", func(_ node.Context, in struct {
			N int `json:"n,omitempty"`
		},
		) (struct {
			N    int
			Text string
		}, error,
		) {
			return struct {
				N    int
				Text string
			}{in.N + 1, text}, nil
		})
		parts := []dataflow.Part{work, until("gate", "n", 20, "work")}
		for i := range 10 {
			parts = append(parts, unary(fmt.Sprint("reader", i), "text", fmt.Sprint("length", i), func(s string) int { return len(s) / 1e6 }))
		}
		return graphOf(t, parts...)
	}
	small, large := size(t, build("x"), vals{}), size(t, build(strings.Repeat("x", 10_000)), vals{})
	if grown := large - small; grown > 21_000 { // once as what was written, once as the run's result
		t.Errorf("10000 more bytes that are written 20 times and read 200 times take %d bytes", grown)
	}
}

// A run is a fold over its journal: whoever reads it gets the same, at any time and in any process.
func TestJ1_AnotherProcessReadsTheSame(t *testing.T) {
	for _, x := range explorations {
		t.Run(x.name, func(t *testing.T) {
			var c calls
			g := graphOf(t, x.parts(t, &c)...)
			store := memory.New()
			first := newRuntime(t, fermata.Options{Store: store})
			run := start(t, first, g, x.given)
			want := answered(t, first, run, x.answers)
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			before := c.lines()
			second := newRuntime(t, fermata.Options{Store: store})
			res, err := second.Result(t.Context(), run.ID(), g.Plan())
			if err != nil {
				t.Fatal(err)
			}
			same(t, "status, outputs", []any{want.Status, want.Outputs}, []any{res.Status, outputsOf(t, g, res)})
			plain, err := second.Result(t.Context(), run.ID(), nil)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "without the plan", want.Outputs, outputsOf(t, g, plain))
			same(t, "effects", before, c.lines())
		})
	}
}

// A run that is only in memory tells the same as one that is stored.
func TestJ2_DurabilityMakesNoDifference(t *testing.T) {
	for _, x := range explorations {
		if x.answers != nil {
			continue
		}
		t.Run(x.name, func(t *testing.T) {
			var all [][]string
			for _, d := range []fermata.Durability{fermata.Sync, fermata.Async, fermata.None} {
				var c calls
				g := graphOf(t, x.parts(t, &c)...)
				rt := newRuntime(t, fermata.Options{})
				run := start(t, rt, g, x.given, fermata.WithDurability(d))
				res, err := run.Wait(timeLimit(t))
				if err != nil {
					t.Fatal(err)
				}
				if x.want != nil {
					same(t, "outputs", x.want, res.Outputs)
				}
				all = append(all, append(c.lines(), string(res.Status)))
			}
			for _, evaluate := range []func(*dataflow.Graph) (dataflow.Result, error){
				func(g *dataflow.Graph) (dataflow.Result, error) { return g.Run(timeLimit(t), x.given) },
				func(g *dataflow.Graph) (dataflow.Result, error) { return g.Call(timeLimit(t), x.given) },
			} {
				var c calls
				res, err := evaluate(graphOf(t, x.parts(t, &c)...))
				if x.want != nil {
					same(t, "outputs", []any{x.want, nil}, []any{res.Outputs, err})
				}
				all = append(all, append(c.lines(), string(res.Status)))
			}
			for i, name := range []string{"async", "none", "Run", "Call"} {
				same(t, name, all[0], all[i+1])
			}
		})
	}
}
