package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/recipe"
)

// Of what people did long after they were asked, a trace tells when, and until when others were: in the local zone.
func TestObserved(t *testing.T) {
	begin := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	at, until := begin.Add, begin.Add(5*time.Hour)
	st := recipe.TraceStep{
		Timestamp: at(time.Minute),
		People: []recipe.TraceDeed{
			{Timestamp: at(time.Minute), Do: "asked", ToRole: "clerk"},
			{Timestamp: at(time.Minute), Do: "claimed", By: "ada"},
			{Timestamp: at(3 * time.Hour), Do: "escalated", ToRole: "boss", AtDeadline: true, Until: &until},
			{Timestamp: at(4 * time.Hour), Do: "answered", By: "cy", Role: "boss", Value: json.RawMessage(`"yes"`)},
		},
		Observation: "looked it up\nclaimed by ada\nescalated by the deadline to boss, until 2026-01-31T17:00:00Z\nanswered by cy as boss: \"yes\"\ntries again",
	}
	want := "looked it up\nclaimed by ada\n+3h 00m escalated by the deadline to boss, until 2026-01-31T18:00:00+01:00\n+4h 00m answered by cy as boss: \"yes\"\ntries again"
	if diff := cmp.Diff(want, observed(&st, begin, time.FixedZone("", 3600))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
