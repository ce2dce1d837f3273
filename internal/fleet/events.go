package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/fermata-go/fermata/internal/executor"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/stream"
	"github.com/fermata-go/fermata/journal"
)

// Events yields a run's events after the given seq. Stored events come in order and without a gap (law E1).
// With follow it goes on with new ones, including transient ones, until the run has ended or ctx is done.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (f *Fleet) Events(ctx context.Context, id string, after uint64, follow bool) iter.Seq2[runtype.Event, error] {
	return func(yield func(runtype.Event, error) bool) {
		s := &eventSource{rt: f, id: id, cursor: after, yield: yield}
		if follow {
			defer f.env.Room.Join(id)()
		}
		var changed *notifier
		defer func() { f.forgo(id, changed) }()
		for {
			changed = f.changes(id, changed)
			f.mu.Lock()
			d, closed := f.executions[id], f.closed
			f.mu.Unlock()
			if d != nil && follow {
				if !s.live(ctx, &d.Execution) {
					return
				}
				continue
			}
			if !follow { // stored events are enough
				s.read(ctx)
				return
			}
			if !s.stored(ctx) || s.over || closed {
				return
			}
			select {
			case <-changed.fired:
			case <-ctx.Done():
				return
			}
		}
	}
}

// eventSource is the position of one reader of events.
type eventSource struct {
	rt     *Fleet                          // that executes the run, or not
	id     string                          // of the run
	cursor uint64                          // seq of the last event
	at     int64                           // time of the last event, in microseconds
	yield  func(runtype.Event, error) bool // the reader's; false ends the read
	over   bool                            // the run has ended, and its last event was yielded
	ended  map[string]bool                 // segments whose end was read from the store

	dropped map[string]uint64 // withdrawn segments, or tasks with all of theirs, and the seq of the withdrawal
}

// stored yields the stored events after the cursor.
func (s *eventSource) stored(ctx context.Context) bool {
	if !s.read(ctx) {
		return false
	}
	if s.cursor == 0 || s.over {
		return true
	}
	info, err := s.rt.Info(ctx, s.id)
	if err != nil || !runtype.Status(info.Status).Ended() {
		return true
	}
	if !s.read(ctx) { // it ended after the first read: its last entries are there now
		return false
	}
	s.over = true
	return true
}

func (s *eventSource) read(ctx context.Context) bool {
	for e, err := range s.rt.Store.Read(ctx, s.id, s.cursor) {
		if err != nil {
			s.yield(runtype.Event{}, s.rt.StoreError(s.id, err))
			return false
		}
		s.cursor, s.at = e.Seq, e.At
		s.over = e.Kind == journal.RunFinished
		event := runtype.Event{Run: s.id, Entry: e}
		if e.Kind == journal.TextEnd || e.Kind == journal.StructuredData {
			if s.ended == nil {
				s.ended = make(map[string]bool)
			}
			s.ended[runtype.SegmentOf(&event)] = true
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

// drop records a withdrawal of shown text or data.
func (s *eventSource) drop(e *runtype.Event) {
	var body journal.InvalidatedBody
	if json.Unmarshal(e.Entry.Body, &body) != nil { // the reader of the event reports it
		return
	}
	if s.dropped == nil {
		s.dropped = make(map[string]uint64)
	}
	of := body.SegmentID
	if of == "" {
		of = e.Task()
	}
	delete(s.ended, of) // it begins again
	s.dropped[of] = e.Seq()
}

// past reports whether a transient event belongs to a segment that has ended or was withdrawn in the store (law
// E4).
func (s *eventSource) past(e *runtype.Event) bool {
	segment := runtype.SegmentOf(e)
	return s.ended[segment] || e.Entry.Seq < max(s.dropped[segment], s.dropped[e.Task()])
}

// live yields stored events and then live ones, until the execution ends.
func (s *eventSource) live(ctx context.Context, d *executor.Execution) bool {
	r := d.Stream.Attach()
	defer d.Stream.Detach(r)
	if !s.stored(ctx) {
		return false
	}
	for _, e := range r.Late {
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

func (s *eventSource) follow(ctx context.Context, d *executor.Execution, r *stream.Reader) bool {
	end := d.Stream.Read(ctx, r, func(e *runtype.Event) bool {
		if e.Sub > 0 && (e.Entry.Seq < s.cursor || e.Entry.At < s.at) { // the store had a later one
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
	case end == stream.Ended:
		return !s.over
	case end == stream.FellBehind && d.Unstored:
		s.yield(runtype.Event{}, fmt.Errorf("%w: it had read up to seq %d", runtype.ErrSlow, s.cursor))
		return false
	}
	return end == stream.FellBehind // the store has the missed events
}
