package history

import (
	"context"

	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/plan"
)

// History reads, copies, deletes and packs the journals of runs. It executes nothing.
type History struct {
	*runstate.Env
	Live      Live      // runs of this process
	Rehearsal Rehearsal // runs tasks without effects
}

// Live is the fleet of this process, as far as history needs it.
type Live interface {
	// Deserted reports whether this process neither executes a run nor is about to.
	Deserted(run string) bool
	// Forget drops everything known of a deleted run.
	Forget(run string)
	// Due sets a timer for an imported run, in microseconds.
	Due(at int64)
	// Notify notifies those who wait for a change of a run.
	Notify(run string)
	// PlanFor returns the plan of a run; nil for none.
	PlanFor(ctx context.Context, info runtype.RunInfo) (*plan.Plan, error)
}

// Rehearsal runs functions of tasks without effects.
type Rehearsal interface {
	// Covers checks that every pool that a plan names exists.
	Covers(run string, p *plan.Plan) error
	// Replays runs a task's function once against its recorded calls, and passes its questions to check. It
	// returns false if the function did not return in time. The error is ErrDiverged or ErrPlanChanged.
	Replays(ctx context.Context, s *runstate.State, t *machine.Task, check question.Check) (done bool, err error)
}
