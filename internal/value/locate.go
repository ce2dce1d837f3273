package value

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/jsonfield"
	"github.com/fermata-go/fermata/internal/persistent"
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
		return excess(f.limit, v, at)
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
	if v.Kind() == reflect.Map {
		if reason := mapReason(v); reason != "" {
			return at, reason, true
		}
	}
	return s.inside(v, at, depth)
}

// mapReason says what is wrong with the keys of a map, "" if nothing is.
func mapReason(v reflect.Value) string {
	m := newMapping(v.Type(), nil)
	names := make([]string, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		name, err := m.name(it.Key())
		if err != nil {
			return "the key's MarshalText: " + err.Error()
		}
		names = append(names, name)
	}
	slices.Sort(names)
	if twice, ok := twins(names); ok {
		return twinReason(twice)
	}
	return ""
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
			if plain, ok := persistent.Plain(v.Type()); ok {
				for x := range persistent.Parts(v, plain) {
					place := at.index(x.Index)
					if x.Index < 0 {
						place = at.member(x.Key)
					}
					if !yield(place, x.Value) {
						return
					}
				}
				return
			}
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

// leaf checks values without parts, or with JSON of their own; known is false for others.
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
	case reflect.Struct:
		if _, ok := persistent.Plain(v.Type()); ok {
			return at, "", false, false
		}
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
	var k Known
	l := k.begin(true, false, false, defaultLimit)
	if (&coded{typ: v.Type(), frozen: frozen(v.Type())}).look(l, boxed.UnsafePointer()); l.err != nil {
		return l.err.reason
	}
	return ""
}

// excess says which part of a value takes most of what is too much. It counts no further than the limit.
func excess(limit int, v reflect.Value, at path) error {
	over := canonical.Measure(v, limit)
	if over == nil { // the value writes its JSON itself, or it is the change that takes so much
		over = &canonical.Excess{Limit: limit}
	}
	for _, s := range over.Way {
		switch {
		case len(s.Fields) > 0:
			at = at.field(s.Fields...)
		case s.Index < 0:
			at = at.member(s.Name)
		default:
			at = at.index(s.Index)
		}
	}
	return &Error{at.text, over.Reason()}
}
