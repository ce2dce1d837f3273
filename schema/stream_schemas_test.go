package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/schema"
)

// drawn is a schema and a way to draw values of it, most of them valid.
type drawn struct {
	doc   map[string]any
	value *rapid.Generator[any]
}

func (d drawn) schema(t interface {
	Helper()
	Fatalf(string, ...any)
},
) *schema.Schema {
	t.Helper()
	doc, err := json.Marshal(d.doc)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s, err := schema.Parse(doc)
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return s
}

func constant(v any) *rapid.Generator[any] { return rapid.Just(v) }

func anyOf[T any](values ...T) *rapid.Generator[any] {
	return rapid.Map(rapid.SampledFrom(values), func(v T) any { return v })
}

func number(n string) json.Number { return json.Number(n) }

// leaves are schemas of scalars.
var leaves = []drawn{
	{map[string]any{"type": "string"}, anyOf("", "x", "é\n\"😀", "long long text")},
	{map[string]any{"enum": []any{"low", "high", "higher", nil, 3}}, anyOf[any]("low", "high", "higher", nil, number("3.0"))},
	{map[string]any{"const": "one"}, constant("one")},
	{map[string]any{"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^[a-zé]*$"}, anyOf("ab", "éab")},
	{map[string]any{"type": "string", "format": "date-time"}, anyOf("2026-01-31T09:30:00Z")},
	{map[string]any{"type": "integer", "minimum": 10, "multipleOf": 5}, anyOf(number("10"), number("120"), number("1e3"))},
	{map[string]any{"type": []string{"number", "null"}}, anyOf[any](number("-1.5"), number("0"), nil)},
	{map[string]any{"type": "boolean"}, anyOf(true, false)},
	{map[string]any{"anyOf": []any{map[string]any{"const": "all"}, map[string]any{"maxLength": 2, "type": "string"}, map[string]any{"type": "integer"}}}, anyOf[any]("all", "ab", number("7"))},
	{map[string]any{"not": map[string]any{"type": "string", "maxLength": 2}}, anyOf[any]("abc", number("1"), []any{})},
	{map[string]any{"allOf": []any{map[string]any{"maxLength": 4}, map[string]any{"enum": []any{"abc", "abcd", 1}}}}, anyOf[any]("abc", "abcd", number("1"))},
	{map[string]any{}, anyOf[any]("x", nil, []any{number("1"), map[string]any{"a": "b"}})},
}

// schemas draws a schema. Lists of alternatives lie beside what holds anyway, and the root can be referred to.
func schemas(depth int) *rapid.Generator[drawn] {
	leaf := rapid.SampledFrom(leaves)
	if depth == 0 {
		return leaf
	}
	inner := schemas(depth - 1)
	return rapid.Custom(func(t *rapid.T) drawn {
		switch rapid.SampledFrom([]string{"leaf", "object", "object", "array", "tuple", "either", "map", "nullable", "list", "union", "union", "overlap", "around", "tree"}).Draw(t, "kind") {
		case "object":
			return objects(rapid.SliceOfN(inner, 1, 4).Draw(t, "members"), rapid.IntRange(0, 4).Draw(t, "required"))
		case "array":
			d := inner.Draw(t, "items")
			return drawn{
				map[string]any{"type": "array", "items": d.doc, "minItems": 1, "maxItems": 3},
				rapid.Map(rapid.SliceOfN(d.value, 1, 3), func(v []any) any { return v }),
			}
		case "tuple":
			first, rest := inner.Draw(t, "first"), inner.Draw(t, "rest")
			return drawn{
				map[string]any{"type": "array", "prefixItems": []any{first.doc}, "items": rest.doc},
				rapid.Custom(func(t *rapid.T) any {
					return append([]any{first.value.Draw(t, "first")}, rapid.SliceOfN(rest.value, 0, 2).Draw(t, "rest")...)
				}),
			}
		case "either":
			a, b := inner.Draw(t, "a"), objects([]drawn{inner.Draw(t, "b")}, 1)
			return drawn{map[string]any{"anyOf": []any{a.doc, b.doc}}, rapid.OneOf(a.value, b.value)}
		case "nullable":
			d := inner.Draw(t, "inner")
			return drawn{map[string]any{"anyOf": []any{d.doc, map[string]any{"type": "null"}}}, rapid.OneOf(d.value, constant(nil))}
		case "map":
			d := inner.Draw(t, "values")
			return drawn{
				map[string]any{"type": "object", "additionalProperties": d.doc, "propertyNames": map[string]any{"maxLength": 3}, "minProperties": 1},
				rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b/c", "~é"}), d.value, 1, 3), func(v map[string]any) any { return v }),
			}
		case "list":
			return lists(inner.Draw(t, "head"))
		case "union":
			return unions(t, rapid.SliceOfN(inner, 2, 4).Draw(t, "alternatives"))
		case "overlap":
			return overlaps(t, inner)
		case "around":
			return around(t, unions(t, rapid.SliceOfN(inner, 2, 3).Draw(t, "alternatives")), inner)
		case "tree":
			return unionTrees(t, inner.Draw(t, "leaf"))
		}
		return leaf.Draw(t, "leaf")
	})
}

