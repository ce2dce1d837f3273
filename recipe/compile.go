package recipe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// planKind is the kind of plans that recipes compile to.
const planKind = "recipe"

// compile makes the plan's definition. Parts that were wrong are left out: the plan then is never used, but the
// graph's own checks still see the rest.
func (c *checked) compile() plan.Definition {
	def := plan.Definition{
		Name: c.name, Version: c.version, Kind: planKind, Doc: c.description,
		Limits: plan.Limits{Tasks: c.steps(), Time: c.timeout, Within: c.within},
		State:  value.Dynamic().Sharing(), // nodes copy what they change, and what they give to functions
		Input:  objectSchema(c.inputs, c.inputsOpen),
		Output: objectSchema(c.outputs, c.outputsOpen),

		Presentation: presentation(c.presentation),
		Takes:        c.takes(), Renamed: c.renamed.migration(),
	}
	def.Queue, def.Pools = c.queue, c.pools
	if len(c.labels) > 0 {
		def.Labels = c.labels.of
	}
	outputs := portsOf(c.outputs)
	if !c.outputsOpen {
		def.Finish = func(v any) (any, error) { return outputs.finish(v) }
	}
	if c.wiring.entry != nil {
		def.Entry = []string{c.wiring.entry.id.Text}
	}
	state := portsOf(c.state)
	c.compileMerge(&def, state)
	for _, n := range c.nodes {
		if c.wiring.byID[n.id.Text] != n {
			continue
		}
		pn := plan.Node{Name: n.id.Text, Kind: plan.Task, Doc: n.description, Presentation: presentation(n.presentation)}
		if n.of != nil {
			n.of.compile(c, &pn, n, state)
		}
		edges := c.compileEdges(&pn, n)
		if len(c.wiring.undoes[n]) > 0 {
			pn.Undoes, pn.Unfinished, pn.Pure = plan.UndoTask, n.unfinished, false
		}
		if n.undo.Text != "" && c.wiring.byID[n.undo.Text] != nil {
			edges = append(edges, plan.Edge{From: n.id.Text, To: n.undo.Text, Kind: plan.Undo})
		}
		if n.review != nil {
			edges = n.review.gate(&pn, edges)
		}
		def.Edges = append(def.Edges, edges...)
		def.Nodes = append(def.Nodes, pn)
	}
	return def
}

// presentation is how the recipe, or a node, is shown.
func presentation(fields map[string]any) []byte {
	if fields == nil {
		return nil
	}
	return encoded(fields)
}

// encoded is the JSON of texts, and of values that were read from JSON or YAML: these always encode.
func encoded(v any) []byte {
	data, _ := json.Marshal(v) //nolint:errchkjson // see above
	return data
}

// objectSchema is the schema of an object with the ports as its members; nil where none are declared.
func objectSchema(ports []port, open bool) []byte {
	if open {
		return nil
	}
	properties := make(map[string]json.RawMessage, len(ports))
	required := []string{}
	for _, p := range ports {
		if p.shape == nil {
			continue
		}
		properties[p.name.Text] = p.shape.Compiled.JSON()
		if !p.optional {
			required = append(required, p.name.Text)
		}
	}
	return encoded(map[string]any{"type": "object", "properties": properties, "required": required})
}

// board is the value of a token as the blackboard.
func board(v any) (map[string]any, error) {
	switch v := v.(type) {
	case map[string]any:
		return v, nil
	case nil:
		return make(map[string]any), nil
	}
	return nil, fmt.Errorf("the blackboard: expected an object of names, found %s; start a recipe with what Recipe.Input gives", expression.Describe(v))
}

// choice is an edge as a gate sees it.
type choice struct {
	when   *expression.Expression // nil: always
	target string
}

// pick are the targets of the choices that hold, each once: the first alone, or all.
func pick(choices []choice, s *expression.Scope, all bool) ([]string, error) {
	var picked []string
	for _, c := range choices {
		yes := c.when == nil
		if !yes {
			var err error
			if yes, err = c.when.Holds(s); err != nil {
				return nil, definite{fmt.Errorf("the edge to %q: %w", c.target, err)}
			}
		}
		if yes && !slices.Contains(picked, c.target) {
			if picked = append(picked, c.target); !all {
				break
			}
		}
	}
	return picked, nil
}

// onward picks of a blackboard; the end where no choice holds.
func onward(ctx node.Context, v any, choices []choice, all bool) ([]string, error) {
	bb, err := board(v)
	if err != nil {
		return nil, definite{err}
	}
	picked, err := pick(choices, expression.NewScope(bb, ctx.Cause()), all)
	if err == nil && picked == nil {
		picked = []string{node.End}
	}
	return picked, err
}

