package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/bench/internal/contest"
	"github.com/fermata-go/fermata/bench/internal/workload"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// job is a graph with an input, and what is wrong with its result: "" for nothing.
type job[S any] struct {
	graph *graph.Graph[S]
	input func() S
	check func(S) string
}

func (j *job[S]) judge(s S, err error) error {
	if err == nil && j.check != nil {
		if wrong := j.check(s); wrong != "" {
			err = errors.New(wrong)
		}
	}
	return err
}

// checked runs it once in each way that is measured, and looks at the results.
func (j *job[S]) checked(b *testing.B, rt *fermata.Runtime) {
	b.Helper()
	out, err := j.graph.Run(b.Context(), j.input())
	if err := j.judge(out, err); err != nil {
		b.Fatal("not stored:", err)
	}
	for name, opts := range map[string][]fermata.StartOption{"events": {fermata.WithDurability(fermata.None)}, "stored": nil} {
		run, err := j.graph.Start(b.Context(), rt, j.input(), opts...)
		if err != nil {
			b.Fatal(name, err)
		}
		res, err := run.Wait(b.Context())
		if err := j.judge(res.State, err); err != nil {
			b.Fatal(name, err)
		}
	}
}

// plain runs the graph in the caller's goroutine, with nothing kept.
func (j *job[S]) plain() error {
	_, err := j.graph.Run(context.Background(), j.input())
	return err
}

// stored runs it on a runtime to its end, with a journal of its own.
func (j *job[S]) stored(rt *fermata.Runtime) func() error {
	return func() error {
		ctx := context.Background()
		run, err := j.graph.Start(ctx, rt, j.input())
		if err != nil {
			return err
		}
		return ended(run.Wait(ctx))
	}
}

// watched runs it on a runtime with nothing kept, while one reader drains its events.
func (j *job[S]) watched(rt *fermata.Runtime) func() error {
	return func() error {
		ctx := context.Background()
		run, err := j.graph.Start(ctx, rt, j.input(), fermata.WithDurability(fermata.None))
		if err != nil {
			return err
		}
		seen := uint64(0)
		for e, err := range run.Events(ctx, 0) {
			if err != nil {
				return err
			}
			seen = e.Seq()
		}
		if seen == 0 {
			return errors.New("no event was seen")
		}
		return ended(run.Wait(ctx))
	}
}

func ended[S any](res graph.Result[S], err error) error {
	if err == nil && res.Status != fermata.Completed {
		err = fmt.Errorf("the run is %s", res.Status)
	}
	return err
}

// compare measures a job without a store, with events, and with the store in memory, beside floors.
func compare[S any](b *testing.B, unit string, units int, j job[S], floors ...contest.Contestant) {
	b.Helper()
	rt := newRuntime(b, fermata.Options{})
	j.checked(b, rt)
	contest.Between(b, unit, units, append(floors,
		contest.Contestant{Name: "fermata", Run: j.plain},
		contest.Contestant{Name: "events", Run: j.watched(rt)},
		contest.Contestant{Name: "stored", Run: forgetful(j)})...)
}

// forgetful stores runs in memory, and begins with an empty store whenever there are many in it.
func forgetful[S any](j job[S]) func() error {
	var rt *fermata.Runtime
	runs := 0
	return func() error {
		if runs%64 == 0 {
			if rt != nil {
				if err := rt.Close(); err != nil {
					return err
				}
			}
			var err error
			if rt, err = fermata.New(fermata.Options{}); err != nil {
				return err
			}
		}
		runs++
		return j.stored(rt)()
	}
}

func floor(name string, f func()) contest.Contestant {
	return contest.Contestant{Name: name, Run: func() error { f(); return nil }}
}

func newRuntime(b *testing.B, o fermata.Options) *fermata.Runtime {
	b.Helper()
	rt, err := fermata.New(o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := rt.Close(); err != nil {
			b.Error(err)
		}
	})
	return rt
}

func nothing() messages { return messages{} }

