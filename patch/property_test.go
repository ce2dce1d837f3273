package patch_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/patch"
)

// canonical is a JSON text with its members in order, and its numbers as they were.
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

// names and texts are few, so that documents have much in common.
var (
	names = rapid.SampledFrom([]string{"a", "b", "c", "a/b", "~", "", "é"})
	texts = rapid.SampledFrom([]string{"", "once", "once upon", "once upon a time", "\"\n\u2028<", "😀"})
)

func values(depth int) *rapid.Generator[any] {
	scalars := rapid.OneOf(
		rapid.Map(texts, func(s string) any { return s }),
		rapid.SampledFrom([]any{nil, true, false, json.Number("1"), json.Number("1.0"), json.Number("123456789012345678901"), json.Number("1e400")}),
	)
	if depth == 0 {
		return scalars
	}
	inner := values(depth - 1)
	return rapid.OneOf(scalars,
		rapid.Map(rapid.SliceOfN(inner, 0, 5), func(v []any) any { return v }),
		rapid.Map(rapid.MapOfN(names, inner, 0, 5), func(v map[string]any) any { return v }))
}

func document(t *rapid.T, name string) []byte {
	return encoded(t, values(3).Draw(t, name))
}

func encoded(t *rapid.T, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// edited is a document that differs from another in a few places.
func edited(t *rapid.T, doc []byte) []byte {
	d, err := patch.Parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range operations(t, 4) {
		_ = d.Apply(patch.Patch{op}) // those that do not fit change nothing
	}
	return d.JSON()
}

func operations(t *rapid.T, most int) patch.Patch {
	paths := rapid.Custom(func(t *rapid.T) string {
		tokens := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "a~1b", "~0", "", "0", "1", "-"}), 0, 3).Draw(t, "tokens")
		return strings.Join(append([]string{""}, tokens...), "/")
	})
	p := make(patch.Patch, rapid.IntRange(0, most).Draw(t, "operations"))
	for i := range p {
		p[i] = patch.Op{
			Op:   rapid.SampledFrom([]string{"add", "remove", "replace", "move", "copy", "test", "append", "append"}).Draw(t, "op"),
			Path: paths.Draw(t, "path"),
		}
		switch p[i].Op {
		case "move", "copy":
			p[i].From = paths.Draw(t, "from")
		case "append":
			p[i].Value = encoded(t, texts.Draw(t, "text"))
		case "remove":
		default:
			p[i].Value = encoded(t, values(1).Draw(t, "value"))
		}
	}
	return p
}

func TestDiff_makesAfterOfBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := document(t, "before")
		after := edited(t, before)
		if rapid.Bool().Draw(t, "quite another") {
			after = document(t, "after")
		}
		p, err := patch.Diff(before, after)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Apply(before)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(canonical(t, after), canonical(t, got)); diff != "" {
			t.Fatalf("%v (-want +got):\n%s", p, diff)
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if len(p) > 0 && len(text) > 2*(len(after)+len(`[{"op":"replace","path":"","value":}]`)) {
			t.Fatalf("a patch of %d bytes for a document of %d", len(text), len(after))
		}
	})
}

func TestPure_isRFC6902(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := document(t, "before")
		p, err := patch.Diff(before, edited(t, before))
		if err != nil {
			t.Fatal(err)
		}
		p = append(p, operations(t, 3)...)
		want, err := p.Apply(before)
		pure, pureErr := p.Pure(before)
		if (err == nil) != (pureErr == nil) {
			t.Fatalf("Apply says %v, Pure %v", err, pureErr)
		}
		if err != nil {
			return
		}
		if slices.ContainsFunc(pure, func(op patch.Op) bool { return op.Op == patch.Append }) {
			t.Fatalf("an append in %v", pure)
		}
		got, err := pure.Apply(before)
		if diff := cmp.Diff(string(want), string(got)); err != nil || diff != "" {
			t.Fatalf("%v, %v (-want +got):\n%s", pure, err, diff)
		}
		if other, ok := another(pure, before); ok {
			if diff := cmp.Diff(canonical(t, want), canonical(t, other)); diff != "" {
				t.Fatalf("another implementation makes another value of %v (-ours +theirs):\n%s", pure, diff)
			}
		}
	})
}

// another is what another implementation makes of a patch. It is not asked about what it is known to see otherwise: a
// copy of the whole document has no form in JSON here, and its tests compare the text of numbers and know no null.
func another(p patch.Patch, doc []byte) (result []byte, ok bool) {
	if slices.ContainsFunc(p, func(op patch.Op) bool {
		return op.Op == patch.Test || op.From == "" && (op.Op == patch.Copy || op.Op == patch.Move)
	}) {
		return nil, false
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, false
	}
	theirs, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return nil, false
	}
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices = false
	options.EscapeHTML = false
	result, err = theirs.ApplyWithOptions(doc, options)
	return result, err == nil
}

func TestDocument_foldsLikeApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := document(t, "document")
		d, err := patch.Parse(doc)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 6).Draw(t, "patches") {
			p := operations(t, 4)
			next, err := p.Apply(doc)
			if folded := d.Apply(p); (err == nil) != (folded == nil) {
				t.Fatalf("Apply says %v, the document %v", err, folded)
			}
			if err == nil {
				doc = next
			}
			if diff := cmp.Diff(canonical(t, doc), canonical(t, d.JSON())); diff != "" {
				t.Fatalf("%v (-one by one +folded):\n%s", p, diff)
			}
		}
	})
}

func FuzzApply(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"a":[1,{"b":"x"}]}`, `[{"op":"append","path":"/a/1/b","value":"y"},{"op":"move","from":"/a/0","path":"/c"}]`},
		{`[1,2,3]`, `[{"op":"remove","path":"/1"},{"op":"add","path":"/-","value":null},{"op":"copy","from":"/0","path":"/0"}]`},
		{`{"a":1,"a":2}`, `[{"op":"replace","path":"/a","value":1e999},{"op":"test","path":"/a","value":10e998}]`},
		{`null`, `[{"op":"add","path":"","value":{}},{"op":"remove","path":"/~1"}]`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, doc, text []byte) {
		var p patch.Patch
		if len(doc)+len(text) > 1<<16 || json.Unmarshal(text, &p) != nil {
			return
		}
		got, err := p.Apply(doc)
		if err != nil {
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%s to %s gives %s", text, doc, got)
		}
		pure, err := p.Pure(doc)
		if err != nil {
			t.Fatalf("%s to %s has no pure form: %v", text, doc, err)
		}
		if other, ok := another(pure, doc); ok && canonical(t, got) != canonical(t, other) {
			t.Fatalf("%s to %s: ours %s, theirs %s", text, doc, got, other)
		}
	})
}

func BenchmarkDocument_append(b *testing.B) {
	chunk := patch.Patch{{Op: patch.Append, Path: "/items/3/text", Value: json.RawMessage(`" twenty bytes of it."`)}}
	start := []byte(`{"items":[0,1,2,{"text":""}]}`)
	d := new(patch.Document)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		if n%50000 == 0 { // a string of 1 MB
			d, _ = patch.Parse(start)
		}
		n++
		if err := d.Apply(chunk); err != nil {
			b.Fatal(err)
		}
	}
}
