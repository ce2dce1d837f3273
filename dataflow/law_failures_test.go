package dataflow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// breaks is a node that has an effect in a step, and fails.
func breaks(c *calls, name, input, output string) *dataflow.NodeDef {
	return dataflow.Func(name, output, func(ctx node.Context, in struct{ X string }) (string, error) {
		if _, err := node.Step(ctx, "do", func(node.Context) (string, error) { c.add(name); return "", nil }); err != nil {
			return "", err
		}
		return "never seen", errors.New("it breaks")
	}, dataflow.RenameInput("x", input))
}

// mends is a node that has an effect in a step, and writes which failure it handles.
func mends(c *calls, name, input, output string) *dataflow.NodeDef {
	return dataflow.Func(name, output, func(ctx node.Context, in struct{ X string }) (string, error) {
		return node.Step(ctx, "do", func(node.Context) (string, error) {
			c.add(name)
			return fmt.Sprintf("%s %s after %s: %s", in.X, name, ctx.Cause().Task, ctx.Cause().Message), nil
		})
	}, dataflow.RenameInput("x", input))
}

// unsteady is a loop of four rounds, in the second and third of which the draft fails: its handler writes a log in its place.
func unsteady(c *calls) []dataflow.Part {
	type round struct {
		N int `default:"0"`
	}
	return []dataflow.Part{
		dataflow.Func("count", "n", func(_ node.Context, in round) (int, error) { return in.N + 1, nil }),
		dataflow.Func("draft", "text", func(ctx node.Context, in struct{ N int }) (string, error) {
			if _, err := node.Step(ctx, "do", func(node.Context) (string, error) { c.add(fmt.Sprint("draft ", in.N)); return "", nil }); err != nil {
				return "", err
			}
			if in.N == 2 || in.N == 3 {
				return "", fmt.Errorf("%d failed", in.N)
			}
			return fmt.Sprint(in.N, " drafted"), nil
		}),
		dataflow.Func("note", "log", func(ctx node.Context, in struct {
			Log string `default:""`
		},
		) (string, error) {
			return in.Log + "," + ctx.Cause().Message, nil
		}),
		dataflow.OnError("draft", "note"),
		dataflow.Route("more", func(_ node.Context, in struct {
			N    int
			Text string `json:"text,omitempty"`
		},
		) (string, error) {
			if in.N < 4 {
				return "count", nil
			}
			return dataflow.End, nil
		}, "count", dataflow.End),
	}
}

// The handler runs once the node has failed for good, after its retries, finds why, and writes what the node would have written.
func TestD14_AHandlerTakesThePlaceOfWhatFailed(t *testing.T) {
	var c calls
	g := graphOf(t, breaks(&c, "fetch", "url", "page").With(dataflow.Retry(2, time.Millisecond)), mends(&c, "stale", "url", "page"),
		follow("read", "page", "text"), follow("beside", "url", "seen"), dataflow.OnError("fetch", "stale"))
	want := vals{"page": "u stale after fetch#1: it breaks", "text": "u stale after fetch#1: it breaks read", "seen": "u beside"}
	got, visited, told := outcome(t, g, vals{"url": "u"})
	same(t, "outputs", want, got)
	same(t, "outputs, where nothing is kept", want, evaluated(t, g, vals{"url": "u"}))
	same(t, "visits", []string{"fetch#1 url<run", "beside#1 url<run", "stale#1 url<run", "read#1 page<stale#1"}, visited)
	same(t, "attempts", []string{"node.retrying fetch#1 it breaks", "node.failed fetch#1 attempt 2 it breaks", "route.taken fetch#1 attempt 2 -> stale"},
		append(append(only(told, "node.retrying"), only(told, "node.failed")...), only(told, "route.taken")...))
	same(t, "skipped", []string(nil), only(told, "node.skipped"))
}

