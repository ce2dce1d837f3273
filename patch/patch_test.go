package patch_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/patch"
)

func mustPatch(t testing.TB, text string) patch.Patch {
	t.Helper()
	var p patch.Patch
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

// The operations as RFC 6902 and its appendix describe them, and append.
func TestApply(t *testing.T) {
	tests := []struct{ doc, patch, want string }{
		{`{"a":1}`, `[]`, `{"a":1}`},
		{`{"a":"b"}`, `[{"op":"add","path":"/c","value":"d"}]`, `{"a":"b","c":"d"}`},
		{`{"a":1,"b":2}`, `[{"op":"add","path":"/a","value":3}]`, `{"a":3,"b":2}`},
		{`{"a":[1,3]}`, `[{"op":"add","path":"/a/1","value":2}]`, `{"a":[1,2,3]}`},
		{`{"a":[1]}`, `[{"op":"add","path":"/a/1","value":2}]`, `{"a":[1,2]}`},
		{`{"a":[1]}`, `[{"op":"add","path":"/a/-","value":[2,3]}]`, `{"a":[1,[2,3]]}`},
		{`{"a":1,"b":2,"c":3}`, `[{"op":"remove","path":"/b"}]`, `{"a":1,"c":3}`},
		{`[1,2,3]`, `[{"op":"remove","path":"/1"}]`, `[1,3]`},
		{`{"a":1}`, `[{"op":"replace","path":"/a","value":{"b":[]}}]`, `{"a":{"b":[]}}`},
		{`{"a":1}`, `[{"op":"replace","path":"","value":[1]}]`, `[1]`},
		{`{"a":1}`, `[{"op":"add","path":"","value":null}]`, `null`},
		{`{"a":{"x":1,"y":2},"b":{}}`, `[{"op":"move","from":"/a/x","path":"/b/z"}]`, `{"a":{"y":2},"b":{"z":1}}`},
		{`[1,2,3,4]`, `[{"op":"move","from":"/1","path":"/3"}]`, `[1,3,4,2]`},
		{`{"a":1}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1}`},
		{`{"a":{"b":1}}`, `[{"op":"move","from":"/a/b","path":"/a"}]`, `{"a":1}`},
		{`{"a":{"b":1}}`, `[{"op":"copy","from":"/a","path":"/c"},{"op":"add","path":"/c/d","value":2}]`, `{"a":{"b":1},"c":{"b":1,"d":2}}`},
		{`{"a":1}`, `[{"op":"copy","from":"","path":"/b"}]`, `{"a":1,"b":{"a":1}}`},
		{`{"a":{"b":[1,"x",null]}}`, `[{"op":"test","path":"/a","value":{"b":[1.0,"x",null]}}]`, `{"a":{"b":[1,"x",null]}}`},
		{`{"n":1200}`, `[{"op":"test","path":"/n","value":1.2e+3}]`, `{"n":1200}`},
		{`{"n":0.001}`, `[{"op":"test","path":"/n","value":10E-4}]`, `{"n":0.001}`},
		{`{"n":-0}`, `[{"op":"test","path":"/n","value":0e9}]`, `{"n":-0}`},
		{`{"/":1,"~1":2,"":3}`, `[{"op":"remove","path":"/~1"},{"op":"test","path":"/~01","value":2},{"op":"remove","path":"/"}]`, `{"~1":2}`},
		{`{"t":"once"}`, `[{"op":"append","path":"/t","value":" upon"},{"op":"append","path":"/t","value":" \"a\"\n"}]`, `{"t":"once upon \"a\"\n"}`},
		{`"a"`, `[{"op":"append","path":"","value":"\ud83d\ude00"}]`, `"a😀"`},
		{` { "b" : 1.50 , "a" : [ 1E2 , true ] } `, `[]`, `{"b":1.50,"a":[1E2,true]}`},
		{`{"a":1,"b":2,"a":3}`, `[]`, `{"a":3,"b":2}`}, // the later counts
		{`"\ud83d\u0001\\"`, `[]`, "\"\uFFFD\\u0001\\\\\""},
	}
	for _, tt := range tests {
		got, err := mustPatch(t, tt.patch).Apply([]byte(tt.doc))
		if err != nil {
			t.Errorf("%s to %s: %v", tt.patch, tt.doc, err)
			continue
		}
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%s to %s (-want +got):\n%s", tt.patch, tt.doc, diff)
		}
	}
}

