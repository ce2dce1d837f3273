package form_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/cmd/fermata/internal/form"
	"github.com/fermata-go/fermata/schema"
)

// asked answers a schema line by line, and checks the answer against all of it.
func asked(t *testing.T, doc string, lines ...string) (answer, shown string) {
	t.Helper()
	f, err := form.New([]byte(doc), nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := schema.Parse([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	in := strings.NewReader(strings.Join(lines, "\n") + "\n")
	got, err := form.Ask(t.Context(), form.NewLines(in, &out), f, func(v json.RawMessage) error { return whole.Check(v) })
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if in.Len() > 0 {
		t.Errorf("%d bytes were not read\n%s", in.Len(), out.String())
	}
	return string(got), out.String()
}

// Whatever a schema says can be answered without writing JSON.
func TestEverySchemaIsAForm(t *testing.T) {
	for _, tc := range []struct {
		name, schema string
		lines        []string
		want         string
	}{
		{
			"objects in objects", `{"type":"object","required":["a"],"properties":{"a":{"type":"object","required":["b"],"properties":{
				"b":{"type":"object","required":["c"],"properties":{"c":{"type":"integer"},"d":{"type":"string"}}}}}}}`,
			[]string{"1", ""},
			`{"a":{"b":{"c":1}}}`,
		},
		{
			"a list of objects", `{"type":"object","required":["lines"],"properties":{"lines":{"type":"array","minItems":1,"maxItems":2,"items":{
				"type":"object","required":["sku","n"],"properties":{"sku":{"type":"string"},"n":{"type":"integer","minimum":1}}}}}}`,
			// add, a wrong number, the next, change the first, remove the second, done
			[]string{"add", "x", "0", "1", "add", "y", "2", "change 1: x, 1", "", "5", "remove 2: y, 2", "done"},
			`{"lines":[{"sku":"x","n":5}]}`,
		},
		{"a list of numbers", `{"type":"array","items":{"type":"number"}}`, []string{"1, 2.5"}, `[1,2.5]`},
		{"a list of lists", `{"type":"array","items":{"type":"array","items":{"type":"boolean"}}}`, []string{"add", "add", "yes", "done", "done"}, `[[true]]`},
		{"too few choices", `{"type":"array","minItems":2,"items":{"enum":["a","b"]}}`, []string{"a", "a b"}, `["a","b"]`},
		{
			"one of several, told apart by a member", `{"oneOf":[
				{"type":"object","required":["kind","iban"],"properties":{"kind":{"const":"bank"},"iban":{"type":"string","pattern":"^[A-Z]{2}"}}},
				{"type":"object","required":["kind"],"properties":{"kind":{"const":"cash"}}}]}`,
			[]string{"bank", "12", "DE12"},
			`{"kind":"bank","iban":"DE12"}`,
		},
		{
			"with what they have in common", `{"type":"object","required":["who"],"properties":{"who":{"type":"string"}},"anyOf":[
				{"title":"by mail","required":["mail"],"properties":{"mail":{"type":"string"}}},
				{"title":"by phone","required":["phone"],"properties":{"phone":{"type":"integer"}}}]}`,
			[]string{"by phone", "Ada", "7"},
			`{"who":"Ada","phone":7}`,
		},
		{"several types", `{"type":["string","integer"]}`, []string{"a whole number", "7"}, `7`},
		{"null or something", `{"type":"object","required":["n"],"properties":{"n":{"anyOf":[{"type":"null"},{"type":"integer","maximum":9}]}}}`, []string{"10", "9"}, `{"n":9}`},
		{"null", `{"type":"object","required":["n"],"properties":{"n":{"oneOf":[{"type":"integer"},{"type":"null"}]}}}`, []string{""}, `{"n":null}`},
		{
			"null or an object", `{"type":"object","required":["o"],"properties":{"o":{"type":["object","null"],"required":["x"],"properties":{"x":{"type":"integer"}}}}}`,
			[]string{"", ""},
			`{"o":null}`,
		},
		{
			"all of", `{"allOf":[{"$ref":"#/$defs/a"},{"type":"object","required":["y"],"properties":{"y":{"type":"integer"}}}],
				"$defs":{"a":{"type":"object","required":["x"],"properties":{"x":{"type":"integer"}}}}}`,
			[]string{"1", "2"},
			`{"x":1,"y":2}`,
		},
		{
			"members of any name", `{"type":"object","additionalProperties":{"type":"integer"},"minProperties":1}`,
			[]string{"add", "a b", "3", "done"},
			`{"a b":3}`,
		},
		{
			"a tree", `{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","required":["v","sub"],"properties":{
				"v":{"type":"integer"},"sub":{"type":"array","items":{"$ref":"#/$defs/t"}}}}}}`,
			[]string{"1", "add", "2", "add", "3", "done", "done", "done"},
			`{"v":1,"sub":[{"v":2,"sub":[{"v":3,"sub":[]}]}]}`,
		},
		{
			"a chain", `{"type":"object","required":["v"],"properties":{"v":{"type":"integer"},"next":{"$ref":"#"}}}`,
			[]string{"1", "fill in", "2", ""},
			`{"v":1,"next":{"v":2}}`,
		},
		{"bounds and lengths", `{"type":"object","required":["n","s"],"properties":{"n":{"type":"number","exclusiveMaximum":3},"s":{"type":"string","minLength":2}}}`, []string{"3", "2", "a", "ab"}, `{"n":2,"s":"ab"}`},
		{
			"a list as it was", `{"type":"object","required":["l"],"properties":{"l":{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer"}}},"default":[{"a":1},{"a":2}]}}}`,
			[]string{"change 2: 2", "3", ""},
			`{"l":[{"a":1},{"a":3}]}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, shown := asked(t, tc.schema, tc.lines...)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, shown)
			}
			if strings.Contains(shown, "JSON") {
				t.Errorf("it was asked for JSON:\n%s", shown)
			}
		})
	}
}

// What a form cannot hold of a value that is to be edited is not lost: then it is edited as JSON.
func TestNothingIsLost(t *testing.T) {
	for _, tc := range []struct{ schema, fields string }{
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"object","properties":{"c":{"type":"integer"}}}},"default":{"a":"","b":{"c":1}}}`, "a b.c"},
		{`{"type":"object","properties":{"a":{"type":"integer"}},"default":{"a":1,"x":2}}`, ""},
		{`{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"integer"}},"default":{"x":1}},"a":{"type":"integer"}}}`, "b a"},
		{`{"type":"array","items":{"type":"string"},"default":["two\nlines"]}`, ""},
		{`{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer"}}},"default":[{"a":1,"x":2}]}`, ""},
		{`{"type":"array","items":{"enum":["a","b"]},"default":["a","a"]}`, ""},
		{`{"type":"string","default":"two\nlines"}`, ""},
		{`{"anyOf":[{"type":"string"},{"type":"integer"}],"default":3}`, ""},
	} {
		f, err := form.New([]byte(tc.schema), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i := range f.Fields {
			names = append(names, f.Fields[i].Name())
		}
		if got := strings.Join(names, " "); got != tc.fields {
			t.Errorf("%s has the fields %q, expected %q", tc.schema, got, tc.fields)
		}
		var doc struct{ Default any }
		if err := json.Unmarshal([]byte(tc.schema), &doc); err != nil {
			t.Fatal(err)
		}
		got, err := f.Answer(f.Starts())
		var value any
		if err == nil {
			err = json.Unmarshal(got, &value)
		}
		if doc.Default == nil {
			doc.Default = map[string]any{"b": map[string]any{"x": 1.0}}
		}
		if diff := cmp.Diff(doc.Default, value); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%s%v", tc.schema, diff, err)
		}
	}
}

// What is wrong with a field is said at the field, in the schema's words.
func TestWhatIsWrongIsSaidAtTheField(t *testing.T) {
	_, shown := asked(t, `{"type":"object","required":["lines"],"properties":{"lines":{"type":"array","minItems":1,"items":{
		"type":"object","required":["sku"],"properties":{"sku":{"type":"string","minLength":2}}}}}}`, "add", "x", "xy", "done")
	want := `  lines: 0
    1  add
  1-1 [add] >   lines 1: sku
  >   ! expected at least 2 characters, found 1
  >   lines: 1
    1  done
    2  add
    3  change 1: xy
    4  remove 1: xy
  1-4 [done] > `
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
