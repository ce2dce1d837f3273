package value

import (
	"encoding/json"
	"reflect"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/fermata-go/fermata/internal/canonical"
)

// This file looks at what has parts: maps, lists and structs.

func (m *mapping) level() level {
	if m.byName {
		return loose
	}
	if m.typ.Key().Kind() == reflect.String {
		return max(texts, m.elem.level())
	}
	return m.elem.level()
}

func (m *mapping) look(l *look, at unsafe.Pointer) {
	v := m.value(at)
	if v.IsNil() || l.share && l.known.seen.skip(v.UnsafePointer(), v.Len()) == v.Len() && v.Len() > 0 {
		return
	}
	own := l.away()
	if l.enter() {
		e, inner := m.newEntry(), l.wants(m.elem.level())
		for it := v.MapRange(); it.Next() && l.err == nil; {
			e.key.SetIterKey(it)
			m.lookKey(l, e.key)
			if inner {
				e.value.SetIterValue(it)
				m.elem.look(l, address(e.value))
			}
		}
	}
	l.leave()
	l.own = own
}

// lookKey looks at a key, which may be read back as another one.
func (m *mapping) lookKey(l *look, key reflect.Value) {
	switch {
	case !m.byName:
		if l.all && key.Kind() == reflect.String && !l.valid(key.String()) {
			l.odd = true
		}
	case !m.sameKey(key):
		l.odd = true
	}
}

// sameKey reports whether a key that writes its name itself is read back as what it is.
func (m *mapping) sameKey(key reflect.Value) bool {
	name, err := m.name(key)
	if err != nil || !utf8.ValidString(name) {
		return false // writing it says why
	}
	if t, ok := reflect.TypeAssert[time.Time](key); ok {
		return canonical.IsTime(t)
	}
	text, err := json.Marshal(map[string]int{name: 0})
	if err != nil {
		return false
	}
	back := reflect.New(reflect.MapOf(m.typ.Key(), reflect.TypeFor[int]()))
	if err := canonical.Decode(text, back.Interface()); err != nil || back.Elem().Len() != 1 {
		return false
	}
	return reflect.DeepEqual(back.Elem().MapKeys()[0].Interface(), key.Interface())
}

func (l *list) level() level { return l.elem.level() }

func (l *list) look(w *look, at unsafe.Pointer) {
	s := (*slice)(at)
	if s.len == 0 || !w.wants(l.elem.level()) {
		return
	}
	from := 0
	if w.share {
		from = w.known.seen.skip(s.data, s.len)
	}
	own := w.away()
	if w.enter() {
		for i := from; i < s.len && w.err == nil; i++ {
			l.elem.look(w, l.at(s, i))
		}
	}
	w.leave()
	w.own = own
}

func (c *array) level() level { return c.elem.level() }

func (c *array) look(l *look, at unsafe.Pointer) {
	if l.enter() {
		for i := 0; i < c.len && l.wants(c.elem.level()) && l.err == nil; i++ {
			c.elem.look(l, unsafe.Add(at, uintptr(i)*c.size))
		}
	}
	l.leave()
}

func (r *record) level() level { return r.reach }

func (r *record) look(l *look, at unsafe.Pointer) {
	if !l.enter() {
		l.leave()
		return
	}
	for i := range r.transients {
		t := &r.transients[i]
		if place := t.find(at); place != nil && !t.zero(place) {
			l.empty(t.typ, place)
		}
	}
	for i := range r.fields {
		f := &r.fields[i]
		if f.leaves == exact || !l.wants(f.leaves) {
			continue
		}
		place := f.find(at)
		if place == nil {
			continue
		}
		own := l.own
		l.own = own && len(f.hops) == 0
		if f.absent != nil && f.absent(place) {
			if !f.zero(place) {
				l.empty(f.merge.typ, place)
			}
		} else {
			f.codec.look(l, place)
		}
		l.own = own
	}
	if len(r.hops) > 0 && r.hollow(at) {
		l.odd = true
	}
	l.leave()
}

// empty makes a place the zero value of its type.
func (l *look) empty(t reflect.Type, at unsafe.Pointer) {
	if l.own {
		reflect.NewAt(t, at).Elem().SetZero()
		l.dirty = true
		return
	}
	l.odd = true
}

// hollow reports whether an embedded pointer leads to a struct of which nothing is written: it is read back as nil.
func (r *record) hollow(at unsafe.Pointer) bool {
	for _, way := range r.hops {
		f := field{hops: way}
		if f.find(at) == nil {
			continue
		}
		written := false
		for i := range r.fields {
			f := &r.fields[i]
			written = written || len(f.hops) >= len(way) && startsWith(f.hops, way) && f.present(at) != nil
		}
		if !written {
			return true
		}
	}
	return false
}

func startsWith(all, first hops) bool {
	for i := range first {
		if all[i] != first[i] {
			return false
		}
	}
	return true
}
