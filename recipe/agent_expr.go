package recipe

import (
	"fmt"
	"maps"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/node"
)

// exprKind are agents that calculate.
var exprKind = &agentKind{name: "expr", does: "calculates", keys: []string{"input", "output", "set"}, pure: true, tool: true, read: readExpr}

// exprAgent calculates values, each over the arguments and those before it.
type exprAgent struct {
	*agent
	set []assignment // in the order in which they are calculated
}

// assignment is one key of set.
type assignment struct {
	key  document.Word
	expr document.Word
	code *expression.Expression // nil where it was wrong
}

func readExpr(a *agent, o *document.Object) work {
	w := &exprAgent{agent: a}
	for _, p := range o.Texts("set") {
		if fault := nameFault(p.Key.Text); fault != "" {
			o.Report.Add(p.Key.Spot, "the name %s %s", document.Quote(p.Key.Text), fault)
		}
		w.set = append(w.set, assignment{key: p.Key, expr: p.Value})
	}
	if !o.Has("set") {
		o.Need("set", "a mapping of names to expressions")
	}
	return w
}

func (a *exprAgent) compileTexts(c *checked) {
	for i := range a.set {
		a.set[i].code = c.expression(a.set[i].expr)
	}
}

func (a *exprAgent) caller(*checked, *step) caller { return a.evaluate }

// evaluate calculates the assignments, each over the arguments and what came before it.
func (a *exprAgent) evaluate(ctx node.Context, args map[string]any) (any, error) {
	values := make(map[string]any, len(args)+len(a.set))
	maps.Copy(values, args)
	s := expression.NewScope(values, ctx.Cause())
	out := make(map[string]any, len(a.set))
	for _, set := range a.set {
		v, err := set.code.Result(s)
		if err != nil {
			return nil, definite{fmt.Errorf("agent %q: %s: %w", a.name, set.key.Text, err)}
		}
		out[set.key.Text] = v
		s.Set(set.key.Text, v)
	}
	return out, nil
}

// gives is the type of what is calculated.
func (a *exprAgent) gives(f *flow, n *step, known expression.Names) *expression.Type {
	args := f.arguments(n, known)
	out := &expression.Type{Kinds: expression.ObjectKind, Fields: make(map[string]*expression.Type)}
	for _, s := range a.set {
		t := expression.Anything
		if s.code != nil {
			t, _ = s.code.Check(expression.Place{Names: args})
		}
		args.Set(s.key.Text, t)
		out.Fields[s.key.Text] = t
	}
	return out
}

func (a *exprAgent) writes() []string {
	all := make([]string, len(a.set))
	for i, s := range a.set {
		all[i] = s.key.Text
	}
	return all
}

func (a *exprAgent) reads() []string {
	if a.input != nil {
		return nil // its schema asks for all of them
	}
	all := []string{}
	for _, set := range a.set {
		all = append(all, set.code.Names()...)
	}
	return all
}

// checkStep checks the expressions for one node that calls the agent.
func (a *exprAgent) checkStep(c *checked, n *step, before expression.Names) {
	args := expression.AnyNames()
	if c.wiring.seen[n] {
		args = c.flow.arguments(n, before)
	}
	ways := func(name string) string {
		if !n.wholeBoard {
			return fmt.Sprintf(": the inputs_map of %s leaves it out where it finds nothing", document.Quote(n.id.Text))
		}
		return c.flow.way(name, n, false)
	}
	for _, s := range a.set {
		t := expression.Anything
		if s.code != nil {
			var faults []expression.Fault
			t, faults = s.code.Check(c.place(args, ways))
			c.faultsFor(n, s.expr.Spot, faults)
		}
		if n.outputs == nil && n.each == nil {
			c.checkState(s.expr.Spot, s.key.Text, t)
		}
		args.Set(s.key.Text, t)
	}
	if a.output == nil || n.each != nil {
		return
	}
	if why := c.flow.output(n, before).Misfit(typeOfShape(a.output), ""); why != "" {
		c.report.Add(a.output.Spot, "what the agent %s gives does not fit its output: %s", document.Quote(a.name), why)
	}
}
