package machine

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// The engine appends what ends a task together with what follows from it. Where a journal was cut between the two,
// nothing can go on and nothing is awaited. The run says of each task what keeps it, and does not count as completed. A
// failure that was cut off from its end is taken on by the next driver, and fails the run.
func TestF5_WorkThatCannotGoOnIsReported(t *testing.T) {
	s := &session{t: t, plans: make(map[string]*plan.Plan)}
	s.plans["innermost"] = s.parsePlan("x ? x, END", "innermost")
	s.plans["inner"] = s.parsePlan("s = innermost", "inner")
	p := s.parsePlan("a ? s, END\ns = inner", "")
	begin := []journal.Entry{
		{Kind: journal.RunStarted, Value: []byte("1"), Body: []byte(`{"fingerprint":"` + p.Fingerprint() + `"}`)},
		{Kind: journal.NodeStarted, Node: "a", Visit: 1, Attempt: 1, Base: 1},
	}
	task := func(kind journal.Kind, path, body string) journal.Entry {
		return journal.Entry{Kind: kind, Node: path, Visit: 1, Attempt: 1, Base: 1, Body: []byte(body)}
	}
	route := func(path, to string) journal.Entry {
		return journal.Entry{Kind: journal.RouteTaken, Node: path, Visit: 1, Attempt: 1, To: to}
	}
	tests := []struct {
		name string
		then []journal.Entry
		want journal.FinishedBody
	}{
		{
			"a failure without its end",
			[]journal.Entry{task(journal.NodeFailed, "a", `{"error":"no luck","code":"panic"}`)},
			journal.FinishedBody{Status: Failed, Error: "no luck", Code: "panic", Task: "a#1"},
		},
		{
			"a gate without its decision",
			[]journal.Entry{{Kind: journal.NodeFinished, Node: "a", Visit: 1, Attempt: 1}},
			journal.FinishedBody{Status: Stuck, Error: "task a#1 is choosing", Reason: "task a#1 is choosing"},
		},
		{
			"a gate inside subgraphs without its decision",
			[]journal.Entry{
				{Kind: journal.NodeFinished, Node: "a", Visit: 1, Attempt: 1},
				route("a", "s"),
				task(journal.NodeStarted, "s", ""), route("s", "s/s"),
				task(journal.NodeStarted, "s/s", ""), route("s/s", "s/s/x"),
				task(journal.NodeStarted, "s/s/x", ""),
				{Kind: journal.NodeFinished, Node: "s/s/x", Visit: 1, Attempt: 1},
			},
			journal.FinishedBody{
				Status: Stuck,
				Error:  "task s#1 is inside; task s/s#1 is inside; task s/s/x#1 is choosing",
				Reason: "task s#1 is inside; task s/s#1 is inside; task s/s/x#1 is choosing",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := New(p)
			for i, e := range append(begin[:2:2], tt.then...) {
				e.Seq = uint64(i) + 1
				if err := m.Apply(&e); err != nil {
					t.Fatal(err)
				}
			}
			work, err := m.Next(5)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(tt.want, m.Finished()); diff != "" {
				t.Errorf("how the run ended (-want +got):\n%s", diff)
			}
			last := []journal.Entry{{Seq: m.Head(), At: 5, Kind: journal.RunFinished, Body: encode(tt.want)}}
			if diff := gocmp.Diff(last, work.Append); diff != "" {
				t.Errorf("what is appended (-want +got):\n%s", diff)
			}
			if !work.Idle || work.Complete || len(work.Start) > 0 || m.Status() != tt.want.Status {
				t.Errorf("expected a run that is %s and idle, found %s and %+v", tt.want.Status, m.Status(), work)
			}
		})
	}
}
