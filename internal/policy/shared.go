package policy

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/fermata-go/fermata/internal/place"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// SharedEnv is what pools that processes share need from the process.
type SharedEnv struct {
	Store     journal.Swapper                                        // where the ledgers are
	Driver    string                                                 // this process's name as owner (law J10)
	Lease     time.Duration                                          // how long a sign of life of a process counts
	KeepAlive func(ctx context.Context)                              // shows other processes that this one is alive
	Left      func(ctx context.Context, driver string) time.Duration // how long a process's last sign of life still counts; 0 for one that is gone
	Join      func(name string) (leave func())                       // has Changed called with a cell that other processes have changed
	At        func(at int64, f func()) (stop func() bool)            // calls f at a time, microseconds
	Now       func() int64                                           // the time of the store, microseconds (law J12)
	Log       *slog.Logger                                           // for failures of the store
}

// Shared are the pools whose places are shared by all processes on one store (law J20).
type Shared struct {
	env    SharedEnv          // what the process gives them
	ctx    context.Context    // of the desks
	cancel context.CancelFunc // ends them
	wg     sync.WaitGroup     // counts the goroutines of desks

	mu     sync.Mutex       // guards what follows, and the desks
	desks  map[string]*desk // by name of the cell; those with something to do
	last   uint64           // number of the last task that asked for a place
	wrote  uint64           // number of the last ledger that was written
	closed bool             // no task asks any more
}

// NewShared returns the shared pools of a process.
func NewShared(env SharedEnv) *Shared {
	s := &Shared{env: env, desks: make(map[string]*desk)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Request is what a task says that needs a place.
type Request struct {
	Pool     string // the name of the pool
	Key      string // of the part of the pool; "" for a pool without keys
	Run      string // the run of the task
	Task     string // the task
	Priority int    // of the run
}

// waiter is a task that waits for a place.
type waiter struct {
	place.Entry
	got chan struct{} // closed when it has its place
}

// Acquire waits until a task may start. release gives the place back; it does not wait for the store.
func (s *Shared) Acquire(ctx context.Context, r Request, limits place.Limits) (release func(), err error) {
	s.env.KeepAlive(ctx)
	w := &waiter{got: make(chan struct{})}
	w.Entry = place.Entry{Driver: s.env.Driver, Run: r.Run, Task: r.Task, Priority: r.Priority, Since: s.env.Now()}
	d := s.enter(place.Name(r.Pool, r.Key), w, limits)
	if d == nil {
		return nil, runtype.ErrClosed
	}
	select {
	case <-w.got:
	case <-ctx.Done():
		d.leave(w.N)
		return nil, ctx.Err()
	}
	if limits.Most == 0 { // it has had its turn, and has no place
		return func() {}, nil
	}
	return func() { d.leave(w.N) }, nil
}

// enter has a task wait at the desk of a cell.
func (s *Shared) enter(name string, w *waiter, limits place.Limits) *desk {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	d := s.desks[name]
	if d == nil {
		d = &desk{room: s, name: name, news: make(chan struct{}, 1), held: make(map[uint64]place.Entry), stop: func() bool { return true }}
		s.desks[name] = d
	}
	d.limits = limits
	s.last++
	w.N = s.last
	at, _ := slices.BinarySearchFunc(d.waiting, w, func(a, b *waiter) int { return a.Before(b.Entry) })
	d.waiting = slices.Insert(d.waiting, at, w)
	d.serve()
	return d
}

// Changed says that another process may have changed a cell. No pools have none.
func (s *Shared) Changed(name string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.desks[name]; d != nil && len(d.waiting) > 0 {
		d.stale = true
		d.serve()
	}
}

// Renew writes the places of this process again. Its lease had run out, so others may have taken it for lost.
func (s *Shared) Renew() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.desks {
		d.stale = true
		d.serve()
	}
}

// Busy reports whether tasks have places here or wait for one, or places are to be given back.
func (s *Shared) Busy() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.desks) > 0
}

// Close gives back what is left, as long as ctx lasts. No task has a place any more, or it has been left behind.
func (s *Shared) Close(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	for _, d := range s.desks {
		clear(d.held)
		d.stale = true
		d.serve()
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.wg.Wait()
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	s.cancel()
}
