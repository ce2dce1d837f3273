package machine

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// coder writes a machine as bytes, or reads it from them. One description of each part serves both, so that they cannot
// differ. After the first error it does nothing more.
type coder struct {
	m       *Machine         // what is written, or read into
	reading bool             // it reads; else it writes
	data    []byte           // what was written, or what is left to read
	layout  [layoutSize]byte // how the plan numbers its nodes and values
	err     error            // the first error

	taskAt  map[*Task]int  // writing: the number of each task
	scopeAt map[*scope]int // writing: the number of each scope
	scopes  []*scope       // the scopes by their numbers
	forkAt  map[*fork]int  // writing: the number of each fork
	known   []*fork        // the forks by their numbers; reading: those that were read
}

func (c *coder) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %w", ErrSnapshot, fmt.Errorf(format, args...))
	}
}

// within fails unless a number is at least low and below high.
func (c *coder) within(what string, n, low, high int) bool {
	if n < low || n >= high {
		c.fail("%s %d, expected at least %d and less than %d", what, n, low, high)
	}
	return c.err == nil
}

// number is a number of any kind, as a zigzag varint.
func number[T ~int | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](c *coder, n *T) {
	switch {
	case c.err != nil:
	case !c.reading:
		c.data = binary.AppendVarint(c.data, int64(*n))
	default:
		v, size := binary.Varint(c.data)
		if *n = T(v); size <= 0 || int64(*n) != v {
			c.fail("a number that does not fit")
			return
		}
		c.data = c.data[size:]
	}
}

// flags are up to eight booleans.
func (c *coder) flags(flags ...*bool) {
	var bits uint8
	for i, f := range flags {
		if *f {
			bits |= 1 << i
		}
	}
	number(c, &bits)
	for i, f := range flags {
		*f = bits&(1<<i) != 0
	}
}

// bytes are their length and they themselves; nil for none.
func (c *coder) bytes(b *[]byte) {
	n := len(*b)
	number(c, &n)
	switch {
	case c.err != nil:
	case !c.reading:
		c.data = append(c.data, *b...)
	case n < 0 || n > len(c.data):
		c.fail("%d bytes of %d", n, len(c.data))
	case n > 0:
		*b, c.data = c.data[:n:n], c.data[n:]
	}
}

func (c *coder) text(s *string) { text(c, s) }

// text is a text of any kind.
func text[T ~string](c *coder, s *T) {
	b := []byte(*s)
	if c.bytes(&b); c.reading {
		*s = T(b)
	}
}

// record is a value that journals hold as JSON too; one byte where it is zero.
func record[T any](c *coder, v *T) {
	var data []byte
	if !c.reading && c.err == nil {
		if data = c.encode(v); string(data) == string(c.encode(new(T))) {
			data = nil
		}
	}
	if c.bytes(&data); c.reading && c.err == nil && len(data) > 0 {
		if err := json.Unmarshal(data, v); err != nil {
			c.fail("%w", err)
		}
	}
}

// encode is JSON in which texts stay as they are.
func (c *coder) encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		c.fail("%w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// list is a list of any length. Nothing depends on whether an empty one is nil.
func list[T any](c *coder, list *[]T, each func(*T)) {
	n := len(*list)
	if number(c, &n); c.err != nil || n == 0 {
		return
	}
	if !c.reading {
		for i := range *list {
			each(&(*list)[i])
		}
		return
	}
	*list = make([]T, 0, max(0, min(n, len(c.data), 64))) // what data says may be anything
	for i := 0; i < n && c.err == nil; i++ {
		var one T
		if each(&one); c.err == nil {
			*list = append(*list, one)
		}
	}
}
