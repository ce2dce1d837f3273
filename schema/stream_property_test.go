package schema_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/patch"
	"github.com/fermata-go/fermata/schema"
)

// pieces cuts a text.
func pieces(t *rapid.T, text string) []string {
	var all []string
	for text != "" {
		n := rapid.IntRange(1, min(len(text), 9)).Draw(t, "piece")
		all, text = append(all, text[:n]), text[n:]
	}
	return all
}

// No beginning of a valid value is refused, and what is shown at the end is the value.
func TestStream_takesWhatIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, s := drawSchema(t)
		text := textOf(t, d.value.Draw(t, "value"))
		if s.Check([]byte(text)) != nil {
			t.Skip("alternatives may exclude each other")
		}
		st := s.Stream()
		fold := patch.New()
		for i := range len(text) {
			delta, err := st.Write(text[i : i+1])
			if err != nil || len(delta.Refused) > 0 {
				t.Fatalf("%s against %s: refused at byte %d: %v %v", text, s.JSON(), i, delta.Refused, err)
			}
			if err := fold.Apply(delta.Patch); err != nil {
				t.Fatal(err)
			}
			shown := st.JSON()
			if shown == nil {
				continue
			}
			if err := s.CheckPartial(shown); err != nil {
				t.Fatalf("%s against %s: %s is shown, and refused: %v", text, s.JSON(), shown, err)
			}
		}
		last, err := st.Close()
		if err != nil || len(last.Refused) > 0 {
			t.Fatalf("%s against %s: refused at the end: %v %v", text, s.JSON(), last.Refused, err)
		}
		if err := fold.Apply(last.Patch); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(canonical(t, []byte(text)), canonical(t, fold.JSON())); diff != "" {
			t.Fatalf("%s against %s (-want +shown):\n%s", text, s.JSON(), diff)
		}
	})
}

// Of a value that is not valid something is refused, or the check of the whole refuses it; and what is shown could
// still become valid.
func TestStream_showsNothingThatIsNotValid(t *testing.T) {
	refusals := 0
	rapid.Check(t, func(t *rapid.T) {
		d, s := drawSchema(t)
		text := oddText(t, d)
		st := s.Stream()
		refused := false
		for _, piece := range append(pieces(t, text), " ") {
			delta, err := st.Write(piece)
			if err != nil {
				t.Fatal(err)
			}
			refused = refused || len(delta.Refused) > 0
			if shown := st.JSON(); shown != nil && string(shown) != "null" {
				if err := s.CheckPartial(shown); err != nil {
					t.Fatalf("%s against %s: %s is shown: %v", text, s.JSON(), shown, err)
				}
			}
		}
		valid := s.Check([]byte(text)) == nil
		if valid && refused {
			t.Fatalf("%s against %s: valid, and refused", text, s.JSON())
		}
		if refused {
			refusals++
		}
		if !valid && !refused && s.CheckPartial([]byte(text)) != nil {
			t.Fatalf("%s against %s: CheckPartial sees what the stream does not", text, s.JSON())
		}
	})
	if refusals == 0 {
		t.Error("nothing was refused: these are no tests")
	}
}

// What is shown and refused does not depend on how the text is cut.
func TestStream_anyPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, s := drawSchema(t)
		text := oddText(t, d)
		if rapid.Bool().Draw(t, "cut short") {
			text = text[:rapid.IntRange(0, len(text)).Draw(t, "length")]
		}
		sameHoweverCut(t, s, text, pieces(t, text))
	})
}

// oddText is a value of another schema, or one that is nearly of this.
func oddText(t *rapid.T, d drawn) string {
	if rapid.IntRange(0, 3).Draw(t, "another") == 0 {
		d, _ = drawSchema(t)
		return textOf(t, d.value.Draw(t, "value of another schema"))
	}
	return textOf(t, bent(t, d.value.Draw(t, "value")))
}

