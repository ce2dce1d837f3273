package recipe

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// forEach says that a node calls its agent once for each element of a list (law G5).
type forEach struct {
	document.Spot
	in    expression.Path // the list; of an object, its entries
	as    string          // what the element is called
	index string          // what its number is called, from 0; "" for nothing
	limit int             // how many may be at work at once; 0 does not limit
	keep  bool            // a failed element leaves null in its place, and does not fail the node
}

// The keys of for_each, and what an element is called where it is not said.
var forEachKeys = []string{"in", "as", "index", "limit", "on_error"}

const defaultItem = "item"

// What outputs_map of a node with for_each is over.
const (
	eachResults = "results"
	eachErrors  = "errors"
)

// readForEach reads the key for_each: a path, or a mapping; nil where it is not there.
func readForEach(o *document.Object) *forEach {
	const key = "for_each"
	if !o.Has(key) {
		return nil
	}
	e := &forEach{Spot: o.At(key), as: defaultItem}
	in := document.Word{Spot: e.Spot, Text: e.Node.Value}
	if e.Node.Kind != yaml.ScalarNode {
		m := document.NewObject(e.Spot, o.Report, forEachKeys)
		in = m.NeedText("in", "the path of a list")
		e.as, e.index = elementName(m, "as", defaultItem), elementName(m, "index", "")
		if e.as == e.index {
			o.Report.Add(m.At("index"), "the element is called %s already; its number needs another name", document.Quote(e.as))
		}
		e.limit = m.Number("limit", 1, 0)
		e.keep = m.Choice("on_error", "fail", "keep") == "keep"
	}
	if in.Text != "" {
		e.in, _ = pathAt(in, o.Report)
	}
	return e
}

func elementName(o *document.Object, key, name string) string {
	if !o.Has(key) {
		return name
	}
	w := o.NeedText(key, "a name")
	if fault := nameFault(w.Text); fault != "" && w.Text != "" {
		o.Report.Add(w.Spot, "the name %s %s", document.Quote(w.Text), fault)
	}
	return w.Text
}

// names are those that are known for an element: what comes before, the element and its number.
func (e *forEach) names(before expression.Names) expression.Names {
	before.Failure = expression.Absent // what the elements are given is computed before their tasks begin
	over, _, _ := e.in.On(before)
	before.Set(e.as, over.Element())
	if e.index != "" {
		before.Set(e.index, expression.Plain(expression.WholeKind))
	}
	return before
}

// eachStep is a node with for_each.
type eachStep struct {
	*forEach
	merge  *agentStep                                        // what becomes of the list of results
	reads  []string                                          // names that the agent reads, where it is not given all; nil where it is
	input  func(args map[string]any) (map[string]any, error) // what a nested recipe begins with; nil for others
	output func(item any) (any, error)                       // the result for one element
}

// compileEach makes a node that calls its agent once for each element: a map over a plan of one node, or over the plan of a
// nested recipe.
func (c *checked) compileEach(pn *plan.Node, n *step, a *agent, state ports) {
	s := &eachStep{forEach: n.each, merge: n.calling(a, state)}
	pn.Kind, pn.Map = plan.Sub, &plan.Map{Split: s.split, Gather: s.gather, Limit: n.each.limit, Keep: n.each.keep}
	if to := a.callee(); to != nil && !c.stage.replaces(a) {
		pn.Sub = to.plan
		s.input, s.output = to.input, to.output
		if !to.doc.inputsOpen {
			s.reads = namesOf(to.doc.inputs)
		}
		return
	}
	if w, shows := can[reading](a); shows {
		s.reads = w.reads()
	}
	if s.reads != nil && len(n.poolKey.Segments) > 0 {
		s.reads = append(slices.Clip(s.reads), n.poolKey.Segments[0])
	}
	item := &itemStep{c.checkedCall(a, n, pn.Timeout)}
	s.output = item.output
	inner := plan.Node{Name: n.id.Text, Kind: plan.Task, Retry: pn.Retry, Timeout: pn.Timeout, Idle: pn.Idle, Run: item.run, Pool: pn.Pool, PoolKey: pn.PoolKey}
	pn.Retry, pn.Timeout, pn.Idle, pn.Pool, pn.PoolKey = plan.Retry{}, 0, 0, "", nil
	sub, err := plan.New(plan.Definition{
		Name: n.id.Text, Kind: planKind, Entry: []string{n.id.Text}, Nodes: []plan.Node{inner}, State: value.Dynamic().Sharing(),
	})
	if err != nil {
		c.report.Add(n.Spot, "%v", err)
		return
	}
	pn.Sub = sub
}

