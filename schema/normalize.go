package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fermata-go/fermata/internal/canonical"
)

// Normalize checks a value more strictly than Check and returns it as any program reads it. A person's answer is taken
// in this form (law H2), because JSON Schema allows texts that Go cannot read:
//
//   - An integer that is written as 1.0 or 1e2 is returned as 1 and 100.
//   - An object that has a member twice is refused: readers disagree about which one counts.
//   - A number that no float64 holds is refused where the schema says "number".
//   - A date-time has to be one that time.Time reads: without leap seconds, with T and Z in capitals.
//   - A contentEncoding of base64 is checked, and not only noted.
//
// Nothing else of the text changes; a value that needs no change is returned itself. Errors are *Error.
func (s *Schema) Normalize(value []byte) (json.RawMessage, error) {
	if err := s.Check(value); err != nil {
		return nil, err
	}
	switch string(value) {
	case "true", "false", "null": // these have one form
		return value, nil
	}
	strict := s.strict()
	if strict != s.compiled {
		v, _ := parse(value) // Check has read it
		if invalid := validate(strict, v); invalid != nil {
			places := func() map[string]*jsonschema.Schema { return placesOf(strict) }
			return nil, newError((&explainer{value: v, places: places}).problems(invalid))
		}
	}
	root, problems := readTree(value)
	if len(problems) > 0 {
		return nil, newError(problems)
	}
	n := normalizer{text: value}
	n.visit(root, []*jsonschema.Schema{strict}, nil)
	if len(n.problems) > 0 {
		return nil, newError(n.problems)
	}
	return n.rewritten(), nil
}

// goTime is the format date-time as time.Time reads it.
var goTime = &jsonschema.Format{Name: "date-time", Validate: func(v any) error {
	if s, ok := v.(string); ok {
		return new(time.Time).UnmarshalText([]byte(s))
	}
	return nil
}}

// tree is a JSON value with the places of its numbers in the text.
type tree struct {
	value      any // as encoding/json decodes it, with json.Number
	start, end int // of a number
	members    []branch
	items      []*tree
	odd        bool // it is or holds a number that some reader may not read as it is written
}

type branch struct {
	name string
	*tree
}

type treeReader struct {
	d        *json.Decoder
	problems []Problem
}

// readTree reads a text that is known to be JSON, and reports members that an object has twice.
func readTree(text []byte) (*tree, []Problem) {
	r := treeReader{d: json.NewDecoder(bytes.NewReader(text))}
	r.d.UseNumber()
	t := r.read(nil)
	return t, r.problems
}

func (r *treeReader) read(path []string) *tree {
	token, err := r.d.Token()
	if err != nil { // cannot be: the text was checked
		r.problems = append(r.problems, Problem{pointer(path), "expected JSON: " + err.Error()})
		return &tree{}
	}
	t := &tree{value: token}
	switch token := token.(type) {
	case json.Number:
		t.end = int(r.d.InputOffset())
		t.start = t.end - len(token)
		t.odd = strings.ContainsAny(token.String(), ".eE") || token == "-0" || len(token) > 300
	case json.Delim:
		if token == '{' {
			r.object(t, path)
		} else {
			r.array(t, path)
		}
		_, _ = r.d.Token() // the end of it
	}
	return t
}

func (r *treeReader) array(t *tree, path []string) {
	list := []any{}
	for i := 0; r.d.More() && len(r.problems) == 0; i++ {
		item := r.read(append(path, strconv.Itoa(i)))
		t.items, t.odd = append(t.items, item), t.odd || item.odd
		list = append(list, item.value)
	}
	t.value = list
}

func (r *treeReader) object(t *tree, path []string) {
	object := make(map[string]any)
	for r.d.More() && len(r.problems) == 0 {
		key, _ := r.d.Token()
		name, _ := key.(string)
		inner := r.read(append(path, name))
		if _, twice := object[name]; twice {
			r.problems = append(r.problems, Problem{pointer(append(path, name)), "expected each member once, found it twice"})
		}
		t.members, t.odd = append(t.members, branch{name, inner}), t.odd || inner.odd || looksWhole(name)
		object[name] = inner.value
	}
	t.value = object
}

// looksWhole reports a name that may be the key of a map with integer keys.
func looksWhole(name string) bool {
	return name != "" && (name[0] == '-' || name[0] >= '0' && name[0] <= '9')
}

// normalizer finds the numbers of a value that have to be written in another way.
type normalizer struct {
	text     []byte
	changes  []change // in the order of the text
	growth   int
	problems []Problem
}

type change struct {
	start, end int
	text       string
}

// mostGrowth is how many bytes a text may grow by: 1e400 is short, and long as an integer.
const mostGrowth = 1 << 20

func (n *normalizer) visit(t *tree, schemas []*jsonschema.Schema, path []string) {
	if !t.odd || len(n.problems) > 0 {
		return
	}
	var parts []*jsonschema.Schema
	for _, s := range schemas {
		parts = applying(parts, s, t.value)
	}
	switch v := t.value.(type) {
	case json.Number:
		n.number(t, v.String(), parts, path)
	case []any:
		for i, item := range t.items {
			var inner []*jsonschema.Schema
			for _, s := range parts {
				inner = append(inner, itemOf(s, i)...)
			}
			n.visit(item, inner, append(path, strconv.Itoa(i)))
		}
	case map[string]any:
		n.keys(t, parts, path)
		for _, m := range t.members {
			var inner []*jsonschema.Schema
			for _, s := range parts {
				inner = append(inner, propertyOf(s, m.name)...)
			}
			n.visit(m.tree, inner, append(path, m.name))
		}
	}
}

