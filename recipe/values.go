package recipe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// kindOf names a YAML value for a message.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "the boolean " + n.Value
	case "!!int", "!!float":
		return "the number " + n.Value
	}
	return fmt.Sprintf("the text %s", quote(n.Value))
}

// quote shortens a text for a message.
func quote(s string) string {
	const shown = 60
	if r := []rune(s); len(r) > shown {
		return strconv.Quote(string(r[:shown]) + "…")
	}
	return strconv.Quote(s)
}

// typeOf names a value's JSON type for a message, with the value where it is short.
func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprintf("the boolean %t", v)
	case string:
		return "the text " + quote(v)
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

// jsonOf turns a tree into a JSON value: map[string]any, []any, string, bool, json.Number or nil.
func jsonOf(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := jsonOf(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			m[n.Content[i].Value] = v
		}
		return m, nil
	case yaml.SequenceNode:
		l := make([]any, len(n.Content))
		for i, c := range n.Content {
			v, err := jsonOf(c)
			if err != nil {
				return nil, err
			}
			l[i] = v
		}
		return l, nil
	}
	return scalarOf(n)
}

func scalarOf(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int", "!!float":
		return numberOf(n)
	}
	return n.Value, nil
}

// numberOf keeps the text of a number that JSON writes alike; 0x1F, 012 and 1_000 become what YAML takes them for.
func numberOf(n *yaml.Node) (json.Number, error) {
	if json.Valid([]byte(n.Value)) {
		return json.Number(n.Value), nil
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return "", fmt.Errorf("the number %s cannot be read", quote(n.Value))
	}
	if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return "", fmt.Errorf("the number %s has no form in JSON", n.Value)
	}
	data, err := json.Marshal(v)
	if err != nil || len(data) == 0 || data[0] == '"' {
		return "", fmt.Errorf("the number %s cannot be read", quote(n.Value))
	}
	return json.Number(data), nil
}

// decodeJSON reads one JSON value and keeps the text of its numbers.
func decodeJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("there is more than one JSON value")
	}
	return v, nil
}

// encodeJSON writes a value compactly, without escaping HTML.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// maxValueDepth bounds how deep values on the blackboard are nested.
const maxValueDepth = 1000

// dynamic brings any value into the form that values have on the blackboard: what decodeJSON gives.
func dynamic(v any) (any, error) { return dynamicAt(v, 0) }

func dynamicAt(v any, depth int) (any, error) {
	if depth > maxValueDepth {
		return nil, &formError{why: fmt.Sprintf("it is nested more than %d deep, or holds itself", maxValueDepth)}
	}
	switch v := v.(type) {
	case nil, bool, string:
		return v, nil
	case int:
		return json.Number(strconv.Itoa(v)), nil
	case map[any]any: // groupBy
		m := make(map[string]any, len(v))
		for k, e := range v {
			d, err := dynamicAt(e, depth+1)
			if err != nil {
				return nil, err
			}
			if d, err := dynamicAt(k, depth+1); err == nil {
				k = d
			}
			m[textOf(k)] = d
		}
		return m, nil
	case map[any][]any:
		m := make(map[any]any, len(v))
		for k, e := range v {
			m[k] = e
		}
		return dynamicAt(m, depth)
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
	return decodeJSON(data)
}

// kept is a value that an expression has made, in the form of the blackboard. Parts that stand in it many times count
// as often: in an expression they are one, and on the blackboard they are not.
func kept(v any) (any, error) {
	parts, text := maxValue, maxMade
	if !measure(v, &parts, &text, 0) {
		return nil, &formError{why: fmt.Sprintf("it has more than %d elements, or its texts more than %d bytes", maxValue, maxMade)}
	}
	return dynamic(v)
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
	case map[any][]any: // groupBy
		for _, e := range v {
			fits = fits && measure(e, parts, text, depth+1)
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
	return fmt.Sprintf("at %s the value has no form in JSON: %s", quote(e.path), e.why)
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
// written as a 64-bit integer, else float64. It copies what it changes.
func numeric(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.Atoi(v.String()); err == nil {
			return i
		}
		f, _ := v.Float64()
		return f
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = numeric(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = numeric(e)
		}
		return l
	}
	return v
}

// textOf renders a value for people: text as it is, anything else as JSON.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	data, err := encodeJSON(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// clone is a deep copy of a value of the blackboard.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = clone(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = clone(e)
		}
		return l
	}
	return v
}
