package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/telemetry"
)

// asking is a graph whose one node makes a step, asks, and makes another step. Its own span at the top is made in each
// pass.
func asking(tracer trace.Tracer) *graph.Graph[state] {
	return graph.New[state]("asking").
		Node("review", func(ctx node.Context, s state) (state, error) {
			own(ctx, tracer, "own, at the top")
			if _, err := node.Step(ctx, "draft", func(ctx node.Context) (int, error) {
				own(ctx, tracer, "own, in the draft")
				return 1, nil
			}); err != nil {
				return s, err
			}
			if _, err := node.Interrupt[bool](ctx, "?", node.Role("manager")); err != nil {
				return s, err
			}
			own(ctx, tracer, "own, after the answer")
			_, err := node.Step(ctx, "send", func(node.Context) (int, error) { return 1, nil })
			return s, err
		}).
		Edge(graph.Start, "review").MustCompile()
}

func own(ctx context.Context, tracer trace.Tracer, name string) {
	_, span := tracer.Start(ctx, name)
	span.End()
}

// Three processes: one asks and is gone, one records the answer and knows no plan, one takes the run over. Each makes
// the spans of what it stored; together they are one tree, with the node's own spans in it, each once.
func TestN4_ProcessesMakeOneTrace(t *testing.T) {
	ctx, store := timeLimit(t), memory.New()
	var a, b, c kept
	_, provider := a.process(t)
	first := a.runtime(t, fermata.Options{Store: store})
	run, err := asking(provider.Tracer("own")).Start(ctx, first, state{}, fermata.WithID("run_1"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	second := b.runtime(t, fermata.Options{Store: store})
	if err := second.Answer(ctx, res.Interrupts[0].ID, true, fermata.AsRole("manager")); err != nil {
		t.Fatal(err)
	}

	_, provider = c.process(t)
	third := c.runtime(t, fermata.Options{Store: store})
	run, err = asking(provider.Tracer("own")).Resume(ctx, third, "run_1")
	if err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Completed {
		t.Fatal(res.Status, err)
	}

	var all []sdktrace.ReadOnlySpan
	var by []string
	for i, k := range []*kept{&a, &b, &c} {
		spans := k.take()
		for _, s := range spans {
			by = append(by, fmt.Sprintf("%c %s", 'a'+rune(i), s.Name()))
			if s.SpanContext().TraceID() != telemetry.TraceID("run_1") {
				t.Errorf("%s is in trace %s, want that of the run", s.Name(), s.SpanContext().TraceID())
			}
		}
		all = append(all, spans...)
	}
	want := []string{
		"a own, at the top", "a own, in the draft", "a step draft", "b interrupt", "c own, after the answer", "c step send",
		"c task review", "c run asking",
	}
	if diff := cmp.Diff(want, by); diff != "" {
		t.Error(diff)
	}
	const tree = `run asking: status=completed [paused] [resumed answer]
  task review#1: attempt=1 outcome=finished [suspended 1 interrupt:interrupt#1]
    own, at the top:
    step draft: attempt=1 op=step:draft#1 outcome=finished
      own, in the draft:
    interrupt: attempt=1 op=interrupt:interrupt#1 state=answered role=manager
    own, after the answer:
    step send: attempt=1 op=step:send#1 outcome=finished
`
	if diff := cmp.Diff(tree, draw(all, line)); diff != "" {
		t.Error(diff)
	}
	if again := twice(all); len(again) > 0 {
		t.Errorf("spans with the same id: %q", again)
	}
}

// The retry of a failed run is a leg of its own: what failed has its span, and what follows has another one.
func TestF2_RetryMakesAnotherLeg(t *testing.T) {
	ctx, k := timeLimit(t), &kept{}
	rt := k.runtime(t, fermata.Options{})
	fails := true
	sub := graph.New[state]("inner").
		Node("a", func(ctx node.Context, s state) (state, error) {
			return node.Step(ctx, "work", func(node.Context) (state, error) { return s, nil })
		}).
		Node("b", func(_ node.Context, s state) (state, error) {
			if fails {
				return s, errors.New("no luck")
			}
			return s, nil
		}).Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	g := graph.New[state]("outer").Sub("sub", sub).Edge(graph.Start, "sub").MustCompile()
	run, err := g.Start(ctx, rt, state{}, fermata.WithID("run_1"))
	if err != nil {
		t.Fatal(err)
	}
	if res, _ := run.Wait(ctx); res.Status != fermata.Failed {
		t.Fatal(res.Status)
	}
	fails = false
	if run, err = g.Retry(ctx, rt, "run_1"); err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Completed {
		t.Fatal(res.Status, err)
	}
	spans := k.take()
	const tree = `run outer: status=failed error.type=_OTHER ERROR no luck
  task sub#1: attempt=1 outcome=failed error.type=_OTHER ERROR no luck
    task sub/a#1: attempt=1 outcome=finished
      step work: attempt=1 op=step:work#1 outcome=finished
    task sub/b#1: attempt=1 outcome=failed error.type=_OTHER ERROR no luck
  run outer: status=completed retry=true
    task sub#1: attempt=1 outcome=finished
      task sub/b#1: attempt=2 outcome=finished
`
	if diff := cmp.Diff(tree, draw(spans, line)); diff != "" {
		t.Error(diff)
	}
	if again := twice(spans); len(again) > 0 {
		t.Errorf("spans with the same id: %q", again)
	}
}

// A run that is cancelled cuts off its tasks: whoever cancels makes their spans, so that no step is without a parent.
func TestF3_CancelCutsTasksOff(t *testing.T) {
	ctx, store := timeLimit(t), memory.New()
	var a, b kept
	_, provider := a.process(t)
	rt := a.runtime(t, fermata.Options{Store: store})
	run, err := asking(provider.Tracer("own")).Start(ctx, rt, state{}, fermata.WithID("run_1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if err := b.runtime(t, fermata.Options{Store: store}).Cancel(ctx, "run_1", "no longer wanted", "ada"); err != nil {
		t.Fatal(err)
	}
	const tree = `run asking: status=cancelled [paused]
  task review#1: attempt=1 outcome=cut_off [suspended 1 interrupt:interrupt#1]
    own, at the top:
    step draft: attempt=1 op=step:draft#1 outcome=finished
      own, in the draft:
    interrupt: attempt=1 op=interrupt:interrupt#1 state=withdrawn role=manager
`
	if diff := cmp.Diff(tree, draw(append(a.take(), b.take()...), line)); diff != "" {
		t.Error(diff)
	}
}

// A run without a store has a trace, too, and two of them have two.
func TestEvaluate(t *testing.T) {
	k := &kept{}
	observer, _ := k.process(t)
	g := graph.New[state]("quick").
		Node("a", func(ctx node.Context, s state) (state, error) {
			return node.Step(ctx, "work", func(node.Context) (state, error) { return s, nil })
		}).Edge(graph.Start, "a").MustCompile()
	const tree = `run quick: status=completed
  task a#1: attempt=1 outcome=finished
    step work: attempt=1 op=step:work#1 outcome=finished
`
	traces := make(map[trace.TraceID]bool)
	for range 2 {
		if _, err := fermata.Evaluate(timeLimit(t), g.Plan(), &state{}, fermata.Options{Observer: observer}); err != nil {
			t.Fatal(err)
		}
		spans := k.take()
		if diff := cmp.Diff(tree, draw(spans, line)); diff != "" {
			t.Error(diff)
		}
		traces[spans[0].SpanContext().TraceID()] = true
		for _, s := range spans {
			if s.StartTime().Year() < 2020 || s.EndTime().Before(s.StartTime()) {
				t.Errorf("%s: from %s to %s", s.Name(), s.StartTime(), s.EndTime())
			}
		}
	}
	if len(traces) != 2 {
		t.Errorf("two runs have %d traces", len(traces))
	}
}

// A deadline's edge ends the task that asked; the question and the task say so.
func TestH4_RoutedDeadline(t *testing.T) {
	ctx, k, clock := timeLimit(t), &kept{}, fermatatest.NewClock(fermatatest.Epoch)
	rt := k.runtime(t, fermata.Options{Clock: clock})
	g := graph.New[state]("late").
		Node("ask", func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, "?", node.Within(time.Hour), node.OrRoute("remind"))
			return s, err
		}).
		Node("remind", func(_ node.Context, s state) (state, error) { return s, nil }).
		Edge(graph.Start, "ask").OnDeadline("ask", "remind").MustCompile()
	run, err := g.Start(ctx, rt, state{})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Paused {
		t.Fatal(res.Status, err)
	}
	clock.Advance(time.Hour)
	for { // until the alarm has woken the run
		if res, err := run.Wait(ctx); err != nil || res.Status == fermata.Completed {
			break
		}
	}
	const tree = `run late: status=completed [paused] [resumed timer]
  task ask#1: attempt=1 outcome=expired route=remind [suspended 1 interrupt:interrupt#1]
    interrupt: attempt=1 op=interrupt:interrupt#1 state=expired
  task remind#1: attempt=1 outcome=finished
`
	spans := k.take()
	if diff := cmp.Diff(tree, draw(spans, line)); diff != "" {
		t.Error(diff)
	}
	for _, s := range spans {
		want := time.Hour
		if s.Name() == "task remind" {
			want = 0
		}
		if took := s.EndTime().Sub(s.StartTime()); took.Round(time.Minute) != want {
			t.Errorf("%s took %s, want %s by the runtime's clock", s.Name(), took, want)
		}
	}
}

// Neither values, questions and answers, nor the token, nor who answered, come into a span.
func TestH5_SpansHoldNoSecrets(t *testing.T) {
	ctx, k := timeLimit(t), &kept{}
	rt := k.runtime(t, fermata.Options{})
	g := graph.New[state]("secrets").
		Node("a", func(ctx node.Context, s state) (state, error) {
			text, err := node.Step(ctx, "read", func(node.Context) (string, error) { return secret + " of the step", nil })
			if err != nil {
				return s, err
			}
			s.Text, err = node.Interrupt[string](ctx, secret+" in the request", node.Prompt(secret+" in the prompt"))
			s.Text += text
			return s, err
		}).Edge(graph.Start, "a").MustCompile()
	run, err := g.Start(ctx, rt, state{Text: secret + " of the input"})
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	q := res.Interrupts[0]
	if err := rt.Answer(ctx, q.ID, secret+" of the answer", fermata.AsPerson("Ada Person"), fermata.WithToken(q.Token)); err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(ctx); err != nil || !strings.Contains(res.State.Text, secret) {
		t.Fatal(res.State, err)
	}
	var all []string
	for _, s := range k.take() {
		all = append(all, fmt.Sprintf("%s %v %v %v %v", s.Name(), s.Attributes(), s.Events(), s.Status(), s.Links()))
	}
	text := strings.Join(all, "\n")
	for _, hidden := range []string{secret, "Ada Person", q.Token, q.TokenHash} {
		if hidden == "" || strings.Contains(text, hidden) {
			t.Errorf("%q is in the spans:\n%s", hidden, text)
		}
	}
	if !slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(s, "interrupt ") }) {
		t.Errorf("no interrupt among the spans:\n%s", text)
	}
}
