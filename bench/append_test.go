package bench

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/bench/internal/contest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/state"
)

// holder is a state with one field that holds much, and a number.
type holder[T any] struct {
	Held  T   `json:"held"`
	Count int `json:"count"`
}

// kind is a kind of state that grows, or has a part that nobody touches.
type kind[T any] struct {
	name string
	make func(entries int) T          // what a state holds at first
	more func(held T, entry int) T    // adds one entry as Go does by default
	pure func(held T, entry int) T    // the same, and changes nothing in place
	size func(held T) int             // how many entries it holds
	has  func(held T, entry int) bool // whether an entry is as it was added
}

// A piece is what an entry holds, about 100 bytes of JSON.
func piece(entry int) message {
	text := strconv.Itoa(entry)
	return message{Role: "user", Content: text + strings.Repeat("p", 70-len(text))}
}

func dynamic(entry int) map[string]any {
	p := piece(entry)
	return map[string]any{"role": p.Role, "content": p.Content}
}

func key(entry int) string { return "entry " + strconv.Itoa(entry) }

const pieceBytes = 100

var listKind = kind[[]message]{
	name: "list",
	make: func(n int) []message { return entries(n, piece) },
	more: func(held []message, i int) []message { return append(held, piece(i)) },
	size: func(held []message) int { return len(held) },
	has:  func(held []message, i int) bool { return held[i] == piece(i) },
}

var anyListKind = kind[[]any]{
	name: "any-list",
	make: func(n int) []any { return entries(n, func(i int) any { return dynamic(i) }) },
	more: func(held []any, i int) []any { return append(held, dynamic(i)) },
	size: func(held []any) int { return len(held) },
	has:  func(held []any, i int) bool { return isDynamic(held[i], i) },
}

var anyMapKind = kind[map[string]any]{
	name: "any-map",
	make: func(n int) map[string]any { return keyed(n, func(i int) any { return dynamic(i) }) },
	more: func(held map[string]any, i int) map[string]any { held[key(i)] = dynamic(i); return held },
	pure: func(held map[string]any, i int) map[string]any {
		held = maps.Clone(held)
		held[key(i)] = dynamic(i)
		return held
	},
	size: func(held map[string]any) int { return len(held) },
	has:  func(held map[string]any, i int) bool { return isDynamic(held[key(i)], i) },
}

var mapKind = kind[map[string]message]{
	name: "map",
	make: func(n int) map[string]message { return keyed(n, piece) },
	more: func(held map[string]message, i int) map[string]message { held[key(i)] = piece(i); return held },
	pure: func(held map[string]message, i int) map[string]message {
		held = maps.Clone(held)
		held[key(i)] = piece(i)
		return held
	},
	size: func(held map[string]message) int { return len(held) },
	has:  func(held map[string]message, i int) bool { return held[key(i)] == piece(i) },
}

var persistentListKind = kind[state.List[message]]{
	name: "state.List",
	make: func(n int) state.List[message] { return state.ListOf(entries(n, piece)...) },
	more: func(held state.List[message], i int) state.List[message] { return held.Append(piece(i)) },
	size: func(held state.List[message]) int { return held.Len() },
	has:  func(held state.List[message], i int) bool { return held.At(i) == piece(i) },
}

var persistentMapKind = kind[state.Map[string, message]]{
	name: "state.Map",
	make: func(n int) state.Map[string, message] { return state.MapOf(keyed(n, piece)) },
	more: func(held state.Map[string, message], i int) state.Map[string, message] {
		return held.Set(key(i), piece(i))
	},
	size: func(held state.Map[string, message]) int { return held.Len() },
	has: func(held state.Map[string, message], i int) bool {
		found, ok := held.Get(key(i))
		return ok && found == piece(i)
	},
}

// untouched is a kind to which no node adds anything.
func untouched[T any](k kind[T]) kind[T] {
	k.name = "untouched-" + k.name
	k.more = func(held T, _ int) T { return held }
	k.pure = nil
	return k
}

func entries[E any](n int, entry func(i int) E) []E {
	all := make([]E, n)
	for i := range all {
		all[i] = entry(i)
	}
	return all
}

