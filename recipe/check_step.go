package recipe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// checkStep checks what a node reads against what is there when it starts.
func (c *checked) checkStep(n *step) {
	before, after := anyNames(), anyNames()
	if c.wiring.seen[n] { // else it is never reached, and that is reported
		before = c.flow.before[n]
		after = c.flow.after(n, before)
	}
	ways := func(name string) string { return c.flow.way(name, n, false) }
	switch n.kind {
	case typeAgent:
		c.checkAgentStep(n, before)
	case typeRouter:
		c.checkRouter(n, before)
	case typeHuman:
		c.checkBindings(n, before)
		if t := c.prompts[n]; t != nil {
			c.faults(n.prompt.spot, t.check(before, c.report, ways))
		}
		c.checkState(n.id.spot, n.id.text, typeOfSchema(n.leaves()))
		c.checkExpiry(n)
		c.checkAudience(n, before)
		c.checkReview(n, before)
	}
	c.checkConditions(n, before, after)
}

// checkConditions checks the conditions of the edges out of a node, each with what those before it say.
func (c *checked) checkConditions(n *step, before, after names) {
	failed := before.afterFailure()
	for _, e := range c.wiring.edges[n] {
		code := c.when[e]
		if code == nil {
			continue
		}
		if e.condition != onFailure {
			c.condition(e.when, code, after, func(name string) string { return c.flow.way(name, n, true) })
			after = code.narrowed(after, false)
		}
		if e.condition != onSuccess {
			c.condition(e.when, code, failed, func(name string) string { return c.flow.way(name, n, false) })
			failed = code.narrowed(failed, false)
		}
	}
}

// spotOf is the place of a key of a node.
func spotOf(n *step, key string) spot {
	if n.node.Kind == yaml.MappingNode {
		for k, v := range entries(n.node) {
			if k.Value == key {
				return spot{src: n.src, node: v, path: join(n.path, key)}
			}
		}
	}
	return n.spot
}

func (c *checked) faults(at spot, faults []expressionError) {
	for _, f := range faults {
		c.report.inside(at, f.offset, "%s", f.message)
	}
}

// condition checks that an expression gives true or false, and may give both.
func (c *checked) condition(at word, code *expression, known names, ways func(string) string) {
	t, faults := code.check(known, c.report, ways)
	c.faults(at.spot, faults)
	switch {
	case len(faults) > 0:
	case t.never(boolKind):
		c.report.add(at.spot, "expected a condition, which is true or false; %s is %s", quote(at.text), t.kinds)
	case t.may(boolKind):
		c.report.add(at.spot, "expected a condition, which is true or false; %s %s; say with ?? what then", quote(at.text), t.is(boolKind))
	case len(t.values) == 1 && t.values[0] == false:
		c.report.add(at.spot, "the condition is always false: the edge is never taken")
	case len(t.values) == 1 && t.values[0] == true:
		c.report.add(at.spot, "the condition is always true; leave it out")
	}
}

// checkPath checks that something is at a path, and says of what type it is.
func (c *checked) checkPath(p path, at spot, known names, n *step) *valueType {
	t, part, fault := p.on(known)
	if len(p.segments) == 0 {
		return t
	}
	first := p.segments[0]
	switch {
	case fault != "":
		c.report.inside(at, len(strings.Join(p.segments[:part], "."))+min(part, 1), "%s", fault)
		return anything
	case t.kinds == 0 && p.optional:
	case t.kinds == 0 && first == errorName:
		c.report.add(at, "%s", noError)
	case t.kinds == 0:
		c.report.add(at, "nothing that comes before is called %q%s", first, c.report.hint(first, known.list()))
	case t.missing && !p.optional && first == errorName:
		c.report.add(at, "error may be missing: not every way here is an on_failure edge; end the path with ? if it need not be there")
		return t.present()
	case t.missing && !p.optional:
		c.report.add(at, "%q may be missing%s; end the path with ? if it need not be there, or give it a default in state.properties",
			first, c.flow.way(first, n, false))
		return t.present()
	case !p.optional:
		c.report.read(first, known)
	}
	return t
}

