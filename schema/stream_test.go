package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/patch"
	"github.com/fermata-go/fermata/schema"
)

// followed is all that a stream says of a text.
type followed struct {
	Deltas  []string // the patches, one for each piece, as JSON
	Refused []string
	Shown   string
	Err     string
}

// follow writes pieces of a text, and checks at each that the patches fold to what the stream says it shows.
func follow(t testing.TB, s *schema.Schema, pieces ...string) followed {
	t.Helper()
	st := s.Stream()
	var all followed
	fold := patch.New()
	take := func(d schema.Delta, err error) {
		if err := fold.Apply(d.Patch); err != nil {
			t.Fatalf("%q: a patch does not apply: %v", pieces, err)
		}
		if got, want := st.JSON(), fold.JSON(); !sameJSON(t, got, want) {
			t.Fatalf("%q: the patches fold to %s, the stream shows %s", pieces, want, got)
		}
		if len(d.Patch) > 0 {
			text, err := json.Marshal(d.Patch)
			if err != nil {
				t.Fatal(err)
			}
			all.Deltas = append(all.Deltas, string(text))
		}
		for _, p := range d.Refused {
			all.Refused = append(all.Refused, p.String())
		}
		if err != nil && all.Err == "" {
			all.Err = err.Error()
		}
	}
	for _, piece := range pieces {
		take(st.Write(piece))
	}
	take(st.Close())
	all.Shown = string(st.JSON())
	return all
}

func sameJSON(t testing.TB, a, b json.RawMessage) bool {
	t.Helper()
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return canonical(t, a) == canonical(t, b)
}

func canonical(t interface{ Fatalf(string, ...any) }, text []byte) string {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return string(out)
}

func mustParse(t testing.TB, doc string) *schema.Schema {
	t.Helper()
	s, err := schema.Parse([]byte(doc))
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return s
}

