package dataflow

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

// Graph is a dataflow that has been checked. It is immutable and safe for concurrent use.
type Graph struct {
	plan    *plan.Plan
	parts   []Part
	name    string
	inputs  shape // of a run: each value may be missing
	outputs shape
	waits   []string // paths of the nodes that ask people, and that no handler answers for
}

// New makes a graph of nodes and options, in any order. Edges follow from the names of values (law D1). It reports
// every problem at once, as a [*ConfigError].
func New(name string, parts ...Part) (*Graph, error) {
	b := &builder{name: name, schemas: make(map[reflect.Type][]byte), codecs: make(map[reflect.Type]plan.Codec)}
	for _, p := range parts {
		if p == nil || reflect.ValueOf(p).IsNil() {
			b.problem(Problem{Code: plan.BadNode, Message: "one of the graph's parts is nil"})
			continue
		}
		p.addTo(b)
	}
	g, err := b.build()
	if err != nil {
		return nil, err
	}
	g.parts, g.name = slices.Clone(parts), name
	return g, nil
}

// Must is for graphs that are known to be right: it panics on an error.
func Must(g *Graph, err error) *Graph {
	if err != nil {
		panic(err)
	}
	return g
}

// With makes another graph of the same parts and further ones. Of options of one kind the last counts; those of Bind add up.
func (g *Graph) With(parts ...Part) (*Graph, error) {
	return New(g.name, append(slices.Clip(slices.Clone(g.parts)), parts...)...)
}

// Bind is With(Bind(v)).
func (g *Graph) Bind(v Values) (*Graph, error) { return g.With(Bind(v)) }

// Select is With(Select(outputs...)).
func (g *Graph) Select(outputs ...string) (*Graph, error) { return g.With(Select(outputs...)) }

// Entry is With(Entry(nodes...)).
func (g *Graph) Entry(nodes ...string) (*Graph, error) { return g.With(Entry(nodes...)) }

// Plan is what the engine runs; it can draw itself.
func (g *Graph) Plan() *plan.Plan { return g.plan }

// Description says what a graph needs and brings.
type Description struct {
	Name    string
	Inputs  []Value // of a run; those that are not Optional must be given
	Outputs []Value
	Nodes   []string // in declared order
	Loops   []plan.Loop
}

// Describe says what the graph needs and brings, and where its loops begin.
func (g *Graph) Describe() Description {
	d := Description{Name: g.name, Inputs: values(g.inputs.ports), Outputs: values(g.outputs.ports), Loops: g.plan.Loops()}
	def := g.plan.Definition()
	for i := range def.Nodes {
		d.Nodes = append(d.Nodes, def.Nodes[i].Name)
	}
	return d
}

// builder collects the parts of a graph.
type builder struct {
	name  string
	nodes []*NodeDef
	settings

	schemas  map[reflect.Type][]byte
	codecs   map[reflect.Type]plan.Codec
	links    value.Links
	given    map[string]int // the inputs of a run, by their places
	problems []Problem
	waits    []string
}

// settings are what options say of the whole graph.
type settings struct {
	version   string
	limits    plan.Limits
	bound     Values
	selected  []string
	entry     []string
	local     []string
	cacheAll  string
	defaults  []NodeOption
	immutable bool
	failFast  bool
	atOnce    int
	handlers  map[string]any // of questions, see Handle
	onError   []errorEdge
}

func (b *builder) problem(p Problem) { b.problems = append(b.problems, p) }

func (b *builder) build() (*Graph, error) {
	for _, d := range b.nodes {
		for _, err := range d.errs {
			b.problem(Problem{Code: plan.BadNode, Node: d.Name(), Message: err.Error()})
		}
	}
	b.checkOrder()
	b.checkHandlers()
	b.links.Share = b.immutable
	b.handle()
	b.types()
	b.prune()
	def := plan.Definition{
		Name: b.name, Version: b.version, Kind: plan.KindDataflow, Limits: b.limits, FailFast: b.failFast, Entry: b.entry,
		Concurrency: b.atOnce,
	}
	for _, d := range b.nodes {
		def.Nodes = append(def.Nodes, b.node(d))
		for i, to := range d.targets {
			e := plan.Edge{From: d.Name(), To: to, Kind: plan.Choice}
			if i < len(d.labels) {
				e.Label = d.labels[i]
			}
			def.Edges = append(def.Edges, e)
		}
	}
	for _, e := range b.onError {
		def.Edges = append(def.Edges, plan.Edge{From: e.from, To: e.to, Kind: plan.Failure})
	}
	b.checkBound()
	flow, err := plan.Wire(def)
	if err != nil {
		b.fromPlan(err)
	}
	if len(b.problems) == 0 {
		flow = b.keepInside(flow)
	}
	if len(b.problems) > 0 {
		return nil, b.fault()
	}
	g := &Graph{inputs: b.inputs(flow), outputs: b.outputs(), waits: b.waits}
	b.connect(&def, g)
	def.Dataflow = flow.WithResult(b.result(g))
	def.State = b.codec(g.inputs, "")
	def.Input, def.Output = b.schema(g.inputs.typ), b.schema(g.outputs.typ)
	if len(b.problems) > 0 {
		return nil, b.fault()
	}
	if g.plan, err = plan.New(def); err != nil {
		b.fromPlan(err)
		return nil, b.fault()
	}
	return g, nil
}

