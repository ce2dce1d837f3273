package executor

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runtype"
)

// workers are the goroutines of an execution. The holder of the lock owns the machine and the values. A task's
// function is called without the lock, unless the task runs alone: nothing else could use it meanwhile. A
// goroutine that has finished a task takes the next ready one. So a run without branches never changes its
// goroutine, and a branch does so only where it forks.
type workers struct {
	run   *Execution         // the execution they work for
	mu    sync.Mutex         // guards the machine and the values
	ctx   context.Context    // of tasks that run beside others; nil before the first
	stop  context.CancelFunc // ends ctx
	hosts []*host            // free ones, for tasks that run beside others
	out   map[*host]bool     // hosts of tasks that run without the lock
	apart atomic.Bool        // some task has run without the lock
	helped
	losses
	signals
}

// helped counts the goroutines that work or wait. The workers' lock guards fields that are not atomic.
type helped struct {
	helpers  sync.WaitGroup // goroutines beside the execution's own
	wake     *sync.Cond     // wakes the execution's own goroutine; nil before its first wait
	asleep   bool           // that goroutine waits
	coming   int            // helpers that have not taken a start yet
	running  int            // tasks that run without the lock
	arriving atomic.Int32   // of those, the ones that have returned and wait for the lock
	taken    atomic.Uint64  // starts taken so far
	eager    atomic.Uint64  // helpers start at once until so many starts were taken
}

// losses say why the workers cannot go on. The workers' lock guards them.
type losses struct {
	lost   error  // an error that stopped a helper
	failed error  // why nothing more can be recorded
	left   []left // tasks whose functions ended their goroutines
	gone   *host  // host of the task that is ending the goroutine with the lock; nil for the shared one
}

// signals hold events from outside while tasks run. The workers' lock guards fields that are not atomic.
type signals struct {
	writeSignalled bool        // another writer has written to the journal
	signalling     atomic.Bool // a goroutine is about to set writeSignalled
	watching       bool        // writes of other processes are watched
	due            int64       // when the timer fires, in microseconds; 0 for none
	timer          func() bool // stops the timer; nil for none
}

// In a run that is not stored, a task may cost less than starting a helper. So a late helper stands by first.
// It joins only if the others take longer than quick for each start.
const (
	eagerly = 64
	standby = 20 * time.Microsecond
	quick   = 2 * time.Microsecond
)

// standBy waits while the others take starts quickly.
func (c *workers) standBy() {
	before := c.taken.Load()
	for before > eagerly+c.eager.Load() {
		began := time.Now()
		time.Sleep(standby)
		taken := c.taken.Load()
		if time.Duration(taken-before)*quick < time.Since(began) {
			c.eager.Store(taken) // they are slow
		}
		before = taken
	}
}

// give abandons the journal after an entry could not be recorded. The machine is ahead of the store, so any
// later record would depend on the lost entry. All tasks are stopped, and their calls fail with the same error.
// An ended or stopped run is no failure.
func (c *workers) give(err error) error {
	if err != nil && c.failed == nil && !errors.Is(err, errOver) && !errors.Is(err, runtype.ErrStopped) {
		c.failed = err
		c.run.Stop()
	}
	return err
}

// busy reports whether anybody but the caller is working.
func (c *workers) busy() bool { return c.running+c.coming > 0 }

// next takes the next start, and calls a helper if there are more. It fails if the execution was stopped.
func (c *workers) next() (s machine.Start, ok bool, err error) {
	d := c.run
	if err := c.failed; err != nil {
		return s, false, err
	}
	if err := c.lost; err != nil {
		return s, false, err
	}
	if d.queue.len() == 0 {
		return s, false, nil
	}
	if runtype.Status(d.Machine.Status()).Ended() || d.TakeUp.block != nil {
		d.queue.clear()
		return s, false, nil
	}
	if d.ctx.Err() != nil {
		return s, false, d.stopped()
	}
	s = d.queue.pop()
	c.taken.Add(1)
	c.call()
	return s, true, nil
}

// call lets helpers take what is left in the queue.
func (c *workers) call() {
	if c.run.Options.Sequential {
		return
	}
	left := c.run.queue.len() - c.coming
	if len(c.run.onStored) > 0 { // a goroutine has to store them, however long the tasks take
		left++
	}
	if left > 0 && c.asleep {
		c.rouse()
		left--
	}
	if left > 0 && c.coming == 0 { // a helper calls the next one before it begins
		c.coming++
		c.helpers.Go(c.help)
	}
}

func (c *workers) rouse() {
	if c.asleep {
		c.asleep = false
		c.wake.Signal()
	}
}

