package executor

import (
	"context"
	"encoding/json"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// host serves the calls of a running node. One host serves the tasks of an execution one after the other. The
// pass number tells a current node context from an old one.
type host struct {
	run   *Execution    // the execution it belongs to
	last  uint64        // number of the last pass
	pass  atomic.Uint64 // the pass whose calls are accepted; 0 for none
	calls atomic.Int32  // calls made since the pass began
	known value.Known   // parts of the node's values that were inspected before

	mu  *sync.Mutex // its own, or the workers' for a task that runs beside others
	own sync.Mutex  // also guards what Info returns, which must not wait for another task's append

	attempted
	replay
	awaited
	display
	beats // heartbeats and bounds

	broken      error  // why this pass cannot go on: the code diverged
	storeFailed error  // the store failed during this pass
	leave       func() // called at the end of what is recorded, in a rehearsal; nil for nothing
}

// attempted is the attempt that a pass belongs to.
type attempted struct {
	task    taskRef           // its task
	node    int               // index of its node in the plan
	visit   uint32            // see machine.Task
	attempt uint16            // see machine.Task
	path    string            // of its node
	began   string            // see machine.Task
	left    int               // see machine.Machine.TasksLeft
	undoes  string            // see machine.Task
	cause   *nodehost.Failure // the failure that led to it; nil for none

	within    context.Context    // of a task in a subgraph that fails fast; nil for others
	endWithin context.CancelFunc // ends within
}

// replay is a pass's position in the recorded calls of its task (law N3).
type replay struct {
	recorded int      // calls that the journal holds from earlier passes
	consumed int      // of those, calls that this pass has made
	begun    []string // reasonings with recorded calls but no outcome
	behind   string   // the call at which the last pass stopped, until this one is past it; "" then
	made     []made   // how many calls of each kind and key the pass has made
	latest   lastMade // the furthest recorded call, in journal order, that the pass has made

	changes map[string]bool // changes that the pass has asked for, and whether the task has them
}

// lastMade is a recorded call.
type lastMade struct {
	place uint64 // see machine.Op; 0 for none
	id    string // of the call
}

// awaited holds the calls that a pass waits for.
type awaited struct {
	suspended bool      // the pass waits
	waits     []waiting // the calls that wait
	naps      []nap     // of those, sleeps that have no timer yet
	together  []string  // calls that run several goroutines
}

// display is what a pass shows to readers.
type display struct {
	shown   int                         // values that are not complete
	open    bool                        // something shown is not complete
	streams map[string]*strings.Builder // texts in progress, by call
}

// made counts the calls of one kind and key in a pass.
type made struct {
	kind nodehost.Kind // of the calls
	key  string        // of the calls
	n    int           // how many were made
	by   uint64        // the goroutine, see nodehost.ApartHost; 0 for the node's own or that of the enclosing call
}

// begin prepares one pass over a task's function.
func (h *host) begin(t *machine.Task) {
	if h.mu == &h.own {
		h.mu.Lock()
		defer h.mu.Unlock()
	}
	h.observe(t)
	h.known.Learn(&h.run.Known) // the task's input was finalized there
	h.recorded, h.consumed, h.behind, h.begun = 0, 0, t.LastWait, h.begun[:0]
	for i := range t.Ops {
		if mustCome(&t.Ops[i], t.Attempt) {
			h.recorded++
		}
		h.begunIn(t, &t.Ops[i])
	}
	h.made, h.latest = h.made[:0], lastMade{}
	clear(h.changes)
	h.suspended, h.broken, h.storeFailed, h.streams = false, nil, nil, nil
	h.waits, h.naps, h.together, h.shown, h.open = h.waits[:0], nil, nil, 0, false
	h.beats.reset()
	h.calls.Store(0)
	h.last++
	h.pass.Store(h.last)
}

// goOn is begin for a pass that follows one without calls.
func (h *host) goOn(t *machine.Task) {
	h.mu.Lock()
	h.observe(t)
	h.mu.Unlock()
	h.last++
	h.pass.Store(h.last)
}

// observe sets the task that the host serves.
func (h *host) observe(t *machine.Task) {
	h.task = h.run.refer(t)
	if h.mu != &h.own {
		h.own.Lock()
		defer h.own.Unlock()
	}
	h.node, h.visit, h.attempt, h.path, h.cause = t.Node, t.Visit, t.Attempt, h.run.Machine.Path(t), t.Cause
	h.began, h.left, h.undoes = t.Began, h.run.Machine.TasksLeft(t), t.Undoes()
}

// end refuses further calls of the pass, and waits for those in progress.
func (h *host) end() {
	h.pass.Store(0)
	if h.calls.Load() > 0 {
		h.mu.Lock() // waits for calls that hold it
		defer h.mu.Unlock()
		h.beats.stop()
		if len(h.streams)+h.shown > 0 {
			h.open = true
			h.run.Stream.CloseSegments(h.path, h.visit)
		}
	}
}

// unharmed reports whether a pass was neither suspended nor broken off. The pass must have ended.
func (h *host) unharmed() bool { return !h.suspended && h.broken == nil && h.storeFailed == nil }

// enter locks the host for a call of a pass, or returns why the call is refused.
func (h *host) enter(pass uint64) error {
	return h.enterAt(pass, func() bool { return false })
}

// enterFor is enter for a part of a call that has begun. Such a call goes on when another goroutine of the node
// waits, and is recorded as it would be otherwise.
func (h *host) enterFor(pass uint64, op nodehost.Op) error {
	return h.enterAt(pass, func() bool { return h.goesOn(op.ID) })
}

func (h *host) enterAt(pass uint64, goesOn func() bool) error {
	b := h.bounds.Load().of(pass)
	b.sign()
	h.calls.Add(1) // before the pass is read: either end sees the call, or the call sees that the pass is over
	h.mu.Lock()
	var err error
	switch {
	case pass != h.pass.Load() || pass == 0 || b.reached():
		err = node.ErrTaskOver
	case h.broken != nil:
		err = h.broken
	case h.storeFailed != nil:
		err = h.storeFailed
	case h.suspended && !goesOn():
		err = node.ErrSuspended
	default:
		return nil
	}
	h.mu.Unlock()
	return err
}

// Begin implements nodehost.Host.
func (h *host) Begin(pass uint64, kind nodehost.Kind, key string) (nodehost.Op, error) {
	return h.beginBy(pass, kind, key, false, 0)
}

// BeginApart implements nodehost.ApartHost.
func (h *host) BeginApart(pass uint64, kind nodehost.Kind, key string, by uint64) (nodehost.Op, error) {
	return h.beginBy(pass, kind, key, true, by)
}

func (h *host) beginBy(pass uint64, kind nodehost.Kind, key string, apart bool, by uint64) (nodehost.Op, error) {
	if err := h.enterAt(pass, func() bool { return h.mayBegin(kind, key, by) }); err != nil {
		return nodehost.Op{}, err
	}
	defer h.mu.Unlock()
	if !quiet(kind) {
		if err := h.sync(); err != nil {
			return nodehost.Op{}, err
		}
	}
	n, err := h.count(kind, key, by)
	if err != nil {
		return nodehost.Op{}, err
	}
	t := h.task.in(h.run.Machine)
	op := nodehost.Op{Kind: kind, ID: idOf(t, kind, key, n), Apart: apart}
	if slices.Contains(h.begun, op.ID) {
		h.consumed++
	}
	if t == nil {
		return op, node.ErrTaskOver
	}
	inside := strings.Contains(op.ID, nodehost.Inside)
	known := t.Op(op.ID)
	if known == nil && kind == nodehost.KindModel {
		if err := h.spent(); err != nil {
			return op, err
		}
	}
	if known == nil && !shows(kind) && !refusable(kind) {
		if err := h.inOrder(t, op); err != nil {
			return op, err
		}
	}
	if known != nil && !inside && !apart {
		if err := h.inPlace(known); err != nil {
			return op, err
		}
	}
	if h.run.rehearses && takesPlace(kind, known) {
		return op, h.leaveOff()
	}
	if known == nil {
		return op, nil
	}
	if mustCome(known, h.attempt) {
		h.consumed++
	}
	op.Known = true
	op.Done, op.Value, op.Failure, op.Begun, op.Tries = known.Done, known.Value, known.Failure, known.Begun, known.Tries
	op.Shape = known.Shape
	op.Usage = usageOf(known.Usage)
	op.Terminal, op.RetryAfter = known.Terminal, time.Duration(known.After)*time.Microsecond
	op.Marks = (*node.Marks)(known.Marks)
	if op.Done && kind == nodehost.KindSleep {
		h.passed(op.ID)
	}
	return op, nil
}

// record stores an entry of the task; if lazy, with the next commit, since nothing outside depends on it.
func (h *host) record(lazy bool, in func(m *machine.Machine, t *machine.Task, now int64) error) error {
	h.keepReads()
	defer h.bounds.Load().hold()()
	return h.recordBeside(lazy, in)
}

// recordBeside is record for entries that a replay does not repeat.
func (h *host) recordBeside(lazy bool, in func(m *machine.Machine, t *machine.Task, now int64) error) error {
	if h.run.rehearses {
		return h.leaveOff()
	}
	now := h.run.Now()
	if lazy && !h.run.Unstored {
		h.run.add(h.task.later(now, in))
		return nil
	}
	which := h.task
	wrapped := func(m *machine.Machine) error {
		t := which.in(m)
		if t == nil {
			return nil
		}
		return in(m, t, now)
	}
	if runtype.Status(h.run.Machine.Status()).Ended() {
		return node.ErrTaskOver
	}
	if err := h.run.record(h.run.ctx, wrapped); err != nil {
		h.storeFailed = err
		return err
	}
	if which.gone {
		return node.ErrTaskOver
	}
	return nil
}

// put records an entry of a call.
func put(m *machine.Machine, t *machine.Task, now int64, kind journal.Kind, op nodehost.Op, value, body []byte) error {
	if op.Apart {
		return m.RecordApart(now, t, kind, op.ID, value, body)
	}
	return m.Record(now, t, kind, op.ID, value, body)
}

// Intend implements nodehost.Host.
func (h *host) Intend(pass uint64, op nodehost.Op) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	var body []byte
	if c := op.Call; c != nil {
		if t := h.task.in(h.run.Machine); t != nil && t.Op(op.ID) != nil {
			return nil // recorded before; it is approved once
		}
		if err := h.holds(op, c.Arguments); err != nil {
			return err
		}
		body, _ = json.Marshal(journal.ToolBody{CallID: c.ID, Name: c.Name, Arguments: c.Arguments, Once: c.Once}) //nolint:errchkjson // its arguments are JSON
	}
	return h.record(false, func(m *machine.Machine, t *machine.Task, now int64) error {
		return put(m, t, now, journal.StepStarted, op, nil, body)
	})
}