func keyed[E any](n int, entry func(i int) E) map[string]E {
	all := make(map[string]E, n)
	for i := range n {
		all[key(i)] = entry(i)
	}
	return all
}

func isDynamic(v any, entry int) bool {
	m, ok := v.(map[string]any)
	return ok && len(m) == 2 && m["role"] == "user" && m["content"] == piece(entry).Content
}

// BenchmarkAppend adds entries of 100 bytes to a state of a size, one a visit, or changes a number beside what it holds. What
// is measured is from the second visit to the last: a run's start and end, which cost what the state costs, are not in it,
// nor is the first append, which has to move the list of the input.
func BenchmarkAppend(b *testing.B) {
	listKind.grow(b)
	anyListKind.grow(b)
	anyMapKind.grow(b)
	mapKind.grow(b)
	persistentListKind.grow(b)
	persistentMapKind.grow(b)
	untouched(listKind).grow(b)
	untouched(anyMapKind).grow(b)
}

func (k kind[T]) grow(b *testing.B) {
	b.Run(k.name, func(b *testing.B) {
		var points []contest.Point
		for _, label := range few("1KB", "16KB", "256KB", "4MB", "16MB") {
			points = append(points, k.point(b, label))
		}
		contest.Growth(b, "node", points...)
	})
}

func (k kind[T]) point(b *testing.B, label string) contest.Point {
	n := map[string]int{"1KB": 1 << 10, "16KB": 16 << 10, "256KB": 256 << 10, "4MB": 4 << 20, "16MB": 16 << 20}[label] / pieceBytes
	visits := 18
	if n > 10_000 {
		visits = 6
	}
	input := holder[T]{Held: k.make(n)}
	j := job[holder[T]]{part: &contest.Window{}, input: func() holder[T] { return input }}
	j.graph = func(immutable bool) *graph.Graph[holder[T]] {
		more := k.more
		if immutable && k.pure != nil {
			more = k.pure
		}
		return promising(graph.New[holder[T]]("append"), immutable).
			Node("add", pure(func(s holder[T]) holder[T] { return s.visited(j.part, visits, n, more) })).
			Edge(graph.Start, "add").
			Route("add", until(func(s holder[T]) bool { return s.Count == visits }, "add"), "add", graph.End).
			MustCompile()
	}
	j.check = func(s holder[T]) string {
		// The caller's input is the caller's: a run must not have added to it (law N9).
		if k.size(input.Held) != n || s.Count != visits {
			return fmt.Sprintf("%d entries in the input after %d visits; expected %d after %d", k.size(input.Held), s.Count, n, visits)
		}
		want := k.size(k.more(k.make(1), 1)) - 1 // entries that a visit adds
		if got := k.size(s.Held); got != n+want*visits || !k.has(s.Held, got-1) || !k.has(s.Held, 0) {
			return fmt.Sprintf("%d entries, expected %d", got, n+want*visits)
		}
		return ""
	}
	return contest.Point{Label: label, Units: visits - 2, Contestants: []contest.Contestant{
		k.floor(j, n, visits),
		j.plain("default", false),
		j.stored("default-stored", false, inMemory(b)),
		j.stored("default-sqlite", false, inSQLite(b, sqlite.Normal)),
		j.plain("immutable", true),
		j.stored("immutable-stored", true, inMemory(b)),
	}}
}

// visited is the node. It opens the window at the second visit and closes it at the last.
func (s holder[T]) visited(w *contest.Window, visits, n int, more func(T, int) T) holder[T] {
	if s.Count == 1 {
		w.Open()
	}
	if s.Count == visits-1 {
		w.Close()
	}
	s.Held = more(s.Held, n+s.Count)
	s.Count++
	return s
}

// floor is a loop, on a state of its own.
func (k kind[T]) floor(j job[holder[T]], n, visits int) contest.Contestant {
	var own holder[T]
	return contest.Contestant{
		Name: "floor", Window: j.part,
		Ready: func() error { own = holder[T]{Held: k.make(n)}; return nil },
		Over:  func() error { own = holder[T]{}; return nil },
		Run: func() error {
			s := own
			for s.Count < visits {
				s = s.visited(j.part, visits, n, k.more)
			}
			if s.Count != visits {
				return errors.New("the loop ended early")
			}
			return nil
		},
	}
}
