package bench

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/bench/internal/contest"
	"github.com/fermata-go/fermata/bench/internal/workload"
	"github.com/fermata-go/fermata/journal/sqlite"
)

func nothing() messages { return messages{} }

func BenchmarkSequential(b *testing.B) {
	for _, n := range few(10, 1000) {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			nodes := make([]func(messages) messages, n)
			for i := range nodes {
				nodes[i] = workload.Noop
			}
			compare(b, "node", n, job[messages]{graph: sequential(n), input: nothing},
				floor("floor", func() { workload.Chain(nodes, messages{}) }))
		})
	}
}

func BenchmarkLoop10000(b *testing.B) {
	n := sized(10_000)
	count := workload.Count
	compare(b, "node", n, job[messages]{graph: loop(n), input: nothing, check: countedTo(n)},
		floor("floor", func() { workload.Loop(count, n) }))
}

func countedTo(n int) func(messages) string {
	return func(s messages) string {
		if s.Count != n {
			return fmt.Sprintf("counted to %d, expected %d", s.Count, n)
		}
		return ""
	}
}

func BenchmarkReactAgent(b *testing.B) {
	for _, n := range few(10, 100) {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := workload.NewScript(n)
			compare(b, "node", s.Nodes(), reactJob(s), floor("floor", func() { s.React(s.Begin()) }))
		})
	}
}

func reactJob(s *workload.Script) job[workload.Agent] {
	return job[workload.Agent]{graph: react(s), input: s.Begin, check: s.Check}
}

func BenchmarkFanOut(b *testing.B) {
	for _, n := range few(10, 100) {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			topics := workload.NewTopics(n)
			compare(b, "child", n, fanOutJob(topics),
				floor("floor", func() { workload.FanOut(topics) }),
				floor("floor-goroutines", func() { workload.FanOutAtOnce(topics) }))
		})
	}
}

func fanOutJob(t workload.Topics) job[workload.Topics] {
	return job[workload.Topics]{
		graph: fanOut(), input: func() workload.Topics { return t },
		check: func(t workload.Topics) string { return t.Check() },
	}
}

func BenchmarkWideState(b *testing.B) {
	for _, w := range wideSizes() {
		b.Run(w.Name, func(b *testing.B) {
			nodes, input := w.Nodes(), w.Input()
			compare(b, "node", w.Visits(), wideJob(w),
				floor("floor", func() { w.Run(nodes, input) }),
				floor("floor-goroutines", func() { w.RunAtOnce(nodes, input) }),
				floor("floor-isolated", func() { w.RunIsolated(nodes, input) }))
		})
	}
}

func wideJob(w workload.WideSize) job[workload.Wide] {
	input := w.Input()
	return job[workload.Wide]{graph: wide(w), input: func() workload.Wide { return input }, check: w.Check}
}

// BenchmarkStream10000 has one reader of the events: they are kept nowhere, in memory, or in SQLite. By default nobody reads.
func BenchmarkStream10000(b *testing.B) {
	n := sized(10_000)
	j := job[messages]{graph: stream(n, "chunk "), input: nothing}
	contest.Between(b, "chunk", n,
		floor("floor", func() { channelled(n, "chunk ") }),
		j.plain("default", false),
		j.watched("default-events", false, inMemory(b), fermata.WithDurability(fermata.None)),
		j.watched("default-stored", false, inMemory(b)),
		j.watched("default-sqlite", false, inSQLite(b, sqlite.Normal)),
		j.watched("immutable-events", true, inMemory(b), fermata.WithDurability(fermata.None)))
}

// channelled sends chunks through a channel to one reader.
func channelled(n int, chunk string) {
	c := make(chan string, 256)
	go func() {
		for range n {
			c <- chunk
		}
		close(c)
	}()
	for range c {
	}
}
