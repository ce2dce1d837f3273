package executor

import (
	"slices"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
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
	if h.run.Unstored {
		out, err = runstate.CanonicalOutput(flat, out, &h.known) // the gate may have changed it
	}
	return out, choice, err
}

// callSimple is call for a node that chooses at most one target. The gate gets the output as the next node will
// get it. In a run that is not stored, this is where the output becomes canonical.
func (h *host) callSimple(flat *plan.Flat, ctx node.Context, in any) (out any, choice string, err error) {
	defer guard.Recover(&err)
	out = in
	if flat.Run != nil {
		if out, err = flat.Run(ctx, in); err != nil && !isNoFailure(err) {
			return out, "", err
		}
		if flat.Undoes == "" && (h.run.Unstored || flat.Gate()) { // what an undo makes is nobody's
			if out, err = runstate.CanonicalOutput(flat, out, &h.known); err != nil {
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
		if h.run.Unstored {
			if out, err = runstate.CanonicalOutput(flat, out, &h.known); err != nil {
				return nil, "", err
			}
		}
	}
	return out, choice, nil
}

// isNoFailure reports whether an error is a nil *nodehost.Failure: the Cause of a task without a failure.
func isNoFailure(err error) bool {
	f, ok := err.(*nodehost.Failure) //nolint:errorlint // only the returned error itself, not one that wraps it
	return ok && f == nil
}

// routeMany calls a gate that chooses several targets (law F7).
func routeMany(flat *plan.Flat, ctx node.Context, value any) (several []string, err error) {
	defer guard.Recover(&err)
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
		names[i] = runtype.Display(t.Name)
	}
	hint := nearest.Hint(choice, names)
	switch choice {
	case "END", "STOP", "Stop", "stop", "end":
		hint = `; the end of a path is the constant END, and the end of the run Stop: a text of that name is a node's`
	}
	return &runtype.InvalidRouteError{Node: flat.Path, Target: runtype.Display(choice), Declared: names, Hint: hint}
}
