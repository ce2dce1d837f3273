package value_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/state"
)

type amended struct {
	Log []string `json:"log" merge:"edit"`
}

type amendedHeld struct {
	Log state.List[string] `json:"log" merge:"edit"`
}

type amendedAny struct {
	Log any `json:"log" merge:"edit"`
}

// amendedBy says what edit makes of lists: the list that changed or lost elements of the base, and behind it what the others added.
func amendedBy(base []string, branches [][]string) (made []string, several bool) {
	first, found := 0, false
	for i, b := range branches {
		if len(b) < len(base) || !slices.Equal(b[:len(base)], base) {
			first, several, found = i, several || found, true
		}
	}
	if several {
		return nil, true
	}
	made = slices.Clone(branches[first])
	for i, b := range branches {
		if i != first {
			made = append(made, b[len(base):]...)
		}
	}
	return made, false
}

// Of a list with the rule edit, one branch may change and remove elements while others add some: in slices, in persistent lists and in
// values of any shape alike. Where several do, it is a conflict.
func TestG4_OneBranchEditsWhatOthersAppendTo(t *testing.T) {
	typed, err := value.For[amended]()
	noError(t, err)
	held, err := value.For[amendedHeld]()
	noError(t, err)
	within, err := value.For[amendedAny]()
	noError(t, err)
	objects, err := value.Dynamic().WithRules(map[string]string{"log": "edit"})
	noError(t, err)
	seen := make(map[string]int)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-c]`), 0, 4)
		base := words.Draw(t, "base")
		var branches [][]string
		for range rapid.IntRange(2, 4).Draw(t, "branches") {
			b := slices.Clone(base)
			if len(b) > 0 && rapid.IntRange(0, 2).Draw(t, "amends") == 0 {
				i := rapid.IntRange(0, len(b)-1).Draw(t, "at")
				switch rapid.IntRange(0, 2).Draw(t, "how") {
				case 0:
					b = slices.Delete(b, i, i+1)
				case 1:
					b[i] = "changed"
				default:
					b = b[:0]
				}
			}
			branches = append(branches, append(b, words.Draw(t, "more")...))
		}
		want, several := amendedBy(base, branches)
		for name, merge := range map[string]func() (any, error){
			"slices": func() (any, error) {
				return mergedLists(typed, base, branches, func(s []string) any { return &amended{slices.Clone(s)} })
			},
			"persistent lists": func() (any, error) {
				return mergedLists(held, base, branches, func(s []string) any { return &amendedHeld{state.ListOf(s...)} })
			},
			"interfaces": func() (any, error) {
				return mergedLists(within, base, branches, func(s []string) any { return &amendedAny{anyList(s)} })
			},
			"objects": func() (any, error) {
				return mergedLists(objects, base, branches, func(s []string) any { return map[string]any{"log": anyList(s)} })
			},
		} {
			got, err := merge()
			if several {
				if _, ok := errors.AsType[plan.MergeConflictsError](err); !ok {
					t.Fatalf("%s: several branches edit, and it gives %v, %v", name, got, err)
				}
				continue
			}
			text, _ := json.Marshal(got)
			var made amended
			if err = errors.Join(err, json.Unmarshal(text, &made)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(want, slices.Clip(made.Log)); diff != "" && len(want)+len(made.Log) > 0 {
				t.Fatalf("%s of %q and %q (-want +got):\n%s", name, base, branches, diff)
			}
		}
		seen[map[bool]string{true: "conflicts", false: "merges"}[several]]++
	})
	if seen["conflicts"] == 0 || seen["merges"] == 0 {
		t.Errorf("drawn were %v", seen)
	}
}

// mergedLists merges branches that hold lists.
func mergedLists(codec plan.Codec, base []string, branches [][]string, hold func([]string) any) (any, error) {
	var of []any
	for _, b := range branches {
		of = append(of, hold(b))
	}
	return codec.Merge(hold(base), of)
}

func anyList(s []string) any {
	list := make([]any, len(s))
	for i := range s {
		list[i] = s[i]
	}
	return list
}
