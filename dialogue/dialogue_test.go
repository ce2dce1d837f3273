package dialogue_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

func bank(t testing.TB) *dialogue.Dialogue { return bankWith(t, nil) }

// bankWith is the bank with an NLU.
func bankWith(t testing.TB, nlu dialogue.NLU) *dialogue.Dialogue {
	type transfer struct {
		Amount float64 `json:"amount"`
		Payee  string  `json:"payee"`
	}
	type receipt struct {
		Reference string `json:"reference"`
	}
	d, err := dialogue.Compile(dialogue.Definition{
		Name:    "bank",
		Context: []dialogue.Slot{{Name: "balance", Type: dialogue.Money}},
		Flows: []dialogue.Flow{
			{
				Name: "transfer", Description: "Send money", Trigger: []string{"transfer {amount} to {payee}", "send money"},
				Slots: []dialogue.Slot{
					{Name: "amount", Type: dialogue.Money, Validate: "amount > 0 and amount <= balance", Error: "Between 0 and {{ balance }}, please."},
					{Name: "payee", Type: dialogue.Text},
				},
				Steps: []dialogue.Step{
					{ID: "who", Type: dialogue.CollectStep, Slot: "payee", Message: "To whom?"},
					{ID: "much", Type: dialogue.CollectStep, Slot: "amount", Message: "How much?", Options: []string{"50", "100"}},
					{ID: "ok", Type: dialogue.ConfirmStep, Message: "Send {{ amount }} to {{ payee }}?", OnDeny: "stop"},
					{ID: "send", Type: dialogue.ActionStep, Call: "bank.transfer", Outputs: []dialogue.Assignment{{Name: "ref", Value: "reference"}}},
					{ID: "done", Type: dialogue.InformStep, Message: "Sent. Reference {{ ref }}."},
				},
			},
			{
				Name: "balances", Description: "Show the balance", Trigger: []string{"show my balance", "how much do I have"},
				Steps: []dialogue.Step{{ID: "tell", Type: dialogue.InformStep, Message: "You have {{ balance }}."}},
			},
		},
	}, dialogue.Options{NLU: nlu, Actions: []dialogue.Action{
		dialogue.MustAction("bank.transfer", "", func(ctx node.Context, in transfer) (receipt, error) {
			return receipt{Reference: "R1"}, nil
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func talk(t *testing.T, d *dialogue.Dialogue, context map[string]any, lines ...string) string {
	return talkWith(t, d, nil, context, lines...)
}

// talkWith holds a conversation in a program with services.
func talkWith(t *testing.T, d *dialogue.Dialogue, services []any, context map[string]any, lines ...string) string {
	t.Helper()
	rt, err := fermata.New(fermata.Options{Services: services})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	s, err := d.Begin(context)
	if err != nil {
		t.Fatal(err)
	}
	run, err := rt.Start(t.Context(), d.Plan(), s, fermata.WithID("c"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	after := uint64(0)
	show := func() fermata.Result {
		res, err := run.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range rt.Events(t.Context(), "c", after, false) {
			if err != nil {
				t.Fatal(err)
			}
			after = e.Seq()
			if e.Type() == "message" || e.Type() == "diagnostic" {
				data, _ := e.Data()
				var m struct{ Prompt, Message string }
				_ = json.Unmarshal(data, &m)
				out.WriteString("  " + m.Prompt + m.Message + "\n")
			}
		}
		if res.Err != nil {
			t.Error(res.Err)
		}
		return res
	}
	for _, line := range lines {
		res := show()
		out.WriteString("> " + line + "\n")
		if len(res.Interrupts) != 1 {
			t.Fatalf("%s %v\n%s", res.Status, res.Interrupts, out.String())
		}
		if err := rt.Answer(t.Context(), res.Interrupts[0].ID, dialogue.Message{Text: line}, fermata.AsRole("agent")); err != nil {
			t.Fatal(err)
		}
	}
	show()
	return out.String()
}

// conversation is what is said in one, whoever understands it.
const conversation = `> I would like to send money
  To whom?
> Ada
  How much?
> five hundred
  Between 0 and 100, please.
  How much?
> 50 euros
  Send 50 to Ada?
> show my balance please
  You have 100.
  Let us go on with: Send money.
  Send 50 to Ada?
> actually make it 60
  All right, amount: 60.
  Send 60 to Ada?
> yep, go ahead
  Sent. Reference R1.
  Is there anything else?
> colourless green ideas
  I did not understand that.
`

// TestAConversation is a transfer with a value that is not good, a digression in the middle of the confirmation, and a
// correction after it; and one that is cancelled and then denied.
func TestAConversation(t *testing.T) {
	tests := []struct {
		lines []string
		want  string
	}{
		{
			[]string{"I would like to send money", "Ada", "five hundred", "50 euros", "show my balance please", "actually make it 60", "yep, go ahead", "colourless green ideas"},
			conversation,
		},
		{
			[]string{"send money", "Ada", "never mind", "transfer 5 to Bob", "nope"},
			`> send money
  To whom?
> Ada
  How much?
> never mind
  All right, I have stopped that: Send money.
> transfer 5 to Bob
  Send 5 to Bob?
> nope
  All right, I will not do that.
`,
		},
	}
	for _, tt := range tests {
		got := talk(t, bank(t), map[string]any{"balance": 100}, tt.lines...)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestAmountsAreShownWithTheirDigits says amounts that are not whole with the digits of their currency: what is asked, what is
// corrected, what is refused.
func TestAmountsAreShownWithTheirDigits(t *testing.T) {
	got := talk(t, bank(t), map[string]any{"balance": 100.5}, "transfer 5.5 to Ada", "make it 6.25", "make it 7.1", "make it 500", "show my balance", "no")
	const want = `> transfer 5.5 to Ada
  Send 5.50 to Ada?
> make it 6.25
  All right, amount: 6.25.
  Send 6.25 to Ada?
> make it 7.1
  All right, amount: 7.10.
  Send 7.10 to Ada?
> make it 500
  Between 0 and 100.50, please.
  Send 7.10 to Ada?
> show my balance
  You have 100.50.
  Let us go on with: Send money.
  Send 7.10 to Ada?
> no
  All right, I will not do that.
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
