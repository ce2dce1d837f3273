package runstate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/loss"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/plan"
)

// misfit is a value of a run without a place in a plan (law J8). It never holds the value itself.
type misfit struct {
	value  string // its name: "amount", "items.0.price"
	reason string // why it has no place
	hint   string // a name that may have replaced it; "" for none
}

// inventory checks a run's stored values against a plan: none may be replaced by a zero.
type inventory struct {
	m    *machine.Machine                                // of the run
	data func(ref uint64) []byte                         // returns the JSON of an entry's value; nil if it was decoded by this plan already
	knew func(scope, name string) bool                   // whether the old plan had a value of a dataflow
	live func(ref uint64, codec plan.Codec) (any, error) // decodes a value and keeps it; nil to decode for the check alone

	records map[uint64]*record // decoded so far, by ref
}

// record is the output of a dataflow node, or the dataflow's input.
type record struct {
	members map[string]json.RawMessage // by name
	data    []byte                     // as stored
	again   []byte                     // as the plan encodes it
	fault   error                      // why it cannot be decoded; nil for none
}

// misfit returns the first value that the plan would lose; nil for none.
func (h *inventory) misfit() *misfit {
	for _, held := range h.m.States() {
		if fault := h.state(held); fault != nil {
			return fault
		}
	}
	reads := h.m.Reads()
	for _, read := range reads {
		if fault := h.read(read); fault != nil {
			return fault
		}
	}
	return h.strayed(reads)
}

// state checks the state of a token or a task.
func (h *inventory) state(held machine.Held) *misfit {
	data := h.data(held.Ref)
	if data == nil || held.Codec == nil {
		return nil
	}
	who := "the state of the run"
	if held.By != "" {
		who = "the state at " + held.By
	}
	again, err := h.recoded(held, data)
	if err != nil {
		return unreadable(who, "", err)
	}
	lost, err := loss.Of(data, again)
	if err != nil || len(lost) == 0 {
		return nil // the journal's own text is JSON
	}
	return lostIn(who, lost[0])
}

func (h *inventory) recoded(held machine.Held, data []byte) ([]byte, error) {
	if h.live != nil {
		if v, err := h.live(held.Ref, held.Codec); err == nil {
			return guard.Encode(held.Codec, v)
		}
	}
	return recoded(held.Codec, data)
}

// undescribed returns a state that the plan would lose although its fingerprint is unchanged. This happens if
// the schemas do not describe the type of the states fully. Nil for none.
func (h *inventory) undescribed(p *plan.Plan) *misfit {
	if describes(p) {
		return nil
	}
	for _, held := range h.m.States() {
		if fault := h.state(held); fault != nil {
			return fault
		}
	}
	return nil
}

// describes reports whether the schemas of a plan and its subgraphs fully describe the types of their states. A
// dataflow's types are in its ports, and a state with any names loses none.
func describes(p *plan.Plan) bool {
	def := p.Definition()
	_, anyNames := def.State.(*value.Objects)
	switch {
	case def.Dataflow != nil, anyNames:
	case len(def.Output) == 0:
		return false
	case bytes.Contains(def.Output, []byte(":{}")): // a type with its own JSON, or an interface, which keeps everything
		if codec, ok := def.State.(interface{ Own() bool }); !ok || codec.Own() {
			return false
		}
	}
	return !slices.ContainsFunc(def.Nodes, func(n plan.Node) bool { return n.Sub != nil && !describes(n.Sub) })
}

// untaken returns a state that lacks values that the plan's nodes read; nil for none.
func (h *inventory) untaken() *misfit {
	standings := h.m.Standings()
	for first := 0; first < len(standings); {
		next := first + 1
		for next < len(standings) && standings[next].Scope == standings[first].Scope {
			next++
		}
		if f := h.untakenIn(standings[first:next]); f != nil {
			return f
		}
		first = next
	}
	return nil
}

// untakenIn is untaken for paths that belong together.
func (h *inventory) untakenIn(standings []machine.Standing) *misfit {
	var takes func([]plan.Standing) *plan.Misfit
	var all []plan.Standing
	for _, s := range standings {
		one := plan.Standing{By: s.By, State: slices.Clone(h.data(s.Ref)), Waits: s.Waits, Left: s.Left}
		if s.Node >= 0 {
			flat := h.m.FlatAt(s.Node)
			one.Node, takes = flat.Name, flat.Owner.Definition().Takes
		}
		if one.State == nil && !one.Left { // written by this plan, so it is complete
			return nil
		}
		all = append(all, one)
	}
	if takes == nil {
		return nil
	}
	found, err := guard.Result(func() (any, error) { return takes(all), nil })
	if err != nil {
		return &misfit{reason: fmt.Sprintf("the state at %s cannot be checked: %v", all[0].By, err)}
	}
	if f, _ := found.(*plan.Misfit); f != nil {
		return &misfit{value: f.Value, reason: f.Reason, hint: f.Hint}
	}
	return nil
}

// recoded decodes and encodes a value, which may run the author's methods (law N7).
func recoded(codec plan.Codec, data []byte) ([]byte, error) {
	again, err := guard.Result(func() (any, error) {
		v, err := codec.Decode(data)
		if err != nil {
			return nil, err
		}
		return guard.Encode(codec, v)
	})
	if err != nil {
		return nil, err
	}
	return again.([]byte), nil //nolint:forcetypeassert // what Encode returns
}

