package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/schema"
)

const paymentDoc = `{"oneOf":[
	{"type":"object","properties":{"by":{"const":"card"},"number":{"type":"string"},"cvc":{"type":"integer"}},
		"required":["by","number"],"additionalProperties":false},
	{"type":"object","properties":{"by":{"const":"bank"},"iban":{"type":"string"},"number":{"type":"integer"}},
		"required":["by","iban"],"additionalProperties":false},
	{"type":"object","properties":{"by":{"enum":["cash","coin"]},"due":{"type":"string","minLength":3}},
		"required":["by"],"additionalProperties":false}]}`

// streamed is what a stream shows of a text, and refuses.
type streamed struct {
	Text    string
	Shown   string
	Refused []string
}

func checkStreamed(t *testing.T, s *schema.Schema, tests []streamed) {
	t.Helper()
	for _, tt := range tests {
		got := follow(t, s, tt.Text)
		if diff := cmp.Diff(tt, streamed{tt.Text, got.Shown, got.Refused}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.Text, diff)
		}
	}
}

// A member that tells alternatives apart settles which of them holds, and so does any other that they differ in.
func TestStream_unions(t *testing.T) {
	checkStreamed(t, mustParse(t, paymentDoc), []streamed{
		{`{"by":"card","number":"5"}`, `{"by":"card","number":"5"}`, nil},
		{`{"number":5,"iban":"x","by":"bank"}`, `{"number":5,"iban":"x","by":"bank"}`, nil},
		{`{"by":"card","number":5,"iban":"x"`, `{"by":"card"}`, []string{
			`/number: expected a string, found the number 5`,
			`/iban: unknown property; expected "by", "cvc" or "number"`,
		}},
		{`{"number":"5","by":"c`, `{"number":"5","by":"c"}`, nil},
		{`{"number":"5","by":"cash"`, `{"number":"5"}`, []string{`/by: expected "card", found the string "cas…"`}},
		{`{"by":"crad"`, `{}`, []string{`/by: expected "card", "bank", "cash" or "coin", found the string "cr…"`}},
		{`{"by":"ca"`, `{}`, []string{`/by: expected "card", "bank", "cash" or "coin", found the string "ca"`}},
		{`{"by":5 `, `{}`, []string{`/by: expected "card", "bank", "cash" or "coin", found the number 5`}},
		{`{"by":{"x":1}`, `{}`, []string{`/by: expected "card", "bank", "cash" or "coin", found an object`}},
		{`{"number":[1],"number":null,"number":7`, `{}`, []string{
			`/number: expected a string or an integer, found an array`,
			`/number: fits none of the alternatives: (1) expected a string, found null; (2) expected an integer, found null`,
		}},
		{`{"nubmer":1,"due":"x","by":"cash"}`, `{"by":"cash"}`, []string{
			`/nubmer: unknown property; did you mean "number"?`, `/due: expected at least 3 characters, found 1`,
		}},
		{`{"by":"bank"}`, `null`, []string{`/iban: required, but missing; expected a string`}},
		{`{"number":"x"}`, `null`, []string{`/by: required, but missing; expected "card"`}},
		{`{}`, `null`, []string{`fits none of the alternatives: (1) /by: required, but missing; expected "card", ` +
			`/number: required, but missing; expected a string; (2) /by: required, but missing; expected "bank", ` +
			`/iban: required, but missing; expected a string; (3) /by: required, but missing; expected "cash" or "coin"`}},
		{`[`, ``, []string{`expected an object, found an array`}},
	})
}

// What a stream says of marks is what the check of the whole says.
func TestStream_unionsLikeCheck(t *testing.T) {
	s := mustParse(t, paymentDoc)
	for _, text := range []string{`{"by":"bank"}`, `{"by":"ca"}`, `{"by":7}`, `{"by":{}}`, `{"by":"card","number":5,"iban":"x"}`, `{}`, `[]`, `{"number":"x"}`} {
		e, ok := errors.AsType[*schema.Error](s.Check([]byte(text)))
		if !ok {
			t.Fatalf("%s is valid", text)
		}
		want := map[string]bool{}
		for _, p := range e.Problems {
			want[p.String()] = true
		}
		got := map[string]bool{}
		for _, p := range follow(t, s, text).Refused {
			got[p] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-check +stream):\n%s", text, diff)
		}
	}
}

