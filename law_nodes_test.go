package fermata_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// asks asks two questions at once, and waits for them in order.
func asks(ctx node.Context, s state) (state, error) {
	left, err := node.Ask[string](ctx, nil, node.ID("left"), node.Prompt("left?"))
	if err != nil {
		return s, err
	}
	right, err := node.Ask[string](ctx, nil, node.ID("right"), node.Prompt("right?"))
	if err != nil {
		return s, err
	}
	l, err := left.Wait()
	if err != nil {
		return s, err
	}
	r, err := right.Wait()
	if err != nil {
		return s, err
	}
	s.Text = l + r
	return s, nil
}

// Two questions that are open at once are answered in either order, each by its own id.
func TestN5_QuestionsAreAnsweredInAnyOrder(t *testing.T) {
	opened := []string{
		"run.started", "node.started a#1", "interrupt a#1 interrupt:left#1", "interrupt a#1 interrupt:right#1",
		"node.suspended a#1 interrupt:left#1", "run.paused",
	}
	tests := []struct {
		name  string
		order []string
		want  []string
	}{
		{"as asked", []string{"left", "right"}, []string{
			"interrupt.resolved a#1 answered \"left\"", "run.resumed answer", "node.suspended a#1 interrupt:right#1", "run.paused",
			"interrupt.resolved a#1 answered \"right\"", "run.resumed answer", "node.finished a#1", "run.finished completed",
		}},
		{"the other way round", []string{"right", "left"}, []string{
			"interrupt.resolved a#1 answered \"right\"",
			"interrupt.resolved a#1 answered \"left\"", "run.resumed answer", "node.finished a#1", "run.finished completed",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rt, store := inMemory(t)
			g := single(asks)
			run := start(t, rt, g, state{})
			res := ends(t, run, fermata.Paused)
			ids := make(map[string]string)
			for _, q := range res.Interrupts {
				ids[q.Prompt] = q.ID
			}
			for i, which := range tt.order {
				answer(t, rt, ids[which+"?"], which)
				if i == 0 {
					q := question(t, run)
					if q.ID == ids[which+"?"] {
						t.Errorf("%s is still open after its answer", which)
					}
				}
			}
			if got := ends(t, run, fermata.Completed).State.Text; got != "leftright" {
				t.Errorf("the node got %q", got)
			}
			if diff := cmp.Diff(append(append([]string(nil), opened...), tt.want...), lines(t, store, run.ID())); diff != "" {
				t.Errorf("journal (-want +got):\n%s", diff)
			}
		})
	}
}

