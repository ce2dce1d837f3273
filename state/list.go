package state

import (
	"encoding/json"
	"fmt"
	"iter"
	"unsafe"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/persistent"
)

// List is one version of a list. The zero value is an empty list. It is copied by assignment, which costs nothing, and
// safe for concurrent use.
//
// Append takes constant time, on average; At and Set take time in the logarithm of the length. In JSON it is an array,
// an empty list is [], and null is read as an empty list. The tag omitzero leaves an empty list out; omitempty does
// nothing.
type List[T any] struct {
	_    [0]func(T) // names T for reflection, and keeps lists from being compared with ==
	held persistent.List
}

// ListOf returns a list of some elements.
func ListOf[T any](items ...T) List[T] { return List[T]{}.Append(items...) }

// Len returns the number of elements.
func (l List[T]) Len() int { return l.held.Len() }

// IsZero reports whether the list is empty.
func (l List[T]) IsZero() bool { return l.held.Len() == 0 }

// Append returns the list with more elements behind its last one.
func (l List[T]) Append(items ...T) List[T] {
	if len(items) == 0 {
		return l
	}
	kind := l.held.Kind()
	if kind == nil {
		kind = kindOf[T]()
	}
	return List[T]{held: l.held.Append(kind, unsafe.Pointer(unsafe.SliceData(items)), len(items))}
}

// At returns the element at index i, which counts from 0. Like indexing a slice, it panics if there is none.
func (l List[T]) At(i int) T {
	l.need(i, l.held.Len())
	return out[T](l.held.Kind(), l.held.At(i))
}

// Last returns the last element, and false if the list is empty.
func (l List[T]) Last() (item T, ok bool) {
	if l.held.Len() == 0 {
		return item, false
	}
	return l.At(l.held.Len() - 1), true
}

// Set returns the list with another element at index i. It panics if there is none.
func (l List[T]) Set(i int, item T) List[T] {
	l.need(i, l.held.Len())
	return List[T]{held: l.held.Set(i, unsafe.Pointer(&item))}
}

func (l List[T]) need(i, below int) {
	if i < 0 || i >= below {
		panic(fmt.Sprintf("state: index %d is out of range of a list with %d elements", i, l.held.Len()))
	}
}

// Slice returns the elements from index from up to, but not including, index to. From the first element on it shares
// them with the list; else it copies their headers, which takes time in their number. It panics as slicing does.
func (l List[T]) Slice(from, to int) List[T] {
	if from < 0 || from > to || to > l.held.Len() {
		panic(fmt.Sprintf("state: slice [%d:%d] is out of range of a list with %d elements", from, to, l.held.Len()))
	}
	first := l.held.First(to)
	if from == 0 {
		return List[T]{held: first}
	}
	var empty persistent.List
	return List[T]{held: empty.Join(&first, from)}
}

// All returns an iterator over indices and elements, in order.
func (l List[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := 0; i < l.held.Len(); {
			at, n := l.held.Run(i)
			for j, item := range unsafe.Slice((*T)(at), n) {
				if kind := l.held.Kind(); kind.Out != nil {
					item = out[T](kind, unsafe.Add(at, uintptr(j)*kind.Size))
				}
				if !yield(i+j, item) {
					return
				}
			}
			i += n
		}
	}
}

// Values returns the elements as a slice of the caller's own.
func (l List[T]) Values() []T {
	all := make([]T, 0, l.held.Len())
	for _, item := range l.All() {
		all = append(all, item)
	}
	return all
}

// shared is the elements as a slice whose elements nobody may change.
func (l List[T]) shared() []T {
	all := make([]T, 0, l.held.Len())
	for i := 0; i < l.held.Len(); {
		at, n := l.held.Run(i)
		all = append(all, unsafe.Slice((*T)(at), n)...)
		i += n
	}
	return all
}

// out copies an element for a caller.
func out[T any](kind *persistent.Kind, at unsafe.Pointer) T {
	if kind.Out == nil {
		return *(*T)(at)
	}
	item := new(T)
	kind.Out(unsafe.Pointer(item), at)
	return *item
}

// Equal reports whether two lists have the same elements, as JSON has them. It looks only at what they do not share.
func (l List[T]) Equal(other List[T]) bool {
	if l.held.Len() != other.held.Len() {
		return false
	}
	kind, same := l.held.Kind(), true
	persistent.Diff(&l.held, &other.held, func(_ int, x, y unsafe.Pointer, n int) bool {
		for i := 0; i < n && same; i++ {
			at := uintptr(i) * kind.Size
			same = kind.Same(unsafe.Add(x, at), unsafe.Add(y, at))
		}
		return same
	})
	return same
}

// Format prints a list as the slice of its elements.
func (l List[T]) Format(f fmt.State, verb rune) {
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), l.shared())
}

// MarshalJSON writes an array.
func (l List[T]) MarshalJSON() ([]byte, error) { return json.Marshal(l.shared()) }

// UnmarshalJSON reads an array. Numbers in interfaces are json.Number, and times have UTC or a fixed offset.
func (l *List[T]) UnmarshalJSON(data []byte) error {
	var items []T
	if err := canonical.Decode(data, &items); err != nil {
		return err
	}
	*l = List[T]{held: persistent.Decoded(kindOf[T](), unsafe.Pointer(unsafe.SliceData(items)), len(items))}
	return nil
}