// What is shown, when.
func TestStream_shows(t *testing.T) {
	tests := []struct {
		pieces []string
		want   followed
	}{
		{[]string{`{"title":"A lo`, `ng`, ` day","n":1`, `2`, `,"ok":tr`, `ue}`}, followed{
			Deltas: []string{
				`[{"op":"add","path":"","value":{}},{"op":"add","path":"/title","value":"A lo"}]`,
				`[{"op":"append","path":"/title","value":"ng"}]`,
				`[{"op":"append","path":"/title","value":" day"}]`,
				`[{"op":"add","path":"/n","value":12}]`,
				`[{"op":"add","path":"/ok","value":true}]`,
			},
			Shown: `{"title":"A long day","n":12,"ok":true}`,
		}},
		{[]string{` [ "`, `a" , [ ] ,{"b":[null`, `]}`, `]`, "\n"}, followed{
			Deltas: []string{
				`[{"op":"add","path":"","value":[]},{"op":"add","path":"/0","value":""}]`,
				`[{"op":"append","path":"/0","value":"a"},{"op":"add","path":"/1","value":[]},{"op":"add","path":"/2","value":{}},` +
					`{"op":"add","path":"/2/b","value":[]},{"op":"add","path":"/2/b/0","value":null}]`,
			},
			Shown: `["a",[],{"b":[null]}]`,
		}},
		{[]string{`12`, `0`}, followed{Deltas: []string{`[{"op":"add","path":"","value":120}]`}, Shown: `120`}},
		{[]string{`"\u00e`, `9\ud8`, `3d`, `\ude`, `00\n\ud83d`, `x\ude00`, "\xf0\x9f", "\x98", "\x80", "\xff", "\xe2\x82", `"`}, followed{
			Deltas: []string{
				`[{"op":"add","path":"","value":""}]`,
				`[{"op":"append","path":"","value":"é"}]`,
				`[{"op":"append","path":"","value":"😀\n"}]`,
				"[{\"op\":\"append\",\"path\":\"\",\"value\":\"\uFFFDx\uFFFD\"}]",
				`[{"op":"append","path":"","value":"😀"}]`,
				"[{\"op\":\"append\",\"path\":\"\",\"value\":\"\uFFFD\"}]",
				"[{\"op\":\"append\",\"path\":\"\",\"value\":\"\uFFFD\uFFFD\"}]",
			},
			Shown: "\"é😀\\n\uFFFDx\uFFFD😀\uFFFD\uFFFD\uFFFD\"",
		}},
		{[]string{`"\udbff\ud800\udc00\udbff\udfff\udfff"`}, followed{
			Deltas: []string{"[{\"op\":\"add\",\"path\":\"\",\"value\":\"\uFFFD\U00010000\U0010FFFF\uFFFD\"}]"},
			Shown:  "\"\uFFFD\U00010000\U0010FFFF\uFFFD\"",
		}},
		{[]string{`{"a/b":{"~":"`, `x"},"a":1,"b":2,"a":[`, `3],"a":4}`}, followed{
			Deltas: []string{
				`[{"op":"add","path":"","value":{}},{"op":"add","path":"/a~1b","value":{}},{"op":"add","path":"/a~1b/~0","value":""}]`,
				`[{"op":"append","path":"/a~1b/~0","value":"x"},{"op":"add","path":"/a","value":1},{"op":"add","path":"/b","value":2},` +
					`{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":[]}]`,
				`[{"op":"add","path":"/a/0","value":3},{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":4}]`,
			},
			Shown: `{"a/b":{"~":"x"},"b":2,"a":4}`,
		}},
		{[]string{`{"a":1`}, followed{
			Deltas: []string{`[{"op":"add","path":"","value":{}}]`},
			Shown:  `{}`,
			Err:    `/a: expected JSON: at byte 6, expected what follows a number, found the end of the text`,
		}},
		{[]string{`{"a":"b`, `c`}, followed{
			Deltas: []string{
				`[{"op":"add","path":"","value":{}},{"op":"add","path":"/a","value":"b"}]`,
				`[{"op":"append","path":"/a","value":"c"}]`,
			},
			Shown: `{"a":"bc"}`,
			Err:   `/a: expected JSON: at byte 8, expected the rest of a string, found the end of the text`,
		}},
		{nil, followed{Err: `expected JSON: at byte 0, expected a value, found the end of the text`}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, follow(t, nil, tt.pieces...)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.pieces, diff)
		}
	}
}

const ticketDoc = `{
  "type": "object",
  "properties": {
    "id": {"type": "string", "pattern": "^t[0-9]+$"},
    "risk": {"enum": ["low", "high", "higher", null, 3]},
    "code": {"type": "string", "minLength": 2, "maxLength": 4},
    "count": {"type": "integer", "minimum": 1},
    "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
    "pair": {"prefixItems": [{"type": "string"}, {"type": "boolean"}], "items": {"type": "integer"}},
    "when": {"type": "string", "format": "date-time"},
    "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}},
    "next": {"anyOf": [{"$ref": "#/$defs/line"}, {"type": "null"}]},
    "either": {"anyOf": [{"const": "all"}, {"const": "none"}, {"type": "integer"}]},
    "payment": {"oneOf": [
      {"type": "object", "properties": {"by": {"const": "card"}, "number": {"type": "string"}}, "required": ["by", "number"]},
      {"type": "object", "properties": {"by": {"const": "bank"}, "iban": {"type": "string"}}, "required": ["by", "iban"]}
    ]},
    "odd": {"not": {"multipleOf": 2}},
    "set": {"type": "array", "uniqueItems": true},
    "labels": {"type": "object", "propertyNames": {"maxLength": 3}, "patternProperties": {"^n": {"type": "number"}}, "additionalProperties": {"type": "string"}},
    "both": {"allOf": [{"maxLength": 3}, {"$ref": "#/$defs/word"}]},
    "never": false
  },
  "required": ["id"],
  "additionalProperties": false,
  "$defs": {
    "line": {"type": "object", "properties": {"sku": {"type": "string"}, "n": {"type": "integer"}}, "required": ["sku"], "additionalProperties": false},
    "word": {"type": "string", "pattern": "^[a-z]*$"}
  }
}`

