package fermata_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// booking is the result of a step that is undone.
type booking struct {
	Ref string `json:"ref"`
}

// undoes is a function that undoes tasks by a step.
func (w *world) undoes(name string) func(node.Context, order) error {
	return func(ctx node.Context, o order) error {
		if len(o.Log) == 0 {
			return node.Terminal(errors.New("the state of the task is not there"))
		}
		_, err := w.step(ctx, name)
		return err
	}
}

// cancels is a function that undoes steps by a step.
func (w *world) cancels(name string) func(node.Context, booking) error {
	return func(ctx node.Context, b booking) error {
		if b.Ref != name {
			return node.Terminal(errors.New("not the booking of " + name))
		}
		_, err := w.step(ctx, "cancel "+name)
		return err
	}
}

// books is a node that makes steps, each of which has a compensation.
func (w *world) books(names ...string) graph.Func[order] {
	return func(ctx node.Context, o order) (order, error) {
		for _, name := range names {
			_, err := node.Step(ctx, "book "+name, func(ctx node.Context) (booking, error) {
				w.effect(ctx, "book "+name)
				return booking{Ref: name}, nil
			}, node.Compensate("cancel_"+name))
			if err != nil {
				return o, err
			}
			o = o.note("booked %s", name)
		}
		return o, nil
	}
}

func noCar(_ node.Context, o order) (order, error) { return o, node.Terminal(errors.New("no car")) }

// withUndos are all graphs that crashes are tried on. Those that undo are not among crashCases: a fork of them is refused.
var withUndos = slices.Concat(crashCases, undoCases)

// undoCases are graphs that end without success, and undo what they have done (law F10).
var undoCases = []crashCase{
	{
		name: "a failed run undoes its tasks, the last first", onDisk: true, status: "failed",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"flight", "hotel", "car"}, func(b *graph.Builder[order]) {
				b.Node("flight", w.does("book flight")).Node("hotel", w.does("book hotel")).Node("car", noCar).
					Undo("flight", "cancel_flight", w.undoes("cancel flight")).Undo("hotel", "cancel_hotel", w.undoes("cancel hotel"))
			})
		},
	},
	{
		name: "a failed run undoes its steps", status: "failed",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"trip"}, func(b *graph.Builder[order]) {
				b.Node("trip", func(ctx node.Context, o order) (order, error) {
					o, err := w.books("flight", "hotel")(ctx, o)
					if err != nil {
						return o, err
					}
					return noCar(ctx, o)
				})
				graph.Compensation(b, "trip", "cancel_flight", w.cancels("flight"))
				graph.Compensation(b, "trip", "cancel_hotel", w.cancels("hotel"))
			})
		},
	},
	{
		name: "an undo is tried again, waits and asks", status: "failed",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"flight", "hotel", "car"}, func(b *graph.Builder[order]) {
				b.Node("flight", w.does("book flight")).Node("hotel", w.does("book hotel")).Node("car", noCar).
					Undo("hotel", "cancel_hotel", func(ctx node.Context, o order) error {
						if err := w.undoes("cancel hotel")(ctx, o); err != nil {
							return err
						}
						if ctx.Info().Attempt == 1 {
							return errors.New("the hotel does not answer")
						}
						return node.Sleep(ctx, time.Hour)
					}, graph.Retry(3, time.Minute)).
					Undo("flight", "cancel_flight", func(ctx node.Context, o order) error {
						if _, err := node.Interrupt[string](ctx, nil, node.Prompt("Is the flight cancelled?")); err != nil {
							return err
						}
						return w.undoes("cancel flight")(ctx, o)
					})
			})
		},
		answers: map[string][]any{"cancel_flight": {"yes"}},
	},
	{
		name: "an undo fails, and the others run", status: "failed",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"flight", "hotel", "car"}, func(b *graph.Builder[order]) {
				b.Node("flight", w.does("book flight")).Node("hotel", w.does("book hotel")).Node("car", noCar).
					Undo("flight", "cancel_flight", w.undoes("cancel flight")).
					Undo("hotel", "cancel_hotel", func(ctx node.Context, _ order) error {
						_, err := w.step(ctx, "call the hotel")
						return errors.Join(err, node.Terminal(errors.New("no refund")))
					})
			})
		},
	},
	{
		name: "branches, a loop and a subgraph are undone", status: "failed",
		build: func(w *world) *graph.Graph[order] {
			inner := chain([]string{"inner"}, func(b *graph.Builder[order]) {
				b.Node("inner", w.books("room"))
				graph.Compensation(b, "inner", "cancel_room", w.cancels("room"))
			})
			left := func(ctx node.Context, o order) (order, error) {
				o.Fields = map[string]string{"left": "done"}
				_, err := w.step(ctx, "left")
				return o, err
			}
			again := func(_ node.Context, o order) (order, error) { o.Rounds++; return o, nil }
			return graph.New[order]("order").
				Node("take", w.does("take")).Node("left", left).Node("right", w.does("right")).
				Node("meet", w.does("meet"), graph.All()).Sub("hotel", inner).Node("again", again).Node("car", noCar).
				Edge(graph.Start, "take").Edge("take", "left", "right").Edge("left", "meet").Edge("right", "meet").
				Edge("meet", "hotel").Edge("hotel", "again").
				Route("again", func(_ node.Context, o order) (string, error) {
					return map[bool]string{true: "hotel", false: "car"}[o.Rounds < 2], nil
				}, "hotel", "car").
				Undo("left", "undo_left", w.undoes("undo left")).Undo("right", "undo_right", w.undoes("undo right")).
				Undo("hotel", "leave", w.undoes("leave the hotel")).
				MustCompile()
		},
	},
	{
		name: "a task without an outcome is undone", status: "failed",
		build: func(w *world) *graph.Graph[order] {
			return chain([]string{"flight", "car"}, func(b *graph.Builder[order]) {
				b.Node("flight", w.does("book flight")).Node("car", func(ctx node.Context, o order) (order, error) {
					if _, err := w.step(ctx, "ask for a car"); err != nil {
						return o, err
					}
					return noCar(ctx, o)
				}).Undo("car", "cancel_car", w.undoes("cancel car"), graph.Unfinished()).Undo("flight", "cancel_flight", w.undoes("cancel flight"))
			})
		},
	},
}

// Items of a map are undone as other tasks are, whatever the engine was doing when it died.
func TestF10_ItemsAreUndone(t *testing.T) {
	t.Parallel()
	w := newWorld()
	c := crashCase{
		name: "items of a map are undone", status: "failed",
		build: func(w *world) *graph.Graph[order] {
			room := graph.Of("book", func(ctx node.Context, b booking) (booking, error) {
				_, err := w.step(ctx, "book "+b.Ref)
				return b, err
			}).Undo("book", "cancel", func(ctx node.Context, b booking) error {
				_, err := w.step(ctx, "cancel "+b.Ref)
				return err
			}).MustCompile()
			return chain([]string{"rooms", "car"}, func(b *graph.Builder[order]) {
				graph.Map(b, "rooms", func(order) ([]booking, error) { return []booking{{"one"}, {"two"}, {"three"}}, nil }, room,
					func(o order, _ []booking) (order, error) { return o, nil }, graph.Limit(1))
				b.Node("car", noCar)
			})
		},
	}
	report := fermatatest.Crash(t, c.build(w).Plan(), input, c.options(w)...)
	c.check(t, report)
	if n := w.effects(); n["cancel one"] == 0 || n["cancel two"] == 0 || n["cancel three"] == 0 {
		t.Errorf("effects: %v", n)
	}
}
