package steps

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/postgres"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type state struct {
	N        int       `json:"n"`
	Messages []message `json:"messages"`
}

// builder begins a graph, which promises that its nodes change nothing in place or does not.
func builder(name string, immutable bool) *graph.Builder[state] {
	b := graph.New[state](name)
	if immutable {
		b = b.Immutable()
	}
	return b
}

// sequential is a chain of nodes that do nothing.
func sequential(n int, immutable bool) *graph.Graph[state] {
	b, before := builder("sequential", immutable), graph.Start
	for i := range n {
		name := fmt.Sprint("n", i)
		b = b.Node(name, func(_ node.Context, s state) (state, error) { return s, nil }).Edge(before, name)
		before = name
	}
	return b.Edge(before, graph.End).MustCompile()
}

// until chooses a node as long as there is something to count.
func until(n int, name string) graph.RouteFunc[state] {
	return func(_ node.Context, s state) (string, error) {
		if s.N < n {
			return name, nil
		}
		return graph.End, nil
	}
}

// loop is a node that counts.
func loop(n int, immutable bool) *graph.Graph[state] {
	count := func(_ node.Context, s state) (state, error) { s.N++; return s, nil }
	return builder("loop", immutable).Node("count", count).Edge(graph.Start, "count").
		Route("count", until(n, "count"), "count", graph.End).MustCompile()
}

// react is a model that asks for a tool n times, with texts of 3,600 and 36,000 characters.
func react(n int, immutable bool) *graph.Graph[state] {
	says := func(role string, texts []string, more int) func(node.Context, state) (state, error) {
		return func(_ node.Context, s state) (state, error) {
			s.Messages = append(slices.Clip(s.Messages), message{role, texts[min(s.N, n-1)]})
			s.N += more
			return s, nil
		}
	}
	queries, results := make([]string, n), make([]string, n)
	for i := range n {
		queries[i] = strings.Repeat(fmt.Sprintf("%08x-89ab-4def-8123-456789abcdef", i+1), 100)
		results[i] = strings.Repeat("result for query: "+queries[i], 10)
	}
	return builder("react", immutable).Node("model", says("assistant", queries, 0)).Node("tool", says("tool", results, 1)).
		Edge(graph.Start, "model").Edge("tool", "model").Route("model", until(n, "tool"), "tool", graph.End).MustCompile()
}

// inMemory runs a graph without a store.
func inMemory(b *testing.B, g *graph.Graph[state]) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Run(b.Context(), state{}); err != nil {
			b.Fatal(err)
		}
	}
}

// stored runs a graph in a store, and deletes each run outside of the time.
func stored(b *testing.B, g *graph.Graph[state], s journal.Store) {
	b.ReportAllocs()
	rt, err := fermata.New(fermata.Options{Store: s})
	if err != nil {
		b.Fatal(err)
	}
	defer rt.Close()
	for b.Loop() {
		run, err := g.Start(b.Context(), rt, state{})
		if err != nil {
			b.Fatal(err)
		}
		res, err := run.Wait(b.Context())
		if err != nil || res.Status != fermata.Completed {
			b.Fatalf("the run is %s, error %v", res.Status, err)
		}
		b.StopTimer()
		if err := s.Delete(b.Context(), res.Run); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkRun runs graphs without a store, and stored in memory.
func BenchmarkRun(b *testing.B) {
	for _, g := range []struct {
		name string
		of   func(n int, immutable bool) *graph.Graph[state]
		n    int
	}{{"Sequential", sequential, 1000}, {"Loop", loop, 1000}, {"React", react, 100}} {
		for _, way := range []string{"immutable", "default"} {
			of := g.of(g.n, way == "immutable")
			b.Run(g.name+"/"+way, func(b *testing.B) { inMemory(b, of) })
			b.Run(g.name+"/"+way+"-stored", func(b *testing.B) { stored(b, of, memory.New()) })
		}
	}
}

// BenchmarkStores runs 200 nodes, each stored when it has ended.
func BenchmarkStores(b *testing.B) {
	const nodes = 200
	for name, sync := range map[string]sqlite.Sync{"FULL": sqlite.Full, "NORMAL": sqlite.Normal} {
		b.Run("SQLite/"+name, func(b *testing.B) {
			s, err := sqlite.OpenWith(filepath.Join(b.TempDir(), "runs.db"), sqlite.Options{Sync: sync})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			stored(b, loop(nodes, true), s)
		})
	}
	b.Run("PostgreSQL", func(b *testing.B) {
		s, err := postgres.OpenWith(testserver.Postgres(b), postgres.Options{Schema: testserver.Schema(b)})
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		stored(b, loop(nodes, true), s)
	})
}