// applying adds s to parts, with all that it combines and that holds for the value.
func applying(parts []*jsonschema.Schema, s *jsonschema.Schema, v any) []*jsonschema.Schema {
	if s == nil || slices.Contains(parts, s) {
		return parts
	}
	parts = append(parts, s)
	parts = applying(parts, s.Ref, v)
	parts = applying(parts, s.RecursiveRef, v)
	if s.DynamicRef != nil {
		parts = applying(parts, s.DynamicRef.Ref, v)
	}
	for _, part := range s.AllOf {
		parts = applying(parts, part, v)
	}
	for _, choice := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		var near []*jsonschema.Schema
		for _, part := range choice {
			if kindsIn(part)&kindOfValue(v) != 0 {
				near = append(near, part)
			}
		}
		for _, part := range near {
			if len(near) == 1 || validate(part, v) == nil { // the whole value is known to fit
				parts = applying(parts, part, v)
			}
		}
	}
	if s.If != nil {
		if validate(s.If, v) == nil {
			parts = applying(applying(parts, s.If, v), s.Then, v)
		} else {
			parts = applying(parts, s.Else, v)
		}
	}
	if object, ok := v.(map[string]any); ok {
		for _, name := range sortedKeys(s.DependentSchemas) {
			if _, there := object[name]; there {
				parts = applying(parts, s.DependentSchemas[name], v)
			}
		}
	}
	return parts
}

func itemOf(s *jsonschema.Schema, i int) []*jsonschema.Schema {
	switch older := s.Items.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{older}
	case []*jsonschema.Schema:
		if i < len(older) {
			return older[i : i+1]
		}
		return []*jsonschema.Schema{asSchema(s.AdditionalItems)}
	}
	if i < len(s.PrefixItems) {
		return s.PrefixItems[i : i+1]
	}
	return []*jsonschema.Schema{s.Items2020}
}

// keys refuses names of a map with integer keys that no such map holds, or that are one key of it: 1 and 01.
func (n *normalizer) keys(t *tree, parts []*jsonschema.Schema, path []string) {
	i := slices.IndexFunc(parts, func(s *jsonschema.Schema) bool { return keyPattern(s) != "" })
	if i < 0 {
		return
	}
	seen := make(map[string]string)
	for _, m := range t.members {
		var key string
		var err error
		if keyPattern(parts[i]) == signedKeys {
			var v int64
			v, err = strconv.ParseInt(m.name, 10, 64)
			key = strconv.FormatInt(v, 10)
		} else {
			var v uint64
			v, err = strconv.ParseUint(m.name, 10, 64)
			key = strconv.FormatUint(v, 10)
		}
		other, twice := seen[key]
		switch {
		case err != nil:
			n.problems = append(n.problems, Problem{pointer(append(path, m.name)), "expected a name that is an integer of 64 bits, found " + shorten(m.name)})
		case twice:
			n.problems = append(n.problems, Problem{pointer(append(path, m.name)), fmt.Sprintf("expected each integer once, found %s for %s", m.name, other)})
		}
		seen[key] = m.name
	}
}

// keyPattern is the pattern of the names in a schema that is that of a map with integer keys, in the words of [For]; "" for others.
func keyPattern(s *jsonschema.Schema) string {
	if len(s.Extensions) != 1 || len(s.Properties) > 0 || len(s.PatternProperties) > 0 || len(s.Required) > 0 || additional(s) == nil {
		return ""
	}
	names, ok := s.Extensions[0].(nameCheck)
	if !ok || names.schema.Pattern == nil || names.schema.MaxLength != nil || names.schema.Enum != nil {
		return ""
	}
	if p := names.schema.Pattern.String(); p == signedKeys || p == unsignedKeys {
		return p
	}
	return ""
}

func (n *normalizer) number(t *tree, text string, parts []*jsonschema.Schema, path []string) {
	integer, float := false, false
	for _, s := range parts {
		if s.Types == nil || s.Types.IsEmpty() {
			continue
		}
		switch f := typesOf(s) & aNumber; f {
		case anInteger:
			integer = true
		case aNumber:
			float = true
		}
	}
	if !integer {
		if _, err := strconv.ParseFloat(text, 64); float && err != nil {
			n.problems = append(n.problems, Problem{pointer(path), fmt.Sprintf(
				"expected a number of at most %g in size, found %s", math.MaxFloat64, shorten(text))})
		}
		return
	}
	plain, ok := canonical.Integer(text)
	if !ok || plain == text {
		return
	}
	if n.growth += len(plain) - len(text); n.growth > mostGrowth {
		n.problems = append(n.problems, Problem{pointer(path), "expected integers without exponents, found too many that are long when written out"})
		return
	}
	n.changes = append(n.changes, change{t.start, t.end, plain})
}

// rewritten is the text with the changes.
func (n *normalizer) rewritten() []byte {
	if len(n.changes) == 0 {
		return n.text
	}
	out := make([]byte, 0, len(n.text)+max(n.growth, 0))
	at := 0
	for _, c := range n.changes {
		out = append(append(out, n.text[at:c.start]...), c.text...)
		at = c.end
	}
	return append(out, n.text[at:]...)
}
