package executor

import (
	"context"

	"github.com/fermata-go/fermata/internal/machine"
)

// failFast stops the running tasks beside one that has failed for good: those of the run, or of a subgraph (law F2).
// They are abandoned, as if they had not begun.
func (x *Execution) failFast(work *machine.Work) {
	x.endWork()
	if work.Doomed && x.Plan.Definition().FailFast {
		x.workers.cancel()
	}
	for h := range x.workers.out {
		if h.endWithin == nil {
			continue
		}
		if t := h.task.in(x.Machine); t != nil && x.Machine.FailedFast(t) {
			h.endWithin()
		}
	}
}

// inSubgraph gives a task in a subgraph that fails fast a context of its own.
func (h *host) inSubgraph(ctx context.Context) context.Context {
	h.within, h.endWithin = context.WithCancel(ctx)
	return h.within
}

// release ends that context.
func (h *host) release() {
	h.endWithin()
	h.within, h.endWithin = nil, nil
}
