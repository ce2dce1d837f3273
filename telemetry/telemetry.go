package telemetry

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/mailbox"
	"github.com/fermata-go/fermata/journal"
)

const scope = "github.com/fermata-go/fermata/telemetry"

// Options say where spans and measurements go. With the zero value they go nowhere.
type Options struct {
	// TracerProvider makes the spans. It must take its ids from [IDs]. Defaults to none: no spans, and node code gets
	// no span to continue.
	TracerProvider trace.TracerProvider
	// MeterProvider makes the instruments. Defaults to none: nothing is measured.
	MeterProvider metric.MeterProvider
}

// Telemetry is a [fermata.Observer]; the package documentation describes its spans and metrics. One serves any number
// of runtimes. The creator of the providers flushes them and shuts them down.
type Telemetry struct {
	tracer trace.Tracer // nil for none
	meter  *meter       // nil for none
}

var _ fermata.Observer = (*Telemetry)(nil)

// ErrIDs says that a tracer provider makes up ids of its own.
var ErrIDs = errors.New("the tracer provider does not take its ids from telemetry.IDs")

// New makes an observer for the options of a runtime. It fails with [ErrIDs] when the ids of spans would be another
// in each process, and with the errors of the meter provider.
func New(o Options) (*Telemetry, error) {
	t := &Telemetry{}
	if o.TracerProvider != nil {
		t.tracer = o.TracerProvider.Tracer(scope)
		if err := checkIDs(t.tracer); err != nil {
			return nil, err
		}
	}
	if o.MeterProvider != nil {
		var err error
		if t.meter, err = newMeter(o.MeterProvider.Meter(scope)); err != nil {
			return nil, fmt.Errorf("telemetry: %w", err)
		}
	}
	return t, nil
}

// checkIDs begins a span that never ends, and so is never exported, to see what it is called.
func checkIDs(tracer trace.Tracer) error {
	want := identity{trace: TraceID(""), span: place{}.id("")}
	_, span := tracer.Start(context.WithValue(context.Background(), idKey{}, want), "check")
	got := span.SpanContext()
	if got.IsValid() && (got.TraceID() != want.trace || got.SpanID() != want.span) {
		return fmt.Errorf("telemetry: %w: expected span %s, found %s; make it with "+
			"sdktrace.WithIDGenerator(telemetry.IDs{})", ErrIDs, want.span, got.SpanID())
	}
	return nil
}

// Follow implements [fermata.Observer].
func (t *Telemetry) Follow(run fermata.RunInfo) fermata.Follower {
	return &follower{
		t: t, run: run.ID, plan: run.Plan, trace: TraceID(run.ID),
		leg: leg{began: 1, at: run.Created}, open: make(map[visit]*task), last: make(map[string]uint32),
		questions: make(map[string]*question),
	}
}

// follower follows one run for one writer.
type follower struct {
	t     *Telemetry
	run   string
	plan  string
	trace trace.TraceID

	mu        sync.Mutex
	seen      uint64 // the last entry
	leg       leg
	open      map[visit]*task
	last      map[string]uint32 // the last visit of each node
	questions map[string]*question
	mail      mailbox.Box // which call has taken which message
}

// leg is a piece of a run: from its start, or from a retry of the run, to the next end.
type leg struct {
	began  uint64 // seq of the entry
	at     int64  // microseconds
	events []event
}

// visit names a task.
type visit struct {
	node string
	n    uint32
}

// task is a task that has not come to its end. Its span begins with the entry began.
type task struct {
	began   uint64
	at      int64
	attempt uint16
	touched int64 // time of its last entry
	parent  trace.SpanID
	calls   map[call]int64 // steps and sleeps that have begun, and when
	events  []event
}

// call is a call of a task in one of its attempts.
type call struct {
	attempt uint16
	op      string
}

// question is an interrupt that is open.
type question struct {
	task    visit
	parent  trace.SpanID
	at      int64
	attempt uint16
	asked   journal.Interrupt
}

// Recall implements [fermata.Follower].
func (f *follower) Recall(e *journal.Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.Seq <= f.seen {
		return
	}
	f.seen = e.Seq
	f.take(e, nil, e.At, false)
}

// Stored implements [fermata.Follower].
func (f *follower) Stored(entries []journal.Entry, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if took > 0 {
		f.t.meter.appended(f.plan, entries, took)
	}
	now := int64(0)
	for i := range entries {
		e := &entries[i]
		at := e.At
		if at == 0 { // of a run that is not stored
			if now == 0 {
				now = time.Now().UnixMicro()
			}
			at = now
		}
		var next *journal.Entry
		if i+1 < len(entries) {
			next = &entries[i+1]
		}
		f.seen = e.Seq
		f.take(e, next, at, true)
	}
}
