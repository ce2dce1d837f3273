package fermata_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// journey books a flight, a hotel and a car; the car fails for good.
func journey(w *world) *graph.Graph[order] {
	b := graph.New[order]("trip").
		Node("flight", w.does("book flight")).Node("hotel", w.does("book hotel")).
		Node("car", func(ctx node.Context, o order) (order, error) { return o, node.Terminal(errors.New("no car")) }).
		Edge(graph.Start, "flight").Edge("flight", "hotel").Edge("hotel", "car")
	undo := func(name string) func(node.Context, order) error {
		return func(ctx node.Context, o order) error {
			_, err := w.step(ctx, name)
			return err
		}
	}
	return b.Undo("flight", "cancel_flight", undo("cancel flight")).Undo("hotel", "cancel_hotel", undo("cancel hotel")).MustCompile()
}

func TestF10_AFailedRunUndoesTheLastFirst(t *testing.T) {
	w := newWorld()
	g := journey(w)
	store := memory.New()
	rt := newRuntime(t, fermata.Options{Store: store})
	res, err := g.Execute(t.Context(), rt, order{})
	if res.Status != fermata.Failed || err == nil {
		t.Fatalf("the run is %s: %v", res.Status, err)
	}
	if diff := cmp.Diff(map[string]int{"book flight": 1, "book hotel": 1, "cancel flight": 1, "cancel hotel": 1}, w.effects()); diff != "" {
		t.Error(diff)
	}
	t.Log(err)
	for _, l := range lines(t, store, res.Run) {
		t.Log(l)
	}
}
