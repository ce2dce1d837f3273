package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/cmd/fermata/internal/ordered"
)

// reader reads the parts of a JSON Schema that forms are made of. It decides nothing about validity: the answer is
// checked against the whole schema by whoever takes it.
type reader struct{ root ordered.Object }

// resolve follows references within the document.
func (r *reader) resolve(s ordered.Object) ordered.Object {
	for range 16 {
		ref, ok := s.Get("$ref").(string)
		if !ok || !strings.HasPrefix(ref, "#") {
			return s
		}
		var at ordered.Value = r.root
		for part := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
			if part == "" {
				continue
			}
			o, ok := at.(ordered.Object)
			if !ok {
				return ordered.Object{}
			}
			at = o.Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
		}
		next, ok := at.(ordered.Object)
		if !ok {
			return ordered.Object{}
		}
		for _, m := range s { // what stands beside a reference adds to it
			if m.Name != "$ref" && !next.Has(m.Name) {
				next = append(slices.Clone(next), m)
			}
		}
		s = next
	}
	return ordered.Object{}
}

// composed reports whether a schema says more than fields can: alternatives, conditions, open objects. Conditions under
// which more is required are not among them: the check of the answer has them.
func composed(s ordered.Object) bool {
	parts := []string{"anyOf", "oneOf", "allOf", "not", "patternProperties", "dependentSchemas", "prefixItems"}
	return slices.ContainsFunc(parts, s.Has) || s.Has("if") && !(onlyRequires(s.Get("then")) && onlyRequires(s.Get("else")))
}

// onlyRequires reports whether a schema says no more than what is required; nil is the schema that is not there.
func onlyRequires(v ordered.Value) bool {
	s, ok := v.(ordered.Object)
	return v == nil || ok && !slices.ContainsFunc(s, func(m ordered.Member) bool { return m.Name != "required" })
}

// kind is the schema's type, "" for none or several; null beside it makes it optional.
func kind(s ordered.Object) (name string, null bool) {
	switch t := s.Get("type").(type) {
	case string:
		return t, false
	case ordered.Array:
		for _, item := range t {
			switch text, _ := item.(string); {
			case text == "null":
				null = true
			case name != "":
				return "", null
			default:
				name = text
			}
		}
	}
	return name, null
}

// properties are the members of an object schema that can be filled in one by one.
func (r *reader) properties(s ordered.Object) ordered.Object {
	name, _ := kind(s)
	p, _ := s.Get("properties").(ordered.Object)
	if composed(s) || name != "object" && (name != "" || p == nil) {
		return nil
	}
	return p
}

// fields makes the fields of an object, and of the objects in it: what is required first.
func (r *reader) fields(s ordered.Object, path []string, optional bool) []Field {
	var first, rest []Field
	for _, m := range r.properties(s) {
		p, ok := m.Value.(ordered.Object)
		if !ok {
			p = ordered.Object{}
		}
		p = r.resolve(p)
		at := append(slices.Clone(path), m.Name)
		required := requires(s, m.Name) && !optional
		made := []Field{}
		if inner := r.properties(p); len(inner) > 0 && len(path) == 0 && !r.deep(inner) {
			made = r.fields(p, at, !required)
		} else {
			made = append(made, r.field(p, at, required))
		}
		if required {
			first = append(first, made...)
		} else {
			rest = append(rest, made...)
		}
	}
	return append(first, rest...)
}

// deep reports whether an object holds objects again: then it is written as JSON.
func (r *reader) deep(properties ordered.Object) bool {
	for _, m := range properties {
		p, ok := m.Value.(ordered.Object)
		if !ok {
			continue
		}
		if len(r.properties(r.resolve(p))) > 0 {
			return true
		}
	}
	return false
}

func requires(s ordered.Object, name string) bool {
	list, _ := s.Get("required").(ordered.Array)
	return slices.ContainsFunc(list, func(v ordered.Value) bool { return v == name })
}

// longText is from how many characters on a text gets several lines.
const longText = 120