// Without a failure a handler does not run, and what follows from it alone is skipped, on record and with the reason.
func TestD14_AHandlerRunsForFailuresAlone(t *testing.T) {
	var c calls
	g := graphOf(t, follow("fetch", "url", "page"), mends(&c, "stale", "url", "page"), mends(&c, "second", "url", "page"),
		follow("read", "page", "text"), dataflow.OnError("fetch", "stale"), dataflow.OnError("stale", "second"))
	got, _, told := outcome(t, g, vals{"url": "u"})
	same(t, "outputs", vals{"page": "u fetch", "text": "u fetch read"}, got)
	same(t, "skipped", []string{`node.skipped stale#1 "fetch" did not fail`, `node.skipped second#1 "stale" was skipped`}, only(told, "node.skipped"))
	same(t, "calls", []string(nil), c.lines())
}

// What needs a value that the failed node would have written, and that nobody writes in its place, is skipped: it does not wait.
func TestD14_WhatNobodyWritesIsSkipped(t *testing.T) {
	var c calls
	for name, parts := range map[string][]dataflow.Part{
		"a handler with values of its own": {mends(&c, "note", "url", "log"), dataflow.OnError("fetch", "note")},
		"no handler":                       {dataflow.OnError("fetch", dataflow.End)},
	} {
		t.Run(name, func(t *testing.T) {
			g := graphOf(t, append(parts, breaks(&c, "fetch", "url", "page"), follow("read", "page", "text"), follow("far", "text", "end"),
				follow("last", "url", "seen").With(dataflow.After("fetch")))...)
			_, _, told := outcome(t, g, vals{"url": "u"})
			same(t, "skipped", []string{
				`node.skipped read#1 it needs "page", and "fetch" failed`, `node.skipped last#1 it needs "after fetch", and "fetch" failed`,
				`node.skipped far#1 it needs "text", and "read" was skipped`,
			}, only(told, "node.skipped"))
		})
	}
}

// A handler that waits for a value that never comes makes the run stuck, which says for what (law F5).
func TestF5_AHandlerThatCannotRunIsReported(t *testing.T) {
	var c calls
	g := graphOf(t, breaks(&c, "fetch", "url", "page"), mends(&c, "mend", "copy", "page"), dataflow.OnError("fetch", "mend"),
		told("gate", "copies", dataflow.End), says("copies", "copy"))
	rt, _ := inMemory(t)
	res := ends(t, start(t, rt, g, vals{"url": "u", "pick": dataflow.End}), fermata.Stuck)
	if want := `node "mend" cannot run: it was chosen, and it waits for "copy": "copies" was skipped`; !strings.Contains(res.Err.Error(), want) {
		t.Errorf("%v, want %s", res.Err, want)
	}
}

// A failing gate chooses its handler and none of its targets; a failed subgraph, and a node in a loop, have handlers like others.
func TestD14_GatesSubgraphsAndLoops(t *testing.T) {
	var c calls
	gate := dataflow.Route("gate", func(node.Context, struct{ X string }) (string, error) { return "", errors.New("undecided") }, "a", "b")
	inner := graphOf(t, breaks(&c, "deep", "x", "v")).As("sub")
	g := graphOf(t, gate, effects(&c, "a", "x", "y"), effects(&c, "b", "x", "y"), mends(&c, "c", "x", "y"), dataflow.OnError(gate, "c"),
		inner, mends(&c, "mend", "x", "v"), dataflow.OnError("sub", "mend"))
	got, _, told := outcome(t, g, vals{"x": "x"})
	same(t, "outputs", vals{"y": "x c after gate#1: undecided", "v": "x mend after sub#1: it breaks"}, got)
	same(t, "skipped", []string{`node.skipped a#1 gate "gate" did not choose it`, `node.skipped b#1 gate "gate" did not choose it`}, only(told, "node.skipped"))
	got, visited, _ := outcome(t, graphOf(t, unsteady(&c)...), vals{})
	same(t, "outputs of the loop", vals{"n": 4, "text": "4 drafted", "log": ",2 failed,3 failed"}, got)
	same(t, "visits of the handler", []string{"note#1", "note#2 log<note#1"}, only(visited, "note"))
}

