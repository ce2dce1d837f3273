package value_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/state"
)

type plainBranch struct {
	Log   []grown          `merge:"append"`
	Tags  []string         `merge:"union"`
	Files map[string]grown `merge:"union"`
	First []int            `merge:"first"`
	None  map[string]int
}

type heldBranch struct {
	Log   state.List[grown]        `merge:"append"`
	Tags  state.List[string]       `merge:"union"`
	Files state.Map[string, grown] `merge:"union"`
	First state.List[int]          `merge:"first"`
	None  state.Map[string, int]
}

// pair is a plain branch and a held one that are alike. Nothing in the plain one is nil, so that their JSON is the same.
type pair struct {
	plain plainBranch
	held  heldBranch
}

func (x *pair) change(t *rapid.T) {
	key := rapid.StringMatching(`[a-e]`)
	switch rapid.IntRange(0, 7).Draw(t, "what") {
	case 0, 1:
		g := drawGrown(t)
		x.plain.Log, x.held.Log = append(x.plain.Log, g), x.held.Log.Append(g)
	case 2:
		if n := len(x.plain.Log); n > 0 && rapid.Bool().Draw(t, "really") {
			i, g := rapid.IntRange(0, n-1).Draw(t, "i"), drawGrown(t)
			x.plain.Log[i], x.held.Log = g, x.held.Log.Set(i, g)
		}
	case 3:
		tag := key.Draw(t, "tag")
		x.plain.Tags, x.held.Tags = append(x.plain.Tags, tag), x.held.Tags.Append(tag)
	case 4:
		k, g := key.Draw(t, "key"), drawGrown(t)
		x.plain.Files[k], x.held.Files = g, x.held.Files.Set(k, g)
	case 5:
		k := key.Draw(t, "key")
		delete(x.plain.Files, k)
		x.held.Files = x.held.Files.Delete(k)
	case 6:
		n := rapid.IntRange(0, 9).Draw(t, "n")
		x.plain.First, x.held.First = append(x.plain.First, n), x.held.First.Append(n)
	case 7:
		k, n := key.Draw(t, "key"), rapid.IntRange(0, 2).Draw(t, "n")
		x.plain.None[k], x.held.None = n, x.held.None.Set(k, n)
	}
}

// Lists and maps of package state are merged as slices and maps are, with the same conflicts.
func TestG4_PersistentValuesMergeLikePlainOnes(t *testing.T) {
	plainKeeps, err := value.For[plainBranch]()
	if err != nil {
		t.Fatal(err)
	}
	heldKeeps, err := value.For[heldBranch]()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		none := plainBranch{[]grown{}, []string{}, map[string]grown{}, []int{}, map[string]int{}}
		base := pair{plain: none}
		for range rapid.IntRange(0, 60).Draw(t, "before") {
			base.change(t)
		}
		var plains, helds []any
		for range rapid.IntRange(1, 3).Draw(t, "branches") {
			branch := pair{plain: *copied(t, plainKeeps, &base.plain), held: base.held}
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				branch.change(t)
			}
			if rapid.IntRange(0, 4).Draw(t, "reopen") == 0 {
				branch.held = *decodedAs(t, heldKeeps, &branch.held)
			}
			plains, helds = append(plains, &branch.plain), append(helds, &branch.held)
		}
		before := marshal(t, &base.held)
		want, errWant := plainKeeps.Merge(&base.plain, plains)
		got, errGot := heldKeeps.Merge(&base.held, helds)
		same(t, "the base", before, marshal(t, &base.held))
		if diff := cmp.Diff(conflictsIn(errWant), conflictsIn(errGot)); diff != "" {
			t.Fatalf("conflicts (-want +got):\n%s", diff)
		}
		if errWant == nil {
			same(t, "merged", marshal(t, want), marshal(t, got))
		}
	})
}

func copied[S any](t *rapid.T, codec plan.Codec, v *S) *S {
	made, err := codec.Copy(v)
	noError(t, err)
	return made.(*S) //nolint:forcetypeassert // the codec makes nothing else
}

func decodedAs[S any](t *rapid.T, codec plan.Codec, v *S) *S {
	data, err := codec.Encode(v)
	noError(t, err)
	back, err := codec.Decode(data)
	noError(t, err)
	return back.(*S) //nolint:forcetypeassert // the codec makes nothing else
}

// conflictsIn is what an error says about each conflict.
func conflictsIn(err error) (all []plan.MergeConflictError) {
	found, _ := errors.AsType[plan.MergeConflictsError](err)
	for _, c := range found {
		all = append(all, *c)
	}
	return all
}
