package bench

import (
	"context"
	"crypto/sha256"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// BenchmarkCache runs a graph of one node on a runtime, in memory: called each time, found in the cache each time, and
// with a new input each time, which is looked up for nothing and kept. The node does little, so what is seen is what the
// cache costs: it pays where a call takes longer than a hit.
func BenchmarkCache(b *testing.B) {
	for _, size := range []int{100, 100_000} {
		text := strings.Repeat("x", size)
		for _, c := range []struct {
			name  string
			opts  []graph.NodeOption
			fresh bool
		}{
			{"called", nil, false},
			{"hit", []graph.NodeOption{graph.CacheFor("1", time.Hour)}, false},
			{"miss", []graph.NodeOption{graph.CacheFor("1", time.Hour)}, true},
		} {
			b.Run(c.name+"/"+strconv.Itoa(size), func(b *testing.B) {
				g := graph.New[messages]("cache").Node("a", hashed, c.opts...).Edge(graph.Start, "a").MustCompile()
				rt, err := fermata.New(fermata.Options{})
				if err != nil {
					b.Fatal(err)
				}
				defer rt.Close()
				ctx := context.Background()
				n := 0
				b.ReportAllocs()
				for b.Loop() {
					if c.fresh {
						n++
					}
					run, err := g.Start(ctx, rt, messages{Messages: []message{{Role: "user", Content: text}}, Count: n})
					if err == nil {
						_, err = run.Wait(ctx)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// hashed is a node that reads all of its state.
func hashed(_ node.Context, s messages) (messages, error) {
	sum := sha256.Sum256([]byte(s.Messages[0].Content))
	s.Count += int(sum[0])
	return s, nil
}
