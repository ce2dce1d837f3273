package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// toolOf is a tool with that function.
func toolOf(t testing.TB, name string, call func(ctx node.Context, city string) (string, error)) node.Tool {
	t.Helper()
	tool, err := node.NewTool(name, "does "+name, func(ctx node.Context, in place) (string, error) { return call(ctx, in.City) })
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// reasons is a graph of one node that reasons for a text.
func reasons(r node.Reasoning, opts ...graph.NodeOption) *graph.Graph[state] {
	return single(func(ctx node.Context, s state) (state, error) {
		var err error
		s.Text, err = node.Reason[string](ctx, r)
		return s, err
	}, opts...)
}

// told is what the model was told of the calls that it wanted made.
func told(req *model.Request) []string {
	var all []string
	for i := range req.Messages {
		for _, p := range req.Messages[i].Parts {
			if p.Kind == model.ResultPart {
				all = append(all, fmt.Sprintf("%s %t %s", p.Result.ID, p.Result.Failed, p.Result.Text))
			}
		}
	}
	return all
}

// Tools ask, sleep, reason and take steps, at the same time: none of it happens twice.
func TestN1_CrashToolsThatAskSleepAndReason(t *testing.T) {
	t.Parallel()
	d := newDesk()
	m := newTalk(map[string][]scripted.Reply{
		"plan":  {wants("ask", `{"city":"Rome"}`, "nap", `{"city":"Rome"}`, "think", `{"city":"Rome"}`, "nap", `{"city":"Oslo"}`), replies("done")},
		"inner": {wants("ask_person", `{"question":"Inside?","choices":[]}`, "leaf", `{"city":"Rome"}`), replies("thought")},
	})
	leaf := toolOf(t, "leaf", func(ctx node.Context, city string) (string, error) {
		return city, node.Sleep(ctx, time.Minute)
	})
	tools := []node.Tool{
		toolOf(t, "ask", func(ctx node.Context, city string) (string, error) {
			first, err := node.Interrupt[string](ctx, nil, node.Prompt("first of "+city))
			if err != nil {
				return "", err
			}
			second, err := node.Interrupt[string](ctx, nil, node.ID("second"))
			return first + second, err
		}),
		toolOf(t, "nap", func(ctx node.Context, city string) (string, error) {
			if err := node.Sleep(ctx, time.Hour); err != nil {
				return "", err
			}
			return node.Step(ctx, "wake", func(node.Context) (string, error) {
				d.does("wake " + city)
				return "awake", nil
			})
		}),
		toolOf(t, "think", func(ctx node.Context, _ string) (string, error) {
			return node.Reason[string](ctx, node.Reasoning{Prompt: "inner thoughts", Interrupt: mayAsk, Tools: []node.Tool{leaf}})
		}),
	}
	answers := fermatatest.AnswerFunc(func(q fermata.Interrupt) any {
		if strings.Contains(q.Op, "ask_person") {
			return chosen{"yes"}
		}
		return q.Prompt + "!"
	})
	crashReason(t, m, d, answers, reasons(node.Reasoning{Prompt: "plan it", Tools: tools}))
	last := m.last["plan 2"]
	want := []string{"call_1 false first of Rome!!", "call_2 false awake", "call_3 false thought", "call_4 false awake"}
	if diff := cmp.Diff(want, told(&last)); diff != "" {
		t.Errorf("the model was told (-want +got):\n%s", diff)
	}
}

// A tool that goes on after a call that waits is left all the same, also beside others: nothing that it does then happens.
func TestN6_ToolsThatSwallowAreStillSuspended(t *testing.T) {
	t.Parallel()
	d := newDesk()
	swallows := toolOf(t, "swallow", func(ctx node.Context, city string) (string, error) {
		ok, err := node.Interrupt[bool](ctx, nil, node.ID(city))
		if err != nil {
			ok = false
		}
		text, err := node.Step(ctx, "act", func(node.Context) (string, error) {
			d.does(fmt.Sprintf("%s %t", city, ok))
			return fmt.Sprintf("%s %t", city, ok), nil
		})
		if err != nil {
			text = "swallowed " + city
		}
		return text, nil
	})
	m := newTalk(map[string][]scripted.Reply{"plan": {wants("swallow", `{"city":"Rome"}`, "swallow", `{"city":"Oslo"}`), replies("done")}})
	yes := fermatatest.AnswerFunc(func(fermata.Interrupt) any { return true })
	crashReason(t, m, d, yes, reasons(node.Reasoning{Prompt: "plan it", Tools: []node.Tool{swallows}}))
	last := m.last["plan 2"]
	if diff := cmp.Diff([]string{"call_1 false Rome true", "call_2 false Oslo true"}, told(&last)); diff != "" {
		t.Errorf("the model was told (-want +got):\n%s", diff)
	}
	if got := d.counts(); got["Rome false"]+got["Oslo false"] > 0 {
		t.Errorf("what was done although nobody had answered: %v", got)
	}
}

// What fails for good beside a call that waits is not kept waiting: nobody is asked for what is lost.
func TestN7_AFailureBesideAToolThatWaits(t *testing.T) {
	boom := errors.New("boom")
	for name, bad := range map[string]struct {
		call func(ctx node.Context, city string) (string, error)
		is   func(err error) bool
	}{
		"panic": {
			func(node.Context, string) (string, error) { panic(boom) },
			func(err error) bool {
				var crash *node.PanicError
				return errors.As(err, &crash) && errors.Is(err, boom)
			},
		},
		"terminal": {
			func(node.Context, string) (string, error) { return "", node.Terminal(boom) },
			func(err error) bool { return errors.Is(err, node.ErrTerminal) && strings.Contains(err.Error(), "boom") },
		},
		"goexit": {
			func(node.Context, string) (string, error) { runtime.Goexit(); return "", nil },
			func(err error) bool { return strings.Contains(err.Error(), "Goexit") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			var asks calls
			m := newTalk(map[string][]scripted.Reply{"plan": {
				wants("ask", `{"city":"Rome"}`, "bad", `{"city":"Rome"}`, "nap", `{"city":"Rome"}`, "ask_person", `{"question":"?","choices":[]}`),
			}})
			rt, store := withModels(t, model.Model(m))
			run := start(t, rt, reasons(node.Reasoning{Prompt: "plan it", Interrupt: mayAsk, Tools: []node.Tool{
				toolOf(t, "ask", func(ctx node.Context, _ string) (string, error) {
					asks.add("asked")
					return node.Interrupt[string](ctx, nil)
				}),
				toolOf(t, "nap", func(ctx node.Context, _ string) (string, error) { return "", node.Sleep(ctx, time.Hour) }),
				toolOf(t, "bad", bad.call),
			}}), state{})
			res := ends(t, run, fermata.Failed)
			if !bad.is(res.Err) {
				t.Errorf("the error is %v", res.Err)
			}
			all := lines(t, store, run.ID())
			if n := count(all, "interrupt.resolved a#1 withdrawn"); n == 0 || n != count(all, "interrupt a#1") {
				t.Errorf("journal:\n%s", strings.Join(all, "\n"))
			}
			timers, err := store.Timers(t.Context(), 1<<62, 0)
			if err != nil || len(timers) > 0 {
				t.Errorf("timers that are left: %v, %v", timers, err)
			}
		})
	}
}

// A tool goes on from the failure of a reasoning of its own, though a question of that is open, while another tool waits.
func TestN7_AToolGoesOnFromAFailureInside(t *testing.T) {
	d := newDesk()
	m := newTalk(map[string][]scripted.Reply{
		"plan":  {wants("think", `{"city":"Rome"}`, "ask", `{"city":"Rome"}`), replies("done")},
		"inner": {wants("ask_person", `{"question":"?","choices":[]}`, "bad", `{"city":"Rome"}`)},
	})
	bad := toolOf(t, "bad", func(node.Context, string) (string, error) { return "", node.Terminal(errors.New("boom")) })
	tools := []node.Tool{
		toolOf(t, "ask", func(ctx node.Context, _ string) (string, error) { return node.Interrupt[string](ctx, nil) }),
		toolOf(t, "think", func(ctx node.Context, _ string) (string, error) {
			_, err := node.Reason[string](ctx, node.Reasoning{Prompt: "inner thoughts", Interrupt: mayAsk, Tools: []node.Tool{bad}})
			if !errors.Is(err, node.ErrTerminal) {
				return "", err
			}
			return node.Step(ctx, "rescue", func(node.Context) (string, error) {
				d.does("rescue")
				return "rescued", nil
			})
		}),
	}
	rt, _ := withModels(t, model.Model(m))
	run := start(t, rt, reasons(node.Reasoning{Prompt: "plan it", Tools: tools}), state{})
	for _, q := range ends(t, run, fermata.Paused).Interrupts {
		if !strings.Contains(q.Op, "ask_person") {
			answer(t, rt, q.ID, "said")
		}
	}
	ends(t, run, fermata.Completed)
	if diff := cmp.Diff(map[string]int{"rescue": 1}, d.counts()); diff != "" {
		t.Errorf("what was done (-want +got):\n%s", diff)
	}
	last := m.last["plan 2"]
	if diff := cmp.Diff([]string{"call_1 false rescued", "call_2 false said"}, told(&last)); diff != "" {
		t.Errorf("the model was told (-want +got):\n%s", diff)
	}
}

// A question's deadline that fails ends the reasoning, though another question is open.
func TestH4_ADeadlineBesideAnotherQuestion(t *testing.T) {
	m := newTalk(map[string][]scripted.Reply{"plan": {
		wants("slow", `{"city":"Rome"}`, "quick", `{"city":"Rome"}`),
	}})
	clock := newClock()
	rt := newRuntime(t, fermata.Options{Store: memory.New(), Clock: clock, Services: []any{model.Model(m)}})
	slow, quick := toolOf(t, "slow", nothing), toolOf(t, "quick", nothing)
	slow.Approval = &node.Approval{}
	quick.Approval = &node.Approval{Ask: []node.AskOption{node.Within(time.Hour)}}
	run := start(t, rt, reasons(node.Reasoning{Prompt: "plan it", Tools: []node.Tool{slow, quick}}), state{})
	if res := ends(t, run, fermata.Paused); len(res.Interrupts) != 2 {
		t.Fatalf("open: %+v", res.Interrupts)
	}
	clock.Advance(time.Hour)
	eventually(t, "the run fails", func() bool {
		res, err := rt.Result(t.Context(), run.ID(), nil)
		return err == nil && res.Status == fermata.Expired
	})
	if res := ends(t, run, fermata.Expired); !strings.Contains(res.Err.Error(), node.ErrExpired.Error()) {
		t.Errorf("the error is %v", res.Err)
	}
}

func nothing(node.Context, string) (string, error) { return "nothing", nil }

// What is said at the deadlines of approvals and of the model's questions.
func TestH4_DeadlinesInsideAReasoning(t *testing.T) {
	for name, c := range map[string]struct {
		ask  node.AskOption
		want string
	}{
		"default":  {node.OrDefault(node.Verdict{Action: node.Deny, Reason: "late"}), "completed call_1 true A person did not allow this call. The reason: late"},
		"escalate": {node.OrEscalate("boss", time.Hour), "expired"},
		"route":    {node.OrRoute("late"), "completed late#1"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTalk(map[string][]scripted.Reply{"plan": {wants("book", `{"city":"Rome"}`, "nap", `{"city":"Rome"}`), replies("done")}})
			clock := newClock()
			store := memory.New()
			rt := newRuntime(t, fermata.Options{Store: store, Clock: clock, Services: []any{model.Model(m)}})
			book := toolOf(t, "book", nothing)
			book.Approval = &node.Approval{Ask: []node.AskOption{node.Within(time.Hour), c.ask}}
			nap := toolOf(t, "nap", func(ctx node.Context, _ string) (string, error) { return "awake", node.Sleep(ctx, 90*time.Minute) })
			g := graph.New[state]("deadlines").
				Node("a", func(ctx node.Context, s state) (state, error) {
					var err error
					s.Text, err = node.Reason[string](ctx, node.Reasoning{Prompt: "plan it", Tools: []node.Tool{book, nap}})
					return s, err
				}).Node("late", logged).Edge(graph.Start, "a").OnDeadline("a", "late").MustCompile()
			run := start(t, rt, g, state{})
			var res graph.Result[state]
			for range 12 {
				if res = peek(t, rt, g, run.ID()); res.Status.Ended() {
					break
				}
				clock.Advance(20 * time.Minute)
				time.Sleep(5 * time.Millisecond)
			}
			res = wait(t, run)
			got := string(res.Status)
			if len(res.State.Log) > 0 {
				got += " " + res.State.Log[0]
			}
			if last, ok := m.last["plan 2"]; ok {
				got += " " + told(&last)[0]
			}
			if got != c.want {
				t.Errorf("got %q (%v), want %q", got, res.Err, c.want)
			}
			timers, err := store.Timers(t.Context(), 1<<62, 0)
			if err != nil || len(timers) > 0 {
				t.Errorf("timers that are left: %v, %v", timers, err)
			}
		})
	}
}

