package value

import (
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/fermata-go/fermata/internal/persistent"
)

// dictionary keeps a map of package state, as vector keeps a list.
type dictionary struct {
	elem codec // of the values
}

func (c *compiler) dictionary(t, plain reflect.Type, path string) (codec, error) {
	if key := plain.Key(); key.Implements(textMarshaler) || reflect.PointerTo(key).Implements(textUnmarshaler) {
		return nil, &Error{path, "keys of type " + key.String() + " write or read themselves, and those of a " + t.String() +
			" do not: use a type without MarshalText and UnmarshalText"}
	}
	elem, err := c.compile(plain.Elem(), false, path+"[]")
	return &dictionary{elem: elem}, err
}

func mapAt(at unsafe.Pointer) *persistent.Map { return (*persistent.Map)(at) }

func (c *dictionary) write(p *pass, at unsafe.Pointer) {
	if !p.enter() {
		p.leave()
		return
	}
	m, next := mapAt(at), byte('{')
	member := func(key string, value unsafe.Pointer) bool {
		p.buf = append(p.buf, next)
		p.text(key)
		p.buf = append(p.buf, ':')
		c.elem.write(p, value)
		next = ','
		return p.goesOn()
	}
	if m.Numeric() {
		each := make([]valued, 0, m.Len())
		m.Each(func(key string, value unsafe.Pointer) bool {
			each = append(each, valued{key, value})
			return true
		})
		slices.SortFunc(each, func(a, b valued) int { return strings.Compare(a.key, b.key) })
		for _, x := range each {
			if !member(x.key, x.value) {
				break
			}
		}
	} else {
		m.Each(member)
	}
	if next == '{' {
		p.buf = append(p.buf, '{')
	}
	p.buf = append(p.buf, '}')
	p.leave()
}

// valued is a member of a map that is being written.
type valued struct {
	key   string
	value unsafe.Pointer
}

func (c *dictionary) delta(p *pass, old, new unsafe.Pointer) {
	a, b := mapAt(old), mapAt(new)
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
	start, first, noted, share := len(p.buf), len(p.parts), len(p.todo), p.share
	p.share = true
	var gone []string
	persistent.DiffMaps(a, b, func(key string, x, y unsafe.Pointer) bool {
		before := len(p.buf)
		switch {
		case p.probe && (x == nil || y == nil):
			p.differs()
			return false
		case y == nil:
			gone = append(gone, key)
		case x == nil:
			p.addition(c.elem, y)
		default:
			c.elem.delta(p, x, y)
		}
		if len(p.buf) > before {
			p.member(key, before)
		}
		return p.goesOn()
	})
	p.share = share
	p.object(start, first, gone)
	p.forget(noted)
	p.renew(c, old, new)
	p.leave()
}

func (c *dictionary) copy(_ *pass, dst, src unsafe.Pointer) { *mapAt(dst) = *mapAt(src) }

func (c *dictionary) cells(at uintptr, to []cell) ([]cell, bool) {
	return append(to, cell{at, unsafe.Sizeof(persistent.Map{})}), true
}

func (c *dictionary) level() level { return c.elem.level() }

func (c *dictionary) look(l *look, at unsafe.Pointer) {
	m := mapAt(at)
	if m.Final() {
		return
	}
	l.notFinal(func() {
		m.Each(func(_ string, value unsafe.Pointer) bool {
			c.elem.look(l, value)
			return l.err == nil
		})
	})
}
