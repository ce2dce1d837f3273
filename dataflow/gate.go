package dataflow

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Route is a gate: it chooses one of its targets, which are names of nodes and [End]. Choosing anything else is an
// InvalidRouteError (law F7); choosing "" takes the [Fallback].
//
// The choices may be of a type of their own, so that the compiler knows them:
//
//	type next string
//	const (
//		again next = "generate"
//		done  next = dataflow.End
//	)
//	gate := dataflow.Route("good_enough", func(ctx node.Context, in score) (next, error) { … }, again, done)
func Route[In any, D ~string](name string, f func(ctx node.Context, in In) (D, error), targets ...D) *NodeDef {
	in, err := shapeOf(reflect.TypeFor[In](), true)
	d := gate(name, in, targets, err, f == nil)
	d.route = func(ctx node.Context, v any) (string, error) {
		to, err := f(ctx, *value.As[In](v))
		return string(to), err
	}
	return d
}

// RouteMany is a gate that chooses one or several of its targets, which then run side by side.
func RouteMany[In any, D ~string](name string, f func(ctx node.Context, in In) ([]D, error), targets ...D) *NodeDef {
	in, err := shapeOf(reflect.TypeFor[In](), true)
	d := gate(name, in, targets, err, f == nil)
	d.many = func(ctx node.Context, v any) ([]string, error) {
		to, err := f(ctx, *value.As[In](v))
		names := make([]string, len(to))
		for i := range to {
			names[i] = string(to[i])
		}
		return names, err
	}
	return d
}

// Target is what a branch leads to: the name of a node, End, or the node itself.
type Target interface{ ~string | *NodeDef }

// Branch is a gate with one target for true and another one for false.
func Branch[In any, T, F Target](name string, f func(ctx node.Context, in In) (bool, error), whenTrue T, whenFalse F) *NodeDef {
	in, err := shapeOf(reflect.TypeFor[In](), true)
	yes, no := targetName(whenTrue), targetName(whenFalse)
	d := gate(name, in, []string{yes, no}, err, f == nil)
	d.labels = []string{"true", "false"}
	d.route = func(ctx node.Context, v any) (string, error) {
		is, err := f(ctx, *value.As[In](v))
		if is {
			return yes, err
		}
		return no, err
	}
	return d
}

func targetName(target any) string {
	if d, ok := target.(*NodeDef); ok {
		if d == nil {
			return ""
		}
		return d.Name()
	}
	return reflect.ValueOf(target).String()
}

func gate[D ~string](name string, in shape, targets []D, inErr error, none bool) *NodeDef {
	d := define(name, in, shape{}, nil, side("input", inErr), missing(none))
	d.node.Kind, d.never = plan.Router, true
	for _, t := range targets {
		switch {
		case string(t) == node.Stop:
			d.errs = append(d.errs, errors.New("a gate of a dataflow cannot stop the run; End ends a path"))
		case t == "":
			d.errs = append(d.errs, errors.New("one of its targets has no name"))
		case slices.Contains(d.targets, string(t)):
			d.errs = append(d.errs, fmt.Errorf("it names the target %q twice", t))
		}
		d.targets = append(d.targets, string(t))
	}
	if len(targets) == 0 {
		d.errs = append(d.errs, errors.New("it has no targets to choose from"))
	}
	return d
}
