package dialogue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/internal/nearest"
)

// analyse follows a flow's steps on all their ways, and checks every expression against what is known where it stands:
// a slot that is not filled on some way there, a type that does not go with an operator, are problems of the file and
// not of a conversation. It returns the steps that a way leads to.
func (c *compiler) analyse(f *flow) map[string]bool {
	at := map[string]expression.Names{f.first: c.names(f)}
	reach := map[string]bool{f.first: true}
	work, rounds := []string{f.first}, 0
	for len(work) > 0 {
		id := work[0]
		work = work[1:]
		rounds++
		st := f.steps[id]
		after := c.effect(f, st, at[id], false)
		follow := func(to string, known expression.Names) {
			if f.steps[to] == nil {
				return
			}
			if !reach[to] {
				reach[to], at[to] = true, known
				work = append(work, to)
			} else if joined, more := at[to].Join(known, rounds > 50*len(f.list)); more {
				at[to] = joined
				work = append(work, to)
			}
		}
		c.follow(st, at[id], after, follow)
	}
	for _, st := range f.list {
		if reach[st.ID] {
			c.effect(f, st, at[st.ID], true)
		}
	}
	return reach
}

// follow hands on what is known behind a step, on each of its ways.
func (c *compiler) follow(st *step, before, after expression.Names, to func(string, expression.Names)) {
	if st.OnError != "" {
		to(st.OnError, before)
	}
	if st.Type != BranchStep && st.Type != WhileStep {
		for _, w := range st.targets() {
			to(w.step, after)
		}
		return
	}
	for _, k := range st.cases {
		if k.when == nil {
			to(k.next, after)
			continue
		}
		to(k.next, k.when.Narrowed(after, true))
		after = k.when.Narrowed(after, false)
	}
	to(st.otherwise, after)
}

// effect is what is known behind a step. With tell it reports what is wrong with it.
func (c *compiler) effect(f *flow, st *step, known expression.Names, tell bool) expression.Names {
	report := c.report
	if !tell {
		c.report = func(string, int, string) {}
	}
	defer func() { c.report = report }()
	switch st.Type {
	case CollectStep:
		c.checkMessage(st.message, known)
		if sl := c.d.slotOf(f, st.Slot); sl != nil {
			known.Set(st.Slot, sl.values)
			c.validated(f, st, sl, known)
		} else {
			for _, sl := range f.order { // which one was meant is not known
				known.Set(sl.name, sl.values)
			}
		}
	case ConfirmStep, InformStep:
		c.checkMessage(st.message, known)
	case ActionStep:
		c.given(st, known)
		for i := range st.outs {
			c.result(f, st, &st.outs[i], &known)
		}
	case SetStep:
		for _, v := range st.values {
			if c.write(f, v, c.checkFormula(v.code, v.place, known), &known) {
				c.constant(c.d.slotOf(f, v.name), v, fmt.Sprintf("the slot %q", v.name))
			}
		}
	case BranchStep, WhileStep:
		here := known
		for _, k := range st.cases {
			c.checkCondition(k.when, k.place, here)
			if k.when != nil {
				here = k.when.Narrowed(here, false)
			}
		}
	case CallStep, LinkStep:
		c.called(f, st, &known)
	}
	return known
}

// validated checks that what a slot is checked against is known where the slot is asked for.
func (c *compiler) validated(f *flow, st *step, sl *slot, known expression.Names) {
	if sl.validate == nil {
		return
	}
	for _, name := range sl.validate.Names() {
		if t := known.Board(name); name != sl.name && t.Missing && c.d.slotOf(f, name) != nil && !c.d.slotOf(f, name).checks(sl.name) {
			c.fault(st.path+".slot", "the slot %q is checked against %q, which need not be filled here; ask for that first", sl.name, name)
		}
	}
}

// checks reports whether the slot's own validator reads a name: then the two are checked against each other when the
// later one is filled.
func (s *slot) checks(name string) bool {
	return s.validate != nil && slices.Contains(s.validate.Names(), name)
}

