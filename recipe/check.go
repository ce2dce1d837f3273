package recipe

import (
	"strings"

	"github.com/fermata-go/fermata/plan"
)

// parts are the compiled pieces of a recipe, by where they are used.
type parts struct {
	when    map[*edge]*expression
	prompts map[*step]*template
}

// checked is a document whose names have been resolved.
type checked struct {
	*document
	*parts
	wiring *wiring
	flow   *flow
	report *report
}

// check resolves and compiles everything in the document and reports what is wrong.
func (d *document) check(r *report) *checked {
	c := &checked{
		document: d, report: r,
		parts: &parts{when: make(map[*edge]*expression), prompts: make(map[*step]*template)},
	}
	r.undeclared = new(undeclared)
	c.wiring = d.wire(r)
	c.compileTexts()
	c.flow = d.follow(c.wiring, c.when)
	for _, n := range d.nodes {
		if d.parallel {
			d.checkParallelEdges(n, c.wiring, r)
		} else {
			d.checkEdges(n, c.wiring, r)
		}
		c.checkStep(n)
	}
	c.checkOutputs()
	c.checkSteps()
	c.checkBranches()
	c.checkModels()
	c.warnOpen()
	return c
}

// compileTexts compiles all expressions and templates.
func (c *checked) compileTexts() {
	for _, e := range c.edges {
		if e.when.text != "" {
			c.when[e] = c.expression(e.when)
		}
	}
	for _, n := range c.nodes {
		if n.prompt.text != "" {
			t, fault := compileTemplate(n.prompt.text)
			if fault != nil {
				c.report.inside(n.prompt.spot, fault.offset, "%s", fault.message)
			}
			c.prompts[n] = t
		}
		n.system.code = c.template(n.system.word)
	}
	for _, a := range c.agents {
		for i := range a.set {
			a.set[i].code = c.expression(a.set[i].expr)
		}
		if a.reasons != nil {
			c.compileModel(a.reasons)
		}
	}
}

func (c *checked) expression(w word) *expression {
	e, fault := compileExpression(w.text)
	if fault != nil {
		hint := ""
		if w.spot.src.cutByComment(w.spot.node) {
			hint = `; what is behind " #" is a comment in YAML: put the expression in quotes`
		}
		c.report.inside(w.spot, fault.offset, "%s%s", fault.message, hint)
		return nil
	}
	return e
}

// checkExpiry checks that the answers of deadlines fit.
func (c *checked) checkExpiry(n *step) {
	s := n.response
	if s == nil {
		s = &shape{doc: n.answerSchema()}
	}
	checkAnswers(n.expiry, s, c.report)
}

// checkAnswers checks that the answers of deadlines fit a schema, which need not be compiled.
func checkAnswers(x *expiry, s *shape, r *report) {
	for ; x != nil; x = x.then {
		if x.do != "answer" {
			continue
		}
		if s.compiled == nil {
			if err := s.compile(); err != nil {
				r.add(x.spot, "%v", err)
				continue
			}
		}
		if err := s.check(x.answer); err != nil {
			r.add(x.spot, "the answer at the deadline does not fit: %v", err)
		}
	}
}

// topology maps what the plan says about the graph as a whole to where it was written.
func (c *checked) topology(err *plan.Error) {
	for _, p := range err.Problems {
		switch p.Code {
		case plan.Unreachable, plan.Endless:
			if c.wiring.dangling {
				continue // a name that is wrong explains it
			}
		default:
			if len(c.report.problems) > 0 {
				continue // follows from what has been reported in the recipe's own words
			}
		}
		at := c.spot
		if p.NodeIndex >= 0 {
			at = c.wiring.byID[p.Node].id.spot
		}
		if e, ok := c.written(p); ok {
			at = e.spot
		}
		// The plan speaks of its own parts; here they have other names.
		c.report.add(at, "%s", strings.Replace(p.Message, "no gate is in it; let one of its nodes choose, and lead a choice out",
			"give one of its edges a condition (when), or put a router in it that leads out", 1))
	}
}

// written finds the edge that an edge of the plan was made from.
func (c *checked) written(p plan.Problem) (*edge, bool) {
	if p.EdgeIndex < 0 {
		return nil, false
	}
	for _, e := range c.edges {
		if e.source.text == p.Edge.From && e.target.text == p.Edge.To {
			return e, true
		}
	}
	return nil, false
}