func peek(t *testing.T, rt *fermata.Runtime, g *graph.Graph[state], id string) (r graph.Result[state]) {
	t.Helper()
	res, err := rt.Result(t.Context(), id, g.Plan())
	if err != nil {
		t.Fatal(err)
	}
	r.Status = res.Status
	return r
}

// A tool that outlives its attempt changes nothing, and one that heeds its context ends with it.
func TestN1_AToolOutlivesItsAttempt(t *testing.T) {
	t.Parallel()
	release, left := make(chan struct{}), make(chan error, 1)
	var attempts atomic.Int32
	stubborn := toolOf(t, "stubborn", func(ctx node.Context, _ string) (string, error) {
		if attempts.Add(1) > 1 {
			return "second", nil
		}
		<-release
		_, err := node.Step(ctx, "late", func(node.Context) (int, error) { return 1, nil })
		left <- err
		return "first", nil
	})
	m := newTalk(map[string][]scripted.Reply{"plan": {wants("stubborn", `{"city":"Rome"}`, "quick", `{"city":"Rome"}`), replies("done")}})
	rt, store := withModels(t, model.Model(m))
	quick := toolOf(t, "quick", nothing)
	run := start(t, rt, reasons(node.Reasoning{Prompt: "plan it", Tools: []node.Tool{stubborn, quick}},
		graph.Timeout(20*time.Millisecond), graph.Retry(1000, time.Millisecond)), state{}) // on a busy machine an attempt that does nothing may be late
	ends(t, run, fermata.Completed)
	close(release)
	if err := <-left; !errors.Is(err, node.ErrTaskOver) {
		t.Errorf("the call of an attempt that is over: %v", err)
	}
	last := m.last["plan 2"]
	if diff := cmp.Diff([]string{"call_1 false second", "call_2 false nothing"}, told(&last)); diff != "" {
		t.Errorf("the model was told (-want +got):\n%s\n%s", diff, strings.Join(lines(t, store, run.ID()), "\n"))
	}
}

