package recipe

import (
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
)

// Warnings returns the parts of a valid recipe that can still fail a run, in the order of its text. Examples are names
// that are read but that no schema declares, keys of another format that nothing reads, and programs that this machine
// does not have: Warnings looks for these when it is called. Most recipes have none.
func (r *Recipe) Warnings() []definition.Problem {
	here := &document.Report{Warnings: slices.Clone(r.warnings)}
	r.doc.warnAbsent(here)
	r.sort(here.Warnings)
	return here.Warnings
}

// maxUndeclared bounds the names that are collected.
const maxUndeclared = 200

// undeclared are names that are read and must be there, and that no schema declares.
type undeclared struct {
	inputs []string // that only the inputs of a run can bring
	given  []string // that an agent, too, may bring
}

// read notes that a name must be there; one that the file declares is no news.
func (u *undeclared) read(name string, known expression.Names) {
	if u == nil || known.Rest == nil || known.Listed(name) {
		return
	}
	list := &u.given
	if known.Rest == expression.AnyInput {
		list = &u.inputs
	}
	if !slices.Contains(*list, name) && len(*list) < maxUndeclared {
		*list = append(*list, name)
	}
}

// warnOpen says what the document leaves open.
func (c *checked) warnOpen() {
	open := c.undeclared
	c.undeclared = nil
	if len(open.inputs) > 0 {
		at := c.Spot
		at.Path = "interface"
		c.report.Warn(at, "no inputs are declared: any are taken, none is checked. %s read, and a run without fails there; declare %s: interface: {inputs: {%s: {type: …}}}",
			areRead(open.inputs), itOrThem(open.inputs), open.inputs[0])
	}
	if len(open.given) == 0 || !c.bare && !c.Source.Foreign {
		return
	}
	for _, n := range c.nodes {
		a := c.agents[n.ref.Text]
		if a == nil || a.Node == nil || a.output != nil || !c.wiring.seen[n] || c.flow.output(n, c.flow.before[n]) != expression.Anything {
			continue
		}
		c.report.Warn(a.Spot, "nothing says what the agent %s gives. %s read after it, and a run without fails there; declare it: output: {type: object, required: [%s], properties: {%s: {type: …}}}",
			document.Quote(a.name), areRead(open.given), open.given[0], open.given[0])
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
