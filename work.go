package fermata

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// WorkOptions say how Work goes about it. The zero value works.
type WorkOptions struct {
	// Concurrency is how many runs this runtime drives at once before it takes no more. Runs whose timers are due wait, too,
	// and come before those that are taken; an answer that comes here wakes a run all the same. Defaults to eight for each
	// processor.
	Concurrency int
	// Every is how often it looks for what nobody drives, when nobody tells it that there is something. Defaults to a
	// fifth of the lease.
	Every time.Duration
	// Took is called for every run that was taken, before it is driven. Run.Driver is who drove it before, or "" for
	// one that nobody did: it was queued, stopped, or answered.
	Took func(run RunInfo)
	// Rested is called when a run that this runtime has driven rests: it has ended, it waits for people or for a time,
	// or it could not be driven on, for Result.Err.
	Rested func(r Result)
}

// Work drives whatever nobody drives (law J10): runs that were queued, runs whose process is gone, and runs that were
// answered by somebody who did not drive them on. It finds their plans by Options.Plans; a run without one is left to
// others. Several processes may work on one store: each run is taken by one of them.
//
// Work returns when ctx is done and what it drives has come to a rest; Close stops that, and others take it over. It
// fails at once where the store is no journal.Leaser, leases are off, or there are no Options.Plans, and when another
// Work of this runtime is at it.
func (rt *Runtime) Work(ctx context.Context, o WorkOptions) error {
	w := &worker{rt: rt, options: o, refused: make(map[string]time.Time), news: make(chan struct{}, 1)}
	if w.options.Concurrency <= 0 {
		w.options.Concurrency = 8 * runtime.GOMAXPROCS(0)
	}
	if w.options.Every <= 0 {
		w.options.Every = max(rt.lease.ttl/5, leastPause)
	}
	if err := rt.employ(w); err != nil {
		return err
	}
	defer func() {
		rt.mu.Lock()
		rt.worker = nil
		rt.mu.Unlock()
		rt.alarm.resume()
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(rt.ctx, cancel)() // Close ends it
	if s, ok := rt.store.(journal.Watcher); ok {
		if err := s.Watch(ctx, w.notice); err != nil {
			rt.log.Warn("writes of others are not noticed at once", "error", err)
		}
	}
	w.work(ctx)
	w.drain()
	return nil
}

// employ makes w the runtime's worker.
func (rt *Runtime) employ(w *worker) error {
	invalid := func(text string) error { return &Error{Code: CodeInvalid, Err: errors.New(text)} }
	switch {
	case rt.lease.store == nil && rt.options.Lease < 0:
		return invalid("a worker needs leases: Options.Lease is negative")
	case rt.lease.store == nil:
		return invalid(fmt.Sprintf("a worker needs a store that knows who lives (journal.Leaser); %T does not", rt.store))
	case rt.options.Plans == nil:
		return invalid("a worker needs Options.Plans: it drives runs that others have started")
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	switch {
	case rt.closed:
		return &Error{Code: CodeStopped, Err: ErrClosed}
	case rt.worker != nil:
		return &Error{Code: CodeConflict, Err: conflict("this runtime works already")}
	}
	rt.worker = w
	return nil
}

// worker looks for runs that nobody drives. Its fields are its own goroutine's, but for the channel and the places.
type worker struct {
	rt      *Runtime
	options WorkOptions
	news    chan struct{}        // something was written, or a run has come to its rest
	places  int                  // for runs that are about to be driven. The runtime's lock guards it
	refused map[string]time.Time // runs that cannot be driven here, and until when that is believed
}

const (
	// leastPause passes between two looks into the store, however much is written there.
	leastPause = 20 * time.Millisecond
	// refusal is how long a run that could not be driven is left alone.
	refusal = 30 * time.Second
	// crowd is how many runs a worker looks at for each one that it takes: where all took the first, all but one of
	// them would have looked in vain.
	crowd = 4
)

// notice says that there may be something to do. It never waits.
func (w *worker) notice() {
	if w == nil {
		return
	}
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// rested tells of a drive that has ended.
func (w *worker) rested(d *drive) {
	if w == nil {
		return
	}
	if f := w.options.Rested; f != nil && !errors.Is(d.lost, ErrStopped) {
		f(d.given())
	}
	w.notice()
}

func (w *worker) work(ctx context.Context) {
	for ctx.Err() == nil {
		if err := w.look(ctx); err != nil && ctx.Err() == nil {
			w.rt.log.Error("what nobody drives could not be found", "error", err)
		}
		pause(ctx, leastPause, nil)
		every := w.options.Every
		pause(ctx, every/2+rand.N(every), w.news) //nolint:gosec // workers that began together need not look together
	}
}

// pause returns after d, or when there is news, or when ctx is done.
func pause(ctx context.Context, d time.Duration, news <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-news:
	}
}

// room is how many runs more may be driven.
func (w *worker) room() int {
	w.rt.mu.Lock()
	defer w.rt.mu.Unlock()
	return w.options.Concurrency - len(w.rt.drives) - w.places
}

// look takes what nobody drives, as far as there is room.
func (w *worker) look(ctx context.Context) error {
	rt := w.rt
	rt.lease.live(ctx) // also where there is nothing to drive: others may want to know who works
	if err := rt.alarm.catchUp(ctx); err != nil {
		return err
	}
	for id, until := range w.refused {
		if time.Now().After(until) {
			delete(w.refused, id)
		}
	}
	for room := w.room(); room > 0 && ctx.Err() == nil; room = w.room() {
		rows, err := rt.lease.deserted(ctx, crowd*room+len(w.refused))
		if err != nil {
			return err
		}
		rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] }) //nolint:gosec // only so that workers do not all want the same
		if w.take(ctx, rows) == 0 {
			break
		}
	}
	if rt.alarm.isBehind() && w.room() > 0 { // a place was held for a run that nobody could take
		w.notice()
	}
	return nil
}

