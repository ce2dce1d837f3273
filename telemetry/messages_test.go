package telemetry_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// TestM1_AMessageIsAwaitedInASpan checks that a call which waits for a message has a span that ends when it takes one, and that
// neither what a message says nor its id or sender is in a span.
func TestM1_AMessageIsAwaitedInASpan(t *testing.T) {
	ctx, k := timeLimit(t), &kept{}
	rt := k.runtime(t, fermata.Options{})
	g := graph.New[state]("mail").
		Node("pay", func(ctx node.Context, s state) (state, error) {
			m, err := node.ReceiveMessage[int](ctx, "payments")
			if err != nil {
				return s, err
			}
			if err := m.Reply("secret"); err != nil {
				return s, err
			}
			last, err := node.ReceiveMessage[int](ctx, "payments")
			if err != nil {
				return s, err
			}
			return s, last.Refuse(errors.New("secret"))
		}).
		Edge(graph.Start, "pay").MustCompile()
	run, err := g.Start(ctx, rt, state{}, fermata.WithID("run_1"))
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range rt.Events(ctx, "run_1", 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Entry.Kind == journal.RunPaused {
			break
		}
	}
	secret := []fermata.SendOption{fermata.MessageID("secret"), fermata.SentBy("secret")}
	for _, send := range []error{
		rt.Send(ctx, "run_1", "payments", 5, secret...), rt.Send(ctx, "run_1", "payments", 5, secret...), rt.Send(ctx, "run_1", "payments", 6),
	} {
		if send != nil {
			t.Fatal(send)
		}
	}
	if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Completed {
		t.Fatal(res.Status, err)
	}
	got := draw(k.take(), line)
	if strings.Contains(got, "secret") {
		t.Errorf("a span holds what others wrote:\n%s", got)
	}
	for _, want := range []string{
		"run mail: status=completed", "[message payments]", "    receive payments: attempt=1 op=receive:payments#1 outcome=finished\n",
		"    receive payments: attempt=1 op=receive:payments#2 outcome=finished\n", "[replied 1 reply:payments#1]", "[refused 1 reply:payments#2]",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if diff := cmp.Diff(2, strings.Count(got, "[message payments]")); diff != "" {
		t.Errorf("messages, without the one that came twice (-want +got):\n%s\n%s", diff, got)
	}
}
