package recipe

import (
	"strings"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/plan"
)

// checked is a document whose names have been resolved.
type checked struct {
	*draft
	when   map[*edge]*expression.Expression // the conditions of edges, where they are right
	wiring *wiring                          // which node leads to which
	flow   *flow                            // what is known at each node
	report *document.Report                 // what is wrong so far

	wrote      map[string][]*step // by name: the nodes that may write it; nil before it is asked for
	undeclared *undeclared        // nil once they have been told

	asked  string          // a name that must not be missing where it is read with something in its place; "" for none, see takes
	joined map[string]bool // the nodes at which branches meet, once there is a plan
}

// check resolves and compiles everything in the document and reports what is wrong.
func (d *draft) check(r *document.Report) *checked {
	c := &checked{draft: d, report: r, undeclared: new(undeclared), when: make(map[*edge]*expression.Expression)}
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
	c.checkUndos()
	c.checkOutputs()
	c.checkSteps()
	c.checkRenamed()
	c.checkLabels()
	c.checkBranches()
	c.checkModels()
	c.warnOpen()
	return c
}

// compileTexts compiles all expressions and templates.
func (c *checked) compileTexts() {
	for _, e := range c.edges {
		if e.when.Text != "" {
			c.when[e] = c.expression(e.when)
		}
	}
	for _, n := range c.nodes {
		for _, t := range []*text{&n.prompt, &n.system, &n.assignee} {
			t.code = c.template(t.Word)
		}
	}
	for _, l := range c.labels {
		l.value.code = c.template(l.value.Word)
	}
	for _, a := range c.agents {
		if w, has := can[texted](a); has {
			w.compileTexts(c)
		}
	}
}

func (c *checked) expression(w document.Word) *expression.Expression {
	e, fault := expression.Compile(w.Text)
	if fault != nil {
		hint := ""
		if w.Spot.Source.CutByComment(w.Spot.Node) {
			hint = `; what is behind " #" is a comment in YAML: put the expression in quotes`
		}
		c.report.Inside(w.Spot, fault.Offset, "%s%s", fault.Message, hint)
		return nil
	}
	return e
}

// checkExpiry checks that the answers of deadlines fit.
func (c *checked) checkExpiry(n *step) {
	s := n.shape()
	if n.review != nil {
		s = &document.Shape{Doc: n.answerSchema()}
	}
	checkAnswers(n.expiry, s, c.report)
}

// checkAnswers checks that the answers of deadlines fit a schema, which need not be compiled.
func checkAnswers(x *expiry, s *document.Shape, r *document.Report) {
	for ; x != nil; x = x.then {
		if x.do != "answer" {
			continue
		}
		if s.Compiled == nil {
			if err := s.Compile(); err != nil {
				r.Add(x.Spot, "%v", err)
				continue
			}
		}
		if err := s.Check(x.answer); err != nil {
			r.Add(x.Spot, "the answer at the deadline does not fit: %v", err)
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
			if len(c.report.Problems) > 0 {
				continue // follows from what has been reported in the recipe's own words
			}
		}
		at := c.Spot
		if p.NodeIndex >= 0 {
			at = c.wiring.byID[p.Node].id.Spot
		}
		if e, ok := c.written(p); ok {
			at = e.Spot
		}
		// The plan speaks of its own parts; here they have other names.
		c.report.Add(at, "%s", strings.Replace(p.Message, "no gate is in it; let one of its nodes choose, and lead a choice out",
			"give one of its edges a condition (when), or put a router in it that leads out", 1))
	}
}

// written finds the edge that an edge of the plan was made from.
func (c *checked) written(p plan.Problem) (*edge, bool) {
	if p.EdgeIndex < 0 {
		return nil, false
	}
	for _, e := range c.edges {
		if e.source.Text == p.Edge.From && e.target.Text == p.Edge.To {
			return e, true
		}
	}
	return nil, false
}
