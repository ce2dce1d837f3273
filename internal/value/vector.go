package value

import (
	"reflect"
	"unsafe"

	"github.com/fermata-go/fermata/internal/persistent"
)

// vector keeps a list of package state. Nobody changes its elements, so copying is assigning, and comparing costs as
// much as has changed.
type vector struct {
	elem codec   // of the elements
	size uintptr // of an element
}

// persistent is the codec of a type of package state that holds the same as a plain one.
func (c *compiler) persistent(t, plain reflect.Type, path string) (codec, error) {
	if plain.Kind() == reflect.Map {
		return c.dictionary(t, plain, path)
	}
	if isOctets(plain) {
		return nil, &Error{path, "a " + t.String() + " would be one text in JSON: use " + plain.String()}
	}
	elem, err := c.compile(plain.Elem(), true, path+"[]")
	return &vector{elem: elem, size: plain.Elem().Size()}, err
}

// isPersistent reports the codecs of package state.
func isPersistent(c codec) bool {
	switch unlink(c).(type) {
	case *vector, *dictionary:
		return true
	}
	return false
}

func listAt(at unsafe.Pointer) *persistent.List { return (*persistent.List)(at) }

func (c *vector) write(p *pass, at unsafe.Pointer) {
	if p.enter() {
		p.buf = append(p.buf, '[')
		c.items(p, listAt(at), 0)
		p.buf = append(p.buf, ']')
	}
	p.leave()
}

// items writes the elements from the given one on.
func (c *vector) items(p *pass, l *persistent.List, from int) {
	for i := from; i < l.Len(); {
		at, n := l.Run(i)
		for j := range n {
			if !p.goesOn() {
				return
			}
			if i+j > from {
				p.buf = append(p.buf, ',')
			}
			c.elem.write(p, unsafe.Add(at, uintptr(j)*c.size))
		}
		i += n
	}
}

func (c *vector) delta(p *pass, old, new unsafe.Pointer) {
	a, b := listAt(old), listAt(new)
	switch {
	case a.Same(b):
		return
	case p.probe && a.Len() != b.Len():
		p.differs()
		return
	case a.Len() == 0: // the value at the base may be null, or left out
		p.replace(c, old, new)
		return
	case !p.enter():
		p.leave()
		return
	}
	start, noted := len(p.buf), len(p.todo)
	keep := min(a.Len(), b.Len())
	edits, replaced := c.edits(p, a, b)
	if edits > 0 || a.Len() != b.Len() {
		p.kept(start, keep, edits)
		c.items(p, b, keep)
		p.buf = append(p.buf, "]]"...)
		if replaced > keep/2 {
			p.shorter(c, old, new, start, noted)
		}
	}
	p.forget(noted) // the snapshot's elements are not changed in place
	p.renew(c, old, new)
	p.leave()
}

// edits writes the changes in the elements that both lists have, as edit does.
func (c *vector) edits(p *pass, a, b *persistent.List) (edits, replaced int) {
	share := p.share
	p.share = true // what elements lead to does not change either
	persistent.Diff(a, b, func(i int, x, y unsafe.Pointer, n int) bool {
		var more int
		edits, more = edit(p, c.elem, c.size, x, y, i, n, edits)
		replaced += more
		return p.goesOn()
	})
	p.share = share
	return edits, replaced
}

func (c *vector) copy(_ *pass, dst, src unsafe.Pointer) { *listAt(dst) = *listAt(src) }

func (c *vector) cells(at uintptr, to []cell) ([]cell, bool) {
	return append(to, cell{at, unsafe.Sizeof(persistent.List{})}), true
}

func (c *vector) level() level { return c.elem.level() }

// look goes through the elements only where one of them could not be finalized. It says why, or has the value encoded.
func (c *vector) look(l *look, at unsafe.Pointer) {
	list := listAt(at)
	if list.Final() {
		return
	}
	l.notFinal(func() {
		for i := 0; i < list.Len() && l.err == nil; i++ {
			c.elem.look(l, list.At(i))
		}
	})
}

// notFinal looks at the elements of a list or map, one of which could not be finalized when it was put in.
func (l *look) notFinal(each func()) {
	all, own, free := l.all, l.away(), l.free
	l.all, l.free = true, false
	if l.enter() {
		each()
	}
	l.leave()
	l.odd = l.odd || l.free // a copy of the value would not mend it
	l.all, l.own, l.free = all, own, free
}
