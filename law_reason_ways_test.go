package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// These tests take runs that wait in the middle of a reasoning other ways: retries, forks, migrations, other code.

// napAndAsk is a reasoning with a tool that sleeps for an hour, one that asks, and one that may go wrong.
func napAndAsk(t *testing.T, bad func(ctx node.Context, city string) (string, error)) node.Reasoning {
	t.Helper()
	return node.Reasoning{Prompt: "plan it", Tools: []node.Tool{
		toolOf(t, "nap", func(ctx node.Context, _ string) (string, error) { return "awake", node.Sleep(ctx, time.Hour) }),
		toolOf(t, "bad", func(ctx node.Context, city string) (string, error) {
			if _, err := node.Interrupt[bool](ctx, nil, node.ID("go")); err != nil {
				return "", err
			}
			return bad(ctx, city)
		}),
	}}
}

func napAndAskModel() *talk {
	return newTalk(map[string][]scripted.Reply{"plan": {wants("nap", `{"city":"Rome"}`, "bad", `{"city":"Rome"}`), replies("done")}})
}

func timersOf(t *testing.T, store journal.Store) (ids []string) {
	t.Helper()
	timers, err := store.Timers(t.Context(), 1<<62, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, timer := range timers {
		ids = append(ids, strings.ReplaceAll(timer.ID, nodehost.Inside, "/"))
	}
	return ids
}

// A sleep that is not over when its run fails is a timer again when the run is retried, though its task did not wait for it.
func TestH4_ASleepOutlivesItsRunsFailure(t *testing.T) {
	var fixed atomic.Bool
	r := napAndAsk(t, func(node.Context, string) (string, error) {
		if !fixed.Load() {
			panic("not yet")
		}
		return "good", nil
	})
	clock, store, m := newClock(), memory.New(), napAndAskModel()
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock, Services: []any{model.Model(m)}})
	g := reasons(r)
	run := start(t, rt, g, state{})
	answer(t, rt, question(t, run).ID, true)
	ends(t, run, fermata.Failed)
	if ids := timersOf(t, store); len(ids) > 0 {
		t.Errorf("timers of a run that failed: %v", ids)
	}
	fixed.Store(true)
	run, err := g.Retry(t.Context(), rt, run.ID())
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the run waits", func() bool {
		info, err := rt.Info(t.Context(), run.ID())
		return err == nil && info.Status == string(fermata.Paused)
	})
	if diff := cmp.Diff([]string{"a#1 sleep:tool:reason:reason#1/nap#1/sleep#1"}, timersOf(t, store)); diff != "" {
		t.Errorf("timers (-want +got):\n%s", diff)
	}
	clock.Advance(time.Hour)
	ends(t, run, fermata.Completed)
}

// A sleep that nobody waits for any more fires once all the same, and leaves no timer behind.
func TestH4_ASleepThatNobodyWaitsFor(t *testing.T) {
	for _, ask := range []bool{true, false} {
		t.Run(fmt.Sprint(ask), func(t *testing.T) {
			r := napAndAsk(t, func(node.Context, string) (string, error) { return "", node.Terminal(errors.New("no")) })
			clock, store, m := newClock(), memory.New(), napAndAskModel()
			rt := newRuntime(t, fermata.Options{Store: store, Clock: clock, Services: []any{model.Model(m)}})
			g := graph.New[state]("stale").Node("a", func(ctx node.Context, s state) (state, error) {
				if _, err := node.Reason[string](ctx, r); !errors.Is(err, node.ErrTerminal) {
					return s, err
				}
				s.Text = "rescued"
				if !ask {
					return s, nil
				}
				_, err := node.Interrupt[bool](ctx, nil, node.ID("after"))
				return s, err
			}).Node("b", func(ctx node.Context, s state) (state, error) {
				_, err := node.Interrupt[bool](ctx, nil)
				return s, err
			}).Edge(graph.Start, "a").Edge("a", "b").MustCompile()
			run := start(t, rt, g, state{})
			answer(t, rt, question(t, run).ID, true)
			if ask {
				q := question(t, run)
				clock.Advance(2 * time.Hour)
				eventually(t, "no timer is left", func() bool { return len(timersOf(t, store)) == 0 })
				answer(t, rt, q.ID, true)
			}
			q := question(t, run)
			if ids := timersOf(t, store); len(ids) > 0 {
				t.Errorf("timers that are left: %v", ids)
			}
			answer(t, rt, q.ID, true)
			if res := ends(t, run, fermata.Completed); res.State.Text != "rescued" {
				t.Errorf("the result is %+v", res.State)
			}
		})
	}
}

