package recipe

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// checkTests reports what tests name and what is not there, and what they expect and what can never be.
func (c *checked) checkTests(p *plan.Plan) {
	if len(c.tests) == 0 {
		return
	}
	k := testChecker{checked: c, steps: make(map[string]placed), all: c.flow.everything().Present(), everyAgent: c.everyAgent()}
	for _, n := range c.nodes {
		k.nodes = append(k.nodes, n.id.Text)
		if n.kind != typeRouter && n.kind != typeReceive {
			k.askers = append(k.askers, n.id.Text)
		}
	}
	k.place(c.draft, "")
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

// testChecker knows the names that tests may use.
type testChecker struct {
	*checked
	nodes, askers, agents []string
	steps                 map[string]placed // by path, with those of nested recipes
	everyAgent            map[string][]*agent
	all                   expression.Names
	lacking               bool // a recipe that is called is not there: which names it has is not known
}

// placed is a node and the recipe that it is of.
type placed struct {
	*step
	doc *draft
}

// place notes the nodes of a recipe, and of those that it calls, by their paths.
func (k *testChecker) place(d *draft, under string) {
	for _, n := range d.nodes {
		k.steps[under+n.id.Text] = placed{step: n, doc: d}
		switch a := d.agents[n.ref.Text]; {
		case a.calls() == nil:
		case a.callee() == nil || a.callee().doc == nil:
			k.lacking = true
		default:
			k.place(a.callee().doc, under+n.id.Text+"/")
		}
	}
}

// everyAgent are the agents of the recipe and of those that it calls, by name.
func (d *draft) everyAgent() map[string][]*agent {
	all := make(map[string][]*agent)
	for d := range d.family(true) {
		for name, a := range d.agents {
			all[name] = append(all[name], a)
		}
	}
	return all
}

// knownAgent reports a name that is neither an agent's nor, as SERVER/TOOL, that of a tool that a model may call.
func (k *testChecker) knownAgent(w document.Word) {
	server, tool, ok := strings.Cut(w.Text, "/")
	if !ok || slices.Contains(k.agents, w.Text) {
		k.known(w, "agent", k.agents)
		return
	}
	var tools []string
	for _, agents := range k.everyAgent {
		for _, a := range agents {
			for _, t := range a.tools() {
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
	k.report.Add(w.Spot, "no model may call a tool %s%s", document.Quote(w.Text), k.report.Hint(w.Text, slices.Compact(tools)))
}

// known reports a name that is none of those there are.
func (k *testChecker) known(w document.Word, what string, names []string) bool {
	if slices.Contains(names, w.Text) {
		return true
	}
	if w.Text != "" && !k.lacking {
		k.report.Add(w.Spot, "there is no %s %s%s", what, document.Quote(w.Text), k.report.Hint(w.Text, names))
	}
	return false
}

func (k *testChecker) check(t *test) {
	if t.expect.status.Text != statusRefused {
		k.checkInputs(t)
	}
	for i, a := range t.answers {
		if slices.ContainsFunc(t.answers[:i], func(b *replies) bool { return b.node.Text == a.node.Text }) {
			continue // reported by the reader of YAML
		}
		if k.known(a.node, "node", k.nodes) {
			k.checkReplies(a)
		}
	}
	for _, m := range t.messages {
		k.known(m.name, "message", k.messageNames())
	}
	for _, s := range t.standIns {
		k.knownAgent(s.agent)
	}
	k.checkModels(t)
	k.checkExpectation(&t.expect)
}

// checkInputs reports inputs that the recipe would refuse.
func (k *testChecker) checkInputs(t *test) {
	_, err := (&Recipe{doc: k.draft}).Input(t.inputs)
	faults, ok := errors.AsType[*InputError](err)
	if !ok {
		return
	}
	for _, f := range faults.Problems {
		at, given := t.places[f.Name]
		if !given {
			at = t.name.Spot
		}
		k.report.Add(at, "the input %s: %s (where that is meant, the test has expect: {status: refused})", document.Quote(f.Name), f.Message)
	}
}

// checkReplies reports answers that the node would not take.
func (k *testChecker) checkReplies(a *replies) {
	n, ok := k.steps[a.node.Text]
	if ok && n.kind == typeReceive {
		k.report.Add(a.node.Spot, "the node %s waits for a message; expected messages: [{name: %s, value: …}]", document.Quote(a.node.Text), n.message.Text)
		return
	}
	if ok && n.kind == typeRouter || !ok && !slices.Contains(k.askers, a.node.Text) {
		k.report.Add(a.node.Spot, "the node %s is a router: it asks nobody", document.Quote(a.node.Text))
		return
	}
	if !ok {
		return
	}
	s := k.answersTo(n)
	for i := range a.list {
		switch r := &a.list[i]; {
		case r.wrong:
		case r.expire && n.kind == typeHuman && !n.timed:
			k.report.Add(r.Spot, "the node %s has no deadline that could pass; give it timeout_seconds", document.Quote(a.node.Text))
		case !r.expire:
			if text, ok := r.value.(string); ok && n.review != nil {
				r.value = map[string]any{"action": text}
			}
			if err := s.Check(r.value); err != nil {
				k.report.Add(r.Spot, "the answer does not fit what %s asks for: %s", document.Quote(a.node.Text), oneLine(err))
			}
		}
	}
}

// answersTo is the schema of answers to the node's questions; nil where it is not known before.
func (k *testChecker) answersTo(n placed) *document.Shape {
	s := &document.Shape{}
	switch a := n.doc.agents[n.ref.Text]; {
	case n.kind == typeHuman && n.review != nil:
		var value any = map[string]any{} // of any type
		schema, defs, _ := (&checked{draft: n.doc}).reviewed(n.review)
		if schema != nil {
			value = schema
		}
		s.Doc = n.review.answer(value, defs)
	case n.kind == typeHuman && n.response != nil:
		return n.response
	case n.kind == typeHuman && document.HasKey(n.Node, "response"): // it is wrong
		return nil
	case n.kind == typeHuman:
		s.Doc = n.answerSchema()
	case a.model() == nil || a.model().asking != nil && a.model().approval != nil:
		return nil
	case a.model().asking != nil:
		s = a.model().asking.shape()
	case a.model().approval != nil:
		s.Doc = map[string]any{
			"type": "object", "required": []any{"action"}, "additionalProperties": false,
			"properties": map[string]any{
				"action": map[string]any{"enum": []any{string(node.Approve), string(node.Edit), string(node.Deny)}}, "arguments": map[string]any{"type": "object"},
				"reason": map[string]any{"type": "string"},
			},
		}
	default:
		return nil
	}
	if s.Compiled == nil && s.Compile() != nil {
		return nil
	}
	return s
}

func (k *testChecker) checkExpectation(e *expectation) {
	declared := portsOf(k.outputs)
	for _, w := range slices.Concat(e.outputs, e.contains) {
		if !k.outputsOpen {
			if k.known(w.name, "output", declared.names()) && !slices.ContainsFunc(e.contains, func(c wanted) bool { return c.at == w.at }) {
				if err := declared.checkOne(w.name.Text, w.value); err != nil {
					k.report.Add(w.at, "the output %s can never be that: %s", document.Quote(w.name.Text), oneLine(err))
				}
			}
			continue
		}
		if !k.all.Has(w.name.Text) && !k.wiring.dangling {
			k.report.Add(w.name.Spot, "nothing brings %s%s", document.Quote(w.name.Text), k.report.Hint(w.name.Text, k.all.List()))
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
		if k.known(a.node, "node", k.nodes) && !slices.Contains(k.askers, a.node.Text) {
			k.report.Add(a.node.Spot, "the node %s is a router: it asks nobody", document.Quote(a.node.Text))
		}
	}
	for _, call := range e.calls {
		k.knownAgent(call.name)
	}
	if ends := e.status.Text; ends != string(fermata.Completed) {
		for _, w := range slices.Concat(e.outputs, e.contains) {
			k.report.Add(w.name.Spot, "a run that is %s has no outputs; check looks at the blackboard as it is then", ends)
			break
		}
	}
	if e.fault.Text != "" && (e.status.Text == string(fermata.Completed) || e.status.Text == string(fermata.Paused)) {
		k.report.Add(e.fault.Spot, "a run that is %s has no error; expected status: failed, expired, stuck or refused", e.status.Text)
	}
}
