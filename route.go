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
	defer func() {
		if v := recover(); v != nil {
			err = &node.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	out = in
	if flat.Run != nil {
		if out, err = flat.Run(ctx, in); err != nil {
			return out, chosen{}, err
		}
	}
	if flat.Gate() {
		if choice, err = route(flat, ctx, out); err != nil {
			return nil, chosen{}, err
		}
	}
	return out, choice, nil
}

// route asks a gate (law F7).
func route(flat *plan.Flat, ctx node.Context, value any) (choice chosen, err error) {
	if flat.Route != nil {
		if choice.one, err = flat.Route(ctx, value); err != nil {
			return choice, err
		}
		if _, ok := plan.Find(flat.Choices, choice.one); !ok {
			return choice, invalidRoute(flat, choice.one, flat.Choices)
		}
		return choice, nil
	}
	if choice.several, err = flat.RouteMany(ctx, value); err != nil {
		return choice, err
	}
	if len(choice.several) == 0 {
		return choice, invalidRoute(flat, "", flat.Choices)
	}
	choice.several = slices.Clone(choice.several)
	slices.Sort(choice.several)
	choice.several = slices.Compact(choice.several)
	for _, name := range choice.several {
		if _, ok := plan.Find(flat.Choices, name); !ok {
			return choice, invalidRoute(flat, name, flat.Choices)
		}
	}
	return choice, nil
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
