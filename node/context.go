package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/goroutine"
	"github.com/fermata-go/fermata/internal/nodehost"
)

// Context is a node's access to its run. It embeds the context.Context of the attempt, which is cancelled when the run
// is cancelled, when the attempt's time is up, and when the process that owns the run stops.
//
// A Context belongs to one attempt. Used after the attempt has ended, its calls fail with [ErrTaskOver].
type Context struct {
	context.Context
	host  nodehost.Host
	pass  uint64
	scope string       // the step that calls are made inside of, "" at the top
	home  uintptr      // the goroutine that the function runs in, or what the step does
	apart bool         // what is done inside of scope was begun by another goroutine than the node's
	left  *atomic.Bool // of a tool that others are at work beside: it has come to a call that waits
}

// NewContext binds a context to a host for one pass over a node function. It is the seam to the engine: only code of this
// module has a host, and tests of nodes get a Context from package fermatatest.
//
// The host gets the pass back with every call, so it can refuse calls of a pass that is over. The function has to run in
// the goroutine that calls NewContext: calls of other goroutines have no order that a replay could keep.
func NewContext(ctx context.Context, host nodehost.Host, pass uint64) Context {
	return Context{Context: ctx, host: host, pass: pass, home: goroutine.Mark()}
}

// WithContext returns the same node context around another context.Context.
func (c Context) WithContext(ctx context.Context) Context {
	c.Context = ctx
	return c
}

// Value returns the node context behind a plain context.Context, or asks the wrapped context.
func (c Context) Value(key any) any {
	if _, ok := key.(contextKey); ok {
		return c
	}
	return c.Context.Value(key)
}

type contextKey struct{}

// begin names a call, within the step that it is made inside of.
func (c Context) begin(kind nodehost.Kind, key string) (nodehost.Op, error) {
	if i := strings.IndexFunc(key, unicode.IsControl); i >= 0 {
		return nodehost.Op{}, fmt.Errorf("task %s: the key %q of a %s has a control character", c.Info().Task(), key, kind)
	}
	if c.left != nil && c.left.Load() {
		return nodehost.Op{}, ErrSuspended // a function that swallowed it is suspended all the same (law N6)
	}
	if c.scope != "" {
		key = c.scope + nodehost.Inside + key
	}
	elsewhere := c.elsewhere()
	if !elsewhere && !c.apart {
		return c.host.Begin(c.pass, kind, key)
	}
	h, ok := c.host.(nodehost.ApartHost)
	if !ok {
		return c.host.Begin(c.pass, kind, key)
	}
	var by uint64
	if elsewhere {
		by = goroutine.ID()
	}
	return h.BeginApart(c.pass, kind, key, by)
}

// elsewhere reports whether a call is made in a goroutine that the node has started.
func (c Context) elsewhere() bool { return goroutine.Mark() != c.home }

// encode is the JSON of a value that is recorded. One that is too large is refused before it is encoded (law N8).
func (c Context) encode(value any) ([]byte, error) { return canonical.Marshal(value, c.maxValue()) }

// capture takes an error over as it is recorded: a text that is too long for that is cut (law F8).
func (c Context) capture(err error) *fault.Captured {
	return fault.Capture(err).Within(c.maxValue() / 8) // in JSON a byte may take six
}

func (c Context) maxValue() int {
	if h, ok := c.host.(nodehost.SizeHost); ok {
		return h.MaxValue()
	}
	return canonical.MostBytes
}

// within is the context of what a step does.
func (c Context) within(op nodehost.Op) Context {
	if h, ok := c.host.(nodehost.StepHost); ok {
		c.Context = h.Within(c.Context, op)
	}
	c.Context = context.WithValue(c.Context, opKey{}, op.ID)
	if op.Kind == nodehost.KindOnce || op.Call != nil && op.Call.Once {
		c.Context = context.WithValue(c.Context, onceKey{}, true)
	}
	c.scope, c.home, c.apart = op.ID, goroutine.Mark(), op.Apart
	return c
}

// Sync returns when all that the run has come to so far is stored (law J2). Only a node whose plan declares it pure needs
// that, before an effect that is in no step: all others begin when it is so.
func Sync(ctx Context) error {
	if h, ok := ctx.host.(nodehost.Syncer); ok {
		return h.Sync(ctx.pass)
	}
	return nil
}

// FromContext finds the node context that ctx was derived from.
func FromContext(ctx context.Context) (Context, bool) {
	if c, ok := ctx.(Context); ok {
		return c, true
	}
	c, ok := ctx.Value(contextKey{}).(Context)
	return c, ok
}

// Info says which run, task and attempt this is.
func (c Context) Info() Info { return c.host.Info() }

// Logger logs with run, task and attempt. While recorded calls are replayed it is silent (law N4).
func (c Context) Logger() *slog.Logger { return c.host.Logger() }

// Failure is why a task runs at the end of an error edge. It is an error, in which errors.Is and errors.As find what they
// found in the one that failed the task, of all documented errors (law F8).
//
//	type Failure struct {
//	    Task    string                     // the task that failed
//	    Message string                     // its error, as text
//	    Kinds   []string                   // codes of the documented errors in it
//	    Details map[string]json.RawMessage // fields of the documented types in it
//	}
type Failure = nodehost.Failure

// Cause is the failure that led to this task, where it was reached over an error edge; nil elsewhere. A node may return it as its
// error: a nil one is no failure. Compare it with nil before it is used as an error otherwise: an interface that holds a nil
// *Failure is not nil.
func (c Context) Cause() *Failure { return c.host.Cause() }

// Now is the time at which the run first asked, in UTC. It is recorded: a replay gets the same time (law J5).
func Now(ctx Context) (time.Time, error) {
	return Step(ctx, "now", func(Context) (time.Time, error) { return ctx.host.Clock().UTC(), nil }, kindNow)
}

// Sleep waits for d without holding a goroutine or memory (law N1). The task is suspended and runs again when the time
// has come. The wait is a durable timer: it fires once, even if the process was down when it was due.
func Sleep(ctx Context, d time.Duration) error {
	op, err := ctx.begin(nodehost.KindSleep, "sleep")
	if err != nil || op.Done {
		return err
	}
	return ctx.leave(ctx.host.Sleep(ctx.pass, op, d))
}

// leave notes that a call waits, where that suspends only the tool that made it.
func (c Context) leave(err error) error {
	if c.left != nil && errors.Is(err, ErrSuspended) {
		c.left.Store(true)
	}
	return err
}
