package value

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"
)

// mapping keeps a map of any type.
type mapping struct {
	typ  reflect.Type                            // of the map
	elem codec                                   // of the members
	name func(key reflect.Value) (string, error) // of the member that a key becomes
	// byName says that keys which are not equal to Go may have the same name, so that a snapshot's are found by name.
	byName bool
	spare  sync.Pool // of *entry
}

// entry holds a key and its value outside of a map.
type entry struct {
	key, value reflect.Value
}

func newMapping(t reflect.Type, elem codec) *mapping {
	m := &mapping{typ: t, elem: elem}
	m.spare.New = func() any { return m.newEntry() }
	switch k := t.Key(); {
	case k.Kind() == reflect.String:
		m.name = func(key reflect.Value) (string, error) { return key.String(), nil }
	case k.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		m.byName = true
		m.name = textName
	case k.Kind() <= reflect.Int64:
		m.name = func(key reflect.Value) (string, error) { return strconv.FormatInt(key.Int(), 10), nil }
	default:
		m.name = func(key reflect.Value) (string, error) { return strconv.FormatUint(key.Uint(), 10), nil }
	}
	return m
}

func textName(key reflect.Value) (string, error) {
	if key.Kind() == reflect.Pointer && key.IsNil() {
		return "", nil
	}
	text, err := key.Interface().(encoding.TextMarshaler).MarshalText()
	return string(text), err
}

func (m *mapping) newEntry() *entry {
	return &entry{reflect.New(m.typ.Key()).Elem(), reflect.New(m.typ.Elem()).Elem()}
}

func (m *mapping) value(at unsafe.Pointer) reflect.Value { return reflect.NewAt(m.typ, at).Elem() }

// named is a member of a map that is being written.
type named struct {
	name  string
	entry *entry
}

func (m *mapping) write(p *pass, at unsafe.Pointer) {
	v := m.value(at)
	if v.IsNil() {
		p.buf = append(p.buf, "null"...)
		return
	}
	if !p.enter() {
		p.leave()
		return
	}
	members := make([]named, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		e := m.newEntry()
		e.key.SetIterKey(it)
		e.value.SetIterValue(it)
		name, err := m.name(e.key)
		if err != nil {
			p.fail("the key's MarshalText: " + err.Error())
		}
		members = append(members, named{name, e})
	}
	slices.SortFunc(members, func(a, b named) int { return strings.Compare(a.name, b.name) })
	names := make([]string, len(members))
	for i := range members {
		names[i] = members[i].name
	}
	p.distinct(names)
	p.buf = append(p.buf, '{')
	for i, x := range members {
		if !p.goesOn() {
			break
		}
		if i > 0 {
			p.buf = append(p.buf, ',')
		}
		p.text(x.name)
		p.buf = append(p.buf, ':')
		m.elem.write(p, x.entry.value.Addr().UnsafePointer())
	}
	p.buf = append(p.buf, '}')
	p.leave()
}

func (m *mapping) delta(p *pass, old, new unsafe.Pointer) {
	a, b := m.value(old), m.value(new)
	if a.IsNil() != b.IsNil() {
		p.replace(m, old, new)
		return
	}
	if p.share && a.UnsafePointer() == b.UnsafePointer() {
		return
	}
	if p.enter() && !a.IsNil() {
		m.members(p, a, b, old, new)
	}
	p.leave()
}

// members writes what changed from one map to another, neither of them nil.
func (m *mapping) members(p *pass, a, b reflect.Value, old, new unsafe.Pointer) {
	start, first, noted := len(p.buf), len(p.parts), len(p.todo)
	known, ok := m.names(a)
	kept := 0
	if ok {
		kept, ok = m.changes(p, a, b, known)
	}
	var gone []string
	if ok && kept < a.Len() {
		gone = m.gone(p, a, b, known)
	}
	if len(p.parts)+len(gone) > first {
		ok = ok && m.validNames(a) && m.validNames(b)
	}
	if !ok {
		p.takeBack(start, first, noted)
		p.rewrite(m, old, new)
		return
	}
	p.object(start, first, gone)
}

// validNames reports whether all names are UTF-8, see validKeys.
func (m *mapping) validNames(v reflect.Value) bool {
	if m.typ.Key().Kind() != reflect.String && !m.byName {
		return true // digits
	}
	for it := v.MapRange(); it.Next(); {
		if name, _ := m.name(it.Key()); !utf8.ValidString(name) {
			return false
		}
	}
	return true
}

// takeBack forgets what was written and noted from some point on.
func (p *pass) takeBack(start, first, noted int) {
	p.buf, p.parts = p.buf[:start], p.parts[:first]
	p.forget(noted)
}

// rewrite replaces a map with keys that JSON does not tell apart, if it is written differently.
func (p *pass) rewrite(c codec, old, new unsafe.Pointer) {
	start := len(p.buf)
	c.write(p, old)
	mid := len(p.buf)
	c.write(p, new)
	same := sameJSON(p.buf[start:mid], p.buf[mid:])
	p.buf = p.buf[:start]
	if !same {
		p.replace(c, old, new)
	}
}

