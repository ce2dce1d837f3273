package recipe

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// checkTests reports what tests name and what is not there, and what they expect and what can never be.
func (c *checked) checkTests(p *plan.Plan) {
	if len(c.tests) == 0 {
		return
	}
	k := testChecker{checked: c, steps: make(map[string]placed), all: c.everything(), everyAgent: c.everyAgent()}
	for _, n := range c.nodes {
		k.nodes = append(k.nodes, n.id.text)
		if n.kind != typeRouter {
			k.askers = append(k.askers, n.id.text)
		}
	}
	k.place(c.document, "")
	k.agents = slices.Sorted(maps.Keys(k.everyAgent))
	if p != nil { // with the nodes of nested recipes
		for i := range p.Flat() {
			f := &p.Flat()[i]
			if !slices.Contains(k.nodes, f.Path) {
				k.nodes, k.askers = append(k.nodes, f.Path), append(k.askers, f.Path)
			}
		}
	}
	for _, t := range c.tests {
		k.check(t)
	}
}

// everything are all names that may be on the blackboard somewhere.
func (c *checked) everything() names {
	all := names{vocabulary: c.flow.vocabulary}
	for n := range c.wiring.seen {
		all, _ = all.join(c.flow.after(n, c.flow.before[n]), false)
	}
	return all.present()
}

// testChecker knows the names that tests may use.
type testChecker struct {
	*checked
	nodes, askers, agents []string
	steps                 map[string]placed // by path, with those of nested recipes
	everyAgent            map[string][]*agent
	all                   names
	lacking               bool // a recipe that is called is not there: which names it has is not known
}

// placed is a node and the recipe that it is of.
type placed struct {
	*step
	doc *document
}

// place notes the nodes of a recipe, and of those that it calls, by their paths.
func (k *testChecker) place(d *document, under string) {
	for _, n := range d.nodes {
		k.steps[under+n.id.text] = placed{step: n, doc: d}
		switch a := d.agents[n.ref.text]; {
		case a == nil || a.kind != kindRecipe:
		case a.nested == nil || a.nested.doc == nil:
			k.lacking = true
		default:
			k.place(a.nested.doc, under+n.id.text+"/")
		}
	}
}

// everyAgent are the agents of the recipe and of those that it calls, by name.
func (d *document) everyAgent() map[string][]*agent {
	all := make(map[string][]*agent)
	seen := make(map[*document]bool)
	var add func(d *document)
	add = func(d *document) {
		if seen[d] {
			return
		}
		seen[d] = true
		for name, a := range d.agents {
			all[name] = append(all[name], a)
			if a.nested != nil && a.nested.doc != nil {
				add(a.nested.doc)
			}
		}
	}
	add(d)
	return all
}

// knownAgent reports a name that is neither an agent's nor, as SERVER/TOOL, that of a tool that a model may call.
func (k *testChecker) knownAgent(w word) {
	server, tool, ok := strings.Cut(w.text, "/")
	if !ok || slices.Contains(k.agents, w.text) {
		k.known(w, "agent", k.agents)
		return
	}
	var tools []string
	for _, agents := range k.everyAgent {
		for _, a := range agents {
			if a.reasons == nil {
				continue
			}
			for _, t := range a.reasons.tools {
				if t.server == server && (t.tool == tool || t.tool == "*") && tool != "" {
					return
				}
				if t.server != "" {
					tools = append(tools, t.server+"/"+t.tool)
				}
			}
		}
	}
	slices.Sort(tools)
	k.report.add(w.spot, "no model may call a tool %s%s", quote(w.text), k.report.hint(w.text, slices.Compact(tools)))
}

// known reports a name that is none of those there are.
func (k *testChecker) known(w word, what string, names []string) bool {
	if slices.Contains(names, w.text) {
		return true
	}
	if w.text != "" && !k.lacking {
		k.report.add(w.spot, "there is no %s %s%s", what, quote(w.text), k.report.hint(w.text, names))
	}
	return false
}

func (k *testChecker) check(t *test) {
	if t.expect.status.text != statusRefused {
		k.checkInputs(t)
	}
	for i, a := range t.answers {
		if slices.ContainsFunc(t.answers[:i], func(b *replies) bool { return b.node.text == a.node.text }) {
			continue // reported by the reader of YAML
		}
		if k.known(a.node, "node", k.nodes) {
			k.checkReplies(a)
		}
	}
	for _, s := range t.standIns {
		k.knownAgent(s.agent)
	}
	k.checkModels(t)
	k.checkExpectation(&t.expect)
}

