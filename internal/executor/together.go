package executor

import (
	"context"
	"time"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runtype"
)

// together holds outcomes of branches that wait to be stored in one append. The workers' lock guards it.
type together struct {
	onStored []func()  // what to do for each of them once it is stored
	since    time.Time // when the first of them came
}

// Outcomes wait for others only as long as others are about to come.
const (
	mostTogether    = 128
	longestTogether = time.Millisecond
)

// succeedTogether is succeed for a task whose outcome may wait for others.
func (x *Execution) succeedTogether(t *machine.Task, o machine.Outcome, v product) error {
	ref, which := uint64(0), x.refer(t)
	finish := which.do(func(m *machine.Machine, t *machine.Task) error {
		ref = m.Head() + 1
		return m.Finish(x.Now(), t, o)
	})
	return x.outcome(finish, func() {
		if !which.gone {
			x.keep(v, ref)
		}
	})
}

// outcome records how a task ended, and calls stored once that is stored. While other tasks of the run are ready to
// start, or have just returned, it leaves the append to the last of them: those do not depend on this outcome, so
// nothing is done on the strength of it (law J2).
func (x *Execution) outcome(in input, stored func()) error {
	x.add(in)
	if x.onStored = append(x.onStored, stored); len(x.onStored) == 1 {
		x.since = time.Now()
	}
	if x.outcomesDue() {
		return x.commit(x.ctx, nil)
	}
	return nil
}

// storesAtOnce reports whether an outcome has nothing to wait for.
func (x *Execution) storesAtOnce() bool {
	return len(x.onStored) == 0 && (x.Options.Sequential || x.rehearses || len(x.TakeUp.heldBack) > 0 || x.isQuiet())
}

// isQuiet reports whether no task is ready to start, and none has just returned.
func (x *Execution) isQuiet() bool { return x.queue.len() == 0 && x.workers.arriving.Load() == 0 }

// outcomesDue reports whether the outcomes that wait have to be stored now.
func (x *Execution) outcomesDue() bool {
	n := len(x.onStored)
	if n == 0 {
		return false
	}
	return x.isQuiet() || n >= mostTogether || time.Since(x.since) > longestTogether
}

// storeOutcomes stores the outcomes that wait. In a run that another writer has ended, they are none.
func (x *Execution) storeOutcomes() error {
	switch {
	case len(x.onStored) == 0:
		return nil
	case runtype.Status(x.Machine.Status()).Ended():
		x.forget()
		return nil
	}
	return x.commit(context.WithoutCancel(x.ctx), nil)
}

// afterStored is called once all inputs are stored.
func (x *Execution) afterStored() {
	for _, stored := range x.onStored {
		stored()
	}
	x.forget()
}

// forget drops inputs that are stored, or never will be.
func (x *Execution) forget() {
	clear(x.onStored)
	x.inputs, x.onStored = x.inputs[:0], x.onStored[:0]
}
