package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/nearest"
)

// fragmentScheme begins a reference to a fragment.
const fragmentScheme = "fragment:"

// fragmentName is what fragments may be called: such a name needs no escape in a reference.
var fragmentName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// Fragments are named documents that several schemas share: what money is, or an address. It is immutable and safe for
// concurrent use.
type Fragments struct {
	docs map[string]any // as ordered gives them
}

// NewFragments takes fragments by name: letters, digits, '_', '-' and '.'. Each is a JSON Schema of draft 2020-12, and
// may refer to others and to itself as [Fragments.Parse] says. References within a fragment, "#/$defs/x", stay within
// it. A fragment has no anchors: it is referred to by its name and by places in it.
//
// The problems of one fragment are an *Error whose paths lead into that fragment.
func NewFragments(docs map[string][]byte) (*Fragments, error) {
	f := &Fragments{docs: make(map[string]any, len(docs))}
	for _, name := range sortedKeys(docs) {
		doc, err := readFragment(name, docs[name])
		if err != nil {
			return nil, fmt.Errorf("fragment %q: %w", name, err)
		}
		f.docs[name] = doc
	}
	for _, name := range sortedKeys(docs) {
		if err := f.try(name); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// try compiles a fragment by itself, so that what is wrong with it is said at once.
func (f *Fragments) try(name string) error {
	b := &bundle{fragments: f, names: map[string]string{}, taken: map[string]bool{}}
	b.refer(name)
	doc, err := b.document(members{{"$ref", "#/$defs/" + name}})
	if err != nil {
		return err
	}
	_, err = compile(doc, false)
	invalid, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	within := make(map[string][]Problem)
	for _, p := range invalid.Problems {
		in := name
		if path := tokens(p.Path); len(path) > 1 && path[0] == "$defs" && f.docs[path[1]] != nil {
			in, p.Path = path[1], pointer(path[2:])
		}
		within[in] = append(within[in], p)
	}
	first := sortedKeys(within)[0]
	return fmt.Errorf("fragment %q: %w", first, newError(within[first]))
}

// Parse is [Parse] for a document that refers to fragments: {"$ref": "fragment:money"}. A reference may also lead to a
// part of one, {"$ref": "fragment:money#/properties/amount"}. The schema's document is complete in itself: the
// fragments that it needs stand under its $defs, by their names, or with a number behind it where the document has that
// name for something else. Readers of [Schema.JSON] need no fragments.
//
// A document without such references is parsed as it is.
func (f *Fragments) Parse(doc []byte) (*Schema, error) {
	v, err := ordered(doc)
	if err != nil {
		return nil, fmt.Errorf("invalid schema: %w", err)
	}
	b := &bundle{fragments: f, names: map[string]string{}, taken: map[string]bool{}}
	if root, ok := v.(members); ok {
		defs, _ := root.get("$defs").(members)
		for _, own := range defs {
			b.taken[own.name] = true
		}
	}
	text, err := b.document(v)
	if err != nil {
		return nil, fmt.Errorf("invalid schema: %w", err)
	}
	if len(b.order) == 0 {
		return Parse(doc)
	}
	if root, ok := v.(members); ok {
		if draft, ok := root.get("$schema").(string); ok && !strings.Contains(draft, "2020-12") {
			return nil, fmt.Errorf("invalid schema: %w", one("/$schema", "expected draft 2020-12, as that of the fragments, found %q", draft))
		}
	}
	return Parse(text)
}

// Names lists the fragments, sorted.
func (f *Fragments) Names() []string { return sortedKeys(f.docs) }

func readFragment(name string, text []byte) (any, error) {
	if !fragmentName.MatchString(name) {
		return nil, errors.New("expected a name of letters, digits, '_', '-' and '.', at most 64 of them")
	}
	doc, err := ordered(text)
	if err != nil {
		return nil, err
	}
	root, ok := doc.(members)
	if !ok {
		if _, ok := doc.(bool); !ok {
			return nil, one("", "expected a schema, which is an object or a boolean, found %s", found(doc))
		}
		return doc, nil
	}
	kept := members{}
	for _, m := range root {
		text, isText := m.value.(string)
		switch {
		case m.name == "$schema" && (!isText || !strings.Contains(text, "2020-12")):
			return nil, one("/$schema", "expected draft 2020-12, as fragments become parts of schemas of that draft")
		case m.name != "$schema" && m.name != "$id": // a part of another document has neither
			kept = append(kept, m)
		}
	}
	return kept, nil
}

// ordered decodes a document like parse, but keeps the order of members: objects are members.
func ordered(text []byte) (any, error) {
	if _, err := readDocument(text); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return orderedValue(d), nil
}

// orderedValue reads one value of a text that has been found to be JSON.
func orderedValue(d *json.Decoder) any {
	token, err := d.Token()
	if err != nil {
		return nil // cannot be: the text was decoded before
	}
	switch token {
	case json.Delim('{'):
		object, at := members{}, make(map[string]int)
		for d.More() {
			key, _ := d.Token() // as above
			name, _ := key.(string)
			value := orderedValue(d)
			if i, twice := at[name]; twice {
				object[i].value = value // as encoding/json does
				continue
			}
			at[name] = len(object)
			object = append(object, member{name, value})
		}
		_, _ = d.Token()
		return object
	case json.Delim('['):
		list := []any{}
		for d.More() {
			list = append(list, orderedValue(d))
		}
		_, _ = d.Token()
		return list
	}
	return token
}

// bundle is a document to which the fragments that it needs are added.
type bundle struct {
	fragments *Fragments
	names     map[string]string // of fragments, under $defs
	taken     map[string]bool
	order     []string // fragments, as they were first referred to
}

// refer is the name under $defs of a fragment, which is added if necessary.
func (b *bundle) refer(fragment string) string {
	if name, ok := b.names[fragment]; ok {
		return name
	}
	name := fragment
	for n := 2; b.taken[name]; n++ {
		name = fragment + strconv.Itoa(n)
	}
	b.taken[name], b.names[fragment] = true, name
	b.order = append(b.order, fragment)
	return name
}

// document is the whole document, with all fragments that root needs and those that they need.
func (b *bundle) document(root any) ([]byte, error) {
	root, err := rewriter{bundle: b}.schema(root, nil)
	if err != nil {
		return nil, err
	}
	var added members
	for len(added) < len(b.order) { // which grows while it is read
		fragment := b.order[len(added)]
		w := rewriter{bundle: b, home: "#/$defs/" + b.names[fragment], fragment: fragment}
		part, err := w.schema(b.fragments.docs[fragment], nil)
		if err != nil {
			return nil, fmt.Errorf("fragment %q: %w", fragment, err)
		}
		added = append(added, member{b.names[fragment], part})
	}
	if object, ok := root.(members); ok && len(added) > 0 {
		root = object.with("$defs", added)
	}
	return appendJSON(nil, root)
}

// with adds members to the object that m has under a name, in a copy.
func (m members) with(name string, more members) members {
	all := append(members{}, m...)
	for i, x := range all {
		if x.name == name {
			if inner, ok := x.value.(members); ok { // else the compiler says what is wrong with it
				all[i].value = append(append(members{}, inner...), more...)
			}
			return all
		}
	}
	return append(all, member{name, more})
}

// rewriter copies a document and leads its references to fragments into the bundle. Those of a fragment to itself are
// led to where the fragment has gone.
type rewriter struct {
	*bundle
	home     string // of the fragment that is copied; "" for the document
	fragment string
	inside   bool // a part with an $id of its own, from which no reference leads out
}

// schema copies a schema. What is not one, where one should be, is left to the compiler.
func (w rewriter) schema(v any, path []string) (any, error) {
	object, ok := v.(members)
	if !ok {
		return v, nil
	}
	if _, ok := object.get("$id").(string); ok && (len(path) > 0 || w.home != "") {
		w.inside = true
	}
	out := make(members, len(object))
	for i, m := range object {
		value, err := w.keyword(m, append(path, m.name))
		if err != nil {
			return nil, err
		}
		out[i] = member{m.name, value}
	}
	return out, nil
}

func (w rewriter) keyword(m member, path []string) (any, error) {
	switch holds(m.name) {
	case aSchema:
		if list, ok := m.value.([]any); ok { // items, before 2020-12
			return w.list(list, path)
		}
		return w.schema(m.value, path)
	case schemaList:
		if list, ok := m.value.([]any); ok {
			return w.list(list, path)
		}
	case schemaMap:
		if object, ok := m.value.(members); ok {
			out := make(members, len(object))
			for i, x := range object {
				part, err := w.schema(x.value, append(path, x.name))
				if err != nil {
					return nil, err
				}
				out[i] = member{x.name, part}
			}
			return out, nil
		}
	case aReference:
		if ref, ok := m.value.(string); ok {
			return w.reference(m.name, ref, path)
		}
	case anAnchor:
		if w.home != "" {
			return nil, one(pointer(path), "expected no anchor in a fragment; refer to the place: %q", fragmentScheme+w.fragment+"#/$defs/NAME")
		}
	}
	return m.value, nil
}

func (w rewriter) list(list []any, path []string) (any, error) {
	out := make([]any, len(list))
	for i, x := range list {
		part, err := w.schema(x, append(path, strconv.Itoa(i)))
		if err != nil {
			return nil, err
		}
		out[i] = part
	}
	return out, nil
}

// reference leads a reference to where its target is in the bundle.
func (w rewriter) reference(keyword, ref string, path []string) (any, error) {
	rest, ok := strings.CutPrefix(ref, fragmentScheme)
	if !ok {
		place, isLocal := strings.CutPrefix(ref, "#")
		if w.home == "" || !isLocal || w.inside {
			return ref, nil
		}
		if place != "" && place[0] != '/' {
			return nil, one(pointer(path), "nothing in this fragment has the anchor %q: fragments have none", ref)
		}
		return w.home + place, nil
	}
	name, place, _ := strings.Cut(rest, "#")
	if _, ok := w.fragments.docs[name]; !ok {
		return nil, one(pointer(path), "there is no fragment %q%s", name, orAll(name, w.fragments.Names()))
	}
	if keyword != "$ref" {
		return nil, one(pointer(path), "expected a reference to a fragment in $ref, found it in %s", keyword)
	}
	if place != "" && place[0] != '/' {
		return nil, one(pointer(path), "expected a place in the fragment such as %q, found %q", fragmentScheme+name+"#/$defs/NAME", ref)
	}
	if w.inside {
		return nil, one(pointer(path), "%q is in a part with an $id of its own, from which no reference leads to a fragment", ref)
	}
	return "#/$defs/" + w.refer(name) + place, nil
}

// orAll is a hint at the nearest name, or at all there are.
func orAll(name string, names []string) string {
	if hint := nearest.Hint(name, names); hint != "" {
		return hint
	}
	return "; expected " + oneOf(quoteAll(names))
}

// holding says what the value of a keyword consists of.
type holding int

const (
	plainData holding = iota
	aSchema
	schemaList
	schemaMap
	aReference
	anAnchor
)

func holds(keyword string) holding {
	switch keyword {
	case "additionalProperties", "propertyNames", "items", "additionalItems", "contains", "not", "if", "then", "else",
		"unevaluatedItems", "unevaluatedProperties", "contentSchema":
		return aSchema
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return schemaList
	case "properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions":
		return schemaMap
	case "$ref", "$dynamicRef", "$recursiveRef":
		return aReference
	case "$anchor", "$dynamicAnchor", "$recursiveAnchor":
		return anAnchor
	}
	return plainData
}
