package main

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/fermata-go/fermata/cmd/fermata/internal/otlp"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/telemetry"
)

// Where spans can go, as OTEL_TRACES_EXPORTER says it.
const (
	exportOTLP    = "otlp"
	exportConsole = "console"
	exportNone    = "none"
)

// traces says where the environment wants spans to go: the standard OTEL_* variables, read as the OpenTelemetry SDKs
// read them, but that nothing is exported unless somebody asks for it.
func (m *Main) traces() (string, error) {
	if strings.EqualFold(m.Getenv("OTEL_SDK_DISABLED"), "true") {
		return exportNone, nil
	}
	to := strings.TrimSpace(m.Getenv("OTEL_TRACES_EXPORTER"))
	switch to {
	case "":
		if m.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && m.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
			return exportNone, nil
		}
		to = exportOTLP
	case exportOTLP, exportConsole, exportNone:
	default:
		known := []string{exportOTLP, exportConsole, exportNone}
		return "", usagef("OTEL_TRACES_EXPORTER: expected otlp, console or none, found %q%s", to, nearest.Hint(to, known))
	}
	if to != exportOTLP {
		return to, nil
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := m.Getenv(name); protocol != "" && protocol != "http/protobuf" {
			return "", usagef("%s: expected http/protobuf, found %q", name, protocol)
		}
	}
	return to, nil
}

// observer is what the environment asks for: nil for nothing. The function exports what is left, and must be called.
func (m *Main) observer(log *slog.Logger) (*telemetry.Telemetry, func(), error) {
	to, err := m.traces()
	if err != nil || to == exportNone && m.measures == nil {
		return nil, func() {}, err
	}
	if to == exportNone {
		observer, err := telemetry.New(telemetry.Options{MeterProvider: m.measures})
		return observer, func() {}, err
	}
	var exporter sdktrace.SpanExporter
	if to == exportConsole {
		exporter, err = stdouttrace.New(stdouttrace.WithWriter(m.Stderr))
	} else {
		exporter, err = m.collector()
	}
	if err != nil {
		return nil, nil, usagef("the exporter of traces (%s): %v", to, err)
	}
	about, err := resource.New(context.Background(),
		resource.WithAttributes(attribute.String("service.name", "fermata")), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, nil, usagef("OTEL_RESOURCE_ATTRIBUTES: %v", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(telemetry.IDs{}), sdktrace.WithResource(about),
		sdktrace.WithBatcher(&exports{SpanExporter: exporter, log: log}))
	observer, err := telemetry.New(telemetry.Options{TracerProvider: provider, MeterProvider: m.measures})
	if err != nil {
		return nil, nil, err
	}
	return observer, func() {
		ctx, cancel := context.WithTimeout(context.Background(), mostForExport)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("spans could not be exported", "error", err)
		}
	}, nil
}

// collector is the exporter to the collector of the environment.
func (m *Main) collector() (sdktrace.SpanExporter, error) {
	return otlp.New(m.Getenv)
}

// mostForExport is how long the command waits at its end for spans to be exported.
const mostForExport = 5 * time.Second

// exports logs what goes wrong, instead of leaving it to the one handler of the process. A span that could not be
// exported is no failure of the run.
type exports struct {
	sdktrace.SpanExporter
	log *slog.Logger
}

// ExportSpans implements trace.SpanExporter.
func (e *exports) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := e.SpanExporter.ExportSpans(ctx, spans); err != nil {
		e.log.Warn("spans could not be exported", "spans", len(spans), "error", err)
	}
	return nil
}
