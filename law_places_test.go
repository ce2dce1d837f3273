package fermata_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// basket is a state whose list everybody changes in place.
type basket struct {
	List []int
	Note map[string]int
	Seen []string
}

func newBasket() basket { return basket{List: []int{1, 2, 3}, Note: map[string]int{"n": 1}} }

// spoil changes in place all that a basket leads to, and says what it was.
func spoil(b basket) string {
	was := fmt.Sprint(b.List, b.Note)
	for i := range b.List {
		b.List[i] += 10
	}
	for k := range b.Note {
		b.Note[k] += 10
	}
	return was
}

var errSpoiled = errors.New("spoiled")

// sees says what it was given, and spoils that.
func sees(_ node.Context, b basket) (basket, error) {
	was := spoil(b)
	return basket{List: b.List, Note: b.Note, Seen: append(b.Seen, was)}, nil
}

func dozes(ctx node.Context, b basket) (basket, error) { return b, node.Sleep(ctx, time.Microsecond) }

// partPlaces are where values go into subgraphs and maps, and come out of them.
func partPlaces() map[string]func() *graph.Graph[basket] {
	child := func(name string) *graph.Graph[basket] {
		return graph.New[basket](name).Node("first", sees).Node("asleep", dozes).Node("second", sees).
			Edge(graph.Start, "first").Edge("first", "asleep").Edge("asleep", "second").MustCompile()
	}
	return map[string]func() *graph.Graph[basket]{
		"input of a subgraph": func() *graph.Graph[basket] {
			b := graph.New[basket]("p")
			graph.SubOf(b, "sub", child("c"), func(s basket) (basket, error) { return basket{List: s.List, Note: s.Note}, nil },
				func(s, c basket) (basket, error) { s.Seen = slices.Concat(c.Seen, []string{spoil(s)}); return s, nil })
			return b.Node("end", sees).Edge(graph.Start, "sub").Edge("sub", "end").MustCompile()
		},
		"result of a subgraph": func() *graph.Graph[basket] {
			b := graph.New[basket]("p")
			graph.SubOf(b, "sub", child("c"), func(s basket) (basket, error) { spoil(s); return s, nil },
				func(s, c basket) (basket, error) { spoil(c); c.Seen = append(c.Seen, spoil(s)); return c, nil })
			return b.Node("end", sees).Edge(graph.Start, "sub").Edge("sub", "end").MustCompile()
		},
		"items of a map": func() *graph.Graph[basket] {
			b := graph.New[basket]("p")
			graph.Map(b, "map", func(s basket) ([]basket, error) { return []basket{s, s, {List: s.List}}, nil }, child("c"),
				func(s basket, all []basket) (basket, error) {
					for _, c := range all {
						s.Seen = append(s.Seen, fmt.Sprint(c.Seen), spoil(c))
					}
					s.Seen = append(s.Seen, spoil(s))
					return s, nil
				}, graph.Limit(1))
			return b.Node("end", sees).Edge(graph.Start, "map").Edge("map", "end").MustCompile()
		},
		"results of a map": func() *graph.Graph[basket] {
			b := graph.New[basket]("p")
			graph.Map(b, "map", func(s basket) ([]basket, error) { spoil(s); return []basket{{List: s.List}, s}, nil }, child("c"),
				func(s basket, all []basket) (basket, error) { s.List, s.Note = all[0].List, all[1].Note; return s, nil })
			return b.Node("asleep", dozes).Node("end", sees).Edge(graph.Start, "map").Edge("map", "asleep").Edge("asleep", "end").MustCompile()
		},
	}
}

