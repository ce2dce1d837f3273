package dialogue_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue"
)

// TestAnswersInWords reads the tables of testdata/answers. A heading names the language and the flow, which asks one question for a
// text or a list of texts. A line has what is said, and what comes of it: see held.deskHears. "safe" is whatever leaves the slot empty:
// the user is asked, or nothing was understood.
func TestAnswersInWords(t *testing.T) {
	tables, err := filepath.Glob("testdata/answers/*.txt")
	if err != nil || len(tables) == 0 {
		t.Fatal("no tables", err)
	}
	for _, table := range tables {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(table), ".txt"), func(t *testing.T) {
			heldAt(t, "testdata/answers/dialogue.yaml", nil, func(t *testing.T, h *held) {
				eachLine(t, string(text), func(line int, lang, flow, said, want string) {
					got, told := h.deskHears(t, lang, flow, said)
					if got != want && !(want == "safe" && (got == "nothing" || strings.HasPrefix(got, "asks "))) {
						t.Errorf("%d: %s %s: %q\n  expected %s\n  found    %s  %q", line, lang, flow, said, want, got, told.Texts())
					}
				})
			})
		})
	}
}

// deskHears says something at the question of a flow, and tells what comes of it: a value of the slot ("note=<nil>" of one that was left
// out), a value that a yes to a question gives it, another flow; "nothing" for none of it.
func (h *held) deskHears(t *testing.T, lang, flow, said string) (comes string, told dialogue.Reply) {
	t.Helper()
	id := h.begin(t, lang)
	send(t, h.c, id, dialogue.Message{Commands: []dialogue.Command{{Type: dialogue.StartFlow, Flow: flow}}})
	was := frameOf(h.seen(t, id))
	told = send(t, h.c, id, dialogue.Message{Text: said})
	is := frameOf(h.seen(t, id))
	var all []string
	switch {
	case is.Flow == "":
		all = append(all, "ended")
	case is.Flow != was.Flow:
		all = append(all, "start "+is.Flow)
	}
	for _, name := range slices.Sorted(maps.Keys(is.Slots)) {
		if v := is.Slots[name]; !reflect.DeepEqual(v, was.Slots[name]) || v == nil {
			all = append(all, fmt.Sprintf("%s=%v", name, v))
		}
	}
	if told.Pending != nil && told.Pending.IsConfirm() && told.Pending.Slot != "" {
		slot := told.Pending.Slot
		id = h.begin(t, lang) // a look is an answer
		send(t, h.c, id, dialogue.Message{Commands: []dialogue.Command{{Type: dialogue.StartFlow, Flow: flow}}})
		send(t, h.c, id, dialogue.Message{Text: said})
		send(t, h.c, id, dialogue.Message{Commands: []dialogue.Command{{Type: dialogue.Affirm}}})
		all = append(all, fmt.Sprintf("asks %s=%v", slot, frameOf(h.seen(t, id)).Slots[slot]))
	}
	if len(all) == 0 {
		return "nothing", told
	}
	return strings.Join(all, ", "), told
}
