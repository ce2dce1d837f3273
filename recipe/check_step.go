package recipe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
)

// checkStep checks what a node reads against what is there when it starts.
func (c *checked) checkStep(n *step) {
	before, after := expression.AnyNames(), expression.AnyNames()
	if c.wiring.seen[n] { // else it is never reached, and that is reported
		before = c.flow.before[n]
		after = c.flow.after(n, before)
	}
	if n.of != nil {
		n.of.check(c, n, before)
	}
	c.checkConditions(n, before, after)
}

// checkConditions checks the conditions of the edges out of a node, each with what those before it say.
func (c *checked) checkConditions(n *step, before, after expression.Names) {
	failed := before.AfterFailure()
	for _, e := range c.wiring.edges[n] {
		code := c.when[e]
		if code == nil {
			continue
		}
		if e.condition != onFailure {
			c.condition(e.when, code, after, c.ways(n, true))
			after = code.Narrowed(after, false)
		}
		if e.condition != onSuccess {
			c.condition(e.when, code, failed, c.ways(n, false))
			failed = code.Narrowed(failed, false)
		}
	}
}

// place is a place of the recipe at which these names are known.
func (c *checked) place(known expression.Names, ways func(string) string) expression.Place {
	return expression.Place{
		Names: known, Ways: ways, Hints: &c.report.Hints, Read: c.undeclared.read,
		Remedy: "give it a default in state.properties", NoError: expression.NoError,
	}
}

func (c *checked) faults(at document.Spot, faults []expression.Fault) {
	for _, f := range faults {
		c.report.Inside(at, f.Offset, "%s", f.Message)
	}
}

// faultsFor is faults of an expression of an agent's, of which several nodes may tell.
func (c *checked) faultsFor(n *step, at document.Spot, faults []expression.Fault) {
	for i := range faults {
		faults[i].Message += fmt.Sprintf(" (for the node %s)", document.Quote(n.id.Text))
	}
	c.faults(at, faults)
}

// ways says on which way a name does not come to a node, or to its end.
func (c *checked) ways(n *step, atEnd bool) func(name string) string {
	return func(name string) string { return c.flow.way(name, n, atEnd) }
}

// checkText checks a text of a node.
func (c *checked) checkText(t *text, n *step, known expression.Names) {
	if t.code != nil {
		c.faults(t.Spot, t.code.Check(c.place(known, c.ways(n, false))))
	}
}

// condition checks that an expression gives true or false, and may give both.
func (c *checked) condition(at document.Word, code *expression.Expression, known expression.Names, ways func(string) string) {
	t, faults := code.Check(c.place(known, ways))
	c.faults(at.Spot, faults)
	switch {
	case len(faults) > 0:
	case t.Never(expression.BoolKind):
		c.report.Add(at.Spot, "expected a condition, which is true or false; %s is %s", document.Quote(at.Text), t.Kinds)
	case t.May(expression.BoolKind):
		c.report.Add(at.Spot, "expected a condition, which is true or false; %s %s; say with ?? what then", document.Quote(at.Text), t.Is(expression.BoolKind))
	case len(t.Values) == 1 && t.Values[0] == false:
		c.report.Add(at.Spot, "the condition is always false: the edge is never taken")
	case len(t.Values) == 1 && t.Values[0] == true:
		c.report.Add(at.Spot, "the condition is always true; leave it out")
	}
}

// checkPath checks that something is at a path, and says of what type it is.
func (c *checked) checkPath(p expression.Path, at document.Spot, known expression.Names, n *step) *expression.Type {
	t, part, fault := p.On(known)
	if len(p.Segments) == 0 {
		return t
	}
	first := p.Segments[0]
	switch {
	case fault != "":
		c.report.Inside(at, len(strings.Join(p.Segments[:part], "."))+min(part, 1), "%s", fault)
		return expression.Anything
	case t.Kinds == 0 && p.Optional && first == c.asked:
		c.report.Add(at, "nothing is called %q", first)
	case t.Kinds == 0 && p.Optional:
	case t.Kinds == 0 && first == expression.ErrorName:
		c.report.Add(at, "%s", expression.NoError)
	case t.Kinds == 0:
		c.report.Add(at, "nothing that comes before is called %q%s", first, c.report.Hint(first, known.List()))
	case t.Missing && !p.Optional && first == expression.ErrorName:
		c.report.Add(at, "error may be missing: not every way here is an on_failure edge; end the path with ? if it need not be there")
		return t.Present()
	case t.Missing && !p.Optional:
		c.report.Add(at, "%q may be missing%s; end the path with ? if it need not be there, or give it a default in state.properties",
			first, c.flow.way(first, n, false))
		return t.Present()
	case !p.Optional:
		c.undeclared.read(first, known)
	}
	return t
}

// checkBindings checks a node's inputs_map and says of what type the whole is.
func (c *checked) checkBindings(n *step, known expression.Names) *expression.Type {
	t := &expression.Type{Kinds: expression.ObjectKind, Fields: make(map[string]*expression.Type)}
	for _, b := range n.inputs {
		t.Fields[b.name.Text] = expression.OrAnything(c.checkPath(b.path, b.name.Spot, known, n))
		if b.path.Optional {
			found, _, _ := b.path.On(known)
			t.Fields[b.name.Text] = found
		}
	}
	return t
}

