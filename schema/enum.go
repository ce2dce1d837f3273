package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/jsonfield"
	"github.com/fermata-go/fermata/internal/persistent"
)

// enumMethod is the method by which a type lists its values.
const enumMethod = "SchemaEnum"

// enumOf gives the values that a type lists, as JSON: those of a method SchemaEnum() []T with a value receiver. It
// returns none for a type without that method.
func enumOf(t reflect.Type, path string) (values []any, err error) {
	if t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer {
		return nil, nil // what is behind it decides
	}
	method, ok := reflect.PointerTo(t).MethodByName(enumMethod)
	if !ok {
		return nil, nil
	}
	typed := method.Type.NumIn() == 1 && method.Type.NumOut() == 1 && method.Type.Out(0) == reflect.SliceOf(t)
	if !typed && t.Kind() == reflect.Struct {
		return nil, nil // that of an embedded type
	}
	_, byValue := t.MethodByName(enumMethod)
	if !typed || !byValue {
		return nil, fmt.Errorf("%s: expected the method func (%s) %s() []%s, on the value and without parameters, found %s",
			path, typeName(t), enumMethod, typeName(t), method.Type)
	}
	if formOf(t) == byKind && !isInteger(t.Kind()) && !slices.Contains([]reflect.Kind{
		reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
	}, t.Kind()) {
		return nil, fmt.Errorf("%s: %s is for strings, booleans, numbers and types with MarshalJSON or MarshalText, found a %s",
			path, enumMethod, t.Kind())
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: the method %s is called on a zero value and panics: %v", path, enumMethod, r)
		}
	}()
	listed := reflect.Zero(t).MethodByName(enumMethod).Call(nil)[0]
	data, err := json.Marshal(listed.Interface())
	if err != nil {
		return nil, fmt.Errorf("%s: the values of %s: %w", path, enumMethod, err)
	}
	if err := decode(data, &values); err != nil {
		return nil, fmt.Errorf("%s: the values of %s: %w", path, enumMethod, err)
	}
	return values, checkMembers(values, path, enumMethod)
}

// tagEnum gives the values that a field's tag enum:"a,b,c" lists. They are the field's own, or those of the items of a
// slice or array. It returns none for a field without that tag.
func tagEnum(f jsonfield.Field, path string) ([]any, error) {
	tag, ok := f.Go.Tag.Lookup("enum")
	if !ok {
		return nil, nil
	}
	if f.Quoted {
		return nil, fmt.Errorf("%s: an enum tag and the json option \"string\" do not go together", path)
	}
	t := enumerated(f.Go.Type)
	kind := scalar(t)
	if kind == "" {
		return nil, fmt.Errorf("%s: an enum tag is for strings, integers and numbers, and for slices of them, found %s",
			path, f.Go.Type)
	}
	var values []any
	for text := range strings.SplitSeq(tag, ",") {
		v, err := tagMember(strings.TrimSpace(text), t, kind)
		if err != nil {
			return nil, fmt.Errorf("%s: enum:%q: %w", path, tag, err)
		}
		values = append(values, v)
	}
	if err := checkMembers(values, path, fmt.Sprintf("enum:%q", tag)); err != nil {
		return nil, err
	}
	all, err := enumOf(t, path)
	if err != nil {
		return nil, err
	}
	for _, v := range values {
		if all != nil && !slices.ContainsFunc(all, func(other any) bool { return sameMember(v, other) }) {
			return nil, fmt.Errorf("%s: enum:%q: %s is none of the values that %s.%s lists", path, tag, show(v), typeName(t), enumMethod)
		}
	}
	return values, nil
}

// tagMember is one value of a tag, for a field of Go type t that is of the given kind in JSON.
func tagMember(text string, t reflect.Type, kind string) (any, error) {
	if text == "" {
		return nil, errors.New("expected values with commas between them, found an empty one")
	}
	if kind == "string" {
		return text, nil
	}
	number := json.Number(text)
	rat, isNumber := new(big.Rat).SetString(text)
	if !isNumber || !json.Valid([]byte(text)) || huge(text) {
		return nil, fmt.Errorf("expected %s, found %q", withArticle(kind), text)
	}
	if kind == "integer" && (!rat.IsInt() || strings.ContainsAny(text, ".eE")) {
		return nil, fmt.Errorf("expected an integer, found %s", text)
	}
	if isInteger(t.Kind()) {
		least, most := bounds(t)
		low, _ := new(big.Rat).SetString(least.String())
		high, _ := new(big.Rat).SetString(most.String())
		if rat.Cmp(low) < 0 || rat.Cmp(high) > 0 {
			return nil, fmt.Errorf("expected what fits Go's %s, found %s", t, text)
		}
	}
	if k := t.Kind(); k == reflect.Float32 || k == reflect.Float64 {
		if _, err := strconv.ParseFloat(text, t.Bits()); err != nil {
			return nil, fmt.Errorf("expected what fits Go's %s, found %s", t, text)
		}
	}
	return number, nil
}

// checkMembers refuses an enum without values, and one that lists a value twice.
func checkMembers(values []any, path, where string) error {
	if len(values) == 0 {
		return fmt.Errorf("%s: %s: expected at least one value, found none", path, where)
	}
	for i, v := range values {
		if slices.ContainsFunc(values[:i], func(other any) bool { return sameMember(v, other) }) {
			return fmt.Errorf("%s: %s: %s is there twice", path, where, show(v))
		}
	}
	return nil
}

// sameMember compares values as JSON: 1 and 1.0 are the same.
func sameMember(a, b any) bool {
	x, isX := a.(json.Number)
	y, isY := b.(json.Number)
	if isX && isY {
		return canonical.SameNumber(x.String(), y.String())
	}
	return reflect.DeepEqual(a, b)
}

// enumerated is the type that an enum tag on a field of type t is about.
func enumerated(t reflect.Type) reflect.Type {
	const deepestType = 20 // a type may contain itself
	for range deepestType {
		if plain, ok := persistent.Plain(t); ok {
			t = plain
		}
		_, isKnown := known(t)
		switch k := t.Kind(); {
		case isKnown || k != reflect.Pointer && formOf(t) != byKind:
			return t
		case k == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && formOf(t.Elem()) == byKind:
			return t // base64
		case k == reflect.Pointer || k == reflect.Slice || k == reflect.Array:
			t = t.Elem()
		default:
			return t
		}
	}
	return t
}

// scalar is what an enumerated type is in JSON: "string", "integer", "number", or "" for what cannot be listed in a tag.
func scalar(t reflect.Type) string {
	if m, ok := known(t); ok {
		if kind, _ := m.get("type").(string); kind != "string" {
			return kind
		}
		return "" // a date
	}
	switch form, k := formOf(t), t.Kind(); {
	case form == byMarshalText:
		return "string"
	case form == byMarshalJSON:
		return ""
	case k == reflect.String:
		return "string"
	case k == reflect.Float32 || k == reflect.Float64:
		return "number"
	case isInteger(k):
		return "integer"
	}
	return ""
}

// restrict puts an enum into the schema of a field: into that of its items where it is a list. Null stays allowed
// where it is.
func restrict(m members, values []any) members {
	for i, x := range m {
		if items, ok := x.value.(members); ok && x.name == "items" {
			m[i].value = restrict(items, values)
			return m
		}
	}
	if types, ok := m.get("type").([]string); ok && slices.Contains(types, "null") {
		values = append(slices.Clip(values), nil)
	}
	for i, x := range m {
		if x.name == "enum" {
			m[i].value = values
			return m
		}
	}
	return append(m, member{"enum", values})
}
