package value

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"unsafe"

	"github.com/fermata-go/fermata/internal/canonical"
)

// boolean keeps a bool.
type boolean struct{}

func (boolean) write(p *pass, at unsafe.Pointer) { p.buf = strconv.AppendBool(p.buf, *(*bool)(at)) }

func (c boolean) delta(p *pass, old, new unsafe.Pointer) {
	if *(*bool)(old) != *(*bool)(new) {
		p.replace(c, old, new)
	}
}

func (boolean) copy(_ *pass, dst, src unsafe.Pointer) { *(*bool)(dst) = *(*bool)(src) }

func (boolean) cells(at uintptr, to []cell) ([]cell, bool) { return append(to, cell{at, 1}), true }

// number keeps an integer or a float of the Go type T.
type number[T word] struct{}

type word interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

func (number[T]) write(p *pass, at unsafe.Pointer) {
	switch v := any(*(*T)(at)).(type) {
	case int8:
		p.buf = strconv.AppendInt(p.buf, int64(v), 10)
	case int16:
		p.buf = strconv.AppendInt(p.buf, int64(v), 10)
	case int32:
		p.buf = strconv.AppendInt(p.buf, int64(v), 10)
	case int64:
		p.buf = strconv.AppendInt(p.buf, v, 10)
	case uint8:
		p.buf = strconv.AppendUint(p.buf, uint64(v), 10)
	case uint16:
		p.buf = strconv.AppendUint(p.buf, uint64(v), 10)
	case uint32:
		p.buf = strconv.AppendUint(p.buf, uint64(v), 10)
	case uint64:
		p.buf = strconv.AppendUint(p.buf, v, 10)
	case float32:
		p.float(float64(v), 32)
	case float64:
		p.float(v, 64)
	}
}

// float appends a float; one that is not a number, or infinite, fails.
func (p *pass) float(f float64, size int) {
	if !isFinite(f) {
		p.fail(notFinite(f))
		return
	}
	p.buf = canonical.AppendFloat(p.buf, f, size)
}

func notFinite(f float64) string {
	return strconv.FormatFloat(f, 'g', -1, 64) + " has no JSON form: expected a finite number"
}

func (c number[T]) delta(p *pass, old, new unsafe.Pointer) {
	if !sameBits(old, new, unsafe.Sizeof(T(0))) { // 0 and -0 differ
		p.replace(c, old, new)
	}
}

func (number[T]) copy(_ *pass, dst, src unsafe.Pointer) { *(*T)(dst) = *(*T)(src) }

func (number[T]) cells(at uintptr, to []cell) ([]cell, bool) {
	return append(to, cell{at, unsafe.Sizeof(T(0))}), true
}

// str keeps a string.
type str struct{}

func (str) write(p *pass, at unsafe.Pointer) { p.text(*(*string)(at)) }

func (c str) delta(p *pass, old, new unsafe.Pointer) {
	a, b := *(*string)(old), *(*string)(new)
	if a == b {
		return
	}
	if !sameText(a, b) {
		p.changeString(a, b)
	} else {
		p.odd = true
	}
	p.renew(c, old, new)
}

func (str) copy(_ *pass, dst, src unsafe.Pointer) { *(*string)(dst) = *(*string)(src) }

func (str) cells(at uintptr, to []cell) ([]cell, bool) { return append(to, cell{at, 0}), true }

// numeral keeps a json.Number.
type numeral struct{}

// numeralText is what encoding/json writes for a json.Number.
func numeralText(n json.Number) (text string, ok bool) {
	if n == "" {
		return "0", true
	}
	return string(n), validNumber(string(n))
}

func (numeral) write(p *pass, at unsafe.Pointer) { p.numeral(*(*json.Number)(at)) }

func (p *pass) numeral(n json.Number) {
	text, ok := numeralText(n)
	if !ok {
		p.fail(badNumeral(n))
		return
	}
	p.buf = append(p.buf, text...)
}