// One handler of several nodes runs once for those that have failed, when all of them are done, with the first failure in declared
// order.
func TestD14_OneHandlerOfSeveralNodes(t *testing.T) {
	var c calls
	slow := dataflow.Func("slow", "a", func(ctx node.Context, in struct{ X string }) (string, error) {
		time.Sleep(10 * time.Millisecond)
		return "", errors.New("late")
	})
	g := graphOf(t, slow, breaks(&c, "quick", "x", "b"), follow("good", "x", "d"), mends(&c, "mend", "x", "e"),
		dataflow.OnError("quick", "mend"), dataflow.OnError("good", "mend"), dataflow.OnError("slow", "mend"))
	got, visited, _ := outcome(t, g, vals{"x": "x"})
	same(t, "outputs", vals{"d": "x good", "e": "x mend after slow#1: late"}, got)
	same(t, "visits", []string{"mend#1 x<run"}, only(visited, "mend"))
}

// A handler that fails fails the run, and the run says why its node failed. A retry repeats the handler, and not the node (law F2).
func TestD14_AHandlerMayGiveUp(t *testing.T) {
	var c calls
	broken := errors.New("cannot be mended")
	mend := dataflow.Func("mend", "page", func(ctx node.Context, in struct{ URL string }) (string, error) {
		if c.add("mend") == 1 {
			return "", fmt.Errorf("%w: %w", broken, ctx.Cause())
		}
		return "mended " + ctx.Cause().Message, nil
	})
	g := graphOf(t, breaks(&c, "fetch", "url", "page"), mend, dataflow.OnError("fetch", mend))
	rt, _ := inMemory(t)
	run := start(t, rt, g, vals{"url": "u"})
	res := ends(t, run, fermata.Failed)
	if want := "task mend#1: cannot be mended: it breaks"; !strings.Contains(res.Err.Error(), want) {
		t.Errorf("%v, want %s", res.Err, want)
	}
	again, err := g.Retry(timeLimit(t), rt, run.ID())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "outputs", vals{"page": "mended it breaks"}, ends(t, again, fermata.Completed).Outputs)
	same(t, "calls", []string{"fetch: 1", "mend: 2"}, c.lines())
}

// A limit that fails a run, and a node without a handler, fail it beside handlers as without them.
func TestD14_OtherFailuresFailTheRun(t *testing.T) {
	var c calls
	g := graphOf(t, breaks(&c, "fetch", "url", "page"), mends(&c, "mend", "url", "page"), breaks(&c, "other", "url", "more"), dataflow.OnError("fetch", "mend"))
	rt, _ := inMemory(t)
	res := ends(t, start(t, rt, g, vals{"url": "u"}), fermata.Failed)
	if !strings.Contains(res.Err.Error(), "task other#1: it breaks") {
		t.Error(res.Err)
	}
}

