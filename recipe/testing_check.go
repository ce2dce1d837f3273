package recipe

import (
	"errors"
	"maps"
	"slices"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/plan"
)

// checkTests reports what tests name and what is not there, and what they expect and what can never be.
func (c *checked) checkTests(p *plan.Plan) {
	if len(c.tests) == 0 {
		return
	}
	k := testChecker{checked: c, humans: make(map[string]*step), all: c.everything()}
	for _, n := range c.nodes {
		k.nodes = append(k.nodes, n.id.text)
		if n.kind == typeHuman {
			k.humans[n.id.text] = n
		}
		if n.kind != typeRouter {
			k.askers = append(k.askers, n.id.text)
		}
	}
	k.agents = slices.Sorted(maps.Keys(c.agents))
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
	humans                map[string]*step
	all                   names
}

// known reports a name that is none of those there are.
func (k *testChecker) known(w word, what string, names []string) bool {
	if slices.Contains(names, w.text) {
		return true
	}
	if w.text != "" {
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
		k.known(s.agent, "agent", k.agents)
	}
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
	n := k.humans[a.node.text]
	if n == nil {
		if !slices.Contains(k.askers, a.node.text) {
			k.report.add(a.node.spot, "the node %s is a router: it asks nobody", quote(a.node.text))
		}
		return
	}
	s := n.response
	if s == nil && n.review == nil && !hasKey(n.node, "response") {
		s = &shape{doc: n.answerSchema()}
		if s.compile() != nil {
			return
		}
	}
	for _, r := range a.list {
		switch {
		case r.wrong:
		case r.expire && n.deadline == 0:
			k.report.add(r.spot, "the node %s has no deadline that could pass; give it timeout_seconds", quote(a.node.text))
		case !r.expire:
			if err := s.check(r.value); err != nil {
				k.report.add(r.spot, "the answer does not fit what %s asks for: %s", quote(a.node.text), oneLine(err))
			}
		}
	}
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
		k.known(call.name, "agent", k.agents)
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
