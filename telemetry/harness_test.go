package telemetry_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/telemetry"
)

// kept keeps the spans that all processes of a test export.
type kept struct {
	mu    sync.Mutex
	spans []sdktrace.ReadOnlySpan
}

func (k *kept) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.spans = append(k.spans, spans...)
	return nil
}

func (k *kept) Shutdown(context.Context) error { return nil }

// take takes what was exported since the last time.
func (k *kept) take() []sdktrace.ReadOnlySpan {
	k.mu.Lock()
	defer k.mu.Unlock()
	spans := k.spans
	k.spans = nil
	return spans
}

// process is the telemetry of one process: a tracer provider of its own that exports to k.
func (k *kept) process(t testing.TB) (*telemetry.Telemetry, *sdktrace.TracerProvider) {
	t.Helper()
	provider := sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(telemetry.IDs{}), sdktrace.WithSyncer(k))
	t.Cleanup(func() { _ = provider.Shutdown(context.Background()) })
	observer, err := telemetry.New(telemetry.Options{TracerProvider: provider})
	if err != nil {
		t.Fatal(err)
	}
	return observer, provider
}

// runtime is a process: a runtime with telemetry that exports to k.
func (k *kept) runtime(t testing.TB, o fermata.Options) *fermata.Runtime {
	t.Helper()
	observer, _ := k.process(t)
	o.Observer = observer
	rt, err := fermata.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	return rt
}

func timeLimit(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// shown are the attributes that draw shows; the others name what is in the tree anyway, or change with each run.
var shown = []attribute.Key{
	"fermata.status", "fermata.retry", "fermata.limit", "fermata.attempt", "fermata.op", "fermata.outcome",
	"fermata.route", "fermata.state", "fermata.role", "fermata.default", "error.type",
}

// draw writes spans as a tree, children in the order in which they began and ended. A span whose parent is missing
// comes last, below "?".
func draw(spans []sdktrace.ReadOnlySpan, line func(sdktrace.ReadOnlySpan) string) string {
	children := make(map[trace.SpanID][]sdktrace.ReadOnlySpan)
	there := make(map[trace.SpanID]bool)
	for _, s := range spans {
		there[s.SpanContext().SpanID()] = true
	}
	lost := trace.SpanID{1}
	for _, s := range spans {
		parent := s.Parent().SpanID()
		if parent.IsValid() && !there[parent] {
			parent = lost
		}
		children[parent] = append(children[parent], s)
	}
	var b strings.Builder
	var walk func(of trace.SpanID, indent string)
	walk = func(of trace.SpanID, indent string) {
		list := children[of]
		slices.SortStableFunc(list, func(a, b sdktrace.ReadOnlySpan) int {
			at := func(s sdktrace.ReadOnlySpan) time.Time { return s.StartTime().Truncate(time.Microsecond) } // as entries have it
			return at(a).Compare(at(b))
		})
		for _, s := range list {
			b.WriteString(indent + line(s) + "\n")
			walk(s.SpanContext().SpanID(), indent+"  ")
		}
	}
	walk(trace.SpanID{}, "")
	if len(children[lost]) > 0 {
		b.WriteString("?\n")
		walk(lost, "  ")
	}
	return b.String()
}

// line writes a span: its name, attributes, events and failure.
func line(s sdktrace.ReadOnlySpan) string {
	return brief(s) + events(s)
}

func events(s sdktrace.ReadOnlySpan) (text string) {
	for _, e := range s.Events() {
		text += " [" + e.Name
		for _, a := range e.Attributes {
			text += " " + a.Value.AsString() + notString(a.Value)
		}
		text += "]"
	}
	return text
}

// brief is line without the events: they tell of crashes, too.
func brief(s sdktrace.ReadOnlySpan) string {
	text := s.Name()
	for _, a := range s.Attributes() {
		if _, visit, ok := strings.Cut(a.Value.AsString(), "#"); a.Key == "fermata.task" && ok && strings.HasPrefix(text, "task") {
			text += "#" + visit
		}
	}
	text += ":"
	for _, key := range shown {
		for _, a := range s.Attributes() {
			if a.Key == key {
				text += fmt.Sprintf(" %s=%s", strings.TrimPrefix(string(key), "fermata."), a.Value.AsString()+notString(a.Value))
			}
		}
	}
	if s.Status().Code == codes.Error {
		text += " ERROR " + s.Status().Description
	}
	return text
}

func notString(v attribute.Value) string {
	if v.Type() == attribute.STRING {
		return ""
	}
	return v.String()
}

// twice lists the ids that more than one span has.
func twice(spans []sdktrace.ReadOnlySpan) (ids []string) {
	seen := make(map[trace.SpanID]bool)
	for _, s := range spans {
		if seen[s.SpanContext().SpanID()] {
			ids = append(ids, s.Name()+" "+s.SpanContext().SpanID().String())
		}
		seen[s.SpanContext().SpanID()] = true
	}
	return ids
}