func TestApply_refused(t *testing.T) {
	tests := []struct{ doc, patch, want string }{
		{`{}`, `[{"op":"remove","path":"/a"}]`, `operation 0, remove "/a": expected a member "a" in the object at "", found none`},
		{`{"a":{}}`, `[{"op":"add","path":"/b","value":1},{"op":"replace","path":"/a/b","value":1}]`, `operation 1, replace "/a/b": expected a member "b" in the object at "/a", found none`},
		{`{"a":[1,2]}`, `[{"op":"remove","path":"/a/2"}]`, `operation 0, remove "/a/2": expected an index from 0 to 1 of the array at "/a", found "2"`},
		{`{"a":[1,2]}`, `[{"op":"add","path":"/a/3","value":1}]`, `operation 0, add "/a/3": expected an index from 0 to 2 of the array at "/a", found "3"`},
		{`[1,2]`, `[{"op":"remove","path":"/-"}]`, `operation 0, remove "/-": expected an index from 0 to 1 of the array at "", found "-"`},
		{`[1,2]`, `[{"op":"remove","path":"/-1"}]`, `operation 0, remove "/-1": expected an index from 0 to 1 of the array at "", found "-1"`},
		{`[1,2]`, `[{"op":"remove","path":"/01"}]`, `operation 0, remove "/01": expected an index from 0 to 1 of the array at "", found "01"`},
		{`[]`, `[{"op":"replace","path":"/0","value":1}]`, `operation 0, replace "/0": expected an item in the array at "", found that it is empty`},
		{`{"a":5}`, `[{"op":"add","path":"/a/b","value":1}]`, `operation 0, add "/a/b": expected an object or an array at "/a", found the number 5`},
		{`{"a":5}`, `[{"op":"append","path":"/a","value":"x"}]`, `operation 0, append "/a": expected a string to append to, found the number 5`},
		{`{"a":"x"}`, `[{"op":"append","path":"/a","value":5}]`, `operation 0, append "/a": expected text to append, found the number 5`},
		{`{"a":"x"}`, `[{"op":"append","path":"/a"}]`, `operation 0, append "/a": expected a value, found none`},
		{`{"a":"x"}`, `[{"op":"test","path":"/a","value":"y"}]`, `operation 0, test "/a": expected "y", found "x"`},
		{`{"a":1e999999999}`, `[{"op":"test","path":"/a","value":1e999999998}]`, `operation 0, test "/a": expected 1e999999998, found 1e999999999`},
		{`{"a":{"b":1}}`, `[{"op":"move","from":"/a","path":"/a/b/c"}]`, `operation 0, move "/a/b/c": expected a place outside of the moved value, found one inside of "/a"`},
		{`{}`, `[{"op":"copy","from":"/a","path":"/b"}]`, `operation 0, copy "/b": from "/a": expected a member "a" in the object at "", found none`},
		{`{}`, `[{"op":"remove","path":""}]`, `operation 0, remove "": expected a place in the document, found the whole, which can only be replaced`},
		{`{}`, `[{"op":"add","path":"a","value":1}]`, `operation 0, add "a": expected a path that is "" or begins with "/", found "a"`},
		{`{}`, `[{"op":"add","path":"/~2","value":1}]`, `operation 0, add "/~2": expected ~0 for "~" and ~1 for "/" in a path, found "~2"`},
		{`{}`, `[{"op":"put","path":"/a","value":1}]`, `operation 0, put "/a": expected the operation add, remove, replace, move, copy, test or append, found "put"`},
	}
	for _, tt := range tests {
		_, err := mustPatch(t, tt.patch).Apply([]byte(tt.doc))
		if _, ok := errors.AsType[*patch.Error](err); !ok {
			t.Errorf("%s to %s: got %v, want a *patch.Error", tt.patch, tt.doc, err)
			continue
		}
		if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
			t.Errorf("%s to %s (-want +got):\n%s", tt.patch, tt.doc, diff)
		}
	}
}