// compileEdges makes a node's edges, and its Route and Catch where it has to choose.
func (c *checked) compileEdges(pn *plan.Node, n *step) []plan.Edge {
	b := edgeBuilder{from: n.id.Text}
	var success, failure []choice
	whole := false // an edge without a condition ends the list
	for _, e := range c.wiring.edges[n] {
		ch := choice{when: c.when[e], target: e.target.Text}
		if e.condition != onFailure && n.kind != typeRouter {
			success = append(success, ch)
			whole = whole || e.when.Text == ""
		}
		if e.condition != onSuccess {
			failure = append(failure, ch)
			b.add(plan.Failure, e.target.Text, e.when.Text)
		}
	}
	switch {
	case n.kind == typeRouter:
		c.compileRouter(pn, n, &b)
	case len(success) == 1 && whole:
		b.add(plan.Plain, success[0].target, "")
	case c.parallel && len(success) > 1:
		c.compileFork(pn, n, success, &b)
	case len(success) > 0:
		pn.Route = func(ctx node.Context, v any) (string, error) {
			to, err := onward(ctx, v, success, false)
			if err != nil {
				return "", err
			}
			return to[0], nil
		}
		for _, e := range c.wiring.edges[n] {
			if e.condition != onFailure {
				b.add(plan.Choice, e.target.Text, cmp.Or(e.when.Text, "else"))
			}
		}
		if !whole {
			b.add(plan.Choice, node.End, "else")
		}
	}
	if len(failure) > 1 || len(failure) == 1 && failure[0].when != nil {
		pn.Catch = func(ctx node.Context, v any, cause error) (string, error) {
			bb, err := board(v)
			if err != nil {
				return "", err
			}
			f := &node.Failure{Task: ctx.Info().Task(), Message: cause.Error()}
			to, err := pick(failure, expression.NewScope(bb, f), false)
			if err != nil || to == nil {
				return "", err
			}
			return to[0], nil
		}
	}
	for x := n.expiry; x != nil; x = x.then {
		if x.do == "route" && c.wiring.byID[x.target.Text] != nil {
			b.add(plan.Deadline, x.target.Text, "")
		}
	}
	return b.edges
}

// edgeBuilder collects a node's edges. A second edge of a kind to a target adds its label to the first.
type edgeBuilder struct {
	from  string
	edges []plan.Edge
}

func (b *edgeBuilder) add(kind plan.EdgeKind, to, label string) {
	for i, e := range b.edges {
		if e.Kind != kind || e.To != to {
			continue
		}
		if label != "" && !slices.Contains(strings.Split(e.Label, " | "), label) {
			b.edges[i].Label = strings.TrimPrefix(e.Label+" | "+label, " | ")
		}
		return
	}
	b.edges = append(b.edges, plan.Edge{From: b.from, To: to, Kind: kind, Label: label})
}

// compileRouter makes a router's Route and the edges of its routes.
func (c *checked) compileRouter(pn *plan.Node, n *step, b *edgeBuilder) {
	routes := make(map[string]string, len(n.routes))
	known := make([]string, 0, len(n.routes))
	for _, route := range n.routes {
		if c.wiring.byID[route.Value.Text] == nil {
			continue
		}
		routes[route.Key.Text] = route.Value.Text
		known = append(known, route.Key.Text)
		b.add(plan.Choice, route.Value.Text, route.Key.Text)
	}
	if c.wiring.byID[n.fallback.Text] != nil {
		b.add(plan.Choice, n.fallback.Text, "default")
	}
	key, fallback := n.inputKey, n.fallback.Text
	key.Optional = true
	pn.Route = func(ctx node.Context, v any) (string, error) {
		bb, err := board(v)
		if err != nil {
			return "", err
		}
		decides, _, err := lookUp(key, bb, ctx.Cause())
		if err != nil {
			return "", err
		}
		return route(key, decides, routes, known, fallback)
	}
}

// ErrNoRoute says that a router has no route for the value that decides, and no default.
var ErrNoRoute = fault.Sentinel("recipe.no_route", "the router has no route for the value")

// route compares texts exactly, and numbers and booleans by their JSON text. Null, and what is missing, has no route.
func route(key expression.Path, decides any, routes map[string]string, known []string, fallback string) (string, error) {
	switch v := decides.(type) {
	case string, bool, json.Number:
		if to, ok := routes[expression.Text(v)]; ok {
			return to, nil
		}
	}
	if fallback != "" {
		return fallback, nil
	}
	return "", fmt.Errorf("%w: %q is %s; it has routes for %s and no default_route",
		ErrNoRoute, strings.TrimSuffix(key.Text, "?"), expression.Describe(decides), quoteAll(known))
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = document.Quote(n)
	}
	return strings.Join(quoted, ", ")
}

// lookUp finds a path on the blackboard; at the end of an error edge "error" is what went wrong.
func lookUp(p expression.Path, bb map[string]any, cause *node.Failure) (v any, ok bool, err error) {
	if cause != nil && len(p.Segments) > 0 && p.Segments[0] == expression.ErrorName {
		bb = map[string]any{expression.ErrorName: expression.FailureValue(cause)}
	}
	return p.In(bb)
}
