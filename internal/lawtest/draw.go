package lawtest

import (
	"flag"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// FromEnvironment returns a number of the environment, or another one where the variable is not set.
func FromEnvironment(t testing.TB, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q is no number: %v", name, text, err)
	}
	return n
}

// mostFailures is how many failures are shown before drawing stops.
const mostFailures = 4

// Seed returns the seed of what a test draws. It is 1, a new one with FERMATA_EXPLORE, or what FERMATA_SEED says.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(1)
	if os.Getenv("FERMATA_EXPLORE") != "" {
		seed = rand.Uint64() //nolint:gosec // a seed of tests is shown, not kept secret
	}
	return FromEnvironment(t, "FERMATA_SEED", seed)
}

// Draw tries random cases on all cores: as many as FERMATA_EXPLORE says, or normal ones, from Seed on. Try is given a
// source of its own and the number of the draw; it reports whether it drew a case that counts, and what is wrong with it,
// "" for nothing. It is called from several goroutines. Draw returns how often it was called, and how many cases there were.
func Draw(t *testing.T, normal uint64, try func(r *rand.Rand, i uint64) (counts bool, wrong string)) (draws, cases uint64) {
	t.Helper()
	most, seed := FromEnvironment(t, "FERMATA_EXPLORE", normal), Seed(t)
	t.Logf("%d cases; SEED=%d", most, seed)
	var next, tried, failed atomic.Uint64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for tried.Load() < most && failed.Load() < mostFailures {
				i := next.Add(1)
				counts, wrong := try(rand.New(rand.NewPCG(seed, i)), i) //nolint:gosec // draws are to come again
				if counts {
					tried.Add(1)
				}
				if wrong != "" {
					failed.Add(1)
					t.Errorf("SEED=%d, draw %d:\n%s", seed, i, wrong)
				}
			}
		})
	}
	workers.Wait()
	return next.Load(), tried.Load()
}

// FewerDraws makes the properties of a test draw only a part of the usual number: one of so many.
func FewerDraws(t *testing.T, part int) {
	t.Helper()
	n, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	if err != nil {
		t.Fatal(err)
	}
	setFlag(t, "rapid.checks", strconv.Itoa(max(1, n/part)))
}

// CheckUntilSeen checks a property in up to five rounds, until all kinds of cases have been seen. Each round draws cases
// of its own, so that a rare kind need not be drawn at once. The test fails where no round sees some kind.
func CheckUntilSeen(t *testing.T, check func(*rapid.T), seen map[string]int, wanted ...string) {
	t.Helper()
	missing := func(kind string) bool { return seen[kind] == 0 }
	for round := range uint64(5) {
		if flag.Lookup("rapid.seed").Value.String() != "0" {
			setFlag(t, "rapid.seed", strconv.FormatUint(Seed(t)+round, 10))
		}
		if rapid.Check(t, check); !slices.ContainsFunc(wanted, missing) {
			return
		}
	}
	t.Errorf("no case was drawn of some of %q: %v", wanted, seen)
}

// setFlag sets a flag of the test's process until the test ends.
func setFlag(t *testing.T, name, value string) {
	t.Helper()
	before := flag.Lookup(name).Value.String()
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := flag.Set(name, before); err != nil {
			t.Error(err)
		}
	})
}
