package value

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/fermata-go/fermata/internal/persistent"
)

// This file finalizes the elements of persistent lists and maps on their way in. Such an element never changes, so that
// no look at a state has to go into a list or map again.

// Element sets the functions of a kind of elements of type t. A type that cannot be kept is not refused here: states
// with it are.
func Element(kind *persistent.Kind, t reflect.Type) {
	c := &compiler{made: make(map[variant]*link), lossy: true}
	root, err := c.compile(t, true, rootName(t))
	if err != nil {
		kind.In = func(dst, src unsafe.Pointer) bool {
			move(t, dst, src)
			return false
		}
		kind.Same = func(_, _ unsafe.Pointer) bool { return false }
		return
	}
	c.levels()
	e := &element{typ: t, codec: root, looks: root.level() > exact, copies: leads(root) || !(frozen(t) && whole(t))}
	kind.Same = e.same
	if e.copies {
		kind.Out = e.out
	}
	if e.copies || e.looks {
		kind.In = e.in
	}
}

// element finalizes and copies the elements of one type.
type element struct {
	typ    reflect.Type
	codec  codec
	looks  bool // not every value is as JSON returns it
	copies bool // assigning a value would not isolate it
}

var looks = sync.Pool{New: func() any { return new(look) }}

// in makes dst, which is zero, what decoding the JSON of src gives.
func (e *element) in(dst, src unsafe.Pointer) (fine bool) {
	defer func() {
		if r := recover(); r != nil {
			fine = false
		}
		if !fine {
			move(e.typ, dst, src)
		}
	}()
	if !e.copies {
		move(e.typ, dst, src)
	} else if e.copy(dst, src) != nil {
		return false
	}
	if !e.looks {
		return true
	}
	l := looks.Get().(*look) //nolint:forcetypeassert // nothing else is put in
	*l = look{all: true, own: true, limit: defaultLimit}
	e.codec.look(l, dst)
	odd, failed := l.odd || l.free, l.err != nil
	looks.Put(l)
	switch {
	case failed:
		return false
	case odd:
		return e.again(dst) == nil
	}
	return true
}

// out copies an element for a caller.
func (e *element) out(dst, src unsafe.Pointer) {
	defer func() {
		if r := recover(); r != nil {
			move(e.typ, dst, src)
		}
	}()
	if e.copy(dst, src) != nil {
		move(e.typ, dst, src) // it cannot be stored: the state that it is in is refused
	}
}

func (e *element) copy(dst, src unsafe.Pointer) error {
	p := newPass(defaultLimit)
	e.codec.copy(p, dst, src)
	if p.err != nil {
		return p.err
	}
	p.release()
	return nil
}

// again encodes and decodes an element in its place.
func (e *element) again(at unsafe.Pointer) error {
	p := newPass(defaultLimit)
	e.codec.write(p, at)
	if p.goesOn(); p.err != nil {
		return p.err
	}
	back := reflect.New(e.typ)
	if err := decodeJSON(p.buf, back.Interface()); err != nil {
		return fmt.Errorf("%s cannot be read back: %w", e.typ, err)
	}
	p.release()
	reflect.NewAt(e.typ, at).Elem().Set(back.Elem())
	return nil
}

// same reports whether two elements have the same JSON. Those that cannot be stored are the same as nothing.
func (e *element) same(x, y unsafe.Pointer) (same bool) {
	defer func() {
		if r := recover(); r != nil {
			same = false
		}
	}()
	p := newPass(defaultLimit)
	p.share, p.probe = true, true // elements never change
	e.codec.delta(p, x, y)
	if p.err != nil {
		return false
	}
	same = len(p.buf) == 0
	p.release()
	return same
}
