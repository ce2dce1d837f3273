package fermata

import (
	"bytes"
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// A run's events go to its readers through a chain of pages. The writer fills the last page and never waits; each
// reader walks the chain at its own pace (law E3). A page that all readers have left is used again.
const (
	pageLength = 256
	mostPages  = 256 // how far a reader may fall behind before it is sent away
)

// page is a piece of the chain. Events up to n are written and do not change; next is set once the page is full.
type page struct {
	events [pageLength]Event
	n      atomic.Int32
	next   atomic.Pointer[page]
	number uint64
	users  atomic.Int32 // readers that have not left it; below 0: never to be used again
}

// live is what the readers of a driven run see as it happens.
type live struct {
	kept   bool        // events are kept for a first reader: those of a run that is not stored
	wanted atomic.Bool // somebody reads, or will
	over   atomic.Bool // nothing more comes

	mu      sync.Mutex
	tail    *page
	head    *page // the first page that is kept for a first reader
	free    []*page
	readers []*reader
	seq     uint64 // the durable event that the last transient one followed
	at      int64  // when the last durable event happened, that was shown; transient ones bear its time, for a clock costs more than they do
	sub     uint32 // how many transient events there were
	open    []segment
}

// segment is text or a value that is being streamed (law E2).
type segment struct {
	event Event
	text  *strings.Builder // of text
	draft *draft           // of a value
}

// draft is a value that is shown while it is made: for readers that come late.
type draft struct {
	head []byte // what each event says of it, as JSON up to its value
	of   node.Data
	ops  []byte // patches since the value was known whole, or its start; the operations joined by commas
}

func newDraft(segment string, attempt uint16, v node.Data) *draft {
	if attempt == 1 {
		attempt = 0 // it is said from the second on
	}
	head, _ := json.Marshal(struct { //nolint:errchkjson // strings always encode
		DataType      string `json:"dataType"`
		SegmentID     string `json:"segmentId"`
		SchemaID      string `json:"schemaId,omitempty"`
		SchemaVersion string `json:"schemaVersion,omitempty"`
		Attempt       uint16 `json:"attempt,omitempty"`
		Mode          string `json:"mode"`
	}{v.DataType, segment, v.SchemaID, v.SchemaVersion, attempt, v.Mode})
	return &draft{head: head[:len(head)-1]}
}

// body is what an event shows of it.
func (d *draft) body(v node.Data) []byte {
	name := `,"data":`
	if v.Mode == node.DataPatch {
		name = `,"patch":`
	}
	body := make([]byte, 0, len(d.head)+len(name)+len(v.Value)+1)
	return append(append(append(append(body, d.head...), name...), v.Value...), '}')
}

// reader is one reader's place in the chain. The page is nil once it was sent away.
type reader struct {
	page    atomic.Pointer[page]
	at      int32
	waiting atomic.Bool
	wake    chan struct{}
	late    []Event // the open segments so far, for a reader that came late
}

func newLive(kept bool) *live {
	l := &live{kept: kept}
	l.wanted.Store(kept)
	return l
}

// publish shows durable entries, once they are stored.
func (l *live) publish(d *drive, entries []journal.Entry) {
	if !l.wanted.Load() {
		return
	}
	l.mu.Lock()
	for i := range entries {
		e := l.room()
		e.Run, e.Sub, e.Entry = d.id, 0, entries[i]
		l.tail.n.Add(1)
	}
	if n := len(entries); n > 0 {
		l.at = entries[n-1].At
	}
	l.rouse()
	l.mu.Unlock()
}

// chunk shows a piece of streamed text and adds it to the whole.
func (l *live) chunk(h *host, op, text string, whole *strings.Builder) {
	l.mu.Lock()
	whole.WriteString(text)
	l.seq = h.d.m.Head()
	l.sub++
	if l.wanted.Load() {
		e := l.room()
		e.Run, e.Sub = h.d.id, l.sub
		e.Entry = journal.Entry{
			Kind: journal.TextDelta, Seq: l.seq, At: l.at, Node: h.path, Visit: h.visit, Attempt: h.attempt, Op: op, To: text,
		}
		l.tail.n.Add(1)
		l.rouse()
	}
	l.mu.Unlock()
}

// openSegment begins a segment that late readers get so far.
func (l *live) openSegment(h *host, op string, whole *strings.Builder) {
	l.mu.Lock()
	l.open = append(l.open, segment{text: whole, event: Event{Run: h.d.id, Entry: journal.Entry{
		Kind: journal.TextDelta, Node: h.path, Visit: h.visit, Attempt: h.attempt, Op: op,
	}}})
	l.mu.Unlock()
}

// data shows a patch or a snapshot of a value. It reports whether it is the first of its segment.
func (l *live) data(h *host, op string, v node.Data) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.segment(h.path, h.visit, op)
	if first = i < 0; first {
		i = len(l.open)
		l.open = append(l.open, segment{draft: newDraft(h.segment(op), h.attempt, v), event: Event{Run: h.d.id, Entry: journal.Entry{
			Kind: journal.StructuredData, Node: h.path, Visit: h.visit, Attempt: h.attempt, Op: op,
		}}})
	}
	l.open[i].draft.add(v)
	l.seq = h.d.m.Head()
	l.sub++
	if l.wanted.Load() {
		e := l.room()
		*e = l.open[i].event
		e.Sub, e.Entry.Seq, e.Entry.At, e.Entry.Body = l.sub, l.seq, l.at, l.open[i].draft.body(v)
		l.tail.n.Add(1)
		l.rouse()
	}
	return first
}

