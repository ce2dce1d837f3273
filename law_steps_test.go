package fermata_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// A run that waits leaves nothing but its journal: no goroutine stays behind.
func TestN1_WaitingHoldsNoGoroutine(t *testing.T) {
	rt, _ := inMemory(t)
	asks := single(review(node.Within(time.Hour)))
	sleeps := single(func(ctx node.Context, s state) (state, error) { return s, node.Sleep(ctx, time.Hour) })
	question(t, start(t, rt, asks, state{})) // whatever is made once is there now
	before := runtime.NumGoroutine()
	const runs = 200
	for range runs {
		question(t, start(t, rt, asks, state{}))
		start(t, rt, sleeps, state{})
	}
	eventually(t, "all runs wait", func() bool {
		rows, err := rt.Runs(t.Context(), journal.RunFilter{Status: string(fermata.Paused)})
		return err == nil && len(rows) == 2*runs+1
	})
	eventually(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= before+2 })
}

// When it goes on, a node's function runs from the top: what is before its recorded calls runs again, they do not.
func TestN1_TheFunctionRunsAgainFromTheTop(t *testing.T) {
	rt, _ := inMemory(t)
	var did calls
	g := single(func(ctx node.Context, s state) (state, error) {
		did.add("before")
		if _, err := node.Step(ctx, "step", func(node.Context) (int, error) { return did.add("step"), nil }); err != nil {
			return s, err
		}
		did.add("between")
		if _, err := node.Interrupt[bool](ctx, nil); err != nil {
			return s, err
		}
		did.add("after the answer")
		if err := node.Sleep(ctx, time.Millisecond); err != nil {
			return s, err
		}
		did.add("after the sleep")
		return s, nil
	})
	run := start(t, rt, g, state{})
	answer(t, rt, question(t, run).ID, true)
	ends(t, run, fermata.Completed)
	want := []string{"after the answer: 2", "after the sleep: 1", "before: 3", "between: 3", "step: 1"}
	if diff := cmp.Diff(want, did.lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Calls are told apart by task, kind, key and occurrence, in loops, branches of code and visits alike.
func TestN2_EveryCallHasItsName(t *testing.T) {
	rt, store := inMemory(t)
	effect := func(ctx node.Context, key string, opts ...node.StepOption) error {
		_, err := node.Step(ctx, key, func(c node.Context) (string, error) { return node.IdempotencyKey(c), nil }, opts...)
		return err
	}
	g := graph.New[state]("names").
		Node("a", func(ctx node.Context, s state) (state, error) {
			s.N++
			for range 2 {
				if err := errors.Join(effect(ctx, "pay"), effect(ctx, "pay", node.AtMostOnce()), effect(ctx, "ship")); err != nil {
					return s, err
				}
			}
			if _, err := node.Now(ctx); err != nil {
				return s, err
			}
			return s, effect(ctx, "now")
		}).
		Edge(graph.Start, "a").
		Route("a", func(_ node.Context, s state) (string, error) {
			if s.N < 2 {
				return "a", nil
			}
			return graph.End, nil
		}, "a", graph.End).MustCompile()
	run := start(t, rt, g, state{}, fermata.WithID("run_n"))
	ends(t, run, fermata.Completed)
	var want, got []string
	for _, task := range []string{"a#1", "a#2"} {
		for _, op := range []string{
			"step:pay#1", "once:pay#1", "step:ship#1", "step:pay#2", "once:pay#2", "step:ship#2", "now:now#1", "step:now#1",
		} {
			value := fmt.Sprintf("%q", "run_n/"+task+"/"+op)
			if op == "now:now#1" {
				value = ""
			}
			want = append(want, task+" "+op+" "+value)
		}
	}
	for _, e := range entries(t, store, run.ID()) {
		if e.Kind == journal.StepFinished {
			value := string(e.Value)
			if strings.HasPrefix(e.Op, "now:") {
				value = ""
			}
			got = append(got, fmt.Sprintf("%s %s %s", node.TaskID(e.Node, int(e.Visit)), e.Op, value))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An idempotency key outside of a step names the task; it stays the same through attempts and passes.
func TestN2_TheKeyOfATask(t *testing.T) {
	rt, _ := inMemory(t)
	var keys calls
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		if keys.add(node.IdempotencyKey(ctx)) == 1 {
			return s, errFlaky
		}
		_, err := node.Interrupt[bool](ctx, nil)
		return s, err
	}, graph.Retry(2, time.Microsecond)), state{}, fermata.WithID("run_k"))
	answer(t, rt, question(t, run).ID, true)
	ends(t, run, fermata.Completed)
	if diff := cmp.Diff([]string{"run_k/a#1: 3"}, keys.lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if key := node.IdempotencyKey(t.Context()); key != "" {
		t.Errorf("outside of a node the key is %q", key)
	}
}

// What was shown or logged once is not shown or logged again, however often the function runs.
func TestN4_ReplayIsSilent(t *testing.T) {
	store, book := memory.New(), &logBook{}
	said := func(ctx node.Context, text string) error {
		ctx.Logger().Info(text)
		return node.Emit(ctx, node.EventMessage, text)
	}
	g := single(func(ctx node.Context, s state) (state, error) {
		if err := said(ctx, "one"); err != nil {
			return s, err
		}
		if _, err := node.Step(ctx, "step", func(node.Context) (int, error) { return 1, nil }); err != nil {
			return s, err
		}
		left, err := node.Ask[bool](ctx, nil, node.ID("left"))
		if err != nil {
			return s, err
		}
		right, err := node.Ask[bool](ctx, nil, node.ID("right"))
		if err != nil {
			return s, err
		}
		ctx.Logger().Info("asked both")
		if _, err := left.Wait(); err != nil {
			return s, err
		}
		ctx.Logger().Info("got left")
		if _, err := right.Wait(); err != nil {
			return s, err
		}
		ctx.Logger().With("more", 1).WithGroup("g").Info("got right")
		if err := node.Sleep(ctx, time.Millisecond); err != nil {
			return s, err
		}
		return s, said(ctx, "woke up")
	})
	rt := newRuntime(t, fermata.Options{Store: store, Logger: book.Logger()})
	run := start(t, rt, g, state{})
	ends(t, run, fermata.Paused)
	for range 2 { // and through another process
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
		rt = newRuntime(t, fermata.Options{Store: store, Logger: book.Logger()})
		run = resume(t, rt, g, run.ID())
		res := ends(t, run, fermata.Paused)
		answer(t, rt, res.Interrupts[0].ID, true)
	}
	ends(t, run, fermata.Completed)
	var logged []string
	for _, m := range book.messages() {
		if m != "answered" {
			logged = append(logged, m)
		}
	}
	want := []string{"one", "asked both", "got left", "got right", "woke up"}
	if diff := cmp.Diff(want, logged); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	shown := messages(t, store, run.ID())
	if diff := cmp.Diff([]string{`"one"`, `"woke up"`}, shown); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func messages(t *testing.T, store journal.Store, run string) []string {
	t.Helper()
	var all []string
	for _, e := range entries(t, store, run) {
		if e.Kind == journal.Message {
			all = append(all, string(e.Body))
		}
	}
	return all
}

// What is said inside a step is said once, as the step is done once, and nothing that is said later is lost over it.
func TestN4_ACallInsideAStep(t *testing.T) {
	rt, store := inMemory(t)
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		if err := node.Emit(ctx, node.EventMessage, "before"); err != nil {
			return s, err
		}
		if _, err := node.Step(ctx, "step", func(ctx node.Context) (int, error) { return 1, node.Emit(ctx, node.EventMessage, "inside") }); err != nil {
			return s, err
		}
		if _, err := node.Interrupt[bool](ctx, nil); err != nil {
			return s, err
		}
		return s, node.Emit(ctx, node.EventMessage, "after")
	}), state{})
	answer(t, rt, question(t, run).ID, true)
	ends(t, run, fermata.Completed)
	if diff := cmp.Diff([]string{`"before"`, `"inside"`, `"after"`}, messages(t, store, run.ID())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A new attempt is not a replay: what it logs is seen.
func TestN4_AttemptsLog(t *testing.T) {
	book := &logBook{}
	rt := newRuntime(t, fermata.Options{Logger: book.Logger()})
	attempts := 0
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		if _, err := node.Step(ctx, "step", func(node.Context) (int, error) { return 1, nil }); err != nil {
			return s, err
		}
		attempts++
		ctx.Logger().Info(fmt.Sprint("attempt ", attempts))
		if attempts < 3 {
			return s, errFlaky
		}
		return s, nil
	}, graph.Retry(3, time.Microsecond)), state{})
	ends(t, run, fermata.Completed)
	if diff := cmp.Diff([]string{"attempt 1", "attempt 2", "attempt 3"}, book.messages()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, want := range []string{"run=" + run.ID(), "task=a#1", "attempt=3"} {
		if !strings.Contains(book.String(), want) {
			t.Errorf("the log does not say %s:\n%s", want, book.String())
		}
	}
}

// A node that goes on after its suspension is suspended all the same; what it returns does not count, and a diagnostic
// says so.
func TestN6_SwallowedSuspensionsAreSuspensions(t *testing.T) {
	tests := map[string]func(ctx node.Context, s state, err error) (state, error){
		"ignores it":            func(_ node.Context, s state, _ error) (state, error) { return s, nil },
		"returns another error": func(_ node.Context, s state, _ error) (state, error) { return s, errFlaky },
		"panics":                func(node.Context, state, error) (state, error) { panic("lost my nerves") },
		"calls on": func(ctx node.Context, s state, _ error) (state, error) {
			_, err := node.Step(ctx, "after", func(node.Context) (int, error) { panic("the step was called") })
			if !errors.Is(err, node.ErrSuspended) {
				panic(fmt.Sprintf("the step said %v", err))
			}
			if err := node.Emit(ctx, node.EventStatus, 1); !errors.Is(err, node.ErrSuspended) {
				panic(fmt.Sprintf("emit said %v", err))
			}
			return s, nil
		},
	}
	for name, swallow := range tests {
		t.Run(name, func(t *testing.T) {
			rt, store := inMemory(t)
			g := graph.New[state]("swallow").
				Node("a", func(ctx node.Context, s state) (state, error) {
					text, err := node.Interrupt[string](ctx, nil)
					if err != nil {
						s.Text = "wrong"
						return swallow(ctx, s, err)
					}
					s.Text = text
					return s, nil
				}, graph.Retry(3, time.Microsecond)).
				Node("rescue", logged).
				Edge(graph.Start, "a").OnError("a", "rescue").MustCompile()
			run := start(t, rt, g, state{})
			answer(t, rt, question(t, run).ID, "right")
			if got := ends(t, run, fermata.Completed).State.Text; got != "right" {
				t.Errorf("the state says %q", got)
			}
			all := lines(t, store, run.ID())
			if count(all, "diagnostic a#1") != 1 || count(all, "node.retrying")+count(all, "node.started rescue") != 0 {
				t.Errorf("journal: %q", all)
			}
		})
	}
	t.Run("no diagnostic where it is returned", func(t *testing.T) {
		rt, store := inMemory(t)
		run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
			if _, err := node.Interrupt[bool](ctx, nil); err != nil {
				return s, fmt.Errorf("asking: %w", err)
			}
			return s, nil
		}), state{})
		question(t, run)
		if all := lines(t, store, run.ID()); count(all, "diagnostic") != 0 {
			t.Errorf("journal: %q", all)
		}
	})
}

