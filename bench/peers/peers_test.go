package peers

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/bench/internal/contest"
	"github.com/fermata-go/fermata/bench/internal/workload"
)

// engine is a way to run the workloads. What it cannot express is nil. Graphs are built once, before they are measured.
type engine struct {
	name       string
	sequential func(n int) (run[workload.Messages], error)
	loop       func(n int) (run[workload.Messages], error)
	react      func(s *workload.Script) (run[workload.Agent], error)
	fanOut     func(n int) (run[workload.Topics], error)
	wide       func(w workload.WideSize) (run[workload.Wide], error)
}

// run runs a graph on an input.
type run[S any] func(ctx context.Context, input S) (S, error)

func engines() []engine {
	return []engine{fermataEngine(), einoEngine(), langgraphgoEngine(), adkEngine()}
}

// workloadOf is one workload: how an engine is made ready for it, its input, and what its result must be.
type workloadOf[S any] struct {
	unit  string
	units int
	make  func(e engine) (run[S], error)
	input func() S
	floor func() S
	check func(S) string
}

// measure lets all engines that can express a workload do it in turns, beside the floor, once their results are right.
func measure[S any](b *testing.B, w workloadOf[S]) {
	b.Helper()
	contestants := []contest.Contestant{{Name: "floor", Run: func() error { w.floor(); return nil }}}
	for _, e := range engines() {
		r, err := w.make(e)
		if err != nil {
			b.Fatalf("%s: %v", e.name, err)
		}
		if r == nil {
			continue
		}
		if err := right(w, r); err != nil {
			b.Fatalf("%s: %v", e.name, err)
		}
		contestants = append(contestants, contest.Contestant{Name: e.name, Run: func() error {
			_, err := r(context.Background(), w.input())
			return err
		}})
	}
	contest.Between(b, w.unit, w.units, contestants...)
}

// right runs a workload once and says what is wrong with its result.
func right[S any](w workloadOf[S], r run[S]) error {
	got, err := r(context.Background(), w.input())
	if err != nil {
		return err
	}
	if w.check != nil {
		if wrong := w.check(got); wrong != "" {
			return fmt.Errorf("a wrong result: %s", wrong)
		}
		return nil
	}
	if diff := cmp.Diff(w.floor(), got); diff != "" {
		return fmt.Errorf("a wrong result (-want +got):\n%s", diff)
	}
	return nil
}

func sequentialOf(n int) workloadOf[workload.Messages] {
	nodes := make([]func(workload.Messages) workload.Messages, n)
	for i := range nodes {
		nodes[i] = workload.Noop
	}
	return workloadOf[workload.Messages]{
		unit: "node", units: n,
		make:  func(e engine) (run[workload.Messages], error) { return e.sequential(n) },
		input: func() workload.Messages { return workload.Messages{} },
		floor: func() workload.Messages { return workload.Chain(nodes, workload.Messages{}) },
	}
}

func loopOf(n int) workloadOf[workload.Messages] {
	count := workload.Count
	return workloadOf[workload.Messages]{
		unit: "node", units: n,
		make:  func(e engine) (run[workload.Messages], error) { return e.loop(n) },
		input: func() workload.Messages { return workload.Messages{} },
		floor: func() workload.Messages { return workload.Loop(count, n) },
	}
}

func reactOf(n int) workloadOf[workload.Agent] {
	s := workload.NewScript(n)
	return workloadOf[workload.Agent]{
		unit: "node", units: s.Nodes(),
		make:  func(e engine) (run[workload.Agent], error) { return e.react(s) },
		input: s.Begin,
		floor: func() workload.Agent { return s.React(s.Begin()) },
		check: s.Check,
	}
}

func fanOutOf(n int) workloadOf[workload.Topics] {
	topics := workload.NewTopics(n)
	return workloadOf[workload.Topics]{
		unit: "child", units: n,
		make: func(e engine) (run[workload.Topics], error) {
			if e.fanOut == nil {
				return nil, nil
			}
			return e.fanOut(n)
		},
		input: func() workload.Topics { return topics },
		floor: func() workload.Topics { return workload.FanOut(topics) },
		check: func(t workload.Topics) string { return t.Check() },
	}
}

func wideOf(w workload.WideSize) workloadOf[workload.Wide] {
	nodes, input := w.Nodes(), w.Input()
	return workloadOf[workload.Wide]{
		unit: "node", units: w.Visits(),
		make:  func(e engine) (run[workload.Wide], error) { return e.wide(w) },
		input: func() workload.Wide { return input },
		floor: func() workload.Wide { return w.Run(nodes, input) },
		check: w.Check,
	}
}

// Every engine comes to the same results.
func TestResults(t *testing.T) {
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) {
			same(t, "sequential", e, sequentialOf(10))
			same(t, "loop", e, loopOf(100))
			same(t, "react", e, reactOf(10))
			same(t, "fan-out", e, fanOutOf(10))
			for _, w := range workload.WideSizes() {
				same(t, "wide "+w.Name, e, wideOf(w))
			}
		})
	}
}

func same[S any](t *testing.T, name string, e engine, w workloadOf[S]) {
	t.Helper()
	r, err := w.make(e)
	if err == nil && r != nil {
		err = right(w, r)
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func BenchmarkSequential(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) { measure(b, sequentialOf(n)) })
	}
}

func BenchmarkLoop10000(b *testing.B) { measure(b, loopOf(10_000)) }

func BenchmarkReactAgent(b *testing.B) {
	for _, n := range []int{10, 100} {
		b.Run(strconv.Itoa(n), func(b *testing.B) { measure(b, reactOf(n)) })
	}
}

func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{10, 100} {
		b.Run(strconv.Itoa(n), func(b *testing.B) { measure(b, fanOutOf(n)) })
	}
}

func BenchmarkWideState(b *testing.B) {
	for _, w := range workload.WideSizes() {
		b.Run(w.Name, func(b *testing.B) { measure(b, wideOf(w)) })
	}
}