// A run that waits in a reasoning goes on in another node, with its timers and questions.
func TestJ8_AMigrationOfARunThatReasons(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		t.Run(fmt.Sprint(stopped), func(t *testing.T) {
			hold := newGate()
			r := napAndAsk(t, func(ctx node.Context, _ string) (string, error) {
				if !stopped {
					return "good", nil
				}
				return "good", hold.pass(ctx)
			})
			clock, store, m := newClock(), memory.New(), napAndAskModel()
			options := fermata.Options{Store: store, Clock: clock, Services: []any{model.Model(m)}}
			named := func(name string) *graph.Graph[state] {
				return graph.New[state]("moves").Node(name, func(ctx node.Context, s state) (state, error) {
					var err error
					s.Text, err = node.Reason[string](ctx, r)
					return s, err
				}).Edge(graph.Start, name).MustCompile()
			}
			first := newRuntime(t, options)
			run := start(t, first, named("old"), state{})
			q := question(t, run)
			if stopped { // its task does not wait, and has a timer
				answer(t, first, q.ID, true)
				hold.waitEntered(t)
				_ = run.Stop(0)
				close(hold.open)
			}
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			rt := newRuntime(t, options)
			moved, err := rt.Migrate(t.Context(), run.ID(), named("new").Plan(), plan.Migration{Nodes: map[string]string{"old": "new"}}, "")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"new#1 sleep:tool:reason:reason#1/nap#1/sleep#1"}, timersOf(t, store)); diff != "" {
				t.Errorf("timers (-want +got):\n%s", diff)
			}
			if !stopped {
				answer(t, rt, q.ID, true)
			}
			eventually(t, "the answer is used", func() bool {
				return strings.Contains(strings.Join(lines(t, store, run.ID()), "\n"), `= "good"`)
			})
			clock.Advance(time.Hour)
			if res, err := moved.Wait(timeLimit(t)); err != nil || res.Status != fermata.Completed {
				t.Errorf("the run is %s (%v), %v", res.Status, res.Err, err)
			}
			if ids := timersOf(t, store); len(ids) > 0 {
				t.Errorf("timers that are left: %v", ids)
			}
		})
	}
}

