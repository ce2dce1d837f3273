package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/bench/internal/contest"
	"github.com/fermata-go/fermata/bench/internal/workload"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// factors are by how much a workload grows.
func factors() []int {
	if testing.Short() {
		return []int{1, 2}
	}
	return []int{1, 2, 4, 8}
}

// grow measures how the cost of a unit grows along one axis of a workload.
func grow(b *testing.B, axis, unit string, at func(b *testing.B, times int) (units int, contestants []contest.Contestant)) {
	b.Run(axis, func(b *testing.B) {
		var points []contest.Point
		for _, f := range factors() {
			units, contestants := at(b, f)
			points = append(points, contest.Point{Label: fmt.Sprintf("x%d", f), Units: units, Contestants: contestants})
		}
		contest.Growth(b, unit, points...)
	})
}

// written are n messages of a length.
func written(n, length int) []message {
	all := make([]message, n)
	for i := range all {
		text := fmt.Sprintf("%d ", i)
		all[i] = message{Role: "user", Content: text + strings.Repeat("m", length-len(text))}
	}
	return all
}

// BenchmarkGrowthSequential has more nodes, or a larger state that no node touches.
func BenchmarkGrowthSequential(b *testing.B) {
	at := func(b *testing.B, n, held int) (int, []contest.Contestant) {
		nodes := make([]func(messages) messages, n)
		for i := range nodes {
			nodes[i] = workload.Noop
		}
		input := messages{Messages: written(held, 400)}
		j := job[messages]{graph: sequential(n), input: func() messages { return input }, check: holding(held, 0)}
		return n, append([]contest.Contestant{floor("floor", func() { workload.Chain(nodes, input) })}, ways(b, j)...)
	}
	grow(b, "count", "node", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, 100*f, 0) })
	grow(b, "size", "node", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, 100, 100*f) })
}

// holding judges a state by how many messages it holds, and how far it has counted.
func holding(held, count int) func(messages) string {
	return func(s messages) string {
		if len(s.Messages) != held || s.Count != count {
			return fmt.Sprintf("%d messages, counted to %d; expected %d and %d", len(s.Messages), s.Count, held, count)
		}
		return ""
	}
}

// BenchmarkGrowthLoop has more rounds, or a larger list in the state beside the number that each round changes.
func BenchmarkGrowthLoop(b *testing.B) {
	at := func(b *testing.B, n, held int) (int, []contest.Contestant) {
		input := messages{Messages: written(held, 400)}
		j := job[messages]{graph: loop(n), input: func() messages { return input }, check: holding(held, n)}
		count := workload.Count
		return n, append([]contest.Contestant{floor("floor", func() { workload.Loop(count, n) })}, ways(b, j)...)
	}
	grow(b, "count", "node", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, sized(1000)*f, 0) })
	grow(b, "size", "node", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, 100, 100*f) })
}

// BenchmarkGrowthReact has more calls of the tool, or longer queries and results.
func BenchmarkGrowthReact(b *testing.B) {
	at := func(b *testing.B, n, length int) (int, []contest.Contestant) {
		s := workload.NewScriptOf(n, length)
		return s.Nodes(), append([]contest.Contestant{floor("floor", func() { s.React(s.Begin()) })}, ways(b, reactJob(s))...)
	}
	grow(b, "count", "node", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, 10*f, 100) })
	grow(b, "size", "node", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, 10, 25*f) })
}

// BenchmarkGrowthFanOut has more children, or more letters in each subject.
func BenchmarkGrowthFanOut(b *testing.B) {
	grow(b, "count", "child", func(b *testing.B, f int) (int, []contest.Contestant) { return fanOutAt(b, 10*f, 1000) })
	grow(b, "size", "child", func(b *testing.B, f int) (int, []contest.Contestant) { return fanOutAt(b, 10, 250*f) })
}

func fanOutAt(b *testing.B, n, length int) (int, []contest.Contestant) {
	topics := workload.NewTopicsOf(n, length)
	return n, append([]contest.Contestant{
		floor("floor", func() { workload.FanOut(topics) }),
		floor("floor-goroutines", func() { workload.FanOutAtOnce(topics) }),
	}, ways(b, fanOutJob(topics))...)
}

