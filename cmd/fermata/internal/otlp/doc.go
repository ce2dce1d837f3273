// Package otlp sends spans to a collector: OTLP over HTTP with protobuf. The standard variables OTEL_EXPORTER_OTLP_* configure
// it.
//
//	client, err := otlp.New(os.Getenv)
//	exporter, err := otlptrace.New(ctx, client)
//
// The exporter of the OpenTelemetry project does the same, and brings gRPC along (ADR 060). Unlike it, a variable that
// is not understood is an error.
package otlp