// What is not allowed is left out or taken back, as soon as it is certain, and the rest goes on.
func TestStream_refuses(t *testing.T) {
	s := mustParse(t, ticketDoc)
	tests := []struct {
		text    string // the value, but for the end of the object
		shown   string
		refused []string
	}{
		{`"count":"one","code":"ab"`, `{"code":"ab"}`, []string{`/count: expected an integer, found a string`}},
		{`"count":1.5,"code":{"x":[1]},"tags":{},"lines":""`, `{}`, []string{
			`/count: expected an integer, found the number 1.5`, `/code: expected a string, found an object`,
			`/tags: expected an array, found an object`, `/lines: expected an array, found a string`,
		}},
		{`"count":0,"cuont":[[1]],"never":1 `, `{}`, []string{
			`/count: expected at least 1, found 0`, `/cuont: unknown property; did you mean "count"?`,
			`/never: expected nothing here, found the number 1`,
		}},
		{`"risk":"hi`, `{"risk":"hi"}`, nil},
		{`"risk":"hix`, `{}`, []string{`/risk: expected "low", "high" or "higher", found the string "hix…"`}},
		{`"risk":"hi","count":2 `, `{"count":2}`, []string{
			`/risk: expected "low", "high", "higher", null or 3, found the string "hi"`,
		}},
		{`"risk":3.0,"risk":null,"risk":true`, `{}`, []string{`/risk: expected "low", "high", "higher", null or 3, found true`}},
		{`"risk":"low","risk":"high"`, `{"risk":"high"}`, nil},
		{`"code":"abcde`, `{}`, []string{`/code: expected at most 4 characters, found more`}},
		{`"code":"é"`, `{}`, []string{`/code: expected at least 2 characters, found 1`}},
		{`"id":"x1","when":"tomorrow","both":"aB"`, `{}`, []string{
			`/id: expected a string that matches ^t[0-9]+$, found "x1"`,
			`/when: expected a date and time such as "2026-01-31T09:30:00Z", found the string "tomorrow"`,
			`/both: expected a string that matches ^[a-z]*$, found "aB"`,
		}},
		{`"tags":["a",2,"b",{"x":1},"c"`, `{"tags":["a","b"]}`, []string{
			`/tags/1: expected a string, found the number 2`, `/tags: expected at most 3 items, found more`,
		}},
		{`"tags":[],"lines":[{"sku":"a"},{"n":1},{"sku":"c","m":1}]`, `{"lines":[{"sku":"a"},{"sku":"c"}]}`, []string{
			`/tags: expected at least 1 item, found 0`, `/lines/1/sku: required, but missing; expected a string`,
			`/lines/2/m: unknown property; expected "n" or "sku"`,
		}},
		{`"pair":[1,true,3]`, `{"pair":[]}`, []string{`/pair/0: expected a string, found the number 1`}},
		{`"pair":["a",true,3,"x",5]`, `{"pair":["a",true,3,5]}`, []string{`/pair/3: expected an integer, found a string`}},
		{`"next":null,"next":{"sku":1}`, `{"next":{}}`, []string{`/next/sku: expected a string, found the number 1`}},
		{`"next":{},"next":[]`, `{}`, []string{
			`/next/sku: required, but missing; expected a string`, `/next: expected an object or null, found an array`,
		}},
		{`"either":"al`, `{"either":"al"}`, nil},
		{`"either":"ax`, `{}`, []string{`/either: expected "all", "none" or an integer, found the string "ax…"`}},
		{`"payment":{"by":"card","number":5},"code":"ab"`, `{"payment":{"by":"card"},"code":"ab"}`, []string{
			`/payment/number: expected a string, found the number 5`,
		}},
		{`"payment":{"by":"card","number":"5"}`, `{"payment":{"by":"card","number":"5"}}`, nil},
		{`"payment":7 `, `{}`, []string{`/payment: expected an object, found the number 7`}},
		{`"odd":3,"odd":4 `, `{}`, []string{`/odd: found the number 4, which the schema excludes ("not")`}},
		{`"set":[1,1],"set":[1,2]`, `{"set":[1,2]}`, []string{`/set: expected items that differ, but items 0 and 1 are equal`}},
		{`"labels":{"long":"x","n":"1","m":"2"}`, `{"labels":{"m":"2"}}`, []string{
			`/labels: the property name "long" is not allowed: expected at most 3 characters, found 4`,
			`/labels/n: expected a number, found a string`,
		}},
	}
	for _, tt := range tests {
		got := follow(t, s, "{"+tt.text)
		got.Deltas, got.Err = nil, ""
		if diff := cmp.Diff(followed{Shown: tt.shown, Refused: tt.refused}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
}

// A whole that is refused becomes null once something of it has been shown.
func TestStream_refusesTheWhole(t *testing.T) {
	s := mustParse(t, ticketDoc)
	tests := []struct {
		schema *schema.Schema
		text   string
		want   followed
	}{
		{s, `{"count":1}`, followed{
			Deltas: []string{
				`[{"op":"add","path":"","value":{}}]`, `[{"op":"add","path":"/count","value":1},{"op":"add","path":"","value":null}]`,
			},
			Shown: `null`, Refused: []string{`/id: required, but missing; expected a string`},
		}},
		{s, `["a"]`, followed{Refused: []string{`expected an object, found an array`}}},
		{s, ` 1`, followed{Refused: []string{`expected an object, found the number 1`}}},
		{mustParse(t, `{"enum":["yes"]}`), `"ye"`, followed{
			Deltas: []string{`[{"op":"add","path":"","value":"y"}]`, `[{"op":"add","path":"","value":null}]`},
			Shown:  `null`, Refused: []string{`expected "yes", found the string "ye"; did you mean "yes"?`},
		}},
		{mustParse(t, `{"enum":["yes"]}`), `"no"`, followed{
			Deltas: []string{`[{"op":"add","path":"","value":null}]`},
			Shown:  `null`, Refused: []string{`expected "yes", found the string "n…"`},
		}},
		{mustParse(t, `{"minimum":130}`), `120`, followed{Refused: []string{`expected at least 130, found 120`}}},
		{mustParse(t, `{"maximum":130}`), `1e401`, followed{Refused: []string{`expected a number of ordinary size, found 1e401`}}},
		{mustParse(t, `false`), `{}`, followed{Refused: []string{`expected nothing here, found an object`}}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, follow(t, tt.schema, tt.text[:2], tt.text[2:])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
}

// What is not JSON ends the stream, and what was accepted before stays.
func TestStream_notJSON(t *testing.T) {
	tests := []struct{ text, shown, err string }{
		{`{"a":1 "b"`, `{"a":1}`, `expected JSON: at byte 7, expected "," or "}", found "\""`},
		{`{"a":1,}`, `{"a":1}`, `expected JSON: at byte 7, expected a name in quotes, found "}"`},
		{`{a`, `{}`, `expected JSON: at byte 1, expected a name in quotes or "}", found "a"`},
		{`{"a"}`, `{}`, `expected JSON: at byte 4, expected ":", found "}"`},
		{`{"a":}`, `{}`, `/a: expected JSON: at byte 5, expected a value, found "}"`},
		{`[1,]`, `[1]`, `/1: expected JSON: at byte 3, expected a value, found "]"`},
		{`[}`, `[]`, `expected JSON: at byte 1, expected an item or "]", found "}"`},
		{`[01]`, `[0]`, `expected JSON: at byte 2, expected "," or "]", found "1"`},
		{`[-x]`, `[]`, `/0: expected JSON: at byte 2, expected a digit, found "x"`},
		{`[1.]`, `[]`, `/0: expected JSON: at byte 3, expected a digit, found "]"`},
		{`[1..2]`, `[]`, `/0: expected JSON: at byte 3, expected a digit, found "."`},
		{`[1.2.3]`, `[1.2]`, `expected JSON: at byte 4, expected "," or "]", found "."`},
		{`[tru3]`, `[]`, `/0: expected JSON: at byte 4, expected true, found "3"`},
		{`["a\x"]`, `["a"]`, `/0: expected JSON: at byte 4, expected one of "\/bfnrtu behind a backslash, found "x"`},
		{`["a\u12x"]`, `["a"]`, `/0: expected JSON: at byte 7, expected four hexadecimal digits behind \u, found "x"`},
		{"[\"a\n\"]", `["a"]`, `/0: expected JSON: at byte 3, expected the rest of a string, found "\n", which is written \u000a`},
		{`1Ԫ`, `1`, `expected JSON: at byte 1, expected nothing behind the value, found the byte 0xd4`},
		{`{} {}`, `{}`, `expected JSON: at byte 3, expected nothing behind the value, found "{"`},
		{"`", ``, "expected JSON: at byte 0, expected a value, found \"`\""},
		{strings.Repeat("[", 600), strings.Repeat("[", 500) + strings.Repeat("]", 500), strings.Repeat("/0", 499) + ": expected at most 500 levels of nesting, found more"},
	}
	for _, tt := range tests {
		got := follow(t, nil, tt.text)
		got.Deltas = nil
		if diff := cmp.Diff(followed{Shown: tt.shown, Err: tt.err}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestStream_closed(t *testing.T) {
	st := (*schema.Schema)(nil).Stream()
	if got := st.JSON(); got != nil {
		t.Errorf("nothing yet shows %s", got)
	}
	if _, err := st.Write(`{}`); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Write(` `); err == nil || err.Error() != "expected nothing, for the stream is closed" {
		t.Errorf("a closed stream takes more: %v", err)
	}
	if got := string(st.JSON()); got != `{}` {
		t.Errorf("a closed stream shows %s", got)
	}
}

// What is around a part that was read again often enough is left to the check of the whole.
func TestStream_readsAgainOnlySoOften(t *testing.T) {
	s := mustParse(t, `{"items":{"$ref":"#"},"uniqueItems":true}`)
	for depth, want := range map[int][]string{
		1: {`expected items that differ, but items 0 and 1 are equal`},
		3: {`expected items that differ, but items 0 and 1 are equal`},
		4: nil,
		9: nil,
	} {
		item := strings.Repeat("[", depth) + "1" + strings.Repeat("]", depth)
		text := "[" + item + "," + item + "]"
		if diff := cmp.Diff(want, follow(t, s, text).Refused); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if s.Check([]byte(text)) == nil {
			t.Errorf("%s: the check of the whole takes it", text)
		}
	}
}

// A part that looks at what is around it is not checked alone.
func TestStream_dynamicReferences(t *testing.T) {
	s := mustParse(t, `{"$id":"tree","$dynamicAnchor":"node","type":"object","properties":{
		"name":{"type":"string","pattern":"^a"},"next":{"$dynamicRef":"#node"}},"required":["name"]}`)
	got := follow(t, s, `{"name":"b","next":{"x":1},"next":5`, `}`)
	want := followed{
		Deltas: []string{
			`[{"op":"add","path":"","value":{}},{"op":"add","path":"/name","value":"b"},{"op":"add","path":"/next","value":{}},` +
				`{"op":"add","path":"/next/x","value":1},{"op":"remove","path":"/next"}]`,
			`[{"op":"add","path":"/next","value":5}]`,
		},
		Shown: `{"name":"b","next":5}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Many names, and many of them twice.
func TestStream_manyMembers(t *testing.T) {
	var b strings.Builder
	want := map[string]int{}
	for i := range 300 {
		name := fmt.Sprint(i * i % 97)
		fmt.Fprintf(&b, ",%q:%d", name, i)
		want[name] = i
	}
	got := follow(t, mustParse(t, `{"additionalProperties":{"type":"integer"},"maxProperties":60}`), `{`, b.String()[1:], `}`)
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got.Refused != nil || canonical(t, []byte(got.Shown)) != string(text) {
		t.Errorf("got %v %s, want %s", got.Refused, got.Shown, text)
	}
}

// Objects with many members beside each other know nothing of each other's names.
func TestStream_manyMembersTwice(t *testing.T) {
	object := func(from int) string {
		var b strings.Builder
		for i := range 12 {
			fmt.Fprintf(&b, ",%q:%d", fmt.Sprint("m", from+i), i)
		}
		return "{" + b.String()[1:] + "}"
	}
	text := "[" + object(0) + "," + object(6) + "," + object(0) + "]"
	want := followed{Shown: text}
	got := follow(t, mustParse(t, `{"items":{"additionalProperties":{"type":"integer"}}}`), text)
	got.Deltas = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A part of which something was refused is not refused as a whole for what is missing from it now, nor is what it is in.
func TestStream_refusedPartsAreNotMissed(t *testing.T) {
	s := mustParse(t, `{
		"properties": {"o": {"minProperties": 2, "required": ["a"], "additionalProperties": {"type": "integer"}}},
		"not": {"properties": {"o": {"maxProperties": 1}}}
	}`)
	got := follow(t, s, `{"o":{"a":"x","b":2,"c":3,"b":"y","c":4,"c":5}}`)
	got.Deltas = nil
	want := followed{
		Shown:   `{"o":{"c":5}}`,
		Refused: []string{`/o/a: expected an integer, found a string`, `/o/b: expected an integer, found a string`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got = follow(t, s, `{"o":{"a":1,"b":2,"c":3,"b":"y","c":4,"c":"z","d":5}}`)
	got.Deltas, got.Refused = nil, nil
	if diff := cmp.Diff(followed{Shown: `{"o":{"a":1,"d":5}}`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCheckPartial(t *testing.T) {
	s := mustParse(t, ticketDoc)
	tests := []struct {
		value string
		want  []schema.Problem
	}{
		{`{}`, nil},
		{`{"id":"x","risk":"hi","code":"a","tags":[],"lines":[{}],"when":"2026-","payment":{"by":"ca"}}`, nil},
		{`{"risk":"hi!","code":"abcde","tags":["a","b","c","d"],"cuont":1,"lines":[{"sku":1,"n":1.5}]}`, []schema.Problem{
			{"/code", `expected at most 4 characters, found more`},
			{"/cuont", `unknown property; did you mean "count"?`},
			{"/lines/0/n", `expected an integer, found the number 1.5`},
			{"/lines/0/sku", `expected a string, found the number 1`},
			{"/risk", `expected "low", "high" or "higher", found the string "hi!…"`},
			{"/tags", `expected at most 3 items, found more`},
		}},
		{`[]`, []schema.Problem{{"", `expected an object, found an array`}}},
		{`{"id":`, []schema.Problem{{"/id", `expected JSON: at byte 6, expected a value, found the end of the text`}}},
		{`{}}`, []schema.Problem{{"", `expected JSON: at byte 2, expected nothing behind the value, found "}"`}}},
		{``, []schema.Problem{{"", `expected JSON: at byte 0, expected a value, found the end of the text`}}},
	}
	for _, tt := range tests {
		var got []schema.Problem
		if err := s.CheckPartial([]byte(tt.value)); err != nil {
			e, ok := errors.AsType[*schema.Error](err)
			if !ok {
				t.Fatalf("%s: %T", tt.value, err)
			}
			got = e.Problems
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.value, diff)
		}
	}
	if err := (*schema.Schema)(nil).CheckPartial([]byte(`[1,"x"]`)); err != nil {
		t.Errorf("no schema: %v", err)
	}
}
