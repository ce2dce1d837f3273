package dialogue_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/dialogue"
)

// deltas draws what one command changes. Values of one slot are equally sure only where they are equal, so that the last
// one said is not the rule that decides.
func deltas(t *rapid.T, label string) dialogue.Delta {
	names := []string{"a", "b", "c"}
	name := rapid.SampledFrom(names).Draw(t, label+" name")
	switch rapid.IntRange(0, 12).Draw(t, label) {
	case 0:
		return dialogue.Delta{Handoff: true}
	case 1:
		return dialogue.Delta{Cancel: true}
	case 2:
		return dialogue.Delta{Start: []dialogue.Start{{Flow: name}}}
	case 3:
		sure := rapid.IntRange(1, 9).Draw(t, label+" sure")
		return dialogue.Delta{Set: []dialogue.Change{{Slot: name, Value: fmt.Sprint(sure), Confidence: float64(sure) / 10}}}
	case 4:
		return dialogue.Delta{Clear: []string{name}}
	case 5:
		return dialogue.Delta{Yes: true}
	case 6:
		return dialogue.Delta{No: true}
	case 7:
		return dialogue.Delta{Skip: true}
	case 8:
		return dialogue.Delta{Repeat: true}
	case 9:
		return dialogue.Delta{Chat: true}
	case 10:
		return dialogue.Delta{Clarify: []string{name}}
	case 11:
		return dialogue.Delta{Silence: true}
	default:
		return dialogue.Delta{Close: true}
	}
}

// TestDeltasOfAMessageAreMergedInAnyOrder checks that the order of a message's commands decides nothing but the order of
// what is begun and said, that merging twice is merging once, and that no yes is left beside a change.
func TestDeltasOfAMessageAreMergedInAnyOrder(t *testing.T) {
	sorted := cmp.Options{
		cmpopts.EquateEmpty(),
		cmpopts.SortSlices(func(a, b dialogue.Start) bool { return a.Flow < b.Flow }),
		cmpopts.SortSlices(func(a, b dialogue.Change) bool { return a.Slot < b.Slot }),
		cmpopts.SortSlices(func(a, b string) bool { return a < b }),
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 7).Draw(t, "commands")
		all := make([]dialogue.Delta, n)
		for i := range all {
			all[i] = deltas(t, fmt.Sprint("command ", i))
		}
		merged := dialogue.MergeDeltas(all...)
		other := rapid.Permutation(all).Draw(t, "order")
		if diff := cmp.Diff(merged, dialogue.MergeDeltas(other...), sorted); diff != "" {
			t.Fatalf("in another order: %s", diff)
		}
		if diff := cmp.Diff(merged, dialogue.MergeDeltas(merged), sorted); diff != "" {
			t.Fatalf("merged once more: %s", diff)
		}
		at := rapid.IntRange(0, n).Draw(t, "cut")
		halves := dialogue.MergeDeltas(dialogue.MergeDeltas(all[:at]...), dialogue.MergeDeltas(all[at:]...))
		if merged.Yes && (merged.No || merged.Cancel || len(merged.Set)+len(merged.Clear)+len(merged.Start) > 0) {
			t.Fatalf("a yes is left beside %+v", merged)
		}
		if merged.Handoff != halves.Handoff || !merged.Handoff && merged.No != halves.No {
			t.Fatalf("merged in halves: %+v, not %+v", halves, merged)
		}
		if merged.Handoff && (len(merged.Set)+len(merged.Start) > 0 || merged.Yes || merged.Cancel) {
			t.Fatalf("a handoff beside %+v", merged)
		}
		for _, c := range merged.Set {
			if slices.Contains(merged.Clear, c.Slot) {
				t.Fatalf("%s is set and cleared", c.Slot)
			}
		}
	})
}

// TestConflictsOfCommands is the rule of Delta, one conflict after the other.
func TestConflictsOfCommands(t *testing.T) {
	set := func(slot string, v any, sure float64) dialogue.Delta {
		return dialogue.Delta{Set: []dialogue.Change{{Slot: slot, Value: v, Confidence: sure}}}
	}
	yes, no := dialogue.Delta{Yes: true}, dialogue.Delta{No: true}
	tests := []struct {
		name string
		in   []dialogue.Delta
		want dialogue.Delta
	}{
		{"a handoff wins over all else", []dialogue.Delta{yes, set("a", 1, 1), {Handoff: true}, {Cancel: true}}, dialogue.Delta{Handoff: true}},
		{"what is said stays beside a handoff", []dialogue.Delta{{Say: []string{"x"}}, {Handoff: true}}, dialogue.Delta{Handoff: true, Say: []string{"x"}}},
		{"the surest value is taken", []dialogue.Delta{set("a", 1, 0.9), set("a", 2, 0.6)}, set("a", 1, 0.9)},
		{"of equally sure values the last", []dialogue.Delta{set("a", 1, 0.9), set("a", 2, 0.9)}, set("a", 2, 0.9)},
		{"a slot that is set is not cleared", []dialogue.Delta{{Clear: []string{"a", "b"}}, set("a", 1, 1)}, dialogue.Delta{Clear: []string{"b"}, Set: set("a", 1, 1).Set}},
		{"no wins over yes", []dialogue.Delta{no, yes}, no},
		{"a yes beside a value is none", []dialogue.Delta{yes, set("a", 1, 1)}, set("a", 1, 1)},
		{"a yes beside a start is none", []dialogue.Delta{yes, {Start: []dialogue.Start{{Flow: "f"}}}}, dialogue.Delta{Start: []dialogue.Start{{Flow: "f"}}}},
		{"a yes beside a cleared slot is none", []dialogue.Delta{yes, {Clear: []string{"a"}}}, dialogue.Delta{Clear: []string{"a"}}},
		{"a yes beside a cancel is none", []dialogue.Delta{yes, {Cancel: true}}, dialogue.Delta{Cancel: true}},
		{"a question which flow is meant comes alone", []dialogue.Delta{{Clarify: []string{"f", "g"}}, yes}, yes},
		{"a flow is begun once", []dialogue.Delta{{Start: []dialogue.Start{{Flow: "f"}}}, {Start: []dialogue.Start{{Flow: "f"}}}}, dialogue.Delta{Start: []dialogue.Start{{Flow: "f"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, dialogue.MergeDeltas(tt.in...), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("merged (-want +got):\n%s", diff)
			}
		})
	}
}
