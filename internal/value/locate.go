package value

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	"github.com/fermata-go/fermata/internal/jsonfield"
)

// path is a place in a value, written in one of two ways.
type path struct {
	text string
	goes bool // as a Go expression; else as a JSON pointer
}

func goPath(root string) path { return path{root, true} }

var pointerPath = path{}

func (x path) field(names ...string) path {
	if x.goes {
		return path{x.text + "." + strings.Join(names, "."), true}
	}
	return x.member(names[len(names)-1])
}

func (x path) member(name string) path {
	if x.goes {
		return path{x.text + "[" + strconv.Quote(name) + "]", true}
	}
	return path{text: x.text + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)}
}

func (x path) index(i int) path {
	if x.goes {
		return path{x.text + "[" + strconv.Itoa(i) + "]", true}
	}
	return path{text: x.text + "/" + strconv.Itoa(i)}
}

// locate finds the place of a failure by looking at the value again, slowly and by reflection. It falls back on the
// whole value.
func locate(f *failure, v reflect.Value, at path) error {
	s := &search{open: make(map[visit]bool)}
	if f.large {
		where, size := heaviest(v, at)
		return &Error{where.text, f.reason + size}
	}
	if where, reason, ok := s.find(v, at, 0); ok {
		return &Error{where.text, reason}
	}
	return &Error{at.text, f.reason}
}

// search looks for what cannot be kept.
type search struct {
	open map[visit]bool // what the walk is inside of
}

type visit struct {
	at  unsafe.Pointer
	len int
	typ reflect.Type
}

func (s *search) find(v reflect.Value, at path, depth int) (where path, reason string, found bool) {
	if !v.IsValid() {
		return at, "", false
	}
	if depth > maxDepth {
		return at, "nested more than 10,000 levels deep", true
	}
	if where, reason, found, known := s.leaf(v, at); known {
		return where, reason, found
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if v.IsNil() {
			return at, "", false
		}
		this := visit{at: v.UnsafePointer(), typ: v.Type()}
		if v.Kind() == reflect.Slice {
			this.len = v.Len()
		}
		if s.open[this] && (v.Kind() != reflect.Slice || v.Len() > 0) {
			return at, "a cycle: this is what it is in", true
		}
		s.open[this] = true
		defer delete(s.open, this)
	}
	return s.inside(v, at, depth)
}

// inside looks at the parts of a value.
func (s *search) inside(v reflect.Value, at path, depth int) (where path, reason string, found bool) {
	for part, x := range parts(v, at) {
		if where, reason, found = s.find(x, part, depth+1); found {
			return where, reason, found
		}
	}
	return at, "", false
}

// parts yields what is directly in a value, with its place.
func parts(v reflect.Value, at path) func(yield func(path, reflect.Value) bool) {
	return func(yield func(path, reflect.Value) bool) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			yield(at, v.Elem())
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				if !yield(at.index(i), v.Index(i)) {
					return
				}
			}
		case reflect.Map:
			for it := v.MapRange(); it.Next(); {
				if !yield(at.member(fmt.Sprint(it.Key())), it.Value()) {
					return
				}
			}
		case reflect.Struct:
			for _, f := range jsonfield.Of(v.Type()) {
				names := make([]string, len(f.Path))
				for i, step := range f.Path {
					names[i] = step.Name
				}
				inner, err := v.FieldByIndexErr(f.Index)
				if err == nil && !yield(at.field(names...), inner) {
					return
				}
			}
		}
	}
}

// leaf judges values that have no parts, or that write their JSON themselves; known is false for others.
func (s *search) leaf(v reflect.Value, at path) (where path, reason string, found, known bool) {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if !isFinite(v.Float()) {
			return at, notFinite(v.Float()), true, true
		}
	case reflect.Chan:
		return at, "a channel has no JSON form", true, true
	case reflect.Func:
		return at, "a function has no JSON form", true, true
	case reflect.Complex64, reflect.Complex128:
		return at, "a complex number has no JSON form", true, true
	case reflect.UnsafePointer:
		return at, "an unsafe pointer has no JSON form", true, true
	case reflect.Interface:
		if !v.IsNil() && v.NumMethod() > 0 {
			return at, sealed{v.Type()}.reason(), true, true
		}
		return at, "", false, false
	case reflect.Pointer:
		return at, "", false, false
	}
	if v.Type() == reflect.TypeFor[json.Number]() {
		n := json.Number(v.String())
		_, ok := numeralText(n)
		return at, badNumeral(n), !ok, true
	}
	if p := reflect.PointerTo(v.Type()); p.Implements(jsonMarshaler) || p.Implements(textMarshaler) {
		reason := trial(v)
		return at, reason, reason != "", true
	}
	return at, "", false, false
}

// trial writes a value by its own methods, and says what is wrong if they fail.
func trial(v reflect.Value) (reason string) {
	defer func() {
		if r := recover(); r != nil {
			reason = fmt.Sprintf("its own code panicked: %v", r)
		}
	}()
	boxed := reflect.New(v.Type())
	boxed.Elem().Set(v)
	p := newPass(defaultLimit)
	(&coded{typ: v.Type(), frozen: frozen(v.Type())}).text(p, boxed.UnsafePointer())
	if p.err != nil {
		return p.err.reason
	}
	return ""
}

// heaviest goes to the part of a value that takes more than half of its JSON, and on from there.
func heaviest(v reflect.Value, at path) (where path, size string) {
	total := weight(v)
	if total == 0 {
		return at, "" // it is not to be written at all
	}
	for range maxDepth {
		next := reflect.Value{}
		for part, x := range parts(v, at) {
			if w := weight(x); w > total/2 {
				next, at, total = x, part, w
				break
			}
		}
		if !next.IsValid() {
			break
		}
		v = next
	}
	return at, fmt.Sprintf("; this part takes %s", mebibytes(total))
}

func weight(v reflect.Value) int {
	if !v.IsValid() || !v.CanInterface() {
		return 0
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return 0
	}
	return len(text)
}
