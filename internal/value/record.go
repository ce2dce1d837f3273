package value

import (
	"reflect"
	"unsafe"
)

// record keeps a struct.
type record struct {
	fields []field
	simple []cell  // of all the fields that have nothing but cells
	others []field // the rest
	hops   []hops  // each embedded pointer, by the way to it

	transients []transient // fields that are not kept
	reach      level
	leads      bool // see leads
}

// field is a member of a record.
type field struct {
	key    string // `"name":`
	codec  codec
	at     uintptr                      // from where the last hop leads
	hops   hops                         // through embedded pointers
	absent func(at unsafe.Pointer) bool // left out by omitempty or omitzero; nil for never
	merge  *merging

	leaves level                        // how far a look goes into it
	leads  bool                         // see leads
	zero   func(at unsafe.Pointer) bool // holds nothing at all, of a field that may be left out
}

// hops is the way to a field through embedded pointers: offsets of pointers that are followed one after the other.
type hops []hop

type hop struct {
	at  uintptr
	typ reflect.Type // of the struct that the pointer leads to
}

// make is a new struct for the pointer to lead to.
func (h hop) make() unsafe.Pointer { return reflect.New(h.typ).UnsafePointer() }

// find is where the field is in a record, nil if an embedded pointer on the way is nil.
func (f *field) find(base unsafe.Pointer) unsafe.Pointer {
	for _, h := range f.hops {
		if base = *(*unsafe.Pointer)(unsafe.Add(base, h.at)); base == nil {
			return nil
		}
	}
	return unsafe.Add(base, f.at)
}

// present is where the field is, nil if it is left out.
func (f *field) present(base unsafe.Pointer) unsafe.Pointer {
	at := f.find(base)
	if at == nil || (f.absent != nil && f.absent(at)) {
		return nil
	}
	return at
}

func (r *record) write(p *pass, at unsafe.Pointer) {
	if !p.enter() {
		p.leave()
		return
	}
	next := byte('{')
	for i := range r.fields {
		f := &r.fields[i]
		if inner := f.present(at); inner != nil && p.err == nil {
			p.buf = append(append(p.buf, next), f.key...)
			f.codec.write(p, inner)
			next = ','
		}
	}
	if next == '{' {
		p.buf = append(p.buf, '{')
	}
	p.buf = append(p.buf, '}')
	p.leave()
}

func (r *record) delta(p *pass, old, new unsafe.Pointer) {
	fields := r.fields
	if len(r.simple) > 0 && sameCells(r.simple, old, new) {
		fields = r.others
	}
	if len(fields) == 0 || p.err != nil {
		return
	}
	if !p.enter() {
		p.leave()
		return
	}
	start, noted := len(p.buf), len(p.todo)
	changed, replaced, stayed, gone := 0, 0, len(r.fields)-len(fields), 0
	for i := range fields {
		f := &fields[i]
		was, is := f.present(old), f.present(new)
		before := len(p.buf)
		switch {
		case is == nil && was == nil:
			continue
		case is == nil:
			gone++
			if at := f.find(new); at != nil {
				p.renew(f.codec, was, at)
			}
			continue
		case was == nil:
			if at := f.find(old); at != nil {
				p.replace(f.codec, at, is)
			} else {
				p.addition(f.codec, is)
			}
		default:
			if f.codec.delta(p, was, is); len(p.buf) == before {
				stayed++
				continue
			}
		}
		if isReplacement(p.buf[before:]) {
			replaced++
		}
		if changed++; changed == 1 {
			p.insert(before, "[1,{", f.key)
		} else {
			p.insert(before, ",", f.key)
		}
	}
	if changed > 0 || gone > 0 {
		r.finish(p, old, new, fields, start, changed, gone)
		if stayed == 0 && replaced == changed && changed > 1 {
			p.shorter(r, old, new, start, noted)
		}
	}
	if r.hopsDiffer(old, new) {
		p.forget(noted)
		p.renew(r, old, new)
	}
	p.leave()
}

// isReplacement reports whether a delta replaces the whole.
func isReplacement(delta []byte) bool { return len(delta) > 1 && delta[1] == '0' }

// addition writes a new member of a record whose place does not exist in the snapshot yet.
func (p *pass) addition(c codec, new unsafe.Pointer) {
	p.buf = append(p.buf, "[0,"...)
	c.write(p, new)
	p.buf = append(p.buf, ']')
}

// finish ends the delta that was begun at start, and lists the members that are gone.
func (r *record) finish(p *pass, old, new unsafe.Pointer, fields []field, start, changed, gone int) {
	if changed == 0 {
		p.buf = append(p.buf[:start], "[1,{"...)
	}
	p.buf = append(p.buf, '}')
	if gone > 0 {
		next := ",["
		for i := range fields {
			f := &fields[i]
			if f.present(old) != nil && f.present(new) == nil {
				p.buf = append(p.buf, next...)
				p.buf = append(p.buf, f.key[:len(f.key)-1]...)
				next = ","
			}
		}
		p.buf = append(p.buf, ']')
	}
	p.buf = append(p.buf, ']')
}

// hopsDiffer reports whether an embedded pointer is nil in one of two records and not in the other.
func (r *record) hopsDiffer(a, b unsafe.Pointer) bool {
	for _, way := range r.hops {
		x, y := field{hops: way}, field{hops: way}
		if (x.find(a) == nil) != (y.find(b) == nil) {
			return true
		}
	}
	return false
}

func (r *record) copy(p *pass, dst, src unsafe.Pointer) {
	if !p.enter() {
		p.leave()
		return
	}
	for _, way := range r.hops {
		last := len(way) - 1
		from, to := field{hops: way[:last], at: way[last].at}, field{hops: way[:last], at: way[last].at}
		a := from.find(src)
		if a == nil {
			continue
		}
		slot := (*unsafe.Pointer)(to.find(dst))
		if *(*unsafe.Pointer)(a) == nil {
			*slot = nil
		} else {
			*slot = way[last].make()
		}
	}
	for i := range r.fields {
		f := &r.fields[i]
		if at := f.find(src); at != nil {
			f.codec.copy(p, f.find(dst), at)
		}
	}
	p.leave()
}

func (r *record) cells(at uintptr, to []cell) ([]cell, bool) {
	if len(r.others) > 0 || len(r.transients) > 0 || len(to)+len(r.simple) > mostCells {
		return nil, false
	}
	for _, c := range r.simple {
		to = append(to, cell{at + c.at, c.size})
	}
	return to, true
}
