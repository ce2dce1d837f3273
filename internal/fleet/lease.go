package fleet

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

// lease shows other processes that this one is alive and owns its runs (law J10). One beat covers all runs, so
// a step costs nothing. Leases only save work; the store's fence keeps journals correct (law J3).
type lease struct {
	rt     *Fleet         // whose runs it owns
	store  journal.Leaser // nil without leases
	driver string         // this process's name as owner
	ttl    time.Duration  // how long a beat lasts

	turn chan struct{} // holds one token, for the goroutine that beats

	mu    sync.Mutex      // guards what follows
	last  time.Time       // of the last beat; zero before the first
	timer *time.Timer     // of the next beat; nil while stopped
	over  bool            // closed: no beat follows
	owed  map[string]bool // runs that are not executed here any more and could not be released
	named map[string]bool // runs that were claimed and not read since by an execution
}

func (l *lease) open(rt *Fleet) {
	l.rt = rt
	store, ok := storage.Capability[journal.Leaser](rt.Store)
	if !ok || rt.Options.Lease < 0 {
		return
	}
	if l.ttl = rt.Options.Lease; l.ttl == 0 {
		l.ttl = runtype.DefaultLease
	}
	l.store, l.driver, l.owed = store, newDriver(rt.Options.Name), make(map[string]bool)
	l.named = make(map[string]bool)
	l.turn = make(chan struct{}, 1)
}

// KeepAlive beats before an execution starts, if the last beat is old. On failure, the next append will report
// the store's trouble.
func (l *lease) KeepAlive(ctx context.Context) {
	if l.store == nil || l.fresh() {
		return
	}
	l.beat(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watch()
}

// fresh reports whether no beat is needed now.
func (l *lease) fresh() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.last) < l.ttl/3 || l.over
}

// patient returns the time limit of a store call about leases: they must not block an execution.
func (l *lease) patient() time.Duration { return max(l.ttl, runtype.DefaultLease) }

// beat renews the lease. It retries while there is time.
func (l *lease) beat(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, l.patient()/2)
	defer cancel()
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return
	}
	if l.fresh() { // another goroutine has renewed it meanwhile
		return
	}
	began := time.Now()
	if err := l.store.Beat(ctx, l.driver, l.ttl); err != nil {
		l.rt.Log.Warn("renewing the lease of this process failed", "driver", l.driver, "error", err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	lapsed := !l.last.IsZero() && began.Sub(l.last) > l.ttl
	if l.last = began; lapsed {
		go l.rt.policies.Shared().Renew() // others may have taken this process for lost
	}
}

// watch schedules renew. The lock is held.
func (l *lease) watch() {
	if l.timer == nil && !l.over {
		l.timer = time.AfterFunc(l.next(), l.renew)
	}
}

// next returns when to renew: after a third of the lease, or soon after a failure, so that there are several
// attempts. The lock is held.
func (l *lease) next() time.Duration {
	return min(max(l.ttl/3-time.Since(l.last), l.ttl/10), l.ttl/3)
}

// renew renews the lease while runs are executed or to be released.
func (l *lease) renew() {
	rt := l.rt
	rt.mu.Lock()
	if rt.closed {
		rt.mu.Unlock()
		return
	}
	rt.wg.Add(1)
	busy := len(rt.executions)+len(rt.loading)+len(rt.recovery.runs) > 0 || rt.worker != nil
	rt.mu.Unlock()
	busy = busy || rt.policies.Shared().Busy() // functions that were left behind keep their places
	defer rt.wg.Done()
	owed, again := l.owes(busy)
	if !again {
		return
	}
	l.beat(rt.ctx)
	l.mu.Lock()
	if !l.over {
		l.timer.Reset(l.next())
	}
	l.mu.Unlock()
	for _, id := range owed {
		l.releaseIdle(rt.ctx, id)
	}
}

// owes returns the runs to release. again is false if there are none and nothing is executed.
func (l *lease) owes(busy bool) (runs []string, again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || !busy && len(l.owed) == 0 {
		l.timer = nil
		return nil, false
	}
	return slices.Collect(maps.Keys(l.owed)), true
}

// close ends the lease, so that others may take over at once.
func (l *lease) close() {
	l.mu.Lock()
	l.over = true
	if l.timer != nil {
		l.timer.Stop()
	}
	never := l.last.IsZero()
	l.mu.Unlock()
	if never {
		return
	}
	l.turn <- struct{}{} // after a beat in progress; none follows
	defer func() { <-l.turn }()
	ctx, cancel := context.WithTimeout(context.Background(), l.ttl) // by then the lease is over anyway
	defer cancel()
	if err := l.store.Beat(ctx, l.driver, 0); err != nil {
		l.rt.Log.Warn("ending the lease of this process failed", "driver", l.driver, "error", err)
	}
}

// Admit returns an error if this process may not execute the run.
func (l *lease) Admit(ctx context.Context, row *runtype.RunInfo) error {
	if l.store == nil || row.Driver == "" || row.Driver == l.driver || row.Ended() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, l.patient())
	defer cancel()
	left, err := l.store.Left(ctx, row.Driver)
	if err != nil {
		return l.rt.StoreError(row.ID, err)
	}
	if left == 0 || isGone(row.Driver) {
		return nil
	}
	return &runtype.Error{Code: runtype.CodeConflict, Run: row.ID, Err: &runtype.DrivenError{Driver: row.Driver, Until: time.Now().Add(left)}}
}

