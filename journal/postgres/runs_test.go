package postgres_test

import (
	"context"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/postgres"
	"github.com/fermata-go/fermata/node"
)

type counter struct {
	N int `json:"n"`
}

// BenchmarkRuns is whole runs of one node, 32 at once: what a start and an end cost beside their entries.
func BenchmarkRuns(b *testing.B) {
	s := open(b, postgres.Options{Schema: newSchema(b), Conns: 32})
	defer closeIt(b, s)
	rt, err := fermata.New(fermata.Options{Store: s})
	if err != nil {
		b.Fatal(err)
	}
	defer rt.Close()
	g := graph.New[counter]("once").
		Node("add", func(_ node.Context, c counter) (counter, error) { c.N++; return c, nil }).
		Edge(graph.Start, "add").MustCompile()
	ctx := context.Background()
	b.ResetTimer()
	each(b, 32, func(int, uint64) error {
		run, err := g.Start(ctx, rt, counter{})
		if err != nil {
			return err
		}
		_, err = run.Wait(ctx)
		return err
	})
}
