package dialogue

import (
	"maps"
	"slices"

	"github.com/fermata-go/fermata/definition"
)

// Warnings returns parts of a dialogue's file that are valid and hardly meant, in their order. They are
// flows that nothing begins, slots that nothing reads, and actions that are given nothing. A dialogue that Compile made of Go values has none.
func (d *Dialogue) Warnings() []definition.Problem { return slices.Clone(d.warnings) }

// ModelProblem is a problem with the model that the settings name, at its place in the file.
func (d *Dialogue) ModelProblem(message string) definition.Problem {
	return d.settingProblem(d.modelAt, "settings.model", message)
}

// EmbedderProblem is a problem with the embedder that the settings name, at its place in the file.
func (d *Dialogue) EmbedderProblem(message string) definition.Problem {
	return d.settingProblem(d.embedderAt, "settings.embedder", message)
}

// settingProblem is a problem at a place; at a path where the dialogue has no file.
func (d *Dialogue) settingProblem(at definition.Problem, path, message string) definition.Problem {
	at.Message = message
	if at.File == "" {
		at.File, at.Path = d.Name(), path
	}
	return at
}

// problem is a problem at a place that says nothing yet.
func (f *file) problem(path string) definition.Problem {
	at, _ := f.places.find(path)
	return definition.Problem{File: f.src.File, Line: at.Node.Line, Column: at.Node.Column, Path: path}
}

// warn collects what can hardly be meant.
func (f *file) warn(d *Dialogue) {
	begun := d.begun()
	for _, fl := range d.order {
		switch at, _ := f.places.find("flows." + fl.Name); {
		case begun[fl.Name] || fl.Starts == ByButton || !fl.Hidden && (len(fl.Trigger) > 0 || d.settings.Model != ""):
		case fl.Hidden:
			f.report.Warn(at, "nothing begins the flow %q: it is hidden, and no step and no pattern names it", fl.Name)
		default:
			f.report.Warn(at, "nothing begins the flow %q: it has no trigger, there is no model, and no step and no pattern names it", fl.Name)
		}
		for _, st := range fl.list {
			if st.action != nil && st.Inputs == nil && st.action.In == nil && len(fl.order) > 0 {
				at, _ := f.places.find(st.path)
				f.report.Warn(at, "the action %q is given nothing: it does not say what it takes; write inputs: {%s: %[2]s, …} on the step, "+
					"input: on the action, or inputs: {} where it takes nothing", st.Call, fl.order[0].name)
			}
		}
		for _, sl := range fl.order {
			if !fl.uses(sl.name) {
				at, _ := f.places.find("flows." + fl.Name + ".slots." + sl.name)
				f.report.Warn(at, "nothing in the flow %q asks for the slot %q or reads it", fl.Name, sl.name)
			}
		}
	}
}

// begun are the flows that steps and patterns begin.
func (d *Dialogue) begun() map[string]bool {
	all := make(map[string]bool)
	patterns := slices.Collect(maps.Values(d.patterns))
	for _, f := range d.order {
		for _, st := range f.list {
			all[st.Flow] = true
		}
		patterns = slices.AppendSeq(patterns, maps.Values(f.patterns))
	}
	for _, p := range patterns {
		all[p.flow] = true
	}
	return all
}

// uses reports whether a flow asks for a slot, or whether anything in it or any flow that calls it reads or writes the slot.
func (f *flow) uses(slot string) bool {
	for _, st := range f.list {
		if slices.Contains(st.reads, slot) || slices.Contains(st.writes, slot) {
			return true
		}
	}
	for _, sl := range f.order {
		if sl.name != slot && sl.validate != nil && slices.Contains(sl.validate.Names(), slot) || mentions(sl.refusal, slot) {
			return true
		}
	}
	for _, p := range f.patterns {
		if p.message.mentions(slot) {
			return true
		}
	}
	for _, other := range f.dialogue.order {
		for _, st := range other.list {
			if st.Flow == f.Name && slices.ContainsFunc(st.outs, func(a assignment) bool { return a.path == slot }) {
				return true
			}
		}
	}
	return false
}

// mentions reports whether a text reads a name.
func mentions(t *template, name string) bool { return t != nil && slices.Contains(t.Names(), name) }
