package fermata

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// call runs a function and its gate, and turns a panic into an error (law N7).
func call(flat *plan.Flat, ctx node.Context, in any) (out any, choice chosen, err error) {
	if out, choice.one, err = callSimple(flat, ctx, in); err != nil || flat.RouteMany == nil {
		return out, choice, err
	}
	if choice.several, err = routeMany(flat, ctx, out); err != nil {
		return nil, chosen{}, err
	}
	return out, choice, nil
}

// callSimple is call for a node that chooses one target at most.
func callSimple(flat *plan.Flat, ctx node.Context, in any) (out any, choice string, err error) {
	defer panicked(&err)
	out = in
	if flat.Run != nil {
		if out, err = flat.Run(ctx, in); err != nil {
			return out, "", err
		}
	}
	if flat.Route != nil {
		if choice, err = flat.Route(ctx, out); err != nil {
			return nil, "", err
		}
		if _, ok := plan.Find(flat.Choices, choice); !ok {
			return nil, "", invalidRoute(flat, choice, flat.Choices)
		}
	}
	return out, choice, nil
}

// routeMany asks a gate that chooses several targets (law F7).
func routeMany(flat *plan.Flat, ctx node.Context, value any) (several []string, err error) {
	defer panicked(&err)
	if several, err = flat.RouteMany(ctx, value); err != nil {
		return nil, err
	}
	if len(several) == 0 {
		return nil, invalidRoute(flat, "", flat.Choices)
	}
	several = slices.Clone(several)
	slices.Sort(several)
	several = slices.Compact(several)
	for _, name := range several {
		if _, ok := plan.Find(flat.Choices, name); !ok {
			return nil, invalidRoute(flat, name, flat.Choices)
		}
	}
	return several, nil
}

// panicked turns a panic of the author's code into the error of the function that defers it (law N7).
func panicked(err *error) {
	if v := recover(); v != nil {
		*err = &node.PanicError{Value: v, Stack: debug.Stack()}
	}
}

func invalidRoute(flat *plan.Flat, choice string, declared []plan.Target) error {
	names := make([]string, len(declared))
	for i, t := range declared {
		names[i] = display(t.Name)
	}
	hint := nearest.Hint(choice, names)
	switch choice {
	case "END", "STOP", "Stop", "stop", "end":
		hint = `; the end of a path is the constant END, and the end of the run Stop: a text of that name is a node's`
	}
	return &InvalidRouteError{Node: flat.Path, Target: display(choice), Declared: names, Hint: hint}
}

// display shows a target to people.
func display(name string) string {
	switch name {
	case node.End:
		return "END"
	case node.Stop:
		return "Stop"
	}
	return name
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ")
}
