package loss

import (
	"encoding"
	"encoding/json"
	"hash/fnv"
	"io"
	"reflect"
	"strconv"

	"github.com/fermata-go/fermata/internal/persistent"
)

// Shape is a short text for the JSON that a type reads: types of one shape lose the same parts. The names of types do
// not count, except for those that read JSON by methods of their own. It is "" for types that keep all there is.
func Shape(t reflect.Type) string {
	if plain, ok := persistent.Plain(t); ok {
		t = plain
	}
	switch t {
	case reflect.TypeFor[any](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[map[string]any](), reflect.TypeFor[[]any]():
		return ""
	}
	sum := fnv.New64a()
	(&shaper{to: sum, seen: make(map[reflect.Type]int)}).write(t)
	return strconv.FormatUint(sum.Sum64(), 36)
}

// shaper writes what makes a type's shape.
type shaper struct {
	to   io.Writer
	seen map[reflect.Type]int // the types that were written, by their order: types may contain themselves
}

func (s *shaper) text(parts ...string) {
	for _, part := range parts {
		_, _ = io.WriteString(s.to, strconv.Quote(part)) // a hash never fails
	}
}

var (
	readsJSON = reflect.TypeFor[json.Unmarshaler]()
	readsText = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (s *shaper) write(t reflect.Type) {
	if plain, ok := persistent.Plain(t); ok {
		t = plain
	}
	if at, again := s.seen[t]; again {
		s.text("again", strconv.Itoa(at))
		return
	}
	s.seen[t] = len(s.seen)
	s.text(t.Kind().String())
	if p := reflect.PointerTo(t); p.Implements(readsJSON) || p.Implements(readsText) {
		s.text("own", t.PkgPath(), t.Name()) // and its fields, which its methods may use
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		s.write(t.Elem())
	case reflect.Array:
		s.text(strconv.Itoa(t.Len()))
		s.write(t.Elem())
	case reflect.Map:
		s.write(t.Key())
		s.write(t.Elem())
	case reflect.Struct:
		s.text(strconv.Itoa(t.NumField()))
		for f := range t.Fields() {
			s.text(f.Name, f.Tag.Get("json"), strconv.FormatBool(f.Anonymous))
			s.write(f.Type)
		}
	}
}
