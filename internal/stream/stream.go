package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// Events of a run reach readers through a chain of pages. The writer fills the last page and never waits; each
// reader walks the chain at its own pace (law E3). A page that all readers have left is reused.
const (
	pageLength = 256
	mostPages  = 256 // how far a reader may fall behind before it is detached
)

// page is a part of the chain. Events up to n are written and do not change. next is set once the page is full.
type page struct {
	events [pageLength]runtype.Event // the first n are written
	n      atomic.Int32              // how many events are written
	next   atomic.Pointer[page]      // nil for the last page
	number uint64                    // position in the chain, from 0
	users  atomic.Int32              // readers that have not left it; below 0: never to be reused
}

// Stream holds the live events of an executed run. One goroutine at a time writes. The zero value has no reader, and keeps
// nothing for one that comes later.
type Stream struct {
	kept   bool        // events are kept for a first reader: those of a run that is not stored
	wanted atomic.Bool // there are readers, or will be
	over   atomic.Bool // nothing more comes

	mu      sync.Mutex // guards what follows
	tail    *page      // the page that is being written
	head    *page      // the first page kept for a first reader; nil for none
	free    []*page    // pages to reuse
	readers []*Reader  // attached
	seq     uint64     // of the last durable event
	at      int64      // time of the last durable event, in microseconds; transient ones share it, since a clock is slower than they are
	sub     uint32     // transient events since then
	open    []segment  // segments not at their end
}

// segment is text or a value that is being streamed (law E2).
type segment struct {
	event runtype.Event    // of its start
	text  *strings.Builder // text so far; nil for a value
	draft *draft           // value so far; nil for text
}

// draft is a value that is shown while it is made, for readers that come late.
type draft struct {
	head []byte        // start of each event's data: JSON up to the value
	of   nodehost.Data // the last snapshot, or the start
	ops  []byte        // patches since then: operations, joined by commas
}

