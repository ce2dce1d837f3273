package executor

import (
	"context"
	"time"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

// follow lets the observer follow the run.
func (x *Execution) follow() {
	o := x.Options.Observer
	if o == nil || x.follower != nil {
		return
	}
	run := x.Row
	if run.ID == "" { // of Evaluate
		run = runtype.RunInfo{ID: x.ID, Plan: x.Plan.Name(), Kind: x.Plan.Definition().Kind}
	}
	x.follower = storage.Follow(o, x.Log, run)
	x.Seen = x.recall
}

// recall shows the follower an entry that was stored before.
func (x *Execution) recall(e *journal.Entry) {
	if x.follower != nil {
		x.follower.Recall(e)
	}
}

// watched returns the time at which an append began, if its duration is logged or observed.
func (x *Execution) watched() (began time.Time) {
	if x.follower != nil {
		began = time.Now()
	}
	return began
}

// stored shows newly stored entries to the follower and the log. If nobody else has them, the memory of their values is used again.
func (x *Execution) stored(entries []journal.Entry, began time.Time, wanted bool) {
	if x.follower != nil && len(entries) > 0 {
		took := time.Duration(0)
		if !began.IsZero() {
			took = time.Since(began)
		}
		x.follower.Stored(entries, took)
	}
	storage.LogStored(x.Options.Logger, x.ID, x.Plan.Name(), entries)
	if wanted || x.follower != nil || x.Unstored {
		return
	}
	for i := range entries {
		x.Known.Reuse(entries[i].Value)
	}
}

// scope returns the context for a node's function.
func (x *Execution) scope(ctx context.Context, h *host) context.Context {
	if x.follower == nil {
		return ctx
	}
	pass := h.pass.Load()
	return x.follower.Context(ctx, runtype.Scope{Info: h.Info(), At: x.Storage.Clock.Now(), Replaying: func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.pass.Load() == pass && h.replaying()
	}})
}

var _ nodehost.StepHost = (*host)(nil)

// Within implements nodehost.StepHost.
func (h *host) Within(ctx context.Context, op nodehost.Op) context.Context {
	if h.run.follower == nil {
		return ctx
	}
	return h.run.follower.Context(ctx, runtype.Scope{
		Info: h.Info(), Op: op.ID, At: h.run.Storage.Clock.Now(), Replaying: func() bool { return false },
	})
}
