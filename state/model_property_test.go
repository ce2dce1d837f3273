package state_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/state"
)

// version is a version of a list, and the slice that it has to be like.
type version[T any] struct {
	list  state.List[T]
	model []T
}

func (v version[T]) check(t *rapid.T) {
	t.Helper()
	if v.list.Len() != len(v.model) || v.list.IsZero() != (len(v.model) == 0) {
		t.Fatalf("%d elements, expected %d", v.list.Len(), len(v.model))
	}
	if diff := cmp.Diff(v.model, v.list.Values()); diff != "" && len(v.model) > 0 {
		t.Fatalf("elements (-want +got):\n%s", diff)
	}
}

// Any sequence of operations gives what the same operations on slices give, and leaves all earlier versions as they were.
func TestN9_ListsAreLikeSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		versions := []version[int]{{}}
		count := 0
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				v := rapid.SampledFrom(versions).Draw(t, "version")
				n := rapid.SampledFrom([]int{1, 1, 1, 2, 31, 32, 33, 70, 1030}).Draw(t, "n")
				items := make([]int, n)
				for i := range items {
					count++
					items[i] = count
				}
				versions = append(versions, version[int]{v.list.Append(items...), append(slices.Clip(v.model), items...)})
			},
			"set": func(t *rapid.T) {
				v := rapid.SampledFrom(versions).Draw(t, "version")
				if len(v.model) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(v.model)-1).Draw(t, "i")
				count++
				model := slices.Clone(v.model)
				model[i] = count
				versions = append(versions, version[int]{v.list.Set(i, count), model})
			},
			"slice": func(t *rapid.T) {
				v := rapid.SampledFrom(versions).Draw(t, "version")
				to := rapid.IntRange(0, len(v.model)).Draw(t, "to")
				from := 0
				if rapid.Bool().Draw(t, "front") {
					from = rapid.IntRange(0, to).Draw(t, "from")
				}
				versions = append(versions, version[int]{v.list.Slice(from, to), v.model[from:to:to]})
			},
			"": func(t *rapid.T) {
				versions[len(versions)-1].check(t)
				a, b := rapid.SampledFrom(versions).Draw(t, "a"), rapid.SampledFrom(versions).Draw(t, "b")
				if a.list.Equal(b.list) != slices.Equal(a.model, b.model) {
					t.Fatalf("equal: %t, expected %t", a.list.Equal(b.list), !a.list.Equal(b.list))
				}
				if len(a.model) > 0 {
					i := rapid.IntRange(0, len(a.model)-1).Draw(t, "i")
					if last, _ := a.list.Last(); a.list.At(i) != a.model[i] || last != a.model[len(a.model)-1] {
						t.Fatalf("element %d is %d, and the last one %d", i, a.list.At(i), last)
					}
				}
			},
		})
		for _, v := range versions {
			v.check(t)
		}
	})
}

// place is a version of a map, and the plain map that it has to be like.
type place[K state.Key, V any] struct {
	m     state.Map[K, V]
	model map[K]V
}

func (v place[K, V]) check(t *rapid.T) {
	t.Helper()
	if v.m.Len() != len(v.model) || !cmp.Equal(maps.Collect(v.m.All()), v.model) {
		t.Fatalf("the map %v is not %v", v.m, v.model)
	}
	if got := slices.Collect(v.m.Keys()); !slices.Equal(got, slices.Sorted(maps.Keys(v.model))) {
		t.Fatalf("keys in the order %v", got)
	}
}

