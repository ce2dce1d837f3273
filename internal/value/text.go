package value

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// appendString appends s as encoding/json writes it: <, > and & are escaped, and bytes that are no UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst, _ = appendText(dst, s)
	return dst
}

// text appends s, and notes whether it has bytes that are no UTF-8.
func (p *pass) text(s string) {
	if len(s) > longest {
		p.long(s)
		return
	}
	var valid bool
	p.buf, valid = appendText(p.buf, s)
	p.odd = p.odd || !valid
}

// longest is how long a text may be to be written at once.
const longest = 64 << 10

// long appends a text piece by piece: one byte of it may take six.
func (p *pass) long(s string) {
	if !p.fits(len(s) + 2) {
		return
	}
	p.buf = append(slices.Grow(p.buf, len(s)+2), '"')
	for s != "" && p.goesOn() {
		n := min(len(s), longest)
		for back := 0; n < len(s) && back < utf8.UTFMax && !utf8.RuneStart(s[n]); back++ {
			n--
		}
		var valid bool
		p.buf, valid = appendEscaped(p.buf, s[:n])
		p.odd = p.odd || !valid
		s = s[n:]
	}
	p.buf = append(p.buf, '"')
}

// appendText is appendString; valid reports whether s is UTF-8.
func appendText(dst []byte, s string) (text []byte, valid bool) {
	dst, valid = appendEscaped(append(dst, '"'), s)
	return append(dst, '"'), valid
}

// appendEscaped is appendText without the quotes.
func appendEscaped(dst []byte, s string) (text []byte, valid bool) {
	const hex = "0123456789abcdef"
	valid = true
	for {
		n := plainPrefix(s)
		dst = append(dst, s[:n]...)
		if n == len(s) {
			return dst, valid
		}
		s = s[n:]
		size := 1
		switch b := s[0]; {
		case b == '"' || b == '\\':
			dst = append(dst, '\\', b)
		case b == '\n':
			dst = append(dst, `\n`...)
		case b == '\t':
			dst = append(dst, `\t`...)
		case b == '\r':
			dst = append(dst, `\r`...)
		case b == '\b':
			dst = append(dst, `\b`...)
		case b == '\f':
			dst = append(dst, `\f`...)
		case b < utf8.RuneSelf:
			dst = append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&15])
		default:
			var r rune
			r, size = utf8.DecodeRuneInString(s)
			switch {
			case r == utf8.RuneError && size == 1:
				dst, valid = append(dst, `\ufffd`...), false
			case r == '\u2028' || r == '\u2029': // line ends to JavaScript
				dst = append(dst, '\\', 'u', '2', '0', '2', hex[r&15])
			default:
				dst = append(dst, s[:size]...)
			}
		}
		s = s[size:]
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainPrefix is how many bytes at the beginning of s stand for themselves in a JSON string: all of ASCII but control
// characters, quotes, backslashes, <, > and &. It looks at eight bytes at a time, and at four times as many where it can.
func plainPrefix(s string) int {
	i := 0
	for i+32 <= len(s) && (special(load(s, i))|special(load(s, i+8))|special(load(s, i+16))|special(load(s, i+24)))&highs == 0 {
		i += 32
	}
	for ; i+8 <= len(s); i += 8 {
		if marks := special(load(s, i)) & highs; marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
	}
	for ; i < len(s); i++ {
		b := s[i]
		if b < ' ' || b >= utf8.RuneSelf || b == '"' || b == '\\' || b == '<' || b == '>' || b == '&' {
			break
		}
	}
	return i
}

// special marks, by its high bit, the lowest byte of x that does not stand for itself (and perhaps bytes above it).
func special(x uint64) uint64 {
	return x | (x - ones*' ') | zero(x^ones*'\\') |
		zero(x&^(ones*2)^ones*'<') | zero(x&^(ones*4)^ones*'"') // < and >, " and & differ in one bit each
}

// zero marks, by its high bit, the lowest byte of x that is 0 (and perhaps bytes above it), if those are below 0x80.
func zero(x uint64) uint64 { return x - ones }

// load reads eight bytes, the first lowest.
func load(s string, i int) uint64 {
	b := unsafe.Slice(unsafe.StringData(s), len(s))[i : i+8 : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// validNumber reports whether s is a JSON number.
func validNumber(s string) bool {
	i := 0
	digits := func() bool {
		start := i
		for i < len(s) && s[i]-'0' <= 9 {
			i++
		}
		return i > start
	}
	if i < len(s) && s[i] == '-' {
		i++
	}
	if zero := i < len(s) && s[i] == '0'; zero {
		i++
	} else if !digits() {
		return false
	}
	if i < len(s) && s[i] == '.' {
		i++
		if !digits() {
			return false
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(s)
}

// sameText reports whether two strings have the same JSON: bytes that are no UTF-8 are all written alike.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	if utf8.ValidString(a) && utf8.ValidString(b) {
		return false
	}
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return a == b
}

// commonPrefix is how many bytes a and b have in common at the beginning, up to the end of a rune in both, where that
// much is UTF-8 in both; else 0.
func commonPrefix(a, b string) int {
	n, most := 0, min(len(a), len(b))
	if a[:most] == b[:most] {
		n = most
	} else {
		for n+8 <= most && load(a, n) == load(b, n) {
			n += 8
		}
		for a[n] == b[n] {
			n++
		}
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	if !utf8.ValidString(a[:n]) {
		return 0
	}
	return n
}

// fewestKept is how much two strings must have in common for a delta of one to be worth while.
const fewestKept = 16

// changeString writes how one string, which has other JSON than the other, became the other.
func (p *pass) changeString(old, new string) {
	if keep := commonPrefix(old, new); keep >= fewestKept {
		p.buf = append(p.buf, "[4,"...)
		p.buf = strconv.AppendInt(p.buf, int64(keep), 10)
		p.buf = append(p.buf, ',')
		p.text(new[keep:])
		p.buf = append(p.buf, ']')
		return
	}
	p.buf = append(p.buf, "[0,"...)
	p.text(new)
	p.buf = append(p.buf, ']')
}
