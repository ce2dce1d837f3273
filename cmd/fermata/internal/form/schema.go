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
type reader struct {
	root ordered.Object
	open []string // references to the objects whose fields are being read
	made int      // how many fields there are
	deep int      // in how many forms this one lies
}

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

// form makes the form of a schema.
func (r *reader) form(s ordered.Object) *Form {
	s, null := r.simple(s)
	_, none := kind(s)
	switch {
	case r.deep > deepest:
		return &Form{Fields: []Field{r.text(without(s, "default"), place{required: true})}}
	case len(r.properties(s)) == 0:
		return &Form{Fields: []Field{r.field(s, place{required: true, null: null})}}
	case null || none:
		return &Form{Fields: []Field{r.whole(s, place{required: true, null: true})}}
	}
	if fields := r.object(s, place{}); fields != nil {
		return &Form{Fields: fields, object: true, check: r.checker(s)}
	}
	return &Form{Fields: []Field{r.text(s, place{required: true})}}
}

// object makes the fields of an object that may have a default; none where they cannot hold it.
func (r *reader) object(s ordered.Object, at place) []Field {
	fields := r.fields(s, at)
	start, ok := s.Get("default").(ordered.Object)
	if !ok {
		return fields
	}
	if len(at.path) > 0 {
		start = put(nil, at.path, start)
	}
	f := &Form{Fields: fields, object: true}
	for i, e := range f.load(start) {
		fields[i].Start = e
		fields[i].empty = get(start, fields[i].Path) == ""
	}
	if got, err := f.answer(f.Starts()); err != nil || !same(got, start) {
		return nil
	}
	return fields
}

// text makes a field of what no form can hold: its JSON.
func (r *reader) text(s ordered.Object, at place) Field {
	r.made++
	f := Field{Path: at.path, Required: at.required, Title: strings.Join(at.titles, "."), Kind: JSON, least: r.least(s)}
	f.Help, _ = s.Get("description").(string)
	f.start(s)
	return f
}

// place is where fields are made.
type place struct {
	path     []string
	titles   []string
	required bool
	optional bool // within something that may be left out
	null     bool // null may stand there
}

// deepest is how many forms may lie in each other before what is in them is written as JSON.
const deepest = 8

// mostFields is how many fields a form may have; what is beyond is written as JSON.
const mostFields = 200

// fields makes the fields of an object, and of the objects in it: what is required first.
func (r *reader) fields(s ordered.Object, at place) []Field {
	var first, rest []Field
	for _, m := range r.properties(s) {
		p, ok := m.Value.(ordered.Object)
		if !ok {
			p = ordered.Object{}
		}
		ref, _ := p.Get("$ref").(string)
		p, null := r.simple(p)
		title, ok := p.Get("title").(string)
		if !ok {
			title = m.Name
		}
		required := requires(s, m.Name) && !at.optional
		inner := place{
			path: append(slices.Clone(at.path), m.Name), titles: append(slices.Clone(at.titles), title),
			required: required, optional: !required, null: null,
		}
		if _, none := kind(p); none {
			inner.null = true
		}
		var made []Field
		switch again := ref != "" && slices.Contains(r.open, ref); {
		case len(r.properties(p)) == 0 || r.made > mostFields:
			made = []Field{r.field(p, inner)}
		case inner.null || again:
			made = []Field{r.whole(p, inner)}
		default:
			r.open = append(r.open, ref)
			made = r.object(p, inner)
			r.open = r.open[:len(r.open)-1]
			if made == nil {
				made = []Field{r.text(p, inner)}
			}
		}
		if required {
			first = append(first, made...)
		} else {
			rest = append(rest, made...)
		}
	}
	return append(first, rest...)
}

func requires(s ordered.Object, name string) bool {
	list, _ := s.Get("required").(ordered.Array)
	return slices.ContainsFunc(list, func(v ordered.Value) bool { return v == name })
}

// longText is from how many characters on a text gets several lines.
const longText = 120

func (r *reader) field(s ordered.Object, at place) Field {
	r.made++
	s, none := r.simple(s)
	name, null := kind(s)
	null = null || none || at.null
	f := Field{
		Path: at.path, Required: at.required && !null, Null: at.required && null,
		Title: strings.Join(at.titles, "."), check: r.checker(s),
	}
	if title, ok := s.Get("title").(string); ok && len(at.titles) < 2 {
		f.Title = title
	}
	branches := r.branches(s)
	f.Help, _ = s.Get("description").(string)
	values, isEnum := s.Get("enum").(ordered.Array)
	switch {
	case len(branches) > 0:
		r.variant(&f, branches)
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
	case name == "object":
		r.members(&f, s)
	default:
		f.Kind = JSON
	}
	if f.Kind == JSON || f.Kind == Choice || f.Kind == Flag {
		f.check = nil // one of the options fits; what is JSON is checked with the whole
	}
	f.start(s)
	if f.Kind == Items || f.Kind == Variant {
		f.least = r.least(s)
	}
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
	items, null := r.simple(items)
	values, isEnum := items.Get("enum").(ordered.Array)
	name, _ := kind(items)
	switch {
	case composed(s):
		f.Kind = JSON
	case isEnum && !null:
		f.Kind, f.Options = Many, optionsOf(values)
	case null || len(r.branches(items)) > 0:
		r.items(f, s)
	case name == "string":
		f.Kind = List
	case name == "integer":
		f.Kind, f.items = List, Integer
	case name == "number":
		f.Kind, f.items = List, Number
	case len(items) == 0:
		f.Kind = JSON
	default:
		r.items(f, s)
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
		switch v {
		case true:
			f.Start.Choices = []int{0}
		case false:
			f.Start.Choices = []int{1}
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
	case Items, Variant:
		f.Start = f.entry(v)
	case List:
		if values, ok := v.(ordered.Array); ok {
			lines := make([]string, len(values))
			for i, item := range values {
				lines[i] = label(item)
			}
			f.Start.Text = strings.Join(lines, "\n")
		}
	default:
		text, ok := v.(string)
		if !ok {
			text = label(v)
		}
		if f.Start.Text = text; f.Kind == Text && strings.Contains(text, "\n") {
			f.Kind = Prose
		}
	}
	if f.Kind == Items || f.Kind == Variant || f.Kind == Many || f.Kind == List {
		if !f.means(f.Start, v) {
			f.Kind, f.Start, f.check = JSON, Entry{Text: pretty(v)}, nil
		}
	}
}

// skeleton is a JSON text of the schema's shape, to be filled in.
func (r *reader) skeleton(s ordered.Object, depth int) string {
	return pretty(r.shape(s, depth))
}

// least is a value of the schema's shape without the members that may be left out, where there are others.
func (r *reader) least(s ordered.Object) ordered.Value {
	object, ok := r.shape(s, 0).(ordered.Object)
	simple, _ := r.simple(s)
	required, _ := simple.Get("required").(ordered.Array)
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
	s, _ = r.simple(s)
	if v := s.Get("default"); v != nil {
		return v
	}
	if s.Has("const") {
		return s.Get("const")
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
		items, _ := s.Get("items").(ordered.Object)
		if n := s.Get("minItems"); n == nil || n == json.Number("0") || items == nil || depth >= 8 {
			return ordered.Array{}
		}
		return ordered.Array{r.shape(items, depth+1)}
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
