package value_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/plan"
)

// ruled is a state whose fields are one member each, so that it can be merged as an object as well.
type ruled struct {
	A      int               `json:"a"`
	B      string            `json:"b"`
	C      []int             `json:"c"`
	D      map[string]int    `json:"d"`
	E      any               `json:"e"`
	Log    []string          `json:"log" merge:"append"`
	Calls  []call            `json:"calls" merge:"append"`
	Set    []string          `json:"set" merge:"union"`
	Table  map[string]string `json:"table" merge:"union"`
	Groups map[string][]int  `json:"groups" merge:"union"`
	Sum    int               `json:"sum" merge:"sum"`
	Max    int16             `json:"max" merge:"max"`
	Min    string            `json:"min,omitempty" merge:"min"`
	Top    *string           `json:"top,omitempty" merge:"max"`
	Total  *int8             `json:"total" merge:"sum"`
	First  bool              `json:"first" merge:"first"`
	Last   *int              `json:"last" merge:"last"`
	Bag    any               `json:"bag" merge:"union"`
}

// rulesOfRuled reads the rules from the tags.
func rulesOfRuled() map[string]string {
	rules := make(map[string]string)
	for f := range reflect.TypeFor[ruled]().Fields() {
		if f.Tag.Get("merge") != "" {
			rules[nameOf(f)] = f.Tag.Get("merge")
		}
	}
	return rules
}

func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// change draws what a branch does to a field.
func change(t *rapid.T, v *ruled, field string) {
	few, words := rapid.IntRange(0, 3), rapid.SampledFrom([]string{"", "a", "b", "é"})
	switch field {
	case "a":
		v.A = few.Draw(t, "a")
	case "b":
		v.B = words.Draw(t, "b")
	case "c":
		v.C = rapid.SliceOfN(few, 0, 2).Draw(t, "c")
	case "d":
		v.D = rapid.MapOfN(words, few, 0, 2).Draw(t, "d")
	case "e":
		v.E = anys(1).Draw(t, "e")
	case "log":
		v.Log = append(v.Log[:len(v.Log)-rapid.IntRange(0, min(1, len(v.Log))).Draw(t, "less")], rapid.SliceOfN(words, 0, 2).Draw(t, "log")...)
	case "calls":
		v.Calls = append(v.Calls, call{Tool: words.Draw(t, "tool"), Args: map[string]any{"x": few.Draw(t, "arg")}})
	case "set":
		v.Set = rapid.SliceOfN(words, 0, 4).Draw(t, "set")
	case "table":
		v.Table = rapid.MapOfN(words, words, 0, 2).Draw(t, "table")
	case "groups":
		v.Groups = rapid.MapOfN(words, rapid.SliceOfN(few, 0, 2), 0, 2).Draw(t, "groups")
	case "sum":
		v.Sum = rapid.IntRange(-5, 5).Draw(t, "sum")
	case "max":
		v.Max = rapid.Int16Range(-5, 5).Draw(t, "max")
	case "min":
		v.Min = words.Draw(t, "min")
	case "top":
		v.Top = rapid.Ptr(words, true).Draw(t, "top")
	case "total":
		v.Total = rapid.Ptr(rapid.Int8Range(-9, 9), true).Draw(t, "total")
	case "first":
		v.First = rapid.Bool().Draw(t, "first")
	case "last":
		v.Last = rapid.Ptr(few, true).Draw(t, "last")
	case "bag":
		v.Bag = rapid.SampledFrom([]any{
			nil,
			[]any{},
			[]any{json.Number("1"), "x"},
			[]any{"x", map[string]any{"k": "v"}},
			[]string{"y"},
			map[string]any{"k": json.Number("1")},
			map[string]any{"k": json.Number("2"), "l": []any{}},
			"no list",
		}).Draw(t, "bag")
	}
}

func fieldsOfRuled() []string {
	var names []string
	for f := range reflect.TypeFor[ruled]().Fields() {
		names = append(names, nameOf(f))
	}
	return names
}

// fork is a base and copies of it, some fields of which have been changed.
type fork struct {
	codec plan.Codec
	base  *ruled
	of    []*ruled
}

