package lawtest

import (
	"flag"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
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

// Draw tries random cases on all cores: as many as FERMATA_EXPLORE says, or normal ones. The seed is 1, a new one with
// FERMATA_EXPLORE, or what FERMATA_SEED says. Try is given a source of its own and the number of the draw; it reports
// whether it drew a case that counts, and what is wrong with it, "" for nothing. It is called from several goroutines.
// Draw returns how often it was called, and how many cases there were.
func Draw(t *testing.T, normal uint64, try func(r *rand.Rand, i uint64) (counts bool, wrong string)) (draws, cases uint64) {
	t.Helper()
	seed := uint64(1)
	if os.Getenv("FERMATA_EXPLORE") != "" {
		seed = rand.Uint64() //nolint:gosec // a seed of tests is shown, not kept secret
	}
	most := FromEnvironment(t, "FERMATA_EXPLORE", normal)
	seed = FromEnvironment(t, "FERMATA_SEED", seed)
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
	usual := flag.Lookup("rapid.checks").Value.String()
	n, err := strconv.Atoi(usual)
	if err == nil {
		err = flag.Set("rapid.checks", strconv.Itoa(max(1, n/part)))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := flag.Set("rapid.checks", usual); err != nil {
			t.Error(err)
		}
	})
}
