package schema_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/schema"
)

func parse(t testing.TB, doc string) *schema.Schema {
	t.Helper()
	s, err := schema.Parse([]byte(doc))
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return s
}

const (
	listDoc = `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},` +
		`"next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},"required":["v"]}}}`
	widerListDoc = `{"$ref":"#/$defs/item","$defs":{"item":{"type":"object","properties":{"v":{"type":"number"},` +
		`"next":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/item"}]}}}}}`
	cardDoc = `{"type":"object","properties":{"by":{"const":"card"},"number":{"type":"string"}},"required":["by","number"]}`
	bankDoc = `{"type":"object","properties":{"by":{"const":"bank"},"iban":{"type":"string"}},"required":["by"]}`
	cashDoc = `{"type":"object","properties":{"by":{"const":"cash"}},"required":["by"]}`
)

var versions = []struct {
	name, old, next string
	broken, unclear []schema.Problem
}{
	{name: "the same", old: `{"not":{"type":"null"}}`, next: `{ "not": {"type": "null"}}`},
	{name: "descriptions", old: `{"type":"string","description":"a"}`, next: `{"type":"string","description":"b"}`},
	{name: "wider type", old: `{"type":"integer"}`, next: `{"type":["number","null"]}`},
	{
		name: "narrower type", old: `{"type":["number","null"]}`, next: `{"type":"integer"}`,
		broken: []schema.Problem{{"", "was null or a number, is an integer now"}},
	},
	{
		name: "any type", old: `{}`, next: `{"type":["string","object"]}`,
		broken: []schema.Problem{{"", "was anything, is a string or an object now"}},
	},
	{
		name: "required", old: `{"type":"object","properties":{"a":{},"amount":{"type":"number"}},"required":["a"],"additionalProperties":false}`,
		next:   `{"type":"object","properties":{"amount":{"type":"number"},"new":{}},"required":["amount","new"],"additionalProperties":false}`,
		broken: []schema.Problem{{"/a", "was allowed, is not allowed now"}, {"/amount", "was optional, is required now"}, {"/new", "was not allowed, is required now"}},
	},
	{name: "closed to open", old: `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, next: `{"type":"object","properties":{"a":{},"b":{"type":"string"}}}`},
	{
		name: "open to closed", old: `{"type":"object","properties":{"a":{}}}`, next: `{"type":"object","properties":{"a":{},"b":{"type":"string"}},"additionalProperties":false}`,
		broken: []schema.Problem{{"/*", "was allowed, is not allowed now"}, {"/b", "was anything, is a string now"}},
	},
	{
		name: "enum", old: `{"properties":{"kind":{"enum":["x","y",1]}}}`, next: `{"properties":{"kind":{"enum":["y",1.0,"z"]}}}`,
		broken: []schema.Problem{{"/kind", `"x" is no longer allowed`}},
	},
	{
		name: "new enum", old: `{"type":"string"}`, next: `{"enum":["a","b"]}`,
		broken: []schema.Problem{{"", `was a string, is "a" or "b" now`}},
	},
	{name: "few integers", old: `{"type":"integer","exclusiveMinimum":0.5,"maximum":3}`, next: `{"enum":[1,2,3]}`},
	{name: "two booleans", old: `{"type":["boolean","null"]}`, next: `{"enum":[true,false,null]}`},
	{
		name: "bounds", old: `{"type":"integer","minimum":1,"exclusiveMaximum":1000}`, next: `{"type":"number","exclusiveMinimum":1,"maximum":998.5}`,
		broken: []schema.Problem{{"", "was at least 1, is more than 1 now"}, {"", "was at most 999, is at most 998.5 now"}},
	},
	{name: "bounds of integers", old: `{"type":"integer","exclusiveMinimum":0.5}`, next: `{"minimum":1,"multipleOf":0.5}`},
	{
		name: "multiples", old: `{"allOf":[{"type":"number"},{"multipleOf":6}]}`, next: `{"multipleOf":4,"minimum":0}`,
		broken: []schema.Problem{{"", "was a multiple of 6, is a multiple of 4 now"}, {"", "was without a lower bound, is at least 0 now"}},
	},
	{
		name: "strings", old: `{"type":"string","maxLength":5}`, next: `{"type":"string","minLength":1,"maxLength":4}`,
		broken: []schema.Problem{{"", "was at least 0 characters, is at least 1 character now"}, {"", "was at most 5 characters, is at most 4 characters now"}},
	},
	{name: "the same pattern", old: `{"type":"string","pattern":"^a+$","maxLength":3}`, next: `{"type":"string","pattern":"^a+$"}`},
	{
		name: "other pattern", old: `{"type":"string","pattern":"^x1$"}`, next: `{"type":"string","pattern":"^x[0-9]$"}`,
		unclear: []schema.Problem{{"", "whether each string is a string that matches ^x[0-9]$"}},
	},
	{
		name: "new format", old: `{"type":"string"}`, next: `{"type":"string","format":"uuid"}`,
		broken: []schema.Problem{{"", `was a string in other forms such as "", is a UUID now`}},
	},
	{
		name: "arrays", old: `{"type":"array","items":{"type":"integer"},"maxItems":3}`, next: `{"type":"array","items":{"type":"string"},"minItems":1,"uniqueItems":true}`,
		broken: []schema.Problem{
			{"", "was at least 0 items, is at least 1 item now"},
			{"", "was items that may be equal, is items that differ now"},
			{"/*", "was an integer, is a string now"},
		},
	},
	{
		name: "tuples", old: `{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"integer"},"maxItems":2}`,
		next:   `{"type":"array","prefixItems":[{"type":"string"},{"type":"number"},{"type":"null"}],"items":false}`,
		broken: nil,
	},
	{
		name: "longer tuples", old: `{"type":"array","items":{"type":"integer"}}`, next: `{"type":"array","prefixItems":[{"type":"number"}],"items":false}`,
		broken: []schema.Problem{{"/*", "was allowed, is not allowed now"}},
	},
	{name: "recursive", old: listDoc, next: widerListDoc},
	{
		name: "recursive and narrower", old: widerListDoc, next: listDoc,
		broken: []schema.Problem{{"/v", "was a number, is an integer now"}, {"/v", "was optional, is required now"}},
	},
	{
		name: "a new alternative", old: `{"oneOf":[` + cardDoc + `,` + bankDoc + `]}`, next: `{"oneOf":[` + cashDoc + `,` + bankDoc + `,` + cardDoc + `]}`,
	},
	{
		name: "an alternative less", old: `{"anyOf":[` + cardDoc + `,` + cashDoc + `]}`, next: `{"oneOf":[` + cardDoc + `,` + bankDoc + `]}`,
		broken: []schema.Problem{{"", "an object is no longer allowed"}},
	},
	{
		name: "in an alternative", old: `{"anyOf":[` + cardDoc + `,` + bankDoc + `]}`, next: `{"anyOf":[` + cardDoc + `,{"allOf":[` + bankDoc + `,{"required":["iban"]}]}]}`,
		broken: []schema.Problem{{"/iban", "was optional, is required now"}},
	},
	{
		name: "kinds of alternatives", old: `{"type":["null","number","string"]}`, next: `{"anyOf":[{"type":"integer"},{"type":"number","minimum":0},{"const":null}]}`,
		broken:  []schema.Problem{{"", "a string is no longer allowed"}},
		unclear: []schema.Problem{{"", "a number fits none of the alternatives for certain"}},
	},
	{name: "numbers of two kinds", old: `{"type":"number"}`, next: `{"anyOf":[{"type":"integer"},{"type":"number"}]}`},
	{name: "overlapping alternatives", old: `{"type":"integer"}`, next: `{"oneOf":[{"type":"integer"},{"type":"number"}]}`, unclear: []schema.Problem{{"", "an integer fits none of the alternatives for certain"}}},
	{
		name: "maps", old: `{"type":"object","additionalProperties":{"type":"integer"},"propertyNames":{"maxLength":3}}`,
		next: `{"type":"object","additionalProperties":{"type":"boolean"},"propertyNames":{"maxLength":2},"maxProperties":4,"minProperties":1}`,
		broken: []schema.Problem{
			{"", "the names of properties: was at most 3 characters, is at most 2 characters now"},
			{"", "was any number of properties, is at most 4 properties now"},
			{"", "was at least 0 properties, is at least 1 property now"},
			{"/*", "was an integer, is a boolean now"},
		},
	},
	{
		name: "patterns of names", old: `{"type":"object","patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false}`,
		next: `{"type":"object","patternProperties":{"^x":{"type":"number"},"y$":{"type":"number"}},"additionalProperties":{"type":"string"}}`,
	},
	{
		name: "fewer patterns of names", old: `{"type":"object","patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false}`,
		next:   `{"type":"object","properties":{"x1":{"type":"string"}},"additionalProperties":{"type":"string"}}`,
		broken: []schema.Problem{{"/*", "was an integer, is a string now"}, {"/x1", "was an integer, is a string now"}},
	},
	{
		name: "dependent", old: `{"type":"object","properties":{"a":{},"b":{}}}`, next: `{"type":"object","dependentRequired":{"a":["b"]}}`,
		broken: []schema.Problem{{"/b", `was optional, is required where "a" is present now`}},
	},
	{name: "less excluded", old: `{"type":"string"}`, next: `{"not":{"type":"null"}}`},
	{
		name: "excluded", old: `{"type":"string","minLength":2}`, next: `{"not":{"const":"ab"}}`,
		unclear: []schema.Problem{{"", "what is excluded by not"}},
	},
	{
		name: "of what is not looked at", old: `{"type":"object","properties":{"a":{"type":"number"}},"if":{},"then":{"required":["a"]}}`, next: `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`,
		unclear: []schema.Problem{{"/a", "was a number, is a string now, as far as can be told"}, {"/a", "was optional, is required now, as far as can be told"}},
	},
	{name: "never", old: `{"type":"object","properties":{"a":false}}`, next: `{"type":"object","properties":{"a":{"type":"string"}}}`},
}

