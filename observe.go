package fermata

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// Observer makes traces and metrics of runs. It sees facts once they are stored, and never anything that is not:
// whatever it makes of each entry that it is given as stored, is made once, however often a run is taken up again
// (law N4). Package telemetry has one for OpenTelemetry.
type Observer interface {
	// Follow is called when this runtime starts a run or takes it up, and when it stores an answer, a claim or a
	// cancellation for a run, which somebody else may drive. Several followers of one run may be at work at the same
	// time, in this process and in others; no two of them are told of the same entry as stored.
	Follow(run RunInfo) Follower
}

// Follower follows one run on behalf of one writer. What it remembers is given up with the run: a run that waits
// leaves no follower behind, but for the few that the runtime keeps at hand (law N1).
//
// A panic of an observer or a follower, or that it ends its goroutine, is logged, and changes nothing for the run (law N7).
//
// The engine waits for Recall and Stored. They must be fast, must not call the runtime, and leave what is slow to
// goroutines of their own. A run that is not stored (None) has entries without a time.
type Follower interface {
	// Recall is given an entry that was stored before, by whomever, in order: what a process that takes a run up has
	// to know of it. Something may be made of what follows from it, and nothing of the entry itself. An entry may come
	// again, also one that was given to Stored.
	Recall(e *journal.Entry)
	// Stored is given the entries of one append after it has succeeded, and how long it took; 0 for a run that is not
	// stored. A process that dies between the append and this call takes what would have been made of them with it.
	// The entries are valid, and not to be changed, during the call.
	Stored(entries []journal.Entry, took time.Duration)
	// Context is what the code of a node, or of a step in it, works in. It may be called while the others are.
	Context(ctx context.Context, s Scope) context.Context
}

// Scope is a piece of a node's code that is about to be called.
type Scope struct {
	node.Info
	Op string    // the step: its identity within the task; "" for the node's function
	At time.Time // when, by the runtime's clock
	// Replaying reports whether the code still does what an earlier pass has done, and must show nothing of it again
	// (law N4). It may be called at any time, and from several goroutines.
	Replaying func() bool
}

// follow lets the observer follow the run from here on.
func (d *drive) follow() {
	o := d.observer()
	if o == nil || d.follower != nil {
		return
	}
	run := d.row
	if run.ID == "" { // of Evaluate
		run = RunInfo{ID: d.id, Plan: d.plan.Name(), Kind: d.plan.Definition().Kind}
	}
	d.follower = follow(o, d.log(), run)
}

// follow asks an observer for a follower; nil where it does not return.
func follow(o Observer, log *slog.Logger, run RunInfo) (f Follower) {
	ignored(log, "Observer.Follow", run.ID, func() {
		if made := o.Follow(run); made != nil {
			f = &guarded{made, log, run.ID}
		}
	})
	return f
}

// guarded is a follower whose methods need not return: the run does not depend on who looks on (law N7).
type guarded struct {
	follower Follower
	log      *slog.Logger
	run      string
}

// Recall implements Follower.
func (g *guarded) Recall(e *journal.Entry) {
	ignored(g.log, "Follower.Recall", g.run, func() { g.follower.Recall(e) })
}

// Stored implements Follower.
func (g *guarded) Stored(entries []journal.Entry, took time.Duration) {
	ignored(g.log, "Follower.Stored", g.run, func() { g.follower.Stored(entries, took) })
}

// Context implements Follower.
func (g *guarded) Context(ctx context.Context, s Scope) (within context.Context) {
	ignored(g.log, "Follower.Context", g.run, func() { within = g.follower.Context(ctx, s) })
	if within == nil {
		return ctx
	}
	return within
}

func (d *drive) observer() Observer {
	if d.rt != nil {
		return d.rt.options.Observer
	}
	return d.options.Observer
}

// recall tells the follower of an entry that was stored before.
func (d *drive) recall(e *journal.Entry) {
	if d.follower != nil {
		d.follower.Recall(e)
	}
}

// watched is the time at which an append began, where somebody wants to know how long it took.
func (d *drive) watched() (began time.Time) {
	if d.follower != nil {
		began = time.Now()
	}
	return began
}

// stored tells the follower and the log of entries that have just been stored.
func (d *drive) stored(entries []journal.Entry, began time.Time) {
	if d.follower != nil && len(entries) > 0 {
		took := time.Duration(0)
		if !began.IsZero() {
			took = time.Since(began)
		}
		d.follower.Stored(entries, took)
	}
	if d.rt != nil {
		logStored(d.rt.options.Logger, d.id, d.plan.Name(), entries)
	} else {
		logStored(d.options.Logger, d.id, d.plan.Name(), entries)
	}
}

// scope is what a node's function works in.
func (d *drive) scope(ctx context.Context, h *host) context.Context {
	if d.follower == nil {
		return ctx
	}
	pass := h.pass.Load()
	return d.follower.Context(ctx, Scope{Info: h.Info(), At: d.clock().Now(), Replaying: func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.pass.Load() == pass && h.replaying()
	}})
}

var _ node.StepHost = (*host)(nil)

// Within implements node.StepHost.
func (h *host) Within(ctx context.Context, op node.Op) context.Context {
	if h.d.follower == nil {
		return ctx
	}
	return h.d.follower.Context(ctx, Scope{
		Info: h.Info(), Op: op.ID, At: h.d.clock().Now(), Replaying: func() bool { return false },
	})
}

// witness tells the observer and the log of what was stored for a run without driving it. A follower that has not
// seen the run before is given its journal first.
func (rt *Runtime) witness(ctx context.Context, run RunInfo, entries []journal.Entry, began time.Time) {
	took := time.Since(began)
	logStored(rt.options.Logger, run.ID, run.Plan, entries)
	if rt.options.Observer == nil {
		return
	}
	f := follow(rt.options.Observer, rt.log, run)
	if f == nil {
		return
	}
	first := entries[0].Seq
	for e, err := range rt.store.Read(context.WithoutCancel(ctx), run.ID, 0) {
		if err != nil && !errors.Is(err, journal.ErrNotFound) {
			rt.log.Warn("what a run did before could not be read for its observer", "run", run.ID, "error", err)
		}
		if err != nil || e.Seq >= first {
			break
		}
		f.Recall(&e)
	}
	f.Stored(entries, took)
}
