package dialogue_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue"
)

// rented are the answers to the questions of the flow rent, in their order.
var rented = []struct {
	slot  string
	value any
}{
	{"kind", "van"},
	{"day", "2026-12-08"},
	{"at", "10:30"},
	{"driver", "Ada"},
	{"reason", "a move"},
	{"extras", []any{"gps", "roof box"}},
	{"discount", 10},
	{"deposit", 70},
	{"insurance", true},
}

// TestRental reads the table of what people say where cars are rented, testdata/rental/said.txt, and what comes of it. A heading names the
// language and the question: a slot of the flow rent, "ok" for its yes, "nothing" at the beginning; "+" and the name of a flow behind it is one
// that was begun before. A line has what is said, and what comes of it: "-" and a flow that ended, a flow that is the active one now, slots that have another value ("-" for an
// empty one), "asks" and a slot with the value that is in doubt, "pauses" where nobody has to hurry, and "nothing".
func TestRental(t *testing.T) {
	text, err := os.ReadFile("testdata/rental/said.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range []string{"en", "de", "fr"} {
		t.Run(lang, func(t *testing.T) {
			heldAt(t, "testdata/rental/dialogue.yaml", map[string]any{"number": "C1", "done": true}, func(t *testing.T, h *held) {
				r := &rental{h}
				eachLine(t, string(text), func(line int, in, at, said, want string) {
					if in != lang {
						return
					}
					if got, told := r.hears(t, lang, at, said); !slices.Contains(strings.Split(want, " | "), got) {
						t.Errorf("%d: %s %s: %q\n  expected %s\n  found    %s  %q", line, lang, at, said, want, got, told)
					}
				})
			})
		})
	}
}

// rental holds conversations of testdata/rental.
type rental struct{ *held }

// at begins a conversation that asks a question.
func (r *rental) at(t *testing.T, lang, question string) (id string) {
	t.Helper()
	id = r.begin(t, lang)
	question, before, _ := strings.Cut(question, "+")
	if before != "" {
		send(t, r.c, id, dialogue.Message{Commands: []dialogue.Command{{Type: dialogue.StartFlow, Flow: before}}})
	}
	if question == "nothing" {
		return id
	}
	commands := []dialogue.Command{{Type: dialogue.StartFlow, Flow: "rent"}}
	for _, a := range rented {
		if a.slot == question {
			break
		}
		commands = append(commands, dialogue.Command{Type: dialogue.SetSlot, Slot: a.slot, Value: a.value})
	}
	send(t, r.c, id, dialogue.Message{Commands: commands})
	return id
}

// hears is what comes of some words at a question.
func (r *rental) hears(t *testing.T, lang, question, said string) (comes string, told []string) {
	t.Helper()
	id := r.at(t, lang, question)
	var before dialogue.State
	if question != "nothing" {
		before = r.seen(t, id)
	}
	r.made = nil
	reply := send(t, r.c, id, dialogue.Message{Text: said})
	all := slices.Clone(r.made)
	told = reply.Texts()
	for _, l := range reply.Said {
		if l.Pattern == dialogue.OnPause {
			all = append(all, "pauses")
		}
	}
	if reply.Closed {
		return strings.Join(append(all, "closed"), ", "), told
	}
	pending := reply.Pending
	if pending != nil && pending.Slot == "flow_name" {
		all = append(all, "which")
	}
	after := r.seen(t, id)
	all = append(all, turned(before, after)...)
	if after.Doubt != nil {
		all = append(all, fmt.Sprintf("asks %s=%s", after.Doubt.Slot, text(after.Doubt.Value)))
	} else if pending != nil && pending.IsConfirm() && pending.Slot != "" {
		all = append(all, "asks "+pending.Slot)
	}
	if len(all) == 0 {
		return "nothing", told
	}
	return strings.Join(all, ", "), told
}

// turned is what is different in a conversation: flows that ended, the active one, values.
func turned(before, after dialogue.State) (all []string) {
	slots := func(s dialogue.State) map[string]any {
		found := make(map[string]any)
		for _, f := range s.Stack {
			maps.Copy(found, f.Slots)
		}
		return found
	}
	for _, f := range before.Stack {
		if !slices.ContainsFunc(after.Stack, func(o dialogue.Frame) bool { return o.ID == f.ID }) {
			all = append(all, "-"+f.Flow)
		}
	}
	if top := frameOf(after).Flow; top != frameOf(before).Flow && top != "" {
		all = append(all, top)
	}
	for _, f := range after.Stack[:max(0, len(after.Stack)-1)] {
		if !slices.ContainsFunc(before.Stack, func(o dialogue.Frame) bool { return o.ID == f.ID }) {
			all = append(all, "later "+f.Flow)
		}
	}
	was, is := slots(before), slots(after)
	if len(before.Stack) > len(after.Stack) {
		was = is
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if o, had := was[name]; !had || !reflect.DeepEqual(o, is[name]) {
			all = append(all, name+"="+text(is[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, has := is[name]; !has {
			all = append(all, "-"+name)
		}
	}
	return all
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