type custom struct{ code int }

func (c *custom) Error() string { return fmt.Sprint("custom ", c.code) }

// A panic is an error with its stack; errors.Is and errors.As find its value where that is an error.
func TestN7_PanicsAreErrors(t *testing.T) {
	panics := func(value any) graph.Func[state] {
		return func(node.Context, state) (state, error) { panicHere(value); return state{}, nil }
	}
	route := graph.New[state]("panic").Node("a", logged).Edge(graph.Start, "a").
		Route("a", func(node.Context, state) (string, error) { panicHere(&custom{7}); return "", nil }, graph.End).MustCompile()
	inTime := single(panics(&custom{7}), graph.Timeout(time.Minute))
	inStep := single(func(ctx node.Context, s state) (state, error) {
		_, err := node.Step(ctx, "step", func(node.Context) (int, error) { panicHere(&custom{7}); return 0, nil })
		return s, err
	})
	tests := map[string]struct {
		g     *graph.Graph[state]
		text  string
		isErr bool
	}{
		"an error":       {single(panics(&custom{7})), "panic: custom 7", true},
		"a string":       {single(panics("oops")), "panic: oops", false},
		"nil":            {single(panics(nil)), "panic: " + new(runtime.PanicNilError).Error(), false},
		"in a gate":      {route, "panic: custom 7", true},
		"in its time":    {inTime, "panic: custom 7", true},
		"in a step":      {inStep, "panic: custom 7", true},
		"a run-time one": {single(func(_ node.Context, s state) (state, error) { s.Tags["x"] = 1; return s, nil }), "panic: assignment to entry in nil map", false},
	}
	for name, tt := range tests {
		check := func(t *testing.T, err error) {
			t.Helper()
			var panicked *node.PanicError
			if !errors.As(err, &panicked) {
				t.Fatalf("the error is %v, want a *PanicError in it", err)
			}
			if panicked.Error() != tt.text {
				t.Errorf("it says %q, want %q", panicked.Error(), tt.text)
			}
			if name != "a run-time one" && !strings.Contains(string(panicked.Stack), "panicHere") {
				t.Errorf("its stack does not say where:\n%s", panicked.Stack)
			}
			var value *custom
			if got := errors.As(err, &value); got != tt.isErr || got && value.code != 7 {
				t.Errorf("errors.As finds the panic's value: %t, want %t", got, tt.isErr)
			}
		}
		t.Run(name+"/on a runtime", func(t *testing.T) {
			rt, store := inMemory(t)
			run := start(t, rt, tt.g, state{})
			check(t, ends(t, run, fermata.Failed).Err)
			for _, e := range entries(t, store, run.ID()) {
				if e.Kind == journal.NodeFailed {
					body := bodyOf[journal.FailedBody](t, &e)
					if body.Code != "panic" || body.Error != tt.text || body.Stack == "" {
						t.Errorf("the journal says %s: %q, and a stack of %d bytes", body.Code, body.Error, len(body.Stack))
					}
				}
			}
		})
		t.Run(name+"/without a store", func(t *testing.T) {
			_, err := tt.g.Run(timeLimit(t), state{})
			check(t, err)
		})
	}
}