// given checks what an action is given.
func (c *compiler) given(st *step, known expression.Names) {
	if st.action == nil {
		return
	}
	var wanted *expression.Type
	if st.action.In != nil {
		wanted = typeOfSchema(st.action.In.JSON())
	}
	for _, in := range st.inputs {
		t := known.Board(in.name)
		if in.code != nil {
			t = c.checkFormula(in.code, in.place, known)
		}
		switch {
		case in.code == nil && !in.needed && !known.Has(in.name):
			continue
		case in.code == nil && in.needed && (t.Missing || t.Kinds == 0):
			c.fault(in.place, "the action %q needs %q, which need not be filled here%s", st.Call, in.name, nearest.Hint(in.name, known.List()))
			continue
		}
		if wanted != nil && wanted.Fields[in.name] != nil {
			if why := t.Present().Misfit(wanted.Fields[in.name], ""); why != "" {
				c.fault(in.place, "the action %q cannot take this as %q: %s", st.Call, in.name, why)
			}
		}
	}
}

// result checks a value that a step takes from the result of an action. A member that the action may leave out leaves the
// slot as it is.
func (c *compiler) result(f *flow, st *step, out *assignment, known *expression.Names) {
	t := expression.Anything
	path, lenient := strings.CutSuffix(out.path, "?")
	if st.action != nil {
		doc, sure, found := member(st.action.Out, path)
		if !found {
			c.fault(out.place, "what the action %q gives has no %q%s", st.Call, out.path, nearest.Hint(out.path, membersOf(st.action.Out)))
		}
		t, out.open = typeOfSchema(doc), !sure || lenient
	}
	had := known.Board(out.name)
	c.write(f, *out, t, known)
	switch {
	case !out.open:
	case had.Missing || had.Kinds == 0:
		known.Set(out.name, optional(known.Board(out.name)))
	case c.d.slotOf(f, out.name) == nil:
		known.Set(out.name, expression.Anything) // what it was or what it is
	}
}

// write checks that a value fits the slot that it is written to, and makes it known.
func (c *compiler) write(f *flow, to assignment, t *expression.Type, known *expression.Names) (fits bool) {
	fits = true
	if sl := c.d.slotOf(f, to.name); sl != nil {
		if why := t.Present().Misfit(sl.values, ""); why != "" {
			fits = false
			c.fault(to.place, "the slot %q cannot hold this: %s", to.name, why)
		}
		t = sl.values
	}
	if slices.Contains(reservedNames, to.name) {
		c.fault(to.place, "%q cannot be written: it means something else in messages", to.name)
	}
	known.Set(to.name, t.Present())
	return fits
}

// constant checks a value that is the same always, as far as nothing else is needed to know whether it is good.
func (c *compiler) constant(sl *slot, a assignment, what string) {
	if sl == nil || a.code == nil || len(a.code.Names()) > 0 {
		return
	}
	v, err := a.code.Result(scopeOf(nil))
	if err != nil {
		return // the check of the expression says so
	}
	kept, err := c.d.read(sl, v, time.Time{})
	if err != nil {
		c.fault(a.place, "%s cannot hold this: %s", what, strings.TrimSuffix(err.Error(), "."))
		return
	}
	if sl.refuses(kept) {
		c.fault(a.place, "%s cannot hold this: %s is refused by its own validate", what, shown(kept))
	}
}

// called checks what another flow is given and gives back.
func (c *compiler) called(f *flow, st *step, known *expression.Names) {
	to := c.d.flows[st.Flow]
	for _, in := range st.inputs {
		t := c.checkFormula(in.code, in.place, *known)
		if to == nil || to.slots[in.name] == nil {
			continue
		}
		if why := t.Present().Misfit(to.slots[in.name].values, ""); why != "" {
			c.fault(in.place, "the slot %q of the flow %q cannot hold this: %s", in.name, st.Flow, why)
		} else {
			c.constant(to.slots[in.name], in, fmt.Sprintf("the slot %q of the flow %q", in.name, st.Flow))
		}
	}
	for _, out := range st.outs {
		if to == nil || to.slots[out.path] == nil {
			continue
		}
		t := optional(to.slots[out.path].values)
		if to.collects(out.path) {
			t = t.Present()
		}
		c.write(f, out, t, known)
		if t.Missing {
			known.Set(out.name, t)
		}
	}
}

