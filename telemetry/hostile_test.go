package telemetry_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/node"
)

// TestH9_NoSpanAndNoLogLineActs: names of plans, nodes and steps, labels, prompts, what is logged and why something fails,
// all of it hostile, act neither in a span nor in a line of a log.
func TestH9_NoSpanAndNoLogLineActs(t *testing.T) {
	const bad = "x\x1b[2J\x1b]0;t\x07\u009b31m\u202egpj\u2066\u2028\x7f\r"
	const name = "gpj\u202e\u2066\u2028" // plans refuse such names, and steps take them
	k, out := &kept{}, &lawtest.Log{}
	rt := k.runtime(t, fermata.Options{Logger: slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	g := graph.New[state]("plan gpj").
		Node("step", func(ctx node.Context, s state) (state, error) {
			_, err := node.Step(ctx, "s"+name, func(node.Context) (int, error) { return 1, nil })
			ctx.Logger().Warn(bad, "k", bad)
			return s, err
		}).
		Node("ask gpj", func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, bad, node.Prompt(bad))
			return s, err
		}).
		Node("fail", func(_ node.Context, s state) (state, error) { return s, errors.New("why " + bad) }).
		Edge(graph.Start, "step").Edge("step", "ask gpj").Edge("ask gpj", "fail").MustCompile()
	run, err := g.Start(t.Context(), rt, state{}, fermata.WithLabels(map[string]string{"l": bad}))
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(t.Context())
	if err != nil || len(res.Interrupts) != 1 {
		t.Fatalf("%+v %v", res, err)
	}
	if err := rt.Answer(t.Context(), res.Interrupts[0].ID, true, fermata.AsPerson("Ada")); err != nil {
		t.Fatal(err)
	}
	if res, err = run.Wait(t.Context()); err != nil || res.Status != fermata.Failed {
		t.Fatalf("%+v %v", res, err)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	shows := 0
	inert := func(what, text string) {
		t.Helper()
		if strings.Contains(text, "gpj") {
			shows++
		}
		if i := strings.IndexFunc(text, func(r rune) bool { return printable.Acts(r) && r != '\n' && r != '\t' }); i >= 0 {
			t.Errorf("%s acts: %q", what, text)
		}
	}
	attrs := func(list []attribute.KeyValue) {
		for _, a := range list {
			inert("the attribute "+string(a.Key), a.Value.String())
		}
	}
	for _, s := range k.take() {
		inert("the name of a span", s.Name())
		inert("the status of a span", s.Status().Description)
		attrs(s.Attributes())
		for _, e := range s.Events() {
			inert("an event", e.Name)
			attrs(e.Attributes)
		}
	}
	if shows < 5 {
		t.Errorf("spans show %d of the hostile texts: the test shows too little", shows)
	}
	for line := range strings.SplitSeq(out.String(), "\n") {
		inert("a line of the log", line)
	}
	if shows < 10 {
		t.Errorf("the log shows too little: %s", out)
	}
}
