package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/fermata-go/fermata/internal/jsonfield"
	"github.com/fermata-go/fermata/internal/jsontext"
	"github.com/fermata-go/fermata/internal/persistent"
)

// deriver writes the schema of a Go type. Types that contain themselves become definitions that are referred to;
// all others are written where they are used.
//
// The generators at hand do not know recursive types, go by the names of Go fields where encoding/json goes by
// those of members, and give bounds as floats, which cannot say what fits an int64.
type deriver struct {
	recursive map[reflect.Type]bool
	names     map[reflect.Type]string // of definitions
	taken     map[string]bool
	defs      members // in the order in which they are first used
	trial     bool    // the type reads JSON by code of its own: only trying tells what it takes
}

// members is a JSON object that keeps its order.
type members []member

type member struct {
	name  string
	value any
}

// appendJSON writes v, keeping the order of members and, unlike encoding/json, leaving <, > and & readable.
func appendJSON(to []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case members:
		to = append(to, '{')
		for i, x := range v {
			if i > 0 {
				to = append(to, ',')
			}
			if to, err = appendJSON(to, x.name); err != nil {
				return nil, err
			}
			if to, err = appendJSON(append(to, ':'), x.value); err != nil {
				return nil, err
			}
		}
		return append(to, '}'), nil
	case []any:
		to = append(to, '[')
		for i, x := range v {
			if i > 0 {
				to = append(to, ',')
			}
			if to, err = appendJSON(to, x); err != nil {
				return nil, err
			}
		}
		return append(to, ']'), nil
	}
	text, err := jsontext.Encode(v)
	return append(to, text...), err
}

func (m members) get(name string) any {
	for _, x := range m {
		if x.name == name {
			return x.value
		}
	}
	return nil
}

// derive gives the schema document of a type, and whether a value that fits it has to be tried on the type too.
func derive(t reflect.Type) (doc []byte, trial bool, err error) {
	d := &deriver{
		recursive: make(map[reflect.Type]bool),
		names:     make(map[reflect.Type]string),
		taken:     make(map[string]bool),
	}
	if err := d.survey(t, typeName(t), make(map[reflect.Type]bool), make(map[reflect.Type]bool)); err != nil {
		return nil, false, err
	}
	root := d.schema(t)
	if len(d.defs) > 0 {
		root = append(root, member{"$defs", d.defs})
	}
	doc, err = appendJSON(nil, root)
	return doc, d.trial, err
}

func typeName(t reflect.Type) string {
	if t.Name() != "" {
		return t.Name()
	}
	return t.String()
}