// collects reports whether a flow cannot end well without asking for a slot: one of its steps on every way does.
func (f *flow) collects(slot string) bool {
	for _, st := range f.list {
		if st.Type == CollectStep && st.Slot == slot {
			return !f.avoids(st.ID)
		}
	}
	return false
}

// avoids reports whether a way leads through the flow and not through a step.
func (f *flow) avoids(step string) (found bool) {
	f.walk([]string{f.first}, func(id string) bool {
		st := f.steps[id]
		if st == nil {
			found = found || id != Stop // it ends
		} else if st.Type == LinkStep {
			found = true // it ends with another flow
		}
		return id != step
	})
	return found
}

// validator checks what a slot is checked by, and what is said then.
func (c *compiler) validator(sl *slot, known expression.Names, path string) {
	known.Set(sl.name, sl.given()) // what is left out is not checked
	if sl.invalid != nil {
		c.faults(path+".validate", *sl.invalid)
		return
	}
	if sl.validate != nil {
		for _, name := range sl.validate.Names() { // it is left until they are filled, see valid
			if known.Has(name) {
				known.Set(name, known.Board(name).Present())
			}
		}
		c.checkCondition(sl.validate, path+".validate", known)
		if sl.refuses(sl.initial) {
			c.fault(path+".initial", "the slot cannot begin with this: %s is refused by its own validate", shown(sl.initial))
		}
	}
	if sl.Error != "" {
		sl.refusal = c.checked(sl.Error, path+".error", known)
		unchecked, foreign := sl.Validate == "" && len(sl.Schema) == 0, languageOf(c.d.settings.Language) == nil
		if unchecked || foreign { // there are no words for another reason, or none in the language
			sl.failure = sl.refusal
		}
	}
}

// refuses reports whether a value is not good, as far as nothing else is needed to know it.
func (s *slot) refuses(v any) bool {
	if v == nil || s.validate == nil || !s.alone() {
		return false
	}
	good, err := s.validate.Holds(scopeOf(map[string]any{s.name: v}))
	return err != nil || !good
}

// circles reports flows that go round for ever: no way leads to a question or an end.
func (c *compiler) circles() {
	for _, f := range c.d.order {
		if len(f.list) == 0 || f.lost || f.twice || c.torn != nil && c.torn("flows."+f.Name) {
			return // what was meant is not known
		}
	}
	halts := make(map[string]bool)
	for more := true; more; {
		more = false
		for _, f := range c.d.order {
			if !halts[f.Name] && f.halts(halts) {
				halts[f.Name], more = true, true
			}
		}
	}
	for _, f := range c.d.order {
		if !halts[f.Name] {
			c.fault("flows."+f.Name, "the flow goes round for ever: none of its ways leads to a question or an end")
		}
	}
}

// halts reports whether a way through the flow leads to a question or an end, where some other flows are known to halt.
func (f *flow) halts(others map[string]bool) (found bool) {
	f.walk([]string{f.first}, func(id string) bool {
		st := f.steps[id]
		if st == nil || st.asks() {
			found = true
			return false
		}
		if st.Type != CallStep && st.Type != LinkStep {
			return true
		}
		found = found || f.dialogue.flows[st.Flow] == nil || others[st.Flow]
		return false
	})
	return found
}

// asks reports whether the step may wait for the user.
func (s *step) asks() bool {
	return s.Type == CollectStep || s.Type == ConfirmStep || s.Type == InformStep && s.WaitForAck
}