// add takes what is shown. What patches have made is taken whole before they are much longer than that.
func (d *draft) add(v node.Data) {
	d.of = v
	if v.Mode == node.DataSnapshot {
		d.ops = nil
		return
	}
	if len(d.ops)+len(v.Value) > cap(d.ops) && len(d.ops) > 4<<10 && v.Whole != nil {
		whole := v.Whole()
		d.ops = append(make([]byte, 0, max(2*len(whole), 16<<10)), `{"op":"add","path":"","value":`...)
		d.ops = append(append(d.ops, whole...), '}')
		return
	}
	if ops := bytes.TrimSuffix(bytes.TrimPrefix(v.Value, []byte("[")), []byte("]")); len(ops) > 0 {
		if len(d.ops) > 0 {
			d.ops = append(d.ops, ',')
		}
		d.ops = append(d.ops, ops...)
	}
}

// late is the value so far, as one event.
func (d *draft) late() []byte {
	v := d.of
	if v.Mode == node.DataPatch {
		v.Value = append(append([]byte("["), d.ops...), ']')
	}
	return d.body(v)
}

// segment finds an open segment; -1 for none.
func (l *live) segment(path string, visit uint32, op string) int {
	return slices.IndexFunc(l.open, func(s segment) bool {
		e := &s.event.Entry
		return e.Op == op && e.Node == path && e.Visit == visit
	})
}

// closeSegment ends a segment: all of it is in the journal. It reports whether there was one.
func (l *live) closeSegment(path string, visit uint32, op string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.segment(path, visit, op)
	if i >= 0 {
		l.open = append(l.open[:i], l.open[i+1:]...)
	}
	return i >= 0
}

// closeSegments forgets the segments that a task has left open.
func (l *live) closeSegments(path string, visit uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = slices.DeleteFunc(l.open, func(s segment) bool {
		return s.event.Entry.Node == path && s.event.Entry.Visit == visit
	})
}

// room is where the next event goes.
func (l *live) room() *Event {
	if l.tail == nil {
		l.tail = &page{}
		if l.kept {
			l.head = l.tail
			l.tail.users.Store(-1)
		}
	}
	if l.tail.n.Load() == pageLength {
		l.turn()
	}
	return &l.tail.events[l.tail.n.Load()]
}

