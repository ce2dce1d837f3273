package dataflow_test

import (
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// TestJ13_ANodeOfADataflowSetsLabels checks that a run is found by the label that a node of it sets, in place of the one that it was
// started with, and that the label is set once wherever a process dies.
func TestJ13_ANodeOfADataflowSetsLabels(t *testing.T) {
	type question struct{ Text string }
	g := graphOf(t, dataflow.Func("sort", "topic", func(ctx node.Context, q question) (string, error) {
		return "bills", node.Label(ctx, "topic", "bills of "+q.Text)
	}))
	rt := newRuntime(t, fermata.Options{Store: memory.New()})
	run, err := g.Start(timeLimit(t), rt, vals{"text": "May"}, fermata.WithLabels(map[string]string{"topic": "none", "team": "red"}))
	if err != nil {
		t.Fatal(err)
	}
	ends(t, run, fermata.Completed)
	page, err := rt.FindRuns(timeLimit(t), journal.RunQuery{Labels: map[string]string{"topic": "bills of May", "team": "red"}})
	if err != nil || len(page.Runs) != 1 || page.Runs[0].ID != run.ID() {
		t.Errorf("found %+v, %v", page.Runs, err)
	}
	report := fermatatest.Crash(t, g.Plan(), inputOf(t, g, vals{"text": "May"}))
	if report.Crashes == 0 || report.Result.Status != fermata.Completed {
		t.Errorf("%d crashes, the run is %s: %v", report.Crashes, report.Result.Status, report.Result.Err)
	}
}