// checkBindings checks a node's inputs_map and says of what type the whole is.
func (c *checked) checkBindings(n *step, known names) *valueType {
	t := &valueType{kinds: objectKind, fields: make(map[string]*valueType)}
	for _, b := range n.inputs {
		t.fields[b.name.text] = orAnything(c.checkPath(b.path, b.name.spot, known, n))
		if b.path.optional {
			found, _, _ := b.path.on(known)
			t.fields[b.name.text] = found
		}
	}
	return t
}

// checkRouter checks the value that decides against the routes that there are.
func (c *checked) checkRouter(n *step, before names) {
	if n.inputKey.text == "" {
		return // reported where it was read
	}
	t := c.checkPath(n.inputKey.orOptional(n.fallback.text != ""), spotOf(n, "input_key"), before, n)
	if !n.inputKey.optional && t.kinds == 0 && n.fallback.text != "" && len(n.inputKey.segments) > 0 {
		first := n.inputKey.segments[0]
		c.report.add(spotOf(n, "input_key"), "nothing that comes before is called %q%s", first, c.report.hint(first, before.list()))
		return
	}
	at := spotOf(n, "input_key")
	if t.kinds == 0 && n.inputKey.optional && n.fallback.text == "" {
		c.report.add(at, "nothing that comes before brings %s, and then there is no route; add a default_route", quote(n.inputKey.text))
	}
	if t.kinds == 0 || t.open {
		return
	}
	if other := t.kinds & (listKind | objectKind); other != 0 && n.fallback.text == "" {
		c.report.add(at, "%s is %s, and routes are for texts, numbers and booleans", quote(n.inputKey.text), other)
		return
	}
	values, few := t.listed()
	var known []string
	for _, v := range values {
		if v != nil {
			known = append(known, textOf(v))
		}
	}
	routes := make(map[string]bool)
	for _, r := range n.routes {
		routes[r.key.text] = true
		if few && !slices.Contains(known, r.key.text) {
			c.report.add(r.key.spot, "the route %s is never taken: %s is %s%s", quote(r.key.text), quote(n.inputKey.text),
				t, c.report.hint(r.key.text, known))
		}
	}
	if n.fallback.text != "" {
		return
	}
	switch {
	case t.missing || t.kinds&nullKind != 0:
		c.report.add(at, "%s may be missing or null, and then there is no route; add a default_route", quote(n.inputKey.text))
	case !few:
		c.report.add(at, "%s is %s, and for most there is no route; add a default_route, or say with enum what it may be",
			quote(n.inputKey.text), t.kinds)
	}
	for _, v := range known {
		if !routes[v] {
			c.report.add(at, "%s may be %s, and for that there is no route; add the route or a default_route", quote(n.inputKey.text), quote(v))
		}
	}
}

// orOptional is the path, optional where that is wanted.
func (p path) orOptional(optional bool) path {
	p.optional = p.optional || optional
	return p
}

func (c *checked) checkAgentStep(n *step, before names) {
	whole := before
	if n.each != nil {
		before = c.checkForEach(n, before)
	}
	a := c.agents[n.ref.text]
	if a != nil && a.kind == kindRecipe {
		before.failure = absent
		c.checkNestedStep(n, a, before)
	}
	args := before.object()
	if !n.wholeBoard {
		args = c.checkBindings(n, before)
	}
	if a == nil {
		if n.ref.text != "" {
			c.report.add(n.ref.spot, "there is no agent %s%s", quote(n.ref.text), c.hintAgent(n.ref.text))
		}
		return
	}
	if a.input != nil {
		if why := args.misfit(typeOfShape(a.input), ""); why != "" {
			c.report.add(n.argumentsSpot(), "the agent %s takes other arguments: %s", quote(a.name), why)
		}
	}
	c.checkModelStep(n, a)
	if a.kind == kindExpr {
		c.checkSet(n, a, whole)
	}
	out := c.flow.output(n, whole)
	if a.kind == kindExpr && a.output != nil && n.each == nil {
		if why := out.misfit(typeOfShape(a.output), ""); why != "" {
			c.report.add(a.output.spot, "what the agent %s gives does not fit its output: %s", quote(a.name), why)
		}
	}
	if n.each == nil {
		c.checkOutput(n, a, out)
	}
}