func TestCompatible(t *testing.T) {
	for _, tt := range versions {
		t.Run(tt.name, func(t *testing.T) {
			err := schema.Compatible(parse(t, tt.old), parse(t, tt.next), schema.Backward)
			if tt.broken == nil && tt.unclear == nil {
				if err != nil {
					t.Errorf("got %v", err)
				}
				return
			}
			found, ok := errors.AsType[*schema.IncompatibleError](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(&schema.IncompatibleError{Broken: tt.broken, Unclear: tt.unclear}, found); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The words say what was and what is, whoever reads.
func TestCompatible_directions(t *testing.T) {
	old := parse(t, `{"type":"object","properties":{"a":{"enum":["x"]},"b":{"type":"integer"}},"required":["a","b"]}`)
	next := parse(t, `{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"type":"number"},"c":{"not":{"const":1}}},"required":["a"]}`)
	for dir, want := range map[schema.Direction]string{
		schema.Backward: "1 place that cannot be compared:\n  /c: what is excluded by not",
		schema.Forward: "3 incompatible changes:\n  /a: \"y\" is allowed now, and was not\n  /b: was an integer, is a number now\n" +
			"  /b: was required, is optional now",
		schema.Both: "3 incompatible changes:\n  /a: \"y\" is allowed now, and was not\n  /b: was an integer, is a number now\n" +
			"  /b: was required, is optional now\n1 place that cannot be compared:\n  /c: what is excluded by not",
	} {
		if err := schema.Compatible(old, next, dir); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// What was derived from a type and stored since is compared as that type would be now.
func TestCompatible_derived(t *testing.T) {
	type before struct {
		Raw  []byte         `json:"raw"`
		Tree *Tree          `json:"tree"`
		By   map[int]string `json:"by"`
	}
	type after struct {
		Raw  []byte         `json:"raw"`
		Tree *Tree          `json:"tree"`
		By   map[int]string `json:"by"`
		More *string        `json:"more,omitempty"`
	}
	old, err := schema.For[before]()
	if err != nil {
		t.Fatal(err)
	}
	next, err := schema.For[after]()
	if err != nil {
		t.Fatal(err)
	}
	stored := parse(t, string(old.JSON()))
	if err := schema.Compatible(stored, next, schema.Backward); err != nil {
		t.Error(err)
	}
	want := "1 incompatible change:\n  /more: was not allowed, is allowed now"
	if err := schema.Compatible(stored, next, schema.Forward); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// Alternatives within alternatives are given up where there are too many, and that is said.
func TestCompatible_tooMany(t *testing.T) {
	deep := func(leaf string) string {
		defs := `"n0":` + leaf
		for n := range 30 {
			defs += fmt.Sprintf(`,"n%d":{"anyOf":[{"type":"object","properties":{"a":{"$ref":"#/$defs/n%d"}}},`+
				`{"type":"object","properties":{"b":{"$ref":"#/$defs/n%[2]d"}},"required":["b"]}]}`, n+1, n)
		}
		return `{"$ref":"#/$defs/n30","$defs":{` + defs + `}}`
	}
	err := schema.Compatible(parse(t, deep(`{"type":"number"}`)), parse(t, deep(`{"type":"integer"}`)), schema.Backward)
	found, ok := errors.AsType[*schema.IncompatibleError](err)
	if want := (schema.Problem{Message: "there are too many combinations to compare them all"}); !ok || !slices.Contains(found.Unclear, want) {
		t.Errorf("got %v", err)
	}
}
