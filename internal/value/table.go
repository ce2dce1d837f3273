package value

import (
	"maps"
	"slices"
	"unsafe"
)

// table keeps a map from strings to scalars without reflection.
type table[V comparable] struct{ elem codec }

func (c table[V]) write(p *pass, at unsafe.Pointer) {
	m := *(*map[string]V)(at)
	if m == nil {
		p.buf = append(p.buf, "null"...)
		return
	}
	next := byte('{')
	var v V
	keys := slices.Sorted(maps.Keys(m))
	p.distinct(keys)
	for _, k := range keys {
		if !p.goesOn() {
			return
		}
		p.buf = append(p.buf, next)
		p.text(k)
		p.buf = append(p.buf, ':')
		v, next = m[k], ','
		c.elem.write(p, unsafe.Pointer(&v))
	}
	if next == '{' {
		p.buf = append(p.buf, '{')
	}
	p.buf = append(p.buf, '}')
}

func (c table[V]) delta(p *pass, old, new unsafe.Pointer) {
	a, b := *(*map[string]V)(old), *(*map[string]V)(new)
	if (a == nil) != (b == nil) {
		p.replace(c, old, new)
		return
	}
	if p.share && *(*unsafe.Pointer)(old) == *(*unsafe.Pointer)(new) {
		return
	}
	start, first, noted, kept := len(p.buf), len(p.parts), len(p.todo), 0
	for k, v := range b {
		was, ok := a[k]
		if ok {
			kept++
			if was == v {
				continue
			}
		}
		if c.change(p, a, k, was, v, ok); !p.goesOn() {
			return
		}
	}
	gone := missing(p, a, b, kept)
	if len(p.parts)+len(gone) > first && !(validKeys(a) && validKeys(b)) {
		p.takeBack(start, first, noted)
		p.rewrite(c, old, new)
		return
	}
	p.object(start, first, gone)
}

// change writes the delta of one member.
func (c table[V]) change(p *pass, a map[string]V, k string, was, is V, ok bool) {
	before, noted := len(p.buf), len(p.todo)
	both := &[2]V{was, is}
	if ok {
		c.elem.delta(p, unsafe.Pointer(&both[0]), unsafe.Pointer(&both[1]))
	} else {
		p.replace(c.elem, unsafe.Pointer(&both[0]), unsafe.Pointer(&both[1]))
	}
	p.forget(noted)
	if len(p.buf) > before {
		p.member(k, before)
	}
	p.later(func() { a[k] = is })
}

func (table[V]) copy(p *pass, dst, src unsafe.Pointer) {
	if p.share {
		*(*map[string]V)(dst) = *(*map[string]V)(src)
		return
	}
	*(*map[string]V)(dst) = maps.Clone(*(*map[string]V)(src))
}

func (table[V]) cells(uintptr, []cell) ([]cell, bool) { return nil, false }
