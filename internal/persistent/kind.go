package persistent

import (
	"encoding/json"
	"iter"
	"reflect"
	"unsafe"
)

// Kind is what lists and maps know of the type of their elements.
type Kind struct {
	// In copies what a caller gives into memory of the list or map, deep and as JSON returns it. It reports false for
	// an element that cannot be stored, which it assigns as it is. Nil where assigning does the same.
	In func(dst, src unsafe.Pointer) (fine bool)
	// Out copies an element for a caller, deep. Nil where assigning does the same.
	Out func(dst, src unsafe.Pointer)
	// Same reports whether two elements have the same JSON.
	Same func(x, y unsafe.Pointer) bool

	Size  uintptr                              // of an element, in bytes
	alloc func(n int) unsafe.Pointer           // room for n elements, all zero
	move  func(dst, src unsafe.Pointer, n int) // assigns n elements
	clear func(at unsafe.Pointer)              // makes an element the zero value, as In needs it
}

// KindOf is the kind of elements of type T. The caller sets its functions.
func KindOf[T any]() *Kind {
	var zero T
	return &Kind{
		Size:  unsafe.Sizeof(zero),
		alloc: func(n int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(make([]T, n))) },
		move: func(dst, src unsafe.Pointer, n int) {
			copy(unsafe.Slice((*T)(dst), n), unsafe.Slice((*T)(src), n))
		},
		clear: func(at unsafe.Pointer) { *(*T)(at) = zero },
	}
}

// at is the i-th of the elements at a place.
func (k *Kind) at(place unsafe.Pointer, i int) unsafe.Pointer {
	return unsafe.Add(place, uintptr(i)*k.Size)
}

// moveAt assigns n elements from one index on to those from another one on. It makes no address behind the last
// element, which would mislead the garbage collector.
func (k *Kind) moveAt(dst unsafe.Pointer, to int, src unsafe.Pointer, from, n int) {
	if n > 0 {
		k.move(k.at(dst, to), k.at(src, from), n)
	}
}

// finalize copies n elements of a caller into memory of the list or map.
func (k *Kind) finalize(dst, src unsafe.Pointer, n int) (fine bool) {
	if k.In == nil {
		k.move(dst, src, n)
		return true
	}
	fine = true
	for i := range n {
		fine = k.In(k.at(dst, i), k.at(src, i)) && fine
	}
	return fine
}

// Types with lists and maps of this package in them have them behind a field that names the types of their parts.
var (
	listType  = reflect.TypeFor[List]()
	mapType   = reflect.TypeFor[Map]()
	marshaler = reflect.TypeFor[json.Marshaler]()
)

// Plain returns the slice or map type with the same JSON as a type of package state.
// It reports false for other types.
func Plain(t reflect.Type) (plain reflect.Type, ok bool) {
	if t.Kind() != reflect.Struct || t.NumField() != 2 || !t.Implements(marshaler) {
		return nil, false
	}
	of := t.Field(0).Type
	if of.Kind() != reflect.Array || of.Elem().Kind() != reflect.Func {
		return nil, false
	}
	switch t.Field(1).Type {
	case listType:
		return reflect.SliceOf(of.Elem().In(0)), true
	case mapType:
		return reflect.MapOf(of.Elem().In(0), of.Elem().In(1)), true
	}
	return nil, false
}

// Part is an element of a list, or a member of a map.
type Part struct {
	Key   string        // of a member
	Index int           // of an element; -1 for a member
	Value reflect.Value // which nobody may change
}

// Parts yields the parts of a value of a type for which [Plain] gives a plain one.
func Parts(v reflect.Value, plain reflect.Type) iter.Seq[Part] {
	if !v.CanAddr() {
		boxed := reflect.New(v.Type()).Elem()
		boxed.Set(v)
		v = boxed
	}
	elem, at := plain.Elem(), v.Field(1).Addr().UnsafePointer()
	if plain.Kind() == reflect.Map {
		return func(yield func(Part) bool) {
			(*Map)(at).Each(func(key string, value unsafe.Pointer) bool {
				return yield(Part{key, -1, reflect.NewAt(elem, value).Elem()})
			})
		}
	}
	return func(yield func(Part) bool) {
		for l, i := (*List)(at), 0; i < l.n; i++ {
			if !yield(Part{"", i, reflect.NewAt(elem, l.At(i)).Elem()}) {
				return
			}
		}
	}
}