// reserve holds a place for a run that is about to be driven, until free is called; false where there is none.
func (w *worker) reserve() bool {
	w.rt.mu.Lock()
	defer w.rt.mu.Unlock()
	if len(w.rt.drives)+w.places >= w.options.Concurrency {
		return false
	}
	w.places++
	return true
}

func (w *worker) free() {
	w.rt.mu.Lock()
	defer w.rt.mu.Unlock()
	w.places--
}

// admit calls wake for a run that is due, unless it would be one too many: then it returns false. There need be no worker.
func (w *worker) admit(run string, wake func()) bool {
	if w != nil && w.rt.isIdle(run) {
		if !w.reserve() {
			return false
		}
		defer w.free()
	}
	wake()
	return true
}

// take takes of the runs as many as there is room for, and returns how many it has got.
func (w *worker) take(ctx context.Context, rows []RunInfo) int {
	n := 0
	for i := range rows {
		if ctx.Err() != nil || !w.reserve() {
			break
		}
		if w.takeOne(ctx, rows[i]) {
			n++
		}
		w.free()
	}
	return n
}

func (w *worker) takeOne(ctx context.Context, row RunInfo) (claimed bool) {
	if _, no := w.refused[row.ID]; no || !w.rt.isIdle(row.ID) {
		return false
	}
	p, err := w.rt.planFor(ctx, row)
	if err != nil || p == nil {
		w.refuse(row, err)
		return false
	}
	claimed, err = w.rt.lease.claim(ctx, row.ID)
	if err != nil {
		w.refuse(row, err)
		w.refused[row.ID] = time.Now().Add(w.rt.lease.ttl) // the store has failed, and not the run
		return false
	}
	if claimed {
		if err := w.drive(row, p); err != nil {
			w.refuse(row, err)
		}
	}
	return claimed
}

// drive drives a claimed run.
func (w *worker) drive(row RunInfo, p *plan.Plan) error {
	if w.options.Took != nil {
		w.options.Took(row)
	}
	_, err := w.rt.Resume(w.rt.ctx, row.ID, p) // not with the context of Work: what was taken is brought to a rest
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrConflict) { // another one was first after all
		w.rt.lease.doubt(row.ID)
		return nil
	}
	w.rt.lease.release(w.rt.ctx, row.ID)
	if w.options.Rested != nil {
		w.options.Rested(Result{Run: row.ID, Status: Status(row.Status), Err: err})
	}
	return err
}

// refuse leaves a run alone that cannot be driven here.
func (w *worker) refuse(row RunInfo, err error) {
	w.refused[row.ID] = time.Now().Add(refusal)
	if err != nil {
		w.rt.log.Error("a run that nobody drives cannot be taken", "run", row.ID, "error", err)
	}
}

// drain waits until nothing is driven any more.
func (w *worker) drain() {
	for {
		w.rt.mu.Lock()
		driven := len(w.rt.drives) + len(w.rt.loading)
		w.rt.mu.Unlock()
		if driven == 0 {
			return
		}
		select {
		case <-w.news:
		case <-time.After(50 * time.Millisecond):
		}
	}
}
