package telemetry_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/telemetry"
)

// The sampler of docs/how-to/observe.md takes runs whole, in all processes, with the nodes' own spans; and what a replay
// does again stays out with it as well.
func TestSamplingTakesRunsWhole(t *testing.T) {
	ctx, store := timeLimit(t), memory.New()
	ratio := sdktrace.TraceIDRatioBased(0.5)
	sampler := sdktrace.ParentBased(ratio, sdktrace.WithRemoteParentSampled(ratio))
	k := &kept{}
	process := func() (*fermata.Runtime, *sdktrace.TracerProvider) {
		provider := sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(telemetry.IDs{}), sdktrace.WithSyncer(k), sdktrace.WithSampler(sampler))
		observer, err := telemetry.New(telemetry.Options{TracerProvider: provider})
		if err != nil {
			t.Fatal(err)
		}
		rt, err := fermata.New(fermata.Options{Store: store, Observer: observer})
		if err != nil {
			t.Fatal(err)
		}
		return rt, provider
	}
	const tree = `run asking: status=completed
  task review#1: attempt=1 outcome=finished
    own, at the top:
    step draft: attempt=1 op=step:draft#1 outcome=finished
      own, in the draft:
    interrupt: attempt=1 op=interrupt:interrupt#1 state=answered role=manager
    own, after the answer:
    step send: attempt=1 op=step:send#1 outcome=finished
`
	trees := make(map[string]int)
	for i := range 20 {
		id := fmt.Sprint("run_", i)
		rt, provider := process()
		run, err := asking(provider.Tracer("own")).Start(ctx, rt, state{}, fermata.WithID(id))
		if err != nil {
			t.Fatal(err)
		}
		res, err := run.Wait(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
		rt, provider = process()
		if err := rt.Answer(ctx, res.Interrupts[0].ID, true, fermata.AsRole("manager"), fermata.Hold()); err != nil {
			t.Fatal(err)
		}
		if run, err = asking(provider.Tracer("own")).Resume(ctx, rt, id); err != nil {
			t.Fatal(err)
		}
		if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Completed {
			t.Fatal(res.Status, err)
		}
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
		trees[draw(k.take(), brief)]++
	}
	if trees[""] < 3 || trees[tree] < 3 || len(trees) != 2 {
		t.Errorf("the trees of 20 runs: %v\n(-want +got) %s", trees, cmp.Diff(map[string]int{"": 10, tree: 10}, trees))
	}
}

// The code in the page is that of the example.
func TestThePageHoldsTheExample(t *testing.T) {
	page, err := os.ReadFile("../docs/how-to/observe.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```go\n")
	code, _, ok := strings.Cut(rest, "```")
	if !ok || !strings.Contains(string(example), code) {
		t.Errorf("docs/how-to/observe.md has code that example_test.go does not have:\n%s", code)
	}
}
