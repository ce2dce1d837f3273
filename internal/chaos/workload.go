package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"time"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// work is the state of a run of the workload.
type work struct {
	Seed    uint64
	Done    []string `merge:"append"` // the effects that the run knows of
	Unknown bool     // the outcome of the step that happens at most once is not known
	Answer  int
}

// piece is one item of the workload's map.
type piece struct {
	Name string
	Seed uint64
}

// pieces are the items of each run.
var pieces = []string{"item-1", "item-2", "item-3"}

// effects are what each run does to the outside, once.
var effects = slices.Concat([]string{"begin", "left", "right", "end"}, pieces)

// onceEffect is the effect of a step that happens at most once: it may be missing where its outcome is not known.
const onceEffect = "once"

// world is the outside: it takes effects and remembers them.
type world struct {
	ledger *os.File
	worker string
}

// effect writes one line, which the system appends as a whole.
func (w *world) effect(ctx context.Context, name string) error {
	c, ok := node.FromContext(ctx)
	if !ok {
		return errors.New("an effect outside of a node")
	}
	_, err := fmt.Fprintf(w.ledger, "%s %s %s %s %d\n", c.Info().Run, name, node.IdempotencyKey(ctx), w.worker, time.Now().UnixMicro())
	return err
}

// between draws a time that is the same whenever the same is asked for.
func between(seed uint64, what string, from, to time.Duration) time.Duration {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d %s", seed, what)
	return from + time.Duration(h.Sum64()%uint64(to-from))
}

// step does one effect, which takes a while: a kill finds it before, in the middle of or behind its record.
func (w *world) step(ctx node.Context, seed uint64, name string, opts ...node.StepOption) error {
	_, err := node.Step(ctx, name, func(ctx node.Context) (string, error) {
		if err := w.effect(ctx, name); err != nil {
			return "", err
		}
		select {
		case <-time.After(between(seed, name, 0, 100*time.Millisecond)):
			return name, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}, opts...)
	return err
}

// does is a node with one effect.
func (w *world) does(name string) graph.Func[work] {
	return func(ctx node.Context, s work) (work, error) {
		if err := w.step(ctx, s.Seed, name); err != nil {
			return s, err
		}
		s.Done = append(s.Done, name)
		return s, nil
	}
}

// workload is a graph with a bit of everything: a fork and a join, a sleep, a retry, a map, a question, and a step that
// happens at most once.
func (w *world) workload() (*graph.Graph[work], error) {
	item, err := graph.Of("do", func(ctx node.Context, p piece) (piece, error) { return p, w.step(ctx, p.Seed, p.Name) }).Compile()
	if err != nil {
		return nil, err
	}
	g := graph.New[work]("chaos")
	g.Node("begin", w.does("begin"))
	g.Node("left", func(ctx node.Context, s work) (work, error) {
		if err := node.Sleep(ctx, between(s.Seed, "sleep", 50*time.Millisecond, 1500*time.Millisecond)); err != nil {
			return s, err
		}
		return w.does("left")(ctx, s)
	})
	g.Node("right", func(ctx node.Context, s work) (work, error) {
		if ctx.Info().Attempt == 1 {
			return s, errors.New("not at the first attempt")
		}
		return w.does("right")(ctx, s)
	}, graph.Retry(3, 20*time.Millisecond))
	graph.Map(g, "items", split, item, gather, graph.Limit(2), graph.All())
	g.Node("ask", ask)
	g.Node("once", w.once)
	g.Node("end", w.does("end"))
	g.Edge(graph.Start, "begin").Edge("begin", "left", "right").Edge("left", "items").Edge("right", "items")
	g.Edge("items", "ask").Edge("ask", "once").Edge("once", "end")
	return g.Compile()
}

func split(s work) ([]piece, error) {
	list := make([]piece, len(pieces))
	for i, name := range pieces {
		list[i] = piece{Name: name, Seed: s.Seed}
	}
	return list, nil
}

func gather(s work, done []piece) (work, error) {
	for _, p := range done {
		s.Done = append(s.Done, p.Name)
	}
	return s, nil
}

func ask(ctx node.Context, s work) (work, error) {
	said, err := node.Interrupt[int](ctx, map[string]uint64{"seed": s.Seed}, node.Prompt("How much?"))
	s.Answer = said
	return s, err
}

// answerOf is what a run has to be answered.
func answerOf(seed uint64) int { return int(seed%1000) + 1 }

func (w *world) once(ctx node.Context, s work) (work, error) {
	err := w.step(ctx, s.Seed, onceEffect, node.AtMostOnce())
	if errors.Is(err, node.ErrOutcomeUnknown) {
		s.Unknown = true
		return s, nil
	}
	if err == nil {
		s.Done = append(s.Done, onceEffect)
	}
	return s, err
}
