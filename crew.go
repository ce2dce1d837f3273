package fermata

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata/internal/machine"
)

// crew is the goroutines that work on a drive. Whoever holds the lock owns the machine and the values; a task's
// function is called without it, unless the task is alone: then nobody else could do anything meanwhile, and its
// goroutine keeps the lock. A goroutine that has finished a task goes on with the next one that is ready, so a run
// without branches never changes its goroutine, and a branch changes it only where it forks.
type crew struct {
	d        *drive
	mu       sync.Mutex
	wake     *sync.Cond  // of the drive's own goroutine
	asleep   bool        // it waits
	coming   int         // helpers that have not taken anything yet
	running  int         // tasks whose functions are called without the lock
	lost     error       // what a helper could not go on from
	left     []left      // tasks whose functions have ended the goroutines that called them
	gone     *host       // of the task whose function is ending the goroutine that holds the lock, where it has one of its own
	failed   error       // why nothing can be recorded any more
	poked    bool        // somebody has written to the journal
	poking   atomic.Bool // a goroutine is about to say so
	due      int64       // when the alarm goes off, microseconds; 0 for none
	alarm    func() bool
	watching bool // for what other processes store
	ctx      context.Context
	stop     context.CancelFunc
	helpers  sync.WaitGroup
	apart    atomic.Bool // tasks have been called without the lock
	hosts    []*host
	out      map[*host]bool // of the tasks whose functions are called without the lock
	taken    atomic.Uint64  // how many starts were taken
	eager    atomic.Uint64  // until so many were taken, helpers come at once
}

// Where nothing is stored, a task may cost less than calling for help. So a helper that is called late in a run stands by
// first: while those at work take a start in less than quick each, it would only be in their way.
const (
	eagerly = 64
	standby = 20 * time.Microsecond
	quick   = 2 * time.Microsecond
)

