package fleet_test

import (
	"testing"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/fleet"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// Those who wait for a run or read its events leave nothing behind, whether they come before its end or after it, and whether
// this fleet executes the run or another one.
func TestNobodyWaitsForARunThatHasEnded(t *testing.T) {
	store := memory.New()
	here, there := fleetOn(t, store), fleetOn(t, store)
	g := graph.New[int]("count").Node("count", func(_ node.Context, n int) (int, error) { return n + 1, nil }).
		Edge(graph.Start, "count").MustCompile()
	read := func(f *fleet.Fleet, id string) {
		for _, err := range f.Events(t.Context(), id, 0, true) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	for n := range 20 {
		run, err := here.Start(t.Context(), g.Plan(), &n)
		if err != nil {
			t.Fatal(err)
		}
		read(there, run.ID())
		if _, err := run.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		read(here, run.ID())
		same, err := there.Start(t.Context(), g.Plan(), &n, runtype.WithID(run.ID()), runtype.Attach())
		if err != nil {
			t.Fatal(err)
		}
		if res, err := same.Wait(t.Context()); err != nil || res.Status != runtype.Completed {
			t.Fatalf("the run is %q: %v; expected it to be completed", res.Status, err)
		}
	}
	if a, b := here.Notifiers(), there.Notifiers(); a+b > 0 {
		t.Errorf("expected that nobody waits for a run, found %d and %d runs", a, b)
	}
}

func fleetOn(t *testing.T, s journal.Store) *fleet.Fleet {
	t.Helper()
	f, err := fleet.New(runtype.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}
