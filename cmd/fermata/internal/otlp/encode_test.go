package otlp

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
)

// keeper is a client that keeps what the OpenTelemetry project's exporter makes of spans.
type keeper struct{ spans []*tracepb.ResourceSpans }

func (*keeper) Start(context.Context) error { return nil }
func (*keeper) Stop(context.Context) error  { return nil }
func (k *keeper) UploadTraces(_ context.Context, spans []*tracepb.ResourceSpans) error {
	k.spans = spans
	return nil
}

// sampled are spans with each kind of value, with and without each part.
func sampled(t testing.TB) []sdktrace.ReadOnlySpan {
	t.Helper()
	state, err := trace.ParseTraceState("a=1,b=2")
	if err != nil {
		t.Fatal(err)
	}
	own := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1, 2}, SpanID: trace.SpanID{3}, TraceFlags: trace.FlagsSampled, TraceState: state})
	parent := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1, 2}, SpanID: trace.SpanID{4}})
	values := []attribute.KeyValue{
		attribute.String("string", "é\x00\n"), attribute.String("empty", ""), attribute.Bool("yes", true), attribute.Bool("no", false),
		attribute.Int64("least", math.MinInt64), attribute.Int("zero", 0), attribute.Float64("half", 0.5), attribute.Float64("minus zero", math.Copysign(0, -1)),
		attribute.Float64("infinite", math.Inf(1)), attribute.BoolSlice("bools", []bool{true, false}), attribute.Int64Slice("ints", []int64{0, -1, 7}),
		attribute.Float64Slice("floats", []float64{0, 1.5}), attribute.StringSlice("strings", []string{"", "a"}), attribute.StringSlice("none", nil),
		{Key: "bytes", Value: attribute.ByteSliceValue([]byte{0, 255})},
		{Key: "mixed", Value: attribute.SliceValue(attribute.IntValue(0), attribute.StringValue("x"), attribute.SliceValue(attribute.BoolValue(false)))},
		{Key: "map", Value: attribute.MapValue(attribute.Int("a", 1), attribute.KeyValue{Key: "b", Value: attribute.MapValue(attribute.String("c", "d"))})},
		{Key: "nothing", Value: attribute.Value{}},
		{},
	}
	began := time.Unix(1_700_000_000, 123_456_789)
	full := tracetest.SpanStub{
		Name: "run", SpanContext: own, Parent: parent.WithRemote(true), SpanKind: trace.SpanKindServer, StartTime: began, EndTime: began.Add(time.Second),
		Attributes: values, DroppedAttributes: 1, DroppedEvents: 2, DroppedLinks: 3, Status: sdktrace.Status{Code: codes.Error, Description: "no"},
		Events:               []sdktrace.Event{{Name: "e", Time: began, Attributes: values[:2], DroppedAttributeCount: 4}, {}},
		Links:                []sdktrace.Link{{SpanContext: own.WithRemote(true), Attributes: values[:1], DroppedAttributeCount: 5}, {}},
		Resource:             resource.NewWithAttributes("r", values[:3]...),
		InstrumentationScope: instrumentation.Scope{Name: "s", Version: "1", SchemaURL: "u", Attributes: attribute.NewSet(values[0])},
	}
	all := tracetest.SpanStubs{full}
	for kind := trace.SpanKindUnspecified; kind <= trace.SpanKindConsumer+1; kind++ {
		s := full
		s.SpanKind, s.Parent, s.Status.Code = kind, []trace.SpanContext{parent, {}}[kind%2], codes.Code(kind%4)
		s.InstrumentationScope = instrumentation.Scope{Name: []string{"", "s", "t"}[kind%3]}
		if kind > 3 {
			s.Resource = resource.NewWithAttributes("other", attribute.Int("a", int(kind)%2))
		}
		all = append(all, s)
	}
	return append(all, tracetest.SpanStub{Name: "bare"}).Snapshots()
}

// A request says what the exporter of the OpenTelemetry project says of the same spans.
func TestEncodingIsThatOfTheProject(t *testing.T) {
	var want keeper
	project, err := otlptrace.New(t.Context(), &want)
	if err != nil {
		t.Fatal(err)
	}
	spans := sampled(t)
	if err := project.ExportSpans(t.Context(), spans); err != nil {
		t.Fatal(err)
	}
	var got tracepb.TracesData
	if err := proto.Unmarshal(encodeSpans(spans), &got); err != nil {
		t.Fatal(err)
	}
	order := protocmp.SortRepeated(func(a, b *tracepb.ResourceSpans) bool { return a.String() < b.String() })
	scopes := protocmp.SortRepeated(func(a, b *tracepb.ScopeSpans) bool { return a.Scope.String() < b.Scope.String() })
	if diff := cmp.Diff(&tracepb.TracesData{ResourceSpans: want.spans}, &got, protocmp.Transform(), order, scopes); diff != "" {
		t.Errorf("(-project +ours):\n%s", diff)
	}
	if len(got.GetResourceSpans()) < 3 {
		t.Errorf("expected several resources, found %d", len(got.GetResourceSpans()))
	}
}