func forks(t *rapid.T, branches int, fields func(branch int) []string) fork {
	typed, err := value.For[ruled]()
	noError(t, err)
	var first ruled
	for _, f := range fieldsOfRuled() {
		change(t, &first, f)
	}
	f := fork{codec: typed, base: decoded(t, typed, &first)}
	for i := range branches {
		b := decoded(t, typed, f.base)
		for _, name := range fields(i) {
			change(t, b, name)
		}
		f.of = append(f.of, b)
	}
	return f
}

// decoded is another value with the same JSON.
func decoded(t failer, codec plan.Codec, v *ruled) *ruled {
	t.Helper()
	back, err := codec.Decode(marshal(t, v))
	noError(t, err)
	return back.(*ruled)
}

// merge merges copies of the branches, in the order given, and checks that the base stays what it is, also when the
// result is changed in place. Copies that lead to the memory of the branches are merged alike, and leave the branches as they are.
func (f fork) merge(t *rapid.T, order ...int) (*ruled, error) {
	t.Helper()
	var branches []any
	for _, i := range order {
		branches = append(branches, decoded(t, f.codec, f.of[i]))
	}
	before := marshal(t, f.base)
	got, err := f.codec.Merge(f.base, branches)
	same(t, "the base", before, marshal(t, f.base))
	f.lent(t, order, got, err)
	if err != nil {
		return nil, err
	}
	result := marshal(t, got)
	kept := decoded(t, f.codec, got.(*ruled))
	for range 3 {
		mutate(t, reflect.ValueOf(got).Elem(), 0)
	}
	same(t, "the base after a change of the result", before, marshal(t, f.base))
	sameValue(t, "the result before it", result, marshal(t, kept))
	return kept, nil
}

// lent merges copies that lead to the memory of snapshots.
func (f fork) lent(t *rapid.T, order []int, merged any, failed error) {
	t.Helper()
	var snaps, branches []any
	var before [][]byte
	for _, i := range order {
		snap := decoded(t, f.codec, f.of[i])
		branch, err := value.Lend(f.codec, snap)
		noError(t, err)
		snaps, branches, before = append(snaps, snap), append(branches, branch), append(before, marshal(t, snap))
	}
	got, err := f.codec.Merge(f.base, branches)
	if fmt.Sprint(err) != fmt.Sprint(failed) {
		t.Fatalf("of copies: %v\nof copies that are lent: %v", failed, err)
	}
	if err == nil {
		sameValue(t, "the result of copies that are lent", marshal(t, merged), marshal(t, got))
	}
	for i := range snaps {
		same(t, "a branch that was lent", before[i], marshal(t, snaps[i]))
	}
}

func some(t *rapid.T, of []string) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(of), 0, min(3, len(of)), rapid.ID[string]).Draw(t, "fields")
}

func TestG4_oneBranchChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.IntRange(-1, 2).Draw(t, "branch") // -1 for none
		f := forks(t, 3, func(i int) []string {
			if i != at {
				return nil
			}
			return some(t, fieldsOfRuled())
		})
		got, err := f.merge(t, 0, 1, 2)
		noError(t, err)
		want := f.base
		if at >= 0 {
			want = f.of[at]
		}
		sameValue(t, "the result", marshal(t, want), marshal(t, got))
	})
}

func TestG4_disjointChangesCommute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		owner := make(map[string]int)
		for _, name := range fieldsOfRuled() {
			owner[name] = rapid.IntRange(0, 3).Draw(t, name) // 3 is nobody
		}
		f := forks(t, 3, func(i int) []string {
			return slices.DeleteFunc(fieldsOfRuled(), func(name string) bool { return owner[name] != i })
		})
		got, err := f.merge(t, 0, 1, 2)
		noError(t, err)
		other, err := f.merge(t, 2, 0, 1)
		noError(t, err)
		sameValue(t, "another order", marshal(t, got), marshal(t, other))
	})
}

