package lawtest

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// None of the leavings returns, and the one that panics with an error panics again when its text is asked for.
func TestN7_LeavingsDoNotReturn(t *testing.T) {
	for how, leave := range Leavings {
		returned, panicked := false, any(nil)
		var wg sync.WaitGroup
		wg.Go(func() {
			defer func() { panicked = recover() }()
			leave()
			returned = true
		})
		wg.Wait()
		if returned || (panicked != nil) != strings.HasPrefix(how, "panics") {
			t.Errorf("%s: returned %t, panicked with %T", how, returned, panicked)
		}
		if err, ok := panicked.(error); ok {
			func() {
				defer func() {
					if recover() == nil {
						t.Error("the error has a text")
					}
				}()
				_ = err.Error()
			}()
		}
	}
}

func TestLogIsReadWhileItIsWritten(t *testing.T) {
	var l Log
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			l.Logger().Debug("line")
			_ = l.String()
		})
	}
	wg.Wait()
	if n := strings.Count(l.String(), "msg=line\n"); n != 10 || l.Take() == "" || l.String() != "" {
		t.Errorf("%d lines, and then %q", n, l.String())
	}
}

// As many cases are drawn as the environment says, from the seed that it names.
func TestDraw(t *testing.T) {
	t.Setenv("FERMATA_EXPLORE", "")
	t.Setenv("FERMATA_SEED", "7")
	first := func() uint64 {
		var mu sync.Mutex
		var got uint64
		draws, cases := Draw(t, 10, func(r *rand.Rand, i uint64) (bool, string) {
			mu.Lock()
			defer mu.Unlock()
			if i == 1 {
				got = r.Uint64()
			}
			return i%2 == 0, ""
		})
		if cases < 10 || draws < 2*cases-1 {
			t.Errorf("%d draws, %d cases", draws, cases)
		}
		return got
	}
	a := first()
	if b := first(); a != b {
		t.Error("the same seed draws other cases")
	}
	t.Setenv("FERMATA_SEED", "8")
	if a == first() {
		t.Error("another seed draws the same cases")
	}
	t.Setenv("FERMATA_EXPLORE", "20")
	if _, cases := Draw(t, 10, func(*rand.Rand, uint64) (bool, string) { return true, "" }); cases < 20 {
		t.Errorf("%d cases, expected 20", cases)
	}
}

// Properties draw the same cases in each run, unless they explore.
func TestPropertiesDrawTheSame(t *testing.T) {
	if os.Getenv("FERMATA_EXPLORE") != "" || os.Getenv("RAPID_SEED") != "" {
		t.Skip("another seed is asked for")
	}
	drawn := func() (all []int) {
		rapid.Check(t, func(t *rapid.T) { all = append(all, rapid.Int().Draw(t, "n")) })
		return all
	}
	first := drawn()
	if second := drawn(); !slices.Equal(first, second) {
		t.Errorf("two runs drew %v and %v", first, second)
	}
	rounds := make(map[string]int)
	cases := make(map[int]bool)
	CheckUntilSeen(t, func(t *rapid.T) {
		n := rapid.Int().Draw(t, "n")
		if cases[n] = true; len(cases) > 2*len(first) {
			rounds["a third round"]++
		}
	}, rounds, "a third round")
}
