package graph_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

type message struct{ Role, Content string }

type chat struct {
	Messages []message
	N        int
}

func chain(n int) *graph.Graph[chat] {
	b := graph.New[chat]("sequential")
	prev := graph.Start
	for i := range n {
		name := "n" + strconv.Itoa(i)
		b.Node(name, func(_ node.Context, s chat) (chat, error) { return s, nil })
		b.Edge(prev, name)
		prev = name
	}
	return b.MustCompile()
}

func BenchmarkSequential1000(b *testing.B) {
	g := chain(1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Run(context.Background(), chat{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/node")
}

func BenchmarkLoop10000(b *testing.B) {
	g := graph.New[chat]("loop").
		Node("count", func(_ node.Context, s chat) (chat, error) { s.N++; return s, nil }).
		Edge(graph.Start, "count").
		Route("count", func(_ node.Context, s chat) (string, error) {
			if s.N < 10000 {
				return "count", nil
			}
			return graph.End, nil
		}, "count", graph.End).
		MustCompile()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Run(context.Background(), chat{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10000, "ns/node")
}
