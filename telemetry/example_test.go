package telemetry_test

import (
	"context"
	"fmt"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/telemetry"
)

func Example() {
	exporter := &printer{} // in a program: otlptracehttp.New(ctx)

	provider := sdktrace.NewTracerProvider(
		sdktrace.WithIDGenerator(telemetry.IDs{}),
		sdktrace.WithBatcher(exporter),
	)
	defer func() { _ = provider.Shutdown(context.Background()) }()

	observer, err := telemetry.New(telemetry.Options{TracerProvider: provider})
	if err != nil {
		panic(err)
	}
	rt, err := fermata.New(fermata.Options{Observer: observer})
	if err != nil {
		panic(err)
	}
	defer rt.Close()

	g := graph.New[state]("pay").
		Node("charge", func(ctx node.Context, s state) (state, error) {
			_, err := node.Step(ctx, "card", func(node.Context) (string, error) { return "receipt", nil })
			return s, err
		}).
		Edge(graph.Start, "charge").MustCompile()
	run, err := g.Start(context.Background(), rt, state{}, fermata.WithID("run_7"))
	if err != nil {
		panic(err)
	}
	if _, err := run.Wait(context.Background()); err != nil {
		panic(err)
	}
	fmt.Println("trace", telemetry.TraceID("run_7"))
	// Output:
	// trace 23b6ad3bf30bcc656ac563ce3302eb82
	// step card
	// task charge
	// run pay
}

// printer is an exporter that prints the names of spans.
type printer struct{}

func (*printer) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	for _, s := range spans {
		fmt.Println(s.Name())
	}
	return nil
}

func (*printer) Shutdown(context.Context) error { return nil }

func ExampleTelemetry_WatchInbox() {
	observer, err := telemetry.New(telemetry.Options{}) // in a program, with a MeterProvider
	if err != nil {
		panic(err)
	}
	rt, err := fermata.New(fermata.Options{Observer: observer})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	stop, err := observer.WatchInbox(rt)
	if err != nil {
		panic(err)
	}
	defer func() { _ = stop() }()
	fmt.Println("fermata.interrupt.open is measured until stop")
	// Output:
	// fermata.interrupt.open is measured until stop
}