func (r *reader) field(s ordered.Object, path []string, required bool) Field {
	name, null := kind(s)
	f := Field{Path: path, Required: required && !null, Null: required && null, Title: strings.Join(path, ".")}
	if title, ok := s.Get("title").(string); ok {
		f.Title = title
	}
	f.Help, _ = s.Get("description").(string)
	values, isEnum := s.Get("enum").(ordered.Array)
	switch {
	case composed(s):
		f.Kind = JSON
	case s.Has("const"):
		f.Kind, f.Options = Choice, optionsOf(ordered.Array{s.Get("const")})
	case isEnum:
		f.Kind, f.Options = Choice, optionsOf(values)
	case name == "string":
		f.Kind = Text
		if n, ok := s.Get("maxLength").(json.Number); s.Has("contentMediaType") || ok && longer(n) {
			f.Kind = Prose
		}
	case name == "boolean" && f.Required:
		f.Kind = Flag
	case name == "boolean":
		f.Kind, f.Options = Choice, []Option{{"yes", true}, {"no", false}}
	case name == "integer":
		f.Kind = Integer
	case name == "number":
		f.Kind = Number
	case name == "array":
		r.list(&f, s)
	default:
		f.Kind = JSON
	}
	f.start(s)
	if f.Kind == JSON && f.Start.Text == "" {
		f.Skeleton, f.least = r.skeleton(s, 0), r.least(s)
		if f.Required {
			f.Start.Text = f.Skeleton
		}
	}
	return f
}

func longer(n json.Number) bool {
	i, err := n.Int64()
	return err == nil && i > longText
}

func (r *reader) list(f *Field, s ordered.Object) {
	items, _ := s.Get("items").(ordered.Object)
	items = r.resolve(items)
	values, isEnum := items.Get("enum").(ordered.Array)
	name, _ := kind(items)
	switch {
	case isEnum:
		f.Kind, f.Options = Many, optionsOf(values)
	case name == "string" && !composed(items):
		f.Kind = List
	default:
		f.Kind = JSON
	}
}

func optionsOf(values ordered.Array) []Option {
	options := make([]Option, len(values))
	for i, v := range values {
		options[i] = Option{Label: label(v), Value: v}
	}
	return options
}

func label(v ordered.Value) string {
	if text, ok := v.(string); ok && text != "" {
		return text
	}
	data, err := ordered.Encode(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// start fills in the schema's default.
func (f *Field) start(s ordered.Object) {
	v := s.Get("default")
	if v == nil {
		return
	}
	switch f.Kind {
	case Flag:
		f.Start.Choices = []int{1}
		if v == true {
			f.Start.Choices = []int{0}
		}
	case Choice, Many:
		values, ok := v.(ordered.Array)
		if !ok || f.Kind == Choice {
			values = ordered.Array{v}
		}
		for i, o := range f.Options {
			if slices.ContainsFunc(values, func(v ordered.Value) bool { return label(v) == o.Label }) {
				f.Start.Choices = append(f.Start.Choices, i)
			}
		}
	case JSON:
		f.Start.Text = pretty(v)
	case List:
		if values, ok := v.(ordered.Array); ok {
			lines := make([]string, len(values))
			for i, item := range values {
				lines[i] = label(item)
			}
			f.Start.Text = strings.Join(lines, "\n")
		}
	default:
		f.Start.Text = label(v)
	}
}

// skeleton is a JSON text of the schema's shape, to be filled in.
func (r *reader) skeleton(s ordered.Object, depth int) string {
	return pretty(r.shape(s, depth))
}

// least is a value of the schema's shape without the members that may be left out, where there are others.
func (r *reader) least(s ordered.Object) ordered.Value {
	object, ok := r.shape(s, 0).(ordered.Object)
	required, _ := r.resolve(s).Get("required").(ordered.Array)
	if !ok || len(required) == 0 {
		return r.shape(s, 0)
	}
	least := ordered.Object{}
	for _, m := range object {
		if slices.Contains(required, ordered.Value(m.Name)) {
			least = least.Set(m.Name, m.Value)
		}
	}
	return least
}

func (r *reader) shape(s ordered.Object, depth int) ordered.Value {
	s = r.resolve(s)
	if v := s.Get("default"); v != nil {
		return v
	}
	if values, ok := s.Get("enum").(ordered.Array); ok && len(values) > 0 {
		return values[0]
	}
	for _, of := range []string{"oneOf", "anyOf"} {
		if list, ok := s.Get(of).(ordered.Array); ok && len(list) > 0 && depth < 8 {
			if first, ok := list[0].(ordered.Object); ok {
				return r.shape(first, depth+1)
			}
		}
	}
	name, _ := kind(s)
	properties, _ := s.Get("properties").(ordered.Object)
	switch {
	case properties != nil && depth < 8:
		object := ordered.Object{}
		for _, m := range properties {
			p, _ := m.Value.(ordered.Object)
			object = object.Set(m.Name, r.shape(p, depth+1))
		}
		return object
	case name == "object":
		return ordered.Object{}
	case name == "array":
		return ordered.Array{}
	case name == "string":
		return ""
	case name == "boolean":
		return false
	case name == "integer" || name == "number":
		return json.Number("0")
	}
	return nil
}

func pretty(v ordered.Value) string {
	data, err := ordered.Encode(v)
	if err != nil {
		return ""
	}
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		return string(data)
	}
	return b.String()
}