// Answers that come while the tools beside are at work are not lost: one, both at once, from another process.
func TestN5_AnswersWhileToolsAreAtWork(t *testing.T) {
	for _, way := range []string{"one", "both", "all", "elsewhere"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			hold := newGate()
			book := toolOf(t, "book", func(_ node.Context, city string) (string, error) { return "booked " + city, nil })
			book.Approval = &node.Approval{}
			slow := toolOf(t, "slow", func(ctx node.Context, _ string) (string, error) { return "slow", hold.pass(ctx) })
			m := newTalk(map[string][]scripted.Reply{"plan": {
				wants("book", `{"city":"Rome"}`, "slow", `{"city":"Rome"}`, "book", `{"city":"Oslo"}`), replies("done"),
			}})
			store := memory.New()
			options := fermata.Options{Store: store, Services: []any{model.Model(m)}}
			rt := newRuntime(t, options)
			run := start(t, rt, reasons(node.Reasoning{Prompt: "plan it", Tools: []node.Tool{book, slow}}), state{})
			hold.waitEntered(t)
			open, err := rt.Inbox(t.Context(), journal.InboxFilter{Run: run.ID()})
			if err != nil || len(open) != 2 {
				t.Fatalf("open: %+v, %v", open, err)
			}
			answers := rt
			if way == "elsewhere" {
				answers = newRuntime(t, options)
			}
			yes := node.Verdict{Action: node.Approve}
			switch way {
			case "one":
				answer(t, rt, open[1].ID, yes)
			case "all":
				if err := rt.AnswerAll(t.Context(), map[string]any{open[0].ID: yes, open[1].ID: yes}); err != nil {
					t.Fatal(err)
				}
			default:
				var group sync.WaitGroup
				for _, q := range open {
					group.Go(func() {
						if err := answers.Answer(t.Context(), q.ID, yes); err != nil {
							t.Error(err)
						}
					})
				}
				group.Wait()
			}
			close(hold.open)
			if way == "one" {
				if q := question(t, run); q.ID != open[0].ID {
					t.Errorf("open is %+v", q)
				}
				answer(t, rt, open[0].ID, yes)
			}
			ends(t, run, fermata.Completed)
			last := m.last["plan 2"]
			want := []string{"call_1 false booked Rome", "call_2 false slow", "call_3 false booked Oslo"}
			if diff := cmp.Diff(want, told(&last)); diff != "" {
				t.Errorf("the model was told (-want +got):\n%s", diff)
			}
		})
	}
}

