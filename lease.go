package fermata

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// DefaultLease is how long the runs of a process that is gone are left alone.
const DefaultLease = 5 * time.Second

// DrivenError says that another process drives the run, which lives (law J10).
type DrivenError struct {
	Driver string    // see RunInfo.Driver
	Until  time.Time // when it will count as gone unless it says again that it lives
}

func (e *DrivenError) Error() string {
	return fmt.Sprintf("%v: %s, at least until %s", ErrDriven, e.Driver, e.Until.Format("15:04:05.000"))
}

// Is reports whether target is ErrDriven or ErrConflict.
func (e *DrivenError) Is(target error) bool { return target == ErrDriven || target == ErrConflict }

// lease tells others that this runtime lives, and so that they leave its runs alone (law J10). It is one beat for all
// runs: a step costs nothing. It spares work; what keeps a journal right is the fence of its store (law J3).
type lease struct {
	rt     *Runtime
	store  journal.Leaser // nil: there are no leases
	driver string         // who this runtime is
	ttl    time.Duration

	turn chan struct{} // holds a token of who is saying it

	mu    sync.Mutex
	last  time.Time // of the last beat; zero before the first
	timer *time.Timer
	over  bool
	owed  map[string]bool // runs that are not driven here any more, and could not be given back
	named map[string]bool // runs that were claimed, and that no drive here has read since: it need not know that it has them
}

func (l *lease) open(rt *Runtime) {
	l.rt = rt
	store, ok := can[journal.Leaser](rt.store)
	if !ok || rt.options.Lease < 0 {
		return
	}
	if l.ttl = rt.options.Lease; l.ttl == 0 {
		l.ttl = DefaultLease
	}
	l.store, l.driver, l.owed = store, newDriver(rt.options.Name), make(map[string]bool)
	l.named = make(map[string]bool)
	l.turn = make(chan struct{}, 1)
}

// live makes sure that others know that this runtime lives: it is about to drive. Where that cannot be said, the store
// has trouble that whoever appends will notice.
func (l *lease) live(ctx context.Context) {
	if l.store == nil || l.fresh() {
		return
	}
	l.beat(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watch()
}

// fresh reports whether nothing has to be said now.
func (l *lease) fresh() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.last) < l.ttl/3 || l.over
}

// patient is how long a store may take for a call about leases. They spare work, and hold up none for ever.
func (l *lease) patient() time.Duration { return max(l.ttl, DefaultLease) }

// beat says that this runtime lives. A store that does not answer is asked again while there is time.
func (l *lease) beat(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, l.patient()/2)
	defer cancel()
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return
	}
	if l.fresh() { // another one has said it meanwhile
		return
	}
	began := time.Now()
	if err := l.store.Beat(ctx, l.driver, l.ttl); err != nil {
		l.rt.log.Warn("others cannot be told that this process lives", "driver", l.driver, "error", err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = began
}

// watch makes sure that renew is called. The lock is held.
func (l *lease) watch() {
	if l.timer == nil && !l.over {
		l.timer = time.AfterFunc(l.next(), l.renew)
	}
}

// next is when to say again that this runtime lives: at a third of the lease; soon, where that could not be said, so
// that there are several tries before the lease is over. The lock is held.
func (l *lease) next() time.Duration {
	return min(max(l.ttl/3-time.Since(l.last), l.ttl/10), l.ttl/3)
}

// renew says it again, as long as there is something to drive or to give back.
func (l *lease) renew() {
	rt := l.rt
	rt.mu.Lock()
	if rt.closed {
		rt.mu.Unlock()
		return
	}
	rt.wg.Add(1)
	busy := len(rt.drives)+len(rt.loading)+len(rt.recovery.runs) > 0 || rt.worker != nil
	rt.mu.Unlock()
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

// owes is what is to be given back. Where that is nothing, and nothing is driven, there is no need to go on.
func (l *lease) owes(busy bool) (runs []string, again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || !busy && len(l.owed) == 0 {
		l.timer = nil
		return nil, false
	}
	return slices.Collect(maps.Keys(l.owed)), true
}

// close lets others take over at once what this runtime has driven.
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
	l.turn <- struct{}{} // after what is being said; nothing is said after it
	defer func() { <-l.turn }()
	ctx, cancel := context.WithTimeout(context.Background(), l.ttl) // after which it is over anyway
	defer cancel()
	if err := l.store.Beat(ctx, l.driver, 0); err != nil {
		l.rt.log.Warn("others cannot be told that this process has stopped", "driver", l.driver, "error", err)
	}
}

// admits reports why a run is not this runtime's to drive.
func (l *lease) admits(ctx context.Context, row *RunInfo) error {
	if l.store == nil || row.Driver == "" || row.Driver == l.driver || row.Ended() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, l.patient())
	defer cancel()
	left, err := l.store.Left(ctx, row.Driver)
	if err != nil {
		return l.rt.storeError(row.ID, err)
	}
	if left == 0 || isGone(row.Driver) {
		return nil
	}
	return &Error{Code: CodeConflict, Run: row.ID, Err: &DrivenError{Driver: row.Driver, Until: time.Now().Add(left)}}
}

// claim makes this runtime the driver of a run unless another one is; true where there are no leases.
func (l *lease) claim(ctx context.Context, run string) (bool, error) {
	if l.store == nil {
		return true, nil
	}
	l.live(ctx)
	ctx, cancel := context.WithTimeout(ctx, l.patient())
	defer cancel()
	claimed, err := l.store.Claim(ctx, l.driver, run)
	if err == nil && !claimed && l.endOf(ctx, run) {
		claimed, err = l.store.Claim(ctx, l.driver, run)
	}
	if err != nil {
		l.doubt(run)
	}
	if claimed {
		l.mu.Lock()
		l.named[run] = true
		l.mu.Unlock()
	}
	return claimed, err
}

