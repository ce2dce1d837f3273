package recipe

import (
	"slices"
)

// element is the type of what for_each goes over: of the items of a list; the types of an object's entries are not followed.
func (t *valueType) element() *valueType {
	if t.kinds == listKind {
		return orAnything(t.items)
	}
	return anything
}

// checkForEach checks what a node with for_each goes over, and gives the names that are known for an element.
func (c *checked) checkForEach(n *step, before names) names {
	e := n.each
	before.failure = absent
	t := c.checkPath(e.in, e.spot, before, n)
	if t.kinds != 0 && t.may(listKind|objectKind) {
		c.report.add(e.spot, "for_each goes over a list or the entries of an object, and %q %s", e.in.text, t.is(listKind|objectKind))
	}
	for _, b := range n.outputs {
		known := []string{eachResults, eachErrors}
		if len(b.path.segments) > 0 && !b.path.optional && !slices.Contains(known, b.path.segments[0]) {
			c.report.add(b.name.spot, "outputs_map of a node with for_each is over %s (a list, in order) and %s (what failed), and not over %q%s",
				eachResults, eachErrors, b.path.segments[0], c.report.hint(b.path.segments[0], known))
		}
	}
	return e.names(before)
}

// checkNestedStep checks what a node gives to a nested recipe, and takes from it, against that recipe's interface.
func (c *checked) checkNestedStep(n *step, a *agent, before names) {
	before.failure = absent // what it is given is computed before its tasks begin
	if n.timeout > 0 {
		c.report.add(spotOf(n, "timeout_seconds"), "a recipe has no time limit where it is called: its own people and agents have theirs, "+
			"and the policy's timeout_seconds bounds the whole run")
	}
	if a.nested == nil {
		return
	}
	d := a.nested.doc
	var inputs, outputs []string
	for _, p := range d.inputs {
		inputs = append(inputs, p.name.text)
		if !p.optional {
			c.checkNestedInput(n, a, p, before)
		}
	}
	for _, b := range n.inputs {
		if name := b.name.text; !d.inputsOpen && !slices.Contains(inputs, name) {
			c.report.add(b.name.spot, "the recipe %s has no input %q%s", quote(a.file.text), name, c.report.nearestOr(name, inputs))
		}
	}
	c.checkNestedTypes(n, a, before)
	if n.each != nil || d.outputsOpen {
		return
	}
	for _, p := range d.outputs {
		outputs = append(outputs, p.name.text)
	}
	for _, b := range n.outputs {
		if len(b.path.segments) > 0 && !b.path.optional && !slices.Contains(outputs, b.path.segments[0]) {
			c.report.add(b.name.spot, "the recipe %s gives no %q%s", quote(a.file.text), b.path.segments[0],
				c.report.nearestOr(b.path.segments[0], outputs))
		}
	}
}

// checkNestedInput reports an input that a nested recipe needs and is not given.
func (c *checked) checkNestedInput(n *step, a *agent, p port, before names) {
	name := p.name.text
	given := n.wholeBoard && before.has(name) && !before.board(name).missing
	for _, b := range n.inputs {
		given = given || b.name.text == name
	}
	switch {
	case given:
	case n.wholeBoard:
		c.report.add(n.ref.spot, "the recipe %s needs the input %q (%s), and nothing that comes before is called that; "+
			"bring it, or name it in inputs_map", quote(a.file.text), name, expected(p.shape))
	default:
		c.report.add(spotOf(n, "inputs_map"), "the recipe %s needs the input %q too: %s", quote(a.file.text), name, expected(p.shape))
	}
}

// checkNestedTypes reports values that can never fit an input of a nested recipe.
func (c *checked) checkNestedTypes(n *step, a *agent, before names) {
	declared := portsOf(a.nested.doc.inputs)
	check := func(at spot, from, to string) {
		p, ok := declared[to]
		if !ok || p.shape == nil || !before.has(from) {
			return
		}
		if why := before.typ(from).misfit(typeOfShape(p.shape), ""); why != "" {
			c.report.add(at, "%q does not fit the input %q of the recipe %s: %s", from, to, quote(a.file.text), why)
		}
	}
	if n.wholeBoard {
		for _, name := range declared.names() {
			check(n.ref.spot, name, name)
		}
		return
	}
	for _, b := range n.inputs {
		if len(b.path.segments) == 1 {
			check(b.name.spot, b.path.segments[0], b.name.text)
		}
	}
}

// gives is the type of what a nested recipe gives.
func (n *nested) gives() *valueType {
	if n == nil || n.doc.outputsOpen {
		return anything
	}
	t := &valueType{kinds: objectKind, fields: make(map[string]*valueType)}
	for _, p := range n.doc.outputs {
		t.fields[p.name.text] = typeOfShape(p.shape)
	}
	return t
}
