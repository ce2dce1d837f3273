package value_test

import (
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"
	"weak"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/value"
)

// noted is a state of which a look remembers much: long texts, lists, maps.
type noted struct {
	Text  string
	Texts []string
	Map   map[string]string
	Free  any
}

// What was looked at before decides nothing: a value is settled by one that has met its texts, lists and maps, or longer and
// shorter ones that begin at the same place, as it is by one that has met nothing; and once its texts are looked at, as decoding gives it.
func TestN10_WhatWasLookedAtBeforeDecidesNothing(t *testing.T) {
	plain, err := value.For[noted]()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		known := new(value.Known)
		k := plain
		if rapid.Bool().Draw(r, "sharing") {
			k = plain.Sharing()
		}
		good := strings.Clone(strings.Repeat("ä", 60))
		texts := []string{"x", good, good[:90], good[:89], strings.Repeat("y", 80) + "\xff", strings.Repeat("z", 80)}
		anyText := rapid.SampledFrom(texts)
		list := rapid.SliceOfN(anyText, 4, 4).Draw(r, "list")
		free := []any{rapid.SampledFrom([]any{json.Number("1"), 1.5, good, texts[4], nil}).Draw(r, "first"), good, true}
		members := map[string]string{"a": anyText.Draw(r, "member")}
		for range rapid.IntRange(2, 6).Draw(r, "values") {
			v := noted{Text: anyText.Draw(r, "text"), Texts: list[:rapid.IntRange(0, 4).Draw(r, "texts")]}
			if rapid.Bool().Draw(r, "mapped") {
				v.Map = members
			}
			if n := rapid.IntRange(0, 3).Draw(r, "free"); n > 0 {
				v.Free = free[:n]
			}
			all, own := rapid.Bool().Draw(r, "all"), rapid.Bool().Draw(r, "own")
			again := v
			want, wantErr := k.Finalize(&again, new(value.Known), all, own)
			if all {
				want, wantErr = k.Decode(sure(k.Encode(&again)))
			}
			got, gotErr := k.Finalize(&v, known, all, own)
			if text(wantErr) != text(gotErr) || !reflect.DeepEqual(want, got) {
				r.Fatalf("all %t, own %t: expected %+q, %v\nfound %+q, %v", all, own, want, wantErr, got, gotErr)
			}
		}
	})
}

// A text that was looked at is not kept from being collected for long.
func TestN10_WhatIsNotMetAgainIsForgotten(t *testing.T) {
	k, err := value.For[noted]()
	if err != nil {
		t.Fatal(err)
	}
	known := new(value.Known)
	gone := func() weak.Pointer[byte] {
		v := &noted{Text: strings.Repeat("long ", 100)}
		sure(k.Finalize(v, known, true, true))
		return weak.Make(unsafe.StringData(v.Text))
	}()
	runtime.GC()
	if gone.Value() == nil {
		t.Fatal("the text is not remembered at all")
	}
	kept := &noted{Text: strings.Repeat("kept ", 100)}
	for range 200 {
		sure(k.Finalize(kept, known, true, true))
	}
	runtime.GC()
	if gone.Value() != nil {
		t.Error("the text is remembered after 200 looks at others")
	}
	runtime.KeepAlive(known)
}
