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
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/telemetry"
)

// collected lists all measurements: name, unit, attributes, and their number, or the value of a gauge. Sums of
// durations follow where they are of the test's clock.
func collected(t *testing.T, reader sdkmetric.Reader) (lines []string) {
	t.Helper()
	var found metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &found); err != nil {
		t.Fatal(err)
	}
	for _, s := range found.ScopeMetrics {
		for _, m := range s.Metrics {
			add := func(set attribute.Set, value string) {
				attrs := set.Encoded(attribute.DefaultEncoder())
				lines = append(lines, fmt.Sprintf("%s (%s) %s: %s", m.Name, m.Unit, strings.ReplaceAll(attrs, "fermata.", ""), value))
			}
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, fmt.Sprint(p.Value))
				}
			case metricdata.Sum[float64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, fmt.Sprint(p.Value))
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes, fmt.Sprint(p.Value))
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					value := fmt.Sprint(p.Count)
					if !strings.HasPrefix(m.Name, "fermata.journal.") {
						value += " in " + time.Duration(p.Sum*float64(time.Second)).Round(time.Minute).String()
					}
					add(p.Attributes, value)
				}
			case metricdata.Histogram[int64]:
				for _, p := range data.DataPoints {
					value := fmt.Sprint(p.Count)
					if m.Unit == "{token}" {
						value = fmt.Sprintf("%d in %d", p.Sum, p.Count)
					} else if p.Sum == 0 {
						t.Errorf("%s: no sum", m.Name)
					}
					add(p.Attributes, value)
				}
			default:
				t.Errorf("%s is a %T", m.Name, m.Data)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func TestMeasurements(t *testing.T) {
	ctx, clock := timeLimit(t), fermatatest.NewClock(fermatatest.Epoch)
	reader := sdkmetric.NewManualReader()
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	observer, err := telemetry.New(telemetry.Options{MeterProvider: meters})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{Observer: observer, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rt.Close() }()
	stop, err := observer.WatchInbox(rt)
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New[state]("plan").
		Node("work", func(ctx node.Context, s state) (state, error) {
			return node.Step(ctx, "slow", func(ctx node.Context) (state, error) {
				clock.Advance(5 * time.Minute)
				if ctx.Info().Attempt == 1 {
					return s, errors.New("no luck")
				}
				return s, nil
			})
		}, graph.Retry(2, 0)).
		Node("review", func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, "?", node.Role("manager"))
			return s, err
		}).
		Edge(graph.Start, "work").Edge("work", "review").MustCompile()
	run, err := g.Start(ctx, rt, state{})
	if err != nil {
		t.Fatal(err)
	}
	for at, ok := clock.Next(); ; at, ok = clock.Next() { // the backoff
		if ok {
			clock.AdvanceTo(at)
			break
		}
		time.Sleep(time.Millisecond)
	}
	res, err := run.Wait(ctx)
	if err != nil || res.Status != fermata.Paused {
		t.Fatal(res.Status, err)
	}
	clock.Advance(time.Hour)
	gauge := func() (lines []string) {
		for _, line := range collected(t, reader) {
			if strings.HasPrefix(line, "fermata.interrupt.open ") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	want := []string{"fermata.interrupt.open ({interrupt}) role=: 0", "fermata.interrupt.open ({interrupt}) role=manager: 1"}
	if diff := cmp.Diff(want, gauge()); diff != "" {
		t.Error(diff)
	}
	if err := rt.Answer(ctx, res.Interrupts[0].ID, true, fermata.AsRole("manager")); err != nil {
		t.Fatal(err)
	}
	if res, err = run.Wait(ctx); err != nil || res.Status != fermata.Completed {
		t.Fatal(res.Status, err)
	}
	if diff := cmp.Diff([]string{"fermata.interrupt.open ({interrupt}) role=: 0"}, gauge()); diff != "" {
		t.Error(diff)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	want = []string{
		"fermata.interrupt.duration (s) node=review,plan=plan,state=answered: 1 in 1h0m0s",
		"fermata.interrupt.opened ({interrupt}) node=review,plan=plan: 1",
		"fermata.journal.append.duration (s) plan=plan: 9",
		"fermata.journal.append.size (By) plan=plan: 9",
		"fermata.run.duration (s) plan=plan,status=completed: 1 in 1h10m0s",
		"fermata.run.started ({run}) plan=plan: 1",
		"fermata.step.duration (s) node=work,outcome=failed,plan=plan: 1 in 5m0s",
		"fermata.step.duration (s) node=work,outcome=finished,plan=plan: 1 in 5m0s",
		"fermata.task.duration (s) node=review,outcome=finished,plan=plan: 1 in 1h0m0s",
		"fermata.task.duration (s) node=work,outcome=finished,plan=plan: 1 in 10m0s",
		"fermata.task.retries ({attempt}) node=work,plan=plan: 1",
	}
	if diff := cmp.Diff(want, collected(t, reader)); diff != "" {
		t.Error(diff)
	}
	if err := meters.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}
