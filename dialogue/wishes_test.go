package dialogue_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

// shipped is one of the example dialogues, with actions that give all that it needs.
func shipped(t *testing.T, name string) *dialogue.Dialogue {
	t.Helper()
	gives := map[string]any{"limit": 2000, "reference": "T-1", "left": 10, "free": true, "room": 2, "number": "A24"}
	d, err := dialogue.Load(filepath.Join("..", "examples", "dialogues", name, dialogue.FileName), dialogue.Options{ActionsFrom: func(name string, _ any) (dialogue.Action, error) {
		return dialogue.Action{Name: name, Run: func(node.Context, map[string]any) (any, error) { return gives, nil }}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestWishesAreKeptOrAskedAbout holds conversations of the shipped bank and clinic in which a newcomer lost a wish or got a value that
// nobody had meant.
func TestWishesAreKeptOrAskedAbout(t *testing.T) {
	greetings := map[string]string{
		"clinic": "  Northside Clinic. I can book, move or cancel an appointment.\n",
		"bank":   "  Hello Ada. I can send money, tell your balance and help with your card.\n",
	}
	for _, tt := range []struct {
		name, dialogue string
		says           []string
		want           string
	}{
		{"two days with their times", "clinic", []string{"book an appointment on Tuesday at 10 or Wednesday at 11", "Ada", "Okafor", "on Wednesday at 11"}, `> book an appointment on Tuesday at 10 or Wednesday at 11
  Which one do you mean: Tuesday or Wednesday?
  What is your name?
> Ada
  Which doctor would you like to see?
> Okafor
  On which day?
> on Wednesday at 11
  What is it about? You may skip this.
`},
		{"another flow in the middle of one comes back", "clinic", []string{"book an appointment", "Ada", "cancel my appointment", "A24", "yes"}, `> book an appointment
  What is your name?
> Ada
  Which doctor would you like to see?
> cancel my appointment
  What is the number of your appointment?
> A24
  Cancel A24?
> yes
  A24 is cancelled.
  Let us go on with: book an appointment.
  Which doctor would you like to see?
`},
		{"two wishes are both kept", "clinic", []string{"cancel my appointment and book a new one", "A24", "yes"}, `> cancel my appointment and book a new one
  After that: book an appointment.
  What is the number of your appointment?
> A24
  Cancel A24?
> yes
  A24 is cancelled.
  Let us go on with: book an appointment.
  What is your name?
`},
		{"a wish is no text", "bank", []string{"send money", "I want to see my balance first", "no", "Bob"}, `> send money
  To whom?
> I want to see my balance first
  Do you mean “see my balance first” as the recipient?
> no
  To whom?
> Bob
  How much?
`},
		{"a text that is taken back", "bank", []string{"Send it to Bob. no wait, to Ada", "yes"}, `> Send it to Bob. no wait, to Ada
  Do you mean “Ada” as the recipient?
> yes
  How much?
`},
		{"one of two names", "bank", []string{"send money", "Bob or Ada", "no", "Ada"}, `> send money
  To whom?
> Bob or Ada
  Do you mean “Bob or Ada” as the recipient?
> no
  To whom?
> Ada
  How much?
`},
		{"places are no yes", "bank", []string{"send 50 to Bob", "the second one", "the second one", "the first", "the third one"}, `> send 50 to Bob
  From which account?
> the second one
  Send €50 from your savings account to Bob?
> the second one
  I did not get that. You can send money, ask for your balance or block a card.
  Send €50 from your savings account to Bob?
> the first
  I did not get that. You can send money, ask for your balance or block a card.
  Send €50 from your savings account to Bob?
> the third one
  All right, amount: open again.
  How much?
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := talk(t, shipped(t, tt.dialogue), nil, tt.says...)
			if diff := cmp.Diff(greetings[tt.dialogue]+tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
