package bench

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type messages struct {
	Messages []message `json:"messages"`
	Count    int       `json:"count"`
}

// perNode reports the time of one node of a run that visits n.
func perNode(b *testing.B, n int) {
	b.Helper()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
}

func noop(_ node.Context, s messages) (messages, error) { return s, nil }

func sequential(n int) *graph.Graph[messages] {
	g := graph.New[messages]("sequential")
	before := graph.Start
	for i := range n {
		name := "n" + strconv.Itoa(i)
		g.Node(name, noop)
		g.Edge(before, name)
		before = name
	}
	return g.MustCompile()
}

func BenchmarkSequential(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run("floor/"+strconv.Itoa(n), func(b *testing.B) {
			nodes := make([]graph.Func[messages], n)
			for i := range nodes {
				nodes[i] = noop
			}
			b.ReportAllocs()
			for b.Loop() {
				var s messages
				for _, f := range nodes {
					s, _ = f(node.Context{}, s)
				}
			}
			perNode(b, n)
		})
		b.Run("fermata/"+strconv.Itoa(n), func(b *testing.B) {
			g := sequential(n)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := g.Run(context.Background(), messages{}); err != nil {
					b.Fatal(err)
				}
			}
			perNode(b, n)
		})
		b.Run("fermata-events/"+strconv.Itoa(n), func(b *testing.B) {
			withEvents(b, sequential(n), messages{})
			perNode(b, n)
		})
		b.Run("fermata-memory-store/"+strconv.Itoa(n), func(b *testing.B) {
			stored(b, sequential(n), messages{}, newRuntime(b, fermata.Options{}))
			perNode(b, n)
		})
	}
}

// withEvents runs a graph that is not stored while one reader drains its events.
func withEvents[S any](b *testing.B, g *graph.Graph[S], input S) {
	b.Helper()
	rt := newRuntime(b, fermata.Options{})
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		run, err := g.Start(ctx, rt, input, fermata.WithDurability(fermata.None))
		if err != nil {
			b.Fatal(err)
		}
		seen := uint64(0)
		for e, err := range run.Events(ctx, 0) {
			if err != nil {
				b.Fatal(err)
			}
			seen = e.Seq()
		}
		if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Completed || seen == 0 {
			b.Fatal(res.Status, err)
		}
	}
}

// stored runs a graph to its end on a runtime, each run with a journal of its own.
func stored[S any](b *testing.B, g *graph.Graph[S], input S, rt *fermata.Runtime) {
	b.Helper()
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		run, err := g.Start(ctx, rt, input)
		if err != nil {
			b.Fatal(err)
		}
		if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Completed {
			b.Fatal(res.Status, err)
		}
	}
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

func count(_ node.Context, s messages) (messages, error) {
	s.Count++
	return s, nil
}

func loop(n int) *graph.Graph[messages] {
	return graph.New[messages]("loop").
		Node("count", count).
		Edge(graph.Start, "count").
		Route("count", func(_ node.Context, s messages) (string, error) {
			if s.Count < n {
				return "count", nil
			}
			return graph.END, nil
		}, "count", graph.END).
		MustCompile()
}

func BenchmarkLoop10000(b *testing.B) {
	const n = 10_000
	b.Run("floor", func(b *testing.B) {
		f := graph.Func[messages](count)
		b.ReportAllocs()
		for b.Loop() {
			var s messages
			for s.Count < n {
				s, _ = f(node.Context{}, s)
			}
		}
		perNode(b, n)
	})
	b.Run("fermata", func(b *testing.B) {
		g := loop(n)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := g.Run(context.Background(), messages{}); err != nil {
				b.Fatal(err)
			}
		}
		perNode(b, n)
	})
	b.Run("fermata-events", func(b *testing.B) {
		withEvents(b, loop(n), messages{})
		perNode(b, n)
	})
}

// toolCall is what the scripted model says: one call with a query of 3,600 characters, n times, then an answer.
type agentState struct {
	Messages []message `json:"messages"`
	Turns    int       `json:"turns"`
}

var query = strings.Repeat("01234567-89ab-cdef-0123-456789abcdef", 100)

var answer = strings.Repeat("result for query: "+query, 10)

func model(_ node.Context, s agentState) (agentState, error) {
	if s.Turns > 0 {
		s.Turns--
		s.Messages = append(s.Messages, message{Role: "assistant", Content: query})
	} else {
		s.Messages = append(s.Messages, message{Role: "final", Content: "done"})
	}
	return s, nil
}

func tool(_ node.Context, s agentState) (agentState, error) {
	s.Messages = append(s.Messages, message{Role: "tool", Content: answer})
	return s, nil
}

func wantsTool(_ node.Context, s agentState) (string, error) {
	if s.Messages[len(s.Messages)-1].Role == "assistant" {
		return "tool", nil
	}
	return graph.END, nil
}

func react() *graph.Graph[agentState] {
	return graph.New[agentState]("react").
		Node("model", model).Node("tool", tool).
		Edge(graph.Start, "model").
		Route("model", wantsTool, "tool", graph.END).
		Edge("tool", "model").
		MustCompile()
}

func BenchmarkReactAgent(b *testing.B) {
	for _, n := range []int{10, 100} {
		nodes := 2*n + 1
		b.Run("floor/"+strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := agentState{Turns: n, Messages: []message{{Role: "user", Content: "go"}}}
				for {
					s, _ = model(node.Context{}, s)
					if next, _ := wantsTool(node.Context{}, s); next == graph.END {
						break
					}
					s, _ = tool(node.Context{}, s)
				}
			}
			perNode(b, nodes)
		})
		b.Run("fermata/"+strconv.Itoa(n), func(b *testing.B) {
			g := react()
			b.ReportAllocs()
			for b.Loop() {
				in := agentState{Turns: n, Messages: []message{{Role: "user", Content: "go"}}}
				if _, err := g.Run(context.Background(), in); err != nil {
					b.Fatal(err)
				}
			}
			perNode(b, nodes)
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
	b.Run("floor-channel", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c := make(chan string, 256)
			go func() {
				for range n {
					c <- "chunk "
				}
				close(c)
			}()
			for range c {
			}
		}
		perChunk(b, n)
	})
	b.Run("fermata", func(b *testing.B) {
		withEvents(b, g, messages{})
		perChunk(b, n)
	})
}

func perChunk(b *testing.B, n int) {
	b.Helper()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/chunk")
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
func pauseAndResume(b *testing.B, rt *fermata.Runtime) {
	b.Helper()
	g := gate()
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		run, err := g.Start(ctx, rt, messages{})
		if err != nil {
			b.Fatal(err)
		}
		res, err := run.Wait(ctx)
		if err != nil || res.Status != fermata.Paused {
			b.Fatal(res.Status, err)
		}
		if err := rt.Answer(ctx, res.Interrupts[0].ID, true); err != nil {
			b.Fatal(err)
		}
		if res, err = run.Wait(ctx); err != nil || res.Status != fermata.Completed {
			b.Fatal(res.Status, err)
		}
	}
}

func BenchmarkPauseAndResumeMemory(b *testing.B) {
	pauseAndResume(b, newRuntime(b, fermata.Options{}))
}
