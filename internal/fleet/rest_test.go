package fleet_test

import (
	"bytes"
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/fleet"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/node"
)

// restClock has a timer that fires as soon as its execution, which has just set it, waits for the lock of the fleet.
type restClock struct {
	runtype.SystemClock
	ahead atomic.Int64  // how far the clock is ahead of the machine's
	fleet *fleet.Fleet  // whose timer it is
	fired chan struct{} // closed once the timer has fired; nil until it is set
	waits atomic.Bool   // whether the execution was seen to wait for the lock
}

func (c *restClock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *restClock) AfterFunc(d time.Duration, fire func()) func() bool {
	if c.fired != nil {
		return c.SystemClock.AfterFunc(d, fire)
	}
	c.fired = make(chan struct{})
	held := make(chan struct{})
	go func() {
		defer close(c.fired)
		release := c.fleet.Hold()
		close(held)
		c.waits.Store(waitsForLock())
		c.ahead.Store(int64(d))
		release() // the execution is woken, and gets the processor when this goroutine leaves it
		fire()
	}()
	<-held
	return func() bool { return false }
}

// waitsForLock returns once a goroutine waits for a lock in code of the fleet; false where none does for two minutes.
func waitsForLock() bool {
	stacks := make([]byte, 1<<20)
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		for stack := range bytes.SplitSeq(stacks[:runtime.Stack(stacks, true)], []byte("\n\n")) {
			state, calls, _ := bytes.Cut(stack, []byte("\n"))
			if bytes.Contains(state, []byte("[sync.Mutex.Lock")) && bytes.Contains(calls, []byte("fleet.(*Fleet).")) {
				return true
			}
		}
	}
	return false
}

// A timer that fires while the execution that has set it comes to rest wakes the run.
func TestN1_ATimerFiresWhileItsExecutionComesToRest(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that nothing comes between the parts of the schedule
	f, err := fleet.New(runtype.Options{})
	if err != nil {
		t.Fatal(err)
	}
	clock := &restClock{fleet: f}
	f.SetClock(clock)
	g := graph.New[int]("nap").Node("nap", func(ctx node.Context, n int) (int, error) {
		return n + 1, node.Sleep(ctx, time.Hour)
	}).Edge(graph.Start, "nap").MustCompile()
	n := 0
	run, err := f.Start(t.Context(), g.Plan(), &n)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if res, err := run.Wait(ctx); err != nil || res.Status != runtype.Completed {
		t.Fatalf("the run is %q: %v; expected it to be completed", res.Status, err)
	}
	<-clock.fired
	if !clock.waits.Load() {
		t.Error("the execution did not wait for the lock of the fleet: the schedule of this test did not happen")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