// sameJSON compares texts as a decoder sees them. Texts that differ as such are rare here: it is not fast then.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errA := inOrder(a)
	y, errB := inOrder(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}

func inOrder(text []byte) ([]byte, error) {
	var v any
	if err := decodeJSON(text, &v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// names lists the keys of a snapshot by name where that is how they are found. It reports false when two have the
// same name.
func (m *mapping) names(a reflect.Value) (known map[string]reflect.Value, ok bool) {
	if !m.byName {
		return nil, true
	}
	known = make(map[string]reflect.Value, a.Len())
	for it := a.MapRange(); it.Next(); {
		name, err := m.name(it.Key())
		if _, twice := known[name]; twice || err != nil {
			return nil, false
		}
		known[name] = it.Key()
	}
	return known, true
}

// changes writes what is new or changed in b, and counts the members that a has too. It reports false when the names of
// the keys are not to be relied on.
func (m *mapping) changes(p *pass, a, b reflect.Value, known map[string]reflect.Value) (kept int, ok bool) {
	is, was := m.spare.Get().(*entry), m.spare.Get().(*entry)
	defer func() {
		for _, e := range []*entry{is, was} {
			e.key.SetZero()
			e.value.SetZero()
			m.spare.Put(e)
		}
	}()
	var seen map[string]bool
	if m.byName {
		seen = make(map[string]bool, b.Len())
	}
	for it := b.MapRange(); p.goesOn() && it.Next(); {
		is.key.SetIterKey(it)
		key, name := is.key, ""
		if m.byName {
			var err error
			if name, err = m.name(key); err != nil {
				p.fail("the key's MarshalText: " + err.Error())
				break
			}
			if seen[name] {
				return 0, false
			}
			seen[name] = true
			if k, ok := known[name]; ok {
				key = k
			}
		}
		found := a.MapIndex(key)
		if found.IsValid() {
			kept++
			is.value.SetIterValue(it)
			was.value.Set(found)
			before, noted := len(p.buf), len(p.todo)
			m.elem.delta(p, address(was.value), address(is.value))
			if len(p.buf) == before && len(p.todo) == noted {
				continue
			}
			p.buf = p.buf[:before]
			p.forget(noted)
		}
		if !m.byName {
			name, _ = m.name(key)
		}
		m.change(p, a, it, name, key, found)
	}
	return kept, true
}

func address(v reflect.Value) unsafe.Pointer { return v.Addr().UnsafePointer() }

// change writes the delta of one member, from copies that stay until the snapshot is updated.
func (m *mapping) change(p *pass, a reflect.Value, it *reflect.MapIter, name string, key, found reflect.Value) {
	is, was := m.newEntry(), m.newEntry()
	is.value.SetIterValue(it)
	was.key.Set(key)
	before := len(p.buf)
	if found.IsValid() {
		was.value.Set(found)
		m.elem.delta(p, address(was.value), address(is.value))
	} else {
		p.replace(m.elem, address(was.value), address(is.value))
	}
	if len(p.buf) > before {
		p.member(name, before)
	}
	p.later(func() { a.SetMapIndex(was.key, was.value) })
}

// gone lists the members of a that b does not have.
func (m *mapping) gone(p *pass, a, b reflect.Value, known map[string]reflect.Value) (names []string) {
	if !m.byName {
		for it := a.MapRange(); it.Next(); {
			if !b.MapIndex(it.Key()).IsValid() {
				name, _ := m.name(it.Key())
				names = append(names, name)
				m.drop(p, a, it.Key())
			}
		}
		return names
	}
	left := make(map[string]bool, b.Len())
	for it := b.MapRange(); it.Next(); {
		name, _ := m.name(it.Key())
		left[name] = true
	}
	for name, key := range known {
		if !left[name] {
			names = append(names, name)
			m.drop(p, a, key)
		}
	}
	return names
}

func (m *mapping) drop(p *pass, a, key reflect.Value) {
	p.later(func() { a.SetMapIndex(key, reflect.Value{}) })
}

func (m *mapping) copy(p *pass, dst, src unsafe.Pointer) {
	v := m.value(src)
	if v.IsNil() {
		m.value(dst).SetZero()
		return
	}
	if p.share {
		m.value(dst).Set(v)
		return
	}
	if p.enter() {
		made := reflect.MakeMapWithSize(m.typ, v.Len())
		from, to := m.newEntry(), m.newEntry()
		for it := v.MapRange(); it.Next() && p.err == nil; {
			from.key.SetIterKey(it)
			from.value.SetIterValue(it)
			to.value.SetZero()
			m.elem.copy(p, address(to.value), address(from.value))
			made.SetMapIndex(from.key, to.value)
		}
		m.value(dst).Set(made)
	}
	p.leave()
}

func (m *mapping) cells(uintptr, []cell) ([]cell, bool) { return nil, false }
