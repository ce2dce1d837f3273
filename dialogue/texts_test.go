package dialogue_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/node"
)

// courier is the dialogue of testdata/texts, of which each flow has texts that people name.
type courier struct {
	c     *dialogue.Conversations
	made  int             // the actions that were made
	state *dialogue.State // as it was when the user looked
	turns int
}

// places are the questions of the tables of testdata/texts, and the commands that lead to them.
var places = map[string][]dialogue.Command{
	"nothing": nil,
	"who":     {{Type: dialogue.StartFlow, Flow: "transfer"}},
	"much":    {{Type: dialogue.StartFlow, Flow: "transfer"}, {Type: dialogue.SetSlot, Slot: "payee", Value: "Bob"}},
	"ok":      {{Type: dialogue.StartFlow, Flow: "transfer"}, {Type: dialogue.SetSlot, Slot: "payee", Value: "Bob"}, {Type: dialogue.SetSlot, Slot: "amount", Value: "50"}},
	"name":    {{Type: dialogue.StartFlow, Flow: "meet"}},
	"why":     {{Type: dialogue.StartFlow, Flow: "meet"}, {Type: dialogue.SetSlot, Slot: "person", Value: "Ada"}},
}

// hears says something at a place, and tells what comes of it: slots that change, a value that the user is asked about, flows that
// begin and end, and actions; "nothing" for none of it.
func (p *courier) hears(t *testing.T, lang, place, said string) (comes string, told dialogue.Reply) {
	t.Helper()
	p.turns++
	id := fmt.Sprint("c", p.turns)
	if _, _, err := p.c.OpenIn(t.Context(), lang, id, nil); err != nil {
		t.Fatal(err)
	}
	look := func() dialogue.State {
		send(t, p.c, id, dialogue.Message{Commands: []dialogue.Command{{Type: look}}})
		return *p.state
	}
	var was dialogue.Frame
	if commands := places[place]; commands != nil {
		send(t, p.c, id, dialogue.Message{Commands: commands})
		was = frameOf(look())
	}
	p.made = 0
	told = send(t, p.c, id, dialogue.Message{Text: said})
	var all []string
	if p.made > 0 {
		all = append(all, "acts")
	}
	after := look()
	is := frameOf(after)
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
// what is said, and what comes of it: see courier.hears. "safe" is whatever leaves slots, flows and the world as they were: the
// user is asked, or nothing was understood.
func TestTextsAreTakenOrAskedAbout(t *testing.T) {
	text, err := os.ReadFile("testdata/texts/said.txt")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, time.November, 26, 10, 0, 0, 0, time.UTC)))
		p := &courier{}
		d, err := dialogue.Load("testdata/texts/dialogue.yaml", dialogue.Options{ActionsFrom: func(name string, _ any) (dialogue.Action, error) {
			return dialogue.Action{Name: name, Run: func(node.Context, map[string]any) (any, error) {
				p.made++
				return map[string]any{"number": "C-1", "done": true}, nil
			}}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		looks := func(_ node.Context, _ dialogue.Command, s *dialogue.State) (dialogue.Delta, error) {
			p.state = s
			return dialogue.Delta{}, nil
		}
		rt, err := fermata.New(fermata.Options{Services: []any{&dialogue.Services{Handlers: map[dialogue.CommandType]dialogue.Handler{look: looks}}}})
		if err != nil {
			t.Fatal(err)
		}
		defer rt.Close()
		p.c = dialogue.NewConversations(rt, d, dialogue.ConversationOptions{})
		lang, place := "", ""
		for i, line := range strings.Split(string(text), "\n") {
			said, want, isCase := strings.Cut(line, " -> ")
			switch {
			case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "["):
				lang, place, _ = strings.Cut(strings.Trim(line, "[]"), " ")
			case !isCase:
				t.Fatalf("line %d: %q is no heading and no line of the table", i+1, line)
			default:
				got, told := p.hears(t, lang, place, said)
				if got != want && !(want == "safe" && (got == "nothing" || strings.HasPrefix(got, "asks "))) {
					t.Errorf("%d: %s %s: %q\n  expected %s\n  found    %s  %q", i+1, lang, place, said, want, got, told.Texts())
				}
			}
		}
	})
}