//go:noinline
func panicHere(value any) { panic(value) }

// The error that fails a run keeps its type for whoever waits, also when attempts and waits lay in between.
func TestN7_TheLastErrorKeepsItsType(t *testing.T) {
	for range 20 {
		rt, _ := inMemory(t)
		attempts := 0
		run := start(t, rt, single(func(node.Context, state) (state, error) {
			if attempts++; attempts > 1 {
				panic(&custom{attempts})
			}
			return state{}, errFlaky
		}, graph.Retry(2, time.Microsecond)), state{})
		var value *custom
		if err := ends(t, run, fermata.Failed).Err; !errors.As(err, &value) || value.code != 2 {
			t.Fatalf("the error is %v, want a *custom in it", err)
		}
	}
}

// What an author hands to the engine may panic, too.
func TestN7_AuthorsFunctionsMayPanic(t *testing.T) {
	rt, _ := inMemory(t)
	retry := single(func(node.Context, state) (state, error) { return state{}, errFlaky },
		graph.Retry(3, time.Microsecond), graph.RetryIf(func(error) bool { panic("which error?") }))
	if err := ends(t, start(t, rt, retry, state{}), fermata.Failed).Err; !errors.Is(err, errFlaky) {
		t.Errorf("the error is %v", err)
	}
	caught := graph.New[state]("catch").Node("a", failing(1)).Node("b", logged).Edge(graph.Start, "a").
		Catch("a", func(node.Context, state, error) (string, error) { panic("where to?") }, "b").MustCompile()
	if err := ends(t, start(t, rt, caught, state{}), fermata.Failed).Err; !errors.Is(err, errFlaky) {
		t.Errorf("the error is %v", err)
	}
}