// checkInputs reports inputs that the recipe would refuse.
func (k *testChecker) checkInputs(t *test) {
	_, err := (&Recipe{doc: k.document}).Input(t.inputs)
	faults, ok := errors.AsType[*InputError](err)
	if !ok {
		return
	}
	for _, f := range faults.Problems {
		at, given := t.places[f.Name]
		if !given {
			at = t.name.spot
		}
		k.report.add(at, "the input %s: %s (where that is meant, the test has expect: {status: refused})", quote(f.Name), f.Message)
	}
}

// checkReplies reports answers that the node would not take.
func (k *testChecker) checkReplies(a *replies) {
	n, ok := k.steps[a.node.text]
	if ok && n.kind == typeRouter || !ok && !slices.Contains(k.askers, a.node.text) {
		k.report.add(a.node.spot, "the node %s is a router: it asks nobody", quote(a.node.text))
		return
	}
	if !ok {
		return
	}
	s := k.answersTo(n)
	for i := range a.list {
		switch r := &a.list[i]; {
		case r.wrong:
		case r.expire && n.kind == typeHuman && n.deadline == 0:
			k.report.add(r.spot, "the node %s has no deadline that could pass; give it timeout_seconds", quote(a.node.text))
		case !r.expire:
			if text, ok := r.value.(string); ok && n.review != nil {
				r.value = map[string]any{"action": text}
			}
			if err := s.check(r.value); err != nil {
				k.report.add(r.spot, "the answer does not fit what %s asks for: %s", quote(a.node.text), oneLine(err))
			}
		}
	}
}

// answersTo is the schema of answers to the node's questions; nil where it is not known before.
func (k *testChecker) answersTo(n placed) *shape {
	s := &shape{}
	switch a := n.doc.agents[n.ref.text]; {
	case n.kind == typeHuman && n.review != nil:
		var value any = map[string]any{} // of any type
		schema, defs, _ := (&checked{document: n.doc}).reviewed(n.review)
		if schema != nil {
			value = schema
		}
		s.doc = n.review.answer(value, defs)
	case n.kind == typeHuman && n.response != nil:
		return n.response
	case n.kind == typeHuman && hasKey(n.node, "response"): // it is wrong
		return nil
	case n.kind == typeHuman:
		s.doc = n.answerSchema()
	case a == nil || a.reasons == nil || a.reasons.asking != nil && a.reasons.approval != nil:
		return nil
	case a.reasons.asking != nil:
		s = a.reasons.asking.answers()
	case a.reasons.approval != nil:
		s.doc = map[string]any{
			"type": "object", "required": []any{"action"}, "additionalProperties": false,
			"properties": map[string]any{
				"action": map[string]any{"enum": []any{string(node.Approve), string(node.Edit), string(node.Deny)}}, "arguments": map[string]any{"type": "object"},
				"reason": map[string]any{"type": "string"},
			},
		}
	default:
		return nil
	}
	if s.compiled == nil && s.compile() != nil {
		return nil
	}
	return s
}

func (k *testChecker) checkExpectation(e *expectation) {
	declared := portsOf(k.outputs)
	for _, w := range slices.Concat(e.outputs, e.contains) {
		if !k.outputsOpen {
			if k.known(w.name, "output", declared.names()) && !slices.ContainsFunc(e.contains, func(c wanted) bool { return c.at == w.at }) {
				if err := declared.checkOne(w.name.text, w.value); err != nil {
					k.report.add(w.at, "the output %s can never be that: %s", quote(w.name.text), oneLine(err))
				}
			}
			continue
		}
		if !k.all.has(w.name.text) && !k.wiring.dangling {
			k.report.add(w.name.spot, "nothing brings %s%s", quote(w.name.text), k.report.hint(w.name.text, k.all.list()))
		}
	}
	for i := range e.check {
		e.check[i].code = k.expression(e.check[i].expr)
		if code := e.check[i].code; code != nil {
			k.condition(e.check[i].expr, code, k.all, nil)
		}
	}
	for _, w := range e.path {
		k.known(w, "node", k.nodes)
	}
	for _, v := range e.visits {
		k.known(v.name, "node", k.nodes)
	}
	for _, a := range e.asked {
		if k.known(a.node, "node", k.nodes) && !slices.Contains(k.askers, a.node.text) {
			k.report.add(a.node.spot, "the node %s is a router: it asks nobody", quote(a.node.text))
		}
	}
	for _, call := range e.calls {
		k.knownAgent(call.name)
	}
	if ends := e.status.text; ends != string(fermata.Completed) {
		for _, w := range slices.Concat(e.outputs, e.contains) {
			k.report.add(w.name.spot, "a run that is %s has no outputs; check looks at the blackboard as it is then", ends)
			break
		}
	}
	if e.fault.text != "" && (e.status.text == string(fermata.Completed) || e.status.text == string(fermata.Paused)) {
		k.report.add(e.fault.spot, "a run that is %s has no error; expected status: failed, expired, stuck or refused", e.status.text)
	}
}