// A merge of typed values is the merge of their JSON as objects, with the same conflicts.
func TestG4_typedAndDynamicAgree(t *testing.T) {
	dynamic, err := value.Dynamic().WithRules(rulesOfRuled())
	noError(t, err)
	object := func(t *rapid.T, v *ruled) any {
		back, err := dynamic.Decode(marshal(t, v))
		noError(t, err)
		return back
	}
	rapid.Check(t, func(t *rapid.T) {
		f := forks(t, 3, func(int) []string { return some(t, fieldsOfRuled()) })
		base, objects := object(t, f.base), []any{}
		for _, b := range f.of {
			objects = append(objects, object(t, b))
		}
		typed, typedErr := f.merge(t, 0, 1, 2)
		got, err := dynamic.Merge(base, objects)
		same(t, "the base", canonical(t, marshal(t, f.base)), marshal(t, base))
		if typedErr != nil || err != nil {
			if diff := cmp.Diff(conflictsOf(t, typedErr), conflictsOf(t, err)); diff != "" {
				t.Fatalf("(-typed +dynamic)\n%s", diff)
			}
			return
		}
		sameValue(t, "the object", marshal(t, typed), marshal(t, got))
	})
}

// conflictsOf lists where conflicts are and between whom, sorted by field.
func conflictsOf(t failer, err error) []string {
	conflicts, ok := errors.AsType[plan.MergeConflictsError](err)
	if !ok {
		t.Fatalf("expected conflicts, got %v", err)
	}
	var all []string
	for _, c := range conflicts {
		all = append(all, fmt.Sprintf("%s %v", c.Field, c.Branches))
	}
	slices.Sort(all)
	return all
}

// A conflict is exactly where several branches changed a field without a rule, and comes in the order of the fields.
func TestG4_conflictsAreCompleteAndInOrder(t *testing.T) {
	free := []string{"a", "b", "c", "d", "e"}
	rapid.Check(t, func(t *rapid.T) {
		f := forks(t, 3, func(int) []string { return some(t, free) })
		member := func(v *ruled, name string) string {
			var members map[string]json.RawMessage
			noError(t, json.Unmarshal(marshal(t, v), &members))
			return string(canonical(t, members[name]))
		}
		var want []string
		for _, name := range free {
			var who []int
			for i, b := range f.of {
				if member(b, name) != member(f.base, name) {
					who = append(who, i)
				}
			}
			if len(who) > 1 {
				want = append(want, fmt.Sprintf("%s %v", name, who))
			}
		}
		_, err := f.merge(t, 0, 1, 2)
		if len(want) == 0 {
			noError(t, err)
			return
		}
		var got []string
		conflicts, _ := errors.AsType[plan.MergeConflictsError](err)
		for _, c := range conflicts {
			got = append(got, fmt.Sprintf("%s %v", c.Field, c.Branches))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
	})
}

// Append keeps the base's elements and each branch's, in declared order. A sum is what all added, however it is grouped.
func TestG4_appendAndSum(t *testing.T) {
	type state struct {
		Log []string `merge:"append"`
		Sum int64    `merge:"sum"`
	}
	codec, err := value.For[state]()
	noError(t, err)
	merge := func(t *rapid.T, base *state, of ...*state) *state {
		var branches []any
		for _, b := range of {
			branches = append(branches, must2(t)(codec.Copy(b)))
		}
		got, err := codec.Merge(base, branches)
		noError(t, err)
		return got.(*state)
	}
	rapid.Check(t, func(t *rapid.T) {
		lists, ints := rapid.SliceOfN(texts(), 0, 4), rapid.Int64Range(-1<<40, 1<<40)
		base := &state{lists.Draw(t, "log"), ints.Draw(t, "sum")}
		want := &state{slices.Clone(base.Log), base.Sum}
		var of []*state
		for range 3 {
			tail, more := lists.Draw(t, "tail"), ints.Draw(t, "more")
			of = append(of, &state{append(slices.Clone(base.Log), tail...), base.Sum + more})
			want.Log, want.Sum = append(want.Log, tail...), want.Sum+more
		}
		got := merge(t, base, of...)
		same(t, "all at once", []byte(strings.Join(want.Log, "\n")), []byte(strings.Join(got.Log, "\n")))
		left := merge(t, base, merge(t, base, of[0], of[1]), of[2])
		right := merge(t, base, of[0], merge(t, base, of[1], of[2]))
		if diff := cmp.Diff([]int64{want.Sum, want.Sum, want.Sum}, []int64{got.Sum, left.Sum, right.Sum}); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
		sameValue(t, "from the left", marshal(t, got), marshal(t, left))
		sameValue(t, "from the right", marshal(t, got), marshal(t, right))
	})
}

func must2(t failer) func(any, error) any {
	return func(v any, err error) any { noError(t, err); return v }
}

// Values of every shape: merging a base with changes of one branch gives that branch, and any two branches are either
// merged into something that can be kept, or conflict.
func TestG4_anyShape(t *testing.T) {
	codec, err := value.For[wide]()
	noError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		read := func(data []byte) any { return must2(t)(codec.Decode(data)) }
		base := marshal(t, new(wides().Draw(t, "base")))
		one, other := read(base), marshal(t, new(wides().Draw(t, "other")))
		for range 3 {
			mutate(t, reflect.ValueOf(one).Elem(), 0)
		}
		changed := marshal(t, one)
		from := read(base)
		for _, order := range [][]any{{one, read(base)}, {read(base), read(changed)}} {
			got, err := codec.Merge(from, order)
			noError(t, err)
			sameValue(t, "one branch's", changed, marshal(t, got))
			same(t, "the base", marshal(t, read(base)), marshal(t, from))
		}
		got, err := codec.Merge(from, []any{read(base), read(other), read(base)})
		noError(t, err)
		sameValue(t, "the other", other, marshal(t, got))
		got, err = codec.Merge(from, []any{read(changed), read(other)})
		if _, conflict := errors.AsType[plan.MergeConflictsError](err); err != nil && !conflict {
			t.Fatal(err)
		} else if err == nil {
			must(t)(codec.Encode(got))
			mutate(t, reflect.ValueOf(got).Elem(), 0)
		}
		same(t, "the base at the end", marshal(t, read(base)), marshal(t, from))
	})
}

