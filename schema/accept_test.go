package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// sampleSchemas use every keyword that a shape knows, and some that it does not.
var sampleSchemas = []string{
	`true`, `false`, `{}`,
	`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"],"additionalProperties":false}`,
	`{"type":["array","null"],"items":{"type":"number","minimum":-1.5,"exclusiveMaximum":3},"minItems":1,"maxItems":3}`,
	`{"enum":["x","y",null,true,3,{"a":1}]}`,
	`{"const":"x"}`, `{"const":null}`, `{"const":2}`,
	`{"type":"string","minLength":2,"maxLength":3,"pattern":"^[a-zé]+$"}`,
	`{"format":"date-time"}`, `{"format":"ipv4","type":["string","integer"]}`,
	`{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}],"$defs":{"n":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]},"v":{"$ref":"#/$defs/v"}},"required":["v"]},"v":{"type":"integer","exclusiveMinimum":-9223372036854775808,"maximum":18446744073709551615}}}`,
	`{"allOf":[{"type":"object"},{"required":["a"]},{"properties":{"a":{"minimum":0.5}}}],"additionalProperties":{"type":"boolean"}}`,
	`{"$ref":"#/$defs/x","maxLength":2,"$defs":{"x":{"type":"string"}}}`,
	`{"type":"integer","minimum":1e30}`, `{"maximum":-1e30}`, `{"type":"number","minimum":0,"maximum":0}`,
	`{"additionalProperties":{"type":"integer"},"properties":{"a":false}}`,
	`{"oneOf":[{"type":"string"},{"maxLength":3}]}`, `{"not":{"type":"null"}}`, `{"minProperties":1}`,
}

var sampleValues = []string{
	`null`, `true`, `false`, `0`, `-0`, `-1`, `1.5`, `3`, `3.0`, `1e2`, `9223372036854775807`, `18446744073709551615`, `18446744073709551616`,
	`1e400`, `0e700`, `1e-700`, `0.00`, `01`, `.5`, `1.`, `-`, `""`, `"x"`, `"xy"`, `"é"`, "\"\xff\xff\"", `"\u0078"`, `"\u12"`, "\"\n\"", `"2026-01-31T09:30:00Z"`,
	`"2026-01-31t09:30:00z"`, `"127.0.0.1"`, `[]`, `[1]`, `[1,2.5,-1.5]`, `[1,]`, `{}`, `{"a":"s"}`, `{"a":"s","b":1}`, `{"a":"s","b":1.0}`,
	`{"a":"s","a":1}`, `{"\u0061":"s"}`, `{"a":1,"c":true}`, `{"v":1,"next":{"v":2,"next":null}}`, `{"v":-9223372036854775808}`,
	` { "a" : "s" , "b" : 2 } `, `{"a":"s"} x`, `{"a"}`, `{"x":1,"y":2}`, `{"x":1,"x":true}`,
}

// What the quick reader accepts, the full check accepts too.
func TestAccepts_impliesTheFullCheck(t *testing.T) {
	quick := 0
	for _, doc := range sampleSchemas {
		s := mustParse(t, doc)
		if s.quick != nil {
			quick++
		}
		for _, value := range sampleValues {
			checkAgreement(t, s, []byte(value))
		}
	}
	if quick < len(sampleSchemas)-4 {
		t.Errorf("only %d of %d schemas are checked quickly", quick, len(sampleSchemas))
	}
}