// A fork of a run that reasons comes to its end from every place, and asks again where it is told to.
func TestJ5_ForksOfARunThatReasons(t *testing.T) {
	d := newDesk()
	weather, book := d.tool(t, "weather"), d.tool(t, "book")
	book.Approval = &node.Approval{}
	m := newTalk(map[string][]scripted.Reply{"plan": {
		wants("weather", `{"city":"Rome"}`, "book", `{"city":"Rome"}`), wants("ask_person", `{"question":"?","choices":[]}`), replies(`{"city":"Rome","days":1}`),
	}})
	rt, store := withModels(t, model.Model(m))
	g := single(func(ctx node.Context, s state) (state, error) {
		got, err := node.Reason[trip](ctx, node.Reasoning{
			Prompt: "plan it", Tools: []node.Tool{weather, book}, Interrupt: mayAsk, Stream: node.StreamPatch,
		})
		s.Text = got.City
		return s, err
	})
	say := func(q fermata.Interrupt) any {
		if q.Kind == node.KindApproval {
			return node.Verdict{Action: node.Approve}
		}
		return chosen{"x"}
	}
	run := start(t, rt, g, state{})
	var ids []string
	for range 2 {
		q := question(t, run)
		ids = append(ids, q.ID)
		answer(t, rt, q.ID, say(q))
	}
	ends(t, run, fermata.Completed)
	finish := func(where string, fork *fermata.Run) {
		t.Helper()
		for {
			res, err := fork.Wait(timeLimit(t))
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			if res.Status == fermata.Paused {
				answer(t, rt, res.Interrupts[0].ID, say(res.Interrupts[0]))
				continue
			}
			if res.Status != fermata.Completed || !strings.Contains(string(res.Output), "Rome") {
				t.Errorf("%s: the fork is %s: %v %s", where, res.Status, res.Err, res.Output)
			}
			return
		}
	}
	all := entries(t, store, run.ID())
	for at := 1; at < len(all); at++ {
		before := d.counts()["book Rome"]
		fork, err := rt.Fork(timeLimit(t), run.ID(), g.Plan(), fermata.ForkOptions{At: uint64(at)})
		if known, ok := errors.AsType[*fermata.Error](err); ok && known.Code == fermata.CodeInvalid {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		finish(fmt.Sprintf("at %d, %s %s", at, all[at-1].Kind, all[at-1].Op), fork)
		if again := d.counts()["book Rome"] - before; again > 1 {
			t.Errorf("at %d: booked %d times", at, again)
		}
	}
	end := seqOf(t, store, run.ID(), "node.finished a#1") - 1
	for i, id := range ids {
		before := d.counts()
		fork, err := rt.Fork(timeLimit(t), run.ID(), g.Plan(), fermata.ForkOptions{At: end, AskAgain: []string{id}})
		if err != nil {
			t.Fatal(err)
		}
		finish("again "+id, fork)
		now := d.counts()
		want := []int{0, 0}
		if i == 0 {
			want = []int{0, 1}
		}
		if got := []int{now["weather Rome"] - before["weather Rome"], now["book Rome"] - before["book Rome"]}; i == 1 && !cmp.Equal(want, got) || got[1] > 1 {
			t.Errorf("asked again for %d: the tools were called %v times, want %v", i, got, want)
		}
	}
}

// variant is a node's function as it was, or as somebody has changed it.
type variant func(ctx node.Context, s state) (state, error)

// Code that has changed under a run that waits in a reasoning is found, and no answer or outcome goes to another call.
func TestN3_TheCodeOfAReasoningChanges(t *testing.T) {
	var bookings calls
	booker := func(approval *node.Approval) node.Tool {
		tool := toolOf(t, "book", func(_ node.Context, city string) (string, error) {
			bookings.add(city)
			return "booked " + city, nil
		})
		tool.Approval = approval
		return tool
	}
	of := func(r node.Reasoning) variant {
		return func(ctx node.Context, s state) (state, error) {
			var err error
			s.Text, err = node.Reason[string](ctx, r)
			return s, err
		}
	}
	both := []node.Tool{booker(nil), toolOf(t, "wait", func(ctx node.Context, _ string) (string, error) {
		return node.Interrupt[string](ctx, nil, node.ID("wait"))
	})}
	strict := booker(nil)
	strict.Input = json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","minLength":10}},"required":["city"]}`)
	strict, err := withInput(strict)
	if err != nil {
		t.Fatal(err)
	}
	booked := wants("book", `{"city":"Rome"}`, "wait", `{"city":"Rome"}`)
	approve := []node.Tool{booker(&node.Approval{})}
	asks := wants("ask_person", `{"question":"Where to?","choices":[]}`)
	type other struct {
		Say string `json:"say"`
	}
	for name, c := range map[string]struct {
		first    scripted.Reply
		was, now variant
		want     error // nil: the run goes on
	}{
		"the same":              {booked, of(node.Reasoning{Prompt: "plan", Tools: both}), of(node.Reasoning{Prompt: "plan", Tools: both}), nil},
		"prose":                 {booked, of(node.Reasoning{Prompt: "plan", Tools: both}), of(node.Reasoning{Prompt: "plan better", Tools: both}), nil},
		"a tool removed":        {booked, of(node.Reasoning{Prompt: "plan", Tools: both}), of(node.Reasoning{Prompt: "plan", Tools: both[1:]}), node.ErrDiverged},
		"other arguments":       {booked, of(node.Reasoning{Prompt: "plan", Tools: both}), of(node.Reasoning{Prompt: "plan", Tools: []node.Tool{strict, both[1]}}), node.ErrDiverged},
		"an approval removed":   {wants("book", `{"city":"Rome"}`), of(node.Reasoning{Prompt: "plan", Tools: approve}), of(node.Reasoning{Prompt: "plan", Tools: both[:1]}), node.ErrDiverged},
		"an approval added":     {booked, of(node.Reasoning{Prompt: "plan", Tools: both}), of(node.Reasoning{Prompt: "plan", Tools: []node.Tool{approve[0], both[1]}}), nil},
		"another answer":        {asks, of(node.Reasoning{Prompt: "plan", Interrupt: mayAsk}), of(node.Reasoning{Prompt: "plan", Interrupt: node.AskPerson[choice, other]()}), node.ErrDiverged},
		"another request":       {asks, of(node.Reasoning{Prompt: "plan", Interrupt: mayAsk}), of(node.Reasoning{Prompt: "plan", Interrupt: node.AskPerson[other, chosen]()}), node.ErrDiverged},
		"no asking":             {asks, of(node.Reasoning{Prompt: "plan", Interrupt: mayAsk}), of(node.Reasoning{Prompt: "plan"}), node.ErrDiverged},
		"the reasoning removed": {asks, of(node.Reasoning{Prompt: "plan", Interrupt: mayAsk}), logged, node.ErrDiverged},
		"a step in its place": {asks, of(node.Reasoning{Prompt: "plan", Interrupt: mayAsk}), func(ctx node.Context, s state) (state, error) {
			_, err := node.Step(ctx, "new", func(node.Context) (int, error) { return 1, nil })
			return s, err
		}, node.ErrDiverged},
		"one without a name added before": {asks, of(node.Reasoning{Prompt: "plan", Interrupt: mayAsk}), func(ctx node.Context, s state) (state, error) {
			if _, err := node.Reason[string](ctx, node.Reasoning{Prompt: "plan the other thing", Interrupt: mayAsk}); err != nil {
				return s, err
			}
			return of(node.Reasoning{Prompt: "plan", Interrupt: mayAsk})(ctx, s)
		}, node.ErrDiverged},
		"prose around a question": {asks, of(node.Reasoning{Prompt: "plan", Interrupt: mayAsk}), of(node.Reasoning{Prompt: "plan better", Interrupt: mayAsk}), node.ErrDiverged},
		"prose around a question of one with a name": {
			asks, of(node.Reasoning{ID: "p", Prompt: "plan", Interrupt: mayAsk}), of(node.Reasoning{ID: "p", Prompt: "plan better", Interrupt: mayAsk}), nil,
		},
		"a named one added before": {asks, of(node.Reasoning{Prompt: "plan", Interrupt: mayAsk}), func(ctx node.Context, s state) (state, error) {
			if _, err := node.Reason[string](ctx, node.Reasoning{ID: "new", Prompt: "plan"}); err != nil {
				return s, err
			}
			return of(node.Reasoning{Prompt: "plan", Interrupt: mayAsk})(ctx, s)
		}, node.ErrDiverged},
	} {
		t.Run(name, func(t *testing.T) {
			store := memory.New()
			m := newTalk(map[string][]scripted.Reply{"plan": {c.first, replies("done")}})
			options := fermata.Options{Store: store, Services: []any{model.Model(m)}}
			first := newRuntime(t, options)
			run := start(t, first, single(graph.Func[state](c.was)), state{})
			q := question(t, run)
			said := any("go on")
			switch {
			case q.Kind == node.KindApproval:
				said = node.Verdict{Action: node.Deny}
			case strings.Contains(q.Op, "ask_person"):
				said = chosen{"x"}
			}
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			before := bookings.all()["Rome"]
			rt := newRuntime(t, options)
			now := single(graph.Func[state](c.now))
			if _, err := now.Resume(timeLimit(t), rt, run.ID()); err != nil {
				t.Fatal(err)
			}
			answer(t, rt, q.ID, said)
			res := wait(t, resume(t, rt, now, run.ID()))
			if !errors.Is(res.Err, c.want) || (res.Err == nil) != (c.want == nil) {
				t.Errorf("the run is %s: %v\n%s", res.Status, res.Err, strings.Join(lines(t, store, run.ID()), "\n"))
			}
			if n := bookings.all()["Rome"] - before; n > 0 {
				t.Errorf("booked %d more times", n)
			}
		})
	}
}

// withInput is a tool with another schema of its arguments.
func withInput(t node.Tool) (node.Tool, error) {
	call := t.Call
	own, err := node.NewTool(t.Name, t.Description, func(ctx node.Context, in map[string]any) (string, error) {
		data, err := json.Marshal(in)
		if err != nil {
			return "", err
		}
		return call(ctx, data)
	})
	if err != nil {
		return own, err
	}
	return node.Tool{Name: own.Name, Description: own.Description, Input: t.Input, Call: own.Call}, nil
}

// Without a store nobody can be asked, and says so without a hang; tools are at work beside each other, and sleep.
func TestN1_ReasonsWithoutAStore(t *testing.T) {
	nap := toolOf(t, "nap", func(ctx node.Context, _ string) (string, error) { return "awake", node.Sleep(ctx, time.Millisecond) })
	ask := toolOf(t, "ask", func(ctx node.Context, _ string) (string, error) { return node.Interrupt[string](ctx, nil) })
	book := toolOf(t, "book", nothing)
	book.Approval = &node.Approval{}
	for name, c := range map[string]struct {
		first scripted.Reply
		want  error
	}{
		"sleeps":   {wants("nap", `{"city":"Rome"}`, "nap", `{"city":"Oslo"}`), nil},
		"asks":     {wants("nap", `{"city":"Rome"}`, "ask", `{"city":"Oslo"}`), fermata.ErrMustWait},
		"approval": {wants("nap", `{"city":"Rome"}`, "book", `{"city":"Oslo"}`), fermata.ErrMustWait},
		"model":    {wants("ask_person", `{"question":"?","choices":[]}`), fermata.ErrMustWait},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTalk(map[string][]scripted.Reply{"plan": {c.first, replies("done")}})
			branch := func(ctx node.Context, s state) (state, error) {
				text, err := node.Reason[string](ctx, node.Reasoning{
					Prompt: "plan it", Interrupt: mayAsk, Tools: []node.Tool{nap, ask, book}, Stream: node.StreamPatch,
				})
				if ctx.Info().Node == "b" {
					s.Text = text
				}
				return s, err
			}
			g := graph.New[state]("both").Node("b", branch).Node("c", branch).Node("join", logged, graph.All()).
				Edge(graph.Start, "b").Edge(graph.Start, "c").Edge("b", "join").Edge("c", "join").MustCompile()
			mustReturn(t, "a run without a store", func() {
				got, err := g.Run(t.Context(), state{}, model.Model(m))
				if !errors.Is(err, c.want) || c.want == nil && got.Text != "done" {
					t.Errorf("got %+v, %v", got, err)
				}
				if _, err = reasons(node.Reasoning{Prompt: "plan it", Interrupt: mayAsk, Tools: []node.Tool{nap, ask, book}}).
					Run(t.Context(), state{}, model.Model(m)); !errors.Is(err, c.want) {
					t.Errorf("alone: %v", err)
				}
			})
		})
	}
}