func badNumeral(n json.Number) string {
	return "expected a number, found the json.Number " + strconv.Quote(string(n))
}

func (c numeral) delta(p *pass, old, new unsafe.Pointer) {
	a, _ := numeralText(*(*json.Number)(old))
	b, _ := numeralText(*(*json.Number)(new))
	if a != b {
		p.replace(c, old, new)
	}
}

func (numeral) copy(_ *pass, dst, src unsafe.Pointer) { *(*json.Number)(dst) = *(*json.Number)(src) }

func (numeral) cells(at uintptr, to []cell) ([]cell, bool) { return append(to, cell{at, 0}), true }

// quoted keeps a scalar that is written inside a string, for the tag option "string".
type quoted struct{ codec }

func (c quoted) write(p *pass, at unsafe.Pointer) {
	start := len(p.buf)
	if c.codec.write(p, at); !p.goesOn() {
		return
	}
	if p.buf[start] == '"' {
		inner := string(p.buf[start:])
		p.buf = append(p.buf[:start], '"')
		for _, b := range []byte(inner) { // it is escaped already, but for quotes and backslashes
			if b == '"' || b == '\\' {
				p.buf = append(p.buf, '\\')
			}
			p.buf = append(p.buf, b)
		}
	} else {
		p.insert(start, `"`)
	}
	p.buf = append(p.buf, '"')
}

func (c quoted) delta(p *pass, old, new unsafe.Pointer) {
	cells, _ := c.cells(0, make([]cell, 0, 1))
	if sameCells(cells, old, new) {
		return
	}
	if cells[0].size == 0 && sameText(*(*string)(old), *(*string)(new)) {
		p.odd = true
		return
	}
	p.replace(c, old, new)
}

// octets keeps a []byte, which is written in base64.
type octets struct{}

func (octets) write(p *pass, at unsafe.Pointer) {
	b := *(*[]byte)(at)
	if b == nil {
		p.buf = append(p.buf, "null"...)
		return
	}
	if !p.fits(base64.StdEncoding.EncodedLen(len(b))) {
		return
	}
	p.buf = append(p.buf, '"')
	p.buf = base64.StdEncoding.AppendEncode(p.buf, b)
	p.buf = append(p.buf, '"')
}

func (c octets) delta(p *pass, old, new unsafe.Pointer) {
	a, b := *(*[]byte)(old), *(*[]byte)(new)
	if (a == nil) == (b == nil) && string(a) == string(b) {
		return
	}
	keep := 0 // of the encoded bytes: three bytes are four of them
	for n := min(len(a), len(b)) / 3 * 3; keep/4*3 < n && string(a[keep/4*3:keep/4*3+3]) == string(b[keep/4*3:keep/4*3+3]); {
		keep += 4
	}
	if keep < fewestKept {
		p.replace(c, old, new)
		return
	}
	if !p.fits(base64.StdEncoding.EncodedLen(len(b) - keep/4*3)) {
		return
	}
	p.buf = append(p.buf, "[4,"...)
	p.buf = strconv.AppendInt(p.buf, int64(keep), 10)
	p.buf = append(p.buf, `,"`...)
	p.buf = base64.StdEncoding.AppendEncode(p.buf, b[keep/4*3:])
	p.buf = append(p.buf, `"]`...)
	if len(a) <= len(b) && string(a) == string(b[:len(a)]) {
		n := len(a)
		p.later(func() { *(*[]byte)(old) = append((*(*[]byte)(old))[:n], (*(*[]byte)(new))[n:]...) })
		return
	}
	p.renew(c, old, new)
}

func (octets) copy(_ *pass, dst, src unsafe.Pointer) {
	b := *(*[]byte)(src)
	if b == nil {
		*(*[]byte)(dst) = nil
		return
	}
	*(*[]byte)(dst) = append(make([]byte, 0, len(b)), b...)
}

func (octets) cells(uintptr, []cell) ([]cell, bool) { return nil, false }