func checkMaps[K state.Key](t *testing.T, keys *rapid.Generator[K]) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		versions := []place[K, int]{{model: map[K]int{}}}
		count := 0
		put := func(v place[K, int], all ...K) {
			m, model := v.m, maps.Clone(v.model)
			for _, k := range all {
				count++
				m, model[k] = m.Set(k, count), count
			}
			versions = append(versions, place[K, int]{m, model})
		}
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				put(rapid.SampledFrom(versions).Draw(t, "version"), rapid.SliceOfN(keys, 1, 5).Draw(t, "keys")...)
			},
			"set many": func(t *rapid.T) {
				put(rapid.SampledFrom(versions).Draw(t, "version"), rapid.SliceOfN(keys, 1, 60).Draw(t, "keys")...)
			},
			"delete": func(t *rapid.T) {
				v := rapid.SampledFrom(versions).Draw(t, "version")
				m, model := v.m, maps.Clone(v.model)
				known := slices.Sorted(maps.Keys(model))
				for range rapid.IntRange(1, 60).Draw(t, "n") {
					k := keys.Draw(t, "key")
					if len(known) > 0 && rapid.Bool().Draw(t, "known") {
						k = rapid.SampledFrom(known).Draw(t, "which")
					}
					m = m.Delete(k)
					delete(model, k)
				}
				versions = append(versions, place[K, int]{m, model})
			},
			"": func(t *rapid.T) {
				versions[len(versions)-1].check(t)
				a, b := rapid.SampledFrom(versions).Draw(t, "a"), rapid.SampledFrom(versions).Draw(t, "b")
				if a.m.Equal(b.m) != maps.Equal(a.model, b.model) {
					t.Fatalf("equal: %t, expected %t", a.m.Equal(b.m), !a.m.Equal(b.m))
				}
				k := keys.Draw(t, "key")
				want, has := a.model[k]
				if got, ok := a.m.Get(k); got != want || ok != has {
					t.Fatalf("%v is %d, %t, expected %d, %t", k, got, ok, want, has)
				}
			},
		})
		for _, v := range versions {
			v.check(t)
		}
	})
}

// Any sequence of operations gives what the same operations on plain maps give, and leaves all earlier versions as they were.
func TestN9_MapsAreLikePlainMaps(t *testing.T) {
	t.Run("strings", func(t *testing.T) { checkMaps(t, rapid.StringMatching(`[a-d]{0,6}`)) })
	t.Run("integers", func(t *testing.T) { checkMaps(t, rapid.IntRange(-600, 600)) })
	t.Run("unsigned", func(t *testing.T) { checkMaps(t, rapid.Uint8()) })
}

// The JSON of lists and maps is that of slices and maps, and both read it.
func TestContainersAreOrdinaryJSON(t *testing.T) {
	type item struct {
		Text string         `json:"text"`
		More map[string]any `json:"more,omitempty"`
	}
	list := []item{{"a<b", nil}, {"", map[string]any{"n": json.Number("1.50")}}}
	integers := map[int]string{-2: "x", 10: "y", 9: "z"}
	type plain struct {
		List []item         `json:"list"`
		Map  map[int]string `json:"map"`
		None []int          `json:"none,omitempty"`
	}
	type persistent struct {
		List state.List[item]       `json:"list"`
		Map  state.Map[int, string] `json:"map"`
		None state.List[int]        `json:"none,omitzero"`
	}
	want, err := json.Marshal(plain{list, integers, nil})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(persistent{state.ListOf(list...), state.MapOf(integers), state.List[int]{}})
	if err != nil || string(got) != string(want) {
		t.Errorf("written as %s (%v), expected %s", got, err, want)
	}
	var back persistent
	if err := json.Unmarshal(want, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(persistent{state.ListOf(list...), state.MapOf(integers), state.List[int]{}}, back); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if got := fmt.Sprintf("%v %+v %v", back.List, back.List, back.Map); got != "[{a<b map[]} { map[n:1.50]}] [{Text:a<b More:map[]} {Text: More:map[n:1.50]}] "+fmt.Sprint(integers) {
		t.Errorf("printed as %s", got)
	}
	for _, text := range []string{`{"list":null,"map":null}`, `{"list":[],"map":{}}`, `{}`} {
		var read persistent
		if err := json.Unmarshal([]byte(text), &read); err != nil || !read.List.IsZero() || !read.Map.IsZero() {
			t.Errorf("%s is read as %v (%v)", text, read, err)
		}
		if got, err := json.Marshal(read); err != nil || string(got) != `{"list":[],"map":{}}` {
			t.Errorf("an empty one is written as %s (%v)", got, err)
		}
	}
}
