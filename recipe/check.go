package recipe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/types"

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
	c.wiring = d.wire(r)
	c.compileTexts()
	c.flow = d.follow(c.wiring)
	for _, n := range d.nodes {
		if d.parallel {
			d.checkParallelEdges(n, c.wiring, r)
		} else {
			d.checkEdges(n, c.wiring, r)
		}
		c.checkStep(n)
	}
	c.checkOutputs()
	c.checkBranches()
	c.checkModels()
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
		c.report.inside(w.spot, fault.offset, "%s", fault.message)
		return nil
	}
	return e
}

// checkStep checks what a node reads against what may be there.
func (c *checked) checkStep(n *step) {
	before, after := anyNames(), anyNames()
	if c.wiring.seen[n] { // else it is never reached, and that is reported
		before, after = c.flow.before[n], c.flow.after(n)
	}
	switch n.kind {
	case typeAgent:
		c.checkAgentStep(n, before)
	case typeRouter:
		c.checkPath(n.inputKey, spotOf(n, "input_key"), before)
	case typeHuman:
		c.checkBindings(n.inputs, before)
		if t := c.prompts[n]; t != nil {
			c.faults(n.prompt.spot, t.check(before, c.report))
		}
		c.checkExpiry(n)
		c.checkAudience(n, before)
		c.checkReview(n, before)
	}
	for _, e := range c.wiring.edges[n] {
		code := c.when[e]
		if code == nil {
			continue
		}
		if e.condition != onFailure {
			c.condition(e.when, code, after)
		}
		if e.condition != onSuccess {
			c.condition(e.when, code, before.afterFailure())
		}
	}
}

// spotOf is the place of a key of a node.
func spotOf(n *step, key string) spot {
	for k, v := range entries(n.node) {
		if k.Value == key {
			return spot{src: n.src, node: v, path: join(n.path, key)}
		}
	}
	return n.spot
}

func (c *checked) faults(at spot, faults []expressionError) {
	for _, f := range faults {
		c.report.inside(at, f.offset, "%s", f.message)
	}
}

// condition checks that an expression can give true or false.
func (c *checked) condition(at word, code *expression, known names) {
	t, faults := code.check(known, c.report)
	c.faults(at.spot, faults)
	if len(faults) == 0 && t != types.Any && t != types.Bool {
		c.report.add(at.spot, "expected a condition, which is true or false; %s is %s", quote(at.text), typeName(t))
	}
}

func typeName(t types.Type) string {
	switch t {
	case types.String:
		return "a text"
	case types.Bool:
		return "a boolean"
	case types.Int, types.Float64:
		return "a number"
	}
	return "not that"
}

// checkPath reports a path whose first name nothing can bring.
func (c *checked) checkPath(p path, at spot, known names) {
	if len(p.segments) == 0 || p.optional || known.has(p.segments[0]) {
		return
	}
	if p.segments[0] == errorName {
		c.report.add(at, "%s", noError)
		return
	}
	c.report.add(at, "nothing that comes before is called %q%s", p.segments[0], c.report.hint(p.segments[0], known.list()))
}

func (c *checked) checkBindings(all []binding, known names) {
	for _, b := range all {
		c.checkPath(b.path, b.name.spot, known)
	}
}

func (c *checked) checkAgentStep(n *step, before names) {
	if n.each != nil {
		before = c.checkForEach(n, before)
	}
	a := c.agents[n.ref.text]
	if a != nil && a.kind == kindRecipe {
		before.failed = false
		c.checkNestedStep(n, a, before)
	}
	if !n.wholeBoard {
		c.checkBindings(n.inputs, before)
	}
	if a == nil {
		if n.ref.text != "" {
			c.report.add(n.ref.spot, "there is no agent %s%s", quote(n.ref.text), c.hintAgent(n.ref.text))
		}
		return
	}
	if a.kind == kindExpr {
		c.checkSet(n, a)
	}
	c.checkModelStep(n, a)
	c.checkOutputsMap(n, a)
}

func (c *checked) hintAgent(name string) string {
	known := make([]string, 0, len(c.agents))
	for k := range c.agents {
		known = append(known, k)
	}
	if len(known) == 0 {
		return "; no agents are given: write them under agents, in an agents file, or give the library Go functions"
	}
	return c.report.hint(name, known)
}

// checkSet checks the expressions of an agent for one node that calls it.
func (c *checked) checkSet(n *step, a *agent) {
	args := anyNames()
	if c.wiring.seen[n] {
		args = c.flow.arguments(n)
	}
	for _, s := range a.set {
		t := types.Type(types.Any)
		if s.code != nil {
			var faults []expressionError
			t, faults = s.code.check(args, c.report)
			for i := range faults {
				faults[i].message += fmt.Sprintf(" (for the node %s)", quote(n.id.text))
			}
			c.faults(s.expr.spot, faults)
		}
		c.checkState(n, s, t)
		args.overwrite(s.key.text, t)
	}
}

// checkState reports a value that can never fit what the state says of its name.
func (c *checked) checkState(n *step, s assignment, t types.Type) {
	i, ok := c.flow.vocabulary.index[s.key.text]
	if n.outputs != nil || n.each != nil || !ok || !c.flow.vocabulary.words[i].fixed {
		return
	}
	if want := c.flow.vocabulary.words[i].typ; plainKind(want) != plainKind(t) && plainKind(want) != "" && plainKind(t) != "" {
		c.report.add(s.expr.spot, "the state's %s is %s, and this is %s", quote(s.key.text), typeName(want), typeName(t))
	}
}

// plainKind is the kind of a type that has one for certain; "" for others.
func plainKind(t types.Type) string {
	switch t {
	case types.String:
		return "text"
	case types.Bool:
		return "boolean"
	case types.Int, types.Float64:
		return "number"
	}
	return ""
}

// checkOutputsMap checks that an agent whose output is known gives what is taken from it.
func (c *checked) checkOutputsMap(n *step, a *agent) {
	if a.kind != kindExpr || n.each != nil {
		return
	}
	var known []string
	for _, s := range a.set {
		known = append(known, s.key.text)
	}
	for _, b := range n.outputs {
		if len(b.path.segments) == 0 || b.path.optional {
			continue
		}
		name := b.path.segments[0]
		if !slices.Contains(known, name) {
			c.report.add(b.name.spot, "the agent %s gives no %q%s", quote(a.name), name, c.report.hint(name, known))
		}
	}
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

// checkOutputs reports outputs that no node can bring.
func (c *checked) checkOutputs() {
	all := names{vocabulary: c.flow.vocabulary}
	for n := range c.wiring.seen {
		all.join(c.flow.after(n))
	}
	if c.wiring.dangling {
		return
	}
	for _, p := range c.outputs {
		if len(c.wiring.seen) > 0 && !p.optional && !all.has(p.name.text) {
			c.report.add(p.name.spot, "nothing brings the output %s%s", quote(p.name.text), c.report.hint(p.name.text, all.list()))
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
