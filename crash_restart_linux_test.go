package fermata_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/plan"
)

// longLease is a lease that nobody should have to wait for.
const longLease = 30 * time.Second

// heldBy is a child that is at work on a run, and will be for an hour. taken waits until another process is, and says
// how long that took; zero where it was not within the given time.
func heldBy(t *testing.T, folder, run string) (c *child, taken func(within time.Duration) time.Duration) {
	t.Helper()
	c = startChild(t, "held", folder, run, childLease+"="+longLease.String())
	c.goOn(t)
	file := filepath.Join(folder, "effects of "+run)
	await := func(lines int, within time.Duration) time.Duration {
		for began := time.Now(); time.Since(began) < within; time.Sleep(5 * time.Millisecond) {
			data, _ := os.ReadFile(file) // it is not there at first
			if bytes.Count(data, []byte("\n")) >= lines {
				return max(time.Since(began), 1)
			}
		}
		return 0
	}
	if await(1, soon) == 0 {
		t.Fatal("a child does not begin its work")
	}
	store, err := openChild(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		timers, err := store.Timers(t.Context(), math.MaxInt64, 1)
		if len(timers) > 0 {
			break
		}
		if err != nil || time.Since(began) > soon {
			t.Fatalf("the other branch of a child does not go to sleep: %v", err)
		}
	}
	return c, func(within time.Duration) time.Duration { return await(2, within) }
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

// restartedAfterKill is a runtime on the file of a child that was killed at its work, and what heldBy says of that.
func restartedAfterKill(t *testing.T, run string) (rt *fermata.Runtime, taken func(within time.Duration) time.Duration) {
	t.Helper()
	folder := t.TempDir()
	c, taken := heldBy(t, folder, run)
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.end(t)
	return restarted(t, folder, run), taken
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
	late := heldUp(t, time.Second/10)
	rt, taken := restartedAfterKill(t, "run_1")
	works(t, rt)
	if took := taken(soon); took == 0 || took > time.Second && !late() {
		t.Errorf("the run was taken over after %v (0: never)", took)
	} else {
		t.Logf("taken over after %v", took)
	}
	ended(t, rt, "run_1")
}

// So does a timer of the run, where nobody works.
func TestJ10_ATimerDoesNotWaitForTheLeaseOfTheDead(t *testing.T) {
	t.Parallel()
	late := heldUp(t, time.Second/10)
	rt, taken := restartedAfterKill(t, "run_1")
	if took := taken(soon); took == 0 || took > nap+time.Second && !late() {
		t.Errorf("the run was taken over after %v (0: never), its timer was due after %v", took, nap)
	}
	ended(t, rt, "run_1")
}

// A process that is only stopped is not gone: its runs are left to it as long as its lease lasts. When it is killed
// then, a worker that is there notices.
func TestJ10_AStoppedProcessIsNotGone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	c, taken := heldBy(t, folder, "run_1")
	if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	rt := restarted(t, folder, "run_1")
	works(t, rt)
	if took := taken(nap + time.Second); took > 0 { // its timer comes meanwhile
		t.Errorf("the run of a process that is stopped was taken over after %v", took)
	}
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	late := heldUp(t, time.Second/10)
	if took := taken(soon); took == 0 || took > 2*time.Second && !late() {
		t.Errorf("the run was taken over %v after the process was killed (0: never)", took)
	}
	c.end(t) // it was a zombie until here
	ended(t, rt, "run_1")
}
