package recipe

import (
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/plan"
)

// nodeType is a type of nodes: what recipes may say of its nodes, and how they become nodes of a plan. All types are listed in
// nodeTypes.
type nodeType struct {
	name    string
	keys    []string // that a node may have beside type, id, description and presentation
	read    func(n *step, o *document.Object)
	check   func(c *checked, n *step, before expression.Names)               // before is what is known where the node starts
	compile func(c *checked, pn *plan.Node, n *step, state ports)            // fills in the plan's node
	after   func(f *flow, n *step, before expression.Names) expression.Names // what is known once it has succeeded; nil for what was
}

// nodeTypes are all types of nodes.
var nodeTypes = []*nodeType{agentNode, routerNode, humanNode, receiveNode}

// The types of nodes. That a router's ways are its routes, and that people answer, is known outside of these, too.
const (
	typeAgent  = "agent"
	typeRouter = "router"
	typeHuman  = "human"
)

var agentNode = &nodeType{
	name: typeAgent,
	keys: []string{
		"agent_ref", "inputs_map", "outputs_map", "for_each", "max_retries", "timeout_seconds", "idle_seconds", "system_prompt_override",
		"pool", "pool_key",
		"undo", "unfinished",
	},
	read:    (*step).readAgent,
	check:   (*checked).checkAgentStep,
	compile: (*checked).compileAgent,
	after: func(f *flow, n *step, before expression.Names) expression.Names {
		return f.merged(n, f.output(n, before), before)
	},
}

var routerNode = &nodeType{
	name:    typeRouter,
	keys:    []string{"input_key", "routes", "default_route"},
	read:    (*step).readRouter,
	check:   (*checked).checkRouter,
	compile: func(_ *checked, pn *plan.Node, _ *step, _ ports) { pn.Kind, pn.Pure = plan.Router, true },
}

var humanNode = &nodeType{
	name: typeHuman,
	keys: []string{
		"prompt", "inputs_map", "required_role", "timeout_seconds", "options", "response", "on_timeout", "review", "assignee", "override_role",
		"four_eyes", "not_by",
	},
	read:    (*step).readHuman,
	check:   (*checked).checkHuman,
	compile: (*checked).compileHuman,
	after: func(f *flow, n *step, before expression.Names) expression.Names {
		if n.review != nil {
			f.edited(&before, n.review)
		}
		f.write(&before, n.id.Text, expression.TypeOfSchema(n.leaves()))
		return before
	},
}

// allKeys are the keys of a node of the type.
func (t *nodeType) allKeys() []string {
	return append([]string{"type", "id", "description", "presentation"}, t.keys...)
}

// typesOfNodes are the names of all types.
func typesOfNodes() []string {
	all := make([]string, len(nodeTypes))
	for i, t := range nodeTypes {
		all[i] = t.name
	}
	return all
}

// nodeTypeOf is the type of a name; nil for none.
func nodeTypeOf(name string) *nodeType {
	for _, t := range nodeTypes {
		if t.name == name {
			return t
		}
	}
	return nil
}

// checkHuman checks what a node says to people and asks of them.
func (c *checked) checkHuman(n *step, before expression.Names) {
	c.checkBindings(n, before)
	c.checkText(&n.prompt, n, before)
	c.checkState(n.id.Spot, n.id.Text, expression.TypeOfSchema(n.leaves()))
	c.checkExpiry(n)
	c.checkAudience(n, before)
	c.checkReview(n, before)
}
