package recipe

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
)

// A trace says that a process was lost, and which tasks were called again: an effect of them may have happened twice (law J5).
func TestTheTraceTellsOfALostProcess(t *testing.T) {
	b := traceBuilder{trace: &Trace{}}
	for _, body := range []journal.ResumedBody{
		{Reason: "answer"},
		{Reason: "recovered"},
		{Reason: "recovered", Takeover: true, By: "worker-2", Lost: []string{"restart#1", "check#2"}},
		{Reason: "recovered", Takeover: true},
		{Reason: "retry", By: "ann"},
	} {
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.resumed(&journal.Entry{Kind: journal.RunResumed, Body: data}); err != nil {
			t.Fatal(err)
		}
	}
	var got [][2]string
	for _, s := range b.trace.Steps {
		got = append(got, [2]string{s.Action, s.Observation})
	}
	if diff := cmp.Diff([][2]string{
		{"recovered", "its process was lost; worker-2 took it over; what was at work goes on, without what is recorded: restart#1, check#2"},
		{"recovered", "its process was lost"},
		{"retry", "by ann"},
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