// A limit of the run on what models take is reached inside a reasoning; what was done stays done.
func TestF4_ALimitOfTheRunInsideAReasoning(t *testing.T) {
	d := newDesk()
	m := newTalk(map[string][]scripted.Reply{"plan": {wants("weather", `{"city":"Rome"}`), replies("done")}})
	rt, store := withModels(t, model.Model(m))
	weather := d.tool(t, "weather")
	g := graph.New[state]("limited").Node("a", func(ctx node.Context, s state) (state, error) {
		var err error
		s.Text, err = node.Reason[string](ctx, node.Reasoning{Prompt: "plan it", Tools: []node.Tool{weather}})
		return s, err
	}, twice).Edge(graph.Start, "a").Limits(plan.Limits{Tokens: 1}).MustCompile()
	run := start(t, rt, g, state{})
	res := ends(t, run, fermata.Failed)
	if !errors.Is(res.Err, fermata.ErrLimit) {
		t.Errorf("the error is %v", res.Err)
	}
	if diff := cmp.Diff(map[string]int{"plan 1": 1}, m.counts()); diff != "" {
		t.Errorf("the model was asked (-want +got):\n%s\n%s", diff, strings.Join(lines(t, store, run.ID()), "\n"))
	}
}

// Reasonings in the items of a map, with ids and without, in loops: crashes change nothing.
func TestG5_CrashReasonsInAMap(t *testing.T) {
	t.Parallel()
	d := newDesk()
	book := d.tool(t, "book")
	book.Approval = &node.Approval{}
	m := newTalk(map[string][]scripted.Reply{
		"first0":  {wants("book", `{"city":"Rome"}`), replies("a")},
		"first1":  {wants("ask_person", `{"question":"?","choices":[]}`), replies("b")},
		"second0": {replies("c")}, "second1": {replies("d")},
	})
	child := graph.New[state]("item").Node("write", func(ctx node.Context, s state) (state, error) {
		for _, r := range []node.Reasoning{
			{Prompt: fmt.Sprintf("first%d it", s.N), Interrupt: mayAsk, Tools: []node.Tool{book}},
			{ID: "named", Prompt: fmt.Sprintf("second%d it", s.N), Stream: node.StreamPatch},
		} {
			text, err := node.Reason[string](ctx, r)
			if err != nil {
				return s, err
			}
			s.Text += text
		}
		return s, nil
	}).Edge(graph.Start, "write").MustCompile()
	b := graph.New[state]("map")
	graph.Map(b, "each", func(state) ([]state, error) { return []state{{N: 0}, {N: 1}}, nil }, child, func(s state, items []state) (state, error) {
		for _, item := range items {
			s.Text += item.Text
		}
		return s, nil
	})
	g := b.Edge(graph.Start, "each").MustCompile()
	crashReason(t, m, d, fermatatest.AnswerFunc(func(q fermata.Interrupt) any {
		if q.Kind == node.KindApproval {
			return node.Verdict{Action: node.Edit, Arguments: json.RawMessage(`{"city":"Oslo"}`)}
		}
		return chosen{"x"}
	}), g)
	fermatatest.Schedules(t, g.Plan(), func() any { return &state{} }, fermatatest.Orders(8),
		fermatatest.WithOptions(fermata.Options{Services: []any{model.Model(m)}}),
		fermatatest.AnswerFunc(func(q fermata.Interrupt) any {
			if q.Kind == node.KindApproval {
				return node.Verdict{Action: node.Approve}
			}
			return chosen{"x"}
		}))
}

