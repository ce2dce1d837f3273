package value

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"

	"github.com/fermata-go/fermata/internal/canonical"
)

const (
	// defaultLimit is the largest encoding, of a value or a delta, that is made unless another limit is set.
	defaultLimit = canonical.MostBytes
	// maxDepth is how deep a value may be nested: encoding/json reads no deeper. A cycle gets there too.
	maxDepth = 10_000
	// maxParts bounds copies, for values that contain one thing over and over.
	maxParts = 1 << 27
)

// pass is one walk over a value, or over a value and its snapshot side by side. Walking changes neither: what has to
// be done to the snapshot is noted, and done when everything has gone well.
type pass struct {
	buf   []byte   // the delta so far
	todo  []todo   // updates of the snapshot, applied at the end
	parts []part   // of objects whose members are not met in order
	way   []place  // to the value in an interface that is being compared
	spare []byte   // room for a replacement
	other          // where buf is not the pass's own
	names []string // of members that are being written, each map's behind those of the map around it
	limit int      // of the delta, in bytes
	probe bool     // only whether anything differs is asked, not how
	share bool     // what is in lists, maps and behind pointers is never changed in place: see Typed.Sharing
	odd   bool     // a text is no UTF-8
	depth int      // of nested values
	count int
	err   *failure // the first one; once it is set, nothing that follows matters
}

// other is a buffer that is written in place of the pass's own.
type other struct {
	shelf []byte // the pass's own, which waits meanwhile
	alone bool   // the other one was reserved, and is handed out as it is
	again bool   // it is memory of deltas, for the next of them
}

// todo is something to be done to a snapshot: call do, or else bring the place old up to date with new.
type todo struct {
	codec    codec
	old, new unsafe.Pointer
	keep     int // of a list: how many elements stay; -1 to copy the whole
	do       func()
}

// part is a member that was written to buf[start:end].
type part struct {
	name       string
	start, end int
}

var passes = sync.Pool{New: func() any { return new(pass) }}

func newPass(limit int) *pass {
	p := passes.Get().(*pass)
	p.limit = limit
	return p
}

// release gives the pass back; its buffers may not be used any more. Very large ones are left to the collector.
func (p *pass) release() {
	const mostKept = 16 << 20
	if p.alone { // what was reserved was not handed out
		p.buf, p.alone, p.again = p.shelf, false, false
	}
	if cap(p.buf) > mostKept || cap(p.spare) > mostKept || cap(p.todo) > 1<<12 || cap(p.parts) > 1<<12 || cap(p.names) > 1<<12 {
		return
	}
	p.forget(0)
	clear(p.parts)
	clear(p.way)
	*p = pass{buf: p.buf[:0], todo: p.todo[:0], parts: p.parts[:0], way: p.way[:0], spare: p.spare[:0], names: p.names[:0]}
	passes.Put(p)
}

// distinct fails where two of the sorted names of an object's members are one name in JSON.
func (p *pass) distinct(names []string) {
	if twice, ok := twins(names); ok {
		p.fail(twinReason(twice))
	}
}

// twins finds two of sorted names that are one name in JSON.
func twins(names []string) (name string, found bool) {
	valid := true
	for i, name := range names {
		if i > 0 && name == names[i-1] {
			return name, true
		}
		valid = valid && utf8.ValidString(name)
	}
	if valid {
		return "", false
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if name = canonical.Text(name); seen[name] {
			return name, true
		}
		seen[name] = true
	}
	return "", false
}

func twinReason(name string) string {
	return "two keys of the map become the one name " + strconv.Quote(name) + " in JSON: " + canonical.OneName
}

func (p *pass) fail(reason string) {
	if p.err == nil {
		p.err = &failure{reason: reason}
	}
}

// enter goes one level down. It reports whether the walk goes on; leave goes up again in either case.
func (p *pass) enter() bool {
	p.depth++
	p.count++
	switch {
	case p.depth > maxDepth:
		p.fail("nested more than 10,000 levels deep")
	case len(p.buf) > p.limit || p.count > maxParts:
		p.tooLarge()
	}
	return p.err == nil
}

// goesOn reports whether more is to be written. Loops over parts ask it before each: what is too large is given up as soon
// as that shows (law N8).
func (p *pass) goesOn() bool {
	if len(p.buf) > p.limit {
		p.tooLarge()
	}
	return p.err == nil
}

// large reports whether what was written is too large.
func (p *pass) large() bool { return !p.goesOn() && p.err.large }

// fits reports whether n more bytes are within the limit, for what is about to be written at once.
func (p *pass) fits(n int) bool {
	if n > p.limit-len(p.buf) {
		p.tooLarge()
	}
	return p.err == nil
}

