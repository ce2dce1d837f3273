package executor

import (
	"errors"

	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
)

// isHeld reports whether nothing may begin in the run (law J18).
func (x *Execution) isHeld() bool {
	_, since := x.Machine.Held()
	return since != 0
}

// breaksOf returns the breakpoints of a run that starts; nil for none (law J19).
func (x *Execution) breaksOf(o *runtype.StartOptions) (*runtype.Breaks, error) {
	if o.Breaks.Empty() {
		return nil, nil
	}
	if x.Unstored {
		return nil, errUnstoredBreaks
	}
	breaks := o.Breaks // not a part of the options, which would have to be kept with it
	return &breaks, runstate.CheckBreaks(x.Plan, &breaks)
}

var errUnstoredBreaks = errors.New("a run that is not stored has no breakpoints: nobody could release it; start it with another durability")
