package dataflow

import (
	"fmt"
	"reflect"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Interrupt is a node that shows the value of input to a person and writes the answer as response. The run pauses until
// there is one (law H1); the answer is checked against R's schema before it is taken (law H2). Its name is what
// handlers, drawings and events know it by, whatever its values are called.
func Interrupt[P, R any](name, input, response string, opts ...node.AskOption) *NodeDef {
	out := single(response, reflect.TypeFor[R]())
	d := define(name, single(input, reflect.TypeFor[P]()), out, nil)
	d.node.Kind, d.waits, d.never = plan.Human, true, true
	d.run = func(ctx node.Context, v any) (any, error) {
		answer, err := node.Interrupt[R](ctx, *value.First[P](v), append([]node.AskOption{node.ID(name)}, opts...)...)
		return one(out, answer, err)
	}
	d.ask = func(handler any) (node.Func, error) {
		f, ok := handler.(func(node.Context, P) (R, error))
		if !ok {
			return nil, fmt.Errorf("its handler is a %T; expected %T", handler, f)
		}
		return func(ctx node.Context, v any) (any, error) {
			answer, err := node.Step(ctx, name, func(ctx node.Context) (R, error) { return f(ctx, *value.First[P](v)) })
			return one(out, answer, err)
		}, nil
	}
	return d
}

// Handle lets a function answer for people: the interrupt of that name does not pause. Its answer is recorded as a step
// (law J5).
func Handle[P, R any](name string, f func(ctx node.Context, prompt P) (R, error)) Option {
	return func(b *builder) {
		if b.handlers == nil {
			b.handlers = make(map[string]any)
		}
		b.handlers[name] = f
	}
}

// handle lets handlers answer.
func (b *builder) handle() {
	var asks []string
	for i, d := range b.nodes {
		if d.ask == nil {
			continue
		}
		asks = append(asks, d.Name())
		handler, ok := b.handlers[d.Name()]
		if !ok {
			continue
		}
		run, err := d.ask(handler)
		if err != nil {
			b.problem(Problem{Code: TypeMismatch, Node: d.Name(), Message: err.Error()})
			continue
		}
		c := *d
		c.run, c.waits = run, false
		b.nodes[i] = &c
	}
	for _, name := range keys(b.handlers) {
		known := false
		for _, a := range asks {
			known = known || a == name
		}
		if !known {
			b.problem(Problem{
				Code: plan.UnknownNode, Found: name, Nearest: near(name, asks),
				Message: fmt.Sprintf("there is a handler for %q, and no interrupt of that name%s", name, hint(name, asks)),
			})
		}
	}
}

// cutTask is the name of a task's node.
func cutTask(task string) (string, int) { return node.CutTask(task) }
