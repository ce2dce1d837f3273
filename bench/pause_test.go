package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/bench/internal/contest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// gate is a graph whose one node asks once.
func gate(immutable bool) *graph.Graph[messages] {
	return promising(graph.New[messages]("gate"), immutable).
		Node("ask", ask).
		Edge(graph.Start, "ask").
		MustCompile()
}

// askUntil is a graph whose node asks, again and again, until it has counted to n.
func askUntil(n int) func(immutable bool) *graph.Graph[messages] {
	return func(immutable bool) *graph.Graph[messages] {
		return promising(graph.New[messages]("again"), immutable).
			Node("ask", ask).
			Edge(graph.Start, "ask").
			Route("ask", until(func(s messages) bool { return s.Count >= n }, "ask"), "ask", graph.End).
			MustCompile()
	}
}

// ask is a node that counts how often the answer is yes.
func ask(ctx node.Context, s messages) (messages, error) {
	ok, err := node.Interrupt[bool](ctx, nil, node.Prompt("Go on?"))
	if ok {
		s.Count++
	}
	return s, err
}

// asking is a job whose run asks a number of times, and is answered each time.
func asking(name string, j job[messages], immutable bool, h *host, times int) contest.Contestant {
	g := j.graph(immutable)
	return j.way(name, h, func() (s messages, err error) {
		ctx := context.Background()
		run, err := g.Start(ctx, h.rt, j.input())
		if err != nil {
			return s, err
		}
		for range times {
			res, err := run.Wait(ctx)
			if err != nil || res.Status != fermata.Paused {
				return s, fmt.Errorf("the run is %s: %w", res.Status, err)
			}
			if err := h.rt.Answer(ctx, res.Interrupts[0].ID, true); err != nil {
				return s, err
			}
		}
		return ended(run.Wait(ctx))
	})
}

var once = job[messages]{graph: gate, input: nothing, check: countedTo(1)}

// BenchmarkPauseAndResumeMemory starts a run, waits until it asks, answers, and waits for its end. The floor is a goroutine
// that asks through a channel.
func BenchmarkPauseAndResumeMemory(b *testing.B) {
	contest.Between(b, "run", 1, contest.Contestant{Name: "floor", Run: func() error { return askedAgain(1) }},
		asking("default-stored", once, false, inMemory(b), 1),
		asking("immutable-stored", once, true, inMemory(b), 1))
}

// askedAgain is questions and their answers between two goroutines.
func askedAgain(times int) error {
	asks, answers, ends := make(chan string), make(chan bool), make(chan messages)
	go func() {
		var s messages
		for range times {
			asks <- "Go on?"
			if <-answers {
				s.Count++
			}
		}
		ends <- s
	}()
	for range times {
		<-asks
		answers <- true
	}
	if s := <-ends; s.Count != times {
		return fmt.Errorf("counted to %d, expected %d", s.Count, times)
	}
	return nil
}

// BenchmarkPauseAndResumeSQLite is the same on disk, beside the driver, which writes the same frames in as many commits.
func BenchmarkPauseAndResumeSQLite(b *testing.B) {
	for _, s := range syncs {
		b.Run(s.name, func(b *testing.B) {
			frames := commits(b, func(h *host) error { return asking("", once, false, h, 1).Run() })
			raw := newRawDriver(b, s.name)
			contest.Between(b, "run", 1,
				contest.Contestant{Name: "driver", Run: func() error { return raw.write(frames) }},
				asking("default-sqlite", once, false, inSQLite(b, s.mode), 1),
				asking("immutable-sqlite", once, true, inSQLite(b, s.mode), 1))
			b.ReportMetric(float64(len(frames)), "commits/run")
		})
	}
}