func textOf(t *rapid.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fataler is a test or a drawing of one.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sameHoweverCut compares a stream that is given pieces with one that is given all that came up to each of their ends.
func sameHoweverCut(t fataler, s *schema.Schema, text string, pieces []string) {
	t.Helper()
	st, fold := s.Stream(), patch.New()
	var refused []schema.Problem
	seen, checks := 0, 0
	for _, piece := range pieces {
		delta, err := st.Write(piece)
		seen += len(piece)
		refused = append(refused, delta.Refused...)
		if err := fold.Apply(delta.Patch); err != nil {
			t.Fatalf("%q: a patch does not apply: %v", text, err)
		}
		if checks++; checks%(1+len(pieces)/20) != 0 && seen < len(text) {
			continue
		}
		whole := s.Stream()
		all, wholeErr := whole.Write(text[:seen])
		if diff := cmp.Diff(fmt.Sprint(wholeErr), fmt.Sprint(err)); diff != "" {
			t.Fatalf("%q (-in one +in pieces):\n%s", text[:seen], diff)
		}
		if diff := cmp.Diff(all.Refused, refused); diff != "" {
			t.Fatalf("%q, refused (-in one +in pieces):\n%s", text[:seen], diff)
		}
		folded, foldErr := all.Patch.Apply(nil)
		if len(all.Patch) > 0 && foldErr != nil {
			t.Fatalf("%q: a patch does not apply: %v", text[:seen], foldErr)
		}
		shown := [][]byte{st.JSON(), whole.JSON(), fold.JSON(), folded}
		if len(all.Patch) == 0 {
			shown[3] = nil
		}
		for _, other := range shown[1:] {
			if (other == nil) != (shown[0] == nil) || other != nil && canonical(t, other) != canonical(t, shown[0]) {
				t.Fatalf("%q: shown in pieces, in one, folded of each: %q", text[:seen], shown)
			}
		}
	}
}

// FuzzStream cuts any text anywhere. A stream takes what encoding/json takes, but for its depth.
func FuzzStream(f *testing.F) {
	docs := []string{
		`true`, ticketDoc, `{"type":"string","maxLength":3}`, `{"enum":["low","high",1,[true]]}`,
		`{"type":"array","prefixItems":[{"type":"integer"}],"items":{"anyOf":[{"$ref":"#"},{"const":"x"},{"const":"y"}]},"uniqueItems":true}`,
		`{"additionalProperties":{"oneOf":[{"required":["a"]},{"required":["b"]}]},"maxProperties":2}`,
		`{"$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"}},"unevaluatedProperties":{"type":"string"}}`,
		paymentDoc, `{"oneOf":[{"type":"null"},{"properties":{"a":{"const":"x"},"b":{"$ref":"#"}},"additionalProperties":false,"type":"object"},` +
			`{"properties":{"a":{"enum":["xy",1,2.0]},"b":{"items":{"$ref":"#"},"type":"array"}},"type":"object"},{"type":"array","items":{"$ref":"#"},"maxItems":2}]}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`,
	}
	for i, text := range []string{
		`{"id":"t1","risk":"hi","lines":[{"sku":"\ud83d\ude00","n":1}],"pair":["x",true,3]}`, `"\ud83d\ud83d\ude00é\u0000"`,
		`{"a":1,"a":{"b":[1,2.50e+3,null]},"b":"","a":"x"}`, `[1,"x",[2,"q"],"x"]`, ` 120 `, "\"\xe2\x82\xff\"", `{"a":{"a":"b"}}`, `[[[]`,
		`{"b":{"b":[{"a":"x"},null],"a":"xy"},"a":1.0}`, `{"number":"x","cvc":1,"by":"card"}`, `1Ԫ`,
	} {
		for j := range docs {
			f.Add(j, text, []byte{1, 2, 3, byte(i)})
		}
	}
	f.Fuzz(func(t *testing.T, doc int, text string, cuts []byte) {
		if len(text) > 1<<12 {
			return
		}
		s := mustParse(t, docs[uint(doc)%uint(len(docs))])
		var all []string
		for rest := text; rest != ""; {
			n := 1
			if len(cuts) > 0 {
				n = min(int(cuts[len(all)%len(cuts)])%16+1, len(rest))
			}
			all, rest = append(all, rest[:n]), rest[n:]
		}
		sameHoweverCut(t, s, text, all)
		st := s.Stream()
		delta, err := st.Write(text)
		last, closeErr := st.Close()
		valid := json.Valid([]byte(text))
		if whole := err == nil && closeErr == nil; whole != valid && !strings.Contains(fmt.Sprint(err), "levels of nesting") {
			t.Fatalf("%q: encoding/json says %v, the stream %v, %v", text, valid, err, closeErr)
		}
		refused := slices.Concat(delta.Refused, last.Refused)
		if valid && len(refused) == 0 && !sameJSON(t, st.JSON(), json.RawMessage(text)) {
			t.Fatalf("%q: nothing was refused, and %s is shown", text, st.JSON())
		}
		if valid && len(refused) > 0 && s.Check([]byte(text)) == nil && canonical(t, []byte(text)) == compacted(t, text) {
			t.Fatalf("%q against %s: valid, and refused: %v", text, s.JSON(), refused)
		}
	})
}

// compacted is a text without its space: it differs from its canonical form where a name comes twice, or out of order.
func compacted(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	for _, r := range text {
		if !strings.ContainsRune(" \t\r\n", r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Of members with one name the last that is allowed counts, unless another follows that is not.
func TestStream_namesThatComeAgain(t *testing.T) {
	s := mustParse(t, `{"additionalProperties":{"type":"integer"}}`)
	rapid.Check(t, func(r *rapid.T) {
		want := map[string]int{}
		var members []string
		wrong := 0
		for i := range rapid.IntRange(0, 30).Draw(r, "members") {
			name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}).Draw(r, "name")
			if rapid.IntRange(0, 3).Draw(r, "wrong") == 0 {
				delete(want, name)
				members = append(members, fmt.Sprintf(`%q : " ,"`, name))
				wrong++
			} else {
				want[name] = i
				members = append(members, fmt.Sprintf(`%q : %d`, name, i))
			}
		}
		got := follow(t, s, pieces(r, "{"+strings.Join(members, " , ")+"}")...)
		if diff := cmp.Diff(textOf(r, want), canonical(r, []byte(got.Shown))); diff != "" || len(got.Refused) != wrong {
			r.Fatalf("%v, %d refused (-want +got):\n%s", members, len(got.Refused), diff)
		}
	})
}