// Any objects: each member is the one that changed, or a conflict, or what its rule makes of it; nothing else happens.
func FuzzMergeDynamic(f *testing.F) {
	f.Add([]byte(`{"a":[1],"b":{"c":1},"s":1}`), []byte(`{"a":[1,2],"b":{"c":1,"d":2},"s":2}`), []byte(`{"a":[1,3],"b":{},"s":5,"n":null}`))
	f.Add([]byte(`{}`), []byte(`{"x":1}`), []byte(`{"x":"1"}`))
	f.Add([]byte(`{"s":1e400}`), []byte(`{"s":-0.0}`), []byte("{\"\xff\":1}"))
	rules := map[string]string{"a": "append", "b": "union", "s": "sum", "m": "max", "n": "min", "f": "first", "l": "last"}
	codec, err := value.Dynamic().WithRules(rules)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, base, one, other []byte) {
		read := func(data []byte) map[string]any {
			v, err := codec.Decode(data)
			if err != nil {
				t.Skip()
			}
			return v.(map[string]any)
		}
		from, a, b := read(base), read(one), read(other)
		before := marshal(t, from)
		got, err := codec.Merge(from, []any{read(one), read(other)})
		same(t, "the base", before, marshal(t, from))
		result, _ := got.(map[string]any)
		bad := make(map[string]bool)
		conflicts, ok := errors.AsType[plan.MergeConflictsError](err)
		if err != nil && !ok {
			t.Fatal(err)
		}
		for _, c := range conflicts {
			bad[c.Field] = true
		}
		names := make(map[string]bool)
		for _, object := range []map[string]any{from, a, b, result} {
			for name := range object {
				names[name] = true
			}
		}
		for name := range names {
			was, x, y := member(t, from, name), member(t, a, name), member(t, b, name)
			is, free := member(t, result, name), rules[name] == ""
			switch {
			case x != was && y != was && free && !bad[name]:
				t.Fatalf("%q was changed by both, and is no conflict", name)
			case x != was && y != was || err != nil:
			case x != was && is != x, x == was && is != y:
				t.Fatalf("%q: from %s to %s and %s became %s", name, was, x, y, is)
			}
		}
	})
}

// member is the JSON of a member, "" where there is none.
func member(t *testing.T, object map[string]any, name string) string {
	v, ok := object[name]
	if !ok {
		return ""
	}
	return string(marshal(t, v))
}
