package journal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/journal"
)

func TestDiff(t *testing.T) {
	for _, tc := range []struct{ name, old, new, want string }{
		{"equal", `{"a":1}`, ` { "a" : 1 } `, ``},
		{"order of members", `{"a":1,"b":[{"c":1,"d":2}]}`, `{"b":[{"d":2,"c":1}],"a":1}`, ``},
		{"escapes", `"A/é"`, `"\u0041\/\u00e9"`, ``},
		{"numbers by text", `1.0`, `1`, `[0,1]`},
		{"nothing before", ``, `{"a":1}`, `[0,{"a":1}]`},
		{"another type", `[1]`, `{"a":1}`, `[0,{"a":1}]`},
		{"words", `true`, `null`, `[0,null]`},
		{"a member", `{"a":1,"b":"unchanged text"}`, `{"a":2,"b":"unchanged text"}`, `[1,{"a":[0,2]}]`},
		{"a new member", `{"b":"unchanged text"}`, `{"b":"unchanged text","n\n":{"x":1}}`, `[1,{"n\n":[0,{"x":1}]}]`},
		{"a member gone", `{"a":1,"b":"unchanged","c":3}`, `{"b":"unchanged"}`, `[1,{},["a","c"]]`},
		{"changed, new and gone", `{"a":1,"b":"unchanged text","c":3}`, `{"b":"unchanged text","c":4,"d":5}`, `[1,{"c":[0,4],"d":[0,5]},["a"]]`},
		{"small objects are replaced", `{"a":1}`, `{"a":2}`, `[0,{"a":2}]`},
		{"deep", `{"long name":{"b":["some text",{"x":"unchanged","y":1}]},"z":0}`, `{"long name":{"b":["some text",{"x":"unchanged","y":2}]},"z":0}`, `[1,{"long name":[1,{"b":[3,{"1":[1,{"y":[0,2]}]},2,[]]}]}]`},
		{"append to a list", `[1,2,3,"and more"]`, `[1,2,3,"and more",4]`, `[2,4,[4]]`},
		{"shorten a short list", `[1,2,3,"and more"]`, `[1,2]`, `[2,2,[]]`},
		{"shorten a long list", `["one","two","three","four"]`, `["one","two"]`, `[2,2,[]]`},
		{"replace the end", `["one","two","three",3]`, `["one","two","three",4]`, `[2,3,[4]]`},
		{"edit an element", `[{"id":"one","done":false},{"id":"two","done":false},3]`, `[{"id":"one","done":true},{"id":"two","done":false},3]`, `[3,{"0":[1,{"done":[0,true]}]},3,[]]`},
		{"edit and append", `[{"id":"one","note":"a note"},"two"]`, `[{"id":"one","note":"a note, longer"},"two","three"]`, `[3,{"0":[1,{"note":[4,6,", longer"]}]},2,["three"]]`},
		{"grow a string", `"a long text, and"`, `"a long text, and more"`, `[4,16," more"]`},
		{"a string from a rune on", `"a long text é"`, `"a long text è"`, `[4,12,"è"]`},
		{"escaped tail", `"a long text"`, `"a long text\n\"\u0001"`, `[4,11,"\n\"\u0001"]`},
		{"short strings are replaced", `"ab"`, `"ac"`, `[0,"ac"]`},
		{"the last of equal names counts", `{"a":1,"a":2,"b":"unchanged"}`, `{"a":2,"b":"unchanged"}`, ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := journal.Diff([]byte(tc.old), []byte(tc.new))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDiffErrors(t *testing.T) {
	for _, tc := range []struct{ old, new, want string }{
		{`{"a":1}`, ``, `invalid JSON at byte 0: expected a value, found the end`},
		{`{"a":1}`, `{"a":}`, `invalid JSON at byte 5: expected a value, found '}'`},
		{`[1,]`, `1`, `invalid JSON at byte 3: expected a value, found ']'`},
		{`1`, `1 2`, `invalid JSON at byte 2: expected the end, found '2'`},
		{`1`, `{1:2}`, `invalid JSON at byte 1: expected a member's name, found '1'`},
		{`1`, `{"a"`, `invalid JSON at byte 4: expected ':', found the end`},
		{`1`, `["a`, `invalid JSON at byte 3: expected '"', found the end`},
		{`1`, `"\x"`, `invalid JSON at byte 2: expected an escape, found 'x'`},
		{`1`, `"\u12g4"`, `invalid JSON at byte 5: expected four hexadecimal digits, found 'g'`},
		{`1`, "\"\n\"", `invalid JSON at byte 1: expected a control character to be escaped, found '\n'`},
		{`1`, `nul`, `invalid JSON at byte 3: expected null, found the end`},
		{`1`, `1.`, `invalid JSON at byte 2: expected a digit, found the end`},
		{`1`, `[1 2]`, `invalid JSON at byte 3: expected ',' or ']', found '2'`},
		{`1`, strings.Repeat("[", 20_000), `invalid JSON at byte 10000: nested deeper than 10000`},
	} {
		_, err := journal.Diff([]byte(tc.old), []byte(tc.new))
		if _, ok := errors.AsType[*journal.JSONError](err); !ok || err.Error() != tc.want {
			t.Errorf("Diff(%.20s, %.20s): found %v, expected %s", tc.old, tc.new, err, tc.want)
		}
	}
}

// equal compares two JSON texts as the values they stand for, numbers by their text.
func equal(a, b []byte) bool {
	decode := func(text []byte) (v any) {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			return err
		}
		return v
	}
	return reflect.DeepEqual(decode(a), decode(b))
}

func parse(t interface{ Fatal(...any) }, text []byte) *journal.Document {
	d, err := journal.ParseDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// jsonValue draws values that often share parts: few names, few scalars.
func jsonValue(depth int) *rapid.Generator[any] {
	scalar := rapid.OneOf(
		rapid.Map(rapid.IntRange(-3, 3), func(i int) any { return i }),
		rapid.SampledFrom([]any{nil, true, false, json.Number("1.50"), "", "a text", "a text, longer", "é", "è", "a\"\n\\", "日本", "日本語"}),
		rapid.Map(rapid.String(), func(s string) any { return s }),
	)
	if depth == 0 {
		return scalar
	}
	return rapid.OneOf(
		scalar,
		rapid.Map(rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return jsonValue(depth - 1) }), 0, 6), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(
			rapid.SampledFrom([]string{"a", "b", "c/d", "~", "ü", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "\n"}),
			rapid.Deferred(func() *rapid.Generator[any] { return jsonValue(depth - 1) }), 0, 15,
		), func(m map[string]any) any { return m }),
	)
}

