package dialogue_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
)

// paying is a dialogue with one flow of two slots.
func paying(flow, slot, city string, more func(d *dialogue.Definition)) dialogue.Definition {
	d := dialogue.Definition{
		Name:  "pay",
		Slots: []dialogue.Slot{{Name: city}},
		Flows: []dialogue.Flow{{
			Name: flow, Description: "Send money", Trigger: []string{"send {" + slot + "}"},
			Slots: []dialogue.Slot{{Name: slot, Type: dialogue.Number}, {Name: "payee"}},
			Steps: []dialogue.Step{
				{ID: "much", Type: dialogue.CollectStep, Slot: slot, Message: "How much?"},
				{ID: "where", Type: dialogue.CollectStep, Slot: city, Message: "Where?"},
				{ID: "who", Type: dialogue.CollectStep, Slot: "payee", Message: "To whom?"},
				{ID: "done", Type: dialogue.InformStep, Message: "Sent {{ " + slot + " }} to {{ payee }} in {{ " + city + " }}."},
			},
		}},
	}
	if more != nil {
		more(&d)
	}
	return d
}

// A dialogue that changed while a conversation waits has a place for its flow, its step and its slots, or carries them over as it
// declares, or is refused with the name before the message is taken. Then the conversation goes on with the dialogue as it was.
func TestJ8_AChangedDialogueKeepsSlots(t *testing.T) {
	renamed := func(flows, slots map[string]string) func(*dialogue.Definition) {
		return func(d *dialogue.Definition) { d.Renamed = dialogue.Renamed{Flows: flows, Slots: slots} }
	}
	const sent = "Sent 50 to Ada in Bern."
	old := paying("send", "amount", "city", nil)
	for name, tt := range map[string]struct {
		now                 dialogue.Definition
		value, reason, hint string
	}{
		"the same": {old, "", "", ""},
		"a slot of the flow is renamed": {
			paying("send", "total", "city", nil), "amount", `the state at gate#3: the conversation holds flow "send", slot "amount", which the dialogue does not have`,
			"",
		},
		"a slot of the conversation is renamed": {
			paying("send", "amount", "town", nil), "city", `the state at gate#3: the conversation holds slot "city", which the dialogue does not have`,
			"if city is town now, the dialogue can say so: renamed: {slots: {city: town}}",
		},
		"a flow is renamed": {
			paying("transfer", "amount", "city", nil), "send", `the state at gate#3: the conversation is in the flow "send", which the dialogue does not have`, "",
		},
		"a step is renamed": {
			paying("send", "amount", "city", func(d *dialogue.Definition) { d.Flows[0].Steps[2].ID = "payee" }), "who",
			`the state at gate#3: the flow "send" goes on at its step "who", which it does not have`, "",
		},
		"all are renamed, and the dialogue says so": {
			paying("transfer", "total", "town", renamed(map[string]string{"send": "transfer"}, map[string]string{"amount": "total", "city": "town"})), "", "", "",
		},
		"a slot is added": {
			paying("send", "amount", "city", func(d *dialogue.Definition) { d.Slots = append(d.Slots, dialogue.Slot{Name: "note"}) }), "", "", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := memory.New()
			begin := func(def dialogue.Definition) *dialogue.Conversations {
				d, err := dialogue.Compile(def, dialogue.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return talks(t, store, d, dialogue.ConversationOptions{})
			}
			first := begin(old)
			open(t, first, "c", nil)
			send(t, first, "c", dialogue.Message{Text: "send 50"})
			send(t, first, "c", dialogue.Message{Text: "Bern"})
			before := headOf(t, store)
			r, err := begin(tt.now).Send(t.Context(), "c", dialogue.Message{Text: "Ada", ID: "m"})
			if tt.reason != "" {
				var changed *fermata.PlanChangedError
				if !errors.As(err, &changed) {
					t.Fatalf("it says %q, and the error is %v, want a *PlanChangedError", r.Texts(), err)
				}
				if diff := cmp.Diff([]string{tt.value, tt.reason, tt.hint}, []string{changed.Value, changed.Reason, changed.Hint}); diff != "" && tt.hint != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if after := headOf(t, store); after > before+1 { // the message may be kept
					t.Errorf("the journal grew from %d to %d", before, after)
				}
				r, err = begin(old).Send(t.Context(), "c", dialogue.Message{Text: "Ada", ID: "m"})
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(sent, r.Texts()[0]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func headOf(t *testing.T, store journal.Store) uint64 {
	t.Helper()
	rows, err := store.Runs(t.Context(), journal.RunFilter{ID: "c"})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	return rows[0].Head
}
