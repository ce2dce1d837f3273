package fermata

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// ErrSlow says that a reader of a run that is not stored fell so far behind that events were dropped (law E3).
var ErrSlow = fault.Sentinel("slow", "the reader was too slow, and the run is not stored")

// Events yields a run's events after the given seq: those that are stored, in order and without a gap (law E1). With
// follow it goes on with those to come, transient ones among them, until the run has ended or ctx is done.
func (rt *Runtime) Events(ctx context.Context, id string, after uint64, follow bool) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		s := &eventSource{rt: rt, id: id, cursor: after, yield: yield}
		if follow {
			defer rt.room.Join(id)()
		}
		for {
			changed := rt.changes(id)
			rt.mu.Lock()
			d, closed := rt.drives[id], rt.closed
			rt.mu.Unlock()
			if d != nil && follow {
				if !s.live(ctx, d) {
					return
				}
				continue
			}
			if !follow { // what is there is enough
				s.read(ctx)
				return
			}
			if !s.stored(ctx) || s.over || closed {
				return
			}
			select {
			case <-changed.rung:
			case <-ctx.Done():
				return
			}
		}
	}
}

// eventSource is where a reader stands.
type eventSource struct {
	rt     *Runtime
	id     string
	cursor uint64
	at     int64 // when what is at the cursor happened
	yield  func(Event, error) bool
	over   bool            // the run has ended, and its last event was yielded
	ended  map[string]bool // the segments whose end was read from the store

	dropped map[string]uint64 // the segments, or tasks with all of theirs, that the store said do not hold, and the seq of that
}

// stored yields what the store has after the cursor.
func (s *eventSource) stored(ctx context.Context) bool {
	if !s.read(ctx) {
		return false
	}
	if s.cursor == 0 || s.over {
		return true
	}
	info, err := s.rt.Info(ctx, s.id)
	if err != nil || !Status(info.Status).Ended() {
		return true
	}
	if !s.read(ctx) { // it ended after the first look: its last entries are there now
		return false
	}
	s.over = true
	return true
}

func (s *eventSource) read(ctx context.Context) bool {
	for e, err := range s.rt.store.Read(ctx, s.id, s.cursor) {
		if err != nil {
			s.yield(Event{}, s.rt.storeError(s.id, err))
			return false
		}
		s.cursor, s.at = e.Seq, e.At
		s.over = e.Kind == journal.RunFinished
		event := Event{Run: s.id, Entry: e}
		if e.Kind == journal.TextEnd || e.Kind == journal.StructuredData {
			if s.ended == nil {
				s.ended = make(map[string]bool)
			}
			s.ended[segmentOf(&event)] = true
		}
		if e.Kind == journal.DataInvalidated {
			s.drop(&event)
		}
		if !s.yield(event, nil) {
			return false
		}
	}
	return true
}

// drop notes what was shown and does not hold.
func (s *eventSource) drop(e *Event) {
	var body journal.InvalidatedBody
	if json.Unmarshal(e.Entry.Body, &body) != nil { // whoever reads the event is told
		return
	}
	if s.dropped == nil {
		s.dropped = make(map[string]uint64)
	}
	of := body.SegmentID
	if of == "" {
		of = e.Task()
	}
	delete(s.ended, of) // it begins anew
	s.dropped[of] = e.Seq()
}

// past reports whether a transient event belongs to what the store said is at its end, or does not hold (law E4).
func (s *eventSource) past(e *Event) bool {
	segment := segmentOf(e)
	return s.ended[segment] || e.Entry.Seq < max(s.dropped[segment], s.dropped[e.Task()])
}

// live yields what the store has and then what happens, until the drive ends.
func (s *eventSource) live(ctx context.Context, d *drive) bool {
	r := d.live.attach()
	defer d.live.detach(r)
	if !s.stored(ctx) {
		return false
	}
	for _, e := range r.late {
		if s.past(&e) {
			continue
		}
		e.Entry.Seq, e.Entry.At = s.cursor, max(e.Entry.At, s.at)
		if !s.yield(e, nil) {
			return false
		}
	}
	return s.follow(ctx, d, r)
}

func (s *eventSource) follow(ctx context.Context, d *drive, r *reader) bool {
	end := d.live.read(ctx, r, func(e *Event) bool {
		if e.Sub > 0 && (e.Entry.Seq < s.cursor || e.Entry.At < s.at) { // the store had more than that
			if e.Entry.Seq < s.cursor && s.past(e) {
				return true
			}
			moved := *e
			moved.Entry.Seq, moved.Entry.At = s.cursor, s.at
			return s.yield(moved, nil)
		}
		if e.Sub == 0 {
			if e.Entry.Seq <= s.cursor {
				return true
			}
			s.cursor, s.at = e.Entry.Seq, e.Entry.At
			s.over = e.Entry.Kind == journal.RunFinished
		}
		return s.yield(*e, nil)
	})
	switch {
	case end == driveEnded:
		return !s.over
	case end == sentAway && d.none:
		s.yield(Event{}, fmt.Errorf("%w: it had read up to seq %d", ErrSlow, s.cursor))
		return false
	}
	return end == sentAway // the store has what was missed
}

