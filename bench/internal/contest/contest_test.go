package contest_test

import (
	"errors"
	"testing"

	"github.com/fermata-go/fermata/bench/internal/contest"
)

func TestAllTakeTurnsAndAreReported(t *testing.T) {
	var one, two int
	result := testing.Benchmark(func(b *testing.B) {
		contest.Between(b, "node", 2,
			contest.Contestant{Name: "floor", Run: func() error { one++; return nil }},
			contest.Contestant{Name: "other", Run: func() error { two++; return nil }},
		)
	})
	if one == 0 || two == 0 {
		t.Errorf("the floor ran %d times, the other %d times", one, two)
	}
	for _, name := range []string{"floor-ns/node", "floor-allocs/node", "other-ns/node", "other-allocs/node", "other-ratio"} {
		if _, ok := result.Extra[name]; !ok {
			t.Errorf("%s is not reported: %v", name, result.Extra)
		}
	}
}

func TestAContestantThatFailsEndsTheBenchmark(t *testing.T) {
	result := testing.Benchmark(func(b *testing.B) {
		contest.Between(b, "node", 1, contest.Contestant{Name: "floor", Run: func() error { return errors.New("no") }})
	})
	if result.N != 0 {
		t.Errorf("it went on: %v", result)
	}
}
