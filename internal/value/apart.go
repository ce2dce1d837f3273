package value

import (
	"cmp"
	"reflect"
	"slices"
	"unsafe"
)

// This file finds values of which two parts share memory: to change one part would change the other, and no longer does
// once the value was decoded (law N10). Such a value is encoded and decoded.

// span is memory that a part of a value may change: what a pointer leads to, a list with its spare capacity, a map.
type span struct{ from, to uintptr }

// apart is one search for spans that meet.
type apart struct {
	spans  []span
	sorted bool // spans are in order, and none meets another
	next   int  // with how many spans they are looked at: a value that shares may have very many
	depth  int
	shared bool
}

const firstLook = 1 << 10 // spans

// search begins a search. It reuses the memory of the one before.
func (k *Known) search() *apart {
	const mostKept = 1 << 16
	spans := k.spans.spans[:0]
	if cap(spans) > mostKept {
		spans = nil
	}
	k.spans = apart{spans: spans, sorted: true, next: firstLook}
	return &k.spans
}

// shares reports whether two parts of a value share memory. The value lies at an address, and takes size bytes there.
func (k *Known) shares(c codec, at unsafe.Pointer, size uintptr) bool {
	a := k.search()
	a.add(at, size)
	a.walk(c, at)
	return a.end()
}

// sharesObject is shares for an object.
func (k *Known) sharesObject(m map[string]any) bool {
	a := k.search()
	a.any(m)
	return a.end()
}

func (a *apart) end() bool {
	a.meet()
	return a.shared
}

func (a *apart) add(at unsafe.Pointer, size uintptr) {
	if size == 0 || at == nil {
		return
	}
	from := uintptr(at)
	if n := len(a.spans); a.sorted && n > 0 && a.spans[n-1].to > from {
		a.sorted = false
	}
	if a.spans = append(a.spans, span{from, from + size}); len(a.spans) >= a.next {
		a.meet()
		a.next *= 2
	}
}

// meet looks whether two spans meet.
func (a *apart) meet() {
	if a.sorted || a.shared {
		return
	}
	slices.SortFunc(a.spans, func(x, y span) int { return cmp.Compare(x.from, y.from) })
	for i := 1; i < len(a.spans); i++ {
		if a.spans[i-1].to > a.spans[i].from {
			a.shared = true
			return
		}
	}
	a.sorted = true
}

// enter goes one level down. What is nested too deep is refused by others.
func (a *apart) enter() bool {
	a.depth++
	return a.depth <= maxDepth && !a.shared
}

func (a *apart) leave() { a.depth-- }

// walk adds what a value of a codec leads to.
func (a *apart) walk(c codec, at unsafe.Pointer) {
	switch c := c.(type) {
	case *link:
		a.walk(c.codec, at)
	case quoted:
		a.walk(c.codec, at)
	case *record:
		if a.enter() {
			a.record(c, at)
		}
		a.leave()
	case *array:
		if a.enter() && references(c.elem) > 0 {
			for i := range c.len {
				a.walk(c.elem, unsafe.Add(at, uintptr(i)*c.size))
			}
		}
		a.leave()
	case *list:
		s := (*slice)(at)
		a.add(s.data, uintptr(s.cap)*c.size)
		if s.len > 0 && references(c.elem) > 0 && a.enter() {
			for i := 0; i < s.len && !a.shared; i++ {
				a.walk(c.elem, c.at(s, i))
			}
			a.leave()
		}
	case octets, raw:
		s := (*slice)(at)
		a.add(s.data, uintptr(s.cap))
	case *pointer:
		to := *(*unsafe.Pointer)(at)
		if a.add(to, c.typ.Size()); to != nil && references(c.elem) > 0 {
			if a.enter() {
				a.walk(c.elem, to)
			}
			a.leave()
		}
	case *mapping:
		a.mapping(c, at)
	case object:
		if m := *(*map[string]any)(at); m != nil {
			a.any(m)
		}
	case slot:
		a.any(*(*any)(at))
	case *coded:
		if !c.frozen {
			a.hidden(reflect.NewAt(c.typ, at).Elem())
		}
	default:
		if isTable(c) {
			a.add(*(*unsafe.Pointer)(at), 1)
		}
	}
}

