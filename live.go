package fermata

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fermata-go/fermata/journal"
)

// mostLive is how many events a run keeps in memory for its readers. A reader that falls further behind reads the
// store again; of a run that is not stored it is sent away (law E3).
const mostLive = 1 << 16

// live is what the readers of a driven run see as it happens. Publishing never waits for them.
type live struct {
	always bool // keep events although nobody reads yet: those of a run that is not stored
	wanted atomic.Bool

	mu      sync.Mutex
	readers map[*reader]struct{}
	items   []Event
	base    uint64 // position of items[0]
	seq     uint64 // the last durable event
	sub     uint32
	open    []segment
	closed  bool
}

// segment is text that is being streamed (law E2).
type segment struct {
	event Event
	text  *strings.Builder
}

// reader is one reader's place.
type reader struct {
	at   uint64 // position of the next event
	wake chan struct{}
	late []Event // the open segments so far, for a reader that came late
}

func newLive(always bool) *live {
	l := &live{always: always}
	l.wanted.Store(always)
	return l
}

// publish shows durable entries, once they are stored.
func (l *live) publish(d *drive, entries []journal.Entry) {
	if !l.wanted.Load() {
		return
	}
	l.mu.Lock()
	for i := range entries {
		e := Event{Run: d.id, Entry: entries[i]}
		if entries[i].Kind == journal.InterruptOpened {
			e.token = d.tokens[entries[i].Op]
		}
		if entries[i].Kind == journal.TextEnd {
			l.closeSegment(entries[i].Op)
		}
		l.items = append(l.items, e)
		l.seq, l.sub = entries[i].Seq, 0
	}
	l.shown()
	l.mu.Unlock()
}

// chunk shows a piece of streamed text. The host's lock is held: the builder does not change meanwhile.
func (l *live) chunk(h *host, op, text string, whole *strings.Builder) {
	if !l.wanted.Load() {
		return
	}
	l.mu.Lock()
	l.sub++
	l.items = append(l.items, Event{Run: h.d.id, Sub: l.sub, Entry: journal.Entry{
		Kind: journal.TextDelta, Seq: l.seq, Node: h.path, Visit: h.visit, Attempt: h.attempt, Op: op, To: text,
	}})
	if len(l.open) == 0 || l.open[len(l.open)-1].text != whole {
		l.openSegment(whole)
	}
	l.shown()
	l.mu.Unlock()
}

func (l *live) openSegment(whole *strings.Builder) {
	for i := range l.open {
		if l.open[i].text == whole {
			return
		}
	}
	l.open = append(l.open, segment{event: l.items[len(l.items)-1], text: whole})
}

func (l *live) closeSegment(op string) {
	for i := range l.open {
		if l.open[i].event.Entry.Op == op {
			l.open = append(l.open[:i], l.open[i+1:]...)
			return
		}
	}
}

// shown wakes the readers and forgets what is too old.
func (l *live) shown() {
	for r := range l.readers {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
	if len(l.items) >= 2*mostLive {
		l.base += uint64(copy(l.items, l.items[mostLive:]))
		clear(l.items[mostLive:])
		l.items = l.items[:mostLive]
	}
}

// attach begins to read: from what comes next, or from the first event that is kept.
func (l *live) attach(fromStart bool) *reader {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &reader{at: l.base + uint64(len(l.items)), wake: make(chan struct{}, 1)}
	if fromStart {
		r.at = l.base
	}
	for _, s := range l.open {
		e := s.event
		e.Entry.To = s.text.String()
		r.late = append(r.late, e)
	}
	if l.readers == nil {
		l.readers = make(map[*reader]struct{})
	}
	l.readers[r] = struct{}{}
	l.wanted.Store(true)
	if l.closed {
		r.wake <- struct{}{}
	}
	return r
}

func (l *live) detach(r *reader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.readers, r)
	if len(l.readers) == 0 && !l.always {
		l.wanted.Store(false)
		l.base += uint64(len(l.items))
		l.items = nil
	}
}

// next gives what has come since, as a copy in buffer; ok is false when the reader has fallen too far behind.
func (l *live) next(r *reader, buffer []Event) (events []Event, ended, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.at < l.base {
		return nil, l.closed, false
	}
	events = append(buffer[:0], l.items[r.at-l.base:]...)
	r.at += uint64(len(events))
	return events, l.closed, true
}

// close tells the readers that nothing more comes.
func (l *live) close() {
	l.mu.Lock()
	l.closed = true
	l.shown()
	l.mu.Unlock()
}
