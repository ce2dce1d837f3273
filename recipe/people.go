package recipe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/node"
)

// audience is who may answer a question, beside its role (law H6).
type audience struct {
	fourEyes bool   // not who started the run
	notBy    []word // not who answered one of these nodes
	assignee word   // one person, as a text with expressions; "" for none
	person   *template
}

func (n *step) readAudience(o *object) {
	n.fourEyes = o.flag("four_eyes")
	n.notBy = o.words("not_by")
	n.assignee = o.text("assignee")
	if o.has("assignee") && n.assignee.text == "" {
		o.report.add(o.at("assignee"), "assignee is empty; expected a name such as {{ owner }}, or leave it out")
	}
}

// checkAudience resolves and compiles who may answer.
func (c *checked) checkAudience(n *step, before names) {
	for _, w := range n.notBy {
		other := c.wiring.find(w, c.report, "not_by: ")
		if other != nil && other.kind != "" && other.kind != typeHuman {
			c.report.add(w.spot, "not_by names %s, which is of type %s and asks nobody; expected the id of a node of type human",
				quote(w.text), other.kind)
		}
	}
	if n.assignee.text == "" {
		return
	}
	t, fault := compileTemplate(n.assignee.text)
	if fault != nil {
		c.report.inside(n.assignee.spot, fault.offset, "%s", fault.message)
		return
	}
	n.person = t
	c.faults(n.assignee.spot, t.check(before, c.report, func(name string) string { return c.flow.way(name, n, false) }))
}

// apart are the nodes whose people may not answer this one: those it names, and those that name it.
func (c *checked) apart(n *step) []string {
	var ids []string
	add := func(id string) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, w := range n.notBy {
		add(w.text)
	}
	for _, other := range c.nodes {
		if slices.ContainsFunc(other.notBy, func(w word) bool { return w.text == n.id.text }) {
			add(other.id.text)
		}
	}
	return ids
}

func (c *checked) askApart(n *step) []node.AskOption {
	var options []node.AskOption
	if n.fourEyes {
		options = append(options, node.FourEyes())
	}
	if ids := c.apart(n); len(ids) > 0 {
		options = append(options, node.NotBy(ids...))
	}
	return options
}

// askFor is the one person that is asked, if any: a text that turns out empty asks nobody in particular.
func (a *audience) askFor(s *scope) ([]node.AskOption, error) {
	if a.person == nil {
		return nil, nil
	}
	name, err := a.person.render(s)
	if err != nil {
		return nil, fmt.Errorf("assignee: %w", err)
	}
	if name = strings.TrimSpace(name); name == "" {
		return nil, nil
	}
	return []node.AskOption{node.Assignee(name)}, nil
}
