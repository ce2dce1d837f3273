package fermata

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// call runs a function and its gate, and turns a panic into an error (law N7).
func (h *host) call(flat *plan.Flat, ctx node.Context, in any) (out any, choice chosen, err error) {
	if out, choice.one, err = h.callSimple(flat, ctx, in); err != nil || flat.RouteMany == nil {
		return out, choice, err
	}
	if choice.several, err = routeMany(flat, ctx, out); err != nil {
		return nil, chosen{}, err
	}
	if h.d.none {
		out, err = settleOutput(flat, out, &h.known) // the gate may have changed something in it
	}
	return out, choice, err
}

// callSimple is call for a node that chooses one target at most. The gate is given what the function returned as the next
// node will be given it. Where nothing is stored, nobody else settles that.
func (h *host) callSimple(flat *plan.Flat, ctx node.Context, in any) (out any, choice string, err error) {
	defer panicked(&err)
	out = in
	if flat.Run != nil {
		if out, err = flat.Run(ctx, in); err != nil && !isNoFailure(err) {
			return out, "", err
		}
		if h.d.none || flat.Gate() {
			if out, err = settleOutput(flat, out, &h.known); err != nil {
				return nil, "", err
			}
		}
	}
	if flat.Route != nil {
		if choice, err = flat.Route(ctx, out); err != nil {
			return nil, "", err
		}
		if _, ok := plan.Find(flat.Choices, choice); !ok {
			return nil, "", invalidRoute(flat, choice, flat.Choices)
		}
		if h.d.none {
			if out, err = settleOutput(flat, out, &h.known); err != nil {
				return nil, "", err
			}
		}
	}
	return out, choice, nil
}

// isNoFailure reports whether an error is the Cause of a task that no failure has led to: a nil *node.Failure.
func isNoFailure(err error) bool {
	f, ok := err.(*node.Failure) //nolint:errorlint // returned as it is, and nowhere within
	return ok && f == nil
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
