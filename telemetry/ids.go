package telemetry

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"go.opentelemetry.io/otel/trace"
)

// IDs gives spans of runs the ids that follow from their runs, and all other spans random ones. A tracer provider of
// the OpenTelemetry SDK takes it as its id generator:
//
//	sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(telemetry.IDs{}), …)
type IDs struct{}

// NewIDs gives the ids of a span without a parent.
func (IDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if id, ok := ctx.Value(idKey{}).(identity); ok {
		return id.trace, id.span
	}
	var id trace.TraceID
	for !id.IsValid() {
		binary.NativeEndian.PutUint64(id[:8], rand.Uint64()) //nolint:gosec // an id is no secret
		binary.NativeEndian.PutUint64(id[8:], rand.Uint64()) //nolint:gosec // likewise
	}
	return id, randomSpan()
}

// NewSpanID gives the id of a span that has a parent.
func (IDs) NewSpanID(ctx context.Context, of trace.TraceID) trace.SpanID {
	if id, ok := ctx.Value(idKey{}).(identity); ok && id.trace == of {
		return id.span
	}
	return randomSpan()
}

func randomSpan() (id trace.SpanID) {
	for !id.IsValid() {
		binary.NativeEndian.PutUint64(id[:], rand.Uint64()) //nolint:gosec // likewise
	}
	return id
}

// identity is what a span of a run is called. It travels to the id generator in a context that nobody else sees.
type identity struct {
	trace trace.TraceID
	span  trace.SpanID
}

type idKey struct{}

// TraceID is the trace of a run: the same in every process that works on it, at any time.
func TraceID(run string) trace.TraceID {
	sum := sha256.Sum256([]byte("fermata trace\x00" + run))
	return trace.TraceID(sum[:16])
}

// place is what a span of a run stands for, and what its id is made from. No two spans of a run have the same: an
// entry has its seq to itself, and a call its task, attempt and identity (law N2).
type place struct {
	seq     uint64 // of the entry that the span begins with, where it has one
	node    string
	visit   uint32
	attempt uint16
	op      string
}

// id is the id of the span at a place of a run.
func (p place) id(run string) trace.SpanID {
	buf := make([]byte, 0, 128)
	buf = append(buf, "fermata span\x00"...)
	buf = append(append(buf, run...), 0)
	buf = binary.BigEndian.AppendUint64(buf, p.seq)
	buf = binary.BigEndian.AppendUint32(buf, p.visit)
	buf = binary.BigEndian.AppendUint16(buf, p.attempt)
	buf = append(append(buf, p.node...), 0)
	buf = append(buf, p.op...)
	sum := sha256.Sum256(buf)
	return trace.SpanID(sum[:8])
}