func BenchmarkSequential(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			nodes := make([]func(messages) messages, n)
			for i := range nodes {
				nodes[i] = workload.Noop
			}
			compare(b, "node", n, job[messages]{graph: sequential(n), input: nothing},
				floor("floor", func() { workload.Chain(nodes, messages{}) }))
		})
	}
}

func BenchmarkLoop10000(b *testing.B) {
	const n = 10_000
	count := workload.Count
	compare(b, "node", n, job[messages]{graph: loop(n), input: nothing, check: func(s messages) string {
		if s.Count != n {
			return fmt.Sprintf("counted to %d, expected %d", s.Count, n)
		}
		return ""
	}}, floor("floor", func() { workload.Loop(count, n) }))
}

func BenchmarkReactAgent(b *testing.B) {
	for _, n := range []int{10, 100} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := workload.NewScript(n)
			compare(b, "node", s.Nodes(), job[workload.Agent]{graph: react(s), input: s.Begin, check: s.Check},
				floor("floor", func() { s.React(s.Begin()) }))
		})
	}
}

func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{10, 100} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			topics := workload.NewTopics(n)
			j := job[workload.Topics]{
				graph: fanOut(), input: func() workload.Topics { return topics },
				check: func(t workload.Topics) string { return t.Check() },
			}
			compare(b, "child", n, j,
				floor("floor", func() { workload.FanOut(topics) }),
				floor("floor-goroutines", func() { workload.FanOutAtOnce(topics) }))
		})
	}
}

func BenchmarkWideState(b *testing.B) {
	for _, w := range workload.WideSizes() {
		b.Run(w.Name, func(b *testing.B) {
			nodes, input := w.Nodes(), w.Input()
			j := job[workload.Wide]{graph: wide(w), input: func() workload.Wide { return input }, check: w.Check}
			compare(b, "node", w.Visits(), j,
				floor("floor", func() { w.Run(nodes, input) }),
				floor("floor-goroutines", func() { w.RunAtOnce(nodes, input) }),
				floor("floor-isolated", func() { w.RunIsolated(nodes, input) }))
		})
	}
}

func BenchmarkStream10000(b *testing.B) {
	const n = 10_000
	g := graph.New[messages]("stream").
		Node("talk", func(ctx node.Context, s messages) (messages, error) {
			w, err := node.Stream(ctx, "answer")
			if err != nil {
				return s, err
			}
			for range n {
				if err := w.Write("chunk "); err != nil {
					return s, err
				}
			}
			return s, w.Close()
		}).
		Edge(graph.Start, "talk").
		MustCompile()
	j := job[messages]{graph: g, input: nothing}
	contest.Between(b, "chunk", n,
		floor("floor", func() {
			c := make(chan string, 256)
			go func() {
				for range n {
					c <- "chunk "
				}
				close(c)
			}()
			for range c {
			}
		}),
		contest.Contestant{Name: "events", Run: j.watched(newRuntime(b, fermata.Options{}))})
}

func gate() *graph.Graph[messages] {
	return graph.New[messages]("gate").
		Node("ask", func(ctx node.Context, s messages) (messages, error) {
			ok, err := node.Interrupt[bool](ctx, nil, node.Prompt("Go on?"))
			if ok {
				s.Count++
			}
			return s, err
		}).
		Edge(graph.Start, "ask").
		MustCompile()
}

// pauseAndResume starts a run, waits until it asks, answers, and waits for its end.
func pauseAndResume(rt *fermata.Runtime) func() error {
	g := gate()
	ctx := context.Background()
	return func() error {
		run, err := g.Start(ctx, rt, messages{})
		if err != nil {
			return err
		}
		res, err := run.Wait(ctx)
		if err != nil || res.Status != fermata.Paused {
			return fmt.Errorf("the run is %s: %w", res.Status, err)
		}
		if err := rt.Answer(ctx, res.Interrupts[0].ID, true); err != nil {
			return err
		}
		return ended(run.Wait(ctx))
	}
}

func BenchmarkPauseAndResumeMemory(b *testing.B) {
	resume := pauseAndResume(newRuntime(b, fermata.Options{}))
	b.ReportAllocs()
	for b.Loop() {
		if err := resume(); err != nil {
			b.Fatal(err)
		}
	}
}
