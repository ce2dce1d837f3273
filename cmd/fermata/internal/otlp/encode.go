package otlp

import (
	"math"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/encoding/protowire"
)

// The flags of a span or a link beside those of W3C: whether its parent's process is known, and that it is another one.
const (
	flagKnowsRemote = 0x100
	flagRemote      = 0x200
)

// message is the protobuf encoding of one message. Fields of the zero value are left out, as proto3 does it. The numbers
// of the fields are those of opentelemetry/proto/trace/v1/trace.proto and common/v1/common.proto.
type message []byte

func (m *message) number(field protowire.Number, n uint64) {
	if n != 0 {
		*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), n)
	}
}

func (m *message) count(field protowire.Number, n int) {
	m.number(field, uint64(min(max(n, 0), math.MaxUint32)))
}

func (m *message) fixed32(field protowire.Number, n uint32) {
	if n != 0 {
		*m = protowire.AppendFixed32(protowire.AppendTag(*m, field, protowire.Fixed32Type), n)
	}
}

func (m *message) fixed64(field protowire.Number, n uint64) {
	if n != 0 {
		*m = protowire.AppendFixed64(protowire.AppendTag(*m, field, protowire.Fixed64Type), n)
	}
}

// moment is a time in nanoseconds since 1970; earlier ones, and no time at all, are left out.
func (m *message) moment(field protowire.Number, t time.Time) {
	m.fixed64(field, uint64(max(t.UnixNano(), 0)))
}

func (m *message) text(field protowire.Number, text string) { m.maybe(field, []byte(text)) }

// maybe is a text or a message that is left out if it is empty.
func (m *message) maybe(field protowire.Number, part []byte) {
	if len(part) > 0 {
		m.part(field, part)
	}
}

// part is a message, or bytes that are there even if they are empty.
func (m *message) part(field protowire.Number, part []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), part)
}

func (m *message) attributes(field protowire.Number, all []attribute.KeyValue) {
	for _, kv := range all {
		var pair message
		pair.text(1, string(kv.Key))
		pair.part(2, encodeValue(kv.Value))
		m.part(field, pair)
	}
}

// encodeValue encodes an AnyValue: one field by the type of the value, which is there even if it is zero.
func encodeValue(v attribute.Value) (m message) {
	switch v.Type() {
	case attribute.STRING:
		m.part(1, []byte(v.AsString()))
	case attribute.BOOL:
		m = protowire.AppendVarint(protowire.AppendTag(m, 2, protowire.VarintType), protowire.EncodeBool(v.AsBool()))
	case attribute.INT64:
		m = protowire.AppendVarint(protowire.AppendTag(m, 3, protowire.VarintType), uint64(v.AsInt64()))
	case attribute.FLOAT64:
		m = protowire.AppendFixed64(protowire.AppendTag(m, 4, protowire.Fixed64Type), math.Float64bits(v.AsFloat64()))
	case attribute.BOOLSLICE:
		m.part(5, encodeList(v.AsBoolSlice(), attribute.BoolValue))
	case attribute.INT64SLICE:
		m.part(5, encodeList(v.AsInt64Slice(), attribute.Int64Value))
	case attribute.FLOAT64SLICE:
		m.part(5, encodeList(v.AsFloat64Slice(), attribute.Float64Value))
	case attribute.STRINGSLICE:
		m.part(5, encodeList(v.AsStringSlice(), attribute.StringValue))
	case attribute.SLICE:
		m.part(5, encodeList(v.AsSlice(), func(v attribute.Value) attribute.Value { return v }))
	case attribute.MAP:
		var pairs message
		pairs.attributes(1, v.AsMap())
		m.part(6, pairs)
	case attribute.BYTESLICE:
		m.part(7, v.AsByteSlice())
	}
	return m
}

func encodeList[T any](items []T, value func(T) attribute.Value) (m message) {
	for _, item := range items {
		m.part(1, encodeValue(value(item)))
	}
	return m
}

// encodeSpans encodes the request of the protocol: the spans by their resource and, within it, by their scope, in the
// order in which these come first.
func encodeSpans(spans []sdktrace.ReadOnlySpan) (m message) {
	type place struct {
		resource attribute.Distinct
		scope    instrumentation.Scope
	}
	var (
		resources []*resource.Resource
		scopes    = make(map[attribute.Distinct][]instrumentation.Scope)
		bodies    = make(map[place]message)
	)
	for _, s := range spans {
		key := place{s.Resource().Equivalent(), s.InstrumentationScope()}
		if _, known := scopes[key.resource]; !known {
			resources = append(resources, s.Resource())
		}
		body, known := bodies[key]
		if !known {
			scopes[key.resource] = append(scopes[key.resource], key.scope)
		}
		body.part(2, encodeSpan(s))
		bodies[key] = body
	}
	for _, r := range resources {
		var about, group message
		about.attributes(1, r.Attributes())
		group.maybe(1, about)
		for _, scope := range scopes[r.Equivalent()] {
			var by, list message
			by.text(1, scope.Name)
			by.text(2, scope.Version)
			by.attributes(3, scope.Attributes.ToSlice())
			list.maybe(1, by)
			list = append(list, bodies[place{r.Equivalent(), scope}]...)
			list.text(3, scope.SchemaURL)
			group.part(2, list)
		}
		group.text(3, r.SchemaURL())
		m.part(1, group)
	}
	return m
}

// kinds are the numbers of the kinds of spans.
var kinds = map[trace.SpanKind]uint64{
	trace.SpanKindInternal: 1, trace.SpanKindServer: 2, trace.SpanKindClient: 3, trace.SpanKindProducer: 4, trace.SpanKindConsumer: 5,
}

// statuses are the numbers of the statuses of spans.
var statuses = map[codes.Code]uint64{codes.Ok: 1, codes.Error: 2}

func encodeSpan(s sdktrace.ReadOnlySpan) (m message) {
	m.ids(s.SpanContext())
	m.text(3, s.SpanContext().TraceState().String())
	if id := s.Parent().SpanID(); id.IsValid() {
		m.part(4, id[:])
	}
	m.text(5, s.Name())
	m.number(6, kinds[s.SpanKind()])
	m.moment(7, s.StartTime())
	m.moment(8, s.EndTime())
	m.attributes(9, s.Attributes())
	m.count(10, s.DroppedAttributes())
	for _, e := range s.Events() {
		var event message
		event.moment(1, e.Time)
		event.text(2, e.Name)
		event.attributes(3, e.Attributes)
		event.count(4, e.DroppedAttributeCount)
		m.part(11, event)
	}
	m.count(12, s.DroppedEvents())
	for _, l := range s.Links() {
		var link message
		link.ids(l.SpanContext)
		link.attributes(4, l.Attributes)
		link.count(5, l.DroppedAttributeCount)
		link.fixed32(6, flagsOf(l.SpanContext, l.SpanContext))
		m.part(13, link)
	}
	m.count(14, s.DroppedLinks())
	var status message
	status.text(2, s.Status().Description)
	status.number(3, statuses[s.Status().Code])
	m.part(15, status)
	m.fixed32(16, flagsOf(s.SpanContext(), s.Parent()))
	return m
}

// ids adds the ids of a span or a link, which have the same fields in both.
func (m *message) ids(c trace.SpanContext) {
	traceID, spanID := c.TraceID(), c.SpanID()
	m.part(1, traceID[:])
	m.part(2, spanID[:])
}

func flagsOf(own, parent trace.SpanContext) uint32 {
	flags := uint32(own.TraceFlags()) | flagKnowsRemote
	if parent.IsRemote() {
		flags |= flagRemote
	}
	return flags
}
