package telemetry_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/telemetry"
)

// What a call of a model took is in its span and in the measurements, by the names of the semantic conventions. The
// journal is written by hand.
func TestUsageOfModels(t *testing.T) {
	k, reader := &kept{}, sdkmetric.NewManualReader()
	observer, err := telemetry.New(telemetry.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(telemetry.IDs{}), sdktrace.WithSyncer(k)),
		MeterProvider:  sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)),
	})
	if err != nil {
		t.Fatal(err)
	}
	f := observer.Follow(fermata.RunInfo{ID: "run_1", Plan: "chat"})
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMicro()
	f.Stored([]journal.Entry{
		{Seq: 1, At: at, Kind: journal.RunStarted, Body: []byte(`{"plan":"chat","fingerprint":"x"}`)},
		{Seq: 2, At: at, Kind: journal.NodeStarted, Node: "talk", Visit: 1, Attempt: 1, Base: 1},
		{
			Seq: 3, At: at + 2_000_000, Kind: journal.StepFinished, Node: "talk", Visit: 1, Attempt: 1, Op: "model:draft#1",
			Value: []byte(`{"text":"swordfish"}`), Body: []byte(`{"usage":{"calls":1,"in":1200,"out":300,"cached":1000,"cost":2500}}`),
		},
	}, 0)
	spans := k.take()
	if len(spans) != 1 || spans[0].Name() != "model draft" || spans[0].EndTime().Sub(spans[0].StartTime()) != 2*time.Second {
		t.Fatalf("spans: %v", spans)
	}
	got := make(map[string]any)
	for _, a := range spans[0].Attributes() {
		got[string(a.Key)] = a.Value.AsInterface()
	}
	want := map[string]any{
		"fermata.run": "run_1", "fermata.plan": "chat", "fermata.task": "talk#1", "fermata.attempt": int64(1),
		"fermata.op": "model:draft#1", "fermata.outcome": "finished", "gen_ai.operation.name": "chat",
		"gen_ai.usage.input_tokens": int64(1200), "gen_ai.usage.output_tokens": int64(300),
		"gen_ai.usage.cache_read.input_tokens": int64(1000), "fermata.cost": 0.0025,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	measured := []string{
		"fermata.model.cost ({USD}) node=talk,plan=chat: 0.0025",
		"fermata.run.started ({run}) plan=chat: 1",
		"fermata.step.duration (s) node=talk,outcome=finished,plan=chat: 1 in 0s",
		"gen_ai.client.token.usage ({token}) node=talk,plan=chat,gen_ai.operation.name=chat,gen_ai.token.type=input: 1200 in 1",
		"gen_ai.client.token.usage ({token}) node=talk,plan=chat,gen_ai.operation.name=chat,gen_ai.token.type=output: 300 in 1",
	}
	if diff := cmp.Diff(measured, collected(t, reader)); diff != "" {
		t.Error(diff)
	}
}

// Reasoning is a span with its models and tools inside, also where it was streamed, and where it was tried before.
func TestReasoningIsASpanAroundItsCalls(t *testing.T) {
	k := &kept{}
	observer, err := telemetry.New(telemetry.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(telemetry.IDs{}), sdktrace.WithSyncer(k)),
	})
	if err != nil {
		t.Fatal(err)
	}
	f := observer.Follow(fermata.RunInfo{ID: "run_1", Plan: "chat"})
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMicro()
	entry := func(seq uint64, kind journal.Kind, op, value, body string) journal.Entry {
		return journal.Entry{
			Seq: seq, At: at + int64(seq)*1_000_000, Kind: kind, Node: "talk", Visit: 1, Attempt: 2, Op: op, Value: []byte(value), Body: []byte(body),
		}
	}
	f.Stored([]journal.Entry{
		{Seq: 1, At: at, Kind: journal.RunStarted, Body: []byte(`{"plan":"chat","fingerprint":"x"}`)},
		{Seq: 2, At: at, Kind: journal.NodeStarted, Node: "talk", Visit: 1, Attempt: 2, Base: 1},
		entry(3, journal.StepFinished, "model:reason:plan#1~2\x1fllm#1", `{}`, `{"usage":{"calls":1,"in":1,"out":1}}`),
		entry(4, journal.StepStarted, "tool:reason:plan#1~2\x1fbook#1", ``, `{"callId":"c","name":"book","arguments":{}}`),
		entry(5, journal.StepFinished, "tool:reason:plan#1~2\x1fbook#1", `"ok"`, `{"callId":"c","name":"book"}`),
		entry(6, journal.StructuredData, "reason:plan#1", `{"a":1}`, `{"dataType":"x","mode":"final"}`),
		entry(7, journal.StructuredData, "data:chart#1", `{"a":1}`, `{"dataType":"x","mode":"final"}`),
	}, 0)
	spans := k.take()
	var names []string
	for _, s := range spans {
		names = append(names, s.Name())
	}
	if diff := cmp.Diff([]string{"model llm", "execute_tool book", "reason plan"}, names); diff != "" {
		t.Fatal(diff)
	}
	outer := spans[2].SpanContext().SpanID()
	if spans[0].Parent().SpanID() != outer || spans[1].Parent().SpanID() != outer {
		t.Error("the model and the tool are not inside of the reasoning")
	}
	if took := spans[2].EndTime().Sub(spans[2].StartTime()); took != 6*time.Second {
		t.Errorf("the reasoning took %s", took)
	}
}
