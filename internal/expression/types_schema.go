package expression

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// TypeOfSchema is the type of the values of a schema, as far as this reads it.
func TypeOfSchema(doc map[string]any) *Type {
	left := maxTypeParts
	return schemaReader{root: doc, left: &left}.read(doc, 0)
}

// maxTypeParts bounds how many parts a schema is followed to: references to itself make any number of them. What is beyond
// may be anything.
const maxTypeParts = 5_000

type schemaReader struct {
	root map[string]any
	left *int // parts that may still be read
}

// loosely are the keywords that say more than this reads: what is read beside them is an upper bound.
var loosely = []string{"allOf", "not", "if", "$dynamicRef", "dependentSchemas", "dependentRequired", "dependencies"}

func (r schemaReader) read(schema any, depth int) *Type {
	doc, ok := schema.(map[string]any)
	if *r.left--; !ok || depth > maxTypeDepth || *r.left < 0 {
		return Anything
	}
	if ref, ok := doc["$ref"].(string); ok {
		return r.read(r.follow(ref), depth+1)
	}
	if c, ok := doc["const"]; ok {
		return typeOfValues(c)
	}
	k := kindsOfKeyword(doc["type"])
	if list, ok := doc["enum"].([]any); ok {
		var values []any
		for _, v := range list {
			if kindOfValue(v)&k != 0 {
				values = append(values, v)
			}
		}
		return typeOfValues(values...)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		list, ok := doc[word].([]any)
		if !ok {
			continue
		}
		if doc["type"] != nil || doc["properties"] != nil {
			return r.limited(&Type{Kinds: k, Open: true, Rest: Anything, items: Anything}, doc)
		}
		var t *Type
		for _, one := range list {
			t = Union(t, r.read(one, depth+1))
		}
		return t
	}
	if doc["type"] == nil {
		return r.limited(Anything, doc)
	}
	for _, word := range loosely {
		if doc[word] != nil {
			return r.limited(&Type{Kinds: k, Open: true, Rest: Anything, items: Anything}, doc)
		}
	}
	t := &Type{Kinds: k}
	r.object(t, doc, depth)
	r.list(t, doc, depth)
	return r.limited(t, doc)
}

// follow finds what a reference within the schema refers to.
func (r schemaReader) follow(ref string) any {
	rest, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	var at any = r.root
	for part := range strings.SplitSeq(strings.TrimPrefix(rest, "/"), "/") {
		if part == "" {
			continue
		}
		m, _ := at.(map[string]any)
		at = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
	}
	return at
}

func (r schemaReader) object(t *Type, doc map[string]any, depth int) {
	if t.Kinds&ObjectKind == 0 {
		return
	}
	t.Fields = make(map[string]*Type)
	required, _ := doc["required"].([]any)
	properties, _ := doc["properties"].(map[string]any)
	for name, p := range properties {
		if p == false {
			continue
		}
		f := r.read(p, depth+1)
		if !slices.Contains(required, any(name)) {
			f = f.optional()
		}
		t.Fields[name] = f
	}
	switch more := doc["additionalProperties"].(type) {
	case bool:
		if more || doc["patternProperties"] != nil {
			t.Rest = Anything
		}
	case map[string]any:
		t.Rest = r.read(more, depth+1).optional()
		if doc["patternProperties"] != nil {
			t.Rest = Anything
		}
	default:
		t.Rest = Anything
	}
	for _, name := range required {
		if s, ok := name.(string); ok && t.Rest != nil && t.Fields[s] == nil {
			t.Fields[s] = t.Rest.Present()
		}
	}
}

func (r schemaReader) list(t *Type, doc map[string]any, depth int) {
	if t.Kinds&ListKind == 0 {
		return
	}
	t.items = Anything
	if items, ok := doc["items"].(map[string]any); ok && doc["prefixItems"] == nil {
		t.items = r.read(items, depth+1)
	}
	if n, ok := doc["minItems"].(json.Number); ok {
		t.least, _ = strconv.Atoi(n.String())
	}
}

// kindsOfKeyword are the kinds that the keyword type allows.
func kindsOfKeyword(word any) Kinds {
	switch word := word.(type) {
	case string:
		for _, k := range kindWords {
			if k.word == word {
				return k.kinds
			}
		}
	case []any:
		var k Kinds
		for _, w := range word {
			k |= kindsOfKeyword(w)
		}
		return k
	}
	return AllKinds
}

// Unlisted is the type without the few values that it lists, and without how many items a list has.
func (t *Type) Unlisted() *Type {
	if t.Open {
		return t.unfixed()
	}
	return t.With(func(u *Type) {
		u.Values, u.whole, u.fixed, u.parts, u.least, u.most = nil, nil, nil, nil, 0, 0
		if t.Kinds&ObjectKind != 0 {
			u.Fields = make(map[string]*Type, len(t.Fields))
			for name, f := range t.Fields {
				u.Fields[name] = f.Unlisted()
			}
		}
		if t.Kinds&ListKind != 0 && t.items != nil {
			u.items = t.items.Unlisted()
		}
	})
}

// Likeness returns a schema of the type's values, or nil if the file does not define them exactly. It covers all
// values, however many the type lists or holds.
func (t *Type) Likeness() any {
	if t.Open || t.Kinds == 0 {
		return nil
	}
	if t.Kinds == TextKind {
		return map[string]any{"type": "string", "contentMediaType": "text/plain"}
	}
	var words []any
	for _, k := range kindWords {
		if t.Kinds&k.kinds == k.kinds && !(k.kinds == WholeKind && t.Kinds&fractionKind != 0) {
			words = append(words, k.word)
		}
	}
	if t.Kinds&NumberKind == fractionKind {
		words = append(words, "number")
	}
	doc := map[string]any{"type": words}
	if t.Kinds&ObjectKind != 0 {
		t.likenessOfMembers(doc)
	}
	if t.Kinds&ListKind != 0 {
		if items := t.items.likenessOr(false); items != true {
			doc["items"] = items
		}
	}
	return doc
}

var kindWords = []struct {
	kinds Kinds
	word  string
}{
	{NullKind, "null"},
	{BoolKind, "boolean"},
	{WholeKind, "integer"},
	{NumberKind, "number"},
	{TextKind, "string"},
	{ListKind, "array"},
	{ObjectKind, "object"},
}

func (t *Type) likenessOfMembers(doc map[string]any) {
	properties, required := make(map[string]any), []any{}
	for _, name := range t.Names() {
		f := t.Fields[name]
		if f.Kinds == 0 {
			properties[name] = false
			continue
		}
		properties[name] = f.likenessOr(true)
		if !f.Missing {
			required = append(required, name)
		}
	}
	doc["properties"], doc["required"] = properties, required
	if rest := t.Rest.likenessOr(false); rest != true {
		doc["additionalProperties"] = rest
	}
}

// likenessOr is the likeness of a part: true where it may be anything, and otherwise what none is.
func (t *Type) likenessOr(none any) any {
	switch {
	case t == nil || t.Kinds == 0:
		return none
	case t.Open:
		return true
	}
	return t.Likeness()
}
