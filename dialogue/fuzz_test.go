package dialogue

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/node"
)

// world is three dialogues in one: every type of slots, confirmations before actions, a digression, a called flow,
// patterns that are flows.
func world() (*Dialogue, error) {
	pay := Action{Name: "pay", Run: func(ctx node.Context, in map[string]any) (any, error) {
		made, err := node.Service[*[]string](ctx)
		if err != nil {
			return nil, err
		}
		data, err := json.Marshal(in)
		*made = append(*made, string(data))
		return map[string]any{"ref": len(*made)}, err
	}}
	ask := func(slot string) Step {
		return Step{ID: "ask_" + slot, Type: CollectStep, Slot: slot, Message: slot + "?"}
	}
	def := Definition{
		Name: "world", Settings: Settings{Misses: 6},
		Slots: []Slot{{Name: "shared", Type: Integer, Validate: "shared >= 0"}},
		Flows: []Flow{
			{Name: "pay", Description: "Pay", Trigger: []string{"pay {amount} to {payee}", "pay"}, Slots: []Slot{
				{Name: "amount", Type: Money, Validate: "amount > 0 and amount <= 100"}, {Name: "payee"}, {Name: "note", Optional: true},
			}, Steps: []Step{
				ask("payee"), ask("amount"), ask("note"),
				{ID: "ok", Type: ConfirmStep, Message: "Pay {{ amount }} to {{ payee }}?"},
				{ID: "pay", Type: ActionStep, Call: "pay", Inputs: []Assignment{{"amount", "amount"}, {"payee", "payee"}}, Outputs: []Assignment{{"ref", "ref"}}},
				{ID: "seen", Type: InformStep, Message: "Paid: {{ ref }}.", WaitForAck: true},
				{ID: "sub", Type: CallStep, Flow: "kinds", Outputs: []Assignment{{"whole", "whole"}}},
				{ID: "bye", Type: InformStep, Message: "{{ whole }}"},
			}},
			{Name: "kinds", Description: "All kinds", Trigger: []string{"kinds"}, Slots: []Slot{
				{Name: "real", Type: Number},
				{Name: "whole", Type: Integer, Validate: "whole != 7"},
				{Name: "day", Type: Date},
				{Name: "hour", Type: Time},
				{Name: "moment", Type: DateTime},
				{Name: "size", Type: Choice, Choices: []Option{{Value: "small"}, {Value: "large", Synonyms: []string{"big"}}}},
				{Name: "flag", Type: Boolean},
				{Name: "list", Type: List},
				{Name: "thing", Type: Object, Schema: json.RawMessage(`{"type":"object"}`)},
			}, Steps: []Step{
				ask("real"), ask("whole"), ask("flag"), ask("size"), ask("shared"),
				{ID: "sum", Type: SetStep, Values: []Assignment{{"total", "real + whole + shared"}}},
				ask("day"), ask("hour"), ask("moment"), ask("list"), ask("thing"),
				{ID: "told", Type: InformStep, Message: "{{ total }} {{ day }} {{ hour }} {{ size }} {{ flag }}"},
			}},
			{Name: "kindness", Description: "Kindness", Trigger: []string{"kinds words"}, Steps: []Step{{ID: "x", Type: InformStep, Message: "Thanks."}}},
		},
		Chitchat: []Chat{{Trigger: []string{"tell me a joke"}, Message: "Ha."}},
	}
	return Compile(def, Options{Actions: []Action{pay}})
}

// compiledWorld is the world, which takes longer to compile than most conversations take.
var compiledWorld = sync.OnceValues(world)

// held is a conversation that a test watches.
type held struct {
	tb   testing.TB
	d    *Dialogue
	made *[]string
	rt   *fermata.Runtime
	run  *fermata.Run
	res  fermata.Result
	last uint64
	said []Said
	bad  string // what is wrong with the state
}