// checkRouter checks the value that decides against the routes that there are.
func (c *checked) checkRouter(n *step, before expression.Names) {
	if n.inputKey.Text == "" {
		return // reported where it was read
	}
	t := c.checkPath(n.inputKey.OrOptional(n.fallback.Text != ""), n.Member("input_key"), before, n)
	if !n.inputKey.Optional && t.Kinds == 0 && n.fallback.Text != "" && len(n.inputKey.Segments) > 0 {
		first := n.inputKey.Segments[0]
		c.report.Add(n.Member("input_key"), "nothing that comes before is called %q%s", first, c.report.Hint(first, before.List()))
		return
	}
	at := n.Member("input_key")
	if t.Kinds == 0 && n.inputKey.Optional && n.fallback.Text == "" {
		c.report.Add(at, "nothing that comes before brings %s, and then there is no route; add a default_route", document.Quote(n.inputKey.Text))
	}
	const nothing = "%s may be missing or null, and then there is no route; add a default_route"
	if t.Kinds != 0 && t.Open && t.Missing && n.inputKey.Optional && n.fallback.Text == "" && !n.unrouted {
		c.report.Add(at, nothing, document.Quote(n.inputKey.Text)) // what it is otherwise is not known, and does not matter
	}
	if t.Kinds == 0 || t.Open {
		return
	}
	if other := t.Kinds & (expression.ListKind | expression.ObjectKind); other != 0 && (n.fallback.Text == "" || t.Never(expression.TextKind|expression.NumberKind|expression.BoolKind)) {
		c.report.Add(at, "%s is %s, and routes are for texts, numbers and booleans: %s", document.Quote(n.inputKey.Text), other, c.routerAdvice(n))
		return
	}
	values, few := t.Listed()
	var known []string
	for _, v := range values {
		if v != nil {
			known = append(known, expression.Text(v))
		}
	}
	if n.unrouted {
		return // likewise
	}
	ever, listed := t.Before().Listed() // also what a condition has ruled out here
	routes := make(map[string]bool)
	for _, r := range n.routes {
		routes[r.Key.Text] = true
		if listed && !slices.Contains(expression.TextsOf(ever), r.Key.Text) {
			c.report.Add(r.Key.Spot, "the route %s is never taken: %s is %s%s", document.Quote(r.Key.Text), document.Quote(n.inputKey.Text),
				t, c.report.Hint(r.Key.Text, known))
		}
	}
	if n.fallback.Text != "" {
		return
	}
	switch {
	case t.Missing || t.Kinds&expression.NullKind != 0:
		c.report.Add(at, nothing, document.Quote(n.inputKey.Text))
	case !few:
		c.report.Add(at, "%s is %s, and for most there is no route; add a default_route, or say with enum what it may be",
			document.Quote(n.inputKey.Text), t.Kinds)
	}
	for _, v := range known {
		if !routes[v] {
			c.report.Add(at, "%s may be %s, and for that there is no route; add the route or a default_route", document.Quote(n.inputKey.Text), document.Quote(v))
		}
	}
}

// routerAdvice says what a router over a list or an object may do instead.
func (c *checked) routerAdvice(n *step) string {
	if n.fallback.Text == "" {
		return "route by one of its members, or let an edge ask with when"
	}
	return fmt.Sprintf("it always takes its default_route %s; route by one of its members, or write an edge", document.Quote(n.fallback.Text))
}

func (c *checked) checkAgentStep(n *step, before expression.Names) {
	whole := before
	if n.each != nil {
		before = c.checkForEach(n, before)
	}
	a := c.agents[n.ref.Text]
	c.checkPool(n, a, whole)
	if a.calls() != nil {
		before.Failure = expression.Absent
		c.checkNestedStep(n, a.calls(), before)
	}
	args := before.Object()
	if !n.wholeBoard {
		args = c.checkBindings(n, before)
	}
	if a == nil {
		if n.ref.Text != "" {
			c.report.Add(n.ref.Spot, "there is no agent %s%s", document.Quote(n.ref.Text), c.hintAgent(n.ref.Text))
		}
		return
	}
	if a.input != nil {
		if why := args.Misfit(typeOfShape(a.input), ""); why != "" {
			c.report.Add(n.argumentsSpot(), "the agent %s takes other arguments: %s", document.Quote(a.name), why)
		}
	}
	if n.system.Text != "" && a.model() == nil && a.kind != nil {
		c.report.Add(n.system.Spot, "system_prompt_override is for agents of kind model; %s is of kind %s", document.Quote(a.name), a.kind.name)
	}
	if w, checks := can[stepChecker](a); checks {
		w.checkStep(c, n, whole)
	}
	out := c.flow.output(n, whole)
	if n.each == nil {
		c.checkOutput(n, a, out)
	}
}

// argumentsSpot is where a node says what its agent is given.
func (n *step) argumentsSpot() document.Spot {
	if n.wholeBoard {
		return n.ref.Spot
	}
	return n.Member("inputs_map")
}

