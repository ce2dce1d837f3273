package value

import (
	"bytes"
	"encoding/json"
	"reflect"
	"unsafe"

	"github.com/fermata-go/fermata/internal/canonical"
)

// pointer keeps a pointer: null, or what it leads to.
type pointer struct {
	typ  reflect.Type // of what it leads to
	elem codec        // of the value that it leads to

	present bool // null, where it is written, is a value that is there
}

func (c *pointer) write(p *pass, at unsafe.Pointer) {
	to := *(*unsafe.Pointer)(at)
	if to == nil {
		p.buf = append(p.buf, "null"...)
		return
	}
	if p.enter() {
		c.elem.write(p, to)
	}
	p.leave()
}

func (c *pointer) delta(p *pass, old, new unsafe.Pointer) {
	a, b := *(*unsafe.Pointer)(old), *(*unsafe.Pointer)(new)
	switch {
	case a == nil && b == nil, p.share && a == b:
	case a == nil || b == nil:
		p.replace(c, old, new)
	default:
		if p.enter() {
			c.elem.delta(p, a, b)
		}
		p.leave()
	}
}

func (c *pointer) copy(p *pass, dst, src unsafe.Pointer) {
	from := *(*unsafe.Pointer)(src)
	if from == nil {
		*(*unsafe.Pointer)(dst) = nil
		return
	}
	if p.share {
		*(*unsafe.Pointer)(dst) = from
		return
	}
	if p.enter() {
		to := reflect.New(c.typ).UnsafePointer()
		c.elem.copy(p, to, from)
		*(*unsafe.Pointer)(dst) = to
	}
	p.leave()
}

func (c *pointer) cells(uintptr, []cell) ([]cell, bool) { return nil, false }

// coded keeps a value that writes and reads its JSON by methods of its own. It is one thing: equal when it is written
// alike, and replaced as a whole.
type coded struct {
	typ    reflect.Type // with JSON of its own
	frozen bool         // assigning copies it in full
}

// text is what encoding/json writes. A value that could not be read back fails.
func (c *coded) text(p *pass, at unsafe.Pointer) []byte {
	text, err := json.Marshal(reflect.NewAt(c.typ, at).Interface())
	if err != nil {
		p.fail(err.Error())
		return nil
	}
	if !c.frozen {
		if err := json.Unmarshal(text, reflect.New(c.typ).Interface()); err != nil {
			p.fail("what its own code writes cannot be read back: " + err.Error())
		}
	}
	return text
}

func (c *coded) write(p *pass, at unsafe.Pointer) {
	if p.err == nil {
		p.buf = append(p.buf, c.text(p, at)...)
	}
}

func (c *coded) delta(p *pass, old, new unsafe.Pointer) {
	if p.err != nil || (c.frozen && sameBits(old, new, c.typ.Size())) {
		return
	}
	a, b := c.text(p, old), c.text(p, new)
	if !bytes.Equal(a, b) { // the order of members may mean something to the type
		p.buf = append(append(append(p.buf, "[0,"...), b...), ']')
		p.renew(c, old, new)
	} else if c.frozen {
		p.renew(c, old, new) // of other bits: let the next look be a glance
	}
}

func (c *coded) copy(p *pass, dst, src unsafe.Pointer) {
	to := reflect.NewAt(c.typ, dst)
	if c.frozen || p.share {
		to.Elem().Set(reflect.NewAt(c.typ, src).Elem())
		return
	}
	text := c.text(p, src)
	if p.err != nil {
		return
	}
	to.Elem().SetZero()
	if err := canonical.Decode(text, to.Interface()); err != nil {
		p.fail("what its own code writes cannot be read back: " + err.Error())
	}
}

func (c *coded) cells(at uintptr, to []cell) ([]cell, bool) {
	size := c.typ.Size()
	if !c.frozen || size == 0 {
		return nil, false
	}
	return append(to, cell{at, size}), true
}

// raw keeps a json.RawMessage.
type raw struct{}

func (raw) text(p *pass, at unsafe.Pointer) []byte {
	v := *(*json.RawMessage)(at)
	if !p.fits(canonical.Compact(v)) {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		p.fail("expected JSON in the json.RawMessage: " + err.Error())
	}
	return text
}

func (c raw) write(p *pass, at unsafe.Pointer) { p.buf = append(p.buf, c.text(p, at)...) }

func (c raw) delta(p *pass, old, new unsafe.Pointer) {
	a, b := *(*json.RawMessage)(old), *(*json.RawMessage)(new)
	if bytes.Equal(a, b) && (a == nil) == (b == nil) {
		return
	}
	if text := c.text(p, new); !bytes.Equal(c.text(p, old), text) {
		p.buf = append(append(append(p.buf, "[0,"...), text...), ']')
	}
	p.renew(c, old, new)
}

func (raw) copy(p *pass, dst, src unsafe.Pointer) {
	if p.share {
		*(*json.RawMessage)(dst) = *(*json.RawMessage)(src)
		return
	}
	*(*json.RawMessage)(dst) = bytes.Clone(*(*json.RawMessage)(src))
}

func (raw) cells(uintptr, []cell) ([]cell, bool) { return nil, false }

// sealed keeps an interface with methods. Only nil can be read back into one.
type sealed struct{ typ reflect.Type }

func (c sealed) write(p *pass, at unsafe.Pointer) {
	if c.isNil(at) {
		p.buf = append(p.buf, "null"...)
		return
	}
	p.fail(c.reason())
}

func (c sealed) reason() string {
	return "a value in the interface " + c.typ.String() + " cannot be read back: use a concrete type, or any"
}

func (c sealed) isNil(at unsafe.Pointer) bool { return reflect.NewAt(c.typ, at).Elem().IsNil() }

func (c sealed) delta(p *pass, _, new unsafe.Pointer) {
	if !c.isNil(new) {
		p.fail(c.reason())
	}
}

func (c sealed) copy(p *pass, dst, src unsafe.Pointer) {
	if !c.isNil(src) {
		p.fail(c.reason())
		return
	}
	reflect.NewAt(c.typ, dst).Elem().SetZero()
}

func (c sealed) cells(uintptr, []cell) ([]cell, bool) { return nil, false }
