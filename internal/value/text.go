package value

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/fermata-go/fermata/internal/jsontext"
)

// appendString appends s as encoding/json writes it: <, > and & are escaped, and bytes that are no UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendGo(dst, s)
	return dst
}

// text appends s, and notes whether it has bytes that are no UTF-8.
func (p *pass) text(s string) {
	if len(s) > longest {
		p.long(s)
		return
	}
	var valid bool
	p.room(len(s) + 2)
	p.buf, valid = jsontext.AppendGo(p.buf, s)
	p.odd = p.odd || !valid
}

// room makes room for n bytes. A buffer that is full becomes twice as large: in smaller steps, a large one is copied often.
func (p *pass) room(n int) {
	if len(p.buf)+n > cap(p.buf) {
		p.buf = slices.Grow(p.buf, max(n, cap(p.buf)))
	}
}

// longest is how long a text may be to be written at once.
const longest = 64 << 10

// long appends a text piece by piece: one byte of it may take six.
func (p *pass) long(s string) {
	if !p.fits(len(s) + 2) {
		return
	}
	p.room(len(s) + 2)
	p.buf = append(p.buf, '"')
	for s != "" && p.goesOn() {
		n := min(len(s), longest)
		for back := 0; n < len(s) && back < utf8.UTFMax && !utf8.RuneStart(s[n]); back++ {
			n--
		}
		var valid bool
		p.buf, valid = jsontext.AppendGoInside(p.buf, s[:n])
		p.odd = p.odd || !valid
		s = s[n:]
	}
	p.buf = append(p.buf, '"')
}

// load reads eight bytes, the first lowest.
func load(s string, i int) uint64 {
	b := unsafe.Slice(unsafe.StringData(s), len(s))[i : i+8 : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// isDigits reports whether s is a JSON number without a sign, a fraction and an exponent, as most are.
func isDigits(s string) bool {
	if s == "" || s[0] == '0' && len(s) > 1 {
		return false
	}
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return true
}

// validNumber reports whether s is a JSON number.
func validNumber(s string) bool {
	if isDigits(s) {
		return true
	}
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

// commonPrefix returns the length of the common prefix of a and b, up to the end of a rune. It is 0 if that is
// not UTF-8 in both.
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