// help is the body of a helper: it takes starts until none are left.
func (c *workers) help() {
	if c.run.Unstored {
		c.standBy()
	}
	c.mu.Lock()
	c.coming--
	returned := false
	defer func() {
		if !returned && len(c.left) > 0 { // a node called runtime.Goexit
			c.coming++
			c.helpers.Go(c.help)
			c.mu.Unlock()
			return
		}
		if !returned && c.lost == nil {
			c.lost = runtype.ErrGoexit
		}
		if c.lost != nil {
			c.run.Stop()
		}
		if !c.busy() || c.lost != nil {
			c.rouse()
		} else {
			c.setTimer() // a timer may have been set while all others were busy
		}
		c.mu.Unlock()
	}()
	for {
		did, err := c.run.step()
		if err != nil && c.lost == nil {
			c.lost = err
		}
		if err != nil || !did {
			returned = true
			return
		}
	}
}

// wait blocks the execution's own goroutine until there is work or a timer is due.
func (c *workers) wait() {
	if c.wake == nil {
		c.wake = sync.NewCond(&c.mu)
	}
	c.setTimer()
	c.asleep = true
	for c.asleep {
		c.wake.Wait()
	}
}

// setTimer makes sure that the next timer of the run is noticed while all others are busy.
func (c *workers) setTimer() {
	if c.run.Unstored {
		return
	}
	c.watch()
	due := c.run.Machine.Due()
	if due == c.due || due == math.MaxInt64 {
		return
	}
	if c.timer != nil {
		c.timer()
	}
	c.due, c.timer = due, c.run.At(due, c.look)
}

// watch subscribes to writes of other processes, so that an answer is noticed while all are busy (law H3), and so is a cancel
// of a run that is undone then, because its tasks are waited for (law F10). The
// execution's own next append may be hours away.
func (c *workers) watch() {
	if c.watching || len(c.run.Machine.Interrupts()) == 0 && !c.run.Plan.Undoes() {
		return
	}
	c.watching = true
	context.AfterFunc(c.run.ctx, c.run.env.Room.Join(c.run.ID))
	c.signalWrite() // for writes before the subscription
}

// look lets a goroutine look for work: the execution's own if it waits, else a helper.
func (c *workers) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.due = 0
	switch {
	case c.lost != nil:
	case c.asleep:
		c.rouse()
	default:
		c.coming++
		c.helpers.Go(c.help)
	}
}

// signalWrite signals a journal write by another writer. It never blocks: one goroutine waits for the lock on
// behalf of all signals.
func (c *workers) signalWrite() {
	if c.apart.Load() && c.signalling.CompareAndSwap(false, true) {
		go func() {
			c.mu.Lock()
			c.signalling.Store(false)
			c.writeSignalled = true
			c.mu.Unlock()
			c.look()
		}()
	}
}

// dismiss waits until nobody else is working. The lock is held, and released meanwhile.
func (c *workers) dismiss() {
	if c.lost == nil {
		c.lost = errOver
	}
	if c.timer != nil {
		c.timer()
	}
	if c.apart.Load() {
		c.cancel()
		c.run.Stop()
		c.mu.Unlock()
		c.helpers.Wait()
		c.mu.Lock()
	}
}

// context returns the context for tasks that run beside others.
func (c *workers) context() context.Context {
	if c.ctx == nil || c.ctx.Err() != nil && c.run.Machine.Undone() && c.run.ctx.Err() == nil { // the tasks before were ended
		c.ctx, c.stop = context.WithCancel(c.run.ctx)
	}
	return c.ctx
}

// cancel stops the running tasks, but not the execution.
func (c *workers) cancel() {
	if c.stop != nil {
		c.stop()
	}
}

// host returns a host for a task that runs beside others. It uses the workers' lock.
func (c *workers) host() *host {
	if n := len(c.hosts); n > 0 {
		h := c.hosts[n-1]
		c.hosts = c.hosts[:n-1]
		return h
	}
	return &host{run: c.run, mu: &c.mu}
}

// attempt is Execution.attempt without the lock.
func (c *workers) attempt(ctx context.Context, w *work, in any) (any, chosen, error) {
	if c.out == nil {
		c.out = make(map[*host]bool)
	}
	c.out[w.h] = true
	c.leave()
	returned := false
	defer func() { // also if the node ends its goroutine
		c.enter()
		if delete(c.out, w.h); !returned {
			c.gone = w.h
		}
	}()
	defer w.h.end()
	out, choice, err := c.run.attempt(ctx, w, in)
	returned = true
	return out, choice, err
}

// without calls f without the lock.
func (c *workers) without(f func()) {
	c.leave()
	defer c.enter()
	f()
}

// leave releases the lock while a task's function runs.
func (c *workers) leave() {
	c.apart.Store(true)
	c.running++
	if !c.asleep {
		c.setTimer()
	}
	c.mu.Unlock()
}

// enter takes the lock again.
func (c *workers) enter() {
	c.arriving.Add(1)
	c.mu.Lock()
	c.arriving.Add(-1)
	c.running--
}
