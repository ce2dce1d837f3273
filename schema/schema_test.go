package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/schema"
)

const orderDoc = `{
  "type": "object",
  "properties": {
    "id": {"type": "string", "pattern": "^o[0-9]+$"},
    "state": {"enum": ["open", "closed", "on hold"]},
    "amount": {"type": "number", "minimum": 0.5, "exclusiveMaximum": 1000, "multipleOf": 0.25},
    "count": {"type": "integer"},
    "mail": {"type": "string", "format": "email"},
    "due": {"type": "string", "format": "date-time"},
    "code": {"type": "string", "minLength": 2, "maxLength": 4},
    "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3, "uniqueItems": true},
    "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}},
    "payment": {"oneOf": [
      {"type": "object", "properties": {"by": {"const": "card"}, "number": {"type": "string"}}, "required": ["by", "number"]},
      {"type": "object", "properties": {"by": {"const": "bank"}, "iban": {"type": "string"}}, "required": ["by", "iban"]}
    ]},
    "pay": {"anyOf": [
      {"type": "array", "minItems": 3, "prefixItems": [{"type": "string"}]},
      {"type": "array", "minItems": 4, "prefixItems": [true, {"type": "integer"}]}
    ]},
    "note": {"type": ["string", "null"]},
    "either": {"anyOf": [{"type": "integer"}, {"const": "all"}]},
    "labels": {"type": "object", "propertyNames": {"maxLength": 3}, "additionalProperties": {"type": "string"}, "maxProperties": 2},
    "kind": {"const": "order"},
    "never": false,
    "plain": {"not": {"type": "object"}}
  },
  "required": ["id", "state"],
  "dependentRequired": {"amount": ["count"]},
  "additionalProperties": false,
  "$defs": {"line": {"type": "object", "properties": {"sku": {"type": "string"}, "a/b": {"type": "boolean"}}, "required": ["sku"],
    "unevaluatedProperties": false}}
}`