func drawJSON(t *rapid.T, label string) []byte {
	text, err := json.Marshal(jsonValue(3).Draw(t, label))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestJ7_ApplyingADiffGivesTheNewValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := parse(t, drawJSON(t, "first"))
		for range rapid.IntRange(1, 6).Draw(t, "versions") {
			next := drawJSON(t, "next")
			before := doc.JSON()
			delta, err := journal.Diff(before, next)
			if err != nil {
				t.Fatal(err)
			}
			if (len(delta) == 0) != equal(before, next) {
				t.Fatalf("the delta of %s and %s is %q", before, next, delta)
			}
			if len(delta) > len(next)+len("[0,]") {
				t.Fatalf("the delta %s is longer than the value %s", delta, next)
			}
			if err := doc.Apply(delta); err != nil {
				t.Fatalf("%s does not fit %s: %v", delta, before, err)
			}
			if got := doc.JSON(); !equal(got, next) {
				t.Fatalf("%s with %s is %s, expected %s", before, delta, got, next)
			}
		}
	})
}

func TestN9_ClonesAreIsolated(t *testing.T) {
	type version struct {
		doc  *journal.Document
		want []byte
	}
	rapid.Check(t, func(t *rapid.T) {
		versions := []version{{parse(t, []byte(`{"a":[1,2],"b":"text","c/d":{"x":[]}}`)), []byte(`{"a":[1,2],"b":"text","c/d":{"x":[]}}`)}}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			from := &versions[rapid.IntRange(0, len(versions)-1).Draw(t, "from")]
			next := change(t, from.want)
			delta, err := journal.Diff(from.want, next)
			if err != nil {
				t.Fatal(err)
			}
			doc := from.doc
			if rapid.Bool().Draw(t, "clone") {
				doc = doc.Clone()
				versions = append(versions, version{doc, next})
			} else {
				from.want = next
			}
			if err := doc.Apply(delta); err != nil {
				t.Fatal(err)
			}
			for i, v := range versions {
				if got := v.doc.JSON(); !equal(got, v.want) {
					t.Fatalf("version %d is %s, expected %s", i, got, v.want)
				}
			}
		}
	})
}

