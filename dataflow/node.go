package dataflow

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// End is the target of a gate that ends the path. It is not the string "END", which a node may have as its name (law F6).
const End = node.End

// END ends the path.
//
// Deprecated: use End.
const END = End

// NodeDef is the definition of a node: a value that any number of graphs may hold. It is immutable; its methods return
// others.
type NodeDef struct {
	node    plan.Node // name, kind, policies
	in, out shape
	run     node.Func // given a pointer to in.typ; returns one to out.typ
	route   node.RouteFunc
	many    node.RouteManyFunc
	targets []string
	labels  []string // of targets, for drawings
	waits   bool     // for a person, unless a handler answers
	ask     func(handler any) (node.Func, error)
	sub     *Graph
	over    *mapping
	never   bool // not to be cached by what the graph says of all nodes
	optioned
	errs []error
}

// optioned is what options say beside a node's own fields.
type optioned struct {
	options []NodeOption // all of them, in order
	after   []string     // nodes that it follows without reading what they write
}

// Part is what a graph is made of: nodes and options.
type Part interface{ addTo(b *builder) }

func (d *NodeDef) addTo(b *builder) { b.nodes = append(b.nodes, d) }

// Name is the node's name.
func (d *NodeDef) Name() string { return d.node.Name }

// Inputs are the values that the node reads.
func (d *NodeDef) Inputs() []Value { return values(d.in.ports) }

// Outputs are the values that the node writes.
func (d *NodeDef) Outputs() []Value { return values(d.out.ports) }

// Targets are the names that a gate chooses from, without End; nil for other nodes.
func (d *NodeDef) Targets() []string {
	var names []string
	for _, t := range d.targets {
		if t != End {
			names = append(names, t)
		}
	}
	return names
}

// CacheVersion is the version under which the node's outcomes are kept, "" where they are not. See [Cache].
func (d *NodeDef) CacheVersion() string {
	if d.node.Cache == nil {
		return ""
	}
	return d.node.Cache.Version
}

// Value describes a named value.
type Value struct {
	Name     string
	Type     reflect.Type
	Optional bool // of an input: there is a default, or the zero value does
}

func values(ports []port) []Value {
	list := make([]Value, len(ports))
	for i, p := range ports {
		list[i] = Value{p.name, p.typ, p.optional}
	}
	return list
}

func define(name string, in, out shape, opts []NodeOption, errs ...error) *NodeDef {
	d := &NodeDef{node: plan.Node{Name: name, Kind: plan.Task}, in: in, out: out}
	for _, err := range errs {
		if err != nil {
			d.errs = append(d.errs, err)
		}
	}
	for _, p := range append(slices.Clip(in.ports), out.ports...) {
		if fault := nameFault(p.name); fault != "" {
			d.errs = append(d.errs, fmt.Errorf("the name %q of a value %s", p.name, fault))
		}
	}
	return d.with(opts)
}

func (d *NodeDef) with(opts []NodeOption) *NodeDef {
	d.options = append(slices.Clip(d.options), opts...)
	for _, opt := range opts {
		opt(d)
	}
	return d
}

// With returns the definition with options.
func (d *NodeDef) With(opts ...NodeOption) *NodeDef {
	c := *d
	c.errs = slices.Clip(c.errs)
	return c.with(opts)
}

// Node is a node whose function takes and returns structs. Their fields are the values that it reads and writes. The
// function stays what it is: it can be called and tested by itself.
func Node[In, Out any](name string, f func(ctx node.Context, in In) (Out, error), opts ...NodeOption) *NodeDef {
	in, inErr := shapeOf(reflect.TypeFor[In](), true)
	out, outErr := shapeOf(reflect.TypeFor[Out](), false)
	d := define(name, in, out, opts, side("input", inErr), side("output", outErr), missing(f == nil))
	d.run = func(ctx node.Context, v any) (any, error) {
		result, err := f(ctx, *value.As[In](v))
		if err != nil {
			return nil, err
		}
		return value.Seen(&result, out.typ), nil
	}
	return d
}

// Func is a node that writes one value, named output.
func Func[In, T any](name, output string, f func(ctx node.Context, in In) (T, error), opts ...NodeOption) *NodeDef {
	in, inErr := shapeOf(reflect.TypeFor[In](), true)
	out := single(output, reflect.TypeFor[T]())
	d := define(name, in, out, opts, side("input", inErr), missing(f == nil))
	d.run = func(ctx node.Context, v any) (any, error) {
		result, err := f(ctx, *value.As[In](v))
		return one(out, result, err)
	}
	return d
}

// Unary is a node that reads one value and writes one.
func Unary[A, T any](name, input, output string, f func(ctx node.Context, in A) (T, error), opts ...NodeOption) *NodeDef {
	in, out := single(input, reflect.TypeFor[A]()), single(output, reflect.TypeFor[T]())
	d := define(name, in, out, opts, missing(f == nil))
	d.run = func(ctx node.Context, v any) (any, error) {
		result, err := f(ctx, *value.First[A](v))
		return one(out, result, err)
	}
	return d
}

// Plain makes a function that needs no context and cannot fail fit the constructors of this package.
func Plain[In, Out any](f func(In) Out) func(node.Context, In) (Out, error) {
	if f == nil {
		return nil
	}
	return func(_ node.Context, in In) (Out, error) { return f(in), nil }
}

// PlainErr is [Plain] for a function that may fail.
func PlainErr[In, Out any](f func(In) (Out, error)) func(node.Context, In) (Out, error) {
	if f == nil {
		return nil
	}
	return func(_ node.Context, in In) (Out, error) { return f(in) }
}

// boxed is a record of one value.
type boxed[T any] struct{ Value T }

// one makes the record of a single output.
func one[T any](out shape, result T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return value.Seen(&boxed[T]{result}, out.typ), nil
}

func side(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("its %s: %w", what, err)
}

func missing(is bool) error {
	if is {
		return fmt.Errorf("it has no function")
	}
	return nil
}
