package fermata

import "context"

// This file keeps a run that is being begun or taken up from being taken up a second time.

// load has others wait who would take a run up, until loaded. Of a run that is driven it gives the drive, and note, where it is
// not nil, what it does to that; without note it does not matter whether one is driven.
func (rt *Runtime) load(ctx context.Context, id string, note func(*drive)) (driven *drive, err error) {
	for {
		rt.mu.Lock()
		if d := rt.drives[id]; d != nil && note != nil {
			note(d)
			rt.mu.Unlock()
			return d, nil
		}
		loading := rt.loading[id]
		if loading == nil {
			rt.loading[id] = make(chan struct{})
			rt.mu.Unlock()
			return nil, nil
		}
		rt.mu.Unlock()
		select {
		case <-loading: // an answer, a timer and a caller may take the run up at the same time
		case <-ctx.Done():
			return nil, &Error{Code: CodeStopped, Run: id, Err: ctx.Err()}
		}
	}
}

// loaded lets others take up the run that was being loaded.
func (rt *Runtime) loaded(id string) {
	rt.mu.Lock()
	close(rt.loading[id])
	delete(rt.loading, id)
	rt.mu.Unlock()
}

// isIdle reports whether a run is not driven here, nor about to be, nor waits for the store.
func (rt *Runtime) isIdle(run string) bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return rt.isIdleLocked(run)
}

func (rt *Runtime) isIdleLocked(run string) bool {
	return rt.drives[run] == nil && rt.loading[run] == nil && !rt.isRecovering(run)
}

// keepIdle keeps an idle run from being taken up here until loaded is called; false when it is not idle.
func (rt *Runtime) keepIdle(run string) bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	idle := rt.isIdleLocked(run)
	if idle {
		rt.loading[run] = make(chan struct{})
	}
	return idle
}