// unname reports whether a run was claimed, and no drive has read so; from here on one knows.
func (l *lease) unname(run string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	is := l.named[run]
	delete(l.named, run)
	return is
}

// endOf ends the lease of a run's driver, where that is known to be gone, and reports whether it has.
func (l *lease) endOf(ctx context.Context, run string) bool {
	row, err := l.rt.Info(ctx, run)
	return err == nil && l.end(ctx, row.Driver)
}

// end ends the lease of a driver that is known to be gone, and reports whether it has. Nobody else has its name, so
// nobody says again that it lives.
func (l *lease) end(ctx context.Context, driver string) bool {
	if driver == l.driver || !isGone(driver) {
		return false
	}
	if err := l.store.Beat(ctx, driver, 0); err != nil {
		l.rt.log.Warn("the lease of a process that is gone could not be ended", "driver", driver, "error", err)
		return false
	}
	return true
}

// endGone ends the leases of all drivers that are known to be gone, where the store can list them.
func (l *lease) endGone(ctx context.Context) {
	store, ok := can[journal.DriverLister](l.rt.store)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, l.patient())
	defer cancel()
	drivers, err := store.Drivers(ctx)
	if err != nil {
		l.rt.log.Warn("the processes that drive runs could not be listed", "error", err)
	}
	for _, driver := range drivers {
		l.end(ctx, driver)
	}
}

// deserted are runs that nobody drives, see journal.Leaser.
func (l *lease) deserted(ctx context.Context, limit int) ([]RunInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, l.patient())
	defer cancel()
	return l.store.Deserted(ctx, limit)
}

// doubt gives a run back later that is not driven here and may have this runtime's name: the write of it has failed, and
// may have come through. As long as the runtime lives, nobody else would drive it.
func (l *lease) doubt(run string) {
	if l.store == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owed[run] = true
	l.watch()
}

// giveBack lets others drive what a drive has left unfinished. Where another one has it already, or this runtime is
// about to say that it does not live any more, there is nothing to do.
func (l *lease) giveBack(d *drive) {
	if l.store == nil || d.none || errors.Is(d.lost, ErrConflict) || l.rt.ctx.Err() != nil {
		return
	}
	claimed := l.unname(d.id)
	if d.lost == nil && d.row.Ready { // there was nothing to do, and so nothing was written
		row, by := d.row, d.row.Driver
		if claimed { // since the row was read
			by = l.driver
		}
		row.Driver, row.Ready = "", false
		if l.rt.store.Append(l.rt.ctx, journal.Batch{Run: d.id, After: row.Head, Row: &row, Driver: &by}) == nil {
			return
		}
	}
	if claimed || d.row.Driver == l.driver {
		l.release(l.rt.ctx, d.id)
		d.row.Driver = "" // as it is stored: a drive that goes on from here says again who drives, with its next append
	}
}

// releaseIdle is release for a run that is not driven here. Whoever takes it up here meanwhile waits: a drive without this
// runtime's name on its run would have a second one beside it, in another process.
func (l *lease) releaseIdle(ctx context.Context, run string) {
	if l.rt.keepIdle(run) {
		defer l.rt.loaded(run)
		l.unname(run) // first: a claim that comes now is remembered
		l.release(ctx, run)
	}
}

// release takes this runtime's name off a run; later, when it cannot be done now. Nothing here drives the run, or begins to.
func (l *lease) release(ctx context.Context, run string) {
	err := l.tryRelease(ctx, run)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil || errors.Is(err, ErrNotFound) {
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
		err = l.rt.store.Append(ctx, journal.Batch{Run: run, After: row.Head, Row: &row, Driver: &l.driver})
		if !errors.Is(err, journal.ErrConflict) {
			return err
		}
	}
}

// driver is who drives the run as it stands: nobody while it waits, or has ended, or is left to others.
func (d *drive) driver() string {
	if d.rt == nil || d.held || d.none || Status(d.m.Status()) != Running {
		return ""
	}
	return d.rt.lease.driver
}

// wakeDue is wake for a run whose time has come. All processes that know of it come at the same moment; one of them
// claims it. The others look again after the returned time: the one may be gone.
func (rt *Runtime) wakeDue(id, timer string) (wait time.Duration) {
	l := &rt.lease
	if !rt.isIdle(id) {
		rt.wake(id)
		return 0
	}
	p, was := rt.parkedPlan(id), ""
	if p == nil {
		info, err := rt.Info(rt.ctx, id)
		if err == nil && (info.Status == string(Blocked)) != (timer == blockTimer) {
			return 0 // a blocked run waits for its own timer, and whatever else is due for that
		}
		if err == nil {
			was = info.Driver
			p, err = rt.planFor(rt.ctx, info)
		}
		if err != nil || p == nil {
			rt.couldNot(id, err)
			return 0
		}
	}
	claimed, err := l.claim(rt.ctx, id)
	if err == nil && !claimed {
		return l.ttl
	}
	defer rt.willWake(id)()
	if err = rt.takeUp(rt.ctx, id, p, was); errors.Is(err, ErrPlanChanged) && l.store != nil {
		err = rt.blockFor(rt.ctx, id, err)
	}
	rt.couldNot(id, err)
	if claimed && l.store != nil { // it could not be driven, or has come to its rest already
		l.releaseIdle(rt.ctx, id)
	}
	return 0
}