// Graphs whose failures lead nowhere, or in a circle, or whose values could be written twice, are refused with what to do.
func TestD14_ErrorEdgesAreChecked(t *testing.T) {
	fetch, read, note := follow("fetch", "url", "page"), follow("read", "page", "text"), follow("mend", "url", "log")
	mend, both := follow("mend", "url", "page"), follow("both", "url", "text")
	gate := dataflow.Route("gate", func(node.Context, struct{ URL string }) (string, error) { return "", nil }, "mend", dataflow.End)
	for want, parts := range map[string][]dataflow.Part{
		`an error edge begins at "fetsh", and there is no such node; did you mean "fetch"?`:            {fetch, note, dataflow.OnError("fetsh", "mend")},
		`node "fetch": its failures lead to "mand", and there is no such node; did you mean "mend"?`:   {fetch, dataflow.OnError("fetch", "mand"), follow("mend", "url", "x")},
		`node "fetch": its failures lead to "mend" and to End; let one node handle them`:               {fetch, mend, dataflow.OnError("fetch", "mend"), dataflow.OnError("fetch", dataflow.End)},
		`node "fetch": its failures lead to "mend" twice; once is enough`:                              {fetch, mend, dataflow.OnError("fetch", "mend"), dataflow.OnError(fetch, mend)},
		`node "fetch": target "fetch": a node cannot handle its own failure`:                           {fetch, dataflow.OnError("fetch", "fetch")},
		`node "gate": target "mend": the gate also chooses this node`:                                  {gate, mend, dataflow.OnError("gate", "mend")},
		`node "read": it can never run: it needs values that only different outcomes of "fetch" bring`: {fetch, read, dataflow.OnError("fetch", "read")},
		`"both" handles the failures of "fetch", "read", and one of them may fail where another one`:   {fetch, read, both, dataflow.OnError("fetch", both), dataflow.OnError("read", both)},
		`"page" as`: {fetch, dataflow.OnError("fetch", "mend"), unary("mend", "url", "page", func(string) int { return 0 })},
		`no gate is in it that chooses whether it goes round again; "first" handles the failure of "fetch" and comes before it`: {
			follow("first", "page", "url"), fetch, dataflow.OnError("fetch", "first"),
		},
		`its failure leads back to "fetch", at which the rounds of a loop begin; let a gate that handles the failure lead back`: {
			unary("fetch", "url", "page", func(string) string { return "" }), read, dataflow.OnError("read", "fetch"),
			dataflow.Route("again", func(node.Context, struct{ Text string }) (string, error) { return "", nil }, "fetch", dataflow.End),
		},
	} {
		if err := refusedGraph(t, parts...); !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "\n") != 1 {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// Of a part of a graph, handlers are left as long as what they handle is, and go with it.
func TestD14_PartsOfAGraphKeepTheirHandlers(t *testing.T) {
	var c calls
	g := graphOf(t, breaks(&c, "fetch", "url", "page"), mends(&c, "note", "url", "log"), follow("read", "page", "text"), follow("other", "url", "more"),
		mends(&c, "second", "url", "log2"), dataflow.OnError("fetch", "note"), dataflow.OnError("note", "second"), dataflow.OnError("other", dataflow.End))
	nodes := func(g *dataflow.Graph, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(g.Describe().Nodes, " ")
	}
	same(t, "selected", "fetch note read second", nodes(g.Select("text")))
	same(t, "selected elsewhere", "other", nodes(g.Select("more")))
	same(t, "behind an entry", "read", nodes(g.Entry("read")))
	same(t, "from the node on", "fetch note read second", nodes(g.Entry("fetch")))
	same(t, "from the handler on", "note second", nodes(g.Entry("note")))
}

// An error edge is part of the fingerprint, and in each drawing. A run that waits in a handler goes on with a plan that has the edge.
func TestJ8_ErrorEdgesAreInTheFingerprint(t *testing.T) {
	var c calls
	parts := []dataflow.Part{breaks(&c, "fetch", "url", "page"), dataflow.Interrupt[string, string]("ask", "url", "said")}
	without, with := graphOf(t, parts...), graphOf(t, append(parts, dataflow.OnError("fetch", "ask"))...)
	if without.Plan().Fingerprint() == with.Plan().Fingerprint() {
		t.Error("the fingerprint is the same with an error edge")
	}
	d := plan.Drawing{Plan: with.Plan()}
	for what, text := range map[string]string{"Mermaid": d.Mermaid(), "DOT": d.DOT(), "text": d.Text(), "SVG": d.SVG()} {
		if !strings.Contains(text, "failure") {
			t.Errorf("%s has no failure edge:\n%s", what, text)
		}
	}
	rt, _ := inMemory(t)
	run := start(t, rt, with, vals{"url": "u"})
	ends(t, run, fermata.Paused)
	for g, want := range map[*dataflow.Graph]bool{with: true, graphOf(t, parts[0]): false} {
		all, err := rt.CanResume(timeLimit(t), journal.RunFilter{ID: run.ID()}, fermata.ResumeCheck{
			Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return g.Plan(), nil }, Replay: true,
		})
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		if got := all[0].CanGoOn(); got != want {
			t.Errorf("it may be resumed: %v, want %v (%+v)", got, want, all[0])
		}
	}
	if err := run.Answer(timeLimit(t), "yes"); err != nil {
		t.Fatal(err)
	}
	same(t, "outputs", vals{"said": "yes"}, ends(t, run, fermata.Completed).Outputs)
}
