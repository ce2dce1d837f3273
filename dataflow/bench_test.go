package dataflow_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/node"
)

// dagNodes is how many nodes the graphs have that are measured.
const dagNodes = 10_000

// before are the three nodes that node v reads: of the layer above in a wide graph, the last three in a deep one. Those below
// 0 are inputs of the run.
func before(v, width int) [3]int {
	if width == 1 {
		return [3]int{v - 1, v - 2, v - 3}
	}
	layer, at := v/width, v%width
	above := (layer - 1) * width
	if layer == 0 {
		return [3]int{-1, -2, -3}
	}
	return [3]int{above + at, above + (at+1)%width, above + (at+2)%width}
}

type three struct{ A, B, C int }

func (in three) sum() int { return (in.A + in.B*3 + in.C*5 + 1) & 0xffff }

func valueName(v int) string {
	if v < 0 {
		return fmt.Sprintf("in%d", -v)
	}
	return fmt.Sprintf("v%d", v)
}

// dag is a graph of n nodes, of which width are beside each other.
func dag(tb testing.TB, n, width int) *dataflow.Graph {
	var parts []dataflow.Part
	sum := dataflow.Func("sum", "out", func(_ node.Context, in three) (int, error) { return in.sum(), nil })
	for v := range n {
		from := before(v, width)
		parts = append(parts, sum.With(
			dataflow.Rename(fmt.Sprintf("n%d", v)), dataflow.RenameOutput("out", valueName(v)),
			dataflow.RenameInput("a", valueName(from[0])), dataflow.RenameInput("b", valueName(from[1])), dataflow.RenameInput("c", valueName(from[2])),
		))
	}
	var last []string
	for v := n - width; v < n; v++ {
		last = append(last, valueName(v))
	}
	parts = append(parts, dataflow.Select(last...))
	g, err := dataflow.New("dag", parts...)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

var dagInput = dataflow.Values{"in1": 1, "in2": 2, "in3": 3}

// byHand is the same in plain Go: a goroutine for each node, which waits for those that it reads.
func byHand(ctx context.Context, n, width int) (int, error) {
	g, ctx := errgroup.WithContext(ctx)
	done, out := make([]chan struct{}, n), make([]int, n)
	for v := range n {
		done[v] = make(chan struct{})
	}
	for v := range n {
		g.Go(func() error {
			var in [3]int
			for i, from := range before(v, width) {
				if from < 0 {
					in[i] = -from
					continue
				}
				select {
				case <-done[from]:
				case <-ctx.Done():
					return ctx.Err()
				}
				in[i] = out[from]
			}
			out[v] = three{in[0], in[1], in[2]}.sum()
			close(done[v])
			return nil
		})
	}
	err := g.Wait()
	return out[n-1], err
}

func benchmarkDAG(b *testing.B, width int) {
	g := dag(b, dagNodes, width)
	want, _ := byHand(context.Background(), dagNodes, width)
	run := func(b *testing.B, f func() (int, error)) {
		b.ReportAllocs()
		for b.Loop() {
			if got, err := f(); err != nil || got != want {
				b.Fatal(got, err, "expected", want)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/dagNodes, "ns/node")
	}
	last := valueName(dagNodes - 1)
	of := func(res dataflow.Result, err error) (int, error) {
		if err != nil {
			return 0, err
		}
		return dataflow.Get[int](res.Outputs, last)
	}
	b.Run("errgroup", func(b *testing.B) {
		run(b, func() (int, error) { return byHand(context.Background(), dagNodes, width) })
	})
	b.Run("run", func(b *testing.B) {
		run(b, func() (int, error) { return of(g.Run(context.Background(), dagInput)) })
	})
	b.Run("call", func(b *testing.B) {
		run(b, func() (int, error) { return of(g.Call(context.Background(), dagInput)) })
	})
}

func BenchmarkDAGWide(b *testing.B) { benchmarkDAG(b, 1000) }

func BenchmarkDAGNarrow(b *testing.B) { benchmarkDAG(b, 10) }

func BenchmarkDAGDeep(b *testing.B) { benchmarkDAG(b, 1) }

// What a graph takes grows with its nodes, and no faster.
func BenchmarkDAGGrowth(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			began := time.Now()
			g := dag(b, n, 100)
			built := time.Since(began)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := g.Call(context.Background(), dagInput); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
			b.ReportMetric(float64(built.Milliseconds()), "ms-build")
		})
	}
}

// The same with everything stored, in memory.
func BenchmarkDAGStored(b *testing.B) {
	g := dag(b, dagNodes, 100)
	for b.Loop() {
		rt, err := fermata.New(fermata.Options{})
		if err != nil {
			b.Fatal(err)
		}
		run, err := g.Start(context.Background(), rt, dagInput)
		if err == nil {
			_, err = run.Wait(context.Background())
		}
		if err != nil {
			b.Fatal(err)
		}
		if err := rt.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/dagNodes, "ns/node")
}

func BenchmarkBuild(b *testing.B) {
	for _, width := range []int{1000, 1} {
		b.Run(fmt.Sprintf("width=%d", width), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				dag(b, dagNodes, width)
			}
		})
	}
}
