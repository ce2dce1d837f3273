package state_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/state"
)

// entry takes about 128 bytes of JSON.
type entry struct {
	Role string `json:"role"`
	Text string `json:"text"`
	At   int    `json:"at"`
}

func entryOf(i int) entry {
	return entry{Role: "user", Text: fmt.Sprintf("%06d %-80s", i, "a line of a conversation that says nothing"), At: i}
}

// visits is how often a node changes its state in a run; the first ones are not measured.
const (
	visits = 2000
	warm   = 100
)

// growth measures a node as its function is called over and over on a state that grows. Its start is not measured.
func growth[S any](b *testing.B, start S, change func(S, int) S, opts ...fermata.Options) {
	b.Helper()
	var began time.Time
	var spent time.Duration
	n := 0
	step := func(_ node.Context, s S) (S, error) {
		switch n++; n {
		case warm:
			runtime.GC()
			began = time.Now()
		case visits:
			spent += time.Since(began)
		}
		return change(s, n), nil
	}
	again := func(_ node.Context, _ S) (string, error) {
		if n < visits {
			return "step", nil
		}
		return graph.End, nil
	}
	g := graph.New[S]("growth").Node("step", step).Edge(graph.Start, "step").Route("step", again, "step", graph.End).MustCompile()
	ctx := context.Background()
	for range b.N {
		n = 0
		if len(opts) == 0 {
			if _, err := g.Run(ctx, start); err != nil {
				b.Fatal(err)
			}
			continue
		}
		rt, err := fermata.New(opts[0])
		if err != nil {
			b.Fatal(err)
		}
		h, err := g.Start(ctx, rt, start)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := h.Wait(ctx); err != nil {
			b.Fatal(err)
		}
		_ = rt.Close()
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N)/(visits-warm), "ns/node")
	b.ReportMetric(0, "ns/op")
}

// sizes of a state's JSON.
var sizes = []struct {
	name    string
	entries int
}{{"1KB", 8}, {"16KB", 128}, {"256KB", 2 << 10}, {"4MB", 32 << 10}, {"16MB", 128 << 10}}

// ways are unstored, and stored in memory.
var ways = map[string][]fermata.Options{"unstored": nil, "memory": {{}}}

type listed struct {
	Topic   string            `json:"topic"`
	Entries state.List[entry] `json:"entries"`
}

// BenchmarkAppend has a node add one entry to a state.List, and BenchmarkAppendPlain to a slice.
func BenchmarkAppend(b *testing.B) {
	for _, size := range sizes {
		start := listed{Topic: "growth"}
		for i := range size.entries {
			start.Entries = start.Entries.Append(entryOf(i))
		}
		for way, opts := range ways {
			b.Run(way+"/"+size.name, func(b *testing.B) {
				growth(b, start, func(s listed, n int) listed {
					s.Entries = s.Entries.Append(entry{Role: "user", Text: "another line", At: n})
					return s
				}, opts...)
			})
		}
	}
}

type sliced struct {
	Topic   string  `json:"topic"`
	Entries []entry `json:"entries"`
}

func BenchmarkAppendPlain(b *testing.B) {
	for _, size := range sizes[:3] {
		start := sliced{Topic: "growth"}
		for i := range size.entries {
			start.Entries = append(start.Entries, entryOf(i))
		}
		for way, opts := range ways {
			b.Run(way+"/"+size.name, func(b *testing.B) {
				growth(b, start, func(s sliced, n int) sliced {
					s.Entries = append(s.Entries, entry{Role: "user", Text: "another line", At: n})
					return s
				}, opts...)
			})
		}
	}
}

type mapped struct {
	Topic   string                   `json:"topic"`
	Entries state.Map[string, entry] `json:"entries"`
}

// BenchmarkSet has a node set one member of a state.Map, old and new in turn, and BenchmarkSetPlain of a map.
func BenchmarkSet(b *testing.B) {
	for _, size := range sizes {
		start := mapped{Topic: "growth"}
		for i := range size.entries {
			start.Entries = start.Entries.Set(nameOf(i), entryOf(i))
		}
		for way, opts := range ways {
			b.Run(way+"/"+size.name, func(b *testing.B) {
				growth(b, start, func(s mapped, n int) mapped {
					s.Entries = s.Entries.Set(nameOf(n*size.entries/visits*(n%2)-n*(1-n%2)), entry{Role: "user", Text: "another line", At: n})
					return s
				}, opts...)
			})
		}
	}
}

func nameOf(i int) string { return fmt.Sprintf("entry-%06d", i) }

type tabled struct {
	Topic   string           `json:"topic"`
	Entries map[string]entry `json:"entries"`
}

func BenchmarkSetPlain(b *testing.B) {
	for _, size := range sizes[:3] {
		start := tabled{Topic: "growth", Entries: make(map[string]entry)}
		for i := range size.entries {
			start.Entries[nameOf(i)] = entryOf(i)
		}
		for way, opts := range ways {
			b.Run(way+"/"+size.name, func(b *testing.B) {
				growth(b, start, func(s tabled, n int) tabled {
					s.Entries[nameOf(n*size.entries/visits*(n%2)-n*(1-n%2))] = entry{Role: "user", Text: "another line", At: n}
					return s
				}, opts...)
			})
		}
	}
}
