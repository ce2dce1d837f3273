package telemetry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/telemetry"
)

// What the store holds is measured, by whichever process: runs, questions, and what waits for workers since when (law J16).
func TestJ16_TheBacklogIsMeasured(t *testing.T) {
	ctx, clock := timeLimit(t), fermatatest.NewClock(fermatatest.Epoch)
	reader := sdkmetric.NewManualReader()
	observer, err := telemetry.New(telemetry.Options{MeterProvider: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{Store: memory.New(), Clock: clock, Observer: observer})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rt.Close() }()
	stop, err := observer.WatchStore(rt)
	if err != nil {
		t.Fatal(err)
	}
	gauges := func() (lines []string) {
		for _, line := range collected(t, reader) {
			if name, _, _ := strings.Cut(line, " "); strings.HasPrefix(name, "fermata.backlog") || name == "fermata.runs" || name == "fermata.interrupt.open" {
				lines = append(lines, line)
			}
		}
		return lines
	}
	if diff := cmp.Diff([]string{
		"fermata.backlog ({run}) queue=default: 0", "fermata.backlog.age (s) queue=default: 0", "fermata.interrupt.open ({interrupt}) role=: 0",
	}, gauges()); diff != "" {
		t.Errorf("an empty store (-want +got):\n%s", diff)
	}
	g := graph.New[state]("plan").
		Node("review", func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, "?", node.Role("manager"))
			return s, err
		}).
		Edge(graph.Start, "review").MustCompile()
	run, err := g.Start(ctx, rt, state{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	for _, opts := range [][]fermata.StartOption{
		{fermata.Queued()},
		{fermata.InQueue("gpu"), fermata.Queued()},
		{fermata.InQueue("gpu"), fermata.Queued()},
		{fermata.Queued(), fermata.NotBefore(clock.Now().Add(time.Minute))},
	} {
		if _, err := g.Start(ctx, rt, state{}, opts...); err != nil {
			t.Fatal(err)
		}
	}
	clock.Advance(30 * time.Second)
	if diff := cmp.Diff([]string{
		"fermata.backlog ({run}) queue=default: 1", "fermata.backlog ({run}) queue=gpu: 2",
		"fermata.backlog.age (s) queue=default: 30", "fermata.backlog.age (s) queue=gpu: 30",
		"fermata.interrupt.open ({interrupt}) role=: 0", "fermata.interrupt.open ({interrupt}) role=manager: 1",
		"fermata.runs ({run}) status=paused: 1", "fermata.runs ({run}) status=running: 4",
	}, gauges()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	clock.Advance(time.Minute)
	if got := strings.Join(gauges(), "\n"); !strings.Contains(got, "fermata.backlog ({run}) queue=default: 2") || !strings.Contains(got, "age (s) queue=default: 90") {
		t.Errorf("a minute later:\n%s", got)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if left := gauges(); left != nil {
		t.Errorf("after stop: %q", left)
	}
}