// Cancelling a run tells its tools to stop, and what they say then is not recorded.
func TestF3_CancelWhileToolsAreAtWork(t *testing.T) {
	g := newGate()
	m := newTalk(map[string][]scripted.Reply{"plan": {wants("hold", `{"city":"Rome"}`, "hold", `{"city":"Oslo"}`), replies("done")}})
	rt, store := withModels(t, model.Model(m))
	hold := toolOf(t, "hold", func(ctx node.Context, _ string) (string, error) { return "", g.pass(ctx) })
	run := start(t, rt, reasons(node.Reasoning{Prompt: "plan it", Tools: []node.Tool{hold}}), state{})
	g.waitEntered(t)
	g.waitEntered(t)
	if err := rt.Cancel(t.Context(), run.ID(), "enough", ""); err != nil {
		t.Fatal(err)
	}
	ends(t, run, fermata.Cancelled)
	all := lines(t, store, run.ID())
	if n := count(all, "step.finished a#1 tool:"); n > 0 {
		t.Errorf("journal:\n%s", strings.Join(all, "\n"))
	}
}

// Stopping leaves the calls that have ended, and a new drive makes the others again.
func TestF3_StopWhileToolsAreAtWork(t *testing.T) {
	gate := newGate()
	var stopped atomic.Bool
	d := newDesk()
	m := newTalk(map[string][]scripted.Reply{"plan": {wants("weather", `{"city":"Rome"}`, "hold", `{"city":"Oslo"}`), replies("done")}})
	rt, store := withModels(t, model.Model(m))
	hold := toolOf(t, "hold", func(ctx node.Context, _ string) (string, error) {
		d.does("hold")
		if stopped.Load() {
			return "held", nil
		}
		return "", gate.pass(ctx)
	})
	g := reasons(node.Reasoning{Prompt: "plan it", Tools: []node.Tool{d.tool(t, "weather"), hold}})
	run := start(t, rt, g, state{})
	gate.waitEntered(t)
	eventually(t, "the first tool is done", func() bool { return count(lines(t, store, run.ID()), "step.finished a#1 tool:") == 1 })
	stopped.Store(true)
	_ = run.Stop(0)
	ends(t, resume(t, rt, g, run.ID()), fermata.Completed)
	if diff := cmp.Diff(map[string]int{"weather Rome": 1, "hold": 2}, d.counts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A tool that must not happen twice is not repeated after a crash in the middle of it.
func TestJ5_CrashToolsThatMustNotHappenTwice(t *testing.T) {
	t.Parallel()
	d := newDesk()
	pay := d.tool(t, "pay")
	pay.Once = true
	m := newTalk(map[string][]scripted.Reply{"plan": {wants("pay", `{"city":"Rome"}`, "weather", `{"city":"Rome"}`), replies("done")}})
	g := reasons(node.Reasoning{Prompt: "plan it", Tools: []node.Tool{pay, d.tool(t, "weather")}})
	report := fermatatest.Crash(t, g.Plan(), func() any { return &state{} },
		fermatatest.WithOptions(fermata.Options{Services: []any{model.Model(m)}}),
		fermatatest.Effects(d.counts), fermatatest.OnlyOnce("pay Rome"))
	if report.Result.Status != fermata.Completed {
		t.Errorf("the run is %s: %v", report.Result.Status, report.Result.Err)
	}
}

// keyed counts the keys of what a model is asked.
type keyed struct {
	model.Model
	keys calls
}

func (k *keyed) Generate(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	k.keys.add(strings.ReplaceAll(req.Key, nodehost.Inside, "/"))
	return k.Model.Generate(ctx, req)
}

var twice = graph.Retry(2, time.Millisecond)

// A new attempt of a task whose reasoning failed for good reasons anew, under other keys.
func TestF1_ANewAttemptReasonsAnew(t *testing.T) {
	var n atomic.Int32
	m := &keyed{Model: scripted.Func(func(string) (string, error) {
		if n.Add(1) < 3 {
			return "{}", nil
		}
		return `{"city":"Rome","days":3}`, nil
	})}
	rt, store := withModels(t, model.Model(m))
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		got, err := node.Reason[trip](ctx, node.Reasoning{Prompt: "plan", Limits: node.Limits{Repairs: 1}})
		s.Text = got.City
		return s, err
	}, twice), state{}, fermata.WithID("run_anew"))
	if res := ends(t, run, fermata.Completed); res.State.Text != "Rome" {
		t.Errorf("the result is %+v", res.State)
	}
	want := map[string]int{
		"run_anew/a#1/model:reason:reason#1/llm#1": 1, "run_anew/a#1/model:reason:reason#1/llm#2": 1,
		"run_anew/a#1/model:reason:reason#1~2/llm#1": 1,
	}
	if diff := cmp.Diff(want, m.keys.all()); diff != "" {
		t.Errorf("keys (-want +got):\n%s\n%s", diff, strings.Join(lines(t, store, run.ID()), "\n"))
	}
}

