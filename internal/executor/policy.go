package executor

import (
	"context"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// nodePolicy is one kind of node policies that acts on an attempt: it makes the attempt wait, bounds it, or finds its
// outcome elsewhere. Retries are no such kind: they come after an attempt (policy_retry.go).
type nodePolicy interface {
	// governs reports whether the attempts of a node come under the policy, in this run.
	governs(x *Execution, flat *plan.Flat) bool
	// attempt makes an attempt under the policy. next goes on with the policies inside of this one and then calls the
	// node's functions. It is called once at most, in any goroutine.
	attempt(ctx context.Context, w *work, next next) (out any, choice chosen, err error)
}

// next goes on with an attempt.
type next func(ctx context.Context) (out any, choice chosen, err error)

// nodePolicies are the kinds of node policies, from the outermost to the innermost. An outcome from the cache takes no
// place in a pool, and a node's time begins when it has its place.
var nodePolicies = []nodePolicy{cachePolicy{}, poolPolicy{}, boundPolicy{}}

// work is one attempt of a task.
type work struct {
	run  *Execution // the execution it belongs to
	flat *plan.Flat // its node
	h    *host      // what the node calls
	in   any        // the value that the node is given
	pass uint64     // of the host

	priority int // of the run, for a node in a pool

	begun  bool // the task has recorded something already
	caused bool // the task is at the end of an error edge

	over []func() // called once the node's functions have returned, by their goroutine
}

// workOf returns the attempt of a task that is about to start. The machine is not read after it.
func (x *Execution) workOf(t *machine.Task, flat *plan.Flat, h *host) work {
	w := work{run: x, flat: flat, h: h, begun: len(t.Ops) > 0, caused: t.Cause != nil}
	if flat.Pool != "" {
		w.priority = x.Row.Priority
	}
	return w
}

// attempt calls a node's function and, on success, its gate, under the node's policies. The body of a cache hit is what
// the journal records about it; it is nil if the node ran.
func (x *Execution) attempt(ctx context.Context, w *work, in any) (any, chosen, error) {
	for i, p := range nodePolicies {
		if p.governs(x, w.flat) {
			under := *w // it may outlive the attempt, in a goroutine that is left behind
			under.in, under.pass = in, w.h.pass.Load()
			return under.from(ctx, i)
		}
	}
	return w.h.call(w.flat, node.NewContext(x.scope(ctx, w.h), w.h, w.h.pass.Load()), in)
}

// from makes the attempt under the policies from number i on.
func (w *work) from(ctx context.Context, i int) (any, chosen, error) {
	for ; i < len(nodePolicies); i++ {
		if p := nodePolicies[i]; p.governs(w.run, w.flat) {
			return p.attempt(ctx, w, func(ctx context.Context) (any, chosen, error) { return w.from(ctx, i+1) })
		}
	}
	defer func() {
		for _, f := range w.over {
			f()
		}
	}()
	return w.h.call(w.flat, node.NewContext(w.run.scope(ctx, w.h), w.h, w.pass), w.in)
}