func TestCheck(t *testing.T) {
	s, err := schema.Parse([]byte(orderDoc))
	if err != nil {
		t.Fatal(err)
	}
	with := func(members string) string { return `{"id":"o1","state":"open",` + members + `}` }
	tests := []struct {
		value string
		want  []schema.Problem
	}{
		{`{"id":"o1","state":"open"}`, nil},
		{" {\"id\" : \"o1\" ,\n\t\"state\":\"on hold\", \"note\": null, \"either\": \"all\"}\n", nil},
		{`{}`, []schema.Problem{
			{"/id", `required, but missing; expected a string`},
			{"/state", `required, but missing; expected "open", "closed" or "on hold"`},
		}},
		{`[1]`, []schema.Problem{{"", `expected an object, found an array`}}},
		{`{"id":"x","state":"opne"}`, []schema.Problem{
			{"/id", `expected a string that matches ^o[0-9]+$, found "x"`},
			{"/state", `expected "open", "closed" or "on hold", found the string "opne"; did you mean "open"?`},
		}},
		{`{"id":3,"stat":"open"}`, []schema.Problem{
			{"/id", `expected a string, found the number 3`},
			{"/stat", `unknown property; did you mean "state"?`},
			{"/state", `required, but missing; expected "open", "closed" or "on hold"`},
		}},
		{with(`"zzzzzz":1`), []schema.Problem{{"/zzzzzz", `unknown property; expected "amount", "code", "count", "due", ` +
			`"either", "id", "kind", "labels", "lines", "mail", "never", "note" or 5 others`}}},
		{with(`"amount":0.2,"count":1`), []schema.Problem{
			{"/amount", `expected a multiple of 0.25, found 0.2`},
			{"/amount", `expected at least 0.5, found 0.2`},
		}},
		{with(`"amount":1000,"count":1.5`), []schema.Problem{
			{"/amount", `expected less than 1000, found 1000`},
			{"/count", `expected an integer, found the number 1.5`},
		}},
		{with(`"amount":1`), []schema.Problem{{"/count", `required where "amount" is present, but missing; expected an integer`}}},
		{with(`"count":2.0`), nil}, // an integer to JSON Schema
		{with(`"mail":"nobody","due":"tomorrow"`), []schema.Problem{
			{"/due", `expected a date and time such as "2026-01-31T09:30:00Z", found the string "tomorrow"`},
			{"/mail", `expected an e-mail address, found the string "nobody"`},
		}},
		{with(`"code":"ü"`), []schema.Problem{{"/code", `expected at least 2 characters, found 1`}}},
		{with(`"code":"fives"`), []schema.Problem{{"/code", `expected at most 4 characters, found 5`}}},
		{with(`"tags":[]`), []schema.Problem{{"/tags", `expected at least 1 item, found 0`}}},
		{with(`"tags":["a",2,"b","a"]`), []schema.Problem{
			{"/tags", `expected at most 3 items, found 4`},
			{"/tags", `expected items that differ, but items 0 and 3 are equal`},
			{"/tags/1", `expected a string, found the number 2`},
		}},
		{with(`"lines":[{"sku":"a"},{"sku":"b","a/b":0},{"sk":"c"}]`), []schema.Problem{
			{"/lines/1/a~1b", `expected a boolean, found the number 0`},
			{"/lines/2/sk", `unknown property; did you mean "sku"?`},
			{"/lines/2/sku", `required, but missing; expected a string`},
		}},
		{with(`"payment":{"by":"card"}`), []schema.Problem{{"/payment/number", `required, but missing; expected a string`}}},
		{with(`"payment":{"by":"cash"}`), []schema.Problem{{
			"/payment/by",
			`expected "card" or "bank", found the string "cash"`,
		}}},
		{with(`"payment":{"by":"bank","iban":5}`), []schema.Problem{{"/payment/iban", `expected a string, found the number 5`}}},
		{with(`"pay":[1,"x"]`), []schema.Problem{{"/pay", `fits none of the alternatives: ` +
			`(1) expected at least 3 items, found 2, /0: expected a string, found the number 1; ` +
			`(2) expected at least 4 items, found 2, /1: expected an integer, found the string "x"`}}},
		{with(`"payment":3`), []schema.Problem{{"/payment", `expected an object, found the number 3`}}},
		{with(`"note":false`), []schema.Problem{{"/note", `expected null or a string, found false`}}},
		{with(`"either":"some"`), []schema.Problem{{"/either", `expected an integer or "all", found the string "some"`}}},
		{with(`"labels":{"toolong":"x","ok":1,"c":""}`), []schema.Problem{
			{"/labels", `expected at most 2 properties, found 3`},
			{"/labels", `the property name "toolong" is not allowed: expected at most 3 characters, found 7`},
			{"/labels/ok", `expected a string, found the number 1`},
		}},
		{with(`"kind":"ordre","never":1,"plain":{}`), []schema.Problem{
			{"/kind", `expected "order", found the string "ordre"; did you mean "order"?`},
			{"/never", `expected nothing here, found the number 1`},
			{"/plain", `found an object, which the schema excludes ("not")`},
		}},
		{``, []schema.Problem{{"", `expected JSON: found nothing`}}},
		{`{"id":`, []schema.Problem{{"", `expected JSON: the text ends in the middle`}}},
		{"{\n  \"id\": o1}", []schema.Problem{{"", `expected JSON: line 2, column 9: invalid character 'o' looking for beginning of value`}}},
		{`{} {}`, []schema.Problem{{"", `expected JSON: line 1, column 5: more behind the value`}}},
		{with(`"count":1e999999999`), []schema.Problem{{"/count", `expected a number of ordinary size, found 1e999999999`}}},
		{with(`"note":{"x":"` + strings.Repeat("y", 200) + `"}`), []schema.Problem{{"/note", `expected null or a string, found an object`}}},
		{with(`"kind":"` + strings.Repeat("é", 100) + `"`), []schema.Problem{{
			"/kind",
			`expected "order", found the string "` + strings.Repeat("é", 34) + `… (202 bytes)`,
		}}},
	}
	for _, tt := range tests {
		err := s.Check([]byte(tt.value))
		var got []schema.Problem
		if e, ok := errors.AsType[*schema.Error](err); ok {
			got = e.Problems
		} else if err != nil {
			t.Errorf("%s: %T is no *schema.Error: %v", tt.value, err, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s\n(-want +got)\n%s", tt.value, diff)
		}
	}
}

func TestError(t *testing.T) {
	one := &schema.Error{Problems: []schema.Problem{{Path: "/a", Message: "wrong"}}}
	two := &schema.Error{Problems: []schema.Problem{{Message: "wrong"}, {Path: "/b", Message: "wrong too"}}}
	if got, want := one.Error(), "/a: wrong"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := two.Error(), "2 problems:\n  wrong\n  /b: wrong too"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParse_refused(t *testing.T) {
	deep := strings.Repeat(`{"not":`, 300) + `{}` + strings.Repeat(`}`, 300)
	tests := []struct {
		doc  string
		want []schema.Problem
	}{
		{`{"type":"strin"}`, []schema.Problem{{"/type", `expected "array", "boolean", "integer", "null", "number", "object" ` +
			`or "string", found the string "strin"; did you mean "string"?`}}},
		{`{"properties":{"a":{"type":3},"b":{"minLength":-1,"required":"x"}}}`, []schema.Problem{
			{"/properties/a/type", `expected "array", "boolean", "integer", "null", "number", "object", "string" or an array, ` +
				`found the number 3`},
			{"/properties/b/minLength", `expected at least 0, found -1`},
			{"/properties/b/required", `expected an array, found the string "x"`},
		}},
		{`[]`, []schema.Problem{{"", `expected a boolean or an object, found an array`}}},
		{`{"items":[{}]}`, []schema.Problem{{"/items", `expected a boolean or an object, found an array`}}},
		{`{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, []schema.Problem{{
			"/properties/a/$ref",
			`"file:///etc/passwd" is outside of this document, and other documents are never loaded; ` +
				`put the schema under $defs and refer to it as "#/$defs/NAME"`,
		}}},
		{`{"$ref":"http://127.0.0.1:1/s.json#/a"}`, []schema.Problem{{
			"/$ref",
			`"http://127.0.0.1:1/s.json#/a" is outside of this document, and other documents are never loaded; ` +
				`put the schema under $defs and refer to it as "#/$defs/NAME"`,
		}}},
		{`{"$id":"https://example.com/x","items":{"$ref":"y.json"}}`, []schema.Problem{{
			"/items/$ref",
			`"y.json" is outside of this document, and other documents are never loaded; ` +
				`put the schema under $defs and refer to it as "#/$defs/NAME"`,
		}}},
		{`{"$schema":"https://example.com/meta"}`, []schema.Problem{{
			"/$schema",
			`"https://example.com/meta" is outside of this document, and other documents are never loaded; ` +
				`put the schema under $defs and refer to it as "#/$defs/NAME"`,
		}}},
		{`{"$defs":{"ticket":{}},"items":{"$ref":"#/$defs/tikcet"}}`, []schema.Problem{{
			"/items/$ref",
			`"#/$defs/tikcet" leads nowhere: there is no "tikcet" at "/$defs"; did you mean "ticket"?`,
		}}},
		{`{"$ref":"#/a/b"}`, []schema.Problem{{"/$ref", `"#/a/b" leads nowhere: there is no "a" at ""`}}},
		{`{"items":{"$ref":"#name"}}`, []schema.Problem{{"/items/$ref", `nothing in this document has the anchor "#name"`}}},
		{`{"pattern":"a(?!b)"}`, []schema.Problem{{"/pattern", `expected a regular expression, found the string "a(?!b)": ` +
			"error parsing regexp: invalid or unsupported Perl syntax: `(?!`"}}},
		{`{"items":{"patternProperties":{"(":{}},"type":"object"}}`, []schema.Problem{{
			"/items/patternProperties",
			`the property name "(" is not allowed: expected a regular expression, found the string "(": ` +
				"error parsing regexp: missing closing ): `(`",
		}}},
		{`{"$ref":"#"}`, []schema.Problem{{"", `the schema refers to itself without end: a reference back must be below a property or an item`}}},
		{
			`{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}, "$ref":"#/$defs/a"}`,
			[]schema.Problem{{"/$defs/a", `the schema refers to itself without end: a reference back must be below a property or an item`}},
		},
		{deep, []schema.Problem{{strings.Repeat("/not", 200), `expected at most 200 levels of nesting, found more`}}},
		{strings.Repeat(" ", 1<<20+1), []schema.Problem{{"", `expected at most 1048576 bytes, found 1048577`}}},
		{`{"minimum":1e9999999}`, []schema.Problem{{"/minimum", `expected a number of ordinary size, found 1e9999999`}}},
		{`nonsense`, []schema.Problem{{"", `expected JSON: line 1, column 2: invalid character 'o' in literal null (expecting 'u')`}}},
	}
	for _, tt := range tests {
		_, err := schema.Parse([]byte(tt.doc))
		e, ok := errors.AsType[*schema.Error](err)
		if !ok {
			t.Errorf("%.80s: got %v, want a *schema.Error", tt.doc, err)
			continue
		}
		if diff := cmp.Diff(tt.want, e.Problems); diff != "" {
			t.Errorf("%.80s\n(-want +got)\n%s", tt.doc, diff)
		}
		if !strings.HasPrefix(err.Error(), "invalid schema: ") {
			t.Errorf("the error does not say that it is about a schema: %v", err)
		}
	}
}

func TestParse(t *testing.T) {
	a, err := schema.Parse([]byte("{ \"type\": \"string\",\n \"minLength\": 1 }"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := schema.Parse([]byte(`{"minLength":1,"type":"string"}`))
	if err != nil {
		t.Fatal(err)
	}
	c, err := schema.Parse([]byte(`true`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(a.JSON()), `{"type":"string","minLength":1}`; got != want {
		t.Errorf("JSON is %s, want %s", got, want)
	}
	if a.ID() != b.ID() || a.ID() == c.ID() || !strings.HasPrefix(a.ID(), "sha256:") || len(a.ID()) != 39 {
		t.Errorf("IDs are %s, %s, %s: want two equal ones and another", a.ID(), b.ID(), c.ID())
	}
	old, err := schema.Parse([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"string"}},"$ref":"#/definitions/a"}`))
	if err != nil {
		t.Fatalf("an older draft: %v", err)
	}
	if err := old.Check([]byte(`1`)); err == nil || err.Error() != "expected a string, found the number 1" {
		t.Errorf("an older draft: %v", err)
	}
}

// A derived schema takes nothing that encoding/json does not take for the type, however JSON Schema sees it.
func TestN8_derivedSchemaAcceptsOnlyWhatDecodes(t *testing.T) {
	type answer struct {
		N     int
		U     uint8
		At    string `json:"at"`
		Raw   []byte
		Left  map[int8]bool `json:"left,omitempty"`
		Ticks Exact         `json:"ticks,omitzero"`
	}
	s, err := schema.For[answer]()
	if err != nil {
		t.Fatal(err)
	}
	good := func(n, u, raw, more string) string {
		return fmt.Sprintf(`{"N":%s,"U":%s,"at":"","Raw":%s%s}`, n, u, raw, more)
	}
	tests := []struct{ value, want string }{
		{good("1", "2", `"YQ=="`, ""), ""},
		{good("1.0", "2", `""`, ""), "/N: expected what fits Go's int, found number 1.0"},
		{good("1e2", "2", `""`, ""), "/N: expected what fits Go's int, found number 1e2"},
		{good("1", "-0", `""`, ""), "/U: expected what fits Go's uint8, found number -0"},
		{good("9223372036854775808", "2", `""`, ""), "/N: expected at most 9223372036854775807, found 9223372036854775808"},
		{good("1", "256", `""`, ""), "/U: expected at most 255, found 256"},
		{good("1", "2", `"YQ="`, ""), `/Raw: expected a string in base64, found "YQ="`},
		{good("1", "2", `[97]`, ""), "/Raw: expected null or a string, found an array"},
		{good("1", "2", `null`, `,"left":{"1":true}`), ""},
		{good("1", "2", `null`, `,"left":{"200":true}`), "/left: expected what fits Go's int8, found number 200"},
		{good("1", "2", `null`, `,"left":{"x":true}`), `/left: the property name "x" is not allowed: expected a string that matches ^-?[0-9]+$, found "x"`},
	}
	for _, tt := range tests {
		got := ""
		if err := s.Check([]byte(tt.value)); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.value, got, tt.want)
		}
		var into answer
		if err := json.Unmarshal([]byte(tt.value), &into); err != nil && got == "" {
			t.Errorf("%s is accepted, and does not decode: %v", tt.value, err)
		}
	}
}

func TestDecode(t *testing.T) {
	s, err := schema.Parse([]byte(`{"type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := s.Decode([]byte(`{"n":12345678901234567890}`), &v); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"n": json.Number("12345678901234567890")}, v); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var wrong struct{ N struct{ M int } }
	err = s.Decode([]byte(`{"N":{"M":"x"}}`), &wrong)
	want := &schema.Error{Problems: []schema.Problem{{Path: "/N/M", Message: "expected what fits Go's int, found string"}}}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if err := s.Decode([]byte(`3`), &v); err == nil {
		t.Error("a value that the schema refuses is decoded")
	}
}

func ExampleFor() {
	type Decision struct {
		Approve bool   `json:"approve" jsonschema:"Whether to go on"`
		Note    string `json:"note,omitempty"`
	}
	s, err := schema.For[Decision]()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Check([]byte(`{"aprove": true}`)))
	// Output:
	// 2 problems:
	//   /approve: required, but missing; expected a boolean
	//   /aprove: unknown property; did you mean "approve"?
}