// Task is the id of the task that the event is about: "inner/review#2"; "" for events of the run.
func (e *Event) Task() string {
	if e.Entry.Node == "" {
		return ""
	}
	return node.TaskID(e.Entry.Node, int(e.Entry.Visit))
}

// OpID is the id of the call that the event belongs to. It is made of task and step, and so is the same across
// suspensions, resumes and restarts (law E4).
func (e *Event) OpID() string {
	if e.Entry.Op == "" {
		return ""
	}
	switch e.Entry.Kind {
	case journal.InterruptOpened, journal.InterruptUpdated, journal.InterruptResolved:
		return e.Entry.Op
	}
	return "op_" + e.Task() + "/" + node.CallText(operation(e.Entry.Op))
}

func segmentOf(e *Event) string { return segmentID(e.Task(), e.Entry.Op) }

// operation is the call that an event is shown as part of: for what reasoning does, the reasoning; else the call itself.
func operation(op string) string {
	outer := op
	for scope := node.CallScope(op); scope != ""; scope = node.CallScope(scope) {
		outer = scope
	}
	if outer == op || node.CallKind(outer) != node.KindReason {
		return op
	}
	return node.CallUntried(outer)
}

// segmentID names what a call streams (law E4).
func segmentID(task, op string) string { return "seg_" + task + "/" + node.CallText(op) }

// Data is what the event says, as JSON: an object, by the event's type.
func (e *Event) Data() (json.RawMessage, error) {
	data := map[string]any{}
	switch {
	case len(e.Entry.Body) == 0:
	case emitted(e.Entry.Kind) && e.Entry.Body[0] != '{':
		data["value"] = json.RawMessage(e.Entry.Body)
	default:
		if err := json.Unmarshal(e.Entry.Body, &data); err != nil {
			return nil, &journal.StoreError{
				Op: "decode", Run: e.Run, Seq: e.Entry.Seq,
				Err: fmt.Errorf("%w: the body of %s: %w", journal.ErrCorrupt, e.Type(), err),
			}
		}
	}
	en := &e.Entry
	if en.Attempt > 1 {
		data["attempt"] = en.Attempt
	}
	switch en.Kind {
	case journal.RouteTaken:
		e.routeData(data)
	case journal.TextStart, journal.TextDelta, journal.TextEnd:
		data["segmentId"] = segmentID(e.Task(), en.Op)
		if en.Kind == journal.TextDelta {
			data["text"] = en.To
		}
		if e.soFar {
			data["soFar"] = true
		}
	case journal.NodeHeartbeat:
		data["value"] = json.RawMessage(en.Value)
	case journal.StructuredData:
		if len(en.Value) > 0 {
			data["data"], data["segmentId"] = json.RawMessage(en.Value), segmentID(e.Task(), en.Op)
		}
	case journal.InterruptOpened:
		if data["notBy"] != nil { // who they are is for the engine (law H6)
			data["fourEyes"] = true
		}
		for _, name := range []string{"tokenHash", "digest", "notBy"} {
			delete(data, name)
		}
	case journal.InterruptResolved:
		data["requestId"] = en.Op
		if len(en.Value) > 0 {
			data["answer"] = json.RawMessage(en.Value)
		}
	case journal.InterruptUpdated:
		delete(data, "tokenHash")
		data["requestId"] = en.Op
	case journal.StepStarted, journal.StepFinished, journal.TimerSet, journal.TimerFired:
		data["step"] = node.CallText(en.Op)
		if len(en.Value) > 0 {
			data["value"] = json.RawMessage(en.Value)
		}
		if value, ok := data["value"]; ok && e.Type() == toolResult {
			data["result"] = value
			delete(data, "value")
		}
	}
	if en.Kind.CarriesState() && len(en.Value) > 0 {
		if en.Flags&journal.FlagBase != 0 {
			data["base"], data["delta"] = en.Base, json.RawMessage(en.Value)
		} else {
			data["value"] = json.RawMessage(en.Value)
		}
	}
	return json.Marshal(data)
}

// emitted reports whether the body of entries of a kind is what a node said, of any form.
func emitted(k journal.Kind) bool {
	return k == journal.Message || k == journal.Status || k == journal.Diagnostic || k == journal.StructuredData
}