func TestApply_notJSON(t *testing.T) {
	for doc, want := range map[string]string{
		``:      `expected JSON, found nothing`,
		`{"a"}`: `expected JSON: at byte 5: invalid character '}' after object key`,
	} {
		if _, err := patch.Patch(nil).Apply([]byte(doc)); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %q", doc, err, want)
		}
	}
	p := patch.Patch{{Op: patch.Add, Path: "", Value: json.RawMessage(`{`)}}
	want := `operation 0, add "": the value: expected JSON: at byte 1: unexpected end of JSON input`
	if _, err := p.Apply(nil); err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

// Nothing there is not null: it can only be added.
func TestApply_toNothing(t *testing.T) {
	got, err := mustPatch(t, `[{"op":"add","path":"","value":{}},{"op":"add","path":"/a","value":""}]`).Apply(nil)
	if err != nil || string(got) != `{"a":""}` {
		t.Errorf("got %s, %v", got, err)
	}
	want := `operation 0, replace "": expected a document, found none yet`
	if _, err = mustPatch(t, `[{"op":"replace","path":"","value":{}}]`).Apply(nil); err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	if got := patch.New().JSON(); got != nil {
		t.Errorf("an empty document is %s", got)
	}
}

// A short patch cannot make a document without end.
func TestApply_bounds(t *testing.T) {
	var p patch.Patch
	for range 40 {
		p = append(p, patch.Op{Op: patch.Copy, From: "", Path: "/a"}, patch.Op{Op: patch.Copy, From: "", Path: "/b"})
	}
	_, err := p.Apply([]byte(`{}`))
	if err == nil || !strings.Contains(err.Error(), "expected a patch that copies at most 67108864 bytes, found more") {
		t.Errorf("got %v", err)
	}
	deep := []byte(strings.Repeat("[", 9999) + strings.Repeat("]", 9999))
	_, err = patch.Patch{{Op: patch.Move, From: "/a", Path: "/b/c/a"}}.Apply([]byte(`{"a":` + string(deep) + `,"b":{"c":{}}}`))
	want := `operation 0, move "/b/c/a": expected at most 10000 levels of nesting, found more`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestOp_json(t *testing.T) {
	op := patch.Op{Value: json.RawMessage(`"x"`), From: "/b", Path: "/a", Op: "add"}
	got, err := json.Marshal(patch.Patch{op, {Op: "remove", Path: ""}})
	want := `[{"op":"add","path":"/a","from":"/b","value":"x"},{"op":"remove","path":""}]`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestDiff(t *testing.T) {
	long := strings.Repeat("long ", 40)
	tests := []struct{ before, after, want string }{
		{`{"a":1}`, `{"a":1}`, `null`},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, `null`},
		{`{"text":"once","n":1}`, `{"text":"once upon","n":1}`, `[{"op":"append","path":"/text","value":" upon"}]`},
		{`{"text":"once","n":1}`, `{"text":"on","n":1}`, `[{"op":"replace","path":"/text","value":"on"}]`},
		{`{"a":1,"long":"` + long + `"}`, `{"b":{"c":[]},"long":"` + long + `x"}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"/b","value":{"c":[]}},` +
			`{"op":"append","path":"/long","value":"x"}]`},
		{`[{"a":"x"}]`, `[{"a":"x"},{"a":"y"},3]`, `[{"op":"add","path":"/-","value":{"a":"y"}},{"op":"add","path":"/-","value":3}]`},
		{`["` + long + `","0","1"]`, `["` + long + `","0","1x","y"]`, `[{"op":"append","path":"/2","value":"x"},{"op":"add","path":"/-","value":"y"}]`},
		{`[1,2,3,4,5,6]`, `[6,5,4,3,2,1]`, `[{"op":"replace","path":"","value":[6,5,4,3,2,1]}]`}, // shorter than six operations
		{`["one","two","three","four"]`, `["one","four"]`, `[{"op":"remove","path":"/2"},{"op":"remove","path":"/1"}]`},
		{`["one","two","three"]`, `["one","three"]`, `[{"op":"remove","path":"/1"}]`},
		{`["one","three"]`, `["one","two","three"]`, `[{"op":"add","path":"/1","value":"two"}]`},
		{`{"n":1}`, `{"n":1.0}`, `[{"op":"replace","path":"/n","value":1.0}]`},
		{`{"n":1}`, `{"n":12345678901234567890123}`, `[{"op":"replace","path":"/n","value":12345678901234567890123}]`},
		{`{"n":null}`, `{"n":false}`, `[{"op":"replace","path":"/n","value":false}]`},
		{`{"a/b":{"~":1}}`, `{"a/b":{"~":2}}`, `[{"op":"replace","path":"/a~1b/~0","value":2}]`},
		{`{}`, `[]`, `[{"op":"replace","path":"","value":[]}]`},
		{``, `{"a":1}`, `[{"op":"add","path":"","value":{"a":1}}]`},
	}
	for _, tt := range tests {
		before := []byte(tt.before)
		if tt.before == "" {
			before = nil
		}
		p, err := patch.Diff(before, []byte(tt.after))
		if err != nil {
			t.Errorf("%s to %s: %v", tt.before, tt.after, err)
			continue
		}
		got, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%s to %s (-want +got):\n%s", tt.before, tt.after, diff)
		}
	}
}