// The quick reader accepts ordinary values: else it would be of no use.
func TestAccepts_ordinaryValues(t *testing.T) {
	type line struct {
		SKU   string    `json:"sku"`
		Count uint      `json:"count"`
		Price float64   `json:"price,omitempty"`
		At    time.Time `json:"at"`
		Raw   []byte    `json:"raw"`
		Sub   *line     `json:"sub"`
		Wide  map[string][]int64
		Any   any
	}
	s, err := For[[]line]()
	if err != nil {
		t.Fatal(err)
	}
	value, err := json.MarshalIndent([]line{
		{"a", 1, 1.25, time.Now(), []byte("abc"), &line{}, map[string][]int64{"x": {1, -2}}, map[string]any{"y": "\n"}},
		{"\"quoted\"\n", 1 << 50, -1e-7, time.Now().UTC(), nil, nil, nil, nil},
	}, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if !s.quick.accepts(value) {
		t.Errorf("not accepted at once: %s", value)
	}
}

func mustParse(t testing.TB, doc string) *Schema {
	t.Helper()
	s, err := Parse([]byte(doc))
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return s
}

func checkAgreement(t *testing.T, s *Schema, value []byte) {
	t.Helper()
	full := s.explain(value)
	if s.quick != nil && s.quick.accepts(value) && full != nil {
		t.Errorf("%s against %s: the quick reader accepts what the full check refuses: %v", value, s.doc, full)
	}
	if got := s.Check(value); (got == nil) != (full == nil) {
		t.Errorf("%s against %s: Check says %v, the full check %v", value, s.doc, got, full)
	}
}

func FuzzCheck(f *testing.F) {
	for i, doc := range sampleSchemas {
		for j, value := range sampleValues {
			if (i+j)%5 == 0 {
				f.Add(doc, []byte(value))
			}
		}
	}
	f.Fuzz(func(t *testing.T, doc string, value []byte) {
		s, err := Parse([]byte(doc))
		if err != nil {
			return
		}
		checkAgreement(t, s, value)
	})
}

// A schema or a document of any kind gives a schema or an error that says something.
func FuzzParse(f *testing.F) {
	for _, doc := range sampleSchemas {
		f.Add([]byte(doc))
	}
	f.Add([]byte(`{"$id":"a","$ref":"b#c","$dynamicAnchor":"x","$dynamicRef":"#x"}`))
	f.Add([]byte(`{"$schema":"http://json-schema.org/draft-04/schema#","id":"x","items":[{"$ref":"#"}],"dependencies":{"a":["b"]}}`))
	f.Add([]byte(`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"items":{"$recursiveRef":"#"}}`))
	f.Add([]byte(`{"propertyNames":{"maxLength":1},"patternProperties":{"^a":{"contentEncoding":"base64"}},"unevaluatedProperties":false}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		s, err := Parse(doc)
		if err != nil {
			if e := err.Error(); strings.TrimSpace(e) == "" || strings.Contains(e, home) || strings.Contains(e, "failed:") {
				t.Fatalf("an error of no use: %q", e)
			}
			return
		}
		for _, value := range []string{`{"a":1,"b":[null,"x"]}`, `[1,{}]`, `"2026"`, `3`, `null`} {
			if err := s.Check([]byte(value)); err != nil && strings.Contains(err.Error(), "failed:") {
				t.Fatalf("the check panicked: %v", err)
			}
		}
	})
}

type small struct {
	Approve bool   `json:"approve"`
	Note    string `json:"note,omitempty"`
	Amount  int    `json:"amount"`
	Tags    []string
}

var smallValue = []byte(`{"approve":true,"note":"looks good to me","amount":1200,"Tags":["a","b"]}`)

func BenchmarkCheck(b *testing.B) {
	s, err := For[small]()
	if err != nil {
		b.Fatal(err)
	}
	parsed := mustParse(b, string(s.JSON()))
	b.Run("good", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := s.Check(smallValue); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("full", func(b *testing.B) { // what a schema beyond the quick reader costs
		b.ReportAllocs()
		for b.Loop() {
			if err := parsed.explain(smallValue); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bad", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := s.Check([]byte(`{"aprove":true,"amount":1}`)); err == nil {
				b.Fatal("accepted")
			}
		}
	})
	b.Run("unmarshal", func(b *testing.B) { // for comparison: decoding alone
		b.ReportAllocs()
		for b.Loop() {
			var v small
			if err := json.Unmarshal(smallValue, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
	long, err := json.Marshal(strings.Repeat("a line of text\n", 1000))
	if err != nil {
		b.Fatal(err)
	}
	big := fmt.Appendf(nil, `{"approve":true,"note":%s,"amount":1,"Tags":null}`, long)
	b.Run("15KB", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(big)))
		for b.Loop() {
			if err := s.Check(big); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkFor(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := For[small](); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	doc := []byte(sampleSchemas[3])
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(doc); err != nil {
			b.Fatal(err)
		}
	}
}
