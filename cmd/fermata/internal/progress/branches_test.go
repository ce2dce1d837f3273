package progress_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/cmd/fermata/internal/progress"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// The items of a map stand below the map, each with its own rows together, whichever is faster; what failed items leave
// behind is not under way any more; a gate that chose several shows all.
func TestG5_ItemsInTheTree(t *testing.T) {
	s := &script{t: t, at: start}
	s.add(0, journal.Entry{Kind: journal.RunStarted}, journal.StartedBody{Plan: "mail"})
	s.node(0, journal.NodeStarted, "plan", nil).node(0, journal.NodeFinished, "plan", nil)
	s.add(0, journal.Entry{Kind: journal.RouteTaken, Node: "plan", Visit: 1, To: "each"}, journal.RouteBody{To: []string{"each", "log", node.End}})
	s.node(0, journal.NodeStarted, "each", nil).node(0, journal.NodeStarted, "log", nil)
	for i := range 2 {
		s.add(0, journal.Entry{Kind: journal.RouteTaken, Node: "each", Visit: 1, To: "each#1.1/write"}, journal.RouteBody{Item: i + 1, Of: 2})
	}
	s.node(0, journal.NodeStarted, "each#1.1/write", nil).node(0, journal.NodeStarted, "each#1.2/write", nil)
	s.node(0, journal.NodeStarted, "each#1.2/check", nil)
	s.node(0, journal.NodeFinished, "each#1.1/write", nil).node(0, journal.NodeStarted, "each#1.1/send", nil)
	s.node(0, journal.NodeFailed, "each#1.2/write", journal.FailedBody{Error: "no"})
	s.add(0, journal.Entry{
		Kind: journal.RouteTaken, Node: "each#1.2/write", Visit: 1, To: node.End, Flags: journal.FlagCatch | journal.FlagItem,
	}, nil)
	tree := progress.NewTree(nil)
	for i := range s.events {
		tree.Apply(&s.events[i])
	}
	type row struct {
		Name  string
		Depth int
		State progress.State
		Route string
	}
	var got []row
	for _, r := range tree.Rows() {
		got = append(got, row{r.Name(), r.Depth, r.State, r.Route})
	}
	want := []row{
		{"plan", 0, progress.Done, "each, log, the end"},
		{"each", 0, progress.Running, ""},
		{"write [1]", 1, progress.Done, ""},
		{"send [1]", 1, progress.Running, ""},
		{"write [2]", 1, progress.Failed, ""},
		{"check [2]", 1, progress.Left, ""},
		{"log", 0, progress.Running, ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
