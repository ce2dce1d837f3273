package dataflow

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/fermata-go/fermata/plan"
)

// As makes the graph a node of another one: its inputs and outputs are the node's. Its tasks are journaled under the node's
// name in the same run, and its questions bubble up with that path (law G6). See [RenameInput] and [RenameOutput].
func (g *Graph) As(name string, opts ...NodeOption) *NodeDef {
	d := define(name, g.inputs, g.outputs, nil)
	d.sub = g
	return d.with(opts)
}

// mapping is how a graph runs once for each item.
type mapping struct {
	over     []int // the inputs that are lists of items, by their places
	product  bool
	limit    int
	failures string // the value that failures are kept in, "" to fail
	child    *Graph
	in, out  *shape
}

// MapOption changes a [Graph.Map].
type MapOption func(*mapping)

// Product runs the graph for every combination of the items: the last list goes round fastest. Without it, lists are gone
// through side by side and must be of one length.
func Product() MapOption { return func(m *mapping) { m.product = true } }

// Limit lets at most n items be at work at once; 0, the default, does not limit.
func Limit(n int) MapOption { return func(m *mapping) { m.limit = n } }

// KeepFailures keeps failed items in their place, with zero values. The value called name, a []string, holds the error
// of each item, or "". Without it, a failed item fails the node.
func KeepFailures(name string) MapOption { return func(m *mapping) { m.failures = name } }

// Map turns the graph into a node that runs it once for each item of lists (law G5). The inputs named in over are read
// as lists, the others are the same for all items, and every output is a list in the order of the items. Each item's
// tasks are journaled by themselves, as "embed#1.3/call#1": they are tried again, wait for people and are resumed
// alone.
func (g *Graph) Map(name string, over []string, opts ...MapOption) *NodeDef {
	m := &mapping{child: g}
	for _, opt := range opts {
		opt(m)
	}
	var errs []error
	if len(over) == 0 {
		errs = append(errs, errors.New("it goes over no list; name the inputs that are lists"))
	}
	ports := slices.Clone(g.inputs.ports)
	for _, name := range over {
		i := g.inputs.find(name)
		if i < 0 {
			errs = append(errs, fmt.Errorf("it goes over %q, and the graph has no such input%s", name, hint(name, g.inputs.names())))
			continue
		}
		m.over = append(m.over, i)
		ports[i].typ, ports[i].optional = reflect.SliceOf(ports[i].typ), false
	}
	in := record(ports)
	var outs []port
	for _, p := range g.outputs.ports {
		outs = append(outs, port{name: p.name, typ: reflect.SliceOf(p.typ)})
	}
	switch {
	case m.failures == "":
	case slices.ContainsFunc(outs, func(p port) bool { return p.name == m.failures }):
		errs = append(errs, fmt.Errorf("it keeps failures as %q, which the graph writes itself", m.failures))
	default:
		outs = append(outs, port{name: m.failures, typ: reflect.TypeFor[[]string]()})
	}
	out := record(outs)
	m.in, m.out = &in, &out
	d := define(name, in, out, nil, errs...)
	d.sub, d.over = g, m
	return d
}

func (m *mapping) plan(*builder) *plan.Map {
	return &plan.Map{Limit: m.limit, Keep: m.failures != "", Split: m.split, Gather: m.gather}
}

// split makes the items.
func (m *mapping) split(in any) ([]any, error) {
	lists, n := make([]reflect.Value, len(m.over)), 1
	for k, i := range m.over {
		list, _ := get(in, m.in.ports[i])
		lists[k] = list
		switch {
		case m.product:
			n *= list.Len()
		case k == 0:
			n = list.Len()
		case list.Len() != n:
			return nil, fmt.Errorf("the lists differ in length: %q has %d items, %q has %d",
				m.in.ports[m.over[0]].name, n, m.in.ports[i].name, list.Len())
		}
	}
	items := make([]any, n)
	for at := range items {
		item := reflect.New(m.child.inputs.typ).Interface()
		for i, p := range m.in.ports {
			if slices.Contains(m.over, i) {
				continue
			}
			if v, ok := get(in, p); ok {
				put(item, m.child.inputs.ports[i], v)
			}
		}
		rest := at
		for k, i := range slices.Backward(m.over) {
			which := at
			if m.product {
				which, rest = rest%lists[k].Len(), rest/lists[k].Len()
			}
			put(item, m.child.inputs.ports[i], lists[k].Index(which))
		}
		items[at] = item
	}
	return items, nil
}

// gather puts the results of the items together.
func (m *mapping) gather(_ any, results []plan.Item) (any, error) {
	out := reflect.New(m.out.typ).Interface()
	for i, p := range m.child.outputs.ports {
		list := reflect.MakeSlice(m.out.ports[i].typ, len(results), len(results))
		for k, r := range results {
			if r.Err != nil {
				continue
			}
			if v, ok := get(r.Value, p); ok {
				list.Index(k).Set(v)
			}
		}
		put(out, m.out.ports[i], list)
	}
	if m.failures != "" {
		failed := make([]string, len(results))
		for k, r := range results {
			if r.Err != nil {
				failed[k] = r.Err.Error()
			}
		}
		put(out, m.out.ports[len(m.out.ports)-1], reflect.ValueOf(failed))
	}
	return out, nil
}