// standBy waits while others do quickly what is to be done.
func (c *crew) standBy() {
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

// give gives the journal up after what could not be recorded: the machine is ahead of it, and whatever anybody else
// recorded now would have that in it as if it were stored. Everybody is told to stop at once, and whatever they ask for
// fails for the same reason. That the run is over, or was stopped, is no failure.
func (c *crew) give(err error) error {
	if err != nil && c.failed == nil && !errors.Is(err, errOver) && !errors.Is(err, ErrStopped) {
		c.failed = err
		c.d.stop()
	}
	return err
}

// busy reports whether anybody but the caller is at work.
func (c *crew) busy() bool { return c.running+c.coming > 0 }

// next takes what is to be done next, and calls for help where there is more. It fails when driving was stopped.
func (c *crew) next() (s machine.Start, ok bool, err error) {
	d := c.d
	if err := c.failed; err != nil {
		return s, false, err
	}
	if err := c.lost; err != nil {
		return s, false, err
	}
	if d.queue.len() == 0 {
		return s, false, nil
	}
	if Status(d.m.Status()).Ended() || d.takeUp.block != nil {
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

// call lets others do what is left in the queue.
func (c *crew) call() {
	if c.d.options.Sequential {
		return
	}
	left := c.d.queue.len() - c.coming
	if left > 0 && c.asleep {
		c.rouse()
		left--
	}
	if left > 0 && c.coming == 0 { // who calls the next one before it begins
		c.coming++
		c.helpers.Go(c.help)
	}
}

func (c *crew) rouse() {
	if c.asleep {
		c.asleep = false
		c.wake.Signal()
	}
}

// help is a helper's life: it does what is to be done until nothing is left for it.
func (c *crew) help() {
	if c.d.none {
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
			c.lost = ErrGoexit
		}
		if c.lost != nil {
			c.d.stop()
		}
		if !c.busy() || c.lost != nil {
			c.rouse()
		} else {
			c.setAlarm() // a timer may have been set while all others are at work
		}
		c.mu.Unlock()
	}()
	for {
		did, err := c.d.step()
		if err != nil && c.lost == nil {
			c.lost = err
		}
		if err != nil || !did {
			returned = true
			return
		}
	}
}

// wait lets the drive's own goroutine sleep until something is to be done, or due.
func (c *crew) wait() {
	if c.wake == nil {
		c.wake = sync.NewCond(&c.mu)
	}
	c.setAlarm()
	c.asleep = true
	for c.asleep {
		c.wake.Wait()
	}
}

// setAlarm makes sure that somebody looks when the next timer of the run is due, while all others are at work.
func (c *crew) setAlarm() {
	if c.d.none {
		return
	}
	c.watch()
	due := c.d.m.Due()
	if due == c.due || due == math.MaxInt64 {
		return
	}
	if c.alarm != nil {
		c.alarm()
	}
	c.due, c.alarm = due, c.d.rt.at(due, c.look)
}

// watch makes sure that an answer which another process stores is noticed while all are at work (law H3): no append of
// their own may come for hours.
func (c *crew) watch() {
	if c.watching || len(c.d.m.Interrupts()) == 0 {
		return
	}
	c.watching = true
	context.AfterFunc(c.d.ctx, c.d.rt.room.Join(c.d.id))
	c.poke() // what came before
}

// look lets somebody see what is to be done: the drive's own goroutine where it sleeps, or a helper.
func (c *crew) look() {
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

// poke says that somebody has written to the journal. It never waits, and one goroutine waits for all pokes while the lock
// is held.
func (c *crew) poke() {
	if c.apart.Load() && c.poking.CompareAndSwap(false, true) {
		go func() {
			c.mu.Lock()
			c.poking.Store(false)
			c.poked = true
			c.mu.Unlock()
			c.look()
		}()
	}
}

// dismiss waits until nobody else is at work. The lock is held, and is given up meanwhile.
func (c *crew) dismiss() {
	if c.lost == nil {
		c.lost = errOver
	}
	if c.alarm != nil {
		c.alarm()
	}
	if c.apart.Load() {
		c.cancel()
		c.d.stop()
		c.mu.Unlock()
		c.helpers.Wait()
		c.mu.Lock()
	}
}

// context is what tasks that run beside others are called with.
func (c *crew) context() context.Context {
	if c.ctx == nil {
		c.ctx, c.stop = context.WithCancel(c.d.ctx)
	}
	return c.ctx
}

// cancel stops the tasks that are at work, and not the driving.
func (c *crew) cancel() {
	if c.stop != nil {
		c.stop()
	}
}

// host gives a host for a task that runs beside others: its lock is that of the crew.
func (c *crew) host() *host {
	if n := len(c.hosts); n > 0 {
		h := c.hosts[n-1]
		c.hosts = c.hosts[:n-1]
		return h
	}
	return &host{d: c.d, mu: &c.mu}
}

// attempt is the drive's attemptOrHit, without the lock.
func (c *crew) attempt(ctx context.Context, w *work, in any) (any, chosen, error) {
	if c.out == nil {
		c.out = make(map[*host]bool)
	}
	c.out[w.h] = true
	c.leave()
	returned := false
	defer func() { // also when the node ends its goroutine
		c.enter()
		if delete(c.out, w.h); !returned {
			c.gone = w.h
		}
	}()
	defer w.h.end()
	out, choice, err := c.d.attemptOrHit(ctx, w, in)
	returned = true
	return out, choice, err
}

// without calls f without the lock.
func (c *crew) without(f func()) {
	c.leave()
	defer c.enter()
	f()
}

// leave gives the lock up for as long as a task's function runs.
func (c *crew) leave() {
	c.apart.Store(true)
	c.running++
	if !c.asleep {
		c.setAlarm()
	}
	c.mu.Unlock()
}

// enter takes the lock again.
func (c *crew) enter() {
	c.mu.Lock()
	c.running--
}
