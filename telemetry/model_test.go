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
