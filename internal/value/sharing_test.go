package value_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/journal"
)

// leafy is a state with all that copies may share.
type leafy struct {
	N    int               `json:"n"`
	List []string          `json:"list" merge:"append"`
	Any  []any             `json:"any"`
	Map  map[string]string `json:"map" merge:"union"`
	Deep map[string][]int  `json:"deep"`
	Ptr  *leafy            `json:"ptr"`
	Free any               `json:"free"`
}

// replaced changes a value as the promise allows: by assigning fields, appending, and making maps anew.
func replaced(t *rapid.T, s leafy) leafy {
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		text := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "text")
		switch rapid.IntRange(0, 7).Draw(t, "change") {
		case 0:
			s.N++
		case 1:
			s.List = append(s.List, text)
		case 2:
			s.Any = append(s.Any, map[string]any{text: []any{text}})
		case 3:
			s.Map = maps.Clone(s.Map)
			if s.Map == nil {
				s.Map = map[string]string{}
			}
			s.Map[text] += text
		case 4:
			s.Deep = map[string][]int{text: {1, 2}}
		case 5:
			was := s
			s.Ptr = &leafy{N: was.N, List: was.List}
		case 6:
			s.Free = []any{text}
		case 7:
			s.List = slices.Clone(s.List[:len(s.List)/2])
		}
	}
	return s
}

// Where nobody changes anything in place, sharing is not seen: not in copies, nor in deltas, nor in merges (laws N9, J7, G4).
func TestN9_SharingIsNotSeen(t *testing.T) {
	plain, err := value.For[leafy]()
	if err != nil {
		t.Fatal(err)
	}
	sharing := plain.Sharing()
	rapid.Check(t, func(t *rapid.T) {
		base := replaced(t, replaced(t, leafy{}))
		snap := sure(sharing.Copy(&base))
		doc, err := journal.ParseDocument(sure(plain.Encode(&base)))
		if err != nil {
			t.Fatal(err)
		}
		at := base
		for range rapid.IntRange(1, 4).Draw(t, "versions") {
			at = replaced(t, at)
			delta, next, err := sharing.Delta(snap, &at)
			if err != nil {
				t.Fatal(err)
			}
			if len(delta) > 0 {
				if err := doc.Apply(delta); err != nil {
					t.Fatal(err)
				}
			}
			want, got := sure(plain.Encode(&at)), sure(plain.Encode(sure(plain.Decode(doc.JSON()))))
			if !bytes.Equal(want, got) {
				t.Fatalf("the deltas lead to %s, want %s", got, want)
			}
			snap = next
		}
		branches, copies := make([]any, 2), make([]any, 2)
		for i := range branches {
			own := replaced(t, *sure(sharing.Copy(&base)).(*leafy))
			branches[i], copies[i] = sure(sharing.Copy(&own)), sure(plain.Copy(&own))
		}
		before := string(sure(plain.Encode(&base)))
		got, gotErr := sharing.Merge(&base, branches)
		want, wantErr := plain.Merge(sure(plain.Copy(&base)), copies)
		if diff := cmp.Diff(text(wantErr), text(gotErr)); diff != "" {
			t.Fatalf("merging fails otherwise (-plain +sharing):\n%s", diff)
		}
		if gotErr == nil && string(sure(plain.Encode(got))) != string(sure(plain.Encode(want))) {
			t.Fatalf("merged to %s, want %s", sure(plain.Encode(got)), sure(plain.Encode(want)))
		}
		if after := string(sure(plain.Encode(&base))); after != before {
			t.Fatalf("the base became %s, and was %s", after, before)
		}
	})
}

// Appending to two copies of one list does not write into the same place.
func TestN9_SharedListsAreAppendedToApart(t *testing.T) {
	k, err := value.For[leafy]()
	if err != nil {
		t.Fatal(err)
	}
	s := leafy{List: append(make([]string, 0, 8), "a")}
	one, two := sure(k.Sharing().Copy(&s)).(*leafy), sure(k.Sharing().Copy(&s)).(*leafy)
	one.List, two.List = append(one.List, "one"), append(two.List, "two")
	if one.List[1] != "one" || two.List[1] != "two" || len(s.List[:2][1]) > 0 {
		t.Errorf("%v, %v, %v", one.List, two.List, s.List[:2])
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func sure[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
