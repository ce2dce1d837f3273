package fermata

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/watch"
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
	// Takeovers is how often a run is taken over from processes that were lost while nothing of it got done in between,
	// before it is set aside: it is blocked until somebody calls Retry (law J11). Defaults to 5; negative for any number.
	Takeovers int
	// Took is called for every run that was taken, before it is driven. Run.Driver is who drove it before, or "" for
	// one that nobody did: it was queued, stopped, or answered.
	Took func(run RunInfo)
	// Rested is called when a run that this runtime has driven rests: it has ended, it waits for people or for a time,
	// or it could not be driven on, for Result.Err.
	Rested func(r Result)
}

// Work drives whatever nobody drives (law J10): runs that were queued, runs whose process is gone, and runs that were
// answered by somebody who did not drive them on. It finds their plans by Options.Plans; a run for which that has none, or
// fails, is left to others, and Run.Error says why where nobody has taken it for some seconds. Several processes may work on one store: each run is taken by one of them.
//
// Work returns when ctx is done and what it drives has come to a rest; Close stops that, and others take it over. It
// fails at once where the store is no journal.Leaser, leases are off, or there are no Options.Plans, and when another
// Work of this runtime is at it.
func (rt *Runtime) Work(ctx context.Context, o WorkOptions) error {
	w := &worker{rt: rt, options: o, refused: make(map[string]time.Time), left: make(map[string]time.Time), said: make(map[string]said), news: make(chan struct{}, 1)}
	if w.options.Concurrency <= 0 {
		w.options.Concurrency = 8 * runtime.GOMAXPROCS(0)
	}
	if w.options.Takeovers == 0 {
		w.options.Takeovers = DefaultTakeovers
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
	defer rt.room.Join(watch.Any)()
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
		return invalid(fmt.Sprintf("a worker needs a store that knows who lives (journal.Leaser); %T does not", unguarded(rt.store)))
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
	left    map[string]time.Time // runs that were left to others, and since when; before long their rows say so
	said    map[string]said      // why runs are left to others, as their rows say
	swept   time.Time            // when it has looked for processes that are gone
}

const (
	// leastPause passes between two looks into the store, however much is written there.
	leastPause = 20 * time.Millisecond
	// refusal is how long a run that could not be driven is left alone.
	refusal = 30 * time.Second
	// storeRefusal is the same where it was the store that failed, and not the run.
	storeRefusal = time.Second
	// leaveOut is how many runs a worker leaves out at most where another one was first.
	leaveOut = 16
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
	if w.options.Rested != nil && !errors.Is(d.lost, ErrStopped) {
		w.tell(d.given())
	}
	w.notice()
}

// tell calls WorkOptions.Rested, which need not return (law N7).
func (w *worker) tell(r Result) {
	ignored(w.rt.log, "WorkOptions.Rested", r.Run, func() { w.options.Rested(r) })
}

// took calls WorkOptions.Took, which need not return (law N7).
func (w *worker) took(row RunInfo) {
	ignored(w.rt.log, "WorkOptions.Took", row.ID, func() { w.options.Took(row) })
}

func (w *worker) work(ctx context.Context) {
	for ctx.Err() == nil {
		every := w.options.Every
		if err := w.look(ctx); err != nil && ctx.Err() == nil {
			w.rt.log.Error("what nobody drives could not be found", "error", err)
			every = min(every, storeRefusal)
		}
		for _, until := range w.refused {
			every = min(every, max(time.Until(until), leastPause))
		}
		pause(ctx, leastPause, nil)
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
	if time.Since(w.swept) >= min(w.options.Every, time.Second) {
		w.swept = time.Now()
		rt.lease.endGone(ctx)
	}
	for id, until := range w.refused {
		if time.Now().After(until) {
			delete(w.refused, id)
		}
	}
	for id, since := range w.left {
		if time.Since(since) > refusal {
			delete(w.left, id)
		}
	}
	for id, s := range w.said {
		if time.Since(s.since) > reasonHolds {
			delete(w.said, id)
		}
	}
	for room := w.room(); room > 0 && ctx.Err() == nil; room = w.room() {
		rows, err := rt.lease.deserted(ctx, crowd*room+len(w.refused))
		if err != nil {
			return err
		}
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

// take takes of the runs as many as there is room for, the oldest first, and returns how many it has got. Where another
// worker was first, it leaves some out, so that the two do not want the same ones all the way; those come last.
func (w *worker) take(ctx context.Context, rows []RunInfo) int {
	n := 0
	for len(rows) > 0 && ctx.Err() == nil && w.reserve() {
		took, lost := w.takeOne(ctx, rows[0])
		w.free()
		if rows = rows[1:]; took {
			n++
		}
		if lost && len(rows) > 1 {
			left := rand.N(min(len(rows), leaveOut)) //nolint:gosec // workers that began together need not go on together
			rows = slices.Concat(rows[left:], rows[:left])
		}
	}
	return n
}

// takeOne claims a run and drives it. It is lost where another one was first.
func (w *worker) takeOne(ctx context.Context, row RunInfo) (claimed, lost bool) {
	if _, no := w.refused[row.ID]; no || !w.rt.isIdle(row.ID) {
		return false, false
	}
	p, err := w.rt.planFor(ctx, row)
	if err == nil && p != nil {
		err = w.rt.policies.covers(row.ID, p)
	}
	if err != nil || p == nil {
		w.leave(ctx, row, err)
		return false, false
	}
	claimed, err = w.rt.lease.claim(ctx, row.ID)
	if err != nil {
		w.refuse(row, err)
		return false, false
	}
	if claimed {
		if err := w.drive(row, p); err != nil {
			w.refuse(row, err)
			if !mends(err) {
				w.explain(ctx, row, err)
			}
		}
	}
	return claimed, !claimed
}

// drive drives a claimed run.
func (w *worker) drive(row RunInfo, p *plan.Plan) error {
	if w.options.Took != nil {
		w.took(row)
	}
	err := w.rt.takeUp(w.rt.ctx, row.ID, p, row.Driver) // not with the context of Work: what was taken is brought to a rest
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrConflict) { // another one was first after all
		w.rt.lease.doubt(row.ID)
		return nil
	}
	if !w.rt.isIdle(row.ID) { // the store failed, and the runtime itself takes the run up again
		return nil
	}
	stands := Status(row.Status)
	if errors.Is(err, ErrPlanChanged) {
		if w.rt.blockFor(w.rt.ctx, row.ID, err) == nil {
			stands = Blocked
		}
	}
	w.rt.lease.releaseIdle(w.rt.ctx, row.ID)
	if w.options.Rested != nil {
		w.tell(Result{Run: row.ID, Status: stands, Err: err})
	}
	return err
}

// refuse leaves a run alone that cannot be driven here.
func (w *worker) refuse(row RunInfo, err error) {
	pause := refusal
	if mends(err) {
		pause = storeRefusal
	}
	w.refused[row.ID] = time.Now().Add(pause)
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
