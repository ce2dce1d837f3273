package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fermata-go/fermata/bench/internal/contest"
	"github.com/fermata-go/fermata/bench/internal/workload"
)

// engine is a way to run the workloads. What it cannot express is nil. Graphs are built once, before they are measured.
type engine struct {
	name       string
	foreign    bool // runs in another process, which measures itself
	sequential func(n int) (run[workload.Messages], error)
	loop       func(n int) (run[workload.Messages], error)
	react      func(s *workload.Script) (run[workload.Agent], error)
	fanOut     func(n int) (run[workload.Topics], error)
	wide       func(w workload.WideSize) (run[workload.Wide], error)
	pause      func(p *place) (run[workload.Messages], error) // start, ask, answer, end

	// With each node stored before the next.
	storedSequential func(p *place, n int) (run[workload.Messages], error)
	storedReact      func(p *place, s *workload.Script) (run[workload.Agent], error)
}

// errNot is the error of a workload that an engine cannot express.
var errNot = errors.New("the engine has no such thing")

// run runs a graph on an input.
type run[S any] func(ctx context.Context, input S) (S, error)

func engines() []engine {
	all := []engine{fermataEngine(), fermataImmutableEngine(), einoEngine(), langgraphgoEngine(), adkEngine()}
	if _, err := startJS(); err != nil {
		sayOnce.Do(func() { fmt.Fprintln(os.Stderr, "langgraph.js is left out:", err) })
		return all
	}
	return append(all, langgraphjsEngine())
}

var sayOnce sync.Once

// workloadOf is one workload: how an engine is made ready for it, its input, and what its result must be.
type workloadOf[S any] struct {
	unit  string
	units int
	make  func(e engine) (run[S], error)
	input func() S
	floor func() S
	check func(S) string
}

// warm is how long an engine in another process runs before it is measured.
const warm = 2 * time.Second

// measure lets all engines that can express a workload do it in turns, beside the floor, once their results are right.
func measure[S any](b *testing.B, w workloadOf[S]) {
	b.Helper()
	contestants := []contest.Contestant{{Name: "floor", Run: func() error { w.floor(); return nil }}}
	for _, e := range engines() {
		r, err := w.made(e)
		if err != nil {
			b.Fatalf("%s: %v", e.name, err)
		}
		if r == nil {
			continue
		}
		if err := right(w, r); err != nil {
			b.Fatalf("%s: %v", e.name, err)
		}
		ctx, window := context.Background(), (*contest.Window)(nil)
		if e.foreign {
			window = &contest.Window{}
			ctx = context.WithValue(ctx, windowKey{}, window)
			for began := time.Now(); time.Since(began) < warm; { // a compiler at run time has seen enough
				if _, err := r(ctx, w.input()); err != nil {
					b.Fatalf("%s: %v", e.name, err)
				}
			}
		}
		contestants = append(contestants, contest.Contestant{Name: e.name, Window: window, Run: func() error {
			_, err := r(ctx, w.input())
			return err
		}})
	}
	contest.Between(b, w.unit, w.units, contestants...)
}

// made makes an engine ready, or gives nil where it cannot express the workload.
func (w *workloadOf[S]) made(e engine) (run[S], error) {
	r, err := w.make(e)
	if errors.Is(err, errNot) {
		return nil, nil
	}
	return r, err
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
	if diff := cmp.Diff(w.floor(), got, cmpopts.EquateEmpty()); diff != "" {
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
				return nil, errNot
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
	r, err := w.made(e)
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
