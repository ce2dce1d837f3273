package bench

import (
	"context"
	"io"
	"log/slog"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/telemetry"
)

// What it costs to watch: a run of 1000 nodes in the memory store, with nobody looking, with logs at each level, with
// spans that are batched and thrown away, with metrics, and with both.
func BenchmarkWatched(b *testing.B) {
	const n = 1000
	log := func(level slog.Level) *slog.Logger {
		return slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: level}))
	}
	for _, c := range []struct {
		name           string
		options        fermata.Options
		spans, metrics bool
	}{
		{name: "unwatched"},
		{name: "log-off", options: fermata.Options{Logger: log(slog.LevelError)}},
		{name: "log-info", options: fermata.Options{Logger: log(slog.LevelInfo)}},
		{name: "log-debug", options: fermata.Options{Logger: log(slog.LevelDebug)}},
		{name: "spans", spans: true},
		{name: "metrics", metrics: true},
		{name: "spans-and-metrics", spans: true, metrics: true},
	} {
		b.Run(c.name, func(b *testing.B) {
			var o telemetry.Options
			if c.spans {
				provider := sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(telemetry.IDs{}), sdktrace.WithBatcher(tracetest.NewNoopExporter()))
				b.Cleanup(func() { _ = provider.Shutdown(context.Background()) })
				o.TracerProvider = provider
			}
			if c.metrics {
				o.MeterProvider = sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
			}
			if c.spans || c.metrics {
				observer, err := telemetry.New(o)
				if err != nil {
					b.Fatal(err)
				}
				c.options.Observer = observer
			}
			j := job[messages]{graph: sequential(n), input: nothing}
			run := j.stored("", false, &host{rt: newRuntime(b, c.options)}).Run
			b.ReportAllocs()
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/node")
		})
	}
}