// Record implements nodehost.Host.
func (h *host) Record(pass uint64, op nodehost.Op, value []byte, failure string) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if h.waitsIn(op.ID) {
		return node.ErrSuspended // its source waits (law N6)
	}
	body := stepBody(op, failure)
	if err := h.holds(op, value, body); err != nil {
		return err
	}
	return h.record(op.Kind == nodehost.KindNow, func(m *machine.Machine, t *machine.Task, now int64) error {
		return put(m, t, now, journal.StepFinished, op, value, body)
	})
}

// Info implements nodehost.Host.
func (h *host) Info() nodehost.Info {
	h.own.Lock()
	defer h.own.Unlock()
	return nodehost.Info{
		Run: h.run.ID, Plan: h.run.Plan.Name(), Node: h.path, Visit: int(h.visit), Attempt: int(h.attempt), Began: h.began,
		TasksLeft: h.left, Undoes: h.undoes,
	}
}

// Cause implements nodehost.Host.
func (h *host) Cause() *nodehost.Failure {
	h.own.Lock()
	defer h.own.Unlock()
	return h.cause
}

// Clock implements nodehost.Host.
func (h *host) Clock() time.Time {
	return h.run.Storage.Clock.Now()
}

// Service implements nodehost.Host.
func (h *host) Service(t reflect.Type) any { return h.run.serviceOf(t) }

// Logger implements nodehost.Host.
func (h *host) Logger() *slog.Logger {
	info := h.Info()
	return slog.New(&replayHandler{Handler: h.run.Log.Handler(), h: h, pass: h.pass.Load()}).
		With("run", info.Run, "task", info.Task(), "attempt", info.Attempt)
}
