package recipe

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
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

// The time before a process took the run is one that what was at work waited: not one that it took. What had ended, or waits for
// something else, waits no longer for it.
func TestTheTraceTellsHowLongNobodyTookTheRun(t *testing.T) {
	at := func(kind journal.Kind, second int64, name, body string) fermata.Moment {
		return fermata.Moment{Entry: journal.Entry{Kind: kind, At: second * 1_000_000, Node: name, Visit: 1, Attempt: 1, Body: []byte(body)}}
	}
	history := []fermata.Moment{
		at(journal.RunStarted, 0, "", `{}`),
		at(journal.NodeStarted, 0, "done", ""),
		at(journal.NodeFinished, 3, "done", ""),
		at(journal.NodeStarted, 3, "asleep", ""),
		at(journal.NodeSuspended, 3, "asleep", ""),
		at(journal.NodeStarted, 4, "work", ""),
		at(journal.RunResumed, 24, "", `{"reason":"recovered"}`),
		at(journal.RunResumed, 25, "", `{"reason":"message"}`),
		at(journal.NodeFinished, 26, "work", ""),
		at(journal.TimerFired, 33, "asleep", ""),
		at(journal.NodeFinished, 34, "asleep", ""),
	}
	made, err := BuildTrace(fermata.RunInfo{}, func(yield func(fermata.Moment, error) bool) {
		for _, m := range history {
			if !yield(m, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string][2]float64)
	for _, s := range made.Steps {
		got[s.Node] = [2]float64{s.Duration, s.Waited}
	}
	if diff := cmp.Diff(map[string][2]float64{"done": {3000, 0}, "asleep": {31_000, 30_000}, "work": {22_000, 20_000}}, got); diff != "" {
		t.Errorf("milliseconds that each took and waited (-want +got):\n%s", diff)
	}
}
