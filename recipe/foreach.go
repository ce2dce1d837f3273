package recipe

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// forEach says that a node calls its agent once for each element of a list (law G5).
type forEach struct {
	spot
	in    path   // the list; of an object, its entries
	as    string // what the element is called
	index string // what its number is called, from 0; "" for nothing
	limit int    // how many may be at work at once; 0 does not limit
	keep  bool   // a failed element leaves null in its place, and does not fail the node
}

// The keys of for_each, and what an element is called where it is not said.
var forEachKeys = []string{"in", "as", "index", "limit", "on_error"}

const defaultItem = "item"

// What outputs_map of a node with for_each is over.
const (
	eachResults = "results"
	eachErrors  = "errors"
)

// forEach reads the key for_each: a path, or a mapping; nil where it is not there.
func (o *object) forEach() *forEach {
	const key = "for_each"
	if !o.has(key) {
		return nil
	}
	e := &forEach{spot: o.at(key), as: defaultItem}
	in := word{spot: e.spot, text: e.node.Value}
	if e.node.Kind != yaml.ScalarNode {
		m := newObject(e.spot, o.report, forEachKeys)
		in = m.needText("in", "the path of a list")
		e.as, e.index = m.elementName("as", defaultItem), m.elementName("index", "")
		if e.as == e.index {
			o.report.add(m.at("index"), "the element is called %s already; its number needs another name", quote(e.as))
		}
		e.limit = m.number("limit", 1, 0)
		e.keep = m.choice("on_error", "fail", "keep") == "keep"
	}
	if in.text == "" {
		return e
	}
	var err error
	if e.in, err = parsePath(in.text); err != nil {
		o.report.add(in.spot, "%v", err)
	}
	return e
}

func (o *object) elementName(key, name string) string {
	if !o.has(key) {
		return name
	}
	w := o.needText(key, "a name")
	if fault := nameFault(w.text); fault != "" && w.text != "" {
		o.report.add(w.spot, "the name %s %s", quote(w.text), fault)
	}
	return w.text
}

// names are those that are known for an element: what comes before, the element and its number.
func (e *forEach) names(before names) names {
	before.failure = absent // what the elements are given is computed before their tasks begin
	over, _, _ := e.in.on(before)
	before.set(e.as, over.element())
	if e.index != "" {
		before.set(e.index, plain(wholeKind))
	}
	return before
}

// eachStep is a node with for_each.
type eachStep struct {
	*forEach
	merge  agentStep
	reads  map[string]bool // names that the agent reads, where it is not given all; nil where it is
	input  func(args map[string]any) (map[string]any, error)
	output func(item any) (any, error)
}

// compileEach makes a node that calls its agent once for each element: a map over a plan of one node, or over the plan of a
// nested recipe.
func (c *checked) compileEach(pn *plan.Node, n *step, a *agent, state ports) {
	s := &eachStep{
		forEach: n.each,
		merge:   agentStep{name: a.name, inputs: n.inputs, whole: n.wholeBoard, outputs: n.outputs, id: n.id.text, state: state},
	}
	pn.Kind, pn.Map = plan.Sub, &plan.Map{Split: s.split, Gather: s.gather, Limit: n.each.limit, Keep: n.each.keep}
	if a.kind == kindRecipe && !c.stage.replaces(a) {
		pn.Sub = a.nested.plan
		s.input, s.output = a.nested.input, a.nested.output
		if !a.nested.doc.inputsOpen {
			s.reads = make(map[string]bool)
			for _, p := range a.nested.doc.inputs {
				s.reads[p.name.text] = true
			}
		}
		return
	}
	if a.kind == kindExpr {
		s.reads = make(map[string]bool)
		for _, set := range a.set {
			for _, use := range set.code.uses() {
				s.reads[use.name] = true
			}
		}
	}
	item := &itemStep{name: a.name, call: c.stage.caller(a, pn.Timeout, c.callerOf(a, n)), args: a.input, shape: a.output}
	s.output = item.output
	inner := plan.Node{Name: n.id.text, Kind: plan.Task, Retry: pn.Retry, Timeout: pn.Timeout, Run: item.run}
	pn.Retry, pn.Timeout = plan.Retry{}, 0
	sub, err := plan.New(plan.Definition{
		Name: n.id.text, Kind: planKind, Entry: []string{n.id.text}, Nodes: []plan.Node{inner}, State: value.Dynamic(),
	})
	if err != nil {
		c.report.add(n.spot, "%v", err)
		return
	}
	pn.Sub = sub
}

// uses are the names that an expression reads; none where it was wrong.
func (e *expression) uses() []nameUse {
	if e == nil {
		return nil
	}
	return e.names
}

// itemStep calls an agent for one element.
type itemStep struct {
	name  string
	call  caller
	args  *shape // of the arguments
	shape *shape // of the output
}

// itemOutput is where the value of an element holds what its agent gave.
const itemOutput = "output"

func (s *itemStep) run(ctx node.Context, in any) (any, error) {
	args, err := board(in)
	if err != nil {
		return nil, definite{err}
	}
	if err := s.args.check(args); err != nil {
		return nil, definite{fmt.Errorf("agent %q: its arguments do not fit its input: %w", s.name, err)}
	}
	out, err := s.call(ctx, args)
	if err != nil {
		return nil, err
	}
	if err := s.shape.check(out); err != nil {
		return nil, fmt.Errorf("agent %q: its output does not fit its schema: %w", s.name, err)
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
	v, ok, err := s.in.in(bb)
	if err != nil || !ok {
		return nil, err
	}
	switch v := v.(type) {
	case []any:
		return v, nil
	case map[string]any:
		all := make([]any, 0, len(v))
		for _, key := range keysOf(v) {
			all = append(all, map[string]any{"key": key, "value": v[key]})
		}
		return all, nil
	}
	if v == nil && s.in.optional {
		return nil, nil
	}
	return nil, fmt.Errorf("path %q: expected a list or an object, found %s", s.in.text, typeOf(v))
}

// arguments are what inputs_map names, of the blackboard and the element; else the blackboard and the element.
func (s *eachStep) arguments(bb map[string]any, i int, element any) (map[string]any, error) {
	all := make(map[string]any, len(bb)+2)
	maps.Copy(all, bb)
	all[s.as] = clone(element)
	if s.index != "" {
		all[s.index] = json.Number(strconv.Itoa(i))
	}
	if !s.merge.whole {
		args, err := bind(s.merge.inputs, all, nil)
		if err != nil {
			return nil, fmt.Errorf("inputs_map: %w", err)
		}
		return args, nil
	}
	if s.reads != nil {
		maps.DeleteFunc(all, func(name string, _ any) bool { return !s.reads[name] })
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