// itemStep calls an agent for one element.
type itemStep struct{ checkedCall }

// itemOutput is where the value of an element holds what its agent gave.
const itemOutput = "output"

func (s *itemStep) run(ctx node.Context, in any) (any, error) {
	args, err := board(in)
	if err != nil {
		return nil, definite{err}
	}
	out, err := s.make(ctx, args)
	if err != nil {
		return nil, err
	}
	return map[string]any{itemOutput: out}, nil
}

func (s *itemStep) output(item any) (any, error) {
	bb, err := board(item)
	return bb[itemOutput], err
}

// split gives the arguments of each element.
func (s *eachStep) split(v any) ([]any, error) {
	bb, err := board(v)
	if err != nil {
		return nil, definite{err}
	}
	elements, err := s.elements(bb)
	if err != nil {
		return nil, definite{fmt.Errorf("for_each: %w", err)}
	}
	all := make([]any, len(elements))
	for i, element := range elements {
		args, err := s.arguments(bb, i, element)
		if err == nil && s.input != nil {
			args, err = s.input(args)
		}
		if err != nil {
			return nil, definite{fmt.Errorf("for_each: element %d: %w", i, err)}
		}
		all[i] = args
	}
	return all, nil
}

// elements are those of the list, or the entries of the object, by name.
func (s *eachStep) elements(bb map[string]any) ([]any, error) {
	v, ok, err := s.in.In(bb)
	if err != nil || !ok {
		return nil, err
	}
	switch v := v.(type) {
	case []any:
		return v, nil
	case map[string]any:
		all := make([]any, 0, len(v))
		for _, key := range expression.Keys(v) {
			all = append(all, map[string]any{"key": key, "value": v[key]})
		}
		return all, nil
	}
	if v == nil && s.in.Optional {
		return nil, nil
	}
	return nil, fmt.Errorf("path %q: expected a list or an object, found %s", s.in.Text, expression.Describe(v))
}

// arguments are what inputs_map names, of the blackboard and the element; else the blackboard and the element.
func (s *eachStep) arguments(bb map[string]any, i int, element any) (map[string]any, error) {
	all := make(map[string]any, len(bb)+2)
	maps.Copy(all, bb)
	all[s.as] = expression.Clone(element)
	if s.index != "" {
		all[s.index] = json.Number(strconv.Itoa(i))
	}
	if !s.merge.whole {
		return bind(s.merge.inputs, all, nil)
	}
	if s.reads != nil {
		maps.DeleteFunc(all, func(name string, _ any) bool { return !slices.Contains(s.reads, name) })
	}
	return all, nil
}

// gather puts what came of the elements on the blackboard.
func (s *eachStep) gather(v any, items []plan.Item) (any, error) {
	bb, err := board(v)
	if err != nil {
		return nil, definite{err}
	}
	results, faults := make([]any, len(items)), []any{}
	for i, item := range items {
		if item.Err != nil {
			faults = append(faults, map[string]any{"index": json.Number(strconv.Itoa(i)), "message": item.Err.Error()})
			continue
		}
		if results[i], err = s.output(item.Value); err != nil {
			return nil, definite{fmt.Errorf("for_each: element %d: %w", i, err)}
		}
	}
	made := map[string]any{s.merge.id: results}
	if s.merge.outputs != nil {
		if made, err = s.merge.merge(map[string]any{eachResults: results, eachErrors: faults}); err != nil {
			return nil, definite{err}
		}
	}
	return write(bb, made, s.merge.state)
}