func (c *checked) hintAgent(name string) string {
	if len(c.agents) == 0 {
		return "; no agents are given: write them under agents or in an agents file; a Go program gives functions in Options.Library"
	}
	return c.report.HintOr(name, slices.Sorted(maps.Keys(c.agents)))
}

// checkState reports a value that need not fit what the state says of its name.
func (c *checked) checkState(at document.Spot, name string, t *expression.Type) {
	want, ok := c.flow.fixed[name]
	if !ok || t.Kinds == 0 {
		return
	}
	if why := t.Misfit(want, ""); why != "" {
		c.report.Add(at, "this does not fit the state's %s: %s", document.Quote(name), why)
	}
}

// checkOutput checks what is taken from an output, and what it brings, against the state.
func (c *checked) checkOutput(n *step, a *agent, out *expression.Type) {
	if n.outputs == nil {
		if _, names := can[naming](a); names || a.output == nil {
			return // each that it names has been checked
		}
		for _, name := range out.Names() {
			c.checkState(a.output.Spot, name, out.Fields[name])
		}
		if other := out.Kinds &^ (expression.ObjectKind | expression.NullKind); other != 0 && !out.Open {
			c.checkState(n.id.Spot, n.id.Text, out.With(func(t *expression.Type) { t.Kinds = other }))
		}
		return
	}
	for _, b := range n.outputs {
		t, part, fault := b.path.Follow(out, 0)
		switch {
		case fault != "" && part == 0 && t.Kinds == 0 && a.calls() != nil: // reported with its interface
		case fault != "" && part == 0 && t.Kinds == 0:
			name := b.path.Segments[0]
			c.report.Add(b.name.Spot, "the agent %s gives no %q%s", document.Quote(a.name), name, c.report.Hint(name, out.Names()))
		case fault != "" && !(b.path.Optional && t.Kinds != 0):
			c.report.Inside(b.name.Spot, len(strings.Join(b.path.Segments[:part], "."))+min(part, 1), "the output of the agent %s: %s", document.Quote(a.name), fault)
		default:
			c.checkState(b.name.Spot, b.name.Text, t.Present())
		}
	}
}

// checkOutputs reports outputs that some way does not bring, or that do not fit.
func (c *checked) checkOutputs() {
	if c.wiring.dangling || len(c.wiring.seen) == 0 {
		return
	}
	all := c.flow.everything()
	for _, p := range c.outputs {
		name := p.name.Text
		if !all.Has(name) {
			hint := c.report.Hint(name, all.List())
			if !p.optional || name == c.asked {
				c.report.Add(p.name.Spot, "nothing brings the output %s%s", document.Quote(name), cmp.Or(hint, "; let a node write it, or give it a default here"))
			} else {
				c.report.Warn(p.name.Spot, "nothing brings the output %s, so it is always its default%s", document.Quote(name), hint)
			}
			continue
		}
		for _, n := range c.nodes {
			if c.checkOutputAt(p, n) {
				break
			}
		}
	}
}

// checkOutputAt checks an output where the path ends at a node, and reports whether something is wrong.
func (c *checked) checkOutputAt(p port, n *step) bool {
	if !c.wiring.seen[n] {
		return false
	}
	known, ends := c.flow.ended(n)
	if !ends {
		return false
	}
	name := p.name.Text
	t := known.Board(name)
	missing := t.Missing
	if together := c.flow.known(end); together != nil && missing { // the branches are put together at the end
		missing = together.Board(name).Missing
	}
	if missing && (!p.optional || name == c.asked) {
		c.report.Add(p.name.Spot, "the output %s may be missing%s; give it a default here, or in state.properties",
			document.Quote(name), c.flow.way(name, n, true))
		return true
	}
	if why := t.Misfit(typeOfShape(p.shape), ""); why != "" && t.Kinds != 0 {
		at := p.name.Spot
		if writer, ok := c.calculates(name, typeOfShape(p.shape), why); ok {
			at = writer
		}
		c.report.Add(at, "the output %s, where the path ends after %s: %s", document.Quote(name), document.Quote(n.id.Text), why)
		return true
	}
	return false
}

// calculates finds the expression that gives a name what does not fit, for a reason.
func (c *checked) calculates(name string, want *expression.Type, why string) (document.Spot, bool) {
	for _, n := range c.nodes {
		a := c.agents[n.ref.Text]
		w, calculates := can[*exprAgent](a)
		if !c.wiring.seen[n] || !calculates || n.outputs != nil || n.each != nil {
			continue
		}
		for _, s := range w.set {
			if t := c.flow.output(n, c.flow.before[n]).Member(s.key.Text); s.key.Text == name && t.Misfit(want, "") == why {
				return s.expr.Spot, true
			}
		}
	}
	return document.Spot{}, false
}

// typeOfShape is the type of the values of a schema; anything for none.
func typeOfShape(s *document.Shape) *expression.Type {
	if s == nil {
		return expression.Anything
	}
	return expression.TypeOfSchema(s.Doc)
}
