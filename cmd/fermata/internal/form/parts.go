package form

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/fermata-go/fermata/cmd/fermata/internal/ordered"
	"github.com/fermata-go/fermata/schema"
)

// simple follows references, puts the parts of allOf together, and takes the null out of "this or null".
func (r *reader) simple(s ordered.Object) (simple ordered.Object, null bool) {
	for range 16 {
		s = r.resolve(s)
		if all, ok := s.Get("allOf").(ordered.Array); ok {
			s = without(s, "allOf")
			for _, part := range all {
				if part, ok := part.(ordered.Object); ok {
					s = merged(s, r.resolve(part))
				}
			}
			continue
		}
		only, hasNull := r.orNull(s)
		if only == nil {
			break
		}
		s, null = only, null || hasNull
	}
	return s, null
}

// orNull is the one alternative that there is beside null; nil where there are others.
func (r *reader) orNull(s ordered.Object) (only ordered.Object, null bool) {
	for _, of := range alternatives {
		list, ok := s.Get(of).(ordered.Array)
		if !ok {
			continue
		}
		var rest []ordered.Object
		for _, v := range list {
			branch, _ := v.(ordered.Object)
			if r.resolve(branch).Get("type") == "null" {
				null = true
			} else {
				rest = append(rest, branch)
			}
		}
		if len(rest) == 1 {
			return merged(without(s, of), rest[0]), null
		}
	}
	return nil, false
}

var alternatives = []string{"oneOf", "anyOf"}

// branches are the alternatives of a schema, each with what stands beside them; none where there is one only.
func (r *reader) branches(s ordered.Object) []ordered.Object {
	var made []ordered.Object
	for _, of := range alternatives {
		list, ok := s.Get(of).(ordered.Array)
		if !ok {
			continue
		}
		base := without(without(s, of), "default")
		for _, v := range list {
			branch, ok := v.(ordered.Object)
			if !ok {
				return nil
			}
			branch = r.resolve(branch)
			made = append(made, merged(without(without(base, "title"), "description"), branch))
		}
		return made
	}
	types, _ := s.Get("type").(ordered.Array)
	for _, t := range types {
		if t != "null" {
			made = append(made, merged(without(s, "default"), ordered.Object{{Name: "type", Value: t}}))
		}
	}
	if len(made) < 2 || s.Has("enum") || s.Has("const") {
		return nil
	}
	return made
}

// variant makes a field of alternatives: which, and then its form.
func (r *reader) variant(f *Field, branches []ordered.Object) {
	f.Kind = Variant
	for i, b := range branches {
		f.Options = append(f.Options, Option{Label: r.called(b, i), Value: nil})
		f.forms = append(f.forms, r.later(b))
	}
}

// whole makes a field of an object that is filled in, or left out, as a whole.
func (r *reader) whole(s ordered.Object, at place) Field {
	r.made++
	f := Field{
		Path: at.path, Title: strings.Join(at.titles, "."), Kind: Variant, Required: at.required && !at.null, Null: at.required && at.null,
		Options: []Option{{Label: "fill in"}}, parts: parts{forms: []func() *Form{r.later(notNull(s))}}, least: r.least(s),
	}
	f.Help, _ = s.Get("description").(string)
	f.start(s)
	return f
}

// notNull is a schema without the type null, and without a default.
func notNull(s ordered.Object) ordered.Object {
	s = without(s, "default")
	if types, ok := s.Get("type").(ordered.Array); ok {
		s = s.Set("type", slices.DeleteFunc(slices.Clone(types), func(t ordered.Value) bool { return t == "null" }))
	}
	return s
}

// called is what an alternative is called: its title, what tells it apart, or its type.
func (r *reader) called(s ordered.Object, i int) string {
	if title, ok := s.Get("title").(string); ok {
		return title
	}
	simple, _ := r.simple(s)
	for _, m := range r.properties(simple) {
		if p, ok := m.Value.(ordered.Object); ok {
			if p = r.resolve(p); p.Has("const") {
				return label(p.Get("const"))
			}
		}
	}
	if simple.Has("const") {
		return label(simple.Get("const"))
	}
	words := map[string]string{
		"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "yes or no", "array": "a list", "null": "nothing",
	}
	name, _ := kind(simple)
	if name == "object" || name == "" {
		names := []string{}
		for _, m := range r.properties(simple) {
			names = append(names, m.Name)
		}
		if len(names) > 0 {
			return strings.Join(names, ", ")
		}
		return "form " + string(rune('A'+i%26))
	}
	return words[name]
}

// items makes a field of a list, with a form for each item.
func (r *reader) items(f *Field, s ordered.Object) {
	item, _ := s.Get("items").(ordered.Object)
	f.Kind, f.forms, f.bound = Items, []func() *Form{r.later(item)}, [2]int{count(s, "minItems"), count(s, "maxItems")}
}

// Names of the fields of a member of an object that may have any.
const memberName, memberValue = "name", "value"

// members makes a field of an object whose members may have any name.
func (r *reader) members(f *Field, s ordered.Object) {
	values, ok := s.Get("additionalProperties").(ordered.Object)
	if !ok || s.Has("propertyNames") || s.Has("patternProperties") {
		f.Kind = JSON
		return
	}
	member := ordered.Object{
		{Name: "type", Value: "object"},
		{Name: "required", Value: ordered.Array{memberName, memberValue}},
		{Name: "properties", Value: ordered.Object{
			{Name: memberName, Value: ordered.Object{{Name: "type", Value: "string"}}},
			{Name: memberValue, Value: values},
		}},
	}
	f.Kind, f.named, f.forms = Items, true, []func() *Form{r.later(member)}
	f.bound = [2]int{count(s, "minProperties"), count(s, "maxProperties")}
}

