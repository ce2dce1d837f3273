package value

import (
	"reflect"
	"strconv"
	"unsafe"
)

// slice is how a slice lies in memory.
type slice struct {
	data unsafe.Pointer
	len  int
	cap  int
}

// list keeps a slice.
type list struct {
	typ   reflect.Type // of the slice
	elem  codec        // of the elements
	size  uintptr      // of an element
	plain bool         // assigning an element copies it in full
}

// stride is how many elements are compared at a time, as memory.
const stride = 32

func (l *list) at(s *slice, i int) unsafe.Pointer { return unsafe.Add(s.data, uintptr(i)*l.size) }

func (l *list) write(p *pass, at unsafe.Pointer) {
	s := (*slice)(at)
	if s.data == nil {
		p.buf = append(p.buf, "null"...)
		return
	}
	if p.enter() {
		p.buf = append(p.buf, '[')
		l.items(p, s, 0)
		p.buf = append(p.buf, ']')
	}
	p.leave()
}

// items writes the elements from the given one on.
func (l *list) items(p *pass, s *slice, from int) {
	for i := from; i < s.len && p.goesOn(); i++ {
		if i > from {
			p.buf = append(p.buf, ',')
		}
		l.elem.write(p, l.at(s, i))
	}
}

func (l *list) delta(p *pass, old, new unsafe.Pointer) {
	a, b := (*slice)(old), (*slice)(new)
	if (a.data == nil) != (b.data == nil) {
		p.replace(l, old, new)
		return
	}
	if p.share && a.data == b.data && a.len == b.len {
		return
	}
	if p.probe && a.len != b.len {
		p.differs()
		return
	}
	if !p.enter() {
		p.leave()
		return
	}
	start, noted := len(p.buf), len(p.todo)
	keep := min(a.len, b.len)
	edits, replaced := 0, 0
	if !p.share || a.data != b.data {
		edits, replaced = edit(p, l.elem, l.size, a.data, b.data, 0, keep, 0)
	}
	if edits > 0 || a.len != b.len {
		p.kept(start, keep, edits)
		p.expectItems(l, b, keep)
		l.items(p, b, keep)
		p.buf = append(p.buf, "]]"...)
		if a.len != b.len {
			p.todo = append(p.todo, todo{codec: l, old: old, new: new, keep: keep})
		}
		if replaced > keep/2 {
			p.shorter(l, old, new, start, noted)
		}
	}
	p.leave()
}

// kept begins the delta of a list that keeps its first elements. Their edits were written from start on; what is added follows.
func (p *pass) kept(start, keep, edits int) {
	if edits == 0 {
		p.buf = append(p.buf, "[2,"...)
	} else {
		p.insert(start, "[3,{")
		p.buf = append(p.buf, "},"...)
	}
	p.buf = strconv.AppendInt(p.buf, int64(keep), 10)
	p.buf = append(p.buf, ",["...)
}

// edit writes the changes in n elements of two lists, the first of which has the index given, as members of an
// unopened object that has some already. It counts all changes and the replaced elements. Each address is computed
// from the start: one past the end, even if never read, would mislead the garbage collector.
func edit(p *pass, elem codec, size uintptr, a, b unsafe.Pointer, first, n, before int) (edits, replaced int) {
	edits = before
	for i := 0; i < n && p.goesOn(); {
		far, at := min(i+stride, n), uintptr(i)*size
		if sameBits(unsafe.Add(a, at), unsafe.Add(b, at), uintptr(far-i)*size) {
			i = far
			continue
		}
		for ; i < far; i++ {
			at, before := uintptr(i)*size, len(p.buf)
			x, y := unsafe.Add(a, at), unsafe.Add(b, at)
			if sameBits(x, y, size) {
				continue
			}
			if elem.delta(p, x, y); len(p.buf) > before {
				if isReplacement(p.buf[before:]) {
					replaced++
				}
				p.editAt(first+i, before, edits > 0)
				edits++
			}
		}
	}
	return edits, replaced
}

