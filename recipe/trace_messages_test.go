package recipe_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/recipe"
)

// TestM1_TraceOfMessages checks that a trace tells which messages a step has taken, from whom, and what it said to them.
func TestM1_TraceOfMessages(t *testing.T) {
	const text = `
topology: {entry_point: pay, nodes: [{type: agent, id: pay, agent_ref: pay}]}
`
	lib := &recipe.Library{Agents: map[string]recipe.AgentFunc{
		"pay": func(ctx node.Context, _ map[string]any) (any, error) {
			for {
				m, err := node.ReceiveMessage[int](ctx, "payments")
				switch {
				case err != nil:
					return nil, err
				case m.Value > 0:
					return map[string]any{"paid": m.Value}, m.Reply("thanks")
				}
				if err := m.Refuse(errors.New("not a deposit")); err != nil {
					return nil, err
				}
			}
		},
	}}
	r, err := recipe.Parse([]byte(text), "test.yaml", recipe.Options{Library: lib})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	in, err := r.Input(nil)
	if err != nil {
		t.Fatal(err)
	}
	run, err := rt.Start(t.Context(), r.Plan(), in, fermata.WithMessage("payments", -1, fermata.MessageID("evt_1"), fermata.SentBy("Bo")), fermata.WithMessage("paymnets", 7, fermata.SentBy("Al")))
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Call(t.Context(), run.ID(), "payments", 5, nil); err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(t.Context())
	if err != nil || res.Status != fermata.Completed {
		t.Fatal(res.Status, err, res.Err)
	}
	whole := trace(t, rt, res.Run)
	if len(whole.Messages) != 1 || whole.Messages[0].Name != "paymnets" || whole.Messages[0].By != "Al" || whole.Messages[0].Seq != 3 {
		t.Errorf("messages that nobody took: %+v", whole.Messages)
	}
	s := whole.Steps[0]
	const want = "message evt_1 from Bo\nrefused message evt_1: not a deposit\nmessage payments\nreplied to message: \"thanks\""
	if diff := cmp.Diff([]string{"receive payments, receive payments", want}, []string{s.Action, s.Observation}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
