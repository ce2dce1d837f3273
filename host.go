package fermata

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// host is what the runtime is to the node that runs now. One host serves all tasks of a drive, one after the other;
// the pass tells a context that is over from one that is not.
type host struct {
	d     *drive
	last  uint64        // number of the last pass
	pass  atomic.Uint64 // the pass whose calls are taken; 0 for none
	known value.Known   // what of the node's values was looked at before
	calls atomic.Int32  // how many calls have come since the pass began

	mu        *sync.Mutex // own, or that of the crew for a task that runs beside others
	own       sync.Mutex  // also of what Info tells, which waits for nobody else's append
	task      taskRef
	node      int
	visit     uint32
	attempt   uint16
	path      string
	began     string // see machine.Task
	cause     *node.Failure
	recorded  int      // how many calls the journal holds from earlier passes
	begun     []string // the reasonings that the journal holds calls of, and no outcome
	consumed  int      // how many of those this pass has made
	behind    string   // the call that the last pass was left at, until this one has passed it
	made      []made
	latest    *machine.Op // of the recorded calls that the pass has made, the one that the journal holds last
	suspended bool
	waits     []waiting // the calls that wait
	naps      []nap     // of those: the sleeps that have no timer yet
	together  []string  // the calls inside of which others go on in several goroutines
	shown     int       // values that were shown and are not at their end
	open      bool      // the pass left something open that was shown

	broken      error // what this pass cannot go on from: the code diverged
	storeFailed error // the store failed under this pass
	streams     map[string]*strings.Builder

	beats beats
	leave func() // of a replay that looks on: called when it has come to the end of what is recorded; nil for nothing
}

// made counts the calls of one kind and key in a pass.
type made struct {
	kind node.Kind
	key  string
	n    int
	by   uint64 // the goroutine, see node.ApartHost; 0 for that of the node or of what it was made inside of
}

// begin makes ready for one pass over a task's function.
func (h *host) begin(t *machine.Task) {
	if h.mu == &h.own {
		h.mu.Lock()
		defer h.mu.Unlock()
	}
	h.observe(t)
	h.recorded, h.consumed, h.behind, h.begun = 0, 0, t.LastWait, h.begun[:0]
	for i := range t.Ops {
		if mustCome(&t.Ops[i], t.Attempt) {
			h.recorded++
		}
		h.begunIn(t, &t.Ops[i])
	}
	h.made, h.latest = h.made[:0], nil
	h.suspended, h.broken, h.storeFailed, h.streams = false, nil, nil, nil
	h.waits, h.naps, h.together, h.shown, h.open = nil, nil, nil, 0, false
	h.beats.reset()
	h.calls.Store(0)
	h.last++
	h.pass.Store(h.last)
}

// goOn is begin for a pass that follows one in which the host was asked for nothing.
func (h *host) goOn(t *machine.Task) {
	h.mu.Lock()
	h.observe(t)
	h.mu.Unlock()
	h.last++
	h.pass.Store(h.last)
}

// observe says whom the host speaks for.
func (h *host) observe(t *machine.Task) {
	h.task = h.d.refer(t)
	if h.mu != &h.own {
		h.own.Lock()
		defer h.own.Unlock()
	}
	h.node, h.visit, h.attempt, h.path, h.cause = t.Node, t.Visit, t.Attempt, h.d.m.Path(t), t.Cause
	h.began = t.Began
}

// end refuses all further calls of the pass, and waits for those that are being served.
func (h *host) end() {
	h.pass.Store(0)
	if h.calls.Load() > 0 {
		h.mu.Lock() // whoever was inside has left
		defer h.mu.Unlock()
		h.beats.stop()
		if len(h.streams)+h.shown > 0 {
			h.open = true
			h.d.live.closeSegments(h.path, h.visit)
		}
	}
}

// unharmed reports whether a pass has neither been suspended nor broken off. It is asked after the pass.
func (h *host) unharmed() bool { return !h.suspended && h.broken == nil && h.storeFailed == nil }

// enter locks the host for a call of a pass, or says why the call is refused.
func (h *host) enter(pass uint64) error {
	return h.enterAt(pass, func() bool { return false })
}

// enterFor is enter for what belongs to a call that has begun. Such a call goes on when another goroutine of the node has
// come to one that waits: what it does is recorded as it would be without that.
func (h *host) enterFor(pass uint64, op node.Op) error {
	return h.enterAt(pass, func() bool { return h.goesOn(op.ID) })
}