// Questions that a node asks one after the other: the answer to the first is there when the second is answered.
func TestN5_QuestionsInSequence(t *testing.T) {
	rt, _ := inMemory(t)
	var effects calls
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		for _, prompt := range []string{"name?", "colour?"} {
			text, err := node.Interrupt[string](ctx, nil, node.Prompt(prompt))
			if err != nil {
				return s, err
			}
			if _, err := node.Step(ctx, "note", func(node.Context) (int, error) { return effects.add(text), nil }); err != nil {
				return s, err
			}
			s.Log = append(s.Log, text)
		}
		return s, nil
	}), state{})
	for _, text := range []string{"Ada", "blue"} {
		answer(t, rt, question(t, run).ID, text)
	}
	if diff := cmp.Diff([]string{"Ada", "blue"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Ada: 1", "blue: 1"}, effects.lines()); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
}

// A question that its node does not wait for is taken back when the run comes to its end, and does not hold it up.
func TestN5_AQuestionThatNobodyWaitsForDoesNotHoldTheRun(t *testing.T) {
	rt, store := inMemory(t)
	g := graph.New[state]("aside").
		Node("a", func(ctx node.Context, s state) (state, error) {
			_, err := node.Ask[string](ctx, nil, node.Prompt("by the way?"))
			return s, err
		}).
		Node("b", logged).
		Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	run := start(t, rt, g, state{})
	ends(t, run, fermata.Completed)
	want := []string{
		"run.started", "node.started a#1", "interrupt a#1 interrupt:interrupt#1", "node.finished a#1",
		"node.started b#1", "node.finished b#1", "interrupt.resolved withdrawn", "run.finished completed",
	}
	if diff := cmp.Diff(want, lines(t, store, run.ID())); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
}

// Replayed code that parts from its journal stops the run and says where.
func TestN3_DivergenceStopsTheRun(t *testing.T) {
	record := func(ctx node.Context, key string) error {
		_, err := node.Step(ctx, key, func(node.Context) (string, error) { return key, nil })
		return err
	}
	ask := func(ctx node.Context, prompt string) error {
		_, err := node.Interrupt[string](ctx, nil, node.Prompt(prompt))
		return err
	}
	first := func(ctx node.Context) error {
		return errors.Join(record(ctx, "one"), record(ctx, "two"), ask(ctx, "go on?"))
	}
	tests := []struct {
		name            string
		then            func(ctx node.Context) error
		expected, found string
	}{
		{
			"a step is skipped",
			func(ctx node.Context) error {
				return errors.Join(record(ctx, "one"), ask(ctx, "go on?"))
			},
			"step:two#1", "its end",
		},
		{
			"another step",
			func(ctx node.Context) error { return errors.Join(record(ctx, "one"), record(ctx, "three")) },
			"step:two#1", "step:three#1",
		},
		{
			"a new step in between",
			func(ctx node.Context) error {
				return errors.Join(record(ctx, "one"), record(ctx, "two"), record(ctx, "three"), ask(ctx, "go on?"))
			},
			"interrupt:interrupt#1", "step:three#1",
		},
		{
			"another question in its place",
			func(ctx node.Context) error {
				return errors.Join(record(ctx, "one"), record(ctx, "two"), ask(ctx, "delete it all?"))
			},
			"interrupt:interrupt#1 as it was asked", "another question in its place (a question whose text may vary needs node.ID)",
		},
		{
			"a step where a question was",
			func(ctx node.Context) error {
				return errors.Join(record(ctx, "one"), record(ctx, "two"), record(ctx, "interrupt"))
			},
			"interrupt:interrupt#1", "step:interrupt#1",
		},
		{
			"the divergence is swallowed",
			func(ctx node.Context) error {
				_ = record(ctx, "other")
				return nil
			},
			"step:one#1", "step:other#1",
		},
		{
			"it just returns",
			func(node.Context) error { return nil },
			"step:one#1", "its end",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rt, store := inMemory(t)
			passes := 0
			g := graph.New[state]("diverging").
				Node("a", func(ctx node.Context, s state) (state, error) {
					if passes++; passes == 1 {
						return s, first(ctx)
					}
					return s, tt.then(ctx)
				}, graph.Retry(3, 1)).
				Node("rescue", logged).
				Edge(graph.Start, "a").OnError("a", "rescue").MustCompile()
			run := start(t, rt, g, state{})
			answer(t, rt, question(t, run).ID, "yes")
			for fermata.Driving(rt) > 0 { // Wait comes late, and knows no less
				time.Sleep(time.Millisecond)
			}
			res := ends(t, run, fermata.Blocked)
			if !errors.Is(res.Err, fermata.ErrDiverged) {
				t.Errorf("the error is %v, want ErrDiverged", res.Err)
			}
			var diverged *node.DivergedError
			if !errors.As(res.Err, &diverged) {
				t.Fatalf("the error is %T, want a *node.DivergedError in it", res.Err)
			}
			want := node.DivergedError{Task: "a#1", Expected: tt.expected, Found: tt.found}
			if diff := cmp.Diff(want, *diverged); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			all := lines(t, store, run.ID())
			if count(all, "node.started rescue") > 0 || count(all, "node.retrying") > 0 {
				t.Errorf("the run went on: %q", all)
			}
		})
	}
}