func hold(tb testing.TB) *held {
	h := &held{tb: tb, made: new([]string)}
	var err error
	if h.d, err = compiledWorld(); err != nil {
		tb.Fatal(err)
	}
	if h.rt, err = fermata.New(fermata.Options{Services: []any{h.made, &Services{Handlers: map[CommandType]Handler{
		"look": func(_ node.Context, _ Command, s *State) (Delta, error) {
			h.check(s)
			return Delta{}, nil
		},
	}}}}); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = h.rt.Close() })
	s, err := h.d.Begin(nil)
	if err != nil {
		tb.Fatal(err)
	}
	if h.run, err = h.rt.Start(tb.Context(), h.d.Plan(), s, fermata.WithID("c")); err != nil {
		tb.Fatal(err)
	}
	h.wait()
	return h
}

func (h *held) wait() {
	h.tb.Helper()
	var err error
	if h.res, err = h.run.Wait(h.tb.Context()); err != nil {
		h.tb.Fatal(err)
	}
	if h.res.Status != fermata.Paused || len(h.res.Interrupts) != 1 || !isGate(&h.res.Interrupts[0]) {
		h.tb.Fatalf("the conversation is stuck: %s %v", h.res.Status, h.res.Err)
	}
	h.said = nil
	for e, err := range h.rt.Events(h.tb.Context(), "c", h.last, false) {
		if err != nil {
			h.tb.Fatal(err)
		}
		if h.last = e.Seq(); e.Type() != node.EventMessage {
			continue
		}
		var s Said
		data, err := e.Data()
		if err == nil {
			err = json.Unmarshal(data, &s)
		}
		if err != nil {
			h.tb.Fatal(err)
		}
		h.said = append(h.said, s)
	}
}

// tell says something raw, and checks what must hold whatever it is.
func (h *held) tell(message any, agreed bool) {
	h.tb.Helper()
	before, asked := len(*h.made), h.waiting()
	if err := h.rt.Answer(h.tb.Context(), h.res.Interrupts[0].ID, message, fermata.AsRole("agent")); err != nil {
		return // it was refused
	}
	h.wait()
	w := h.waiting()
	if len(h.said) == 0 && !asked.Handoff && !w.Handoff {
		h.tb.Fatalf("nothing is said to %v", message)
	}
	now := len(*h.made)
	if now > before+1 {
		h.tb.Fatalf("made %d times: %v", now-before, *h.made)
	}
	if now > before && (!agreed || asked.PendingTask == nil || !asked.IsConfirm()) {
		h.tb.Fatalf("%v to %v: made %v", message, asked.PendingTask, *h.made)
	}
	if h.bad != "" {
		h.tb.Fatalf("after %v: %s", message, h.bad)
	}
}

func (h *held) waiting() (w Waiting) {
	if err := json.Unmarshal(h.res.Interrupts[0].Request, &w); err != nil {
		h.tb.Fatal(err)
	}
	return w
}

// end has a last look at the state.
func (h *held) end() {
	h.tb.Helper()
	h.tell(Message{Commands: []Command{{Type: "look"}, {Type: Repeat}}}, false)
}

// check looks at the state: every value fits its slot, and the stack is bounded.
func (h *held) check(s *State) {
	if len(s.Stack) > 4 {
		h.bad = fmt.Sprintf("%d flows are going on", len(s.Stack))
	}
	good := func(f *Frame, name string, v any) {
		p, ok := h.d.find(f, name)
		if !ok || v == nil && p.slot.Optional {
			return
		}
		err := p.slot.check.Check(encoded(v))
		if err == nil {
			err = h.d.valid(s, p, v)
		}
		if err != nil {
			h.bad = fmt.Sprintf("slot %s holds %v: %v", name, v, err)
		}
	}
	for name, v := range s.Slots {
		good(nil, name, v)
	}
	for i := range s.Stack {
		for name, v := range s.Stack[i].Slots {
			good(&s.Stack[i], name, v)
		}
	}
}

