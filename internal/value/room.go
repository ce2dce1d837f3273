package value

import (
	"encoding/json"
	"strings"
	"unsafe"
)

// This file makes room for a large value before it is written, so that its buffer is the result. A buffer that grows is
// copied again and again, and once more to be handed out.

const (
	// handedOver is from how many bytes on a buffer is handed out as it is.
	handedOver = 32 << 10
	// mostGuessed bounds the parts of a value that are looked at beforehand.
	mostGuessed = 1 << 16
	// mostReused is how many bytes of memory are kept for the next delta.
	mostReused = 4 << 20
)

// expect makes room for the value at a place, if it is large. What is written then is handed out by result.
func (p *pass) expect(c codec, at unsafe.Pointer) {
	g := guess{left: mostGuessed}
	g.of(c, at)
	p.reserve(g.bytes)
}

// expectAny is expect for a value in an interface.
func (p *pass) expectAny(v any) {
	g := guess{left: mostGuessed}
	g.any(v)
	p.reserve(g.bytes)
}

// reserve takes a buffer of its own for at least n bytes more. Some texts take more than they are long.
func (p *pass) reserve(n int) {
	n += n / 32
	if n < handedOver || n > p.limit-len(p.buf) || n <= cap(p.buf)-len(p.buf) && p.alone {
		return
	}
	made := append(unwritten(len(p.buf)+n), p.buf...)
	if !p.alone {
		p.shelf, p.alone = p.buf[:0], true
	}
	p.buf = made
}

// expectItems makes room for the elements of a list from the given one on.
func (p *pass) expectItems(l *list, s *slice, from int) {
	g := guess{left: mostGuessed}
	g.items(s.len-from, func(i int) { g.of(l.elem, l.at(s, from+i)) })
	p.reserve(g.bytes)
}

// unwritten is memory for n bytes or more that nobody has set to zero: for large values that takes as long as to write them.
func unwritten(n int) []byte {
	var b strings.Builder // the standard library's way to such memory
	b.Grow(n)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), b.Cap())[:0]
}

// handOut is a buffer that was reserved, as it is; nil where it is much too large, or there is none.
func (p *pass) handOut() []byte {
	n := len(p.buf)
	if !p.alone || cap(p.buf)-n > n/8 {
		return nil
	}
	data := p.buf[:n:n]
	p.buf, p.shelf, p.alone = p.shelf[:0], nil, false
	return data
}

// deltas is memory that one delta after another is written to. While a delta is in use, others have memory of their own.
type deltas struct {
	free []byte // of the last delta, which nobody uses any more; nil for none
	used []byte // of the delta that is in use; nil for none
}

// writeTo has the delta written to the memory of the last one.
func (p *pass) writeTo(d *deltas) {
	if d != nil && d.free != nil {
		p.shelf, p.buf, p.alone, p.again = p.buf, d.free[:0], true, true
		d.free = nil
	}
}

// result is the delta that a pass has written.
func (d *deltas) result(p *pass) []byte {
	switch {
	case d == nil:
		return p.result()
	case !p.again:
		data := p.result()
		if d.used == nil && d.free == nil {
			d.used = data
		}
		return data
	}
	n, data := len(p.buf), p.buf
	p.buf, p.shelf, p.alone, p.again = p.shelf, nil, false, false
	if n == 0 {
		d.free = data
		return nil
	}
	d.used = data
	return data[:n:n]
}

// Reuse takes back the memory of a delta that nobody uses any more. Other memory is left alone.
func (k *Known) Reuse(data []byte) {
	d := &k.deltas
	if len(data) == 0 || len(d.used) == 0 || &data[0] != &d.used[0] {
		return
	}
	if cap(d.used) <= mostReused {
		d.free = d.used[:0]
	}
	d.used = nil
}

// Rest lets go of the memory of deltas.
func (k *Known) Rest() { k.deltas = deltas{} }

// guess counts bytes of JSON that a value takes at least, without looking at its texts.
type guess struct {
	bytes int
	left  int // parts that may still be looked at
}

func (g *guess) of(c codec, at unsafe.Pointer) {
	g.left--
	switch c := c.(type) {
	case *link:
		g.of(c.codec, at)
	case *record:
		for i := 0; i < len(c.fields) && g.left > 0; i++ {
			f := &c.fields[i]
			if place := f.present(at); place != nil {
				g.bytes += len(f.key) + 1
				g.of(f.codec, place)
			}
		}
	case *list:
		s := (*slice)(at)
		g.items(s.len, func(i int) { g.of(c.elem, c.at(s, i)) })
	case *pointer:
		if to := *(*unsafe.Pointer)(at); to != nil && g.left > 0 {
			g.of(c.elem, to)
		}
	case str:
		g.bytes += len(*(*string)(at)) + 2
	case octets:
		g.bytes += len(*(*[]byte)(at))
	case raw:
		g.bytes += len(*(*json.RawMessage)(at)) / 2 // it may be written in fewer
	case slot:
		g.any(*(*any)(at))
	case object:
		g.any(*(*map[string]any)(at))
	default:
		g.bytes++
	}
}

// items counts n elements. Those that there is no more time to look at are taken to be like the others.
func (g *guess) items(n int, look func(i int)) {
	before, i := g.bytes, 0
	for ; i < n && g.left > 0; i++ {
		g.bytes++
		look(i)
	}
	if 0 < i && i < n {
		g.bytes += (g.bytes - before) / i * (n - i)
	}
}

func (g *guess) any(v any) {
	g.left--
	switch v := v.(type) {
	case string:
		g.bytes += len(v) + 2
	case json.Number:
		g.bytes += len(v)
	case []any:
		g.items(len(v), func(i int) { g.any(v[i]) })
	case map[string]any:
		for k, e := range v {
			if g.left <= 0 {
				return
			}
			g.bytes += len(k) + 4
			g.any(e)
		}
	default:
		g.bytes++
	}
}
