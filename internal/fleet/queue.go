package fleet

import (
	"errors"
	"slices"

	"github.com/fermata-go/fermata/internal/runtype"
)

// This file keeps runs in their queues (law J16).

var errNoQueue = errors.New(`WorkOptions.Queues: expected names, found an empty text; the queue of runs that name none is "default"`)

// serves reports whether this process continues runs of a queue by itself: those of its worker's queues and, without a
// worker, those of the default queue. A run that has come to rest here is continued in any case, as long as it is kept.
func (f *Fleet) serves(queue string) bool {
	f.mu.Lock()
	w := f.worker
	f.mu.Unlock()
	if w == nil {
		return queue == ""
	}
	return len(w.options.Queues) == 0 || slices.Contains(w.options.Queues, queue)
}

// offer tells the worker of this process, if there is one, of a run that was left to workers. Workers of other processes notice
// what is written.
func (f *Fleet) offer() {
	f.mu.Lock()
	w := f.worker
	f.mu.Unlock()
	w.notice()
}

// isLeft reports whether a run is left to other workers, or to a later time.
func (f *Fleet) isLeft(info *runtype.RunInfo) bool {
	return f.lease.store != nil && (!f.serves(info.Queue) || info.NotBefore > f.Now())
}

// waitsForWorker reports whether a run was queued, and no worker has taken it yet.
func (f *Fleet) waitsForWorker(info *runtype.RunInfo) bool {
	if f.lease.store == nil || info.Driver != "" || info.Status != string(runtype.Running) || !f.isIdle(info.ID) {
		return false
	}
	return info.NotBefore > f.Now() || info.Queue != "" && !f.serves(info.Queue)
}
