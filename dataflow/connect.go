package dataflow

import (
	"fmt"
	"reflect"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/plan"
)

// wire is a way that a value comes: from a node, or from the run.
type wire struct {
	from int
	link value.Link
}

// gatherer makes a record of values that others have written.
type gatherer struct {
	typ   reflect.Type
	proto any // the record that it begins with; nil for an empty one
	keeps plan.Codec
	wires [][]wire // by input
}

func (g *gatherer) gather(slots []plan.Slot) (any, error) {
	in, err := g.begin()
	if err != nil {
		return nil, err
	}
	for i := range slots {
		if i == len(g.wires) {
			break // the others say only that a node has run: see After
		}
		if slots[i].Value == nil {
			continue
		}
		wires := g.wires[i]
		for k := range wires {
			if wires[k].from != slots[i].From {
				continue
			}
			if _, err := wires[k].link.Copy(in, slots[i].Value); err != nil {
				return nil, err
			}
			break
		}
	}
	return in, nil
}

// begin is the record before anything is put into it.
func (g *gatherer) begin() (any, error) {
	if g.proto != nil {
		return g.keeps.Copy(g.proto)
	}
	return reflect.New(g.typ).Interface(), nil
}

// connect says of every node where its values come from.
func (b *builder) connect(def *plan.Definition, g *Graph) {
	writers := b.writers()
	b.given = make(map[string]int, len(g.inputs.ports))
	for i, p := range g.inputs.ports {
		b.given[p.name] = i
	}
	for v, d := range b.nodes {
		to := &gatherer{typ: d.in.typ, keeps: def.Nodes[v].Flow.Input, wires: b.wires(d.in, g, writers)}
		if to.typ == nil {
			to.typ = reflect.TypeFor[struct{}]()
		}
		if proto := b.proto(d); proto != nil { // a copy: what is bound stays the caller's
			var err error
			if to.proto, err = to.keeps.Copy(proto); err != nil {
				b.problem(Problem{Code: plan.BadPort, Node: d.Name(), Message: fmt.Sprintf("the bound value cannot be stored: %v", err)})
			}
		}
		def.Nodes[v].Flow.Gather = to.gather
	}
}

func (b *builder) wires(s shape, g *Graph, writers map[string][]int) [][]wire {
	wires, n := make([][]wire, len(s.ports)), 0
	for _, p := range s.ports {
		n += len(writers[p.name]) + 1
	}
	all := make([]wire, 0, n) // side by side, because they are used together
	for i, p := range s.ports {
		first := len(all)
		for _, w := range writers[p.name] {
			k := b.nodes[w].out.find(p.name)
			all = append(all, b.wire(w, p, b.nodes[w].out.ports[k].place))
		}
		if k, ok := b.given[p.name]; ok {
			all = append(all, b.wire(plan.FromRun, p, g.inputs.ports[k].place))
		}
		wires[i] = all[first:len(all):len(all)]
	}
	return wires
}

func (b *builder) wire(from int, p port, src value.Place) wire {
	l, err := b.links.Link(p.typ, p.place, src)
	if err != nil {
		b.problem(Problem{Code: plan.BadPort, Port: p.name, Message: err.Error()})
	}
	return wire{from, l}
}

// proto is the record that a node's input begins with: its defaults, and what is bound in their place.
func (b *builder) proto(d *NodeDef) any {
	proto := d.in.proto
	for _, p := range d.in.ports {
		bound, ok := b.bound[p.name]
		if !ok {
			continue
		}
		if proto == d.in.proto {
			made := reflect.New(d.in.typ)
			if proto != nil {
				made.Elem().Set(reflect.ValueOf(proto).Elem())
			}
			proto = made.Interface()
		}
		if v, err := fitting(bound, p.typ); err == nil { // else it is reported
			put(proto, p, v)
		}
	}
	return proto
}

// put puts a value into a record.
func put(record any, p port, v reflect.Value) {
	at := reflect.NewAt(p.fieldType(), value.At(record, p.place)).Elem()
	if p.place.Wrapped {
		at.Set(reflect.New(p.typ))
		at = at.Elem()
	}
	at.Set(v)
}

func (p port) fieldType() reflect.Type {
	if p.place.Wrapped {
		return reflect.PointerTo(p.typ)
	}
	return p.typ
}

// get takes a value out of a record; ok is false where there is none.
func get(record any, p port) (v reflect.Value, ok bool) {
	at := reflect.NewAt(p.fieldType(), value.At(record, p.place)).Elem()
	if p.place.Wrapped {
		if at.IsNil() {
			return at, false
		}
		at = at.Elem()
	}
	return at, true
}

// result says how the graph's outputs are put together.
func (b *builder) result(g *Graph) plan.Result {
	r := plan.Result{Output: b.codec(g.outputs, ""), Given: g.inputs.given}
	for _, p := range g.outputs.ports {
		r.Outputs = append(r.Outputs, plan.Port{Name: p.name, Type: p.typ.String(), Schema: b.schema(p.typ)})
	}
	made := &gatherer{typ: g.outputs.typ, keeps: r.Output, wires: b.wires(g.outputs, g, b.writers())}
	r.Gather = made.gather
	return r
}

// given are the names of the values that are in a record.
func (s *shape) given(record any) []string {
	var names []string
	for _, p := range s.ports {
		if _, ok := get(record, p); ok {
			names = append(names, p.name)
		}
	}
	return names
}

// fill makes a record of named values; a value that is missing stays so.
func (s *shape) fill(v Values) (any, error) {
	record := reflect.New(s.typ).Interface()
	for _, p := range s.ports {
		given, ok := v[p.name]
		if !ok {
			continue
		}
		rv, err := fitting(given, p.typ)
		if err != nil {
			return nil, &InputError{Input: p.name, Expected: p.typ.String(), Found: fmt.Sprintf("%T", given), Reason: err.Error()}
		}
		put(record, p, rv)
	}
	return record, nil
}

// open makes named values of a record.
func (s *shape) open(record any) Values {
	v := make(Values)
	for _, p := range s.ports {
		if rv, ok := get(record, p); ok {
			v[p.name] = rv.Interface()
		}
	}
	return v
}
