// Package otlp sends spans to a collector: OTLP over HTTP with protobuf. The standard variables OTEL_EXPORTER_OTLP_* configure
// it.
//
//	exporter, err := otlp.New(os.Getenv)
//	provider := trace.NewTracerProvider(trace.WithBatcher(exporter))
//
// The exporter of the OpenTelemetry project does the same, and brings gRPC and the runtime of protobuf along (ADR 060). Unlike
// it, a variable that is not understood is an error.
package otlp
