package dataflow_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// answered brings a run to its end, with the n-th answer for the n-th question of a node.
func answered(t *testing.T, rt *fermata.Runtime, run *dataflow.Run, answers map[string][]any) dataflow.Result {
	t.Helper()
	for {
		res, err := run.Wait(timeLimit(t))
		if err != nil {
			t.Fatal(err)
		}
		if res.Status != fermata.Paused {
			return res
		}
		for _, q := range res.Interrupts {
			path, visit := node.CutTask(q.Task)
			plain, place := path, visit
			if cut := strings.LastIndexByte(path, '/'); cut >= 0 && strings.Contains(path, "#") { // an item of a map
				before, item, _ := strings.Cut(path[:cut], ".")
				plain = before[:strings.IndexByte(before, '#')] + path[cut:]
				_, _ = fmt.Sscan(item, &place)
			}
			answer(t, rt, q, answers[plain][place-1])
		}
	}
}

// A fork of a run behind any of its entries comes to the same end as the run. What was finished does not run again.
func TestJ4_AForkBehindAnyEntryComesToTheSameEnd(t *testing.T) {
	for _, x := range explorations {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			var c calls
			g := graphOf(t, x.parts(t, &c)...)
			rt, store := inMemory(t)
			run := start(t, rt, g, x.given)
			want := answered(t, rt, run, x.answers)
			all := entries(t, store, run.ID())
			forks := 0
			for at := range all {
				fork, err := g.Fork(timeLimit(t), rt, run.ID(), fermata.ForkOptions{At: uint64(at) + 1})
				if err != nil {
					if asError[*fermata.Error](t, err).Code != fermata.CodeInvalid {
						t.Fatalf("at %d: %v", at+1, err)
					}
					continue
				}
				forks++
				got := answered(t, rt, fork, x.answers)
				same(t, fmt.Sprintf("the end of the fork at %d (%s)", at+1, all[at].Kind), []any{want.Status, want.Outputs}, []any{got.Status, got.Outputs})
				over := make(map[string]bool)
				for i, e := range entries(t, store, fork.ID()) {
					task := node.TaskID(e.Node, int(e.Visit))
					if i <= at && (e.Kind == journal.NodeFinished || e.Kind == journal.NodeCached) {
						over[task] = true
					} else if i > at && e.Kind == journal.NodeStarted && over[task] {
						t.Errorf("at %d: %s was over, and is begun again", at+1, task)
					}
				}
			}
			if forks < len(all)/3 {
				t.Errorf("%d forks of %d entries", forks, len(all))
			}
		})
	}
}

// seqOf is the seq of the first line that begins like that.
func seqOf(t *testing.T, store journal.Store, run, prefix string) uint64 {
	t.Helper()
	at := slices.IndexFunc(lines(t, store, run), func(l string) bool { return strings.HasPrefix(l, prefix) })
	if at < 0 {
		t.Fatalf("no line begins with %q: %q", prefix, lines(t, store, run))
	}
	return uint64(at) + 1
}

