package recipe

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// In parallel mode every edge that holds is taken, each with a copy of the blackboard (law G2). A node at which branches
// can meet waits for all of them (law G3), and is given what they changed, put together against the blackboard at the
// fork (law G4). What several of them changed needs a rule: merge, in state.properties.

// The execution modes.
const (
	sequential = "sequential"
	parallel   = "parallel"
)

// mergeKey stands beside the JSON Schema of a property of the state, and is none of its keywords.
const mergeKey = "merge"

// fit is what values a rule is for: all of one of these kinds. None is any.
type fit []expression.Kinds

// mergeRules are the rules.
var mergeRules = map[string]fit{
	"append": {expression.ListKind},
	"edit":   {expression.ListKind},
	"union":  {expression.ListKind, expression.ObjectKind},
	"sum":    {expression.NumberKind},
	"max":    {expression.NumberKind, expression.TextKind},
	"min":    {expression.NumberKind, expression.TextKind},
	"first":  nil,
	"last":   nil,
}

// takes reports whether values of a type all go with each other under the rule, as far as the type says. Null goes with
// anything.
func (f fit) takes(t *expression.Type) bool {
	kinds := t.Kinds &^ expression.NullKind
	return len(f) == 0 || slices.ContainsFunc(f, func(one expression.Kinds) bool {
		if t.Open {
			return kinds&one != 0
		}
		return kinds&^one == 0
	})
}

func (f fit) String() string {
	words := make([]string, len(f))
	for i, k := range f {
		words[i] = k.String()
	}
	return document.OneOf(words)
}

// mergeRule takes the rule away from a property of the state: what is left is its schema.
func mergeRule(at document.Spot, r *document.Report) (document.Spot, string) {
	if at.Node.Kind != yaml.MappingNode || !document.HasKey(at.Node, mergeKey) {
		return at, ""
	}
	rest := *at.Node
	rest.Content = nil
	var rule document.Spot
	for k, v := range document.Entries(at.Node) {
		if k.Value == mergeKey {
			rule = document.Spot{Source: at.Source, Node: v, Path: document.Join(at.Path, mergeKey)}
			continue
		}
		rest.Content = append(rest.Content, k, v)
	}
	at.Node = &rest
	of := expression.Anything
	if doc, err := document.JSON(at.Node); err == nil {
		if doc, ok := doc.(map[string]any); ok {
			of = expression.TypeOfSchema(doc)
		}
	}
	names := slices.Sorted(maps.Keys(mergeRules))
	fits, known := mergeRules[rule.Node.Value]
	switch {
	case rule.Node.Kind != yaml.ScalarNode || !known:
		r.Add(rule, "expected a rule for what several branches wrote: %s; found %s%s",
			document.OneOf(names), document.Describe(rule.Node), r.Hint(rule.Node.Value, names))
		return at, ""
	case !fits.takes(of):
		var others []string
		for _, name := range names {
			if mergeRules[name].takes(of) {
				others = append(others, name)
			}
		}
		r.Add(rule, "the rule %s is for %s, and this is %s; expected %s", rule.Node.Value, fits, of.NotNull(), document.OneOf(others))
		return at, ""
	}
	return at, rule.Node.Value
}

// newPlan makes the plan. In parallel mode each node at which branches can meet waits for all of them: which these are
// is found by the plan's own analysis. A node that waits is one at which branches end, so that others may follow.
func (c *checked) newPlan() (*plan.Plan, error) {
	c.joined = make(map[string]bool)
	def := c.compile()
	if !c.parallel {
		return plan.New(def)
	}
	for {
		p, err := plan.New(def)
		faults, ok := errors.AsType[*plan.Error](err)
		if !ok {
			return p, err
		}
		more := false
		for _, f := range faults.Problems {
			if f.Code == plan.AmbiguousJoin && def.Nodes[f.NodeIndex].Join == "" {
				def.Nodes[f.NodeIndex].Join = plan.All
				c.joined[def.Nodes[f.NodeIndex].Name] = true
				more = true
			}
		}
		if !more {
			return nil, err
		}
	}
}

