package dialogue

import (
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/document"
)

// A step's name in its flow's plan cannot be one of these.
var reservedSteps = []string{End, Stop}

// flow compiles a flow's steps.
func (c *compiler) flow(f *flow, path string) {
	if len(f.Steps) == 0 {
		c.fault(path, "the flow %q has no steps", f.Name)
		return
	}
	c.addSteps(f, f.Steps, path+".steps")
	f.first = f.list[0].ID
	c.sequence(f, f.Steps, End)
	for _, sl := range f.order {
		if sl.asked {
			f.places = append(f.places, sl)
		}
	}
	for _, st := range f.list {
		if sl := c.d.slots[st.Slot]; st.Type == CollectStep && sl != nil && f.slots[st.Slot] == nil && !slices.Contains(f.places, sl) {
			f.places = append(f.places, sl)
		}
	}
}

// ways checks a compiled flow on all of its ways.
func (c *compiler) ways(f *flow, path string) {
	if len(f.list) == 0 || f.twice || c.torn != nil && c.torn(path) {
		return
	}
	for _, sl := range f.order {
		c.validator(sl, c.names(f), path+".slots."+sl.name)
	}
	faults, report := 0, c.report
	c.report = func(path string, offset int, message string) {
		faults++
		report(path, offset, message)
	}
	c.unreached(f, c.analyse(f))
	if c.report = report; faults == 0 { // else it is not known what was meant
		c.endless(f)
	}
	c.allPatterns(f.Patterns, path+".patterns", f.patterns, f)
}

// unreached reports steps that no way leads to, but for those that only follow one that was reported.
func (c *compiler) unreached(f *flow, reach map[string]bool) {
	follows := make(map[string]bool)
	for _, st := range f.list {
		if reach[st.ID] || f.lost {
			continue
		}
		if !follows[st.ID] {
			c.fault(st.path, "no way leads to the step %q", st.ID)
		}
		for _, next := range st.ways() {
			follows[next] = true
		}
	}
}

// addSteps makes steps known by their names, those inside of a while step behind it.
func (c *compiler) addSteps(f *flow, list []Step, at string) {
	for i, s := range list {
		path := document.Index(at, i)
		if s.ID == "" {
			s.ID = fmt.Sprintf("%s_%d", s.Type, len(f.list)+1)
		}
		switch {
		case !c.name(s.ID, "a step", path+".id"):
		case slices.Contains(reservedSteps, s.ID):
			c.fault(path+".id", "a step cannot be called %q: that is where flows end", s.ID)
		case f.steps[s.ID] != nil:
			f.twice = true
			c.fault(path+".id", "two steps of the flow are called %q", s.ID)
		}
		st := &step{Step: s, path: path}
		f.steps[s.ID] = st
		f.list = append(f.list, st)
		list[i].ID = s.ID
		c.addSteps(f, s.Steps, path+".steps")
	}
}

// sequence compiles a list of steps, of which the last is followed by after.
func (c *compiler) sequence(f *flow, list []Step, after string) {
	for i := range list {
		st := f.steps[list[i].ID]
		next := after
		if i+1 < len(list) {
			next = list[i+1].ID
		}
		if st.next = next; st.Next != "" {
			st.next = c.target(f, st.Next, st.path+".next")
		}
		c.step(f, st)
	}
}

// target checks a step's name.
func (c *compiler) target(f *flow, name, path string) string {
	if f.steps[name] == nil && !slices.Contains(reservedSteps, name) {
		known := make([]string, 0, len(f.list)+2)
		for _, st := range f.list {
			known = append(known, st.ID)
		}
		f.lost = true
		c.fault(path, "there is no step %q%s", name, hintOr(name, append(known, End, Stop)))
		return End
	}
	return name
}

// way is a step that may follow another one.
type way struct{ step, label string }

// targets are the steps that may follow.
func (s *step) targets() []way {
	switch s.Type {
	case BranchStep, WhileStep:
		var all []way
		for _, c := range s.cases {
			all = append(all, way{c.next, c.label})
		}
		return append(all, way{s.otherwise, "else"})
	case ConfirmStep:
		return append([]way{{s.next, "yes"}, {s.onDeny, "no"}}, s.choices...)
	case LinkStep:
		return nil
	}
	return []way{{s.next, ""}}
}

// ways are the names of the steps that may follow, after a failure, too.
func (s *step) ways() []string {
	var all []string
	for _, w := range s.targets() {
		all = append(all, w.step)
	}
	if s.OnError != "" {
		all = append(all, s.OnError)
	}
	return all
}