func TestDiff_notJSON(t *testing.T) {
	if _, err := patch.Diff([]byte(`{`), []byte(`1`)); err == nil || !strings.HasPrefix(err.Error(), "before: expected JSON") {
		t.Errorf("got %v", err)
	}
	if _, err := patch.Diff(nil, []byte(``)); err == nil || err.Error() != "after: expected JSON, found nothing" {
		t.Errorf("got %v", err)
	}
}

func TestPure(t *testing.T) {
	p := mustPatch(t, `[{"op":"add","path":"/b","value":"x"},{"op":"append","path":"/a","value":"2"},{"op":"append","path":"/a","value":"3"},{"op":"append","path":"/b","value":"\n"}]`)
	pure, err := p.Pure([]byte(`{"a":"1"}`))
	want := mustPatch(t, `[{"op":"add","path":"/b","value":"x"},{"op":"replace","path":"/a","value":"123"},{"op":"replace","path":"/b","value":"x\n"}]`)
	if diff := cmp.Diff(want, pure); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := p.Pure([]byte(`{"a":1}`)); err == nil {
		t.Error("a patch that does not fit has a pure form")
	}
}

// A patch that fails in the middle leaves nothing behind, whatever it had done.
func TestDocument_allOrNothing(t *testing.T) {
	doc := `{"a":{"b":[1,2,3],"c":"text"},"d":1,"e":2}`
	for _, p := range []string{
		`{"op":"add","path":"/a/b/1","value":9}`, `{"op":"add","path":"/d","value":9}`, `{"op":"add","path":"/x","value":9}`,
		`{"op":"remove","path":"/d"}`, `{"op":"remove","path":"/a/b/0"}`, `{"op":"replace","path":"/a","value":9}`,
		`{"op":"replace","path":"","value":9}`, `{"op":"add","path":"","value":9}`, `{"op":"append","path":"/a/c","value":"!"}`,
		`{"op":"move","from":"/a/b/0","path":"/d"}`, `{"op":"copy","from":"/a","path":"/a/b/-"}`,
		`{"op":"remove","path":"/d"},{"op":"add","path":"/d","value":5},{"op":"remove","path":"/e"},{"op":"remove","path":"/a"}`,
	} {
		d, err := patch.Parse([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Apply(mustPatch(t, "["+p+`,{"op":"remove","path":"/nowhere"}]`)); err == nil {
			t.Errorf("%s: no error", p)
		}
		if diff := cmp.Diff(doc, string(d.JSON())); diff != "" {
			t.Errorf("%s is not taken back (-want +got):\n%s", p, diff)
		}
		if err := d.Apply(mustPatch(t, "["+p+"]")); err != nil {
			t.Errorf("%s does not apply afterwards: %v", p, err)
		}
	}
}
