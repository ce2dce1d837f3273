package state

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"unsafe"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/persistent"
)

// Key is what the keys of a [Map] may be: strings or integers. In JSON they are the names of members.
type Key interface {
	~string | ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Map is one version of a map. The zero value is an empty map. It is copied by assignment, which costs nothing, and
// safe for concurrent use.
//
// Get, Set and Delete take time in the logarithm of the length. In JSON it is an object with the names that encoding/json
// gives keys, an empty map is {}, and null is read as an empty map. The tag omitzero leaves an empty map out; omitempty
// does nothing.
type Map[K Key, V any] struct {
	_    [0]func(K, V) // names K and V for reflection, and keeps maps from being compared with ==
	held persistent.Map
}

// MapOf returns a map with the members of a plain one.
func MapOf[K Key, V any](members map[K]V) Map[K, V] {
	var m Map[K, V]
	for _, k := range slices.SortedFunc(maps.Keys(members), cmp.Compare[K]) {
		m = m.Set(k, members[k])
	}
	return m
}

// Len returns the number of members.
func (m Map[K, V]) Len() int { return m.held.Len() }

// IsZero reports whether the map is empty.
func (m Map[K, V]) IsZero() bool { return m.held.Len() == 0 }

// Get returns the value of a key, and whether there is one.
func (m Map[K, V]) Get(k K) (v V, ok bool) {
	if m.held.Len() == 0 {
		return v, false
	}
	at := m.held.Get(nameOf(k))
	if at == nil {
		return v, false
	}
	return out[V](m.held.Kind(), at), true
}

// Set returns the map with a value for a key, in place of one that it may have.
func (m Map[K, V]) Set(k K, v V) Map[K, V] {
	held := m.held
	if held.Kind() == nil {
		held = emptyMap[K, V]()
	}
	return Map[K, V]{held: held.Set(nameOf(k), unsafe.Pointer(&v))}
}

// Delete returns the map without a key.
func (m Map[K, V]) Delete(k K) Map[K, V] { return Map[K, V]{held: m.held.Delete(nameOf(k))} }

// All returns an iterator over keys and values, in the order of the keys.
func (m Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		m.held.Each(func(key string, value unsafe.Pointer) bool {
			return yield(keyOf[K](key), out[V](m.held.Kind(), value))
		})
	}
}

// Keys returns an iterator over the keys, in their order.
func (m Map[K, V]) Keys() iter.Seq[K] {
	return func(yield func(K) bool) {
		m.held.Each(func(key string, _ unsafe.Pointer) bool { return yield(keyOf[K](key)) })
	}
}

// shared is the members as a map whose values nobody may change.
func (m Map[K, V]) shared() map[K]V {
	all := make(map[K]V, m.held.Len())
	m.held.Each(func(key string, value unsafe.Pointer) bool {
		all[keyOf[K](key)] = *(*V)(value)
		return true
	})
	return all
}

func emptyMap[K Key, V any]() persistent.Map {
	return persistent.NewMap(kindOf[V](), reflect.TypeFor[K]().Kind() != reflect.String)
}

// nameOf is the name of a key in JSON.
func nameOf[K Key](k K) string {
	switch k := any(k).(type) { // without reflection, which allocates
	case string:
		return canonical.Text(k)
	case int:
		return strconv.Itoa(k)
	}
	switch v := reflect.ValueOf(k); {
	case v.Kind() == reflect.String:
		return canonical.Text(v.String())
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	default:
		return strconv.FormatUint(v.Uint(), 10)
	}
}

// keyOf is the key with a name, which nameOf gave or a decoder has read.
func keyOf[K Key](name string) (k K) {
	switch v := reflect.ValueOf(&k).Elem(); {
	case v.Kind() == reflect.String:
		v.SetString(name)
	case v.CanInt():
		n, _ := strconv.ParseInt(name, 10, 64)
		v.SetInt(n)
	default:
		n, _ := strconv.ParseUint(name, 10, 64)
		v.SetUint(n)
	}
	return k
}

// Equal reports whether two maps have the same members, as JSON has them. It looks only at what they do not share.
func (m Map[K, V]) Equal(other Map[K, V]) bool {
	if m.held.Len() != other.held.Len() {
		return false
	}
	same := true
	persistent.DiffMaps(&m.held, &other.held, func(_ string, x, y unsafe.Pointer) bool {
		same = x != nil && y != nil && m.held.Kind().Same(x, y)
		return same
	})
	return same
}

// Format prints a map as the plain map of its members.
func (m Map[K, V]) Format(f fmt.State, verb rune) {
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), m.shared())
}

// MarshalJSON writes an object.
func (m Map[K, V]) MarshalJSON() ([]byte, error) { return json.Marshal(m.shared()) }

// UnmarshalJSON reads an object. Numbers in interfaces are json.Number, and times have UTC or a fixed offset.
func (m *Map[K, V]) UnmarshalJSON(data []byte) error {
	var members map[K]V
	if err := canonical.Decode(data, &members); err != nil {
		return err
	}
	held := emptyMap[K, V]()
	for _, k := range slices.SortedFunc(maps.Keys(members), cmp.Compare[K]) {
		v := members[k]
		held = held.Share(nameOf(k), unsafe.Pointer(&v))
	}
	if *m = (Map[K, V]{}); held.Len() > 0 {
		m.held = held
	}
	return nil
}
