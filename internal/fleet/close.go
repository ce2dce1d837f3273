package fleet

import (
	"runtime"

	"github.com/fermata-go/fermata/internal/runtype"
)

// Close stops all executions and waits for their tasks; every run stays resumable (law F3). A store that was
// passed to New stays open. If a node of one of its runs calls Close, it cannot wait for that node: it asks all
// tasks to stop and fails with ErrInside at once; the runtime is closed once they have returned. A goroutine
// that a node waits for must not call it. A second call waits as the first one does.
func (f *Fleet) Close() error {
	f.mu.Lock()
	if f.closed {
		executing := len(f.executions)+len(f.loading) > 0
		f.mu.Unlock()
		if executing && isInside() {
			return &runtype.Error{Code: runtype.CodeConflict, Err: runtype.ErrInside}
		}
		<-f.done
		return nil
	}
	f.closed = true
	for id := range f.recovery.runs {
		f.recovered(id)
	}
	executing := len(f.executions)+len(f.loading) > 0
	f.mu.Unlock()
	f.cancel()
	f.env.Room.Close()
	f.feed.Close()
	f.timers.stop()
	if executing && isInside() {
		go func() {
			if err := f.closeWhenDone(); err != nil {
				f.Log.Error("closing the runtime from a node failed", "error", err)
			}
		}()
		return &runtype.Error{Code: runtype.CodeConflict, Err: runtype.ErrInside}
	}
	return f.closeWhenDone()
}

func (f *Fleet) closeWhenDone() error {
	defer close(f.done)
	f.wg.Wait()
	f.closePools()
	f.lease.close()
	f.mu.Lock()
	for id := range f.notifiers {
		f.notifyLocked(id)
	}
	f.mu.Unlock()
	if f.Options.Store == nil {
		return f.Store.Close()
	}
	return nil
}

// isInside reports whether an execution is among the callers: through a node, an observer, or another function
// of the program.
func isInside() bool {
	callers := make([]uintptr, 1<<12)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		switch frame.Function {
		case rooms + "executor.(*host).callSimple", rooms + "executor.routeMany", rooms + "executor.(*workers).help",
			rooms + "fleet.(*Fleet).carry", rooms + "fleet.(*timers).ring", rooms + "guard.beside", rooms + "fault.Call.func1":
			return true
		}
		if !more {
			return false
		}
	}
}

// rooms is the prefix of function names of this module's internal packages.
const rooms = "github.com/fermata-go/fermata/internal/"