func count(s ordered.Object, name string) int {
	if n, ok := s.Get(name).(json.Number); ok {
		if i, err := n.Int64(); err == nil && i >= 0 && i < 1<<20 {
			return int(i)
		}
	}
	return -1
}

// later makes a form when it is needed: schemas may refer to themselves.
func (r *reader) later(s ordered.Object) func() *Form {
	return sync.OnceValue(func() *Form {
		inner := reader{root: r.root, open: r.open[:1:1], deep: r.deep + 1}
		return inner.form(s)
	})
}

// checker checks a value against a part of the schema, nil where the part cannot be read by itself.
func (r *reader) checker(s ordered.Object) func(ordered.Value) error {
	parsed := sync.OnceValue(func() *schema.Schema {
		doc := slices.Clone(s)
		for _, name := range []string{"$defs", "definitions"} {
			if defs := r.root.Get(name); defs != nil {
				doc = doc.Set(name, defs)
			}
		}
		data, err := ordered.Encode(doc)
		if err != nil {
			return nil
		}
		part, err := schema.Parse(data)
		if err != nil {
			return nil // it refers to what is elsewhere: whoever takes the answer checks it
		}
		return part
	})
	return func(v ordered.Value) error {
		part := parsed()
		if part == nil {
			return nil
		}
		data, err := ordered.Encode(v)
		if err != nil {
			return err
		}
		return part.Check(data)
	}
}

// listed is the value of a list's, or an object's, items.
func (f *Field) listed(e Entry) (v ordered.Value, ok bool, err error) {
	list, object := ordered.Array{}, ordered.Object{}
	for _, entries := range e.Forms {
		item, err := f.forms[0]().answer(entries)
		if err != nil {
			return nil, false, err
		}
		if member, isObject := item.(ordered.Object); f.named && isObject {
			name, _ := member.Get(memberName).(string)
			object = object.Set(name, member.Get(memberValue))
			continue
		}
		list = append(list, item)
	}
	if f.named {
		return object, f.Required || len(object) > 0, nil
	}
	return list, f.Required || len(list) > 0, nil
}

// entry is what is filled in where the field has a value.
func (f *Field) entry(v ordered.Value) (e Entry) {
	switch f.Kind {
	case Items:
		values, _ := v.(ordered.Array)
		if members, ok := v.(ordered.Object); ok && f.named {
			for _, m := range members {
				values = append(values, ordered.Object{{Name: memberName, Value: m.Name}, {Name: memberValue, Value: m.Value}})
			}
		}
		for _, item := range values {
			e.Forms = append(e.Forms, f.forms[0]().load(item))
		}
	case Variant:
		for i, form := range f.forms {
			entries := form().load(v)
			if got, err := form().answer(entries); err == nil && same(got, v) {
				return Entry{Choices: []int{i}, Forms: [][]Entry{entries}}
			}
		}
	default:
		filled := *f
		filled.Start = Entry{}
		filled.start(ordered.Object{{Name: "default", Value: v}})
		return filled.Start
	}
	return e
}

// means reports whether an entry stands for a value, and nothing of the value is lost.
func (f *Field) means(e Entry, v ordered.Value) bool {
	g := *f
	g.Required = true
	got, ok, err := g.value(e)
	return ok && err == nil && same(got, v)
}

// load are the entries of a form that has a value.
func (f *Form) load(v ordered.Value) []Entry {
	entries := make([]Entry, len(f.Fields))
	for i := range f.Fields {
		if at := get(v, f.Fields[i].Path); at != nil {
			entries[i] = f.Fields[i].entry(at)
		}
	}
	return entries
}

// get is what is at a path; nil for nothing.
func get(v ordered.Value, path []string) ordered.Value {
	for _, name := range path {
		o, _ := v.(ordered.Object)
		v = o.Get(name)
	}
	return v
}

// same reports whether two values are equal, in whatever order their members are.
func same(a, b ordered.Value) bool {
	x, y := plain(a), plain(b)
	return x != nil && y != nil && reflect.DeepEqual(x, y)
}

func plain(v ordered.Value) any {
	data, err := ordered.Encode(v)
	if err != nil {
		return nil
	}
	var out any
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if d.Decode(&out) != nil {
		return nil
	}
	return []any{out}
}

func without(s ordered.Object, name string) ordered.Object {
	return slices.DeleteFunc(slices.Clone(s), func(m ordered.Member) bool { return m.Name == name })
}

// merged is a schema with what another one adds to it: properties and what is required together, else the other's.
func merged(s, more ordered.Object) ordered.Object {
	s = slices.Clone(s)
	for _, m := range more {
		switch had := s.Get(m.Name).(type) {
		case ordered.Object:
			if p, ok := m.Value.(ordered.Object); ok && m.Name == "properties" {
				s = s.Set(m.Name, united(had, p))
				continue
			}
		case ordered.Array:
			if list, ok := m.Value.(ordered.Array); ok && m.Name == "required" {
				s = s.Set(m.Name, append(slices.Clone(had), list...))
				continue
			}
		}
		s = s.Set(m.Name, m.Value)
	}
	return s
}

// united are the properties of two schemas; of one that both have, what the two say.
func united(a, b ordered.Object) ordered.Object {
	a = slices.Clone(a)
	for _, m := range b {
		old, isObject := a.Get(m.Name).(ordered.Object)
		if p, ok := m.Value.(ordered.Object); ok && isObject {
			a = a.Set(m.Name, merged(old, p))
			continue
		}
		a = a.Set(m.Name, m.Value)
	}
	return a
}