// An answer goes to the question that was asked, also when the questions have changed places.
func TestN3_AnAnswerIsNotGivenToAnotherQuestion(t *testing.T) {
	rt, _ := inMemory(t)
	passes := 0
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		prompts := []string{"pay?", "delete?"}
		if passes++; passes > 1 {
			prompts = []string{"delete?", "pay?"}
		}
		for _, prompt := range prompts {
			yes, err := node.Interrupt[bool](ctx, nil, node.Prompt(prompt))
			if err != nil {
				return s, err
			}
			if yes {
				s.Log = append(s.Log, prompt)
			}
		}
		return s, nil
	}), state{})
	answer(t, rt, question(t, run).ID, true)
	res := ends(t, run, fermata.Blocked)
	if !errors.Is(res.Err, fermata.ErrDiverged) {
		t.Errorf("the error is %v, want ErrDiverged", res.Err)
	}
}

// Questions with an ID keep their answers when their text varies.
func TestN3_NamedQuestionsMayVary(t *testing.T) {
	rt, _ := inMemory(t)
	passes := 0
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		passes++
		yes, err := node.Interrupt[bool](ctx, passes, node.ID("pay"), node.Prompt("pay now, at pass "+string(rune('0'+passes))+"?"))
		if err != nil {
			return s, err
		}
		if yes {
			s.Text = "paid"
		}
		return s, nil
	}), state{})
	answer(t, rt, question(t, run).ID, true)
	if got := ends(t, run, fermata.Completed).State.Text; got != "paid" {
		t.Errorf("the node got %q", got)
	}
}

// say says a text from inside a step.
func say(ctx node.Context, text string) error { return node.Emit(ctx, node.EventMessage, text) }

// Calls may be made inside of a step. The step answers for them: a replay does not go in there again.
func TestN2_CallsInsideAStep(t *testing.T) {
	pause := func(ctx node.Context) error {
		_, err := node.Interrupt[bool](ctx, nil)
		return err
	}
	step := func(ctx node.Context, key string, do func(node.Context) error, opts ...node.StepOption) error {
		_, err := node.Step(ctx, key, func(ctx node.Context) (int, error) { return 1, do(ctx) }, opts...)
		return err
	}
	done := func(node.Context) error { return nil }
	tests := []struct {
		name  string
		f     func(ctx node.Context) error
		pause int // how many questions it asks
	}{
		{"messages", func(ctx node.Context) error {
			return errors.Join(say(ctx, "1"), step(ctx, "s", func(ctx node.Context) error { return errors.Join(say(ctx, "2"), say(ctx, "3")) }), pause(ctx), say(ctx, "4"))
		}, 1},
		{"a step", func(ctx node.Context) error {
			return errors.Join(
				step(ctx, "outer", func(ctx node.Context) error {
					return errors.Join(say(ctx, "1"), step(ctx, "inner", func(ctx node.Context) error { return say(ctx, "2") }), say(ctx, "3"))
				}),
				pause(ctx), step(ctx, "inner", func(ctx node.Context) error { return say(ctx, "4") }), pause(ctx),
			)
		}, 2},
		{"steps of the same name", func(ctx node.Context) error {
			return errors.Join(
				step(ctx, "s", func(ctx node.Context) error {
					return errors.Join(step(ctx, "s", func(ctx node.Context) error { return say(ctx, "1") }), say(ctx, "2"))
				}),
				pause(ctx), step(ctx, "s", func(ctx node.Context) error { return say(ctx, "3") }), say(ctx, "4"), pause(ctx),
			)
		}, 2},
		{"a question", func(ctx node.Context) error {
			if err := step(ctx, "s", pause); err != nil {
				return err
			}
			return errors.Join(say(ctx, "1"), pause(ctx), say(ctx, "2"), say(ctx, "3"), say(ctx, "4"))
		}, 2},
		{"the time", func(ctx node.Context) error {
			now := func(ctx node.Context) error { _, err := node.Now(ctx); return err }
			return errors.Join(now(ctx), step(ctx, "s", now), say(ctx, "1"), pause(ctx), now(ctx), say(ctx, "2"), say(ctx, "3"), say(ctx, "4"))
		}, 1},
		{"after a step that was done at most once", func(ctx node.Context) error {
			return errors.Join(step(ctx, "s", func(ctx node.Context) error { return say(ctx, "1") }, node.AtMostOnce()), say(ctx, "2"), pause(ctx), say(ctx, "3"), say(ctx, "4"))
		}, 1},
		{"beside it, with names like those", func(ctx node.Context) error {
			return errors.Join(
				step(ctx, "s", func(ctx node.Context) error { return say(ctx, "1") }), step(ctx, "bob@step:s#1", done), step(ctx, "mail@example.org", func(ctx node.Context) error { return say(ctx, "2") }),
				step(ctx, "s#1", done), step(ctx, "", done), step(ctx, "a/b:c@d", done),
				pause(ctx), say(ctx, "3"), step(ctx, "mail@example.org", done), pause(ctx), say(ctx, "4"),
			)
		}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rt, store := inMemory(t)
			run := start(t, rt, single(func(ctx node.Context, s state) (state, error) { return s, tt.f(ctx) }), state{})
			for range tt.pause {
				answer(t, rt, question(t, run).ID, true)
			}
			ends(t, run, fermata.Completed)
			if diff := cmp.Diff([]string{`"1"`, `"2"`, `"3"`, `"4"`}, messages(t, store, run.ID())); diff != "" {
				t.Errorf("said (-want +got):\n%s", diff)
			}
		})
	}
}

