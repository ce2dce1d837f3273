package recipe

import (
	"fmt"
	"slices"
)

// Warnings are what is not wrong in a recipe and leaves something open that a run can fail of, in the order of its text: names
// that are read and that no schema declares, keys of another format that nothing here reads. None for most recipes.
func (r *Recipe) Warnings() []Problem { return slices.Clone(r.warnings) }

// warn collects what is worth a word and no error.
func (r *report) warn(at spot, format string, args ...any) {
	p := Problem{File: at.src.file, Path: at.path, Message: fmt.Sprintf(format, args...)}
	if at.node != nil {
		p.Line, p.Column = at.node.Line, at.node.Column
	}
	if !slices.Contains(r.warnings, p) && len(r.warnings) < maxProblems {
		r.warnings = append(r.warnings, p)
	}
}

// undeclared are names that are read and must be there, and that no schema declares.
type undeclared struct {
	inputs []string // that only the inputs of a run can bring
	given  []string // that an agent, too, may bring
}

// read notes that a name must be there; one that the file declares is no news.
func (r *report) read(name string, known names) {
	if r.undeclared == nil || known.rest == nil || known.listed(name) {
		return
	}
	list := &r.undeclared.given
	if known.rest == anyInput {
		list = &r.undeclared.inputs
	}
	if !slices.Contains(*list, name) && len(*list) < maxProblems {
		*list = append(*list, name)
	}
}

// warnOpen says what the document leaves open.
func (c *checked) warnOpen() {
	open := c.report.undeclared
	c.report.undeclared = nil
	if len(open.inputs) > 0 {
		at := c.spot
		at.path = "interface"
		c.report.warn(at, "no inputs are declared: any are taken, none is checked. %s read, and a run without fails there; declare %s: interface: {inputs: {%s: {type: …}}}",
			areRead(open.inputs), itOrThem(open.inputs), open.inputs[0])
	}
	if len(open.given) == 0 || !c.bare && !c.src.foreign {
		return
	}
	for _, n := range c.nodes {
		a := c.agents[n.ref.text]
		if a == nil || a.node == nil || a.output != nil || !c.wiring.seen[n] || c.flow.output(n, c.flow.before[n]) != anything {
			continue
		}
		c.report.warn(a.spot, "nothing says what the agent %s gives. %s read after it, and a run without fails there; declare it: output: {type: object, required: [%s], properties: {%s: {type: …}}}",
			quote(a.name), areRead(open.given), open.given[0], open.given[0])
	}
}

func areRead(names []string) string {
	const shown = 5
	list, verb := quoteAll(names), " is"
	if len(names) > shown {
		list = quoteAll(names[:shown]) + fmt.Sprintf(" and %d more", len(names)-shown)
	}
	if len(names) > 1 {
		verb = " are"
	}
	return list + verb
}

func itOrThem(names []string) string {
	if len(names) > 1 {
		return "them"
	}
	return "it"
}
