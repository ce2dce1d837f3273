package schema

import (
	"bytes"
	"math"
	"slices"
	"strconv"
)

// deepest is how deep a value may be nested to be accepted at once; encoding/json itself stops at 10,000.
const deepest = 500

// reader reads JSON from start to end. Its methods return the offset behind what they read, or -1 for a no.
type reader struct {
	data []byte
}

// accepts reports whether the text is certainly a JSON value that the shape allows.
func (sh *shape) accepts(text []byte) bool {
	r := reader{text}
	end := r.value(sh, r.space(0), 0)
	return end >= 0 && r.space(end) == len(text)
}

func (r *reader) space(i int) int {
	for i < len(r.data) {
		switch r.data[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

func (r *reader) value(sh *shape, i, depth int) int {
	if i >= len(r.data) || depth > deepest {
		return -1
	}
	end := -1
	for _, other := range sh.all {
		if end = r.value(other, i, depth+1); end < 0 {
			return -1
		}
	}
	if len(sh.any) > 0 {
		if end = r.fitsOne(sh.any, i, depth+1); end < 0 {
			return -1
		}
	}
	if sh.bare {
		return end
	}
	switch c := r.data[i]; {
	case c == '"':
		return r.string(sh, i)
	case c == '{':
		return r.object(sh, i, depth)
	case c == '[':
		return r.array(sh, i, depth)
	case c == 't':
		return r.literal(sh, i, "true", aBoolean)
	case c == 'f':
		return r.literal(sh, i, "false", aBoolean)
	case c == 'n':
		return r.literal(sh, i, "null", aNull)
	default:
		return r.number(sh, i)
	}
}

func (r *reader) fitsOne(shapes []*shape, i, depth int) int {
	for _, sh := range shapes {
		if end := r.value(sh, i, depth); end >= 0 {
			return end
		}
	}
	return -1
}

func (r *reader) literal(sh *shape, i int, text string, kind kinds) int {
	if sh.kinds&kind == 0 || !bytes.HasPrefix(r.data[i:], []byte(text)) || !sh.literal(text) {
		return -1
	}
	return i + len(text)
}

func (r *reader) string(sh *shape, i int) int {
	if sh.kinds&aString == 0 {
		return -1
	}
	end, plain := r.quoted(i)
	if end < 0 || !sh.text(r.data[i+1:end-1], plain) {
		return -1
	}
	return end
}

// quoted reads a string that begins at i; plain reports that it has no escapes.
func (r *reader) quoted(i int) (end int, plain bool) {
	plain = true
	for i++; i < len(r.data); i++ {
		switch c := r.data[i]; {
		case c == '"':
			return i + 1, plain
		case c < ' ':
			return -1, false
		case c == '\\':
			plain = false
			i++
			if i >= len(r.data) {
				return -1, false
			}
			switch r.data[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if i+4 >= len(r.data) || !isHex(r.data[i+1:i+5]) {
					return -1, false
				}
				i += 4
			default:
				return -1, false
			}
		}
	}
	return -1, false
}

func isHex(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') })
}

func (r *reader) array(sh *shape, i, depth int) int {
	if sh.kinds&anArray == 0 {
		return -1
	}
	n := 0
	i = r.space(i + 1)
	if i < len(r.data) && r.data[i] == ']' {
		i++
	} else {
		for more := true; more; n++ {
			if i = r.value(sh.items, i, depth+1); i < 0 {
				return -1
			}
			if i, more = r.next(i, ']'); i < 0 {
				return -1
			}
		}
	}
	if n < sh.minItems || (sh.maxItems >= 0 && n > sh.maxItems) {
		return -1
	}
	return i
}

// next reads what follows an item or a member: a comma, and there is more, or the end.
func (r *reader) next(i int, end byte) (behind int, more bool) {
	i = r.space(i)
	if i >= len(r.data) {
		return -1, false
	}
	switch r.data[i] {
	case ',':
		return r.space(i + 1), true
	case end:
		return i + 1, false
	}
	return -1, false
}

func (r *reader) object(sh *shape, i, depth int) int {
	if sh.kinds&anObject == 0 {
		return -1
	}
	var seen uint64
	i = r.space(i + 1)
	if i < len(r.data) && r.data[i] == '}' {
		i++
	} else {
		guess := 0 // members mostly come in one order
		for more := true; more; {
			if i >= len(r.data) || r.data[i] != '"' {
				return -1
			}
			end, plain := r.quoted(i)
			if end < 0 || !plain {
				return -1
			}
			inner := sh.others
			if at := sh.find(r.data[i+1:end-1], guess); at >= 0 {
				if seen&(1<<at) != 0 {
					return -1 // twice
				}
				seen |= 1 << at
				guess, inner = at+1, sh.members[at].shape
			}
			i = r.space(end)
			if inner == nil || i >= len(r.data) || r.data[i] != ':' {
				return -1
			}
			if i = r.value(inner, r.space(i+1), depth+1); i < 0 {
				return -1
			}
			if i, more = r.next(i, '}'); i < 0 {
				return -1
			}
		}
	}
	if seen&sh.required != sh.required {
		return -1
	}
	return i
}

func (sh *shape) find(name []byte, guess int) int {
	if guess < len(sh.members) && sh.members[guess].name == string(name) {
		return guess
	}
	for i := range sh.members {
		if sh.members[i].name == string(name) {
			return i
		}
	}
	return -1
}

// longestNumber is longer than any int64 and most floats; what is longer is left to the full check.
const longestNumber = 25

func (r *reader) number(sh *shape, i int) int {
	if sh.kinds&aNumber == 0 {
		return -1
	}
	end, whole := r.digits(i)
	if end < 0 || end-i > longestNumber {
		return -1
	}
	text := r.data[i:end]
	if whole {
		if n, ok := integer(text); ok && n >= sh.least && n <= sh.most {
			return end
		}
		return -1
	}
	if sh.kinds&aFraction == 0 {
		return -1
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(f > sh.above && f < sh.below) {
		return -1
	}
	if math.Abs(f) < 1/maxPlain && bytes.ContainsAny(text, "eE") { // 0, or so small that it may have become 0
		return -1
	}
	return end
}

// digits reads a number; whole reports that it has neither fraction nor exponent.
func (r *reader) digits(i int) (end int, whole bool) {
	d := r.data
	if i < len(d) && d[i] == '-' {
		i++
	}
	first := i
	for i < len(d) && d[i]-'0' <= 9 {
		i++
	}
	if i == first || (d[first] == '0' && i > first+1) {
		return -1, false
	}
	whole = true
	if i < len(d) && d[i] == '.' {
		whole = false
		first = i + 1
		for i++; i < len(d) && d[i]-'0' <= 9; i++ {
		}
		if i == first {
			return -1, false
		}
	}
	if i < len(d) && d[i]|0x20 == 'e' {
		whole = false
		i++
		if i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		first = i
		for ; i < len(d) && d[i]-'0' <= 9; i++ {
		}
		if i == first {
			return -1, false
		}
	}
	return i, whole
}

// integer reads what digits found to be whole, if it is less than a billion billions, and not -0, which no unsigned
// type takes.
func integer(text []byte) (n int64, ok bool) {
	negative := text[0] == '-'
	if negative {
		text = text[1:]
	}
	if len(text) > 18 {
		return 0, false
	}
	for _, c := range text {
		n = n*10 + int64(c-'0')
	}
	if negative {
		return -n, n != 0
	}
	return n, true
}
