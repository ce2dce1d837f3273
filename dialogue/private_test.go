package dialogue_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/model/scripted"
)

// TestPrivateValuesReachNoModel answers a question for a private slot in several ways, and looks for the value in all that
// the model is asked then and afterwards.
func TestPrivateValuesReachNoModel(t *testing.T) {
	def := dialogue.Definition{
		Name: "card",
		Flows: []dialogue.Flow{{
			Name: "card", Description: "Block a card",
			Slots: []dialogue.Slot{{Name: "pin", Type: dialogue.Integer, Private: true}, {Name: "why"}},
			Steps: []dialogue.Step{
				{ID: "pin", Type: dialogue.CollectStep, Slot: "pin", Message: "Your PIN?"},
				{ID: "why", Type: dialogue.CollectStep, Slot: "why", Message: "Why?"},
				{ID: "done", Type: dialogue.InformStep, Message: "Blocked."},
			},
		}},
	}
	for _, said := range []string{"%d", "it is %d", "%d, please"} {
		canary := 100_000_000 + rand.IntN(900_000_000)
		d, err := dialogue.Compile(def, dialogue.Options{NLU: dialogue.NewModelNLU(dialogue.ModelOptions{})})
		if err != nil {
			t.Fatal(err)
		}
		m := scripted.Texts(`{"commands":[{"type":"start_flow","flow_name":"card"}]}`, `{"commands":[{"type":"set_slot","slot_name":"why","slot_value":"lost"}]}`)
		heard := talkWith(t, d, []any{m}, nil, "block my card", fmt.Sprintf(said, canary), "I lost it")
		requests, err := json.Marshal(m.Requests())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(requests), fmt.Sprint(canary)) {
			t.Errorf("%q: the model is told it: %s", said, requests)
		}
		if !strings.Contains(heard, "Blocked.") {
			t.Errorf("%q: the flow does not come to its end: %s", said, heard)
		}
		if len(m.Requests()) != 2 || !strings.Contains(string(requests), "[private]") {
			t.Errorf("%q: %d requests: %s", said, len(m.Requests()), requests)
		}
	}
}
