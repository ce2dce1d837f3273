package canonical

import (
	"encoding"
	"encoding/json"
	"reflect"
	"sync"
)

// keyed says whether maps whose keys write themselves are in the values of a type.
type keyed uint8

const (
	keyedNever keyed = iota
	keyedMaybe       // it depends on what is in interfaces
	keyedAlways
)

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	keyedTypes    sync.Map // by type
)

func keyedOf(t reflect.Type) keyed {
	if k, ok := keyedTypes.Load(t); ok {
		return k.(keyed) //nolint:forcetypeassert // nothing else is put in
	}
	k := lookForKeys(t, make(map[reflect.Type]bool))
	keyedTypes.Store(t, k)
	return k
}

func lookForKeys(t reflect.Type, seen map[reflect.Type]bool) (found keyed) {
	if seen[t] {
		return keyedNever
	}
	seen[t] = true
	if writesItself(t) {
		return keyedNever
	}
	switch t.Kind() {
	case reflect.Interface:
		return keyedMaybe
	case reflect.Map:
		if t.Key().Kind() != reflect.String && t.Key().Implements(textMarshaler) {
			return keyedAlways
		}
		return lookForKeys(t.Elem(), seen)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return lookForKeys(t.Elem(), seen)
	case reflect.Struct:
		for f := range t.Fields() {
			if f.IsExported() || f.Anonymous {
				found = max(found, lookForKeys(f.Type, seen))
			}
		}
	}
	return found
}

// writesItself reports whether a type's own method makes its JSON. It answers for what is in there.
func writesItself(t reflect.Type) bool {
	if t.Kind() == reflect.Interface {
		return false
	}
	p := reflect.PointerTo(t)
	return p.Implements(jsonMarshaler) || p.Implements(textMarshaler)
}

// keysMayMeet reports whether a value that encoding/json could write has a map whose keys write themselves: two of them may
// have one name.
func keysMayMeet(v reflect.Value) bool {
	if !v.IsValid() {
		return false
	}
	switch keyedOf(v.Type()) {
	case keyedNever:
		return false
	case keyedAlways:
		return true
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return keysMayMeet(v.Elem())
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			if keysMayMeet(each.Value()) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if keysMayMeet(v.Index(i)) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); (f.IsExported() || f.Anonymous) && keysMayMeet(v.Field(i)) {
				return true
			}
		}
	}
	return false
}
