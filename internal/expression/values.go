package expression

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/fermata-go/fermata/internal/document"
)

// Describe names a value's JSON type for a message, with the value where it is short.
func Describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprintf("the boolean %t", v)
	case string:
		return "the text " + document.Quote(v)
	case json.Number:
		return "the number " + v.String()
	case int, float64:
		return fmt.Sprintf("the number %v", v)
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("a %T", v)
}

// maxValueDepth bounds how deep values on the blackboard are nested.
const maxValueDepth = 1000

// Dynamic converts a value to the form that values have on the blackboard, as document.Decode does.
func Dynamic(v any) (any, error) { return dynamicAt(v, 0) }

func dynamicAt(v any, depth int) (any, error) {
	if depth > maxValueDepth {
		return nil, &formError{why: fmt.Sprintf("it is nested more than %d deep, or holds itself", maxValueDepth)}
	}
	switch v := v.(type) {
	case nil, bool, string:
		return v, nil
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, &formError{why: "it is no finite number, because it is too large or was divided by 0"}
		}
	case int:
		return json.Number(strconv.Itoa(v)), nil
	case map[any]any, map[any][]any: // fromPairs, groupBy
		return dynamicEntries(v, depth)
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			d, err := dynamicAt(e, depth+1)
			if err != nil {
				return nil, within(k, err)
			}
			m[k] = d
		}
		return m, nil
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			d, err := dynamicAt(e, depth+1)
			if err != nil {
				return nil, within(strconv.Itoa(i), err)
			}
			l[i] = d
		}
		return l, nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, &formError{why: err.Error()}
	}
	return document.Decode(data)
}

// dynamicEntries is an object whose names may be any scalars. Names that are the same text are one: the last of them, and of
// groups all elements.
func dynamicEntries(v any, depth int) (any, error) {
	all, _ := entriesOf(v)
	m := make(map[string]any, len(all))
	for _, e := range all {
		name, err := dynamicAt(e.name, depth+1)
		if err != nil {
			return nil, err
		}
		value, err := dynamicAt(e.value, depth+1)
		if err != nil {
			return nil, within(Text(name), err)
		}
		if group, ok := value.([]any); ok {
			if before, ok := m[Text(name)].([]any); ok && reflect.TypeOf(v) == reflect.TypeFor[map[any][]any]() {
				value = slices.Concat(before, group)
			}
		}
		m[Text(name)] = value
	}
	return m, nil
}

// kept is a value that an expression has made, in the form of the blackboard. Parts that stand in it many times count
// as often: in an expression they are one, and on the blackboard they are not.
func kept(v any) (any, error) {
	parts, text := maxValue, maxMade
	if !measure(v, &parts, &text, 0) {
		return nil, &formError{why: fmt.Sprintf("it has more than %d elements, or its texts more than %d bytes", maxValue, maxMade)}
	}
	return Dynamic(v)
}

// measure takes what a value has from what is left for it, and reports whether there was enough.
func measure(v any, parts, text *int, depth int) bool {
	if *parts--; *parts < 0 || *text < 0 || depth > maxValueDepth {
		return *parts >= 0 && *text >= 0 // what is too deep is refused elsewhere
	}
	fits := true
	switch v := v.(type) {
	case string:
		*text -= len(v)
	case []any:
		for i := 0; i < len(v) && fits; i++ {
			fits = measure(v[i], parts, text, depth+1)
		}
	case map[string]any:
		for k, e := range v {
			if *text -= len(k); fits {
				fits = measure(e, parts, text, depth+1)
			}
		}
	case map[any]any, map[any][]any: // fromPairs, groupBy
		all, _ := entriesOf(v)
		for _, e := range all {
			fits = fits && measure(e.name, parts, text, depth+1) && measure(e.value, parts, text, depth+1)
		}
	}
	return fits && *text >= 0
}

// formError says that a value cannot be kept on the blackboard, and where in it (law N8).
type formError struct{ path, why string }

func (e *formError) Error() string {
	if e.path == "" {
		return "the value has no form in JSON: " + e.why
	}
	return fmt.Sprintf("at %s the value has no form in JSON: %s", document.Quote(e.path), e.why)
}

// within adds the member that the value was in.
func within(name string, err error) error {
	fe, ok := errors.AsType[*formError](err)
	if !ok {
		return err
	}
	if fe.path != "" {
		name += "." + fe.path
	}
	return &formError{path: name, why: fe.why}
}

// numeric brings a value of the blackboard into the form that expressions calculate with: int where a number is
// a 64-bit integer, else float64. It copies what it changes.
func numeric(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.Atoi(v.String()); err == nil {
			return i
		}
		f, _ := v.Float64()
		if i, ok := wholeOf(f); ok { // 1.0, which JSON has for a whole number too
			return i
		}
		return f
	}
	return copied(v, numeric)
}

// Text renders a value for people: text as it is, anything else as JSON.
func Text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	data, err := document.Encode(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// Clone is a deep copy of a value of the blackboard.
func Clone(v any) any { return copied(v, Clone) }

// copied copies an object or a list with each of its values changed; anything else is returned as it is.
func copied(v any, each func(any) any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = each(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = each(e)
		}
		return l
	}
	return v
}
