package fermata

import (
	"time"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
)

// KnownPlans is how many plans a runtime keeps.
func KnownPlans(rt *Runtime) int { return rt.fleet.KnownPlans() }

// Hurry has a runtime take up at once what a store took from it.
func Hurry(rt *Runtime) { rt.fleet.RecoverAfter(time.Millisecond) }

// WithProcessClock are options for a process that takes its time of day, and the time that has passed, from now.
func WithProcessClock(o Options, now func() (wall time.Time, passed time.Duration)) Options {
	return runtype.WithProcessClock(o, now)
}

// MachineLook is how long a runtime may take to notice that the machine's clock was set forward.
const MachineLook = storage.MachineLook

// Driving is how many runs a runtime drives, or is about to.
func Driving(rt *Runtime) int { return rt.fleet.Executing() }

// CheckpointAfter lets runs have checkpoints from so many entries on, and again after so many.
func CheckpointAfter(rt *Runtime, entries uint64) { rt.fleet.States().Long = entries }