func objects(members []drawn, required int) drawn {
	properties, names := map[string]any{}, []string{}
	for i, m := range members {
		names = append(names, fmt.Sprintf("m%d", i))
		properties[names[i]] = m.doc
	}
	required = min(required, len(members))
	doc := map[string]any{"type": "object", "properties": properties, "required": names[:required], "additionalProperties": false}
	return drawn{doc, rapid.Custom(func(t *rapid.T) any {
		v := map[string]any{}
		for i, m := range members {
			if i < required || rapid.Bool().Draw(t, "present") {
				v[names[i]] = m.value.Draw(t, names[i])
			}
		}
		return v
	})}
}

// lists is a schema that refers to itself.
func lists(head drawn) drawn {
	id := fmt.Sprintf("list-%d.json", len(fmt.Sprint(head.doc)))
	doc := map[string]any{
		"$id": id, "type": "object",
		"properties": map[string]any{
			"head": head.doc,
			"tail": map[string]any{"anyOf": []any{map[string]any{"$ref": "#"}, map[string]any{"type": "null"}}},
		},
		"required": []string{"head"}, "additionalProperties": false,
	}
	return drawn{doc, rapid.Custom(func(t *rapid.T) any {
		var v any
		for range rapid.IntRange(1, 4).Draw(t, "length") {
			v = map[string]any{"head": head.value.Draw(t, "head"), "tail": v}
		}
		return v
	})}
}

// once makes ids of nested lists differ.
func once(doc any, seen *int) {
	switch doc := doc.(type) {
	case map[string]any:
		if _, ok := doc["$id"]; ok {
			*seen++
			doc["$id"] = fmt.Sprintf("list-%d.json", *seen)
		}
		for _, v := range doc {
			once(v, seen)
		}
	case []any:
		for _, v := range doc {
			once(v, seen)
		}
	}
}

func drawSchema(t *rapid.T) (drawn, *schema.Schema) {
	d := schemas(3).Draw(t, "schema")
	text, err := json.Marshal(d.doc)
	if err != nil {
		t.Fatal(err)
	}
	d.doc = nil
	if err := json.Unmarshal(text, &d.doc); err != nil {
		t.Fatal(err)
	}
	once(d.doc, new(int))
	return d, d.schema(t)
}

// marks tell the alternatives of unions apart. None is another in other words, and some begin others.
var marks = []any{"card", "car", "bank", 1, 2, nil, true}

// unions is a schema of objects that the value of one member tells apart, which comes first or last, and may be missing.
func unions(t *rapid.T, alternatives []drawn) drawn {
	mark := rapid.SampledFrom([]string{"by", "x"}).Draw(t, "mark")
	values := rapid.Permutation(marks).Draw(t, "marks")
	var docs []any
	var all []*rapid.Generator[any]
	for i, d := range alternatives {
		value := values[i]
		marked := map[string]any{"const": value}
		if i > 0 && rapid.Bool().Draw(t, "two marks") {
			marked = map[string]any{"enum": []any{value, values[i+2]}}
		}
		// the same name for all, or one of its own
		name := rapid.SampledFrom([]string{"m", fmt.Sprint("m", i)}).Draw(t, "name")
		doc := map[string]any{"type": "object", "properties": map[string]any{mark: marked, name: d.doc}}
		if rapid.Bool().Draw(t, "required") {
			doc["required"] = []any{mark}
		}
		if rapid.Bool().Draw(t, "closed") {
			doc["additionalProperties"] = false
		}
		docs = append(docs, doc)
		all = append(all, rapid.Custom(func(t *rapid.T) any {
			v := map[string]any{mark: value}
			if rapid.IntRange(0, 5).Draw(t, "present") > 0 {
				v[name] = d.value.Draw(t, name)
			}
			return v
		}))
	}
	keyword := rapid.SampledFrom([]string{"oneOf", "anyOf"}).Draw(t, "keyword")
	return drawn{map[string]any{keyword: docs}, rapid.OneOf(all...)}
}

