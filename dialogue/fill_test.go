package dialogue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

// understood is an NLU that knows what some lines mean.
type understood map[string][]dialogue.Command

func (u understood) Understand(_ node.Context, t *dialogue.Turn) ([]dialogue.Command, error) {
	return u[t.Text], nil
}

// TestUsersFillOnlyWhatTheyAreAskedFor drops a value for a slot that only the flow itself fills, whatever the NLU has
// understood.
func TestUsersFillOnlyWhatTheyAreAskedFor(t *testing.T) {
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "loan",
		Flows: []dialogue.Flow{{
			Name:  "loan",
			Slots: []dialogue.Slot{{Name: "amount", Type: dialogue.Money}, {Name: "most", Type: dialogue.Money, Initial: 100}},
			Steps: []dialogue.Step{
				{ID: "much", Type: dialogue.CollectStep, Slot: "amount", Message: "How much?"},
				{ID: "ok", Type: dialogue.ConfirmStep, Message: "{{ amount }} of {{ most }}?"},
			},
		}},
	}, dialogue.Options{NLU: understood{
		"begin": {{Type: dialogue.StartFlow, Flow: "loan"}},
		"more":  {{Type: dialogue.SetSlot, Slot: "most", Value: 1e6}},
		"50":    {{Type: dialogue.SetSlot, Slot: "amount", Value: 50}},
		"never": {{Type: dialogue.ClearSlot, Slot: "most"}, {Type: dialogue.CorrectSlot, Slot: "most", Value: 7}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := talk(t, d, nil, "begin", "more", "50", "never")
	const want = `> begin
  How much?
> more
  a value for "most" was dropped: users are not asked for it
  How much?
> 50
  50 of 100?
> never
  a value for "most" was dropped: users are not asked for it
  50 of 100?
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
