package fleet

import (
	"context"

	"github.com/fermata-go/fermata/internal/runtype"
)

// This file keeps a run from being started or resumed twice at the same time.

// load reserves a run for starting or resuming, until loaded is called. If the run is executed, it returns that
// and calls note. With a nil note, executions are ignored.
func (f *Fleet) load(ctx context.Context, id string, note func(*owned)) (running *owned, err error) {
	for {
		f.mu.Lock()
		if d := f.executions[id]; d != nil && note != nil {
			note(d)
			f.mu.Unlock()
			return d, nil
		}
		loading, is := f.loading[id]
		if !is {
			f.loading[id] = nil
			f.mu.Unlock()
			return nil, nil
		}
		if loading == nil {
			loading = make(chan struct{})
			f.loading[id] = loading
		}
		f.mu.Unlock()
		select {
		case <-loading: // an answer, a timer and a caller may resume the run at the same time
		case <-ctx.Done():
			return nil, &runtype.Error{Code: runtype.CodeStopped, Run: id, Err: ctx.Err()}
		}
	}
}

// loaded ends the reservation of a run, and notifies those who wait for it: it may be executed elsewhere.
func (f *Fleet) loaded(id string) {
	f.mu.Lock()
	if waits := f.loading[id]; waits != nil {
		close(waits)
	}
	delete(f.loading, id)
	f.notifyLocked(id)
	f.mu.Unlock()
}

// isIdle reports whether a run is neither executed here, nor about to be, nor waits for the store.
func (f *Fleet) isIdle(run string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.isIdleLocked(run)
}

func (f *Fleet) isIdleLocked(run string) bool {
	return f.executions[run] == nil && !f.isLoading(run) && !f.isRecovering(run)
}

// isLoading reports whether a run is being started or resumed. The fleet's lock is held.
func (f *Fleet) isLoading(run string) bool {
	_, is := f.loading[run]
	return is
}

// keepIdle reserves an idle run until loaded is called; false if it is not idle.
func (f *Fleet) keepIdle(run string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	idle := f.isIdleLocked(run)
	if idle {
		f.loading[run] = nil
	}
	return idle
}