// nodePlaces are where values go from node to node.
func nodePlaces() map[string]func() *graph.Graph[basket] {
	return map[string]func() *graph.Graph[basket]{
		"a gate": func() *graph.Graph[basket] {
			return graph.New[basket]("p").Node("a", sees).Node("b", sees).Edge(graph.Start, "a").
				Route("a", func(_ node.Context, s basket) (string, error) { spoil(s); return "b", nil }, "b").MustCompile()
		},
		"branches": func() *graph.Graph[basket] {
			return graph.New[basket]("p").Node("a", sees).Node("l", sees).Node("r", sees).Node("end", sees, graph.All()).
				Merge(func(base basket, all []basket) (basket, error) {
					base.Seen = slices.Concat(all[0].Seen, all[1].Seen)
					base.Seen = append(base.Seen, spoil(base), spoil(all[0]), spoil(all[1]))
					base.List = all[1].List
					return base, nil
				}).
				Edge(graph.Start, "a").Edge("a", "l", "r").Edge("l", "end").Edge("r", "end").MustCompile()
		},
		"an error edge": func() *graph.Graph[basket] {
			return graph.New[basket]("p").
				Node("a", func(ctx node.Context, s basket) (basket, error) { spoil(s); return s, errSpoiled }).
				Node("end", sees).Edge(graph.Start, "a").OnError("a", "end").MustCompile()
		},
		"a gate of failures": func() *graph.Graph[basket] {
			return graph.New[basket]("p").
				Node("a", func(ctx node.Context, s basket) (basket, error) { spoil(s); return s, errSpoiled }).
				Node("end", sees).Edge(graph.Start, "a").
				Catch("a", func(_ node.Context, s basket, _ error) (string, error) { spoil(s); return "end", nil }, "end").MustCompile()
		},
		"a gate with branches": func() *graph.Graph[basket] {
			return graph.New[basket]("p").Node("a", sees).Node("l", sees).Node("r", sees).
				Node("end", func(_ node.Context, s basket) (basket, error) { return s, nil }, graph.All()).
				Merge(func(_ basket, all []basket) (basket, error) {
					return basket{List: all[0].List, Note: all[1].Note, Seen: append(all[0].Seen, all[1].Seen...)}, nil
				}).
				RouteMany("a", func(_ node.Context, s basket) ([]string, error) { spoil(s); return []string{"l", "r"}, nil }, "l", "r").
				Edge(graph.Start, "a").Edge("l", "end").Edge("r", "end").MustCompile()
		},
		"a variable of the program": func() *graph.Graph[basket] {
			defaults := newBasket()
			return graph.New[basket]("p").
				Node("a", func(_ node.Context, s basket) (basket, error) {
					s.List, s.Note = defaults.List, defaults.Note
					return s, nil
				}).
				Node("b", sees).Node("asleep", dozes).Node("c", sees).
				Edge(graph.Start, "a").Edge("a", "b").Edge("b", "asleep").Edge("asleep", "c").MustCompile()
		},
		"what an earlier node has kept": func() *graph.Graph[basket] {
			var kept sync.Map // by run
			spoilKept := func(ctx node.Context, s basket) (basket, error) {
				if b, ok := kept.Load(ctx.Info().Run); ok {
					spoil(b.(basket))
				}
				return s, nil
			}
			keep := func(ctx node.Context, s basket) (basket, error) { kept.Store(ctx.Info().Run, s); return s, nil }
			return graph.New[basket]("p").Node("a", keep).Node("b", spoilKept).Node("c", sees).
				Route("b", func(ctx node.Context, s basket) (string, error) { _, err := spoilKept(ctx, s); return "c", err }, "c").
				Edge(graph.Start, "a").Edge("a", "b").MustCompile()
		},
		"spare capacity": func() *graph.Graph[basket] {
			twice := func(_ node.Context, s basket) (basket, error) {
				x, y := append(s.List, 7), append(s.List, 8) //nolint:gocritic // both are to begin with the list
				s.Seen = append(s.Seen, fmt.Sprint(x, y))
				s.List = x
				return s, nil
			}
			return graph.New[basket]("p").
				Node("a", func(_ node.Context, s basket) (basket, error) { s.List = append(make([]int, 0, 16), 1); return s, nil }).
				Node("b", twice).Node("c", twice).Node("asleep", dozes).Node("d", twice).Node("e", twice).
				Edge(graph.Start, "a").Edge("a", "b").Edge("b", "c").Edge("c", "asleep").Edge("asleep", "d").Edge("d", "e").MustCompile()
		},
		"another attempt": func() *graph.Graph[basket] {
			return graph.New[basket]("p").
				Node("a", func(ctx node.Context, s basket) (basket, error) {
					s.Seen = append(s.Seen, spoil(s))
					if ctx.Info().Attempt < 2 {
						return s, errSpoiled
					}
					return s, nil
				}, graph.Retry(3, time.Microsecond)).
				Node("end", sees).Edge(graph.Start, "a").Edge("a", "end").MustCompile()
		},
		"a wait": func() *graph.Graph[basket] {
			return graph.New[basket]("p").
				Node("a", func(ctx node.Context, s basket) (basket, error) {
					s.Seen = append(s.Seen, spoil(s))
					return s, node.Sleep(ctx, time.Microsecond)
				}).
				Node("end", sees).Edge(graph.Start, "a").Edge("a", "end").MustCompile()
		},
	}
}

// Whoever is given a value changes it in place, in every place where values are handed from one to another: nobody else
// sees it (laws N9 and N10).
func TestN9_N10_WhatIsHandedOnBelongsToWhoIsGivenIt(t *testing.T) {
	places := partPlaces()
	maps.Copy(places, nodePlaces())
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := place()
			once, err := g.Run(t.Context(), newBasket())
			if err != nil {
				t.Fatal(err)
			}
			for _, got := range crashedEverywhere(t, g, newBasket()) {
				if !reflect.DeepEqual(got.state, once) {
					t.Errorf("%s: expected as without a store\n%+v\nfound\n%+v", got.way, once, got.state)
				}
			}
		})
	}
}
