package journal

import (
	"errors"
	"iter"
)

// ErrTooLarge says that values unfold to more than they may.
var ErrTooLarge = errors.New("the value unfolds to too much")

// Memory that a part of an opened value takes, in bytes.
const (
	valueSize = 24 // an element, or the value of a member
	nameSize  = 64 // the name of a member, with its place in the index
)

// take takes n bytes of what is left, where that is bounded.
func (d *Document) take(n int64) error {
	switch {
	case d.left == nil:
		return nil
	case *d.left < n:
		return ErrTooLarge
	}
	*d.left -= n
	return nil
}

// costOf is what a compact text takes when it is opened.
func costOf(text string) int64 {
	var n int64
	switch text[0] {
	case '"':
		return 2 * int64(len(text))
	case '{':
		for range members(text) {
			n++
		}
		return n * 2 * (valueSize + nameSize)
	case '[':
		for range elements(text) {
			n++
		}
		return n * 2 * valueSize
	}
	return 0
}

// Footprint is how many bytes documents take beside the texts that they were made of.
//
// Parts that documents share are counted once.
func Footprint(docs iter.Seq[*Document]) int64 {
	f := footprint{values: make(map[*value]int), runes: make(map[*byte]bool), names: make(map[*string]bool)}
	for d := range docs {
		f.add(&d.root)
	}
	return f.size
}

// footprint remembers by their first elements what was counted: of values, how many.
type footprint struct {
	size   int64
	values map[*value]int
	runes  map[*byte]bool
	names  map[*string]bool
}

func (f *footprint) add(v *value) {
	b := v.branch
	if b == nil {
		return
	}
	if cap(b.runes) > 0 {
		if first := &b.runes[:1][0]; !f.runes[first] {
			f.runes[first] = true
			f.size += int64(cap(b.runes))
		}
	}
	if cap(b.names) > 0 {
		if first := &b.names[:1][0]; !f.names[first] {
			f.names[first] = true
			f.size += int64(cap(b.names)) * nameSize
		}
	}
	if cap(b.values) == 0 {
		return
	}
	first := &b.values[:1][0]
	counted, known := f.values[first]
	if !known {
		f.size += int64(cap(b.values)) * valueSize
	}
	f.values[first] = max(counted, len(b.values))
	for i := counted; i < len(b.values); i++ { // a longer one may share the array of a shorter one
		f.add(&b.values[i])
	}
}