func (h *host) enterAt(pass uint64, goesOn func() bool) error {
	h.beats.sign()
	h.calls.Add(1) // before the pass is looked at: end sees it, or this sees that the pass is over
	h.mu.Lock()
	var err error
	switch {
	case pass != h.pass.Load() || pass == 0:
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

// Begin implements node.Host.
func (h *host) Begin(pass uint64, kind node.Kind, key string) (node.Op, error) {
	return h.beginBy(pass, kind, key, false, 0)
}

// BeginApart implements node.ApartHost.
func (h *host) BeginApart(pass uint64, kind node.Kind, key string, by uint64) (node.Op, error) {
	return h.beginBy(pass, kind, key, true, by)
}

func (h *host) beginBy(pass uint64, kind node.Kind, key string, apart bool, by uint64) (node.Op, error) {
	if err := h.enterAt(pass, func() bool { return h.mayBegin(kind, key, by) }); err != nil {
		return node.Op{}, err
	}
	defer h.mu.Unlock()
	if !quiet(kind) {
		if err := h.sync(); err != nil {
			return node.Op{}, err
		}
	}
	n, err := h.count(kind, key, by)
	if err != nil {
		return node.Op{}, err
	}
	op := node.Op{Kind: kind, ID: opID(kind, key, n), Apart: apart}
	if slices.Contains(h.begun, op.ID) {
		h.consumed++
	}
	t := h.task.in(h.d.m)
	if t == nil {
		return op, node.ErrTaskOver
	}
	inside := strings.Contains(op.ID, node.Inside)
	known := t.Op(op.ID)
	if known == nil && kind == node.KindModel {
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
	if h.d.looksOn && takesPlace(kind, known) {
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
	if op.Done && kind == node.KindSleep {
		h.passed(op.ID)
	}
	return op, nil
}

// record stores an entry of the task; lazily with the next commit when nothing outside depends on it.
func (h *host) record(lazy bool, in func(m *machine.Machine, t *machine.Task, now int64) error) error {
	h.keepReads()
	defer h.beats.hold()()
	return h.recordBeside(lazy, in)
}

// recordBeside is record for what is no call that a replay makes again.
func (h *host) recordBeside(lazy bool, in func(m *machine.Machine, t *machine.Task, now int64) error) error {
	if h.d.looksOn {
		return h.leaveOff()
	}
	now, which := h.d.now(), h.task
	wrapped := which.do(func(m *machine.Machine, t *machine.Task) error { return in(m, t, now) })
	if lazy && !h.d.none {
		h.d.add(wrapped)
		return nil
	}
	if Status(h.d.m.Status()).Ended() {
		return node.ErrTaskOver
	}
	if err := h.d.record(h.d.ctx, wrapped); err != nil {
		h.storeFailed = err
		return err
	}
	if which.gone {
		return node.ErrTaskOver
	}
	return nil
}

// put records an entry of a call.
func put(m *machine.Machine, t *machine.Task, now int64, kind journal.Kind, op node.Op, value, body []byte) error {
	if op.Apart {
		return m.RecordApart(now, t, kind, op.ID, value, body)
	}
	return m.Record(now, t, kind, op.ID, value, body)
}

// Intend implements node.Host.
func (h *host) Intend(pass uint64, op node.Op) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	var body []byte
	if c := op.Call; c != nil {
		if t := h.task.in(h.d.m); t != nil && t.Op(op.ID) != nil {
			return nil // it was begun before; it is asked for once
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

// Record implements node.Host.
func (h *host) Record(pass uint64, op node.Op, value []byte, failure string) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if h.waitsIn(op.ID) {
		return node.ErrSuspended // what it was made of waits (law N6)
	}
	body := stepBody(op, failure)
	if err := h.holds(op, value, body); err != nil {
		return err
	}
	return h.record(op.Kind == node.KindNow, func(m *machine.Machine, t *machine.Task, now int64) error {
		return put(m, t, now, journal.StepFinished, op, value, body)
	})
}

// Emit implements node.Host.
func (h *host) Emit(pass uint64, op node.Op, eventType string, data []byte) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	if err := h.holds(op, data); err != nil {
		return err
	}
	if t := h.task.in(h.d.m); t != nil && t.Op(op.ID) == nil {
		if err := h.inOrder(t, op); err != nil {
			return err
		}
	}
	kind := journal.Message
	switch eventType {
	case node.EventStatus:
		kind = journal.Status
	case node.EventDiagnostic:
		kind = journal.Diagnostic
	}
	return h.record(h.d.pure, func(m *machine.Machine, t *machine.Task, now int64) error {
		return put(m, t, now, kind, op, nil, data)
	})
}

// Chunk implements node.Host.
func (h *host) Chunk(pass uint64, op node.Op, channel, text string, last bool) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	b := h.streams[op.ID]
	if b == nil {
		if h.streams == nil {
			h.streams = make(map[string]*strings.Builder)
		}
		b = &strings.Builder{}
		h.streams[op.ID] = b
		body, _ := json.Marshal(textBody{Channel: channel}) //nolint:errchkjson // strings always encode
		if h.brokenOff(op.ID) {
			h.d.add(h.task.do(func(m *machine.Machine, t *machine.Task) error {
				return m.Record(h.d.now(), t, journal.DataInvalidated, op.ID, nil, invalidated(h.segment(op.ID), "restart"))
			}))
		}
		if err := h.showsInOrder(op); err != nil {
			return err
		}
		err := h.record(false, func(m *machine.Machine, t *machine.Task, now int64) error {
			return put(m, t, now, journal.TextStart, op, nil, body)
		})
		if err != nil {
			return err
		}
		h.d.live.openSegment(h, op.ID, b)
	}
	if size := b.Len() + len(text); size > h.d.maxValue() {
		return h.tooLarge(op, size)
	}
	if !last {
		h.d.live.chunk(h, op.ID, text, b)
		return nil
	}
	delete(h.streams, op.ID)
	h.d.live.closeSegment(h.path, h.visit, op.ID)
	whole := textBody{Channel: channel, Text: b.String()}
	if op.Kind == node.KindChunks {
		whole.Text, whole.Returned = "", true
	}
	body, err := canonical.Marshal(whole, h.d.maxValue())
	if err != nil {
		return fmt.Errorf("task %s, %s: %w", node.TaskID(h.path, int(h.visit)), node.CallText(op.ID), notStorable(err))
	}
	return h.record(whole.Returned || ofModel(op.ID), func(m *machine.Machine, t *machine.Task, now int64) error {
		return put(m, t, now, journal.TextEnd, op, nil, body)
	})
}

// brokenOff reports whether text was begun before by this attempt, and did not come to its end (law E4). What an earlier
// attempt left so was invalidated with its failure.
func (h *host) brokenOff(op string) bool {
	t := h.task.in(h.d.m)
	if t == nil || h.d.none {
		return false
	}
	known := t.Op(op)
	return known != nil && !known.Done && known.Attempt == h.attempt
}

// Data implements node.Host.
func (h *host) Data(pass uint64, op node.Op, v node.Data) error {
	if err := h.enterFor(pass, op); err != nil {
		return err
	}
	defer h.mu.Unlock()
	switch v.Mode {
	case node.DataFinal:
		if err := h.holds(op, v.Value); err != nil {
			return err
		}
		if err := h.showsInOrder(op); err != nil {
			return err
		}
		if h.d.live.closeSegment(h.path, h.visit, op.ID) {
			h.shown--
		}
		body, _ := json.Marshal(journal.DataBody{ //nolint:errchkjson // strings always encode
			DataType: v.DataType, Mode: v.Mode, SchemaID: v.SchemaID, SchemaVersion: v.SchemaVersion, Shape: op.Shape,
		})
		return h.record(false, func(m *machine.Machine, t *machine.Task, now int64) error {
			return put(m, t, now, journal.StructuredData, op, v.Value, body)
		})
	case node.DataDropped:
		if h.d.live.closeSegment(h.path, h.visit, op.ID) {
			h.shown--
		}
		body := invalidated(h.segment(op.ID), string(v.Value))
		return h.record(false, func(m *machine.Machine, t *machine.Task, now int64) error {
			return m.Record(now, t, journal.DataInvalidated, op.ID, nil, body)
		})
	}
	if h.d.live.data(h, op.ID, v) {
		h.shown++
	}
	return nil
}

// invalidated is the body of an entry that says that what was shown does not hold; of all, without a segment.
func invalidated(segment, reason string) []byte {
	body, _ := json.Marshal(journal.InvalidatedBody{SegmentID: segment, Reason: reason}) //nolint:errchkjson // strings always encode
	return body
}

// segment is the id of what a call streams.
func (h *host) segment(op string) string {
	return segmentID(node.TaskID(h.path, int(h.visit)), op)
}

// textBody is the body of TextStart and TextEnd.
type textBody struct {
	Channel string `json:"channel"`
	Text    string `json:"text,omitempty"`

	Returned bool `json:"returned,omitempty"` // the whole text is in the outcome of the task
}

// Info implements node.Host.
func (h *host) Info() node.Info {
	h.own.Lock()
	defer h.own.Unlock()
	return node.Info{
		Run: h.d.id, Plan: h.d.plan.Name(), Node: h.path, Visit: int(h.visit), Attempt: int(h.attempt), Began: h.began,
	}
}

// Cause implements node.Host.
func (h *host) Cause() *node.Failure {
	h.own.Lock()
	defer h.own.Unlock()
	return h.cause
}

// Clock implements node.Host.
func (h *host) Clock() time.Time {
	return h.d.clock().Now()
}

// Service implements node.Host.
func (h *host) Service(t reflect.Type) any { return h.d.serviceOf(t) }

// Logger implements node.Host.
func (h *host) Logger() *slog.Logger {
	info := h.Info()
	return slog.New(&replayHandler{Handler: h.d.log().Handler(), h: h, pass: h.pass.Load()}).
		With("run", info.Run, "task", info.Task(), "attempt", info.Attempt)
}
