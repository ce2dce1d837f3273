package value

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/fermata-go/fermata/internal/jsonfield"
)

// absent says when a field is left out, nil for never.
func absent(f jsonfield.Field) func(unsafe.Pointer) bool {
	empty, zero := isEmpty(f), isZero(f)
	switch {
	case empty == nil:
		return zero
	case zero == nil:
		return empty
	}
	return func(at unsafe.Pointer) bool { return empty(at) || zero(at) }
}

// isEmpty is the rule of omitempty.
func isEmpty(f jsonfield.Field) func(unsafe.Pointer) bool {
	t := f.Go.Type
	if !f.OmitEmpty {
		return nil
	}
	switch t.Kind() {
	case reflect.String:
		return func(at unsafe.Pointer) bool { return *(*string)(at) == "" }
	case reflect.Slice:
		return func(at unsafe.Pointer) bool { return (*slice)(at).len == 0 }
	case reflect.Map:
		return func(at unsafe.Pointer) bool { return reflect.NewAt(t, at).Elem().Len() == 0 }
	case reflect.Array:
		if t.Len() > 0 {
			return nil
		}
		return func(unsafe.Pointer) bool { return true }
	case reflect.Struct:
		return nil
	}
	return zeroBits(t)
}

// isZero is the rule of omitzero: the type's own IsZero method, else all bits are 0.
func isZero(f jsonfield.Field) func(unsafe.Pointer) bool {
	t := f.Go.Type
	has := zeroerType
	switch {
	case !f.OmitZero:
		return nil
	case t == reflect.TypeFor[time.Time]():
		return func(at unsafe.Pointer) bool { return (*time.Time)(at).IsZero() }
	case t.Kind() == reflect.Interface && t.Implements(has):
		return func(at unsafe.Pointer) bool {
			v := reflect.NewAt(t, at).Elem()
			return v.IsNil() || v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil() || v.Interface().(zeroer).IsZero()
		}
	case t.Kind() == reflect.Pointer && t.Implements(has):
		return func(at unsafe.Pointer) bool {
			v := reflect.NewAt(t, at).Elem()
			return v.IsNil() || v.Interface().(zeroer).IsZero()
		}
	case reflect.PointerTo(t).Implements(has):
		return func(at unsafe.Pointer) bool { return reflect.NewAt(t, at).Interface().(zeroer).IsZero() }
	}
	return zeroBits(t)
}

// zeroer is a type that says itself what is zero.
type zeroer interface{ IsZero() bool }

var zeroerType = reflect.TypeFor[zeroer]()

// isExactlyZero reports the zero value of a type, of which -0 is none.
func isExactlyZero(t reflect.Type) func(unsafe.Pointer) bool {
	if k := t.Kind(); k == reflect.Float32 || k == reflect.Float64 {
		return func(at unsafe.Pointer) bool { return reflect.NewAt(t, at).Elem().IsZero() }
	}
	return zeroBits(t)
}

// zeroBits reports the zero value of a type.
func zeroBits(t reflect.Type) func(unsafe.Pointer) bool {
	scalar := t.Kind() < reflect.Float32 || t.Kind() == reflect.Pointer
	switch size := t.Size(); {
	case t.Kind() == reflect.Float64:
		return func(at unsafe.Pointer) bool { return *(*float64)(at) == 0 } // -0 too
	case t.Kind() == reflect.Float32:
		return func(at unsafe.Pointer) bool { return *(*float32)(at) == 0 }
	case scalar && size == 8:
		return func(at unsafe.Pointer) bool { return *(*uint64)(at) == 0 }
	case scalar && size == 4:
		return func(at unsafe.Pointer) bool { return *(*uint32)(at) == 0 }
	case scalar && size == 2:
		return func(at unsafe.Pointer) bool { return *(*uint16)(at) == 0 }
	case scalar && size == 1:
		return func(at unsafe.Pointer) bool { return *(*uint8)(at) == 0 }
	}
	return func(at unsafe.Pointer) bool { return reflect.NewAt(t, at).Elem().IsZero() }
}