func unreadable(who, name string, err error) *misfit {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field != "" {
			name = wrong.Field
		}
		if name != "" {
			form, _, _ := strings.Cut(wrong.Value, " ") // the number itself follows
			return &misfit{value: name, reason: fmt.Sprintf("%s holds %q as a %s, and the plan reads it as %s", who, name, form, wrong.Type)}
		}
	}
	return &misfit{value: name, reason: fmt.Sprintf("%s does not fit the plan's type: %v", who, err)}
}

func lostIn(who string, lost loss.Lost) *misfit {
	if !lost.Gone {
		return &misfit{value: lost.Path, reason: fmt.Sprintf("%s holds %q, which the plan would read as another value", who, lost.Path)}
	}
	f := &misfit{value: lost.Path, reason: fmt.Sprintf("%s holds %q, and the plan has no such field", who, lost.Path)}
	if lost.Near != "" {
		f.hint = renamedValue(lost.Path, lost.Near)
	}
	return f
}

func renamedValue(was, is string) string {
	return fmt.Sprintf("if %s is %s now, a migration can say so", was, is)
}

// read checks that a reader of a dataflow gets the written value.
func (h *inventory) read(read machine.Read) *misfit {
	if read.Ref == 0 {
		if !read.Required {
			return nil
		}
		return h.unwritten(read)
	}
	rec := h.record(read)
	switch {
	case rec == nil:
		return nil
	case rec.fault != nil:
		return unreadable("what "+writerOf(read)+" wrote", read.Name, rec.fault)
	}
	if _, there := rec.members[read.Name]; !there {
		if read.Omitted {
			return nil
		}
		f := &misfit{value: read.Name, reason: fmt.Sprintf("%s reads %q, and %s finished without it", read.By, read.Name, writerOf(read))}
		if read.Writer == "" {
			f.reason = fmt.Sprintf("%s reads %q, which the run was not given", read.By, read.Name)
		}
		f.hint = h.formerly(read)
		return f
	}
	if lost, err := loss.Member(rec.data, rec.again, read.Name); err == nil && len(lost) > 0 {
		return lostIn("what "+writerOf(read)+" wrote", lost[0])
	}
	return nil
}

// unwritten returns why a reader gets nothing.
func (h *inventory) unwritten(read machine.Read) *misfit {
	for _, s := range h.strays() {
		if s.scope == read.Scope && s.name == read.Name {
			return &misfit{value: read.Name, reason: fmt.Sprintf("%s reads %q, which node %s has written and the plan does not have", read.By, read.Name, s.writer)}
		}
	}
	return &misfit{
		value: read.Name, hint: h.formerly(read),
		reason: fmt.Sprintf("%s reads %q, which no node has written and the run was not given", read.By, read.Name),
	}
}

func writerOf(read machine.Read) string {
	if read.Writer == "" {
		return "the run's input"
	}
	return "node " + read.Writer
}

// record decodes the record of a value; nil if this plan decoded it before.
func (h *inventory) record(read machine.Read) *record {
	if rec, known := h.records[read.Ref]; known {
		return rec
	}
	if h.records == nil {
		h.records = make(map[uint64]*record)
	}
	data := h.data(read.Ref)
	if data == nil {
		return nil
	}
	rec := &record{data: data}
	if rec.fault = json.Unmarshal(data, &rec.members); rec.fault == nil && read.Codec != nil {
		rec.again, rec.fault = recoded(read.Codec, data)
	}
	h.records[read.Ref] = rec
	return rec
}

// stray is a value of the run that no node of the plan knows.
type stray struct {
	scope, name, writer string // the dataflow, the value and its node
	gone                bool   // its writer is gone too
}

// strays lists values of dataflows for which the plan has no name or no writer.
func (h *inventory) strays() (all []stray) {
	for _, rec := range h.m.Records() {
		data := h.data(rec.Ref)
		if data == nil {
			continue
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(data, &members) != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if (rec.Gone || !slices.Contains(rec.Names, name)) && string(members[name]) != "null" {
				all = append(all, stray{scope: rec.Scope, name: name, writer: rec.Writer, gone: rec.Gone})
			}
		}
	}
	return all
}

// strayed finds a default that would replace a stray value of the run.
func (h *inventory) strayed(reads []machine.Read) *misfit {
	var strays []stray
	for i, read := range reads {
		if read.Ref != 0 {
			continue
		}
		if i == 0 || strays == nil {
			strays = h.strays()
		}
		for _, s := range strays {
			switch {
			case s.scope != read.Scope:
			case s.name == read.Name:
				return &misfit{value: s.name, reason: fmt.Sprintf("%s would take its default for %q, which node %s has written and the plan does not have", read.By, s.name, s.writer)}
			case !s.gone && !h.knew(read.Scope, read.Name):
				return &misfit{
					value:  s.name,
					reason: fmt.Sprintf("%s would take its default for %q, which is new, and the plan has no place for %q, which the run holds", read.By, read.Name, s.name),
					hint:   renamedValue(s.name, read.Name),
				}
			}
		}
	}
	return nil
}

// formerly returns the unknown value that may be the missing one, "" for none.
func (h *inventory) formerly(read machine.Read) string {
	var left, own []string
	for _, s := range h.strays() {
		if s.scope != read.Scope {
			continue
		}
		left = append(left, s.name)
		if rec := h.records[read.Ref]; rec != nil && rec.members[s.name] != nil { // of the same writer
			own = append(own, s.name)
		}
	}
	if len(own) > 0 {
		left = own
	}
	was := nearest.Name(read.Name, left)
	if was == "" && len(left) == 1 {
		was = left[0]
	}
	if was == "" {
		return ""
	}
	return renamedValue(was, read.Name)
}