// survey refuses types that have no JSON form, by their Go path, and finds those that contain themselves.
func (d *deriver) survey(t reflect.Type, path string, open, done map[reflect.Type]bool) error {
	if t.Name() != "" {
		if open[t] {
			d.recursive[t] = true
			return nil
		}
		if done[t] {
			return nil
		}
		open[t] = true
		defer func() { delete(open, t); done[t] = true }()
	}
	if plain, ok := persistent.Plain(t); ok {
		return d.survey(plain, path, open, done)
	}
	if _, err := enumOf(t, path); err != nil {
		return err
	}
	if _, ok := known(t); ok || formOf(t) != byKind {
		return nil
	}
	switch t.Kind() {
	case reflect.Chan:
		return fmt.Errorf("%s: a channel has no JSON form", path)
	case reflect.Func:
		return fmt.Errorf("%s: a function has no JSON form", path)
	case reflect.Complex64, reflect.Complex128:
		return fmt.Errorf("%s: a complex number has no JSON form", path)
	case reflect.UnsafePointer:
		return fmt.Errorf("%s: an unsafe pointer has no JSON form", path)
	case reflect.Pointer:
		return d.survey(t.Elem(), path, open, done)
	case reflect.Slice, reflect.Array:
		return d.survey(t.Elem(), path+"[]", open, done)
	case reflect.Map:
		if err := checkKey(t.Key(), path); err != nil {
			return err
		}
		return d.survey(t.Elem(), path+"[]", open, done)
	case reflect.Struct:
		for _, f := range jsonfield.Of(t) {
			if err := d.survey(f.Go.Type, path+f.GoPath(), open, done); err != nil {
				return err
			}
			if _, err := tagEnum(f, path+f.GoPath()); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkKey(key reflect.Type, path string) error {
	if key.Kind() == reflect.String || isInteger(key.Kind()) || key.Implements(textMarshaler) {
		return nil
	}
	return fmt.Errorf("%s: a map with keys of type %s has no JSON form: "+
		"keys are strings, integers, or types with MarshalText", path, key)
}

func isInteger(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uintptr }

// form says who writes the JSON of a type.
type form int

const (
	byKind form = iota
	byMarshalJSON
	byMarshalText
)

var (
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// hasCode reports a type that writes or reads its JSON by methods of its own.
func hasCode(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(jsonMarshaler) || p.Implements(jsonUnmarshaler) ||
		p.Implements(textMarshaler) || p.Implements(textUnmarshaler)
}

func formOf(t reflect.Type) form {
	switch {
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
		return byKind // what is behind it decides
	case reflect.PointerTo(t).Implements(jsonMarshaler):
		return byMarshalJSON
	case reflect.PointerTo(t).Implements(textMarshaler):
		return byMarshalText
	}
	return byKind
}

// known gives the schemas of types of the standard library that write their JSON themselves.
func known(t reflect.Type) (members, bool) {
	switch t {
	case reflect.TypeFor[time.Time]():
		return members{{"type", "string"}, {"format", "date-time"}}, true
	case reflect.TypeFor[json.Number]():
		return members{{"type", "number"}}, true
	case reflect.TypeFor[json.RawMessage]():
		return members{}, true
	case reflect.TypeFor[big.Int]():
		return members{{"type", "integer"}}, true
	}
	return nil, false
}

// maxFloat32 is math.MaxFloat32 as encoding/json writes it for a float32, a little more than what it writes for a float64.
const maxFloat32 = "3.4028235e+38"

// schema writes the schema of a type: a new value, which the caller may add to.
func (d *deriver) schema(t reflect.Type) members {
	if !d.recursive[t] {
		return d.inline(t)
	}
	name, ok := d.names[t]
	if !ok {
		name = t.Name()
		for n := 2; d.taken[name]; n++ {
			name = t.Name() + strconv.Itoa(n)
		}
		d.taken[name], d.names[t] = true, name
		at := len(d.defs)
		d.defs = append(d.defs, member{name: name})
		d.defs[at].value = d.inline(t)
	}
	return members{{"$ref", "#/$defs/" + pointerEscaper.Replace(name)}}
}

func (d *deriver) inline(t reflect.Type) members {
	m := d.form(t)
	if values, err := enumOf(t, ""); err == nil && values != nil { // the survey has reported what is wrong with it
		return append(m, member{"enum", values})
	}
	return m
}

// form is the schema of a type, whatever values it lists.
func (d *deriver) form(t reflect.Type) members {
	if plain, ok := persistent.Plain(t); ok {
		return d.form(plain)
	}
	if m, ok := known(t); ok {
		return m
	}
	if t.Kind() != reflect.Pointer && (hasCode(t) || t.Kind() == reflect.Interface && t.NumMethod() > 0) {
		d.trial = true
	}
	switch formOf(t) {
	case byMarshalJSON:
		return members{}
	case byMarshalText:
		return members{{"type", "string"}}
	}
	switch k := t.Kind(); k {
	case reflect.Bool:
		return members{{"type", "boolean"}}
	case reflect.String:
		return members{{"type", "string"}}
	case reflect.Float64:
		return members{{"type", "number"}}
	case reflect.Float32:
		return members{{"type", "number"}, {"minimum", json.Number("-" + maxFloat32)}, {"maximum", json.Number(maxFloat32)}}
	case reflect.Pointer:
		return nullable(d.schema(t.Elem()))
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && formOf(t.Elem()) == byKind {
			return nullable(members{{"type", "string"}, {"contentEncoding", "base64"}})
		}
		return nullable(members{{"type", "array"}, {"items", d.schema(t.Elem())}})
	case reflect.Array:
		return members{{"type", "array"}, {"items", d.schema(t.Elem())}, {"minItems", t.Len()}, {"maxItems", t.Len()}}
	case reflect.Map:
		return nullable(d.mapping(t))
	case reflect.Struct:
		return d.object(t)
	default:
		if isInteger(k) {
			least, most := bounds(t)
			return members{{"type", "integer"}, {"minimum", least}, {"maximum", most}}
		}
		return members{} // an interface: anything
	}
}

// bounds of an integer type, as JSON numbers: a float could not say those of int64.
func bounds(t reflect.Type) (least, most json.Number) {
	one := big.NewInt(1)
	if t.Kind() >= reflect.Uint {
		top := new(big.Int).Lsh(one, uint(t.Bits()))
		return "0", json.Number(top.Sub(top, one).String())
	}
	top := new(big.Int).Lsh(one, uint(t.Bits()-1))
	return json.Number("-" + top.String()), json.Number(new(big.Int).Sub(top, one).String())
}

// Names of the members of maps with integer keys.
const (
	signedKeys   = "^-?[0-9]+$"
	unsignedKeys = "^[0-9]+$"
)

func (d *deriver) mapping(t reflect.Type) members {
	m := members{{"type", "object"}, {"additionalProperties", d.schema(t.Elem())}}
	key := t.Key()
	switch values, err := enumOf(key, ""); {
	case err == nil && values != nil && key.Kind() == reflect.String && !hasCode(key):
		m = append(m, member{"propertyNames", members{{"enum", values}}})
	case hasCode(key):
		d.trial = true
	case isInteger(key.Kind()):
		d.trial = true // whether a key fits the type
		pattern := signedKeys
		if key.Kind() >= reflect.Uint {
			pattern = unsignedKeys
		}
		m = append(m, member{"propertyNames", members{{"pattern", pattern}}})
	}
	return m
}

// object is the schema of a struct: no other members than its own, and those required that are always written.
func (d *deriver) object(t reflect.Type) members {
	properties, required := members{}, []string{}
	for _, f := range jsonfield.Of(t) {
		p := d.property(f)
		if text := f.Go.Tag.Get("jsonschema"); text != "" {
			p = append(p, member{"description", text})
		}
		properties = append(properties, member{f.Name, p})
		if !f.OmitEmpty && !f.OmitZero && !f.Optional {
			required = append(required, f.Name)
		}
	}
	m := members{{"type", "object"}, {"properties", properties}}
	if len(required) > 0 {
		m = append(m, member{"required", required})
	}
	return append(m, member{"additionalProperties", false})
}

func (d *deriver) property(f jsonfield.Field) members {
	t := f.Go.Type
	for _, step := range f.Path[:len(f.Path)-1] {
		if step.Type.Kind() == reflect.Pointer && !step.IsExported() {
			d.trial = true // encoding/json writes it and cannot read it
		}
	}
	if f.Quoted {
		d.trial = true
		p := members{{"type", "string"}}
		if t.Kind() == reflect.Pointer {
			return nullable(p)
		}
		return p
	}
	p := d.schema(t)
	if values, err := tagEnum(f, ""); err == nil && values != nil {
		p = restrict(p, values)
	}
	if plain, ok := persistent.Plain(t); ok {
		t = plain
	}
	if (f.OmitEmpty || f.OmitZero) && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map) && formOf(t) == byKind {
		return notNull(p) // nil is left out
	}
	return p
}

// nullable allows null beside what the schema allows.
func nullable(m members) members {
	for i, x := range m {
		if values, ok := x.value.([]any); ok && x.name == "enum" && !slices.Contains(values, any(nil)) {
			m[i].value = append(slices.Clone(values), nil)
		}
	}
	switch typ := m.get("type").(type) {
	case string:
		m[0].value = []string{typ, "null"} // type comes first
		return m
	case nil:
		if m.get("$ref") != nil {
			return members{{"anyOf", []any{m, members{{"type", "null"}}}}}
		}
	}
	return m // null is allowed already
}

// notNull takes back what nullable allowed.
func notNull(m members) members {
	if types, ok := m.get("type").([]string); ok {
		m[0].value = types[0]
	} else if either, ok := m.get("anyOf").([]any); ok {
		return either[0].(members) //nolint:forcetypeassert // nullable has put it there
	}
	return m
}