// ways lead to places in the conversation from which anything may be said.
var ways = [][]string{
	{},
	{"pay"},
	{"pay 5 to Ada"},
	{"pay 5 to Ada", "skip"},
	{"pay 5 to Ada", "skip", "yes"},
	{"pay 5 to Ada", "skip", "yes", "ok"},
	{"kinds"},
	{"kinds", "2"},
	{"kinds", "2", "3"},
	{"kinds", "2", "3", "yes"},
	{"kinds", "2", "3", "yes", "big"},
	{"kinds", "2", "3", "yes", "big", "0"},
	{"kinds", "2", "3", "yes", "big", "0", "tomorrow"},
	{"kinds", "2", "3", "yes", "big", "0", "tomorrow", "15:00"},
	{"kinds", "2", "3", "yes", "big", "0", "tomorrow", "15:00", "tomorrow at 15:00"},
	{"kinds", "2", "3", "yes", "big", "0", "tomorrow", "15:00", "tomorrow at 15:00", "salt and pepper"},
	{"talk to a human"},
}

// FuzzMessage says anything at any point of a conversation.
func FuzzMessage(f *testing.F) {
	for i, text := range []string{
		"", "yes", "no", "yes no", "pay 1e400 to \xff", "-0", "0", "cancel", "make it 60", "no, to Bob", "what did you say", "skip", "\x00", "pay 0 to pay", "kinds words",
		"forget the amount", "{{ amount }}", "9999999999999999999999", "31 february", "yes, go ahead", "👍", "ok", "change payee to", "kinds kindness",
	} {
		f.Add(uint(i), text, "yes")
	}
	f.Fuzz(func(t *testing.T, way uint, text, then string) {
		h := hold(t)
		for _, line := range ways[way%uint(len(ways))] {
			h.tell(Message{Text: line}, true)
		}
		for _, line := range []string{text, then} {
			yes, no, rest, _ := h.d.locale.Assent(strings.ToValidUTF8(line, "\uFFFD"))
			h.tell(Message{Text: line}, yes && !no && rest == "" || strings.EqualFold(strings.TrimSpace(line), "yes"))
		}
		h.end()
	})
}

// FuzzCommands gives any sequence of commands, and odd ones.
func FuzzCommands(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13})
	f.Add([]byte{0, 0, 0, 2, 1, 1, 2, 0, 2, 255, 5, 0, 0, 255, 5, 0, 0})
	f.Add([]byte{2, 2, 2, 2, 3, 3, 3, 3, 255, 255, 0, 0, 0, 0, 255, 8, 8, 8})
	types := append(slices.Clone(commandTypes), Silence, "unknown")
	names := []string{"pay", "kinds", "kindness", "amount", "payee", "note", "shared", "real", "whole", "flag", "size", "day", "list", "thing", "ref", "total", "flow_name", "", "no", "today"}
	values := []string{
		`null`, `0`, `-0`, `-0.0`, `5`, `1e400`, `-1e400`, `1e-400`, `"NaN"`, `"x"`, `""`, `true`, `false`, `[]`, `["a"]`, `[[["a"]]]`, `{}`, `{"a":{"b":[null]}}`, `"5"`, `"2026-11-25"`,
		`"25:00"`, `"small"`, `99999999999999999999999`, `7`, `7.0`, `"7"`, `50.25`, `"{{ x }}"`, `"yes"`, `"\u0000"`,
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 120 {
			return
		}
		h := hold(t)
		var commands []string
		yes := false
		for len(data) > 0 {
			if data[0] == 255 || len(data) < 3 {
				if commands == nil {
					commands = []string{`{"type":"repeat"}`}
				}
				h.tell(json.RawMessage(fmt.Sprintf(`{"text":"x","commands":[{"type":"look"},%s]}`, strings.Join(commands, ","))), yes)
				commands, yes, data = nil, false, data[1:]
				continue
			}
			c := types[int(data[0])%len(types)]
			name, value := names[int(data[1])%len(names)], values[int(data[2])%len(values)]
			yes = yes || c == Affirm
			commands = append(commands, fmt.Sprintf(`{"type":%q,"flow_name":%q,"slot_name":%q,"slot_value":%s,"slot_to_change":%q,"options":[%q,"pay"]}`, c, name, name, value, name, name))
			data = data[3:]
		}
		h.end()
	})
}

// commandTypes are those of all commands.
var commandTypes = []CommandType{
	StartFlow, CancelFlow, SetSlot, CorrectSlot, ClearSlot, Affirm, Deny, Clarify, Chitchat, Handoff, Repeat, Skip,
}
