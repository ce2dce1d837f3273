// Package telemetry makes OpenTelemetry traces and metrics of runs. It never changes what a run does, and holds no
// state but what runs under way need.
//
//	provider := sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(telemetry.IDs{}), sdktrace.WithBatcher(exporter))
//	observer, err := telemetry.New(telemetry.Options{TracerProvider: provider})
//	rt, err := fermata.New(fermata.Options{Observer: observer})
package telemetry