// turn begins a new page.
func (l *live) turn() {
	var p *page
	if n := len(l.free); n > 0 {
		p, l.free = l.free[n-1], l.free[:n-1]
		p.n.Store(0)
		p.next.Store(nil)
	} else {
		p = &page{}
	}
	p.number = l.tail.number + 1
	p.users.Store(int32(len(l.readers)))
	if l.head != nil {
		p.users.Store(-1)
		if p.number-l.head.number > mostPages {
			l.head = l.head.next.Load()
		}
	}
	for i, r := range slices.Backward(l.readers) {
		if at := r.page.Load(); at != nil && p.number-at.number > mostPages {
			r.page.Store(nil)
			l.readers = append(l.readers[:i:i], l.readers[i+1:]...)
			p.users.Add(-1)
		}
	}
	l.tail.next.Store(p)
	l.tail = p
}

// rouse wakes the readers that wait.
func (l *live) rouse() {
	for _, r := range l.readers {
		if r.waiting.Load() && r.waiting.CompareAndSwap(true, false) {
			r.wake <- struct{}{}
		}
	}
}

// attach begins to read: from what comes next or, where events are kept, from the first of them.
func (l *live) attach() *reader {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &reader{wake: make(chan struct{}, 1)}
	l.room()
	at := l.tail
	r.at = at.n.Load()
	if l.head != nil {
		at, r.at, l.head = l.head, 0, nil
	}
	r.page.Store(at)
	for p := at; p != nil; p = p.next.Load() {
		if p.users.Load() >= 0 {
			p.users.Add(1)
		}
	}
	for _, s := range l.open {
		e := s.event
		e.Sub, e.Entry.Seq, e.Entry.At = max(l.sub, 1), l.seq, l.at
		if s.draft != nil {
			e.Entry.Body = s.draft.late()
		} else {
			e.soFar, e.Entry.To = true, s.text.String()
		}
		r.late = append(r.late, e)
	}
	l.readers = append(l.readers, r)
	l.wanted.Store(true)
	return r
}

func (l *live) detach(r *reader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.readers {
		if l.readers[i] == r {
			l.readers = append(l.readers[:i:i], l.readers[i+1:]...)
			break
		}
	}
	for p := r.page.Swap(nil); p != nil; p = p.next.Load() {
		p.users.Add(-1)
	}
	if len(l.readers) == 0 {
		l.wanted.Store(false)
		l.tail, l.free = nil, nil
	}
}

// leave gives a page that the reader has read through back.
func (l *live) leave(p *page) {
	if p.users.Add(-1) != 0 {
		return
	}
	l.mu.Lock()
	if len(l.free) < 4 && p != l.tail {
		l.free = append(l.free, p)
	}
	l.mu.Unlock()
}

// read calls yield for every event until it returns false, the context is done, or nothing more comes. It reports
// how it ended.
func (l *live) read(ctx context.Context, r *reader, yield func(*Event) bool) readEnd {
	idle := 0
	for {
		p := r.page.Load()
		if p == nil {
			return sentAway
		}
		for n := p.n.Load(); r.at < n; r.at++ {
			idle = 0
			if !yield(&p.events[r.at]) {
				return readerLeft
			}
			if r.page.Load() == nil {
				return sentAway
			}
		}
		if r.at == pageLength {
			next := p.next.Load()
			if next != nil {
				if !r.page.CompareAndSwap(p, next) {
					return sentAway
				}
				r.at = 0
				l.leave(p)
				continue
			}
		}
		if l.over.Load() && r.at == p.n.Load() && p.next.Load() == nil {
			return driveEnded
		}
		if idle++; idle < patienceOfReader {
			runtime.Gosched() // a writer in full flow is not made to wake anybody
			continue
		}
		r.waiting.Store(true)
		if p.n.Load() > r.at || p.next.Load() != nil || l.over.Load() || r.page.Load() == nil {
			if !r.waiting.CompareAndSwap(true, false) {
				<-r.wake
			}
			continue
		}
		select {
		case <-r.wake:
		case <-ctx.Done():
			return readerLeft
		}
	}
}

// patienceOfReader is how often a reader looks again before it goes to sleep.
const patienceOfReader = 16

// readEnd says why a reader stopped.
type readEnd uint8

const (
	readerLeft readEnd = iota
	driveEnded
	sentAway
)

// close tells the readers that nothing more comes.
func (l *live) close() {
	l.over.Store(true)
	l.mu.Lock()
	l.rouse()
	l.mu.Unlock()
}
