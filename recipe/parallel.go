package recipe

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

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

// mergeRules are the rules, with the types of values that they fit; nil for any.
var mergeRules = map[string][]string{
	"append": {"array"},
	"union":  {"array", "object"},
	"sum":    {"integer", "number"},
	"max":    {"integer", "number", "string"},
	"min":    {"integer", "number", "string"},
	"first":  nil,
	"last":   nil,
}

// mergeRule takes the rule away from a property of the state: what is left is its schema.
func mergeRule(at spot, r *report) (spot, string) {
	if at.node.Kind != yaml.MappingNode || !hasKey(at.node, mergeKey) {
		return at, ""
	}
	rest := *at.node
	rest.Content = nil
	kind, rule := "", spot{}
	for k, v := range entries(at.node) {
		if k.Value == mergeKey {
			rule = spot{src: at.src, node: v, path: join(at.path, mergeKey)}
			continue
		}
		if k.Value == "type" && v.Kind == yaml.ScalarNode {
			kind = v.Value
		}
		rest.Content = append(rest.Content, k, v)
	}
	at.node = &rest
	names := slices.Sorted(maps.Keys(mergeRules))
	fits, known := mergeRules[rule.node.Value]
	switch {
	case rule.node.Kind != yaml.ScalarNode || !known:
		r.add(rule, "expected a rule for what several branches wrote: %s; found %s%s",
			oneOf(names), kindOf(rule.node), r.hint(rule.node.Value, names))
		return at, ""
	case fits != nil && kind != "" && !slices.Contains(fits, kind):
		var others []string
		for _, name := range names {
			if types := mergeRules[name]; types == nil || slices.Contains(types, kind) {
				others = append(others, name)
			}
		}
		r.add(rule, "the rule %s is for %s, and this is %s; expected %s",
			rule.node.Value, oneOf(fits), article(kind), oneOf(others))
		return at, ""
	}
	return at, rule.node.Value
}

// newPlan makes the plan. In parallel mode each node at which branches can meet waits for all of them: which these are
// is found by the plan's own analysis. A node that waits is one at which branches end, so that others may follow.
func (c *checked) newPlan() (*plan.Plan, error) {
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
			rules[p.name.text] = p.merge
		}
	}
	codec, err := value.Dynamic().WithRules(rules)
	if err != nil {
		c.report.add(c.spot, "%v", err) // the rules were checked where they are written
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

// pickAll are the targets of all choices that hold, each once; the end where none does.
func pickAll(choices []choice, s *scope) ([]string, error) {
	var all []string
	for _, c := range choices {
		yes := c.when == nil
		if !yes {
			var err error
			if yes, err = c.when.holds(s); err != nil {
				return nil, definite{fmt.Errorf("the edge to %q: %w", c.target, err)}
			}
		}
		if yes && !slices.Contains(all, c.target) {
			all = append(all, c.target)
		}
	}
	if all == nil {
		return []string{node.End}, nil
	}
	return all, nil
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
			b.add(kind, e.target.text, e.when.text)
		}
	}
	if kind == plan.Plain {
		return
	}
	if !whole {
		b.add(plan.Choice, node.End, "none")
	}
	pn.RouteMany = func(ctx node.Context, v any) ([]string, error) {
		bb, err := board(v)
		if err != nil {
			return nil, definite{err}
		}
		return pickAll(choices, newScope(bb, ctx.Cause()))
	}
}

// checkParallelEdges is checkEdges for parallel mode: after a success every edge that holds is taken, and after a failure
// the first one.
func (d *document) checkParallelEdges(n *step, g *wiring, r *report) {
	seen := make(map[string]bool) // target and condition
	caught := make(map[string]bool)
	for _, e := range g.edges[n] {
		when, to := strings.Join(strings.Fields(e.when.text), " "), e.target.text
		if n.kind == typeRouter && e.condition != onFailure {
			d.checkRouterEdge(n, e, r)
			continue
		}
		if e.condition != onFailure {
			if seen[to+"\x00"] || seen[to+"\x00"+when] {
				r.add(e.spot, "the edge changes nothing: one from %s to %s before it holds whenever this one does",
					quote(n.id.text), quote(to))
			}
			seen[to+"\x00"+when] = true
		}
		if e.condition == onSuccess {
			continue
		}
		if caught[""] || caught[when] {
			r.add(e.spot, "after a failure of %s the edge is never taken: then, in parallel mode too, only the first that "+
				"holds is; give them conditions (when) that differ, or make this one on_success", quote(n.id.text))
		}
		caught[when] = true
	}
}
