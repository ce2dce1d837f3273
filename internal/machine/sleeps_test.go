package machine

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// sleeper is a task in the middle of a reasoning, two tools of which sleep: for one second, and for two.
func sleeper(t *testing.T) (m *Machine, stored []journal.Entry) {
	t.Helper()
	p, err := plan.New(plan.Definition{
		Name: "sleeps", Entry: []string{"a"}, State: struct{ plan.Codec }{}, Nodes: []plan.Node{{Name: "a"}, {Name: "b"}},
		Edges: []plan.Edge{{From: "a", To: "b", Kind: plan.Plain}},
	})
	if err != nil {
		t.Fatal(err)
	}
	m = New(p)
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(m.Begin(0, &journal.StartedBody{Plan: "sleeps", Fingerprint: p.Fingerprint()}, []byte("0")))
	work, err := m.Next(0)
	do(err)
	stored = append(stored, work.Append...)
	task := m.Tasks()[0]
	for i, tool := range []string{"nap#1", "nap#2"} {
		body := encode(journal.TimerBody{Due: int64(i+1) * 1e6})
		do(m.Record(0, task, journal.TimerSet, "sleep:tool:reason:reason#1"+nodehost.Inside+tool+nodehost.Inside+"sleep#1", nil, body))
	}
	do(m.Suspend(0, task, "reason:reason#1"))
	work, err = m.Next(0)
	do(err)
	return m, append(stored, work.Append...)
}

// Several sleeps of one task are timers of their own, in its journal and after it is read again; each of them fires once
// and lets the task go on. What is not over when the task ends is off.
func TestN1_SeveralSleepsOfOneTask(t *testing.T) {
	m, stored := sleeper(t)
	again := New(m.plan)
	for i := range stored {
		if err := again.Apply(&stored[i]); err != nil {
			t.Fatalf("read again: %v", err)
		}
	}
	if diff := gocmp.Diff(m.dump(), again.dump()); diff != "" {
		t.Errorf("read again (-was +is):\n%s", diff)
	}
	task := m.Tasks()[0]
	var seen []any
	look := func() {
		due := 0
		for range task.Sleeps() {
			due++
		}
		seen = append(seen, task.State.String(), due, m.Due() > 0 && m.Due() < 1e9)
	}
	look()
	if err := m.Fire(1.5e6); err != nil {
		t.Fatal(err)
	}
	look()
	if err := m.Finish(1.5e6, task, Outcome{}); err != nil {
		t.Fatal(err)
	}
	want := []any{"waiting", 2, true, "ready", 1, false}
	if diff := gocmp.Diff(want, seen); diff != "" {
		t.Errorf("state, sleeps and whether something is due (-want +got):\n%s", diff)
	}
	off := []string{"a#1 sleep:tool:reason:reason#1" + nodehost.Inside + "nap#2" + nodehost.Inside + "sleep#1"}
	if diff := gocmp.Diff(off, m.Dropped()); diff != "" {
		t.Errorf("timers that are off (-want +got):\n%s", diff)
	}
}

// A timer that is set while its task waits for something else is still a journal that cannot be.
func TestJ6_ATimerOfATaskThatWaitsForAPerson(t *testing.T) {
	m, _ := sleeper(t)
	task := m.Tasks()[0]
	task.WaitFor = "interrupt:q#1"
	err := m.Record(0, task, journal.TimerSet, "sleep:sleep#1", nil, encode(journal.TimerBody{Due: 1}))
	if err == nil {
		t.Error("it was taken")
	}
}
