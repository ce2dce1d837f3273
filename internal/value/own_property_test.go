package value_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/journal"
)

// drawAny draws a value as a program makes it.
func drawAny(t *rapid.T, depth int) any {
	switch n := rapid.IntRange(0, 8).Draw(t, "kind"); {
	case n == 0:
		return nil
	case n == 1:
		return rapid.Bool().Draw(t, "bool")
	case n == 2:
		return rapid.SampledFrom([]any{1, 2.5, json.Number("7"), json.Number(""), uint8(3)}).Draw(t, "number")
	case n <= 4 || depth == 0:
		return rapid.SampledFrom([]string{"", "a", "caf\xe9", "a text that is long enough to be noted when it is looked at, \xff"}).Draw(t, "text")
	case n <= 6:
		list := make([]any, rapid.IntRange(0, 3).Draw(t, "len"), 8)
		for i := range list {
			list[i] = drawAny(t, depth-1)
		}
		return list
	case n == 7:
		return map[string]int{"x": 1}
	}
	m := make(map[string]any)
	for range rapid.IntRange(0, 3).Draw(t, "len") {
		m[rapid.StringMatching(`[a-c]`).Draw(t, "key")] = drawAny(t, depth-1)
	}
	return m
}

// write changes what a node of a recipe may change: members of the object, with new values or with what is there.
func writeBoard(t *rapid.T, bb map[string]any) (foreign any) {
	name := rapid.StringMatching(`[a-d]`)
	switch rapid.IntRange(0, 4).Draw(t, "write") {
	case 0:
		delete(bb, name.Draw(t, "name"))
	case 1:
		foreign = drawAny(t, 3)
		bb[name.Draw(t, "name")] = foreign
	case 2:
		bb[name.Draw(t, "name")] = bb[name.Draw(t, "from")]
	case 3: // a list of a longer one, as an expression makes it
		if list, ok := bb[name.Draw(t, "list")].([]any); ok {
			bb[name.Draw(t, "name")] = append(slices.Clone(list), drawAny(t, 1))
		}
	case 4: // a part of a value with another one around it
		if m, ok := bb[name.Draw(t, "map")].(map[string]any); ok {
			m = maps.Clone(m)
			m["around"] = map[string]any{"deep": bb[name.Draw(t, "in")]}
			bb[name.Draw(t, "name")] = m
		}
	}
	return foreign
}

// scribble changes all of a value in place, as a program may do with what it gave.
func scribble(v any) {
	switch v := v.(type) {
	case []any:
		for i := range v {
			scribble(v[i])
			v[i] = "scribbled"
		}
		_ = append(v, "scribbled")
	case map[string]any:
		for k, x := range v {
			scribble(x)
			v[k] = "scribbled"
		}
		v["scribbled"] = true
	}
}

// Objects whose members nobody changes in place become what others become, with the same deltas, and nothing that the
// program does to its own memory changes them, nor what was handed on before (laws N9, N10 and J7).
func TestN9_SharedMembersAreLikeCopiedOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain, shared := value.Dynamic(), value.Dynamic().Sharing()
		var plainKnown, sharedKnown value.Known
		doc := new(journal.Document)
		var plainSnap, sharedSnap any
		live := map[string]any{}
		var kept []any     // live values of earlier nodes
		var texts []string // and their JSON
		for range rapid.IntRange(1, 12).Draw(t, "nodes") {
			given := map[string]any{}
			maps.Copy(given, live) // a node's own
			var foreign []any
			for range rapid.IntRange(0, 3).Draw(t, "writes") {
				foreign = append(foreign, writeBoard(t, given))
			}
			copied, err := plain.Copy(given)
			noError(t, err)
			want, plainNext, _, err := value.Change(plain, plainSnap, copied, &plainKnown)
			noError(t, err)
			got, sharedNext, final, err := value.Change(shared, sharedSnap, given, &sharedKnown)
			noError(t, err)
			plainSnap, sharedSnap = plainNext, sharedNext
			if string(got) != string(want) {
				t.Fatalf("delta %s, expected %s", got, want)
			}
			if len(got) > 0 {
				noError(t, doc.Apply(got))
			}
			for _, v := range foreign {
				scribble(v)
			}
			if rapid.Bool().Draw(t, "another known") { // as of a goroutine of its own
				var other value.Known
				other.Learn(&sharedKnown)
				if final, err = shared.Finalize(final, &other, true, true); err != nil {
					t.Fatal(err)
				}
			}
			var journaled any
			noError(t, json.Unmarshal(doc.JSON(), &journaled))
			for _, v := range []any{final, sharedSnap} {
				var is any
				text, err := shared.Encode(v)
				noError(t, err)
				noError(t, json.Unmarshal(text, &is))
				if diff := cmp.Diff(journaled, is); diff != "" {
					t.Fatalf("(-journal +value):\n%s", diff)
				}
			}
			data, err := shared.Encode(final)
			noError(t, err)
			back, err := shared.Decode(data)
			noError(t, err)
			if diff := cmp.Diff(back, final); diff != "" {
				t.Fatalf("(-decoded +live):\n%s", diff)
			}
			live = final.(map[string]any) //nolint:forcetypeassert // objects are
			kept, texts = append(kept, final), append(texts, string(data))
		}
		for i, v := range kept {
			data, err := shared.Encode(v)
			noError(t, err)
			if string(data) != texts[i] {
				t.Fatalf("the value of node %d was %s and is %s", i, texts[i], data)
			}
		}
	})
}

// What cannot be stored is refused with its place, as in objects that are copied.
func TestN8_SharedMembersThatCannotBeKept(t *testing.T) {
	loop := map[string]any{}
	loop["loop"] = loop
	for _, v := range []map[string]any{
		{"a": []any{map[string]any{"b": make(chan int)}}},
		{"a": map[string]any{"\xff": 1, "\xfe": 2}},
		{"a": json.Number("x")},
		{"a": loop},
	} {
		var one, two value.Known
		_, want := value.Dynamic().Finalize(v, &one, true, true)
		_, got := value.Dynamic().Sharing().Finalize(v, &two, true, true)
		if want == nil || got == nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, expected %v", got, want)
		}
	}
}