// change makes the kinds of changes that nodes make: it appends, edits and removes.
func change(t *rapid.T, text []byte) []byte {
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(1, 3).Draw(t, "changes") {
		name := rapid.SampledFrom([]string{"a", "b", "c/d", "e"}).Draw(t, "name")
		switch v := m[name].(type) {
		case []any:
			m[name] = append(v, rapid.IntRange(0, 9).Draw(t, "item"), map[string]any{"x": "some text"})
			if len(v) > 2 && rapid.Bool().Draw(t, "cut") {
				m[name] = v[:len(v)-1]
			}
		case string:
			m[name] = v + rapid.SampledFrom([]string{" more", "é", "日"}).Draw(t, "tail")
		case map[string]any:
			v[rapid.SampledFrom([]string{"x", "y"}).Draw(t, "member")] = rapid.IntRange(0, 9).Draw(t, "number")
			delete(v, rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "gone"))
		default:
			m[name] = []any{"first"}
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestDocumentKeepsTheOrderOfMembers(t *testing.T) {
	doc := parse(t, []byte(`{"z":1, "a":2, "m":{"b":1,"a":2}}`))
	for _, step := range []struct{ delta, want string }{
		{`[1,{"b":[0,3]}]`, `{"z":1,"a":2,"m":{"b":1,"a":2},"b":3}`},
		{`[1,{"m":[1,{"a":[0,5]}],"z":[0,0]},["a"]]`, `{"z":0,"m":{"b":1,"a":5},"b":3}`},
		{`[1,{"a":[0,"again"]}]`, `{"z":0,"m":{"b":1,"a":5},"b":3,"a":"again"}`},
	} {
		if err := doc.Apply([]byte(step.delta)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, string(doc.JSON())); diff != "" {
			t.Fatalf("after %s (-want +got):\n%s", step.delta, diff)
		}
	}
}

func TestTheZeroDocumentIsNull(t *testing.T) {
	var doc journal.Document
	if got := string(doc.JSON()); got != "null" {
		t.Errorf("found %s", got)
	}
	if err := doc.Apply([]byte(`[0,{"a":1}]`)); err != nil {
		t.Fatal(err)
	}
	if got := string(doc.JSON()); got != `{"a":1}` {
		t.Errorf("found %s", got)
	}
}

func TestJ6_ADeltaThatDoesNotFitIsATypedError(t *testing.T) {
	const doc = `{"a":[1,{"b~/":"text"}],"s":"né"}`
	for _, tc := range []struct{ delta, want string }{
		{`[0]`, `delta: expected a delta such as [0,value], found [0]`},
		{`[5,1]`, `delta: expected a delta such as [0,value], found [5,1]`},
		{`[0,1,2]`, `delta: expected a delta such as [0,value], found [0,1,2]`},
		{`{}`, `delta: expected a delta such as [0,value], found {}`},
		{`[2,0,[],1,2,3]`, `delta: expected a delta such as [0,value], found [2,0,[],1,2,3]`},
		{`[2,0,[]]`, `delta: the delta is for a list, found an object`},
		{`[4,0,""]`, `delta: the delta is for a string, found an object`},
		{`[1,[]]`, `delta: expected [1,{"name":delta},["name"]]`},
		{`[1,{},{}]`, `delta: expected [1,{"name":delta},["name"]]`},
		{`[1,{"new":[2,0,[]]}]`, `delta at /new: there is no such member to change`},
		{`[1,{"new":3}]`, `delta at /new: there is no such member to change`},
		{`[1,{},["new"]]`, `delta at /new: there is no such member to remove`},
		{`[1,{},["a","a"]]`, `delta at /a: there is no such member to remove`},
		{`[1,{},[1]]`, `delta: expected the name of a member that is gone, found 1`},
		{`[1,{"a":[2,3,[]]}]`, `delta at /a: the delta keeps 3 of 2 elements`},
		{`[1,{"a":[2,-1,[]]}]`, `delta at /a: the delta keeps -1 of 2 elements`},
		{`[1,{"a":[2,1.0,[]]}]`, `delta at /a: the delta keeps 1.0 of 2 elements`},
		{`[1,{"a":[2,1,3]}]`, `delta at /a: expected [2,keep,[value]] or [3,{"index":delta},keep,[value]]`},
		{`[1,{"a":[3,{"1":[0,1]},1,[]]}]`, `delta at /a/1: expected an index below 1`},
		{`[1,{"a":[3,{"01":[0,1]},2,[]]}]`, `delta at /a/01: expected an index below 2`},
		{`[1,{"a":[3,{"1":[1,{"b~/":[2,0,[]]}]},2,[]]}]`, `delta at /a/1/b~0~1: the delta is for a list, found a string`},
		{`[1,{"a":[3,{"0":[1,{}]},2,[]]}]`, `delta at /a/0: the delta is for an object, found a number`},
		{`[1,{"s":[4,2,"x"]}]`, `delta at /s: byte 2 is in the middle of a rune`},
		{`[1,{"s":[4,4,"x"]}]`, `delta at /s: the delta keeps 4 of 3 bytes`},
		{`[1,{"s":[4,3,1]}]`, `delta at /s: expected [4,keep,"tail"]`},
	} {
		d := parse(t, []byte(doc))
		clone := d.Clone()
		err := d.Apply([]byte(tc.delta))
		if _, ok := errors.AsType[*journal.DeltaError](err); !ok || !errors.Is(err, journal.ErrCorrupt) || err.Error() != tc.want {
			t.Errorf("%s: found %v, expected %s", tc.delta, err, tc.want)
		}
		if got := string(clone.JSON()); got != doc {
			t.Errorf("%s: the clone became %s", tc.delta, got)
		}
	}
	var d journal.Document
	if _, ok := errors.AsType[*journal.JSONError](d.Apply([]byte(`[0,`))); !ok {
		t.Error("a delta that is no JSON: expected a *JSONError")
	}
}

func TestJ7_AppendingCostsWhatIsAppended(t *testing.T) {
	const n = 10_000
	messages, texts := parse(t, []byte(`{"messages":[]}`)), parse(t, []byte(`""`))
	allocated := testing.AllocsPerRun(1, func() {
		messages, texts = parse(t, []byte(`{"messages":[]}`)), parse(t, []byte(`""`))
		for i := range n {
			messages = messages.Clone()
			if err := messages.Apply(fmt.Appendf(nil, `[1,{"messages":[2,%d,[{"text":"hello"}]]}]`, i)); err != nil {
				t.Fatal(err)
			}
			texts = texts.Clone()
			if err := texts.Apply(fmt.Appendf(nil, `[4,%d,"x"]`, i)); err != nil {
				t.Fatal(err)
			}
		}
	})
	if per := allocated / n; per > 60 {
		t.Errorf("%.0f allocations for each append", per)
	}
	if got, want := len(messages.JSON()), len(`{"messages":[]}`)+n*len(`{"text":"hello"},`)-1; got != want {
		t.Errorf("%d bytes of messages, expected %d", got, want)
	}
	if got := len(texts.JSON()); got != n+2 {
		t.Errorf("%d bytes of text, expected %d", got, n+2)
	}
}

func FuzzDiff(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,"x"]}`), []byte(`{"a":[1,2,"xy",3],"b":null}`))
	f.Add([]byte(`"a\ud800"`), []byte(`"a\ufffd\n"`))
	f.Add([]byte(`[{"a":1},2]`), []byte(`[{"a":2}]`))
	f.Fuzz(func(t *testing.T, old, new []byte) {
		delta, err := journal.Diff(old, new)
		valid := json.Valid(new) && (len(old) == 0 || json.Valid(old))
		if (err == nil) != valid {
			t.Fatalf("Diff(%q, %q): %v", old, new, err)
		}
		if err != nil {
			return
		}
		if len(old) == 0 {
			old = []byte("null")
		}
		doc := parse(t, old)
		if err := doc.Apply(delta); err != nil {
			t.Fatalf("%s does not fit %s: %v", delta, old, err)
		}
		if got := doc.JSON(); !equal(got, new) {
			t.Fatalf("%s with %s is %s, expected %s", old, delta, got, new)
		}
	})
}

func FuzzDocumentApply(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"text"}]}`), []byte(`[1,{"a":[3,{"1":[1,{"b":[4,2,"x"]}]},2,[3]]},["a"]]`))
	f.Add([]byte(`"é"`), []byte(`[4,1,"x"]`))
	f.Add([]byte(`[]`), []byte(`[2,0,[1]]`))
	f.Fuzz(func(t *testing.T, text, delta []byte) {
		doc, err := journal.ParseDocument(text)
		if (err == nil) != json.Valid(text) {
			t.Fatalf("ParseDocument(%q): %v", text, err)
		}
		if err != nil {
			return
		}
		clone := doc.Clone()
		err = doc.Apply(delta)
		if got := doc.JSON(); !json.Valid(got) {
			t.Fatalf("%s with %s (%v) is %s", text, delta, err, got)
		}
		if got := clone.JSON(); !equal(got, text) {
			t.Fatalf("the clone of %s became %s", text, got)
		}
	})
}