// A step that was lost halfway happens again with what was called inside of it, and nothing is said twice.
func TestJ5_AStepIsLostBehindCallsInside(t *testing.T) {
	tests := map[string]struct {
		opts    []node.StepOption
		lost    int // the append that gets lost, after the plan's outline and the start
		unknown bool
		said    []string
	}{
		"the message is lost":                {nil, 3, false, []string{`"inside"`, `"after"`}},
		"the step is lost":                   {nil, 4, false, []string{`"inside"`, `"after"`}},
		"at most once, the intent is lost":   {[]node.StepOption{node.AtMostOnce()}, 3, false, []string{`"inside"`, `"after"`}},
		"at most once, the message is lost":  {[]node.StepOption{node.AtMostOnce()}, 4, true, nil},
		"at most once, the outcome is lost":  {[]node.StepOption{node.AtMostOnce()}, 5, true, []string{`"inside"`}},
		"what is said behind it is lost":     {nil, 5, false, []string{`"inside"`, `"after"`}},
		"the outcome of the task is lost":    {nil, 6, false, []string{`"inside"`, `"after"`}},
		"at most once, the last one is lost": {[]node.StepOption{node.AtMostOnce()}, 7, false, []string{`"inside"`, `"after"`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			store := memory.New()
			faulty := journaltest.NewFaulty(store)
			faulty.FailAppend(tt.lost, journaltest.Before)
			g := single(func(ctx node.Context, s state) (state, error) {
				if _, err := node.Step(ctx, "s", func(ctx node.Context) (int, error) { return 1, say(ctx, "inside") }, tt.opts...); err != nil {
					return s, err
				}
				return s, say(ctx, "after")
			})
			rt := newRuntime(t, fermata.Options{Store: faulty})
			fermata.Hurry(rt)
			run := start(t, rt, g, state{})
			res := wait(t, run)
			if tt.unknown != errors.Is(res.Err, node.ErrOutcomeUnknown) || tt.unknown == (res.Status == fermata.Completed) {
				t.Errorf("the run is %s: %v", res.Status, res.Err)
			}
			if diff := cmp.Diff(tt.said, messages(t, store, run.ID())); diff != "" {
				t.Errorf("said (-want +got):\n%s", diff)
			}
		})
	}
}