func newDraft(segment string, attempt uint16, v nodehost.Data) *draft {
	if attempt == 1 {
		attempt = 0 // it is shown from the second attempt on
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

// body returns the data of an event of the draft.
func (d *draft) body(v nodehost.Data) []byte {
	name := `,"data":`
	if v.Mode == nodehost.DataPatch {
		name = `,"patch":`
	}
	body := make([]byte, 0, len(d.head)+len(name)+len(v.Value)+1)
	return append(append(append(append(body, d.head...), name...), v.Value...), '}')
}

// Reader is one reader's place in the chain.
type Reader struct {
	page    atomic.Pointer[page] // nil once the reader was detached
	at      int32                // index of the next event in the page
	waiting atomic.Bool          // the reader sleeps
	wake    chan struct{}        // wakes it
	Late    []runtype.Event      // open segments so far, for a reader that came late
}

// Keep says before the first event whether the stream keeps its events for readers that come later.
func (l *Stream) Keep(kept bool) {
	l.kept = kept
	l.wanted.Store(kept)
}

// Source is the attempt of a task that shows something.
type Source struct {
	Run     string // id of the run
	Path    string // of the task's node
	Visit   uint32 // see machine.Task
	Attempt uint16 // see machine.Task
	Head    uint64 // head of the run's journal
}

// Publish shows durable entries, once they are stored. It reports whether a reader may have them now.
func (l *Stream) Publish(run string, entries []journal.Entry) (wanted bool) {
	if !l.wanted.Load() {
		return false
	}
	l.mu.Lock()
	for i := range entries {
		e := l.room()
		e.Run, e.Sub, e.Entry = run, 0, entries[i]
		l.tail.n.Add(1)
	}
	if n := len(entries); n > 0 {
		l.at = entries[n-1].At
	}
	l.rouse()
	l.mu.Unlock()
	return true
}

// Chunk shows a piece of streamed text and adds it to whole.
func (l *Stream) Chunk(from Source, op, text string, whole *strings.Builder) {
	l.mu.Lock()
	whole.WriteString(text)
	l.seq = from.Head
	l.sub++
	if l.wanted.Load() {
		e := l.room()
		e.Run, e.Sub = from.Run, l.sub
		e.Entry = journal.Entry{
			Kind: journal.TextDelta, Seq: l.seq, At: l.at, Node: from.Path, Visit: from.Visit, Attempt: from.Attempt, Op: op, To: text,
		}
		l.tail.n.Add(1)
		l.rouse()
	}
	l.mu.Unlock()
}

// OpenSegment opens a segment for readers that come late.
func (l *Stream) OpenSegment(from Source, op string, whole *strings.Builder) {
	l.mu.Lock()
	l.open = append(l.open, segment{text: whole, event: runtype.Event{Run: from.Run, Entry: journal.Entry{
		Kind: journal.TextDelta, Node: from.Path, Visit: from.Visit, Attempt: from.Attempt, Op: op,
	}}})
	l.mu.Unlock()
}

// Data shows a patch or a snapshot of a value. It reports whether it is the first of its segment.
func (l *Stream) Data(from Source, op string, v nodehost.Data) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.segment(from.Path, from.Visit, op)
	if first = i < 0; first {
		i = len(l.open)
		l.open = append(l.open, segment{draft: newDraft(runtype.SegmentID(nodehost.TaskID(from.Path, int(from.Visit)), op), from.Attempt, v), event: runtype.Event{Run: from.Run, Entry: journal.Entry{
			Kind: journal.StructuredData, Node: from.Path, Visit: from.Visit, Attempt: from.Attempt, Op: op,
		}}})
	}
	l.open[i].draft.add(v)
	l.seq = from.Head
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

// add applies a patch or snapshot. Patches are merged once they are much longer than the value.
func (d *draft) add(v nodehost.Data) {
	d.of = v
	if v.Mode == nodehost.DataSnapshot {
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

// late returns the value so far as one event.
func (d *draft) late() []byte {
	v := d.of
	if v.Mode == nodehost.DataPatch {
		v.Value = append(append([]byte("["), d.ops...), ']')
	}
	return d.body(v)
}

// segment returns the index of an open segment; -1 for none.
func (l *Stream) segment(path string, visit uint32, op string) int {
	return slices.IndexFunc(l.open, func(s segment) bool {
		e := &s.event.Entry
		return e.Op == op && e.Node == path && e.Visit == visit
	})
}

// CloseSegment closes a segment that the journal now holds. It reports whether it was open.
func (l *Stream) CloseSegment(path string, visit uint32, op string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.segment(path, visit, op)
	if i >= 0 {
		l.open = append(l.open[:i], l.open[i+1:]...)
	}
	return i >= 0
}

// CloseSegments closes the open segments of a task.
func (l *Stream) CloseSegments(path string, visit uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = slices.DeleteFunc(l.open, func(s segment) bool {
		return s.event.Entry.Node == path && s.event.Entry.Visit == visit
	})
}

// room returns the place for the next event.
func (l *Stream) room() *runtype.Event {
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

// turn starts a new page.
func (l *Stream) turn() {
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

// rouse wakes the waiting readers.
func (l *Stream) rouse() {
	for _, r := range l.readers {
		if r.waiting.Load() && r.waiting.CompareAndSwap(true, false) {
			r.wake <- struct{}{}
		}
	}
}

// Attach adds a reader. It starts at the next event or, if events are kept, at the first of them.
func (l *Stream) Attach() *Reader {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &Reader{wake: make(chan struct{}, 1)}
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
			e.SoFar, e.Entry.To = true, s.text.String()
		}
		r.Late = append(r.Late, e)
	}
	l.readers = append(l.readers, r)
	l.wanted.Store(true)
	return r
}

// Detach takes a reader off the stream. The other readers and the writer go on.
func (l *Stream) Detach(r *Reader) {
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

// leave releases a page that the reader has read.
func (l *Stream) leave(p *page) {
	if p.users.Add(-1) != 0 {
		return
	}
	l.mu.Lock()
	if len(l.free) < 4 && p != l.tail {
		l.free = append(l.free, p)
	}
	l.mu.Unlock()
}

// Read calls yield for every event until the stream ends. That is when yield returns false, the context is done, or the
// stream is closed. It returns how it ended.
func (l *Stream) Read(ctx context.Context, r *Reader, yield func(*runtype.Event) bool) End {
	idle := 0
	for {
		p := r.page.Load()
		if p == nil {
			return FellBehind
		}
		for n := p.n.Load(); r.at < n; r.at++ {
			idle = 0
			if !yield(&p.events[r.at]) {
				return readerLeft
			}
			if r.page.Load() == nil {
				return FellBehind
			}
		}
		if r.at == pageLength {
			next := p.next.Load()
			if next != nil {
				if !r.page.CompareAndSwap(p, next) {
					return FellBehind
				}
				r.at = 0
				l.leave(p)
				continue
			}
		}
		if l.over.Load() && r.at == p.n.Load() && p.next.Load() == nil {
			return Ended
		}
		if idle++; idle < patienceOfReader {
			runtime.Gosched() // yields, so that a fast writer need not wake anybody
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

// patienceOfReader is how often a reader polls before it sleeps.
const patienceOfReader = 16

// End says why a reader stopped.
type End uint8

// The ends of reading.
const (
	readerLeft End = iota
	Ended
	FellBehind
)

// Close ends the stream.
func (l *Stream) Close() {
	l.over.Store(true)
	l.mu.Lock()
	l.rouse()
	l.mu.Unlock()
}
