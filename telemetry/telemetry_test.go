package telemetry_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/telemetry"
)

type state struct {
	N    int    `json:"n,omitempty"`
	Text string `json:"text,omitempty"`
}

const secret = "swordfish"

// inner is a graph of two nodes: a step with a step inside, and a sleep.
func inner() *graph.Graph[state] {
	return graph.New[state]("inner").
		Node("fetch", func(ctx node.Context, s state) (state, error) {
			text, err := node.Step(ctx, "page", func(ctx node.Context) (string, error) {
				return node.Step(ctx, "line", func(node.Context) (string, error) { return secret, nil })
			})
			s.Text = text
			return s, err
		}).
		Node("rest", func(ctx node.Context, s state) (state, error) { return s, node.Sleep(ctx, time.Hour) }).
		Edge(graph.Start, "fetch").Edge("fetch", "rest").MustCompile()
}

// story is a graph with a bit of everything: a subgraph, a retry, a question and a loop with a gate.
func story() *graph.Graph[state] {
	return graph.New[state]("story").
		Sub("gather", inner()).
		Node("flaky", func(ctx node.Context, s state) (state, error) {
			if _, err := node.Step(ctx, "try", func(node.Context) (int, error) {
				if ctx.Info().Attempt == 1 {
					return 0, errors.New("no luck")
				}
				return 1, nil
			}); err != nil {
				return s, err
			}
			return s, nil
		}, graph.Retry(2, time.Minute)).
		Node("review", func(ctx node.Context, s state) (state, error) {
			ok, err := node.Interrupt[bool](ctx, secret, node.Role("manager"))
			if ok {
				s.N++
			}
			return s, err
		}).
		Edge(graph.Start, "gather").Edge("gather", "flaky").Edge("flaky", "review").
		Route("review", func(_ node.Context, s state) (string, error) {
			if s.N == 2 {
				return graph.End, nil
			}
			return "review", nil
		}, "review", graph.End).
		MustCompile()
}

const storyTree = `run story: status=completed [paused] [resumed timer] [paused] [resumed answer] [paused] [resumed answer]
  task gather#1: attempt=1 outcome=finished
    task gather/fetch#1: attempt=1 outcome=finished
      step page: attempt=1 op=step:page#1 outcome=finished
        step line: attempt=1 op=step:step:page#1/line#1 outcome=finished
    task gather/rest#1: attempt=1 outcome=finished [suspended 1 sleep:sleep#1]
      sleep: attempt=1 op=sleep:sleep#1 outcome=finished
  task flaky#1: attempt=2 outcome=finished [attempt failed 1 no luck]
    step try: attempt=1 op=step:try#1 outcome=failed error.type=_OTHER ERROR no luck
    step try: attempt=2 op=step:try#1 outcome=finished
  task review#1: attempt=1 outcome=finished route=review [suspended 1 interrupt:interrupt#1]
    interrupt: attempt=1 op=interrupt:interrupt#1 state=answered role=manager
  task review#2: attempt=1 outcome=finished route=END [suspended 1 interrupt:interrupt#1]
    interrupt: attempt=1 op=interrupt:interrupt#1 state=answered role=manager
`

var storyAnswers = fermatatest.Answers(map[string][]any{"review": {true, true}})

// Without a crash the tree is exact: run, tasks, steps, and what was waited for. With crashes, before and after every
// append, no span is made twice by all processes together, each is one of the tree's, and what is missing was stored
// by a process that died before it could tell.
func TestN4_CrashesMakeNoSpanTwice(t *testing.T) {
	k := &kept{}
	observer, _ := k.process(t)
	var runs [][]sdktrace.ReadOnlySpan
	gather := func() {
		if spans := k.take(); len(spans) > 0 {
			runs = append(runs, spans)
		}
	}
	report := fermatatest.Crash(t, story().Plan(), func() any { return &state{} }, storyAnswers, fermatatest.Before(gather),
		fermatatest.WithOptions(fermata.Options{Observer: observer}))
	gather()
	if diff := cmp.Diff(storyTree, draw(runs[0], line)); diff != "" {
		t.Fatal(diff)
	}
	whole := counted(runs[0])
	complete, missing, most := 0, 0, 0
	for i, spans := range runs[1:] {
		if again := twice(spans); len(again) > 0 {
			t.Errorf("exploration %d: spans with the same id: %q", i, again)
		}
		found := counted(spans)
		lost := 0
		for text, n := range whole {
			lost += max(n-found[text], 0)
		}
		for text, n := range found {
			if n > whole[text] {
				t.Errorf("exploration %d: %d spans %q, want at most %d", i, n, text, whole[text])
			}
		}
		missing, most = missing+lost, max(most, lost)
		if lost > 0 {
			continue
		}
		complete++
		if diff := cmp.Diff(draw(runs[0], brief), draw(spans, brief)); diff != "" {
			t.Errorf("exploration %d: %s", i, diff)
		}
	}
	t.Logf("%d crashes; %d runs with crashes, %d of them with all spans, %d spans missing in the others, at most %d in one",
		report.Crashes, len(runs)-1, complete, missing, most)
	if complete == 0 || missing == 0 {
		t.Errorf("%d runs had all spans, and %d spans were missing: the crashes did not come where they should", complete, missing)
	}
}

// counted counts the spans of each kind, their events left out.
func counted(spans []sdktrace.ReadOnlySpan) map[string]int {
	n := make(map[string]int)
	for _, s := range spans {
		n[brief(s)]++
	}
	return n
}

func TestNewRefusesOtherIDs(t *testing.T) {
	provider := sdktrace.NewTracerProvider()
	defer func() { _ = provider.Shutdown(context.Background()) }()
	_, err := telemetry.New(telemetry.Options{TracerProvider: provider})
	if !errors.Is(err, telemetry.ErrIDs) {
		t.Errorf("New with a provider that makes up its ids: %v, want ErrIDs", err)
	}
}
