package fleet

import (
	"testing"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/google/go-cmp/cmp"
)

// A reader that came late is given nothing that the store has taken back since: neither a segment nor all of a task.
func TestE4_WhatDoesNotHoldIsNotShownAgain(t *testing.T) {
	shown := func(seq uint64, visit uint32, op string) *runtype.Event {
		return &runtype.Event{Sub: 1, Entry: journal.Entry{Seq: seq, Kind: journal.StructuredData, Node: "a", Visit: visit, Op: op}}
	}
	var s eventSource
	for seq, segment := range map[uint64]string{5: "seg_a#1/reason:one#1", 7: ""} {
		e := runtype.Event{Entry: journal.Entry{Kind: journal.DataInvalidated, Seq: seq, Node: "a", Visit: 1, Body: []byte(`{"segmentId":"` + segment + `"}`)}}
		if segment == "" {
			e.Entry.Visit = 2
		}
		s.drop(&e)
	}
	got := map[string]bool{
		"before":         s.past(shown(4, 1, "reason:one#1")),
		"after":          s.past(shown(5, 1, "reason:one#1")),
		"another":        s.past(shown(4, 1, "reason:two#1")),
		"task, before":   s.past(shown(6, 2, "reason:two#1")),
		"task, after":    s.past(shown(7, 2, "reason:two#1")),
		"another task":   s.past(shown(6, 3, "reason:two#1")),
		"task, long ago": s.past(shown(1, 2, "reason:one#1")),
	}
	want := map[string]bool{
		"before": true, "after": false, "another": false, "task, before": true, "task, after": false, "another task": false,
		"task, long ago": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is not shown (-want +got):\n%s", diff)
	}
}