// The patches are those of an object without alternatives.
func TestStream_unionsArrive(t *testing.T) {
	got := follow(t, mustParse(t, `{"items":{"anyOf":[{"type":"null"},`+paymentDoc+`]}}`),
		`[null,{"num`, `ber":1`, `2,"by":"b`, `ank"`, `,"iban":"D`, `E"},`, `{"by":"card"`, `}]`)
	want := followed{
		Deltas: []string{
			`[{"op":"add","path":"","value":[]},{"op":"add","path":"/0","value":null},{"op":"add","path":"/1","value":{}}]`,
			`[{"op":"add","path":"/1/number","value":12},{"op":"add","path":"/1/by","value":"b"}]`,
			`[{"op":"append","path":"/1/by","value":"ank"}]`,
			`[{"op":"add","path":"/1/iban","value":"D"}]`,
			`[{"op":"append","path":"/1/iban","value":"E"}]`,
			`[{"op":"add","path":"/2","value":{}},{"op":"add","path":"/2/by","value":"card"}]`,
			`[{"op":"remove","path":"/2"}]`,
		},
		Refused: []string{`/2/number: required, but missing; expected a string`},
		Shown:   `[null,{"number":12,"by":"bank","iban":"DE"}]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Alternatives in alternatives, and those that lead back to themselves, with marks that come last.
func TestStream_unionsInUnions(t *testing.T) {
	s := mustParse(t, `{"oneOf":[
		{"type":"null"},
		{"properties":{"is":{"const":"leaf"},"n":{"type":"integer"}},"required":["is"],"additionalProperties":false,"type":"object"},
		{"anyOf":[
			{"properties":{"is":{"const":"two"},"left":{"$ref":"#"},"right":{"$ref":"#"}},"additionalProperties":false,"type":"object"},
			{"properties":{"is":{"const":"many"},"left":{"type":"array","items":{"$ref":"#"}}},"required":["is"],"additionalProperties":false,"type":"object"}
		]}]}`)
	checkStreamed(t, s, []streamed{
		{
			`{"left":{"n":1,"is":"leaf"},"right":{"left":[{"is":"leaf"},null],"is":"many"}}`,
			`{"left":{"n":1,"is":"leaf"},"right":{"left":[{"is":"leaf"},null],"is":"many"}}`, nil,
		},
		{`{"left":{"left":[{"n":1,"left":2`, `{"left":{"left":[{"n":1}]}}`, []string{
			`/left/left/0/left: unknown property; expected "is" or "n"`,
		}},
		{`{"left":[1,{"is":"leaf"}],"right":null`, `{"left":[{"is":"leaf"}]}`, []string{
			`/left/0: fits none of the alternatives: (1) expected null, found the number 1; ` +
				`(2) expected an object, found the number 1; (3) expected an object, found the number 1`,
			`/right: unknown property; expected "is" or "left"`,
		}},
		{`{"left":null,"is":"many"`, `{"left":null}`, []string{`/is: expected "two", found the string "m…"`}},
		{`{"left":{"is":"leaf","n":"x"},"n":1`, `{"left":{"is":"leaf"}}`, []string{
			`/left/n: expected an integer, found a string`, `/n: unknown property; expected "is", "left" or "right"`,
		}},
		// A part that is refused settles nothing.
		{`{"left":["x",{"is":"tow"}],"right":{"is":"leaf"}`, `{"left":[{}]}`, []string{
			`/left/0: fits none of the alternatives: (1) expected null, found a string; ` +
				`(2) expected an object, found a string; (3) expected an object, found a string`,
			`/left/1/is: expected "leaf", "two" or "many", found the string "to…"; did you mean "two"?`,
			`/right: unknown property; expected "is" or "left"`,
		}},
		{`{"left":{"n":1},"right":[],"right":{"is":"leaf"}`, `{"right":{"is":"leaf"}}`, []string{
			`/left/is: required, but missing; expected "leaf"`, `/right: fits none of the alternatives: (1) expected null, found an array; ` +
				`(2) expected an object, found an array; (3) expected an object, found an array`,
		}},
	})
}

// Rules that meet again at each level are followed once. The library, which tries each alternative to the bottom, would
// not come to an end here.
func TestStream_unionsInManyLevels(t *testing.T) {
	s := mustParse(t, `{"$ref":"#/$defs/one","$defs":{
		"one":{"oneOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"},{"type":"null"}]},
		"any":{"anyOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/a"},{"type":"null"}]},
		"a":{"type":"object","properties":{"in":{"$ref":"#/$defs/one"},"is":{"const":"a"}},"required":["is"]},
		"b":{"type":"object","properties":{"in":{"$ref":"#/$defs/any"},"is":{"const":"b"}},"required":["is"]}}}`)
	const levels = 400
	text := strings.Repeat(`{"in":`, levels) + "null" + strings.Repeat(`,"is":"b"}`, levels)
	checkStreamed(t, s, []streamed{{text, text, nil}})
	wrong := strings.Replace(text, `"is":"b"`, `"is":"c"`, 1)
	checkStreamed(t, s, []streamed{{wrong, strings.Replace(text, `,"is":"b"`, ``, 1), []string{
		strings.Repeat("/in", levels-1) + `/is: expected "a" or "b", found the string "c…"`,
	}}})
}

// Where several alternatives may fit until the end, the library decides.
func TestStream_unionsThatOverlap(t *testing.T) {
	checkStreamed(t, mustParse(t, `{"oneOf":[{"required":["a"]},{"required":["b"]}],"maxProperties":3}`), []streamed{
		{`{"a":1,"c":2}`, `{"a":1,"c":2}`, nil},
		{`{"a":1,"b":2}`, `null`, []string{`expected a value that fits one alternative, found one that fits two: alternatives 1 and 2`}},
		{`{"c":3}`, `null`, []string{`fits none of the alternatives: (1) /a: required, but missing; (2) /b: required, but missing`}},
		{`{"a":1,"c":2,"d":3,"e":4}`, `null`, []string{`expected at most 3 properties, found 4`}},
	})
	checkStreamed(t, mustParse(t, `{"oneOf":[{"required":["a"]},{"required":["b"]}],"type":"object"}`), []streamed{
		{`{"a":1,"c":2}`, `{"a":1,"c":2}`, nil},
		{`{"a":1,"b":2}`, `null`, []string{`expected a value that fits one alternative, found one that fits two: alternatives 1 and 2`}},
	})
	const both = `{"oneOf":[{"required":["a"]},{"required":["b"]}],"type":"object"}`
	checkStreamed(t, mustParse(t, `{"anyOf":[`+both+`,{"required":["c"]}]}`), []streamed{
		{`{"a":1}`, `{"a":1}`, nil},
		{`{"a":1,"b":2,"c":3}`, `{"a":1,"b":2,"c":3}`, nil},
		{`{"a":1,"b":2}`, `null`, []string{`fits none of the alternatives: (1) expected a value that fits one alternative, ` +
			`found one that fits two: alternatives 1 and 2; (2) /c: required, but missing`}},
	})
	checkStreamed(t, mustParse(t, `{"properties":{"o":`+both+`},"patternProperties":{"^o":{"type":"object"}}}`), []streamed{
		{`{"o":{"b":1}}`, `{"o":{"b":1}}`, nil},
		{`{"o":{"a":1,"b":2}}`, `{}`, []string{`/o: expected a value that fits one alternative, found one that fits two: alternatives 1 and 2`}},
	})
	checkStreamed(t, mustParse(t, `{"anyOf":[{"properties":{"a":{"minProperties":1}}},{"properties":{"a":{"maxProperties":1}},"required":["b"]}]}`), []streamed{
		{`{"a":{"x":1}}`, `{"a":{"x":1}}`, nil},
		{`{"a":{},"b":1}`, `{"a":{},"b":1}`, nil},
		{`{"a":{}}`, `null`, []string{`/b: required, but missing`}},
		{`{"a":{"x":1,"y":2}}`, `{"a":{"x":1,"y":2}}`, nil},
	})
	checkStreamed(t, mustParse(t, `{"anyOf":[
		{"prefixItems":[true,{"type":"integer"}],"items":{"type":"integer"},"maxItems":4},
		{"items":{"type":"integer"},"maxItems":3,"type":"array"}]}`), []streamed{
		{`[1,2,"x",4,5`, `[1,2,4]`, []string{`/2: expected an integer, found a string`, `expected at most 4 items, found more`}},
		{`[1,2,"x","x",5`, `[1,2]`, []string{
			`/2: expected an integer, found a string`, `/3: expected an integer, found a string`, `expected at most 4 items, found more`,
		}},
		{`["x","x",3,4]`, `["x"]`, []string{`/1: expected an integer, found a string`}},
	})
	checkStreamed(t, mustParse(t, `{"anyOf":[{"prefixItems":[{"type":"integer"}]},{"prefixItems":[{"type":"boolean"}]}]}`), []streamed{
		{`["x",3,4]`, `[]`, []string{`/0: expected an integer or a boolean, found a string`}},
	})
	checkStreamed(t, mustParse(t, `{"anyOf":[{"items":{"minProperties":2},"maxItems":1},{"items":{"required":["b"]},"minItems":2,"maxItems":3}]}`), []streamed{
		{`[{"a":1,"b":2}]`, `[{"a":1,"b":2}]`, nil},
		{`[{"a":1}]`, `[]`, []string{`/0: fits none of the alternatives: (1) /b: required, but missing; (2) expected at least 2 properties, found 1`}},
		{`[{"b":1},{},{"b":2}]`, `[{"b":1},{"b":2}]`, []string{`/1/b: required, but missing`}},
		{`[{"a":1,"b":1},{"b":1},{"b":2},{"b":3}`, `[{"a":1,"b":1},{"b":1},{"b":2}]`, []string{`expected at most 3 items, found more`}},
	})
}

// Rules beside alternatives hold with each of them, and numbers, true, false and null tell them apart as well.
func TestStream_unionsBesideRules(t *testing.T) {
	checkStreamed(t, mustParse(t, `{
		"properties":{"v":{"type":["integer","boolean","null"]},"text":{"type":"string"}},
		"propertyNames":{"maxLength":4},
		"anyOf":[
			{"properties":{"v":{"const":1},"text":{"maxLength":3}}},
			{"properties":{"v":{"enum":[2,true]},"text":{"enum":["abcde","abd"]},"n":{"type":"integer"}},"required":["n"]},
			{"properties":{"v":{"const":null}},"propertyNames":{"pattern":"^[a-w]"}}]}`), []streamed{
		{`{"v":1.0,"text":"abc"}`, `{"v":1.0,"text":"abc"}`, nil},
		{`{"v":1,"text":"abcd"`, `{"v":1}`, []string{`/text: expected at most 3 characters, found more`}},
		{`{"v":2,"text":"abc"}`, `null`, []string{
			`/text: expected "abcde" or "abd", found the string "abc"; did you mean "abd"?`, `/n: required, but missing; expected an integer`,
		}},
		{`{"v":true,"n":2,"text":"abcde"}`, `{"v":true,"n":2,"text":"abcde"}`, nil},
		{`{"v":false,"v":3,"v":"x"`, `{}`, []string{
			`/v: expected 1, 2, true or null, found false`, `/v: expected 1, 2, true or null, found the number 3`,
			`/v: expected 1, 2, true or null, found a string`,
		}},
		{`{"v":null,"n":"x","text":"abcdef","x":1,"longer":1`, `{"v":null,"n":"x","text":"abcdef"}`, []string{
			`the property name "x" is not allowed: expected a string that matches ^[a-w], found "x"`,
			`the property name "longer" is not allowed: expected at most 4 characters, found 6`,
		}},
		{`{"longer":1,"x":1,"v":null`, `{"x":1}`, []string{
			`the property name "longer" is not allowed: expected at most 4 characters, found 6`,
			`/v: expected 1, 2 or true, found null`,
		}},
	})
}

// Alternatives of strings are words, beginnings, and whatever else a string may be.
func TestStream_unionsOfStrings(t *testing.T) {
	s := mustParse(t, `{"anyOf":[
		{"properties":{"s":{"enum":["one","only"]},"is":{"const":1}}},
		{"properties":{"s":{"maxLength":2},"is":{"const":2}}},
		{"properties":{"s":{"pattern":"^[a-z]*$"},"is":{"const":3}}}]}`)
	checkStreamed(t, s, []streamed{
		{`{"s":"on","is":1,`, `{"s":"on"}`, []string{`/is: expected 2 or 3, found the number 1`}},
		{`{"s":"one","is":2,`, `{"s":"one"}`, []string{`/is: expected 1 or 3, found the number 2`}},
		{`{"s":"Ä","is":2,`, `{"s":"Ä","is":2}`, nil},
		{`{"s":"ÄÖÜ","is":2,`, `{"is":2}`, []string{
			`/s: expected a string that matches ^[a-z]*$, found "ÄÖÜ"`,
		}},
		{`{"s":"onceagain","is":1,"is":3,`, `{"s":"onceagain","is":3}`, []string{`/is: expected 3, found the number 1`}},
	})
	checkStreamed(t, mustParse(t, `{"oneOf":[{"const":"a"},{"const":"ab"},{"minimum":3,"type":"number"},{"type":"number","multipleOf":2}]}`), []streamed{
		{`"a"`, `"a"`, nil},
		{`"ac"`, `null`, []string{`expected "a", "ab" or a number, found the string "ac…"`}},
		{`5 `, `5`, nil},
		{`3.5e1`, `3.5e1`, nil},
		{`"ab"`, `"ab"`, nil},
		{`4 `, ``, []string{`expected a value that fits one alternative, found one that fits two: alternatives 3 and 4`}},
	})
}

// A scalar that fits two of which one may fit is refused, however it is written.
func TestStream_scalarsThatFitTwo(t *testing.T) {
	s := mustParse(t, `{"items":{"oneOf":[{"const":"a"},{"enum":["a","b"]},{"enum":[1,2]},{"enum":[2,3]},{"const":null},{"type":"null"}]}}`)
	two := func(place string, a, b int) string {
		return fmt.Sprintf("%s: expected a value that fits one alternative, found one that fits two: alternatives %d and %d", place, a, b)
	}
	checkStreamed(t, s, []streamed{{`["a","b",1,2,3,2.0,1.0,null]`, `["b",1,3,1.0]`, []string{
		two("/0", 1, 2), two("/3", 3, 4), two("/5", 3, 4), two("/7", 5, 6),
	}}})
}

// More alternatives than are followed are left to the library, as before.
func TestStream_unionsTooLarge(t *testing.T) {
	var docs []string
	for i := range 70 {
		docs = append(docs, fmt.Sprintf(`{"type":"object","properties":{"by":{"const":"c%d"}},"required":["by"],"additionalProperties":false}`, i))
	}
	union := func(n int) string { return `{"oneOf":[` + strings.Join(docs[:n], ",") + `]}` }
	checkStreamed(t, mustParse(t, union(64)), []streamed{
		{`{"by":"c63"}`, `{"by":"c63"}`, nil},
		{`{"by":"c64","x":1`, `{}`, []string{
			`/by: expected "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11" or 52 others, found the string "c64…"; did you mean "c14"?`,
			`/x: unknown property; expected "by"`,
		}},
	})
	checkStreamed(t, mustParse(t, union(70)), []streamed{
		{`{"by":"c69"}`, `{"by":"c69"}`, nil},
		{`{"by":"d`, `{"by":"d"}`, nil},
		{`{"by":"c69","x":1}`, `null`, []string{`/x: unknown property; expected "by"`}},
	})
	checkStreamed(t, mustParse(t, `{"anyOf":[`+union(70)+`,{"required":["z"]}]}`), []streamed{
		{`{"by":"c69"}`, `{"by":"c69"}`, nil},
		{`{"by":"d","z":1}`, `{"by":"d","z":1}`, nil},
		{`{"by":7}`, `null`, []string{`/z: required, but missing`}},
	})
	many := `{"anyOf":[{"properties":{"a":` + union(40) + `,"b":{"const":1}}},{"properties":{"a":` + union(39) + `,"b":{"const":2}}}]}`
	checkStreamed(t, mustParse(t, many), []streamed{
		{`{"a":{"by":"c38"},"b":2}`, `{"a":{"by":"c38"},"b":2}`, nil},
		{`{"a":{"by":"c39"},"b":2 `, `{"a":{"by":"c39"}}`, []string{`/b: expected 1, found the number 2`}},
	})
}

// A part that looks at what is around it is not checked alone, but for what holds anywhere.
func TestStream_unionsDynamic(t *testing.T) {
	checkStreamed(t, mustParse(t, `{"$id":"tree","$dynamicAnchor":"node","oneOf":[
		{"type":"object","properties":{"by":{"const":1},"in":{"$dynamicRef":"#node"}},"required":["by"]},
		{"type":"object","properties":{"by":{"const":2},"in":{"type":"string","pattern":"^a"}},"required":["by","in"]}]}`), []streamed{
		{`{"in":"b","by":2}`, `{"in":"b","by":2}`, nil},
		{`{"in":{"by":3},"by":"2`, `{"in":{"by":3}}`, []string{`/by: expected 1, found a string`}},
		{`{"by":2}`, `null`, []string{`/in: required, but missing; expected a string`}},
	})
}

// Only so many unknown names are explained: to search the nearest takes time.
func TestStream_explainsUnknownNamesOnlySoOften(t *testing.T) {
	var names strings.Builder
	for range 20 {
		names.WriteString(`"nmae":1,`)
	}
	var want []string
	for i := range 20 {
		problem := "/nmae: unknown property"
		if i < 16 {
			problem += `; did you mean "name"?`
		}
		want = append(want, problem)
	}
	got := follow(t, mustParse(t, `{"properties":{"name":{}},"additionalProperties":false}`), "{"+names.String()+`"name":1}`)
	if diff := cmp.Diff(want, got.Refused); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCheckPartial_unions(t *testing.T) {
	s := mustParse(t, paymentDoc)
	for text, want := range map[string]string{
		`{}`:                                 "",
		`{"by":"ca"}`:                        "",
		`{"number":"5"}`:                     "",
		`{"by":"bank","number":5}`:           "",
		`{"by":"b","number":"5"}`:            `/number: expected an integer, found a string`,
		`{"by":"cards"}`:                     `/by: expected "card", "bank", "cash" or "coin", found the string "cards…"; did you mean "card"?`,
		`{"by":"c","iban":"x"}`:              `/iban: unknown property; expected "by", "cvc", "due" or "number"`,
		`{"cvc":1,"due":""}`:                 `/due: unknown property; expected "by", "cvc" or "number"`,
		`{"number":"5","by":"cash"}`:         `/by: expected "card", found the string "cas…"`,
		`{"number":"5","by":"ca","due":"x"}`: `/due: unknown property; expected "by", "cvc" or "number"`,
	} {
		got := ""
		if err := s.CheckPartial([]byte(text)); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
