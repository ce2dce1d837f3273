package dialogue

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/plan"
)

// takes is plan.Definition.Takes of the dialogue: every flow that a conversation is in, the step where it goes on, and every
// slot that holds a value have a place in the dialogue (law J8).
func (d *Dialogue) takes(all []plan.Standing) *plan.Misfit {
	for _, one := range all {
		if one.Left {
			continue
		}
		if f := d.takesState(one.State); f != nil {
			f.Reason = fmt.Sprintf("the state at %s: %s", one.By, f.Reason)
			return f
		}
	}
	return nil
}

func (d *Dialogue) takesState(state json.RawMessage) *plan.Misfit {
	var s State
	if json.Unmarshal(state, &s) != nil {
		return nil // the codec says what is wrong
	}
	if d.def.Context != nil {
		known := make([]string, len(d.context))
		for i, sl := range d.context {
			known[i] = sl.name
		}
		if f := lostName("context", s.Context, known, slices.Collect(maps.Keys(d.slots))); f != nil {
			return f
		}
	}
	if f := lostName("slot", s.Slots, keysOf(d.slots), nil); f != nil {
		return f
	}
	for i := range s.Stack {
		if f := d.takesFrame(&s.Stack[i]); f != nil {
			return f
		}
	}
	return nil
}

func (d *Dialogue) takesFrame(fr *Frame) *plan.Misfit {
	f := d.flows[fr.Flow]
	if f == nil {
		hint := ""
		if near := nearest.Name(fr.Flow, keysOf(d.flows)); near != "" {
			hint = fmt.Sprintf("if %s is %s now, the dialogue can say so: renamed: {flows: {%s: %s}}", fr.Flow, near, fr.Flow, near)
		}
		return &plan.Misfit{Value: fr.Flow, Reason: fmt.Sprintf("the conversation is in the flow %q, which the dialogue does not have", fr.Flow), Hint: hint}
	}
	if fr.Step != "" && fr.End == "" && f.steps[fr.Step] == nil && fr.Step != End && fr.Step != Stop {
		return &plan.Misfit{
			Value:  fr.Step,
			Reason: fmt.Sprintf("the flow %q goes on at its step %q, which it does not have%s", fr.Flow, fr.Step, nearest.Hint(fr.Step, keysOf(f.steps))),
		}
	}
	return lostName(fmt.Sprintf("flow %q, slot", fr.Flow), fr.Slots, keysOf(f.slots), slices.Concat(keysOf(d.slots), f.variables()))
}

// lostName finds a name that holds a value and is not known.
func lostName(where string, held map[string]any, known, also []string) *plan.Misfit {
	for _, name := range keysOf(held) {
		if held[name] == nil || slices.Contains(known, name) || slices.Contains(also, name) {
			continue
		}
		var fresh []string
		for _, other := range known {
			if _, there := held[other]; !there {
				fresh = append(fresh, other)
			}
		}
		hint, near := "", nearest.Name(name, fresh)
		if near == "" && len(fresh) == 1 {
			near = fresh[0]
		}
		if near != "" {
			hint = fmt.Sprintf("if %s is %s now, the dialogue can say so: renamed: {slots: {%s: %s}}", name, near, name, near)
		}
		return &plan.Misfit{Value: name, Reason: fmt.Sprintf("the conversation holds %s %q, which the dialogue does not have", where, name), Hint: hint}
	}
	return nil
}

// Renamed gives the new names of flows and slots by their old ones. Conversations that wait go on with the values that
// they hold (law J8).
type Renamed struct {
	Flows map[string]string
	Slots map[string]string // of the conversation and of flows: those that do not have the old name and have the new one
}

// migration is what the plan declares; nil for nothing.
func (d *Dialogue) migration() *plan.Migration {
	r := d.def.Renamed
	if len(r.Flows)+len(r.Slots) == 0 {
		return nil
	}
	return &plan.Migration{Nodes: r.Flows, State: d.converted}
}

// converted renames flows and slots in a conversation.
func (d *Dialogue) converted(old json.RawMessage) (json.RawMessage, error) {
	var s State
	if err := json.Unmarshal(old, &s); err != nil {
		return nil, err
	}
	r := d.def.Renamed
	flow := func(name *string) {
		if to, ok := r.Flows[*name]; ok && d.flows[*name] == nil {
			*name = to
		}
	}
	s.Slots = renamedIn(s.Slots, r.Slots, d.names(""))
	for i := range s.Clarify {
		flow(&s.Clarify[i])
	}
	for i := range s.Stack {
		fr := &s.Stack[i]
		flow(&fr.Flow)
		slots := d.names(fr.Flow)
		fr.Slots = renamedIn(fr.Slots, r.Slots, slots)
		for _, marks := range [][]mark{fr.Trail, fr.Made} {
			for j := range marks {
				marks[j].Was = renamedIn(marks[j].Was, r.Slots, slots)
				renameAll(marks[j].New, r.Slots, slots)
				renameAll(marks[j].Knew, r.Slots, slots)
			}
		}
		renameAll(fr.Fresh, r.Slots, slots)
		renameAll(fr.Late, r.Slots, slots)
		if fr.Call != nil {
			flow(&fr.Call.Flow)
			fr.Call.Slots = renamedIn(fr.Call.Slots, r.Slots, d.names(fr.Call.Flow))
		}
	}
	if s.Pending != nil && s.top() != nil {
		s.Pending.Slot = renamedSlot(s.Pending.Slot, r.Slots, append(d.names(s.top().Flow), d.names("")...))
	}
	return json.Marshal(&s)
}

// names are the slots and variables of a flow; of the conversation for "".
func (d *Dialogue) names(flow string) []string {
	if flow == "" {
		return keysOf(d.slots)
	}
	if f := d.flows[flow]; f != nil {
		return append(keysOf(f.slots), f.variables()...)
	}
	return nil
}

func renamedSlot(name string, names map[string]string, slots []string) string {
	if to, ok := names[name]; ok && !slices.Contains(slots, name) && slices.Contains(slots, to) {
		return to
	}
	return name
}

func renameAll(list []string, names map[string]string, slots []string) {
	for i := range list {
		list[i] = renamedSlot(list[i], names, slots)
	}
}

func renamedIn(held map[string]any, names map[string]string, slots []string) map[string]any {
	if held == nil {
		return nil
	}
	now := make(map[string]any, len(held))
	for name, v := range held {
		now[renamedSlot(name, names, slots)] = v
	}
	return now
}