// The outcome of a node of a dataflow that reasons is found in the cache, unless a person was asked for it.
func TestD13_AReasoningOfACachedNode(t *testing.T) {
	type in struct{ Topic string }
	type out struct{ Text string }
	d := newDesk()
	weather := d.tool(t, "weather")
	m := newTalk(map[string][]scripted.Reply{
		"plan": {wants("weather", `{"city":"Rome"}`), replies("done")},
		"ask":  {wants("ask_person", `{"question":"?","choices":[]}`), replies("done")},
	})
	rt := newRuntime(t, fermata.Options{Store: memory.New(), Cache: fermata.NewMemoryCache(0), Services: []any{model.Model(m)}})
	g := dataflow.Must(dataflow.New("flow", dataflow.Node("write", func(ctx node.Context, in in) (out, error) {
		text, err := node.Reason[string](ctx, node.Reasoning{
			Prompt: in.Topic + " it", Tools: []node.Tool{weather}, Interrupt: mayAsk, Stream: node.StreamPatch,
		})
		return out{text}, err
	}, dataflow.Cache("1"))))
	for _, topic := range []string{"plan", "plan", "ask", "ask"} {
		run, err := g.Start(timeLimit(t), rt, dataflow.Values{"topic": topic})
		if err != nil {
			t.Fatal(err)
		}
		res, err := run.Wait(timeLimit(t))
		if err == nil && res.Status == fermata.Paused {
			answer(t, rt, res.Interrupts[0].ID, chosen{"x"})
			res, err = run.Wait(timeLimit(t))
		}
		if err != nil || res.Status != fermata.Completed || res.Outputs["text"] != "done" {
			t.Errorf("%s: the run is %s: %v, %v", topic, res.Status, res.Outputs, err)
		}
	}
	if diff := cmp.Diff(map[string]int{"plan 1": 1, "plan 2": 1, "ask 1": 2, "ask 2": 2}, m.counts()); diff != "" {
		t.Errorf("the model was asked (-want +got):\n%s", diff)
	}
}

