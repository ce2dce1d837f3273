package dialogue_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue"
)

// places are the questions of the tables of testdata/texts, and the commands that lead to them.
var places = map[string][]dialogue.Command{
	"nothing": nil,
	"who":     {{Type: dialogue.StartFlow, Flow: "transfer"}},
	"much":    {{Type: dialogue.StartFlow, Flow: "transfer"}, {Type: dialogue.SetSlot, Slot: "payee", Value: "Bob"}},
	"ok":      {{Type: dialogue.StartFlow, Flow: "transfer"}, {Type: dialogue.SetSlot, Slot: "payee", Value: "Bob"}, {Type: dialogue.SetSlot, Slot: "amount", Value: "50"}},
	"name":    {{Type: dialogue.StartFlow, Flow: "meet"}},
	"address": {{Type: dialogue.StartFlow, Flow: "deliver"}},
	"note":    {{Type: dialogue.StartFlow, Flow: "deliver"}, {Type: dialogue.SetSlot, Slot: "address", Value: "2 High St"}},
	"both":    {{Type: dialogue.StartFlow, Flow: "deliver"}, {Type: dialogue.SetSlot, Slot: "address", Value: "2 High St"}, {Type: dialogue.SetSlot, Slot: "note", Value: "it is late"}},
	"why":     {{Type: dialogue.StartFlow, Flow: "meet"}, {Type: dialogue.SetSlot, Slot: "person", Value: "Ada"}},
}

// courierHears says something at a place of testdata/texts, and tells what comes of it: slots that change, a value that the user is asked about, flows that
// begin and end, and actions; "nothing" for none of it.
func (h *held) courierHears(t *testing.T, lang, place, said string) (comes string, told dialogue.Reply) {
	t.Helper()
	id := h.begin(t, lang)
	var was dialogue.Frame
	if commands := places[place]; commands != nil {
		send(t, h.c, id, dialogue.Message{Commands: commands})
		was = frameOf(h.seen(t, id))
	}
	h.made = nil
	told = send(t, h.c, id, dialogue.Message{Text: said})
	var all []string
	if len(h.made) > 0 {
		all = append(all, "acts")
	}
	is := frameOf(h.seen(t, id))
	if is.Flow != was.Flow {
		all = append(all, map[bool]string{true: "ended", false: "start " + is.Flow}[is.Flow == ""])
		was = dialogue.Frame{}
	}
	for _, name := range slices.Sorted(maps.Keys(is.Slots)) {
		if v := is.Slots[name]; v != nil && !reflect.DeepEqual(v, was.Slots[name]) {
			all = append(all, fmt.Sprintf("%s=%v", name, v))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was.Slots)) {
		if is.Slots[name] == nil && is.Flow != "" {
			all = append(all, "-"+name)
		}
	}
	if told.Pending != nil && told.Pending.IsConfirm() && told.Pending.Slot != "" {
		all = append(all, "asks "+told.Pending.Slot)
	}
	if len(all) == 0 {
		return "nothing", told
	}
	return strings.Join(all, ", "), told
}

// TestTextsAreTakenOrAskedAbout reads testdata/texts/said.txt. A heading names the language and the place where something is said, and each line
// what is said, and what comes of it: see held.courierHears. "safe" is whatever leaves slots, flows and the world as they were: the
// user is asked, or nothing was understood.
func TestTextsAreTakenOrAskedAbout(t *testing.T) {
	text, err := os.ReadFile("testdata/texts/said.txt")
	if err != nil {
		t.Fatal(err)
	}
	heldAt(t, "testdata/texts/dialogue.yaml", map[string]any{"number": "C-1", "done": true}, func(t *testing.T, h *held) {
		eachLine(t, string(text), func(line int, lang, place, said, want string) {
			got, told := h.courierHears(t, lang, place, said)
			if got != want && !(want == "safe" && (got == "nothing" || strings.HasPrefix(got, "asks "))) {
				t.Errorf("%d: %s %s: %q\n  expected %s\n  found    %s  %q", line, lang, place, said, want, got, told.Texts())
			}
		})
	})
}