// compileMerge says how branches are merged: by the rules of the state, to what fits the state.
func (c *checked) compileMerge(def *plan.Definition, state ports) {
	if !c.parallel {
		return
	}
	rules := make(map[string]string)
	for _, p := range c.state {
		if p.merge != "" {
			rules[p.name.Text] = p.merge
		}
	}
	codec, err := value.Dynamic().Sharing().WithRules(rules)
	if err != nil {
		c.report.Add(c.Spot, "%v", err) // the rules were checked where they are written
		return
	}
	def.State = codec
	def.Merge = func(base any, branches []any) (any, error) {
		merged, err := codec.Merge(base, branches)
		if err != nil {
			return nil, inRecipeWords(err)
		}
		bb, err := board(merged)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(rules)) {
			v, ok := bb[name]
			if !ok {
				continue
			}
			if err := state.checkOne(name, v); err != nil {
				return nil, definite{fmt.Errorf("where branches meet: state %q: %w", name, err)}
			}
		}
		return bb, nil
	}
}

// inRecipeWords says of conflicts what is to be written in a recipe.
func inRecipeWords(err error) error {
	conflicts, ok := errors.AsType[plan.MergeConflictsError](err)
	if !ok {
		return err
	}
	for _, c := range conflicts {
		if _, rules, ok := strings.Cut(c.Reason, `: merge:"`); ok {
			rules = strings.TrimSuffix(rules, `"`)
			c.Reason = fmt.Sprintf("nothing says what to take; give it a rule in state.properties, as in %s: {merge: %s}; "+
				"here fit %s", c.Field, strings.Split(rules, "|")[0], strings.ReplaceAll(rules, "|", ", "))
		}
	}
	return err
}

// compileFork makes the edges of a node that may lead to several.
func (c *checked) compileFork(pn *plan.Node, n *step, choices []choice, b *edgeBuilder) {
	kind, whole := plan.Plain, false
	for _, ch := range choices {
		if ch.when != nil {
			kind = plan.Choice
		}
		whole = whole || ch.when == nil
	}
	for _, e := range c.wiring.edges[n] {
		if e.condition != onFailure {
			b.add(kind, e.target.Text, e.when.Text)
		}
	}
	if kind == plan.Plain {
		return
	}
	if !whole {
		b.add(plan.Choice, node.End, "none")
	}
	pn.RouteMany = func(ctx node.Context, v any) ([]string, error) { return onward(ctx, v, choices, true) }
}

// checkParallelEdges is checkEdges for parallel mode: after a success every edge that holds is taken, and after a failure
// the first one.
func (d *draft) checkParallelEdges(n *step, g *wiring, r *document.Report) {
	seen := make(map[string]bool) // target and condition
	caught := make(map[string]bool)
	for _, e := range g.edges[n] {
		when, to := strings.Join(strings.Fields(e.when.Text), " "), e.target.Text
		if n.kind == typeRouter && e.condition != onFailure {
			d.checkRouterEdge(n, e, r)
			continue
		}
		if e.condition != onFailure {
			if seen[to+"\x00"] || seen[to+"\x00"+when] {
				r.Add(e.Spot, "the edge changes nothing: one from %s to %s before it holds whenever this one does",
					document.Quote(n.id.Text), document.Quote(to))
			}
			seen[to+"\x00"+when] = true
		}
		if e.condition == onSuccess {
			continue
		}
		if caught[""] || caught[when] {
			r.Add(e.Spot, "after a failure of %s the edge is never taken: then, in parallel mode too, only the first that "+
				"holds is; give them conditions (when) that differ, or make this one on_success", document.Quote(n.id.Text))
		}
		caught[when] = true
	}
}