// A fork goes its own way from a value that was changed in it: by the path of the node that wrote it.
func TestJ4_AForkChangesWhatANodeWrote(t *testing.T) {
	g := graphOf(t, append(refine(3), follow("aside", "prompt", "other"))...)
	rt, store := inMemory(t)
	run := start(t, rt, g, vals{"prompt": "p"})
	want := ends(t, run, fermata.Completed).Outputs
	fork, err := g.Fork(timeLimit(t), rt, run.ID(), fermata.ForkOptions{
		At: seqOf(t, store, run.ID(), "route.taken gate#1"), Of: "evaluate", Set: map[string]json.RawMessage{"feedback": json.RawMessage(`"!!"`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the fork", vals{"draft": "p++", "score": 3, "feedback": "+++", "other": "p aside"}, ends(t, fork, fermata.Completed).Outputs)
	same(t, "its drafts", []string{`{"draft":"p"}`, `{"draft":"p!!"}`, `{"draft":"p+"}`, `{"draft":"p++"}`}, written(t, rt, fork.ID(), "generate"))
	same(t, "the run is as it was", want, ends(t, resume(t, rt, g, run.ID()), fermata.Completed).Outputs)
	same(t, "its drafts", []string{`{"draft":"p"}`, `{"draft":"p+"}`, `{"draft":"p++"}`}, written(t, rt, run.ID(), "generate"))
}

// written is what the visits of a node have written, as JSON.
func written(t *testing.T, rt *fermata.Runtime, run, path string) []string {
	t.Helper()
	var all []string
	for m, err := range rt.History(t.Context(), run) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Entry.Kind == journal.NodeFinished && m.Entry.Node == path {
			all = append(all, string(m.Value))
		}
	}
	return all
}

// A run that failed goes on from what failed: what finished stays, and what waits for it runs then.
func TestF2_RetryRunsOnlyWhatFailed(t *testing.T) {
	var c calls
	d := onDisk(t)
	flaky := func(name, in, out string) *dataflow.NodeDef {
		return dataflow.Func(name, out, func(ctx node.Context, v struct{ X string }) (string, error) {
			price, err := node.Step(ctx, "price", func(node.Context) (int, error) { return c.add(name + " step"), nil })
			if err == nil && c.add(name) == 1 {
				err = errors.New("not yet")
			}
			return fmt.Sprint(v.X, price), err
		}, dataflow.RenameInput("x", in))
	}
	g := graphOf(t, counting(&c, "first", "x", "a"), flaky("flaky", "a", "b"), counting(&c, "aside", "a", "c"), counting(&c, "last", "b", "d"),
		graphOf(t, flaky("deep", "x", "y"), counting(&c, "inside", "y", "z")).As("sub"))
	var id string
	d.process(t, func(rt *fermata.Runtime, _ journal.Store) {
		run := start(t, rt, g, vals{"x": "x"})
		id = run.ID()
		ends(t, run, fermata.Failed)
	})
	d.process(t, func(rt *fermata.Runtime, store journal.Store) {
		var res dataflow.Result
		for range 2 { // both may have failed by then, or one of them after the other
			run, err := g.Retry(timeLimit(t), rt, id)
			if err != nil {
				t.Fatal(err)
			}
			if res, err = run.Wait(timeLimit(t)); err != nil {
				t.Fatal(err)
			}
			if res.Status == fermata.Completed {
				break
			}
		}
		same(t, "outputs", vals{
			"a": "x first", "b": "x first1", "c": "x first aside", "d": "x first1 last", "y": "x1", "z": "x1 inside",
		}, res.Outputs)
	})
	same(t, "calls", []string{
		"aside: 1", "deep step: 1", "deep: 2", "first: 1", "flaky step: 1", "flaky: 2", "inside: 1", "last: 1",
	}, c.lines())
}

// waiting is a graph that waits in the middle, in ways that a later version may differ in.
func waiting(ask string, threshold string, more ...dataflow.Part) []dataflow.Part {
	type in struct {
		Said  string
		Level string `json:"level,omitempty"`
	}
	use := dataflow.Func("use", "used", func(_ node.Context, in in) (string, error) { return in.Said + in.Level, nil })
	if threshold != "" {
		more = append(more, dataflow.Bind(vals{"level": threshold}))
	}
	return append([]dataflow.Part{follow("first", "x", "q"), dataflow.Interrupt[string, string](ask, "q", "said"), use}, more...)
}

// A run that waits goes on under a plan that has changed, where all that is open has its place.
func TestJ8_ARunGoesOnUnderAChangedPlan(t *testing.T) {
	old := func(t *testing.T) *dataflow.Graph {
		return graphOf(t, waiting("ask", "", follow("aside", "x", "side"))...)
	}
	for _, tt := range []struct {
		name  string
		now   []dataflow.Part
		moved map[string]string
		want  vals
	}{
		{"the same", waiting("ask", "", follow("aside", "x", "side")), nil, vals{"q": "x first", "said": "yes", "used": "yes", "side": "x aside"}},
		{
			"a node behind", waiting("ask", "", follow("aside", "x", "side"), follow("behind", "used", "end")), nil,
			vals{"q": "x first", "said": "yes", "used": "yes", "side": "x aside", "end": "yes behind"},
		},
		{
			"another default", waiting("ask", "!", follow("aside", "x", "side")), nil,
			vals{"q": "x first", "said": "yes", "used": "yes!", "side": "x aside"},
		},
		{"a finished node is gone", waiting("ask", ""), nil, vals{"q": "x first", "said": "yes", "used": "yes"}},
		{
			"a finished node has another name", waiting("ask", "", follow("beside", "x", "side")),
			map[string]string{"aside": "beside"},
			vals{"q": "x first", "said": "yes", "used": "yes", "side": "x aside"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := onDisk(t)
			now := graphOf(t, tt.now...)
			var id string
			d.process(t, func(rt *fermata.Runtime, _ journal.Store) {
				run := start(t, rt, old(t), vals{"x": "x"})
				ends(t, run, fermata.Paused)
				id = run.ID()
			})
			d.process(t, func(rt *fermata.Runtime, store journal.Store) {
				if tt.moved != nil {
					if _, err := rt.Migrate(timeLimit(t), id, now.Plan(), plan.Migration{Nodes: tt.moved}, ""); err != nil {
						t.Fatal(err)
					}
				}
				run := resume(t, rt, now, id)
				ends(t, run, fermata.Paused)
				if err := run.Answer(timeLimit(t), "yes"); err != nil {
					t.Fatal(err)
				}
				same(t, "outputs", tt.want, ends(t, run, fermata.Completed).Outputs)
				same(t, "what was finished ran once", 1, len(only(lines(t, store, id), "node.started first#")))
				same(t, "what was moved does not run again", 0, len(only(lines(t, store, id), "node.started beside#")))
			})
		})
	}
}

// A loop goes on under another plan from the round that it is in.
func TestJ8_ALoopGoesOnInItsRound(t *testing.T) {
	loop := func(more ...dataflow.Part) *dataflow.Graph {
		draft := dataflow.Func("draft", "text", func(_ node.Context, in struct {
			Said string `json:"said,omitempty"`
			Text string `json:"text,omitempty"`
		},
		) (string, error) {
			return in.Text + "[" + in.Said + "]", nil
		})
		gate := dataflow.Branch("good", func(_ node.Context, in struct{ Said string }) (bool, error) { return in.Said == "good", nil }, dataflow.End, draft)
		return graphOf(t, append([]dataflow.Part{draft, dataflow.Interrupt[string, string]("ask", "text", "said"), gate}, more...)...)
	}
	rt, store := inMemory(t)
	run := start(t, rt, loop(), vals{})
	ends(t, run, fermata.Paused)
	if err := run.Answer(timeLimit(t), "more"); err != nil {
		t.Fatal(err)
	}
	ends(t, run, fermata.Paused)
	_ = run.Stop(0)
	_, _ = run.Wait(timeLimit(t))
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	rt = newRuntime(t, fermata.Options{Store: store})
	run = resume(t, rt, loop(follow("behind", "said", "end")), run.ID())
	ends(t, run, fermata.Paused)
	if err := run.Answer(timeLimit(t), "good"); err != nil {
		t.Fatal(err)
	}
	same(t, "outputs", vals{"text": "[][more]", "said": "good", "end": "good behind"}, ends(t, run, fermata.Completed).Outputs)
}

// Where what is open has no place, the run is left as it is, and the error shows both plans' difference.
func TestJ8_AnOpenTaskWithoutAPlaceIsRefused(t *testing.T) {
	old := graphOf(t, waiting("ask", "")...)
	store, err := sqlite.Open(onDisk(t).file)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	first := newRuntime(t, fermata.Options{Store: store})
	run := start(t, first, old, vals{"x": "x"})
	ends(t, run, fermata.Paused)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	rt := newRuntime(t, fermata.Options{Store: store})
	before := lines(t, store, run.ID())
	_, err = graphOf(t, waiting("review", "")...).Resume(timeLimit(t), rt, run.ID())
	changed := asError[*fermata.PlanChangedError](t, err)
	if !errors.Is(err, fermata.ErrPlanChanged) || asError[*fermata.Error](t, err).Code != fermata.CodePlanChanged {
		t.Error(err)
	}
	for what, text := range map[string]string{"reason": changed.Reason, "diff": changed.Diff} {
		if !strings.Contains(text, "ask") {
			t.Errorf("the %s does not name the node: %s", what, text)
		}
	}
	if !strings.Contains(changed.Diff, "review") || !strings.Contains(changed.Hint, "review") {
		t.Errorf("neither diff nor hint names what may be meant:\n%v", changed)
	}
	same(t, "the run is as it was", before, lines(t, store, run.ID()))
	same(t, "with the old plan it goes on", fermata.Paused, ends(t, resume(t, rt, old, run.ID()), fermata.Paused).Status)
}