// overlaps is a schema of alternatives of one kind that no single member tells apart.
func overlaps(t *rapid.T, inner *rapid.Generator[drawn]) drawn {
	a, b := inner.Draw(t, "a"), inner.Draw(t, "b")
	keyword := rapid.SampledFrom([]string{"oneOf", "anyOf"}).Draw(t, "keyword")
	if rapid.Bool().Draw(t, "arrays") {
		first := a
		list := func(d drawn, most int) drawn {
			return drawn{
				map[string]any{"items": d.doc, "maxItems": most, "prefixItems": []any{first.doc}},
				rapid.Custom(func(t *rapid.T) any {
					return append([]any{first.value.Draw(t, "first")}, rapid.SliceOfN(d.value, 0, most-1).Draw(t, "rest")...)
				}),
			}
		}
		a, b = list(a, 2), list(b, 3)
	} else {
		members := []drawn{a, b}
		a = objects(members, rapid.IntRange(0, 2).Draw(t, "required"))
		b = objects([]drawn{members[1], members[0]}, rapid.IntRange(0, 2).Draw(t, "required"))
	}
	return drawn{map[string]any{keyword: []any{a.doc, b.doc}}, rapid.OneOf(a.value, b.value)}
}

// around is a schema with alternatives beside each other, and rules beside these.
func around(t *rapid.T, d drawn, inner *rapid.Generator[drawn]) drawn {
	more := inner.Draw(t, "more")
	beside := map[string]any{
		"properties": map[string]any{"more": more.doc},
		"anyOf":      []any{map[string]any{"required": []any{"more"}}, map[string]any{"minProperties": 2}},
	}
	return drawn{map[string]any{"allOf": []any{d.doc, beside}}, rapid.Custom(func(t *rapid.T) any {
		v, _ := d.value.Draw(t, "value").(map[string]any)
		v = maps.Clone(v)
		v["more"] = more.value.Draw(t, "more")
		return v
	})}
}

// unionTrees is a union that refers to itself, nullable, and with alternatives in alternatives.
func unionTrees(t *rapid.T, leaf drawn) drawn {
	mark := rapid.SampledFrom([]string{"by", "x"}).Draw(t, "mark")
	self := map[string]any{"$ref": "#"}
	object := func(by string, members map[string]any) map[string]any {
		members[mark] = map[string]any{"const": by}
		return map[string]any{"type": "object", "properties": members, "required": []any{mark}, "additionalProperties": false}
	}
	doc := map[string]any{"$id": "tree.json", "oneOf": []any{
		object("leaf", map[string]any{"m": leaf.doc}),
		map[string]any{"anyOf": []any{
			object("two", map[string]any{"left": self, "right": self}),
			object("many", map[string]any{"left": map[string]any{"items": self, "type": "array"}}),
		}},
		map[string]any{"type": "null"},
	}}
	return drawn{doc, rapid.Custom(func(t *rapid.T) any {
		var v any
		for range rapid.IntRange(0, 4).Draw(t, "height") {
			switch rapid.SampledFrom([]string{"leaf", "two", "many"}).Draw(t, "by") {
			case "leaf":
				v = map[string]any{mark: "leaf", "m": leaf.value.Draw(t, "m")}
			case "two":
				v = map[string]any{mark: "two", "left": v, "right": v}
			case "many":
				v = map[string]any{mark: "many", "left": []any{v, v}}
			}
		}
		return v
	})}
}

// bent is a value with a few places that are others than drawn.
func bent(t *rapid.T, v any) any {
	odd := []any{"card", "bank", "x", 1, 2.5, nil, true, map[string]any{}, []any{"x"}, map[string]any{"by": "card", "m": 1}}
	if rapid.IntRange(0, 9).Draw(t, "bend") == 0 {
		return rapid.SampledFrom(odd).Draw(t, "odd")
	}
	switch v := v.(type) {
	case map[string]any:
		other := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch rapid.IntRange(0, 12).Draw(t, "member") {
			case 0:
			case 1:
				other[name+"0"] = v[name]
			default:
				other[name] = bent(t, v[name])
			}
		}
		return other
	case []any:
		var other []any
		for _, item := range v {
			other = append(other, bent(t, item))
		}
		return append(make([]any, 0), other...)
	}
	return v
}
