package value

import "unsafe"

// codec keeps the values of one type. Its methods take addresses of values of that type.
//
// A delta compares the value at new with the one at old, a snapshot: a copy that shares no mutable memory with
// new. Shared memory (bytes of strings) is therefore equal, and so are equal bits: any pointer in them is nil,
// or leads to immutable data.
type codec interface {
	// write appends the value's JSON.
	write(p *pass, at unsafe.Pointer)
	// delta appends how the value at new differs from the one at old, nothing if they have the same JSON, and notes
	// what is to be done to old.
	delta(p *pass, old, new unsafe.Pointer)
	// copy sets dst to a deep copy of src, and drops the old value of dst.
	copy(p *pass, dst, src unsafe.Pointer)
	// cells appends the words that decide the value's JSON, if it has no others: values whose cells are equal have
	// the same JSON.
	cells(at uintptr, to []cell) (cells []cell, all bool)
	// look finds what is not as decoding its JSON gives it, and mends it where that is allowed.
	look(l *look, at unsafe.Pointer)
	// level says whether that is needed.
	level() level
}

// cell is a part of a value that is compared without further ado.
type cell struct {
	at   uintptr
	size uintptr // in bytes; 0 for a string
}

// mostCells bounds what is compared cell by cell; larger types are compared by their codecs.
const mostCells = 64

// sameCells compares two values by their cells.
func sameCells(cells []cell, a, b unsafe.Pointer) bool {
	for _, c := range cells {
		x, y := unsafe.Add(a, c.at), unsafe.Add(b, c.at)
		var same bool
		switch c.size {
		case 0:
			same = *(*string)(x) == *(*string)(y)
		case 8:
			same = *(*uint64)(x) == *(*uint64)(y)
		case 4:
			same = *(*uint32)(x) == *(*uint32)(y)
		case 2:
			same = *(*uint16)(x) == *(*uint16)(y)
		case 1:
			same = *(*uint8)(x) == *(*uint8)(y)
		default:
			same = sameBits(x, y, c.size)
		}
		if !same {
			return false
		}
	}
	return true
}

// sameBits compares memory.
func sameBits(a, b unsafe.Pointer, size uintptr) bool {
	return string(unsafe.Slice((*byte)(a), size)) == string(unsafe.Slice((*byte)(b), size))
}

// link stands for a codec that is still being made, of a type that contains itself.
type link struct {
	codec
	reach level
}

func (l *link) cells(uintptr, []cell) ([]cell, bool) { return nil, false }