// The harness of single nodes keeps what the runtime keeps.
func TestN1_AReasoningInTheHarnessOfNodes(t *testing.T) {
	m := newTalk(map[string][]scripted.Reply{"plan": {
		wants("book", `{"city":"Rome"}`, "nap", `{"city":"Rome"}`, "nope", `{}`), wants("ask_person", `{"question":"?","choices":[]}`), replies("done"),
	}})
	book := toolOf(t, "book", nothing)
	book.Approval = &node.Approval{}
	nap := toolOf(t, "nap", func(ctx node.Context, _ string) (string, error) { return "awake", node.Sleep(ctx, time.Hour) })
	c := fermatatest.NewContext(t).WithLLM(m).Answer("approve:book", node.Verdict{Action: node.Approve}).Answer("ask_person", chosen{"x"})
	got, err := fermatatest.Run(c, func(ctx node.Context, s state) (state, error) {
		var err error
		s.Text, err = node.Reason[string](ctx, node.Reasoning{Prompt: "plan it", Interrupt: mayAsk, Tools: []node.Tool{book, nap}})
		return s, err
	}, state{})
	if err != nil || got.Text != "done" || c.Slept() != time.Hour {
		t.Errorf("got %+v, %v, slept %s", got, err, c.Slept())
	}
	c.Replay()
	var keys []string
	for _, s := range c.Steps() {
		keys = append(keys, s.Key)
	}
	if diff := cmp.Diff([]string{"llm", "book", "nap", "llm", "llm", "reason"}, keys); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// What fails in the harness is replayed as well, and forgotten by a retry but for what the model was told.
func TestN3_AFailedReasoningInTheHarnessOfNodes(t *testing.T) {
	m := &flaky{
		talk:  newTalk(map[string][]scripted.Reply{"plan": {wants("nope", `{}`, "book", `{"town":1}`, "ask_person", `{}`), replies("done")}}),
		fails: map[string]error{"turn 2": &model.Error{Kind: model.ErrUnavailable}},
	}
	c := fermatatest.NewContext(t).WithLLM(m)
	reason := func(ctx node.Context, s state) (state, error) {
		var err error
		s.Text, err = node.Reason[string](ctx, node.Reasoning{Prompt: "plan it", Interrupt: mayAsk, Tools: []node.Tool{toolOf(t, "book", nothing)}})
		return s, err
	}
	if _, err := fermatatest.Run(c, reason, state{}); !errors.Is(err, model.ErrUnavailable) {
		t.Fatalf("the error is %v", err)
	}
	c.Replay()
	got, err := fermatatest.Run(c.Retry(), reason, state{})
	if err != nil || got.Text != "done" {
		t.Errorf("got %+v, %v", got, err)
	}
	if diff := cmp.Diff(map[string]int{"plan 1": 1, "plan 2": 1}, m.counts()); diff != "" {
		t.Errorf("the model was asked (-want +got):\n%s", diff)
	}
}

// A new attempt in the harness of nodes shows the text of its calls anew where they failed, and no other.
func TestE4_TextOfAFailedCallInTheHarnessOfNodes(t *testing.T) {
	m := &speaker{texts: []scripted.Reply{{Text: "kept "}, {Text: "lost "}, {Text: "anew"}}}
	m.piece = func(_ context.Context, call, piece int) error {
		if call == 2 && piece == 5 {
			return &model.Error{Kind: model.ErrUnavailable}
		}
		return nil
	}
	c := fermatatest.NewContext(t).WithLLM(model.Model(m))
	twoCalls := func(ctx node.Context, s state) (state, error) {
		for range 2 {
			reply, err := ctx.LLM().Complete(ctx, "go on", node.Streamed())
			if err != nil {
				return s, err
			}
			s.Text += reply.Text
		}
		return s, nil
	}
	if _, err := fermatatest.Run(c, twoCalls, state{}); !errors.Is(err, model.ErrUnavailable) {
		t.Fatalf("the error is %v", err)
	}
	if got, err := fermatatest.Run(c.Retry(), twoCalls, state{}); err != nil || got.Text != "kept anew" {
		t.Errorf("got %+v, %v", got, err)
	}
	if got := c.Text("answer"); got != "kept lostanew" {
		t.Errorf("shown: %q", got)
	}
}
