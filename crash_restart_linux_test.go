package fermata_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// longLease is a lease that nobody should have to wait for: it is longer than a test waits for anything.
const longLease = 5 * soon

// shortNap is how long the other branch of a held run sleeps, where the machine is not busy.
const shortNap = 1500 * time.Millisecond

// held is a run whose process was at work on it, and would have been for an hour, until a signal came. The timer of its other
// branch is still to come.
type held struct {
	*child
	folder string
	run    string
	nap    time.Duration // of the other branch
}

// heldUntil is a run whose process got a signal at its work. On a busy machine its timer may be over before that: then there
// is another one, whose other branch sleeps for longer.
func heldUntil(t *testing.T, signal syscall.Signal) *held {
	t.Helper()
	for nap := shortNap; ; nap *= 2 {
		h := &held{folder: t.TempDir(), run: "run_1", nap: nap}
		h.child = startChild(t, "held", h.folder, h.run, childLease+"="+longLease.String(), childNap+"="+nap.String())
		h.goOn(t)
		if h.effects(1, soon) == 0 {
			t.Fatal("a child does not begin its work")
		}
		if h.fallsAsleep(t) {
			if err := h.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if signal == syscall.SIGKILL {
				h.end(t)
			}
			if h.sleeps(t) {
				return h
			}
		}
		if nap > soon {
			t.Fatalf("a timer was over before a signal came, also one of %v", nap)
		}
		t.Logf("a timer of %v was over before a signal came", nap)
		if err := h.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		h.end(t)
	}
}

// effects waits until the run has had so many effects, and says how long that took; zero where it was not within the given time.
func (h *held) effects(n int, within time.Duration) time.Duration {
	for began := time.Now(); time.Since(began) < within; time.Sleep(5 * time.Millisecond) {
		data, _ := os.ReadFile(filepath.Join(h.folder, "effects of "+h.run)) // it is not there at first
		if bytes.Count(data, []byte("\n")) >= n {
			return max(time.Since(began), 1)
		}
	}
	return 0
}

// taken waits until another process is at work on the run, as effects does.
func (h *held) taken(within time.Duration) time.Duration { return h.effects(2, within) }

// fallsAsleep waits until the other branch sleeps; false where it has slept already.
func (h *held) fallsAsleep(t *testing.T) bool {
	t.Helper()
	store, err := openChild(h.folder)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for began := time.Now(); !hasTimer(t, store); time.Sleep(5 * time.Millisecond) {
		all := lines(t, store, h.run)
		if count(all, "node.finished nap#1") > 0 {
			return false
		}
		if time.Since(began) > soon {
			t.Fatalf("the other branch of a child does not go to sleep: %q", all)
		}
	}
	return true
}

// sleeps reports whether the timer of the other branch is still to come.
func (h *held) sleeps(t *testing.T) bool {
	t.Helper()
	store, err := openChild(h.folder)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	return hasTimer(t, store)
}

func hasTimer(t *testing.T, store journal.Store) bool {
	t.Helper()
	timers, err := store.Timers(t.Context(), math.MaxInt64, 1)
	if err != nil {
		t.Fatal(err)
	}
	return len(timers) > 0
}

// restarted is a runtime of this process on the file of children.
func restarted(t *testing.T, folder, run string) *fermata.Runtime {
	t.Helper()
	store, err := openChild(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	g := heldGraph(outside{file: filepath.Join(folder, "effects of "+run)})
	return newRuntime(t, fermata.Options{
		Store: store, Lease: longLease,
		Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return g.Plan(), nil },
	})
}

// works lets a runtime work until the test ends.
func works(t *testing.T, rt *fermata.Runtime) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- rt.Work(ctx, fermata.WorkOptions{Every: 50 * time.Millisecond}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// ended checks that a run comes to its end.
func ended(t *testing.T, rt *fermata.Runtime, run string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		info, err := rt.Info(t.Context(), run)
		if err == nil && info.Status == string(fermata.Completed) {
			return
		}
		if time.Since(began) > soon {
			t.Fatalf("%s is %s, %v", run, info.Status, err)
		}
	}
}

// A process that restarts on its own file takes over at once what its predecessor drove, which was killed: it does not
// wait for the lease of the dead.
func TestJ10_ARestartDoesNotWaitForTheLeaseOfTheDead(t *testing.T) {
	t.Parallel()
	late := lawtest.HeldUp(t, time.Second/10)
	h := heldUntil(t, syscall.SIGKILL)
	rt := restarted(t, h.folder, h.run)
	works(t, rt)
	if took := h.taken(soon); took == 0 || took > time.Second && !late() {
		t.Errorf("the run was taken over after %v (0: never)", took)
	} else {
		t.Logf("taken over after %v", took)
	}
	ended(t, rt, h.run)
}

// So does a timer of the run, where nobody works.
func TestJ10_ATimerDoesNotWaitForTheLeaseOfTheDead(t *testing.T) {
	t.Parallel()
	late := lawtest.HeldUp(t, time.Second/10)
	h := heldUntil(t, syscall.SIGKILL)
	rt := restarted(t, h.folder, h.run)
	if took := h.taken(soon); took == 0 || took > h.nap+time.Second && !late() {
		t.Errorf("the run was taken over after %v (0: never), its timer was due after %v", took, h.nap)
	}
	ended(t, rt, h.run)
}

// A process that is only stopped is not gone: its runs are left to it as long as its lease lasts. When it is killed
// then, a worker that is there notices.
func TestJ10_AStoppedProcessIsNotGone(t *testing.T) {
	t.Parallel()
	h := heldUntil(t, syscall.SIGSTOP)
	rt := restarted(t, h.folder, h.run)
	works(t, rt)
	if took := h.taken(h.nap + time.Second); took > 0 { // its timer comes meanwhile
		t.Errorf("the run of a process that is stopped was taken over after %v", took)
	}
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	late := lawtest.HeldUp(t, time.Second/10)
	if took := h.taken(soon); took == 0 || took > 2*time.Second && !late() {
		t.Errorf("the run was taken over %v after the process was killed (0: never)", took)
	}
	h.end(t) // it was a zombie until here
	ended(t, rt, h.run)
}
