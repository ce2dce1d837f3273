package journal

import "encoding/binary"

// shorts are what one byte stands for in a Body that was shortened: how members of the bodies begin. The bytes are
// control characters, which JSON text has only as white space, and those are left out. They are part of the stored
// format; a change needs a new format.
var shorts = [32]string{
	0x01: `{"requestId":"`, 0x02: `","run":"`, 0x03: `","task":"`, 0x04: `","op":"`,
	0x05: `"kind":"`, 0x06: `,"input":`, 0x07: `,"requestSchema":`, 0x08: `,"responseSchema":`,
	0x0b: `,"prompt":"`, 0x0c: `,"options":[`, 0x0e: `,"requiredRole":"`, 0x0f: `,"opened":`,
	0x10: `,"deadline":`, 0x11: `,"atDeadline":`, 0x12: `,"tokenHash":"`, 0x13: `,"state":"`,
	0x14: `{"plan":"`, 0x15: `,"planVersion":"`, 0x16: `,"planKind":"`, 0x17: `,"fingerprint":"`,
	0x18: `,"topology":`, 0x19: `,"definition":"`, 0x1a: `{"error":"`, 0x1b: `,"code":"`,
	0x1c: `{"do":"`, 0x1d: `{"status":"`, 0x1e: `{"reason":"`, 0x1f: `","by":"`,
}

// minShort is the length from which on a Body is shortened.
const minShort = 32

// canShorten reports whether none of a Body's bytes is one that stands for something.
func canShorten(body []byte) bool {
	if len(body) < minShort {
		return false
	}
	for _, b := range body {
		if int(b) < len(shorts) && shorts[b] != "" {
			return false
		}
	}
	return true
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
	for i := 0; i < len(body); {
		if b, n := shortAt(body[i:]); n > 0 {
			dst = append(dst, b)
			i += n
			continue
		}
		dst = append(dst, body[i])
		i++
	}
	return dst
}

// shortAt is the byte that stands for what text begins with, and how much that is; 0 for none.
func shortAt(text []byte) (short byte, n int) {
	if first := text[0]; first != '{' && first != ',' && first != '"' {
		return 0, 0
	}
	for b, s := range shorts {
		if s != "" && len(text) >= len(s) && string(text[:len(s)]) == s {
			return byte(b), len(s)
		}
	}
	return 0, 0
}

// lengthen undoes shorten. No text gets longer than eighteen times what is stored of it.
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
	long := make([]byte, 0, n)
	for _, b := range body {
		if int(b) < len(shorts) && shorts[b] != "" {
			long = append(long, shorts[b]...)
		} else {
			long = append(long, b)
		}
	}
	return long
}