// BenchmarkGrowthMap is a map of many small items.
func BenchmarkGrowthMap(b *testing.B) {
	sizes := []int{100, 500, 2000, 8000}
	if testing.Short() {
		sizes = []int{10, 20}
	}
	var points []contest.Point
	for _, n := range sizes {
		units, contestants := fanOutAt(b, n, 10)
		points = append(points, contest.Point{Label: fmt.Sprint(n), Units: units, Contestants: contestants})
	}
	contest.Growth(b, "child", points...)
}

// BenchmarkGrowthWide has more messages, and so more rounds, or a larger message.
func BenchmarkGrowthWide(b *testing.B) {
	at := func(b *testing.B, w workload.WideSize) (int, []contest.Contestant) {
		nodes, input := w.Nodes(), w.Input()
		return w.Visits(), append([]contest.Contestant{
			floor("floor", func() { w.Run(nodes, input) }),
			floor("floor-isolated", func() { w.RunIsolated(nodes, input) }),
		}, ways(b, wideJob(w))...)
	}
	n := min(75, sized(75), wideSizes()[0].N)
	grow(b, "count", "node", func(b *testing.B, f int) (int, []contest.Contestant) {
		return at(b, workload.WideSize{A: 3, B: 5, N: n * f})
	})
	grow(b, "size", "node", func(b *testing.B, f int) (int, []contest.Contestant) {
		return at(b, workload.WideSize{A: f, B: 5, N: n})
	})
}

// BenchmarkGrowthStream has more chunks, or longer ones.
func BenchmarkGrowthStream(b *testing.B) {
	at := func(b *testing.B, n, length int) (int, []contest.Contestant) {
		chunk := strings.Repeat("c", length)
		j := job[messages]{graph: stream(n, chunk), input: nothing}
		return n, []contest.Contestant{
			floor("floor", func() { channelled(n, chunk) }),
			j.plain("default", false),
			j.watched("default-events", false, inMemory(b), fermata.WithDurability(fermata.None)),
			j.watched("default-stored", false, inMemory(b)),
			j.watched("default-sqlite", false, inSQLite(b, sqlite.Normal)),
		}
	}
	grow(b, "count", "chunk", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, sized(1250)*f, 6) })
	grow(b, "size", "chunk", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, sized(1250), 16*f) })
}

// BenchmarkGrowthPause asks more often in one run, or with a larger state.
func BenchmarkGrowthPause(b *testing.B) {
	at := func(b *testing.B, times, held int) (int, []contest.Contestant) {
		input := messages{Messages: written(held, 400)}
		j := job[messages]{graph: askUntil(times), input: func() messages { return input }, check: holding(held, times)}
		return times, []contest.Contestant{
			{Name: "floor", Run: func() error { return askedAgain(times) }},
			asking("default-stored", j, false, inMemory(b), times),
			asking("default-sqlite", j, false, inSQLite(b, sqlite.Normal), times),
			asking("immutable-stored", j, true, inMemory(b), times),
			asking("immutable-sqlite", j, true, inSQLite(b, sqlite.Normal), times),
		}
	}
	grow(b, "count", "pause", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, 4*f, 0) })
	grow(b, "size", "pause", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, 1, 100*f) })
}

// BenchmarkGrowthChat appends more messages, or longer ones.
func BenchmarkGrowthChat(b *testing.B) {
	at := func(b *testing.B, visits, length int) (int, []contest.Contestant) {
		all := written(visits, length)
		j := job[messages]{graph: chat(all), input: nothing, check: holding(visits, visits)}
		talk := func() {
			var s messages
			for s.Count < visits {
				s = said(s, all)
			}
		}
		return visits, append([]contest.Contestant{floor("floor", talk)}, ways(b, j)...)
	}
	grow(b, "count", "visit", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, sized(500)*f, 400) })
	grow(b, "size", "visit", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, sized(500), 100*f) })
}

// BenchmarkGrowthOpen resumes a run that has more visits behind it, or longer messages, by a new runtime.
func BenchmarkGrowthOpen(b *testing.B) {
	at := func(b *testing.B, visits, length int) (int, []contest.Contestant) {
		g := chatThenAsk(written(visits, length))
		return visits, []contest.Contestant{
			reopening("default-stored", inMemory(b), g, visits),
			reopening("default-sqlite", inSQLite(b, sqlite.Normal), g, visits),
		}
	}
	grow(b, "count", "visit", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, sized(500)*f, 100) })
	grow(b, "size", "visit", func(b *testing.B, f int) (int, []contest.Contestant) { return at(b, sized(500), 100*f) })
}