// flaky fails each of the given turns once.
type flaky struct {
	*talk
	fails map[string]error
}

func (f *flaky) Generate(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	turn := 1
	for i := range req.Messages {
		if req.Messages[i].Role == model.Assistant {
			turn++
		}
	}
	key := fmt.Sprintf("turn %d", turn)
	f.mu.Lock()
	err := f.fails[key]
	delete(f.fails, key)
	f.mu.Unlock()
	if err != nil {
		return func(yield func(model.Chunk, error) bool) {
			if yield(model.Chunk{Text: `{"city":"Ol`}, nil) {
				yield(model.Chunk{}, err)
			}
		}
	}
	return f.talk.Generate(ctx, req)
}

// Where a model fails in a later turn, a new attempt keeps the turns before it and what the tools did, or failed to do.
func TestF1_ANewAttemptKeepsTheTurnsBefore(t *testing.T) {
	d := newDesk()
	m := &flaky{
		talk: newTalk(map[string][]scripted.Reply{"plan": {
			wants("weather", `{"city":"Atlantis"}`, "weather", `{"city":"Rome"}`),
			wants("weather", `{"city":"Oslo"}`), replies(`{"city":"Oslo","days":1}`),
		}}),
		fails: map[string]error{"turn 2": &model.Error{Kind: model.ErrRateLimited}, "turn 3": &model.Error{Kind: model.ErrRateLimited}},
	}
	rt, store := withModels(t, model.Model(m))
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		got, err := node.Reason[trip](ctx, node.Reasoning{Prompt: "plan", Tools: []node.Tool{d.tool(t, "weather")}, Stream: node.StreamPatch})
		s.Text = got.City
		return s, err
	}, graph.Retry(4, time.Millisecond)), state{})
	if res := ends(t, run, fermata.Completed); res.State.Text != "Oslo" {
		t.Errorf("the result is %+v", res.State)
	}
	if diff := cmp.Diff(map[string]int{"weather Atlantis": 1, "weather Rome": 1, "weather Oslo": 1}, d.counts()); diff != "" {
		t.Errorf("tools (-want +got):\n%s\n%s", diff, strings.Join(lines(t, store, run.ID()), "\n"))
	}
	if diff := cmp.Diff(map[string]int{"plan 1": 1, "plan 2": 1, "plan 3": 1}, m.counts()); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
}

