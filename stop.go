package fermata

import (
	"fmt"
	"strings"
	"time"
)

// UnstoppedError says which tasks did not heed their context when driving was to stop. It is an ErrStopped.
type UnstoppedError struct {
	Tasks []string      // their ids, "review#2", in no order
	Grace time.Duration // how long they were waited for
}

func (e *UnstoppedError) Error() string {
	return fmt.Sprintf("still at work %s after they were told to stop: %s", e.Grace, strings.Join(e.Tasks, ", "))
}

// Is reports whether target is ErrStopped.
func (e *UnstoppedError) Is(target error) bool { return target == ErrStopped }

// Stop stops driving the run, which stays resumable (law F3): its tasks' contexts are done, and nothing new begins. Stop
// waits until the tasks that are at work have returned, for at most grace; 0 is for as long as they take.
//
// Go cannot end a function that does not heed its context. Where one is still at work after grace, Stop returns an
// [*UnstoppedError] with its task, and leaves it to itself. What it returns later without an error is kept where no other
// task was at work; else the task is run again by whoever resumes the run, and its recorded steps are not. Until it returns the run is this runtime's, so that nobody does the same a second time
// (law J10): Resume elsewhere fails with ErrDriven. Then the run is given back.
func (r *Run) Stop(grace time.Duration) error {
	r.rt.mu.Lock()
	d := r.rt.drives[r.id]
	if d != nil {
		d.told = true
		d.stop()
	}
	r.rt.mu.Unlock()
	if d == nil {
		r.rt.forsake(r.id)
		return nil
	}
	if grace <= 0 {
		<-d.done
		return nil
	}
	over := time.NewTimer(grace)
	defer over.Stop()
	for {
		select {
		case <-d.done:
			return nil
		case <-over.C:
		}
		if tasks, known := d.atWork(); known {
			return &Error{Code: CodeStopped, Run: r.id, Err: &UnstoppedError{Tasks: tasks, Grace: grace}}
		}
		over.Reset(10 * time.Millisecond) // something is being stored
	}
}

// atWork are the tasks whose functions are called now; not known while somebody changes that.
func (d *drive) atWork() (tasks []string, known bool) {
	if h := d.single.Load(); h != nil {
		return []string{h.Info().Task()}, true
	}
	if !d.crew.mu.TryLock() {
		return nil, false
	}
	defer d.crew.mu.Unlock()
	for h := range d.crew.out {
		tasks = append(tasks, h.Info().Task())
	}
	return tasks, len(tasks) > 0
}