// attempt writes what is of no use where it takes more than most bytes: then it is taken back, and attempt is false.
func (p *pass) attempt(most int, write func()) bool {
	if p.err != nil {
		return false
	}
	start, limit := len(p.buf), p.limit
	p.limit = start + most
	write()
	p.goesOn()
	p.limit = limit
	if p.err != nil && p.err.large {
		p.buf, p.err = p.buf[:start], nil
		return false
	}
	return true
}

func (p *pass) leave() { p.depth-- }

func (p *pass) tooLarge() {
	if p.err == nil {
		p.err = &failure{large: true, limit: p.limit}
	}
}

// result is what was written: a copy, or the buffer that was reserved for it.
func (p *pass) result() []byte {
	if len(p.buf) == 0 {
		return nil
	}
	if data := p.handOut(); data != nil {
		return data
	}
	return slices.Clone(p.buf)
}

// apply does the recorded updates.
func (p *pass) apply() {
	p.count = 0
	for i := range p.todo {
		switch t := &p.todo[i]; {
		case t.do != nil:
			t.do()
		case t.keep >= 0:
			t.codec.(*list).extend(p, t.old, t.new, t.keep)
		default:
			t.codec.copy(p, t.old, t.new)
		}
	}
}

// replace writes that the value at new takes the place of the one at old.
func (p *pass) replace(c codec, old, new unsafe.Pointer) {
	if p.probe {
		switch c.(type) {
		case *list, *mapping, *record, *pointer, *link, *vector, *dictionary:
			p.differs()
			return
		}
	}
	p.buf = append(p.buf, "[0,"...)
	c.write(p, new)
	p.buf = append(p.buf, ']')
	p.renew(c, old, new)
}

// differs is all that a probe writes.
func (p *pass) differs() { p.buf = append(p.buf, '!') }

// renew notes that the place old is to become a copy of new.
func (p *pass) renew(c codec, old, new unsafe.Pointer) {
	p.todo = append(p.todo, todo{codec: c, old: old, new: new, keep: -1})
}

func (p *pass) later(do func()) { p.todo = append(p.todo, todo{do: do}) }

// insert puts texts in front of what was written from start on.
func (p *pass) insert(start int, texts ...string) {
	n := 0
	for _, t := range texts {
		n += len(t)
	}
	end := len(p.buf)
	p.buf = slices.Grow(p.buf, n)[:end+n]
	copy(p.buf[start+n:], p.buf[start:end])
	for _, t := range texts {
		start += copy(p.buf[start:], t)
	}
}

// shorter replaces the delta written from start on by the whole value at new, if that is shorter.
func (p *pass) shorter(c codec, old, new unsafe.Pointer, start, noted int) {
	end := len(p.buf)
	if p.attempt(end-start, func() { p.addition(c, new) }) && p.choose(start, end) {
		p.forget(noted)
		p.renew(c, old, new)
	}
}

// forget drops what was noted after the first so many.
func (p *pass) forget(noted int) {
	clear(p.todo[noted:])
	p.todo = p.todo[:noted]
}

// choose keeps the shorter of buf[start:end] and the bytes after it, and reports whether it is the latter.
func (p *pass) choose(start, end int) (second bool) {
	if len(p.buf)-end >= end-start {
		p.buf = p.buf[:end]
		return false
	}
	p.buf = append(p.buf[:start], p.buf[end:]...)
	return true
}

// member notes that what was written from start on is the delta of a member.
func (p *pass) member(name string, start int) {
	end := len(p.buf)
	p.text(name)
	p.buf = append(p.buf, ':')
	p.rotate(start, end)
	p.parts = append(p.parts, part{name, start, len(p.buf)})
}

// rotate moves what is behind end in front of buf[start:end].
func (p *pass) rotate(start, end int) {
	p.spare = append(p.spare[:0], p.buf[end:]...)
	copy(p.buf[start+len(p.spare):], p.buf[start:end])
	copy(p.buf[start:], p.spare)
}

// object makes an object's delta of the parts recorded since first and the removed names. The parts are all
// that was written from start on. Without either, it writes nothing.
func (p *pass) object(start, first int, gone []string) {
	parts := p.parts[first:]
	p.parts = p.parts[:first]
	if len(parts) == 0 && len(gone) == 0 {
		return
	}
	byName := func(a, b part) int { return strings.Compare(a.name, b.name) }
	slices.SortFunc(parts, byName)
	p.spare = append(p.spare[:0], "[1,{"...)
	for i, x := range parts {
		if i > 0 {
			p.spare = append(p.spare, ',')
		}
		p.spare = append(p.spare, p.buf[x.start:x.end]...)
	}
	p.buf = append(append(p.buf[:start], p.spare...), '}')
	clear(parts)
	slices.Sort(gone)
	for i, name := range gone {
		if i == 0 {
			p.buf = append(p.buf, ",["...)
		} else {
			p.buf = append(p.buf, ',')
		}
		p.text(name)
	}
	if len(gone) > 0 {
		p.buf = append(p.buf, ']')
	}
	p.buf = append(p.buf, ']')
}
