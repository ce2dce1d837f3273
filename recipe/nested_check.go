package recipe

import (
	"slices"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
)

// checkForEach checks what a node with for_each goes over, and gives the names that are known for an element.
func (c *checked) checkForEach(n *step, before expression.Names) expression.Names {
	e := n.each
	before.Failure = expression.Absent
	t := c.checkPath(e.in, e.Spot, before, n)
	if e.in.Optional { // null is none, too
		t = t.NotNull()
	}
	if t.Kinds != 0 && t.May(expression.ListKind|expression.ObjectKind) {
		c.report.Add(e.Spot, "for_each goes over a list or the entries of an object, and %q %s", e.in.Text, t.Is(expression.ListKind|expression.ObjectKind))
	}
	for _, b := range n.outputs {
		known := []string{eachResults, eachErrors}
		if len(b.path.Segments) > 0 && !b.path.Optional && !slices.Contains(known, b.path.Segments[0]) {
			c.report.Add(b.name.Spot, "outputs_map of a node with for_each is over %s (a list, in order) and %s (what failed), and not over %q%s",
				eachResults, eachErrors, b.path.Segments[0], c.report.Hint(b.path.Segments[0], known))
		}
	}
	return e.names(before)
}

// checkNestedStep checks what a node gives to a nested recipe, and takes from it, against that recipe's interface.
func (c *checked) checkNestedStep(n *step, a *recipeAgent, before expression.Names) {
	before.Failure = expression.Absent // what it is given is computed before its tasks begin
	if n.timeout > 0 {
		c.report.Add(n.Member("timeout_seconds"), "a recipe has no time limit where it is called: its own people and agents have theirs, "+
			"and the policy's timeout_seconds bounds the whole run")
	}
	if n.idle > 0 {
		c.report.Add(n.Member("idle_seconds"), "a recipe is not silent where it is called: give idle_seconds to its own agents")
	}
	if a.nested == nil {
		return
	}
	d := a.nested.doc
	inputs, outputs := namesOf(d.inputs), namesOf(d.outputs)
	for _, p := range d.inputs {
		if !p.optional {
			c.checkNestedInput(n, a, p, before)
		}
	}
	for _, b := range n.inputs {
		if name := b.name.Text; !d.inputsOpen && !slices.Contains(inputs, name) {
			c.report.Add(b.name.Spot, "the recipe %s has no input %q%s", document.Quote(a.file.Text), name, c.report.NearestOr(name, inputs))
		}
	}
	c.checkNestedTypes(n, a, before)
	if n.each != nil || d.outputsOpen {
		return
	}
	for _, b := range n.outputs {
		if len(b.path.Segments) > 0 && !b.path.Optional && !slices.Contains(outputs, b.path.Segments[0]) {
			c.report.Add(b.name.Spot, "the recipe %s gives no %q%s", document.Quote(a.file.Text), b.path.Segments[0],
				c.report.NearestOr(b.path.Segments[0], outputs))
		}
	}
}

// checkNestedInput reports an input that a nested recipe needs and is not given.
func (c *checked) checkNestedInput(n *step, a *recipeAgent, p port, before expression.Names) {
	name := p.name.Text
	given := n.wholeBoard && before.Has(name) && !before.Board(name).Missing
	for _, b := range n.inputs {
		given = given || b.name.Text == name
	}
	switch {
	case given:
	case n.wholeBoard:
		c.report.Add(n.ref.Spot, "the recipe %s needs the input %q (%s), and nothing that comes before is called that; "+
			"bring it, or name it in inputs_map", document.Quote(a.file.Text), name, expected(p.shape))
	default:
		c.report.Add(n.Member("inputs_map"), "the recipe %s needs the input %q too: %s", document.Quote(a.file.Text), name, expected(p.shape))
	}
}

// checkNestedTypes reports values that can never fit an input of a nested recipe.
func (c *checked) checkNestedTypes(n *step, a *recipeAgent, before expression.Names) {
	declared := portsOf(a.nested.doc.inputs)
	check := func(at document.Spot, from, to string, given *expression.Type) {
		p, ok := declared[to]
		if !ok || p.shape == nil || given.Kinds == 0 {
			return
		}
		if why := given.Misfit(typeOfShape(p.shape), ""); why != "" {
			c.report.Add(at, "%q does not fit the input %q of the recipe %s: %s", from, to, document.Quote(a.file.Text), why)
		} else if given.Missing && !given.Open && !p.optional && !n.wholeBoard {
			c.report.Add(at, "%q may be missing, and the recipe %s needs the input %q: %s; give it a default there, or bring it on every way",
				from, document.Quote(a.file.Text), to, expected(p.shape))
		}
	}
	if n.wholeBoard {
		for _, name := range declared.names() {
			check(n.ref.Spot, name, name, before.Board(name))
		}
		return
	}
	for _, b := range n.inputs {
		if t, _, fault := b.path.On(before); fault == "" && (b.path.Optional || !t.Missing) {
			check(b.name.Spot, b.path.Text, b.name.Text, t)
		}
	}
}

// gives is the type of what a nested recipe gives.
func (n *nested) gives() *expression.Type {
	if n == nil || n.doc.outputsOpen {
		return expression.Anything
	}
	t := &expression.Type{Kinds: expression.ObjectKind, Fields: make(map[string]*expression.Type)}
	for _, p := range n.doc.outputs {
		t.Fields[p.name.Text] = typeOfShape(p.shape)
	}
	return t
}
