package canonical

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/fermata-go/fermata/internal/jsonfield"
)

// Plain reports whether a pointed-to value equals its own JSON copy and shares no memory. Such values are numbers,
// booleans, UTF-8 texts, and structs of these. It says false of values for which that is not plain to see. The value is
// one that encoding/json has written.
func Plain(value any) bool {
	switch v := value.(type) {
	case *string:
		return utf8.ValidString(*v)
	case *bool, *int, *int64, *uint64, *float64:
		return true
	}
	v := reflect.ValueOf(value).Elem()
	return isPlain(v.Type()) && validTexts(v)
}

var plains sync.Map // whether a type is plain, by type

func isPlain(t reflect.Type) bool {
	if is, ok := plains.Load(t); ok {
		return is.(bool) //nolint:forcetypeassert // nothing else is put in
	}
	is := plainType(t)
	plains.Store(t, is)
	return is
}

// methods are those by which a type writes or reads its JSON itself.
var methods = []reflect.Type{
	reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler](),
	jsonUnmarshaler, reflect.TypeFor[encoding.TextUnmarshaler](),
}

func plainType(t reflect.Type) bool {
	for _, m := range methods {
		if reflect.PointerTo(t).Implements(m) {
			return false
		}
	}
	switch k := t.Kind(); k {
	case reflect.String:
		return t != reflect.TypeFor[json.Number]()
	case reflect.Struct:
		return plainStruct(t)
	default:
		return k == reflect.Bool || k >= reflect.Int && k <= reflect.Float64
	}
}

// plainStruct reports whether all fields are written under names of their own, without options.
func plainStruct(t reflect.Type) bool {
	fields := jsonfield.Of(t)
	return len(fields) == t.NumField() && !slices.ContainsFunc(fields, func(f jsonfield.Field) bool {
		return len(f.Index) > 1 || f.OmitEmpty || f.OmitZero || f.Quoted || !plainType(f.Go.Type)
	})
}

func validTexts(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Struct:
		for _, field := range v.Fields() {
			if !validTexts(field) {
				return false
			}
		}
	}
	return true
}