// A reply that was malformed is shown to the model; where it fails after that, a new attempt keeps both.
func TestF1_AMalformedReplyAndThenARetry(t *testing.T) {
	m := &flaky{
		talk:  newTalk(map[string][]scripted.Reply{"plan": {{Text: "x", Err: &model.Error{Kind: model.ErrMalformed}}, replies("fine")}}),
		fails: map[string]error{"turn 2": &model.Error{Kind: model.ErrUnavailable}},
	}
	rt, store := withModels(t, model.Model(m))
	run := start(t, rt, reasons(node.Reasoning{Prompt: "plan"}, twice), state{})
	if res := ends(t, run, fermata.Completed); res.State.Text != "fine" {
		t.Errorf("the result is %+v", res.State)
	}
	if diff := cmp.Diff(map[string]int{"plan 1": 1, "plan 2": 1}, m.counts()); diff != "" {
		t.Errorf("turns (-want +got):\n%s\n%s", diff, strings.Join(lines(t, store, run.ID()), "\n"))
	}
}

// byAttempt is a model that says other things in each attempt of the task that asks it.
type byAttempt []*talk

func (b byAttempt) Generate(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	c, _ := node.FromContext(ctx)
	return b[min(c.Info().Attempt, len(b))-1].Generate(ctx, req)
}