func BenchmarkDiff(b *testing.B) {
	b.ReportAllocs()
	old := []byte(`{"id":"t-1","text":"` + strings.Repeat("a long text ", 80) + `","messages":[` + strings.Repeat(`{"role":"user","text":"hello"},`, 20) + `1]}`)
	now := bytes.Replace(old, []byte(",1]}"), []byte(`,1,{"role":"user","text":"bye"}]}`), 1)
	b.SetBytes(int64(len(now)))
	for b.Loop() {
		if _, err := journal.Diff(old, now); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkApplyAppend(b *testing.B) {
	b.ReportAllocs()
	doc, n := parse(b, []byte(`{"messages":[]}`)), 0
	for b.Loop() {
		if n++; n > 10_000 {
			doc, n = parse(b, []byte(`{"messages":[]}`)), 1
		}
		if err := doc.Apply(fmt.Appendf(nil, `[1,{"messages":[2,%d,[{"text":"hello"}]]}]`, n-1)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkApplyAppendKept is BenchmarkApplyAppend where every version is cloned first.
func BenchmarkApplyAppendKept(b *testing.B) {
	b.ReportAllocs()
	doc, n := parse(b, []byte(`{"messages":[]}`)), 0
	for b.Loop() {
		if n++; n > 10_000 {
			doc, n = parse(b, []byte(`{"messages":[]}`)), 1
		}
		doc = doc.Clone()
		if err := doc.Apply(fmt.Appendf(nil, `[1,{"messages":[2,%d,[{"text":"hello"}]]}]`, n-1)); err != nil {
			b.Fatal(err)
		}
	}
}