// argumentsSpot is where a node says what its agent is given.
func (n *step) argumentsSpot() spot {
	if n.wholeBoard {
		return n.ref.spot
	}
	return spotOf(n, "inputs_map")
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
func (c *checked) checkSet(n *step, a *agent, before names) {
	args := anyNames()
	if c.wiring.seen[n] {
		args = c.flow.arguments(n, before)
	}
	ways := func(name string) string {
		if !n.wholeBoard {
			return fmt.Sprintf(": the inputs_map of %s leaves it out where it finds nothing", quote(n.id.text))
		}
		return c.flow.way(name, n, false)
	}
	for _, s := range a.set {
		t := anything
		if s.code != nil {
			var faults []expressionError
			t, faults = s.code.check(args, c.report, ways)
			for i := range faults {
				faults[i].message += fmt.Sprintf(" (for the node %s)", quote(n.id.text))
			}
			c.faults(s.expr.spot, faults)
		}
		if n.outputs == nil && n.each == nil {
			c.checkState(s.expr.spot, s.key.text, t)
		}
		args.set(s.key.text, t)
	}
}

// checkState reports a value that need not fit what the state says of its name.
func (c *checked) checkState(at spot, name string, t *valueType) {
	want, ok := c.flow.fixed[name]
	if !ok || t.kinds == 0 {
		return
	}
	if why := t.misfit(want, ""); why != "" {
		c.report.add(at, "this does not fit the state's %s: %s", quote(name), why)
	}
}

// checkOutput checks what is taken from an output, and what it brings, against the state.
func (c *checked) checkOutput(n *step, a *agent, out *valueType) {
	if n.outputs == nil {
		if a.kind == kindExpr || a.output == nil || a.kind == kindRecipe {
			return // each expression has been checked
		}
		for _, name := range out.names() {
			c.checkState(a.output.spot, name, out.fields[name])
		}
		if other := out.kinds &^ (objectKind | nullKind); other != 0 && !out.open {
			c.checkState(n.id.spot, n.id.text, out.with(func(t *valueType) { t.kinds = other }))
		}
		return
	}
	for _, b := range n.outputs {
		t, part, fault := b.path.follow(out, 0)
		switch {
		case fault != "" && part == 0 && t.kinds == 0 && a.kind == kindRecipe: // reported with its interface
		case fault != "" && part == 0 && t.kinds == 0:
			name := b.path.segments[0]
			c.report.add(b.name.spot, "the agent %s gives no %q%s", quote(a.name), name, c.report.hint(name, out.names()))
		case fault != "" && !(b.path.optional && t.kinds != 0):
			c.report.inside(b.name.spot, len(strings.Join(b.path.segments[:part], "."))+min(part, 1), "the output of the agent %s: %s", quote(a.name), fault)
		default:
			c.checkState(b.name.spot, b.name.text, t.present())
		}
	}
}

// checkOutputs reports outputs that some way does not bring, or that do not fit.
func (c *checked) checkOutputs() {
	if c.wiring.dangling || len(c.wiring.seen) == 0 {
		return
	}
	all := names{vocabulary: c.flow.vocabulary}
	for n := range c.wiring.seen {
		all, _ = all.join(c.flow.after(n, c.flow.before[n]), false)
	}
	for _, p := range c.outputs {
		name := p.name.text
		if !all.has(name) {
			if !p.optional {
				c.report.add(p.name.spot, "nothing brings the output %s%s", quote(name), cmp.Or(c.report.hint(name, all.list()), "; let a node write it, or give it a default here"))
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
	name := p.name.text
	t := known.board(name)
	missing := t.missing
	if together := c.flow.known(end); together != nil && missing { // the branches are put together at the end
		missing = together.board(name).missing
	}
	if missing && !p.optional {
		c.report.add(p.name.spot, "the output %s may be missing%s; give it a default here, or in state.properties",
			quote(name), c.flow.way(name, n, true))
		return true
	}
	if why := t.misfit(typeOfShape(p.shape), ""); why != "" && t.kinds != 0 {
		c.report.add(p.name.spot, "the output %s, where the path ends after %s: %s", quote(name), quote(n.id.text), why)
		return true
	}
	return false
}