// claim makes this process the owner of a run that has none. It returns true without leases.
func (l *lease) claim(ctx context.Context, run string) (bool, error) {
	if l.store == nil {
		return true, nil
	}
	l.KeepAlive(ctx)
	ctx, cancel := context.WithTimeout(ctx, l.patient())
	defer cancel()
	claimed, err := l.store.Claim(ctx, l.driver, run)
	if err == nil && !claimed && l.endOf(ctx, run) {
		claimed, err = l.store.Claim(ctx, l.driver, run)
	}
	if err != nil {
		l.ReturnLater(run)
	}
	if claimed {
		l.mu.Lock()
		l.named[run] = true
		l.mu.Unlock()
	}
	return claimed, err
}

// Read reports whether a run was claimed and not read since, and marks it as read.
func (l *lease) Read(run string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	is := l.named[run]
	delete(l.named, run)
	return is
}

// endOf ends the lease of a run's owner if that is known to be gone, and reports whether it did.
func (l *lease) endOf(ctx context.Context, run string) bool {
	row, err := l.rt.Info(ctx, run)
	return err == nil && l.end(ctx, row.Driver)
}

// end ends the lease of an owner that is known to be gone, and reports whether it did. The name is unique, so
// nobody renews it.
func (l *lease) end(ctx context.Context, driver string) bool {
	if driver == l.driver || !isGone(driver) {
		return false
	}
	if err := l.store.Beat(ctx, driver, 0); err != nil {
		l.rt.Log.Warn("ending the lease of a lost process failed", "driver", driver, "error", err)
		return false
	}
	return true
}

// endGone ends the leases of all owners that are known to be gone, if the store can list them.
func (l *lease) endGone(ctx context.Context) {
	store, ok := storage.Capability[journal.DriverLister](l.rt.Store)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, l.patient())
	defer cancel()
	drivers, err := store.Drivers(ctx)
	if err != nil {
		l.rt.Log.Warn("listing the owners of runs failed", "error", err)
	}
	for _, driver := range drivers {
		l.end(ctx, driver)
	}
}

// deserted returns runs without an owner, see journal.Leaser.
func (l *lease) deserted(ctx context.Context, q journal.WantedQuery) ([]runtype.RunInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, l.patient())
	defer cancel()
	return l.store.Deserted(ctx, q)
}

// ReturnLater releases a run later that this process may own without executing it: a failed write may have
// succeeded. Until then, no other process would take it.
func (l *lease) ReturnLater(run string) {
	if l.store == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owed[run] = true
	l.watch()
}

// giveBack releases a run whose execution has ended. It does nothing if another process owns it, or the lease
// is about to end.
func (l *lease) giveBack(d *owned) {
	if l.store == nil || d.Unstored || errors.Is(d.Lost, runtype.ErrConflict) || l.rt.ctx.Err() != nil {
		return
	}
	claimed := l.Read(d.ID)
	if d.Lost == nil && d.Row.Ready { // there was nothing to do, so nothing was written
		row, by := d.Row, d.Row.Driver
		if claimed { // since the row was read
			by = l.driver
		}
		row.Driver, row.Ready = "", false
		if l.rt.Store.Append(l.rt.ctx, journal.Batch{Run: d.ID, After: row.Head, Row: &row, Driver: &by}) == nil {
			return
		}
	}
	if claimed || d.Row.Driver == l.driver {
		l.release(l.rt.ctx, d.ID)
		d.Row.Driver = "" // as stored: the next append of an execution sets the owner again
	}
}

// releaseIdle is release for a run that is not executed here. A resumption waits meanwhile: an execution whose
// run has no owner could be doubled by another process.
func (l *lease) releaseIdle(ctx context.Context, run string) {
	if l.rt.keepIdle(run) {
		defer l.rt.loaded(run)
		l.Read(run) // first: a later claim is remembered
		l.release(ctx, run)
	}
}

// release removes this process as owner of a run, or later on failure. The run is neither executed nor loaded
// here.
func (l *lease) release(ctx context.Context, run string) {
	err := l.tryRelease(ctx, run)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil || errors.Is(err, runtype.ErrNotFound) {
		delete(l.owed, run)
		return
	}
	l.owed[run] = true
}

func (l *lease) tryRelease(ctx context.Context, run string) error {
	for {
		row, err := l.rt.Info(ctx, run)
		if err != nil || row.Driver != l.driver {
			return err
		}
		row.Driver = ""
		err = l.rt.Store.Append(ctx, journal.Batch{Run: run, After: row.Head, Row: &row, Driver: &l.driver})
		if !errors.Is(err, journal.ErrConflict) {
			return err
		}
	}
}

// wakeDue is Wake for a run whose timer is due. Several processes may know of it; one claims it. The others
// check again after wait, since the claimer may be lost.
func (f *Fleet) wakeDue(id, timer string) (wait time.Duration) {
	l := &f.lease
	if !f.isIdle(id) {
		f.Wake(id)
		return 0
	}
	p, was := f.pausedPlan(id), ""
	if p == nil {
		info, err := f.Info(f.ctx, id)
		if err == nil && (info.Status == string(runtype.Blocked)) != (timer == storage.BlockTimer) {
			return 0 // a blocked run waits for its own timer, and other timers wait for that
		}
		if err == nil && f.isLeft(&info) {
			return 0
		}
		if err == nil {
			was = info.Driver
			p, err = f.PlanFor(f.ctx, info)
		}
		if err != nil || p == nil {
			f.couldNot(id, err, false)
			return 0
		}
	}
	claimed, err := l.claim(f.ctx, id)
	if err == nil && !claimed {
		return l.ttl
	}
	defer f.WillWake(id)()
	err = f.takeUp(f.ctx, id, p, was)
	blocks := errors.Is(err, runtype.ErrPlanChanged) && l.store != nil
	if blocks {
		err = f.blockFor(f.ctx, id, err)
	}
	f.couldNot(id, err, !blocks)
	if claimed && l.store != nil { // it could not go on, or has come to rest already
		l.releaseIdle(f.ctx, id)
	}
	return 0
}
