package machine

import (
	"testing"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// A merge that is at work when the run begins to undo is left: no task comes of it, and the undos go on.
func TestF10_AMergeIsLeft(t *testing.T) {
	p, err := plan.New(plan.Definition{
		Name: "test", Kind: "graph", State: stubCodec{}, Entry: []string{"a"},
		Nodes: []plan.Node{
			{Name: "a"},
			{Name: "b"},
			{Name: "c"},
			{Name: "join", Join: plan.All},
			{Name: "undo", Undoes: plan.UndoTask, Run: func(_ node.Context, in any) (any, error) { return in, nil }},
		},
		Edges: []plan.Edge{
			{From: "a", To: "b"}, {From: "a", To: "c"}, {From: "b", To: "join"}, {From: "c", To: "join"}, {From: "a", To: "undo", Kind: plan.Undo},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	m := New(p)
	next := func(err error) *Work {
		t.Helper()
		w, none := m.Next(1)
		if err != nil || none != nil {
			t.Fatal(err, none)
		}
		return w
	}
	work := next(m.Begin(1, &journal.StartedBody{Plan: "test"}, []byte("0")))
	for range 3 {
		task := m.tasks[0]
		work = next(m.Finish(1, task, Outcome{Value: Value{Changed: true, Data: []byte("1")}}))
	}
	if len(work.Start) != 1 || work.Start[0].Do != Merge {
		t.Fatalf("after the branches %+v begins", work.Start)
	}
	join := work.Start[0].Join
	if work = next(m.End(1, journal.FinishedBody{Status: Cancelled})); len(work.Start) > 0 || work.Idle {
		t.Fatalf("while the merge is at work %+v begins", work.Start)
	}
	joined, err := m.Joined(1, join, Value{Changed: true, Data: []byte("2")})
	if joined != nil {
		t.Error("the join has begun")
	}
	if work = next(err); len(work.Start) != 1 || work.Start[0].Task.Undoes() != "a#1" {
		t.Errorf("then %+v begins", work.Start)
	}
}
