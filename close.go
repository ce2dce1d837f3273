package fermata

import "runtime"

// Close stops driving, waits until all tasks have returned, and leaves every run resumable (law F3). A store that the
// runtime was given stays open. Called by a node of a run that it drives, it cannot wait for that node: it tells all tasks to
// stop, fails with ErrInside at once, and the runtime is closed once they have returned. A goroutine that a node has started
// and waits for must not call it. A second call waits as the first one does.
func (rt *Runtime) Close() error {
	rt.mu.Lock()
	if rt.closed {
		driving := len(rt.drives)+len(rt.loading) > 0
		rt.mu.Unlock()
		if driving && isInside() {
			return &Error{Code: CodeConflict, Err: ErrInside}
		}
		<-rt.done
		return nil
	}
	rt.closed = true
	for id := range rt.recovery.runs {
		rt.recovered(id)
	}
	driving := len(rt.drives)+len(rt.loading) > 0
	rt.mu.Unlock()
	rt.cancel()
	rt.room.Close()
	rt.alarm.stop()
	if driving && isInside() {
		go func() {
			if err := rt.closeWhenDone(); err != nil {
				rt.log.Error("the runtime that a node has closed", "error", err)
			}
		}()
		return &Error{Code: CodeConflict, Err: ErrInside}
	}
	return rt.closeWhenDone()
}

func (rt *Runtime) closeWhenDone() error {
	defer close(rt.done)
	rt.wg.Wait()
	rt.lease.close()
	rt.mu.Lock()
	for id := range rt.bells {
		rt.ringLocked(id)
	}
	rt.mu.Unlock()
	if rt.options.Store == nil {
		return rt.store.Close()
	}
	return nil
}

// isInside reports whether the caller is called by a drive: by a node, an observer, or another function of the program's.
func isInside() bool {
	callers := make([]uintptr, 1<<12)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		switch frame.Function {
		case here + "(*host).callSimple", here + "routeMany", here + "(*Runtime).carry", here + "(*crew).help", here + "(*alarm).ring",
			here + "beside", faultCall:
			return true
		}
		if !more {
			return false
		}
	}
}

// here is what the names of this package's functions begin with.
const here = "github.com/fermata-go/fermata."

// faultCall is the goroutine of fault.Call.
const faultCall = "github.com/fermata-go/fermata/internal/fault.Call.func1"
