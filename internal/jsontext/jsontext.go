package jsontext

import (
	"math/bits"
	"unicode/utf8"
)

const hex = "0123456789abcdef"

// Append appends s, which is UTF-8, as a JSON string with no more escapes than JSON asks for.
func Append[T string | []byte](dst []byte, s T) []byte {
	return append(AppendInside(append(dst, '"'), s), '"')
}

// AppendInside is [Append] without the quotes, for a text that is written piece by piece.
func AppendInside[T string | []byte](dst []byte, s T) []byte {
	for {
		n := plain(s)
		dst = append(dst, s[:n]...)
		if n == len(s) {
			return dst
		}
		switch b := s[n]; b {
		case '"', '\\':
			dst = append(dst, '\\', b)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&15])
		}
		s = s[n+1:]
	}
}

// AppendGo appends s as encoding/json writes it. It escapes <, > and &, and writes bytes that are not UTF-8 as U+FFFD.
// valid reports whether s is UTF-8.
func AppendGo(dst []byte, s string) (text []byte, valid bool) {
	dst, valid = AppendGoInside(append(dst, '"'), s)
	return append(dst, '"'), valid
}

// AppendGoInside is [AppendGo] without the quotes, for a text that is written piece by piece.
func AppendGoInside(dst []byte, s string) (text []byte, valid bool) {
	valid = true
	for {
		n := plainGo(s)
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

// GoLength returns the length of s as encoding/json writes it, without quotes. It may stop counting beyond most.
func GoLength(s string, most int) (n int) {
	for i := 0; i < len(s) && n <= most; {
		switch b := s[i]; {
		case b >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if n += size; r == utf8.RuneError && size == 1 {
				n += 5
			} else if r == '\u2028' || r == '\u2029' {
				n += 3
			}
			i += size
			continue
		case b == '"' || b == '\\' || b == '\n' || b == '\r' || b == '\t' || b == '\b' || b == '\f':
			n += 2
		case b < ' ' || b == '<' || b == '>' || b == '&':
			n += 6
		default:
			n++
		}
		i++
	}
	return n
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain is how many bytes at the beginning of s stand for themselves in a JSON string: all but control characters, quotes and
// backslashes. It looks at eight bytes at a time.
func plain[T string | []byte](s T) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		x := load(s[i : i+8])
		quote, slash := x^ones*'"', x^ones*'\\'
		if marks := ((x-ones*' ')&^x | (quote-ones)&^quote | (slash-ones)&^slash) & highs; marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
	}
	for ; i < len(s); i++ {
		if b := s[i]; b < ' ' || b == '"' || b == '\\' {
			break
		}
	}
	return i
}

// plainGo is plain for what encoding/json writes: bytes that are no ASCII, <, > and & are looked at, too. It looks at eight bytes at
// a time, and at four times as many where it can.
func plainGo(s string) int {
	i := 0
	for i+32 <= len(s) && (special(load(s[i:i+8]))|special(load(s[i+8:i+16]))|special(load(s[i+16:i+24]))|special(load(s[i+24:i+32])))&highs == 0 {
		i += 32
	}
	for ; i+8 <= len(s); i += 8 {
		if marks := special(load(s[i:i+8])) & highs; marks != 0 {
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

// load reads eight bytes, the first lowest. The compiler makes one load of them.
func load[T string | []byte](b T) uint64 {
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
