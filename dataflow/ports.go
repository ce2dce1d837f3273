package dataflow

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/fermata-go/fermata/internal/jsonfield"
	"github.com/fermata-go/fermata/internal/value"
)

// port is a named value that a node reads or writes.
type port struct {
	name     string
	typ      reflect.Type
	place    value.Place
	optional bool
	preset   bool // its default is in the shape's prototype
}

// shape is a record of values: what a function is given, or returns.
type shape struct {
	typ   reflect.Type // a struct
	ports []port
	proto any // a pointer to typ with the defaults in it; nil where there are none

	record bool // each value is behind a pointer, nil where it is absent
}

func (s *shape) find(name string) int {
	for i := range s.ports {
		if s.ports[i].name == name {
			return i
		}
	}
	return -1
}

func (s *shape) names() []string {
	names := make([]string, len(s.ports))
	for i := range s.ports {
		names[i] = s.ports[i].name
	}
	return names
}

// shapeOf takes a struct type apart. Its values are kept under the names of its ports.
//
// An input that is a pointer can be missing: it is nil then, and else leads to a value of its own.
func shapeOf(t reflect.Type, input bool) (shape, error) {
	if t.Kind() != reflect.Struct {
		return shape{}, fmt.Errorf("expected a struct, whose fields are the values, found %s", t)
	}
	var s shape
	fields := jsonfield.Of(t)
	names := make(map[string]string, len(fields)) // by Go name
	for _, f := range fields {
		p := port{name: nameOf(f), typ: f.Go.Type, optional: f.OmitEmpty || f.OmitZero || f.Go.Type.Kind() == reflect.Pointer}
		for i, step := range f.Path {
			if i < len(f.Path)-1 && step.Type.Kind() == reflect.Pointer {
				return shape{}, fmt.Errorf("field %s is behind an embedded pointer; embed the struct itself", f.GoPath())
			}
			p.place.Offset += step.Offset
		}
		if s.find(p.name) >= 0 {
			return shape{}, fmt.Errorf("two fields of %s are called %q", t, p.name)
		}
		names[f.Go.Name] = p.name
		if input && p.typ.Kind() == reflect.Pointer {
			p.typ, p.place.Wrapped = p.typ.Elem(), true
		}
		if text, ok := f.Go.Tag.Lookup("default"); ok {
			if s.proto == nil {
				s.proto = reflect.New(t).Interface()
			}
			if err := preset(reflect.ValueOf(s.proto).Elem().FieldByIndex(f.Index), text); err != nil {
				return shape{}, fmt.Errorf("field %s: its default %q is no %s: %w", f.GoPath(), text, f.Go.Type, err)
			}
			p.optional, p.preset = true, true
		}
		s.ports = append(s.ports, p)
	}
	s.typ = renamed(t, names)
	if s.proto != nil && s.typ != t {
		s.proto = reflect.ValueOf(s.proto).Convert(reflect.PointerTo(s.typ)).Interface()
	}
	return s, nil
}

// preset reads a default: JSON, a duration, or a text as it is.
func preset(field reflect.Value, text string) error {
	switch {
	case field.Type() == reflect.TypeFor[time.Duration]():
		d, err := time.ParseDuration(text)
		if err == nil {
			field.SetInt(int64(d))
		}
		return err
	case field.Kind() == reflect.String:
		field.SetString(text)
		return nil
	}
	return json.Unmarshal([]byte(text), field.Addr().Interface())
}

// renamed is a type with the same fields, which encoding/json calls as the ports are called; t itself where there are
// embedded or unexported fields.
func renamed(t reflect.Type, names map[string]string) reflect.Type {
	fields := make([]reflect.StructField, t.NumField())
	for i := range fields {
		f := t.Field(i)
		if f.Anonymous || !f.IsExported() {
			return t
		}
		tag := reflect.StructTag(`json:"-"`)
		if name, ok := names[f.Name]; ok {
			_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if options != "" {
				options = "," + options
			}
			tag = reflect.StructTag(`json:"`+name+options+`"`) + lossy(f.Tag)
		}
		fields[i] = reflect.StructField{Name: f.Name, Type: f.Type, Tag: tag}
	}
	return reflect.StructOf(fields)
}

// lossy is the tag of a field whose type may have parts that JSON drops, as the author declares it.
func lossy(tag reflect.StructTag) reflect.StructTag {
	if how, ok := tag.Lookup("fermata"); ok {
		return reflect.StructTag(` fermata:"` + how + `"`)
	}
	return ""
}

// single is the shape of one value.
func single(name string, t reflect.Type) shape {
	return shape{
		typ: reflect.StructOf([]reflect.StructField{{
			Name: "Value", Type: t, Tag: reflect.StructTag(`json:"` + name + `"`),
		}}),
		ports: []port{{name: name, typ: t}},
	}
}

// record is the shape of values that may each be missing: they are behind pointers.
func record(ports []port) shape {
	s := shape{ports: make([]port, len(ports)), record: true}
	fields := make([]reflect.StructField, len(ports))
	for i, p := range ports {
		fields[i] = reflect.StructField{
			Name: fmt.Sprintf("V%d", i), Type: reflect.PointerTo(p.typ), Tag: reflect.StructTag(`json:"` + p.name + `,omitempty"`),
		}
		s.ports[i] = port{name: p.name, typ: p.typ, optional: p.optional}
	}
	s.typ = reflect.StructOf(fields)
	for i := range s.ports {
		s.ports[i].place = value.Place{Offset: s.typ.Field(i).Offset, Wrapped: true}
	}
	return s
}

// nameOf is what a field's value is called: as its json tag says, or else its Go name in snake case.
func nameOf(f jsonfield.Field) string {
	if name, _, _ := strings.Cut(f.Go.Tag.Get("json"), ","); name != "" {
		return name
	}
	return snake(f.Go.Name)
}

// snake writes a Go name in snake case: "TopK" is "top_k", "HTTPStatus" is "http_status".
func snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && runes[i-1] != '_' {
			before := unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1])
			after := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if before || unicode.IsUpper(runes[i-1]) && after {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// nameFault says what is wrong with the name of a value, "" for nothing.
func nameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case strings.ContainsAny(name, "/#.,\"`\\"):
		return `holds one of / # . , " \ and the back quote`
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return "holds a character that cannot be printed"
		}
	}
	return ""
}
