package dialogue_test

import (
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue"
)

// trip is a dialogue that asks for a day, a number and an amount, and says them.
func trip(t testing.TB) *dialogue.Dialogue {
	t.Helper()
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "trip",
		Flows: []dialogue.Flow{{
			Name: "trip", Description: "A trip", Trigger: []string{"plan a trip"},
			Slots: []dialogue.Slot{{Name: "day", Type: dialogue.Date}, {Name: "price", Type: dialogue.Money}},
			Steps: []dialogue.Step{
				{ID: "when", Type: dialogue.CollectStep, Slot: "day", Message: "When?"},
				{ID: "much", Type: dialogue.CollectStep, Slot: "price", Message: "How much?"},
				{ID: "say", Type: dialogue.InformStep, Message: "{{ day }} for {{ price }}."},
			},
		}},
	}, dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestWordsLeftOverAreAskedAbout checks that a value beside which a word was not understood fills no slot before the user has
// said that it is meant: a yes gives it to the slot, a no and another value do not.
func TestWordsLeftOverAreAskedAbout(t *testing.T) {
	const asks, next = "Do you mean Thursday 25 December 2031 as the day?", "How much?"
	for name, rest := range map[string][][2]string{
		"yes":            {{"yes", next}, {"50", "Thursday 25 December 2031 for 50."}},
		"no":             {{"no", "When?"}},
		"another value":  {{"24 december 2031", next}, {"half of my balance", "Do you mean 0.50 as the price?"}, {"30", "Wednesday 24 December 2031 for 30."}},
		"no, another":    {{"no, 24 december 2031", next}, {"50%", "Do you mean 50 as the price?"}, {"no", next}, {"less than 40", "Do you mean 40 as the price?"}, {"yes", "Wednesday 24 December 2031 for 40."}},
		"still another":  {{"3 moons after christmas 2031", asks}, {"yes please", next}},
		"not understood": {{"qwertz", "When?"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := talks(t, nil, trip(t), dialogue.ConversationOptions{})
			open(t, c, "c", nil)
			lines := append([][2]string{{"plan a trip", "When?"}, {"2 moons before christmas 2031", asks}}, rest...)
			for _, line := range lines {
				r := send(t, c, "c", dialogue.Message{Text: line[0]})
				said := strings.Join(r.Texts(), " ")
				if !strings.Contains(said, line[1]) {
					t.Fatalf("%q is answered %q, want %q in it", line[0], said, line[1])
				}
			}
		})
	}
}

// TestWordsLeftOverBesideChoices checks the same for a choice, a list and a yes: words beside them that nobody understood are
// asked about, and those that say no more are not.
func TestWordsLeftOverBesideChoices(t *testing.T) {
	account := dialogue.Slot{Type: dialogue.Choice, Choices: []dialogue.Option{{Value: "current", Synonyms: []string{"current account"}}, {Value: "savings", Synonyms: []string{"savings account"}}}}
	extras := dialogue.Slot{Type: dialogue.List, Choices: []dialogue.Option{{Value: "salt"}, {Value: "pepper"}}}
	counts := dialogue.Slot{Type: dialogue.List, Items: dialogue.Integer}
	yes := dialogue.Slot{Type: dialogue.Boolean}
	for _, tt := range []struct {
		slot       dialogue.Slot
		said, want string
	}{
		{account, "the savings account please", "It is savings."},
		{account, "savings, thank you very much", "It is savings."},
		{account, "savings of my grandmother", "I did not understand “grandmother”. Do you mean savings as the it?"},
		{account, "half from savings", "Do you mean savings as the it?"},
		{extras, "salt and pepper please", "It is salt and pepper."},
		{extras, "salt and a zebra", "I did not understand “zebra”. Do you mean salt as the it?"},
		{counts, "1, 2 and 3", "It is 1, 2 and 3."},
		{counts, "1, 2 and roughly seventyish", "Do you mean 1 and 2 as the it?"},
		{yes, "yes, please", "It is yes."},
		{yes, "yes, for the zebra", "I did not understand “for the zebra”. Do you mean yes as the it?"},
		{yes, "no, thanks", "It is no."},
	} {
		c := talks(t, nil, asks(t, tt.slot, dialogue.Settings{}), dialogue.ConversationOptions{})
		open(t, c, "c", nil)
		send(t, c, "c", dialogue.Message{Text: "begin"})
		r := send(t, c, "c", dialogue.Message{Text: tt.said})
		if said := strings.Join(r.Texts(), " "); !strings.Contains(said, tt.want) {
			t.Errorf("%s %q is answered %q, want %q in it", tt.slot.Type, tt.said, said, tt.want)
		}
	}
}

// TestSeveralDoubtfulValuesAreAskedAbout checks that no doubtful value of a message is lost behind the question about another one.
func TestSeveralDoubtfulValuesAreAskedAbout(t *testing.T) {
	const first, second, both = "Do you mean Thursday 25 December 2031 as the day?", "Do you mean 50 as the price?", "Thursday 25 December 2031 for 50."
	for name, rest := range map[string][][2]string{
		"yes":             {{"yes", second}, {"yes", both}},
		"no":              {{"no", second}, {"yes", "When?"}, {"24 december 2031", "Wednesday 24 December 2031 for 50."}},
		"no to the price": {{"yes", second}, {"no", "How much?"}},
		"another value":   {{"no, 24 december 2031", second}, {"what?", second}, {"yes", "Wednesday 24 December 2031 for 50."}},
		"heard again":     {{"what?", first}, {"yes", second}, {"yes", both}},
		"stopped":         {{"cancel", "stopped"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := trip(t)
			c := talks(t, nil, d, dialogue.ConversationOptions{})
			open(t, c, "c", nil)
			send(t, c, "c", dialogue.Message{Text: "plan a trip"})
			r := send(t, c, "c", dialogue.Message{Text: "some moons", Commands: []dialogue.Command{
				{Type: dialogue.SetSlot, Slot: "price", Value: 50, Left: "moons"}, {Type: dialogue.SetSlot, Slot: "day", Value: "2031-12-25", Left: "moons"},
			}})
			for _, line := range append([][2]string{{"", first}}, rest...) {
				if line[0] != "" {
					r = send(t, c, "c", dialogue.Message{Text: line[0]})
				}
				if said := strings.Join(r.Texts(), " "); !strings.Contains(said, line[1]) {
					t.Fatalf("%q is answered %q, want %q in it", line[0], said, line[1])
				}
			}
		})
	}
}
