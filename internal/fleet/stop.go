package fleet

import (
	"time"

	"github.com/fermata-go/fermata/internal/runtype"
)

// Stop stops executing the run, which stays resumable (law F3). The contexts of its tasks are done, and nothing
// new begins. Stop waits for running tasks, for at most grace; 0 is without limit.
//
// Go cannot end a function that ignores its context. If one still runs after grace, Stop returns an
// [*UnstoppedError] with its task and leaves it running. Its result is kept if no other task was running;
// otherwise the task runs again when the run is resumed, without its recorded steps. Until it returns, this
// process owns the run, so that no other repeats the task (law J10): Resume elsewhere fails with ErrDriven.
// Then the run is released.
func (r *Run) Stop(grace time.Duration) error {
	r.rt.mu.Lock()
	d := r.rt.executions[r.id]
	if d != nil {
		d.stopRequested = true
		d.Stop()
	}
	r.rt.mu.Unlock()
	if d == nil {
		r.rt.forsake(r.id)
		return nil
	}
	if grace <= 0 {
		<-d.Done
		return nil
	}
	over := time.NewTimer(grace)
	defer over.Stop()
	for {
		select {
		case <-d.Done:
			return nil
		case <-over.C:
		}
		if tasks, known := d.AtWork(); known {
			return &runtype.Error{Code: runtype.CodeStopped, Run: r.id, Err: &runtype.UnstoppedError{Tasks: tasks, Grace: grace}}
		}
		over.Reset(10 * time.Millisecond) // something is being stored
	}
}
