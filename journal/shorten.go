package journal

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// shorts are the texts that one byte stands for in a shortened Body: how its members begin. The bytes are control
// characters; JSON has only white space of them, and white space is not used here. The table is part of the stored format
// (law J9): a change needs a new format. It pays for paused runs, whose rows are never packed: see docs/adr/068.
var shorts = [32]string{
	0x01: `{"requestId":"`, 0x02: `","run":"`, 0x03: `","task":"`, 0x04: `","op":"`,
	0x05: `"kind":"`, 0x06: `,"input":`, 0x07: `,"requestSchema":`, 0x08: `,"responseSchema":`,
	0x0b: `,"prompt":"`, 0x0c: `,"options":[`, 0x0e: `,"requiredRole":"`, 0x0f: `,"opened":`,
	0x10: `,"deadline":`, 0x11: `,"atDeadline":`, 0x12: `,"tokenHash":"`, 0x13: `,"state":"`,
	0x14: `{"plan":"`, 0x15: `,"planVersion":"`, 0x16: `,"planKind":"`, 0x17: `,"fingerprint":"`,
	0x18: `,"topology":`, 0x19: `,"definition":"`, 0x1a: `{"error":"`, 0x1b: `,"code":"`,
	0x1c: `{"do":"`, 0x1d: `{"status":"`, 0x1e: `{"reason":"`, 0x1f: `","by":"`,
}

// telling is the place of the byte that tells the texts apart which begin like a text.
func telling(first byte) int {
	if first == '"' { // `","run":"`
		return 3
	}
	return 2 // `{"run":"` and `,"run":"`
}

// candidates has the bits of the texts whose telling byte is b, so that most places of a Body are looked at once.
var candidates = func() (sets [256]uint32) {
	for b, s := range shorts {
		if s != "" {
			sets[s[telling(s[0])]] |= 1 << b
		}
	}
	return sets
}()

// minShort is the length from which on a Body is shortened.
const minShort = 32

// canShorten reports whether a Body is long enough, and has no byte that stands for a text.
func canShorten(body []byte) bool {
	if len(body) < minShort {
		return false
	}
	return !slices.ContainsFunc(body, func(b byte) bool { return int(b) < len(shorts) && shorts[b] != "" })
}

func appendBody(dst, body []byte, short bool) []byte {
	if !short {
		dst = binary.AppendUvarint(dst, uint64(len(body)))
		return append(dst, body...)
	}
	var buf [512]byte
	body = shorten(buf[:0], body)
	dst = binary.AppendUvarint(dst, uint64(len(body)))
	return append(dst, body...)
}

func shorten(dst, body []byte) []byte {
	from := 0 // of what is copied as it is
	for i := 0; i < len(body); {
		short, n := shortAt(body[i:])
		if n == 0 {
			i++
			continue
		}
		dst = append(append(dst, body[from:i]...), short)
		i += n
		from = i
	}
	return append(dst, body[from:]...)
}

// shortAt returns the byte that stands for the beginning of text, and the length of that beginning; 0 for none.
func shortAt(text []byte) (short byte, n int) {
	first := text[0]
	if first != '{' && first != ',' && first != '"' {
		return 0, 0
	}
	at := telling(first)
	if len(text) <= at {
		return 0, 0
	}
	for set := candidates[text[at]]; set != 0; set &= set - 1 {
		b := bits.TrailingZeros32(set)
		if s := shorts[b]; len(text) >= len(s) && string(text[:len(s)]) == s {
			return byte(b), len(s)
		}
	}
	return 0, 0
}

// lengthen undoes shorten. A text is at most eighteen times as long as its stored form.
func lengthen(body []byte) []byte {
	if len(body) == 0 {
		return nil
	}
	n := 0
	for _, b := range body {
		if n++; int(b) < len(shorts) && shorts[b] != "" {
			n += len(shorts[b]) - 1
		}
	}
	long, from := make([]byte, 0, n), 0
	for i, b := range body {
		if int(b) < len(shorts) && shorts[b] != "" {
			long = append(append(long, body[from:i]...), shorts[b]...)
			from = i + 1
		}
	}
	return append(long, body[from:]...)
}