func (e *Event) routeData(data map[string]any) {
	several, many := data["to"].([]any)
	delete(data, "to")
	if !many {
		several = []any{e.Entry.To}
	}
	var to []any
	for _, target := range several {
		switch target {
		case node.End:
			data["end"] = true
		case node.Stop:
			data["stop"] = true
		default:
			to = append(to, target)
		}
	}
	switch {
	case many:
		data["to"] = append([]any{}, to...)
	case len(to) > 0:
		data["to"] = to[0]
	}
	switch {
	case e.Entry.Flags&journal.FlagCatch != 0:
		data["because"] = "failure"
	case e.Entry.Flags&journal.FlagExpired != 0:
		data["because"] = "deadline"
	}
}

// Moment is one entry of a run's history with the values that it was about, whole: what traces are made of.
type Moment struct {
	Entry journal.Entry
	Input json.RawMessage // NodeStarted: the value that the task is given, merged where branches meet
	Value json.RawMessage // entries that record a state: the state
}

// History yields the entries that a run has when it begins, each with its values as whole JSON. It reads the journal twice, and
// holds no value longer than a later entry refers to it.
func (rt *Runtime) History(ctx context.Context, id string) iter.Seq2[Moment, error] {
	return func(yield func(Moment, error) bool) {
		last, head, err := rt.lastUses(ctx, id)
		if err != nil {
			yield(Moment{}, rt.storeError(id, err))
			return
		}
		docs := make(map[uint64]*journal.Document)
		for e, err := range rt.store.Read(ctx, id, 0) {
			if err != nil {
				yield(Moment{}, rt.storeError(id, err))
				return
			}
			if e.Seq > head {
				return
			}
			m := Moment{Entry: e}
			if err := m.fill(docs); err != nil {
				yield(Moment{}, rt.replayError(id, e.Seq, err))
				return
			}
			if last != nil {
				for _, seq := range [...]uint64{e.Seq, e.Base} {
					if last[seq] <= e.Seq {
						delete(docs, seq)
					}
				}
			}
			if !yield(m, nil) {
				return
			}
		}
	}
}

// lastUses says which entry is the last one to refer to the value of each, and how far the journal goes. Of a damaged one
// that is not known: it is shown up to the damage.
func (rt *Runtime) lastUses(ctx context.Context, id string) (last map[uint64]uint64, head uint64, err error) {
	last = make(map[uint64]uint64)
	for e, err := range rt.store.Read(ctx, id, 0) {
		switch {
		case errors.Is(err, journal.ErrCorrupt), errors.Is(err, journal.ErrNewer):
			return nil, math.MaxUint64, nil
		case err != nil:
			return nil, 0, err
		}
		if head = e.Seq; e.Base != 0 && e.Base < e.Seq {
			last[e.Base] = e.Seq
		}
	}
	return last, head, nil
}

func (m *Moment) fill(docs map[uint64]*journal.Document) error {
	e := &m.Entry
	if e.Kind == journal.NodeStarted && !e.HasValue() {
		if doc := docs[e.Base]; doc != nil {
			m.Input = doc.JSON()
		}
		return nil
	}
	if err := m.fillValue(docs); err != nil || e.Kind != journal.NodeStarted {
		return err
	}
	m.Input = m.Value // what branches were merged into
	return nil
}

func (m *Moment) fillValue(docs map[uint64]*journal.Document) error {
	e := &m.Entry
	if !e.HasValue() || !e.Kind.CarriesState() {
		return nil
	}
	if e.Flags&journal.FlagBase == 0 {
		doc, err := journal.ParseDocument(e.Value)
		if err != nil {
			return damaged(e.Seq, err)
		}
		docs[e.Seq], m.Value = doc, e.Value
		return nil
	}
	base := docs[e.Base]
	if base == nil {
		return fmt.Errorf("%w: there is no value at seq %d", journal.ErrCorrupt, e.Base)
	}
	doc := base.Clone()
	if len(e.Value) > 0 {
		if err := doc.Apply(e.Value); err != nil {
			return damaged(e.Seq, err)
		}
	}
	docs[e.Seq], m.Value = doc, doc.JSON()
	return nil
}

// log is where a drive logs to.
func (d *drive) log() *slog.Logger {
	switch {
	case d.rt != nil:
		return d.rt.log
	case d.options.Logger != nil:
		return d.options.Logger
	}
	return slog.New(slog.DiscardHandler)
}

// replayHandler drops what a node logs while its recorded calls are replayed (law N4).
type replayHandler struct {
	slog.Handler
	h    *host
	pass uint64
}

// Enabled implements slog.Handler.
func (r *replayHandler) Enabled(ctx context.Context, level slog.Level) bool {
	r.h.mu.Lock()
	replaying := r.h.replaying() || r.h.pass.Load() != r.pass
	r.h.mu.Unlock()
	return !replaying && r.Handler.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (r *replayHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &replayHandler{Handler: r.Handler.WithAttrs(attrs), h: r.h, pass: r.pass}
}

// WithGroup implements slog.Handler.
func (r *replayHandler) WithGroup(name string) slog.Handler {
	return &replayHandler{Handler: r.Handler.WithGroup(name), h: r.h, pass: r.pass}
}
