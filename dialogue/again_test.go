package dialogue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
)

// TestRoundsTakeValuesOfTheirOwn orders in a loop: what is said before a question counts for its round, what earlier
// rounds have made stays, and a correction is one of the last round.
func TestRoundsTakeValuesOfTheirOwn(t *testing.T) {
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "kiosk",
		Flows: []dialogue.Flow{{
			Name:    "order",
			Trigger: []string{"a {size} {dish}", "order"},
			Slots: []dialogue.Slot{
				{Name: "dish", Type: dialogue.Choice, Choices: []dialogue.Option{{Value: "tea"}, {Value: "soup"}}},
				{Name: "size", Type: dialogue.Choice, Choices: []dialogue.Option{{Value: "small"}, {Value: "large"}}},
				{Name: "more", Type: dialogue.Boolean, Initial: true},
				{Name: "all", Type: dialogue.List, Items: dialogue.Text, Initial: []any{}},
				{Name: "remarks", Type: dialogue.List, Items: dialogue.Choice, Choices: []dialogue.Option{{Value: "hot"}}, Optional: true},
			},
			Steps: []dialogue.Step{
				{ID: "each", Type: dialogue.WhileStep, When: "more", Steps: []dialogue.Step{
					{ID: "which", Type: dialogue.CollectStep, Slot: "dish", Message: "Which dish?", Again: true},
					{ID: "how", Type: dialogue.CollectStep, Slot: "size", Message: "Which size?", Again: true},
					{ID: "add", Type: dialogue.SetStep, Values: []dialogue.Assignment{{Name: "all", Value: "concat(all, [size + ' ' + dish])"}}},
					{ID: "more", Type: dialogue.CollectStep, Slot: "more", Message: "{{ join(all, ', ') }}. More?", Again: true},
				}},
				{ID: "any", Type: dialogue.CollectStep, Slot: "remarks", Message: "Any remarks?"},
				{ID: "ok", Type: dialogue.ConfirmStep, Message: "{{ join(all, ', ') }}?"},
			},
		}},
	}, dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := talk(t, d, nil, "a large soup", "yes", "small tea", "yes", "soup", "large", "make it small", "no", "no", "make it large", "yes")
	const want = `> a large soup
  large soup. More?
> yes
  Which dish?
> small tea
  large soup, small tea. More?
> yes
  Which dish?
> soup
  Which size?
> large
  large soup, small tea, large soup. More?
> make it small
  All right, size: small.
  large soup, small tea, small soup. More?
> no
  Any remarks?
> no
  large soup, small tea, small soup?
> make it large
  All right, size: large.
  large soup, small tea, large soup?
> yes
  Is there anything else?
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