// editAt makes what was written from start on the edit of the element i.
func (p *pass) editAt(i, start int, more bool) {
	comma := `"`
	if more {
		comma = `,"`
	}
	p.insert(start, comma, strconv.Itoa(i), `":`)
}

// extend brings the list of a snapshot to the length of the new one: its first elements stay, the others are copied.
func (l *list) extend(p *pass, old, new unsafe.Pointer, keep int) {
	a, b := (*slice)(old), (*slice)(new)
	v := reflect.NewAt(l.typ, old).Elem()
	if a.len > keep {
		v.Slice(keep, a.len).Clear() // let go of what is no longer there
		a.len = keep
	}
	if b.len == keep {
		return
	}
	if a.cap < b.len {
		v.Grow(b.len - a.len)
	}
	a.len = b.len
	l.fill(p, a, b, keep)
}

// fill copies the elements from the given one on.
func (l *list) fill(p *pass, dst, src *slice, from int) {
	if l.plain && src.len-from > 1 {
		a, b := reflect.NewAt(l.typ, unsafe.Pointer(dst)).Elem(), reflect.NewAt(l.typ, unsafe.Pointer(src)).Elem()
		reflect.Copy(a.Slice(from, dst.len), b.Slice(from, src.len))
		return
	}
	for i := from; i < src.len && p.err == nil; i++ {
		l.elem.copy(p, l.at(dst, i), l.at(src, i))
	}
}

func (l *list) copy(p *pass, dst, src unsafe.Pointer) {
	s := (*slice)(src)
	if s.data == nil {
		*(*slice)(dst) = slice{}
		return
	}
	if p.share {
		*(*slice)(dst) = slice{s.data, s.len, s.len} // what is appended goes elsewhere
		return
	}
	if p.enter() {
		made := reflect.MakeSlice(l.typ, s.len, s.len)
		d := slice{made.UnsafePointer(), s.len, s.len}
		l.fill(p, &d, s, 0)
		*(*slice)(dst) = d
	}
	p.leave()
}

func (l *list) cells(uintptr, []cell) ([]cell, bool) { return nil, false }

// array keeps a Go array, which never changes its length.
type array struct {
	elem codec   // of the elements
	size uintptr // of an element
	len  int     // number of elements
}

func (c *array) write(p *pass, at unsafe.Pointer) {
	if p.enter() {
		p.buf = append(p.buf, '[')
		for i := 0; i < c.len && p.goesOn(); i++ {
			if i > 0 {
				p.buf = append(p.buf, ',')
			}
			c.elem.write(p, unsafe.Add(at, uintptr(i)*c.size))
		}
		p.buf = append(p.buf, ']')
	}
	p.leave()
}

func (c *array) delta(p *pass, old, new unsafe.Pointer) {
	if !p.enter() {
		p.leave()
		return
	}
	start, noted := len(p.buf), len(p.todo)
	edits, replaced := edit(p, c.elem, c.size, old, new, 0, c.len, 0)
	if edits > 0 {
		p.insert(start, "[3,{")
		p.buf = append(p.buf, "},"...)
		p.buf = strconv.AppendInt(p.buf, int64(c.len), 10)
		p.buf = append(p.buf, ",[]]"...)
		if replaced > c.len/2 {
			p.shorter(c, old, new, start, noted)
		}
	}
	p.leave()
}

func (c *array) copy(p *pass, dst, src unsafe.Pointer) {
	if p.enter() {
		for i := range c.len {
			at := uintptr(i) * c.size
			c.elem.copy(p, unsafe.Add(dst, at), unsafe.Add(src, at))
		}
	}
	p.leave()
}

func (c *array) cells(at uintptr, to []cell) ([]cell, bool) {
	if c.len > mostCells {
		return nil, false
	}
	for i := range c.len {
		var all bool
		if to, all = c.elem.cells(at+uintptr(i)*c.size, to); !all || len(to) > mostCells {
			return nil, false
		}
	}
	return to, true
}