// moody is a type whose marshaler panics when it is told to.
type moody struct{ Panic bool }

func (m moody) MarshalJSON() ([]byte, error) {
	if m.Panic {
		panic("not today")
	}
	return []byte(`{}`), nil
}

func (m *moody) UnmarshalJSON([]byte) error { return nil }

type withMoody struct {
	M moody
	N int
}

func TestN7_MarshalersMayPanic(t *testing.T) {
	rt, _ := inMemory(t)
	g := graph.New[withMoody]("moody").
		Node("a", func(_ node.Context, s withMoody) (withMoody, error) { s.M.Panic = true; return s, nil }).
		Edge(graph.Start, "a").MustCompile()
	run, err := g.Start(timeLimit(t), rt, withMoody{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(timeLimit(t))
	if err != nil || res.Status != fermata.Failed {
		t.Errorf("the run is %s, error %v", res.Status, err)
	}
	if _, err := g.Start(timeLimit(t), rt, withMoody{M: moody{Panic: true}}); err == nil {
		t.Error("it started with an input that cannot be encoded")
	}
}

// A state whose type cannot be stored is an error of Compile that names the path.
func TestN8_TypesThatCannotBeStored(t *testing.T) {
	type deep struct {
		Items []struct{ Done chan int }
	}
	_, err := graph.New[deep]("channels").
		Node("a", func(_ node.Context, s deep) (deep, error) { return s, nil }).Edge(graph.Start, "a").Compile()
	if err == nil || !strings.Contains(err.Error(), "Items[].Done") || !strings.Contains(err.Error(), "channel") {
		t.Errorf("the error is %v, want one that names Items[].Done and says that it is a channel", err)
	}
}

type linked struct {
	Name string
	X    float64
	Next *linked
	Any  map[string]any
}

// A value that cannot be stored fails where it is made, and names the path to what is wrong with it.
func TestN8_ValuesThatCannotBeStored(t *testing.T) {
	cycle := func(s linked) (linked, error) { s.Next = &linked{Name: "two"}; s.Next.Next = s.Next; return s, nil }
	tests := map[string]struct {
		f    func(s linked) (linked, error)
		path string
	}{
		"NaN":       {func(s linked) (linked, error) { s.Next = &linked{X: math.NaN()}; return s, nil }, "Next.X"},
		"a cycle":   {cycle, "Next"},
		"a channel": {func(s linked) (linked, error) { s.Any = map[string]any{"c": make(chan int)}; return s, nil }, `Any`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var attempts calls
			build := func(caught bool) *graph.Graph[linked] {
				b := graph.New[linked]("unstorable").
					Node("a", func(_ node.Context, s linked) (linked, error) { attempts.add("a"); s.Name = "changed"; return tt.f(s) }, graph.Retry(3, time.Microsecond)).
					Node("rescue", func(_ node.Context, s linked) (linked, error) { s.Name += " rescued"; return s, nil }).
					Edge(graph.Start, "a")
				if !caught {
					b.Route("a", func(node.Context, linked) (string, error) { return graph.End, nil }, "rescue", graph.End)
				} else {
					b.OnError("a", "rescue")
				}
				return b.MustCompile()
			}
			rt := newRuntime(t, fermata.Options{})
			run, err := build(false).Start(timeLimit(t), rt, linked{Name: "input"})
			if err != nil {
				t.Fatal(err)
			}
			res, err := run.Wait(timeLimit(t))
			if err != nil {
				t.Fatal(err)
			}
			if !errors.Is(res.Err, node.ErrNotStorable) || !strings.Contains(res.Err.Error(), tt.path) {
				t.Errorf("the error is %v, want ErrNotStorable with the path %s", res.Err, tt.path)
			}
			var e *fermata.Error
			if !errors.As(res.Err, &e) || e.Task != "a#1" {
				t.Errorf("the error does not name task a#1: %v", res.Err)
			}
			if diff := cmp.Diff([]string{"a: 1"}, attempts.lines()); diff != "" {
				t.Errorf("no other attempt can help (-want +got):\n%s", diff)
			}
			run, err = build(true).Start(timeLimit(t), rt, linked{Name: "input"}) // over an error edge goes the input
			if err != nil {
				t.Fatal(err)
			}
			if res, err = run.Wait(timeLimit(t)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(linked{Name: "input rescued"}, res.State); diff != "" {
				t.Errorf("behind the error edge (-want +got):\n%s", diff)
			}
		})
	}
}

// Results of steps, requests, answers and events that cannot be stored are refused where they are made.
func TestN8_CallsThatCannotBeStored(t *testing.T) {
	bad := map[string]any{"c": make(chan int)}
	tests := map[string]func(ctx node.Context) error{
		"step": func(ctx node.Context) error {
			_, err := node.Step(ctx, "step", func(node.Context) (any, error) { return bad, nil })
			return err
		},
		"request": func(ctx node.Context) error { _, err := node.Interrupt[bool](ctx, bad); return err },
		"default": func(ctx node.Context) error {
			_, err := node.Interrupt[bool](ctx, nil, node.Within(time.Hour), node.OrDefault(bad))
			return err
		},
		"emit": func(ctx node.Context) error { return node.Emit(ctx, node.EventMessage, bad) },
	}
	for name, call := range tests {
		t.Run(name, func(t *testing.T) {
			rt, store := inMemory(t)
			run := start(t, rt, single(func(ctx node.Context, s state) (state, error) { return s, call(ctx) }, graph.Retry(3, 1)), state{})
			res := ends(t, run, fermata.Failed)
			if !errors.Is(res.Err, node.ErrNotStorable) {
				t.Errorf("the error is %v", res.Err)
			}
			want := []string{"run.started", "node.started a#1"}
			most := 4
			if name == "step" { // which has happened, so that it is recorded what came of it
				most = 5
			}
			if diff := cmp.Diff(want, lines(t, store, run.ID())[:2]); diff != "" || len(lines(t, store, run.ID())) != most {
				t.Errorf("journal %q", lines(t, store, run.ID()))
			}
		})
	}
}

// A question whose default would not be accepted as an answer, or whose deadline leads where no edge does, is refused
// when it is asked.
func TestN8_DeadlinesAreCheckedWhenTheyAreSet(t *testing.T) {
	ask := func(opts ...node.AskOption) error {
		rt, _ := inMemory(t)
		return ends(t, start(t, rt, deadlines(opts...), state{}), fermata.Failed).Err
	}
	err := ask(node.OrDefault(map[string]any{"approve": "maybe"}))
	if err == nil || !strings.Contains(err.Error(), "default answer") || !strings.Contains(err.Error(), "approve") {
		t.Errorf("a default that does not fit: %v", err)
	}
	err = ask(node.OrRoute("lat"))
	if !errors.Is(err, fermata.ErrInvalidRoute) || !strings.Contains(err.Error(), `did you mean "late"`) {
		t.Errorf("a target that is not declared: %v", err)
	}
	err = ask(node.OrEscalate("chief", time.Hour), node.OrRoute("lat"))
	if !errors.Is(err, fermata.ErrInvalidRoute) {
		t.Errorf("a target that is not declared, behind an escalation: %v", err)
	}
}

// shared is a state full of what can be changed in place.
type shared struct {
	Tags map[string]int
	List []string
	Deep map[string][]map[string]int
	Ptr  *shared
}

func newShared() shared {
	return shared{
		Tags: map[string]int{"a": 1}, List: []string{"one", "two"},
		Deep: map[string][]map[string]int{"x": {{"y": 1}}}, Ptr: &shared{Tags: map[string]int{"p": 1}},
	}
}

// scribble changes everything in place.
func (s *shared) scribble() {
	s.Tags["a"]++
	s.List[0] += "!"
	s.Deep["x"][0]["y"]++
	s.Ptr.Tags["p"]++
}

// A node owns what it is given: attempts that fail, gates and catches may scribble in it, and nobody sees that.
func TestN9_ANodeOwnsWhatItIsGiven(t *testing.T) {
	want := newShared()
	want.scribble()
	want.scribble()
	attempts := map[string]int{}
	flaky := func(ctx node.Context, s shared) (shared, error) {
		s.scribble()
		if attempts[ctx.Info().Run+ctx.Info().Node]++; attempts[ctx.Info().Run+ctx.Info().Node] < 3 {
			return shared{}, errFlaky
		}
		return s, nil
	}
	lost := func(_ node.Context, s shared) (shared, error) { s.scribble(); return shared{}, errFlaky }
	g := graph.New[shared]("scribble").
		Node("flaky", flaky, graph.Retry(3, time.Microsecond)).
		Node("lost", lost).
		Node("caught", lost).
		Node("last", func(_ node.Context, s shared) (shared, error) { s.scribble(); return s, nil }).
		Edge(graph.Start, "flaky").Edge("flaky", "lost").OnError("lost", "caught").
		Catch("caught", func(_ node.Context, s shared, _ error) (string, error) { s.scribble(); return "last", nil }, "last").
		MustCompile()
	check := func(t *testing.T, got shared) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	t.Run("on a runtime", func(t *testing.T) {
		rt, store := inMemory(t)
		run, err := g.Start(timeLimit(t), rt, newShared())
		if err != nil {
			t.Fatal(err)
		}
		res, err := run.Wait(timeLimit(t))
		if err != nil || res.Status != fermata.Completed {
			t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
		}
		check(t, res.State)
		stored, err := newRuntime(t, fermata.Options{Store: store}).Result(t.Context(), run.ID(), g.Plan())
		if err != nil {
			t.Fatal(err)
		}
		check(t, *stored.Value.(*shared))
	})
	clear(attempts)
	t.Run("without a store", func(t *testing.T) {
		got, err := g.Run(timeLimit(t), newShared())
		if err != nil {
			t.Fatal(err)
		}
		check(t, got)
	})
}

// What a caller does with its value afterwards does not reach the run, and runs that were started with one value do not
// reach each other.
func TestN9_ARunOwnsItsInput(t *testing.T) {
	rt, store := inMemory(t)
	hold := newGate()
	g := graph.New[shared]("input").
		Node("a", func(ctx node.Context, s shared) (shared, error) {
			if err := hold.pass(ctx); err != nil {
				return s, err
			}
			s.scribble()
			return s, nil
		}).
		Node("b", func(_ node.Context, s shared) (shared, error) { s.scribble(); return s, nil }).
		Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	input := newShared()
	var runs []*graph.Run[shared]
	for range 4 {
		run, err := g.Start(timeLimit(t), rt, input)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
		hold.waitEntered(t)
	}
	input.scribble()
	close(hold.open)
	want := newShared()
	want.scribble()
	want.scribble()
	for _, run := range runs {
		res, err := run.Wait(timeLimit(t))
		if err != nil || res.Status != fermata.Completed {
			t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
		}
		if diff := cmp.Diff(want, res.State); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		stored, err := newRuntime(t, fermata.Options{Store: store}).Result(t.Context(), run.ID(), g.Plan())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&want, stored.Value); diff != "" {
			t.Errorf("in the store (-want +got):\n%s", diff)
		}
	}
}

// What Wait has returned is the caller's.
func TestN9_AResultIsTheCallers(t *testing.T) {
	rt, _ := inMemory(t)
	g := graph.New[shared]("result").Node("a", func(_ node.Context, s shared) (shared, error) { return s, nil }).Edge(graph.Start, "a").MustCompile()
	run, err := g.Start(timeLimit(t), rt, newShared())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		res, err := run.Wait(timeLimit(t))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(newShared(), res.State); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		res.State.scribble()
	}
}
