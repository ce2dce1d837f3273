package recipe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/node"
)

// audience is who may answer a question, beside its role (law H6).
type audience struct {
	override string          // the role that may take the question from who holds it; "" for none
	fourEyes bool            // not who started the run
	notBy    []document.Word // not who answered one of these nodes
	assignee text            // one person; "" for none
}

func (n *step) readAudience(o *document.Object) {
	if o.Has("override_role") {
		n.override = o.NeedText("override_role", "a role, or leave it out").Text
	}
	n.fourEyes = o.Flag("four_eyes")
	n.notBy = o.Words("not_by")
	n.assignee.Word = o.Text("assignee")
	if o.Has("assignee") && n.assignee.Text == "" {
		o.Report.Add(o.At("assignee"), "assignee is empty; expected a name such as {{ owner }}, or leave it out")
	}
}

// checkAudience checks who may answer.
func (c *checked) checkAudience(n *step, before expression.Names) {
	for _, w := range n.notBy {
		other := c.wiring.find(w, c.report, "not_by: ")
		if other != nil && other.kind != "" && other.kind != typeHuman {
			c.report.Add(w.Spot, "not_by names %s, which is of type %s and asks nobody; expected the id of a node of type human",
				document.Quote(w.Text), other.kind)
		}
	}
	c.checkText(&n.assignee, n, before)
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
		add(w.Text)
	}
	for _, other := range c.nodes {
		if slices.ContainsFunc(other.notBy, func(w document.Word) bool { return w.Text == n.id.Text }) {
			add(other.id.Text)
		}
	}
	return ids
}

func (c *checked) askApart(n *step) []node.AskOption {
	var options []node.AskOption
	if n.override != "" {
		options = append(options, node.Override(n.override))
	}
	if n.fourEyes {
		options = append(options, node.FourEyes())
	}
	if ids := c.apart(n); len(ids) > 0 {
		options = append(options, node.NotBy(ids...))
	}
	return options
}

// askFor is the one person that is asked, if any: a text that turns out empty asks nobody in particular.
func (a *audience) askFor(s *expression.Scope) ([]node.AskOption, error) {
	if a.assignee.code == nil {
		return nil, nil
	}
	name, err := a.assignee.code.Render(s)
	if err != nil {
		return nil, fmt.Errorf("assignee: %w", err)
	}
	if name = strings.TrimSpace(name); name == "" {
		return nil, nil
	}
	return []node.AskOption{node.Assignee(name)}, nil
}