func (a *apart) record(r *record, at unsafe.Pointer) {
	for _, way := range r.hops {
		to := at
		for _, h := range way {
			if to = *(*unsafe.Pointer)(unsafe.Add(to, h.at)); to == nil {
				break
			}
		}
		a.add(to, way[len(way)-1].typ.Size())
	}
	for i := range r.fields {
		f := &r.fields[i]
		if !f.leads {
			continue
		}
		if place := f.find(at); place != nil {
			a.walk(f.codec, place)
		}
	}
}

func (a *apart) mapping(m *mapping, at unsafe.Pointer) {
	v := m.value(at)
	a.add(v.UnsafePointer(), 1)
	if v.Len() == 0 || references(m.elem) < 1 || !a.enter() {
		return
	}
	value := m.newEntry().value
	for it := v.MapRange(); it.Next() && !a.shared; {
		value.SetIterValue(it)
		a.walk(m.elem, address(value))
	}
	a.leave()
}

// any adds what a settled value in an interface leads to.
func (a *apart) any(v any) {
	switch v := v.(type) {
	case map[string]any:
		a.add(*(*unsafe.Pointer)(unsafe.Pointer(&v)), 1)
		if a.enter() {
			for _, member := range v {
				if a.any(member); a.shared {
					break
				}
			}
		}
		a.leave()
	case []any:
		a.add(unsafe.Pointer(unsafe.SliceData(v)), uintptr(cap(v))*unsafe.Sizeof(any(nil)))
		if a.enter() {
			for _, elem := range v {
				if a.any(elem); a.shared {
					break
				}
			}
		}
		a.leave()
	}
}

// hidden adds what a value leads to whose type writes its JSON itself.
func (a *apart) hidden(v reflect.Value) {
	if immutable[v.Type()] || frozen(v.Type()) || v.Kind() != reflect.Struct && v.Kind() != reflect.Array && v.IsNil() {
		return
	}
	if !a.enter() {
		a.leave()
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			a.hidden(field)
		}
	case reflect.Array:
		for i := range v.Len() {
			a.hidden(v.Index(i))
		}
	case reflect.Slice:
		a.add(v.UnsafePointer(), uintptr(v.Cap())*v.Type().Elem().Size())
		for i := 0; i < v.Len() && !frozen(v.Type().Elem()); i++ {
			a.hidden(v.Index(i))
		}
	case reflect.Map:
		a.add(v.UnsafePointer(), 1)
		for it := v.MapRange(); it.Next() && !frozen(v.Type().Elem()); {
			a.hidden(it.Value())
		}
	case reflect.Pointer:
		a.add(v.UnsafePointer(), v.Type().Elem().Size())
		a.hidden(v.Elem())
	case reflect.Interface:
		a.hidden(v.Elem())
	}
	a.leave()
}

// references is how many spans the values of a codec lead to: none, one, or 2 for more.
func references(c codec) int {
	switch c := c.(type) {
	case *link: // a type that contains itself
		return 2
	case quoted:
		return references(c.codec)
	case *record:
		return c.leads
	case *array:
		return min(references(c.elem)*c.len, 2)
	case *list:
		return min(1+2*references(c.elem), 2)
	case *pointer:
		return min(1+references(c.elem), 2)
	case *mapping:
		return min(1+2*references(c.elem), 2)
	case octets, raw:
		return 1
	case slot, object:
		return 2
	case *coded:
		if !c.frozen {
			return 2
		}
		return 0
	}
	if isTable(c) {
		return 1
	}
	return 0
}