// Attempts that fail in a later turn, and for good, with tools that fail, ask and sleep before: crashes change nothing.
func TestF1_CrashAttemptsOfAReasoning(t *testing.T) {
	t.Parallel()
	d := newDesk()
	unavailable := scripted.Reply{Text: `{"city":"R`, Err: &model.Error{Kind: model.ErrUnavailable}}
	first := wants("weather", `{"city":"Atlantis"}`, "book", `{"city":"Rome"}`, "nap", `{"city":"Rome"}`)
	good := replies(`{"city":"Rome","days":3}`)
	of := func(said ...scripted.Reply) *talk { return newTalk(map[string][]scripted.Reply{"plan": said}) }
	m := byAttempt{
		of(first, unavailable),                             // keeps the first turn
		of(first, replies("{}"), replies("{}")),            // fails for good, behind the first turn
		of(first, replies(`{"city":"Rome"}`), unavailable), // anew
		of(first, replies(`{"city":"Rome"}`), good),
	}
	book := d.tool(t, "book")
	book.Approval = &node.Approval{}
	nap := toolOf(t, "nap", func(ctx node.Context, _ string) (string, error) { return "awake", node.Sleep(ctx, time.Hour) })
	g := single(func(ctx node.Context, s state) (state, error) {
		got, err := node.Reason[trip](ctx, node.Reasoning{
			Prompt: "plan it", Tools: []node.Tool{d.tool(t, "weather"), book, nap}, Stream: node.StreamPatch, Limits: node.Limits{Repairs: 1},
		})
		s.Text = got.City
		return s, err
	}, graph.Retry(5, time.Minute))
	report := fermatatest.Crash(t, g.Plan(), func() any { return &state{} },
		fermatatest.AnswerFunc(func(fermata.Interrupt) any { return node.Verdict{Action: node.Approve} }),
		fermatatest.WithOptions(fermata.Options{Services: []any{model.Model(m)}}), fermatatest.Effects(d.counts))
	if report.Result.Status != fermata.Completed {
		t.Errorf("the run is %s: %v", report.Result.Status, report.Result.Err)
	}
	t.Logf("%d appends, %d crashes", len(report.Appends), report.Crashes)
}