// node makes a plan's node of a definition. Where its input comes from is connected later.
func (b *builder) node(d *NodeDef) plan.Node {
	n, never := b.governed(d)
	n.Route, n.RouteMany = d.route, d.many
	if n.Run = d.run; d.route != nil || d.many != nil {
		n.Run = nil
	}
	n.Flow = &plan.Flow{}
	for _, p := range d.in.ports {
		_, bound := b.bound[p.name]
		n.Flow.Inputs = append(n.Flow.Inputs, plan.Port{
			Name: p.name, Type: p.typ.String(), Schema: b.schema(p.typ), Optional: p.optional || bound,
		})
	}
	for _, p := range d.out.ports {
		n.Flow.Outputs = append(n.Flow.Outputs, plan.Port{Name: p.name, Type: p.typ.String(), Schema: b.schema(p.typ)})
	}
	b.order(d, n.Flow)
	if d.in.typ != nil {
		n.Flow.Input = b.codec(d.in, d.Name())
	}
	if d.out.typ != nil {
		n.Flow.Output = b.codec(d.out, d.Name())
	}
	if b.cacheAll != "" && n.Cache == nil && !never && d.sub == nil {
		n.Cache = &plan.Cache{Version: b.cacheAll}
	}
	if d.sub != nil {
		n.Sub, n.Kind, n.Run = d.sub.plan, plan.Sub, nil
		for _, path := range d.sub.waits {
			b.waits = append(b.waits, d.Name()+"/"+path)
		}
		if d.over != nil {
			n.Map = d.over.plan(b)
		}
	}
	if d.waits {
		b.waits = append(b.waits, d.Name())
	}
	return n
}

func (b *builder) schema(t reflect.Type) []byte {
	doc, ok := b.schemas[t]
	if !ok {
		if s, err := schema.Of(t); err == nil {
			doc = s.JSON()
		}
		b.schemas[t] = doc
	}
	return doc
}

func (b *builder) codec(s shape, of string) plan.Codec {
	if made, ok := b.codecs[s.typ]; ok {
		return made
	}
	take := value.OfStruct
	if s.record {
		take = value.OfRecord
	}
	made, err := take(s.typ)
	if err != nil {
		b.problem(Problem{Code: plan.BadPort, Node: of, Message: err.Error()})
		return nil
	}
	if b.immutable {
		made = made.Sharing()
	}
	b.codecs[s.typ] = made
	return made
}

// types checks that all who read and write a value mean the same type by it.
func (b *builder) types() {
	type use struct {
		typ reflect.Type
		by  string
	}
	known := make(map[string]use)
	check := func(d *NodeDef, p port, verb string) {
		u, ok := known[p.name]
		switch {
		case !ok:
			known[p.name] = use{p.typ, fmt.Sprintf("node %q %ss", d.Name(), verb)}
		case u.typ != p.typ:
			b.problem(Problem{
				Code: TypeMismatch, Node: d.Name(), Port: p.name, Expected: u.typ.String(), Found: p.typ.String(),
				Message: fmt.Sprintf("it %ss %q as %s, and %s it as %s", verb, p.name, p.typ, u.by, u.typ),
			})
		}
	}
	for _, d := range b.nodes {
		for _, p := range d.out.ports {
			check(d, p, "write")
		}
	}
	for _, d := range b.nodes {
		for _, p := range d.in.ports {
			check(d, p, "read")
		}
	}
	for name, v := range b.bound {
		u, ok := known[name]
		if !ok {
			b.problem(Problem{
				Code: plan.BadPort, Port: name, Found: name, Nearest: near(name, keys(known)),
				Message: fmt.Sprintf("a value is bound to %q, and no node reads it%s", name, hint(name, keys(known))),
			})
			continue
		}
		if _, err := fitting(v, u.typ); err != nil {
			b.problem(Problem{
				Code: TypeMismatch, Port: name, Expected: u.typ.String(), Found: fmt.Sprintf("%T", v),
				Message: fmt.Sprintf("the value bound to %q is a %T; %s it as %s", name, v, u.by, u.typ),
			})
		}
	}
}

// checkBound reports bound values that a node writes.
func (b *builder) checkBound() {
	for _, d := range b.nodes {
		for _, p := range d.out.ports {
			if _, bound := b.bound[p.name]; bound && d.in.find(p.name) < 0 {
				b.problem(Problem{
					Code: plan.BadPort, Node: d.Name(), Port: p.name,
					Message: fmt.Sprintf("a value is bound to %q, which the node writes; bind what nobody writes", p.name),
				})
			}
		}
	}
}

// writers are the nodes that write each value.
func (b *builder) writers() map[string][]int {
	all := make(map[string][]int)
	for i, d := range b.nodes {
		for _, p := range d.out.ports {
			all[p.name] = append(all[p.name], i)
		}
	}
	return all
}

// inputs is the record of what a run is given.
func (b *builder) inputs(flow *plan.Dataflow) shape {
	types := make(map[string]reflect.Type)
	for _, d := range b.nodes {
		for _, p := range d.in.ports {
			types[p.name] = p.typ
		}
	}
	var ports []port
	for _, in := range flow.Inputs {
		ports = append(ports, port{name: in.Name, typ: types[in.Name], optional: in.Optional})
	}
	return record(ports)
}

// outputs is the record of what a run brings.
func (b *builder) outputs() shape {
	var ports []port
	types := make(map[string]reflect.Type)
	for _, d := range b.nodes {
		for _, p := range d.out.ports {
			if types[p.name] == nil && !slices.Contains(b.local, p.name) {
				types[p.name] = p.typ
				ports = append(ports, port{name: p.name, typ: p.typ})
			}
		}
	}
	if b.selected != nil {
		ports = nil
		for _, name := range b.selected {
			ports = append(ports, port{name: name, typ: types[name]})
		}
	}
	return record(ports)
}
