package schema_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/schema"
)

var sharedDocs = map[string][]byte{
	"money": []byte(`{"$id":"https://acme.example/money","type":"object","properties":{"amount":{"$ref":"#/$defs/number"},` +
		`"currency":{"enum":["EUR","CHF"]}},"required":["amount"],"$defs":{"number":{"type":"number","minimum":0}}}`),
	"address": []byte(`{"type":"object","properties":{"street":{"type":"string"},"$ref":{"const":{"$ref":"fragment:x"}}}}`),
	"party":   []byte(`{"type":"object","properties":{"at":{"$ref":"fragment:address"},"parts":{"type":"array","items":{"$ref":"#"}},"owes":{"$ref":"fragment:debt"}}}`),
	"debt":    []byte(`{"anyOf":[{"$ref":"fragment:money"},{"type":"object","properties":{"to":{"$ref":"fragment:party"}},"required":["to"]}]}`),
	"any":     []byte(`true`),
}

func fragments(t testing.TB) *schema.Fragments {
	t.Helper()
	f, err := schema.NewFragments(sharedDocs)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const (
	moneyDoc = `{"type":"object","properties":{"amount":{"$ref":"#/$defs/money/$defs/number"},` +
		`"currency":{"enum":["EUR","CHF"]}},"required":["amount"],"$defs":{"number":{"type":"number","minimum":0}}}`
	addressDoc = `{"type":"object","properties":{"street":{"type":"string"},"$ref":{"const":{"$ref":"fragment:x"}}}}`
	partyDoc   = `{"type":"object","properties":{"at":{"$ref":"#/$defs/address"},` +
		`"parts":{"type":"array","items":{"$ref":"#/$defs/party"}},"owes":{"$ref":"#/$defs/debt"}}}`
	debtDoc = `{"anyOf":[{"$ref":"#/$defs/money"},{"type":"object","properties":{"to":{"$ref":"#/$defs/party"}},"required":["to"]}]}`
)

func TestFragments_Parse(t *testing.T) {
	f := fragments(t)
	if diff := cmp.Diff([]string{"address", "any", "debt", "money", "party"}, f.Names()); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
	}
	tests := []struct{ name, doc, want string }{
		{"none", `{"z": 1, "type": "string", "default": {"$ref": "fragment:x"}}`, `{"z":1,"type":"string","default":{"$ref":"fragment:x"}}`},
		{
			"order stays", `{"type":"object","properties":{"b":{"$ref":"fragment:money"},"a":{"type":"string"}}}`,
			`{"type":"object","properties":{"b":{"$ref":"#/$defs/money"},"a":{"type":"string"}},"$defs":{"money":` + moneyDoc + `}}`,
		},
		{
			"recursive", `{"items":{"$ref":"fragment:party"}}`, `{"items":{"$ref":"#/$defs/party"},"$defs":{"party":` + partyDoc +
				`,"address":` + addressDoc + `,"debt":` + debtDoc + `,"money":` + moneyDoc + `}}`,
		},
		{
			"part", `{"$id":"https://acme.example/x","$ref":"fragment:money#/$defs/number"}`,
			`{"$id":"https://acme.example/x","$ref":"#/$defs/money/$defs/number","$defs":{"money":` + moneyDoc + `}}`,
		},
		{
			"collision", `{"$defs":{"money":{"type":"string"},"money2":true},"anyOf":[{"$ref":"#/$defs/money"},{"$ref":"fragment:money"}]}`,
			`{"$defs":{"money":{"type":"string"},"money2":true,"money3":` + strings.ReplaceAll(moneyDoc, "/money/", "/money3/") +
				`},"anyOf":[{"$ref":"#/$defs/money"},{"$ref":"#/$defs/money3"}]}`,
		},
		{"boolean", `{"not":{"$ref":"fragment:any"}}`, `{"not":{"$ref":"#/$defs/any"},"$defs":{"any":true}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := f.Parse([]byte(tt.doc))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(s.JSON())); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if _, err := schema.Parse(s.JSON()); err != nil {
				t.Errorf("the document is not complete in itself: %v", err)
			}
		})
	}
}

// What a fragment asks for is asked where it is referred to.
func TestFragments_check(t *testing.T) {
	s, err := fragments(t).Parse([]byte(`{"type":"object","properties":{"from":{"$ref":"fragment:party"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check([]byte(`{"from":{"parts":[{"owes":{"amount":3}}],"owes":{"to":{"at":{"street":"x"}}}}}`)); err != nil {
		t.Error(err)
	}
	err = s.Check([]byte(`{"from":{"parts":[{"at":{"street":3}}]}}`))
	if want := "/from/parts/0/at/street: expected a string, found the number 3"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestFragments_refused(t *testing.T) {
	f := fragments(t)
	tests := []struct{ doc, want string }{
		{
			`{"properties":{"a/b":{"items":{"$ref":"fragment:mony"}}}}`,
			`invalid schema: /properties/a~1b/items/$ref: there is no fragment "mony"; did you mean "money"?`,
		},
		{
			`{"allOf":[true,{"$ref":"fragment:"}]}`,
			`invalid schema: /allOf/1/$ref: there is no fragment ""; expected "address", "any", "debt", "money" or "party"`,
		},
		{
			`{"$ref":"fragment:money#number"}`,
			`invalid schema: /$ref: expected a place in the fragment such as "fragment:money#/$defs/NAME", found "fragment:money#number"`,
		},
		{`{"$dynamicRef":"fragment:money"}`, `invalid schema: /$dynamicRef: expected a reference to a fragment in $ref, found it in $dynamicRef`},
		{
			`{"not":{"$id":"https://x.example/","$ref":"fragment:money"}}`,
			`invalid schema: /not/$ref: "fragment:money" is in a part with an $id of its own, from which no reference leads to a fragment`,
		},
		{
			`{"$schema":"http://json-schema.org/draft-07/schema#","items":{"$ref":"fragment:money"}}`,
			`invalid schema: /$schema: expected draft 2020-12, as that of the fragments, found "http://json-schema.org/draft-07/schema#"`,
		},
		{
			`{"$ref":"fragment:money#/$defs/numbr"}`,
			`invalid schema: /$ref: "#/$defs/money/$defs/numbr" leads nowhere: there is no "numbr" at "/$defs/money/$defs"; did you mean "number"?`,
		},
		{`{`, `invalid schema: expected JSON: the text ends in the middle`},
	}
	for _, tt := range tests {
		if _, err := f.Parse([]byte(tt.doc)); err == nil || err.Error() != tt.want {
			t.Errorf("%s\ngot  %v\nwant %s", tt.doc, err, tt.want)
		}
	}
}

func TestNewFragments_refused(t *testing.T) {
	tests := []struct {
		docs map[string]string
		want string
	}{
		{map[string]string{"a b": `{}`}, `fragment "a b": expected a name of letters, digits, '_', '-' and '.', at most 64 of them`},
		{map[string]string{"a": `[]`}, `fragment "a": expected a schema, which is an object or a boolean, found an array`},
		{map[string]string{"a": `{`}, `fragment "a": expected JSON: the text ends in the middle`},
		{map[string]string{"a": `{"properties":{"x":{"type":"strng"}}}`}, `fragment "a": /properties/x/type: ` +
			`expected "array", "boolean", "integer", "null", "number", "object" or "string", found the string "strng"; did you mean "string"?`},
		{
			map[string]string{"a": `{"items":{"$ref":"fragment:b"}}`, "b": `{"minimum":"1"}`},
			`fragment "b": /minimum: expected a number, found the string "1"`,
		},
		{map[string]string{"a": `{"items":{"$ref":"fragment:b"}}`}, `fragment "a": /items/$ref: there is no fragment "b"; expected "a"`},
		{map[string]string{"a": `{"$defs":{"x":{"$anchor":"here"}}}`}, `fragment "a": /$defs/x/$anchor: ` +
			`expected no anchor in a fragment; refer to the place: "fragment:a#/$defs/NAME"`},
		{map[string]string{"a": `{"$ref":"#here"}`}, `fragment "a": /$ref: nothing in this fragment has the anchor "#here": fragments have none`},
		{
			map[string]string{"a": `{"$schema":"http://json-schema.org/draft-07/schema#"}`},
			`fragment "a": /$schema: expected draft 2020-12, as fragments become parts of schemas of that draft`,
		},
	}
	for _, tt := range tests {
		docs := make(map[string][]byte)
		for name, doc := range tt.docs {
			docs[name] = []byte(doc)
		}
		if _, err := schema.NewFragments(docs); err == nil || err.Error() != tt.want {
			t.Errorf("%v\ngot  %v\nwant %s", tt.docs, err, tt.want)
		}
	}
	_, err := schema.NewFragments(map[string][]byte{"a": []byte(`{"$ref":"fragment:b"}`), "b": []byte(`{"$ref":"fragment:a"}`)})
	if err == nil || !strings.Contains(err.Error(), "refers to itself without end") {
		t.Errorf("two fragments that are each other: %v", err)
	}
}

// What is parsed with fragments is complete in itself, and a document without them is parsed as it is.
func FuzzFragments_Parse(f *testing.F) {
	for _, doc := range sharedDocs {
		f.Add(doc)
	}
	f.Add([]byte(`{"$defs":{"money":1,"money":{"$ref":"fragment:money"}},"items":[{"$ref":"fragment:debt#/anyOf/0"}]}`))
	f.Add([]byte(`{"$defs":3,"$ref":"fragment:any"}`))
	shared := fragments(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		s, err := shared.Parse(doc)
		if err != nil {
			if _, ok := errors.AsType[*schema.Error](err); !ok {
				t.Errorf("%s: an error without a place: %v", doc, err)
			}
			return
		}
		again, err := schema.Parse(s.JSON())
		if err != nil || again.ID() != s.ID() {
			t.Errorf("%s becomes %s, which is parsed as %v (%v)", doc, s.JSON(), again, err)
		}
		if !strings.Contains(string(doc), "fragment") && json.Valid(doc) {
			if plain, err := schema.Parse(doc); err == nil && plain.ID() != s.ID() {
				t.Errorf("%s becomes %s without a fragment in it", doc, s.JSON())
			}
		}
	})
}
