package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/internal/watch"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// WorkOptions configure Work. The zero value works.
type WorkOptions struct {
	// Concurrency is how many runs are executed before no more are taken. Runs whose timers are due wait, too,
	// and come first; an answered run is resumed in any case. Defaults to eight for each processor.
	Concurrency int
	// Queues are those whose runs are taken, "default" being that of runs that name none (law J16). Runs of other queues, their
	// timers and their answers are left to other workers. Defaults to all queues.
	Queues []string
	// Every is the interval of queries for runs without an owner, beside notifications. Defaults to a fifth of
	// the lease.
	Every time.Duration
	// Takeovers is how often a run is taken over from lost processes without progress before it is set aside:
	// blocked until Retry (law J11). Defaults to 5; negative for no limit.
	Takeovers int
	// Took is called for every taken run before it is executed. Run.Driver is the previous owner, or "" for a
	// run that was queued, stopped or answered.
	Took func(run runtype.RunInfo)
	// Rested is called when an executed run comes to rest: it ended, it waits, or it could not go on, for
	// Result.Err.
	Rested func(r runtype.Result)
}

// Work executes runs without an owner until ctx is done (law J10). They were queued, lost their process, or
// were answered by a process that did not resume them. It finds their plans by Options.Plans. A run whose plan
// it does not get is left to other workers; if none has taken it after some seconds, Run.Error says why.
// Several processes may work on one store: each run is taken by one of them.
//
// Work returns when ctx is done and its runs have come to rest. Close ends that wait, and others take the runs
// over. Work fails at once if the store is no journal.Leaser, leases are off, Options.Plans is nil, or the
// runtime is already working.
func (f *Fleet) Work(ctx context.Context, o WorkOptions) error {
	w := &worker{rt: f, options: o, refused: make(map[string]time.Time), left: make(map[string]time.Time), reasons: make(map[string]statedReason), news: make(chan struct{}, 1), resting: make(map[string]resting)}
	if w.options.Concurrency <= 0 {
		w.options.Concurrency = 8 * runtime.GOMAXPROCS(0)
	}
	for i, name := range w.options.Queues {
		if err := journal.CheckQueue(name); name == "" || err != nil {
			return &runtype.Error{Code: runtype.CodeInvalid, Err: cmp.Or(err, errNoQueue)}
		}
		if i == 0 {
			w.options.Queues = slices.Clone(w.options.Queues)
		}
		w.options.Queues[i] = journal.QueueNamed(name)
	}
	if w.options.Takeovers == 0 {
		w.options.Takeovers = runtype.DefaultTakeovers
	}
	if w.options.Every <= 0 {
		w.options.Every = max(f.lease.ttl/5, leastPause)
	}
	if err := f.employ(w); err != nil {
		return err
	}
	defer func() {
		f.mu.Lock()
		f.worker = nil
		f.mu.Unlock()
		f.timers.resume()
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(f.ctx, cancel)() // Close ends it
	defer f.env.Room.Join(watch.Any)()
	w.work(ctx)
	w.drain()
	return nil
}

// employ registers w as the fleet's worker.
func (f *Fleet) employ(w *worker) error {
	invalid := func(text string) error { return &runtype.Error{Code: runtype.CodeInvalid, Err: errors.New(text)} }
	switch {
	case f.lease.store == nil && f.Options.Lease < 0:
		return invalid("a worker needs leases: Options.Lease is negative")
	case f.lease.store == nil:
		return invalid(fmt.Sprintf("a worker needs a store that knows who lives (journal.Leaser); %T does not", storage.Unguarded(f.Store)))
	case f.Options.Plans == nil:
		return invalid("a worker needs Options.Plans: it executes runs that others have started")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return &runtype.Error{Code: runtype.CodeStopped, Err: runtype.ErrClosed}
	case f.worker != nil:
		return &runtype.Error{Code: runtype.CodeConflict, Err: runtype.Conflict("this runtime works already")}
	}
	f.worker = w
	return nil
}

// worker takes runs without an owner. Its fields belong to its own goroutine, except news and places.
type worker struct {
	rt      *Fleet                  // that executes the runs
	options WorkOptions             // with defaults filled in
	news    chan struct{}           // something was written, or a run has come to rest
	places  int                     // reserved for runs about to be executed. The fleet's lock guards it
	refused map[string]time.Time    // runs that could not be executed here, and until when they are left alone
	left    map[string]time.Time    // runs left to others, and since when; their rows say why after othersFirst
	reasons map[string]statedReason // reasons written on rows, by run
	later   int64                   // when the next run may be taken that waits for its time, microseconds; 0 for none
	swept   time.Time               // when it last looked for lost processes
	tidied  time.Time               // when it last removed what these have left in pools
	resting map[string]resting      // runs that wait for a retry, by run. The fleet's lock guards it
}

// resting is a run without an owner that has nothing to do before its next timer: a task waits for its retry.
type resting struct {
	head uint64 // of the journal; a longer one has work
	due  int64  // when the timer fires, in microseconds
}

const (
	// leastPause is the shortest interval between two queries.
	leastPause = 20 * time.Millisecond
	// refusal is how long a run is left alone that could not be executed.
	refusal = 30 * time.Second
	// tidyPools is how often a worker removes what lost processes have left in shared pools.
	tidyPools = time.Minute
	// storeRefusal is the same after a failure of the store.
	storeRefusal = time.Second
	// leaveOut is how many runs a worker skips at most after losing a claim.
	leaveOut = 16
	// crowd is how many runs a worker reads for each place, so that workers do not all try the same ones.
	crowd = 4
)

// notice signals that there may be work. It never blocks.
func (w *worker) notice() {
	if w == nil {
		return
	}
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// rested reports an execution that has ended.
func (w *worker) rested(d *owned) {
	if w == nil {
		return
	}
	w.rest(d)
	if w.options.Rested != nil && !errors.Is(d.Lost, runtype.ErrStopped) {
		w.tell(d.ResultCopy())
	}
	w.notice()
}

// rest notes a run that waits for a retry. Its row says running, so the store lists it as long as it has no owner;
// taking it again before then would find nothing to do.
func (w *worker) rest(d *owned) {
	w.rt.mu.Lock()
	defer w.rt.mu.Unlock()
	delete(w.resting, d.ID)
	if d.Lost == nil && d.Outcome.Status == runtype.Running && d.Due != 0 {
		w.resting[d.ID] = resting{head: d.Head, due: d.Due}
	}
}

// rests reports whether a run still waits for its retry. Timers wake it; a worker takes it if that failed.
func (w *worker) rests(row runtype.RunInfo) bool {
	now := w.rt.Now()
	w.rt.mu.Lock()
	defer w.rt.mu.Unlock()
	r, ok := w.resting[row.ID]
	return ok && r.head == row.Head && now < r.due
}

// forgetDue drops the runs whose retry is due, and returns how many still wait.
func (w *worker) forgetDue() int {
	now := w.rt.Now()
	w.rt.mu.Lock()
	defer w.rt.mu.Unlock()
	maps.DeleteFunc(w.resting, func(_ string, r resting) bool { return r.due <= now })
	return len(w.resting)
}

// tell calls WorkOptions.Rested, which may panic (law N7).
func (w *worker) tell(r runtype.Result) {
	guard.CallLogged(w.rt.Log, "WorkOptions.Rested", r.Run, func() { w.options.Rested(r) })
}

// took calls WorkOptions.Took, which may panic (law N7).
func (w *worker) took(row runtype.RunInfo) {
	guard.CallLogged(w.rt.Log, "WorkOptions.Took", row.ID, func() { w.options.Took(row) })
}

func (w *worker) work(ctx context.Context) {
	for ctx.Err() == nil {
		every := w.options.Every
		if err := w.look(ctx); err != nil && ctx.Err() == nil {
			w.rt.Log.Error("finding runs without an owner failed", "error", err)
			every = min(every, storeRefusal)
		}
		for _, until := range w.refused {
			every = min(every, max(time.Until(until), leastPause))
		}
		pause(ctx, leastPause, nil)
		w.sleep(ctx, every/2+rand.N(every)) //nolint:gosec // workers that started together need not query together
	}
}

// sleep returns after d, on news, when the next run may be taken that waits for its time, or when ctx is done.
func (w *worker) sleep(ctx context.Context, d time.Duration) {
	if w.later != 0 {
		defer w.rt.At(w.later, w.notice)()
	}
	pause(ctx, d, w.news)
}

// pause returns after d, on news, or when ctx is done.
func pause(ctx context.Context, d time.Duration, news <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-news:
	}
}

// room returns how many more runs may be executed.
func (w *worker) room() int {
	w.rt.mu.Lock()
	defer w.rt.mu.Unlock()
	return w.options.Concurrency - len(w.rt.executions) - w.places
}

// look takes runs without an owner while there is room.
func (w *worker) look(ctx context.Context) error {
	rt := w.rt
	rt.lease.KeepAlive(ctx) // also without runs: others may list who works
	if err := rt.timers.catchUp(ctx); err != nil {
		return err
	}
	if time.Since(w.swept) >= min(w.options.Every, time.Second) {
		w.swept = time.Now()
		rt.lease.endGone(ctx)
	}
	if time.Since(w.tidied) >= tidyPools {
		w.tidied = time.Now()
		rt.lease.sweepPlaces(ctx)
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
	for id, s := range w.reasons {
		if time.Since(s.since) > reasonHolds {
			delete(w.reasons, id)
		}
	}
	present := rt.Now()
	for room := w.room(); room > 0 && ctx.Err() == nil; room = w.room() {
		rows, err := rt.lease.deserted(ctx, journal.WantedQuery{Queues: w.options.Queues, Due: present, Limit: crowd*room + len(w.refused) + w.forgetDue()})
		if err != nil {
			return err
		}
		if w.take(ctx, rows) == 0 {
			break
		}
	}
	if err := w.lookLater(ctx, present); err != nil {
		return err
	}
	if rt.timers.isBehind() && w.room() > 0 { // a place was held for a run that nobody could take
		w.notice()
	}
	return nil
}

// lookLater notes when the next run may be taken that waits for its time (law J16).
func (w *worker) lookLater(ctx context.Context, present int64) error {
	w.later = 0
	rows, err := w.rt.lease.deserted(ctx, journal.WantedQuery{Queues: w.options.Queues, Due: present, Later: true, Limit: 1})
	if err == nil && len(rows) > 0 {
		w.later = rows[0].NotBefore
	}
	return err
}

// reserve holds a place for a run until free is called; false if there is none.
func (w *worker) reserve() bool {
	w.rt.mu.Lock()
	defer w.rt.mu.Unlock()
	if len(w.rt.executions)+w.places >= w.options.Concurrency {
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

// admit calls wake for a due run if there is room, and reports whether it did. Without a worker there is room.
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

// take takes the oldest runs while there is room, and returns how many. After losing a claim it skips some
// runs, which come last, so that two workers do not keep competing.
func (w *worker) take(ctx context.Context, rows []runtype.RunInfo) int {
	n := 0
	for len(rows) > 0 && ctx.Err() == nil && w.reserve() {
		took, lost := w.takeOne(ctx, rows[0])
		w.free()
		if rows = rows[1:]; took {
			n++
		}
		if lost && len(rows) > 1 {
			left := rand.N(min(len(rows), leaveOut)) //nolint:gosec // workers that started together need not stay together
			rows = slices.Concat(rows[left:], rows[:left])
		}
	}
	return n
}

// takeOne claims and executes a run. lost reports that another process was first.
func (w *worker) takeOne(ctx context.Context, row runtype.RunInfo) (claimed, lost bool) {
	if _, no := w.refused[row.ID]; no || !w.rt.isIdle(row.ID) || w.rests(row) {
		return false, false
	}
	p, err := w.rt.PlanFor(ctx, row)
	if err == nil && p != nil {
		err = w.rt.policies.Covers(row.ID, p)
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
		if err := w.execute(row, p); err != nil {
			w.refuse(row, err)
			if !storage.IsTransient(err) {
				w.explain(ctx, row, err)
			}
		}
	}
	return claimed, !claimed
}

// execute continues a claimed run.
func (w *worker) execute(row runtype.RunInfo, p *plan.Plan) error {
	if w.options.Took != nil {
		w.took(row)
	}
	err := w.rt.takeUp(w.rt.ctx, row.ID, p, row.Driver) // not the context of Work: a taken run comes to rest
	if err == nil {
		return nil
	}
	if errors.Is(err, runtype.ErrConflict) { // another process was first after all
		w.rt.lease.ReturnLater(row.ID)
		return nil
	}
	if !w.rt.isIdle(row.ID) { // the store failed, and the fleet itself resumes the run
		return nil
	}
	stands := runtype.Status(row.Status)
	if errors.Is(err, runtype.ErrPlanChanged) {
		if w.rt.blockFor(w.rt.ctx, row.ID, err) == nil {
			stands = runtype.Blocked
		}
	}
	w.rt.lease.releaseIdle(w.rt.ctx, row.ID)
	if w.options.Rested != nil {
		w.tell(runtype.Result{Run: row.ID, Status: stands, Err: err})
	}
	return err
}

// refuse leaves a run alone that cannot be executed here.
func (w *worker) refuse(row runtype.RunInfo, err error) {
	pause := refusal
	if storage.IsTransient(err) {
		pause = storeRefusal
	}
	w.refused[row.ID] = time.Now().Add(pause)
	if err != nil {
		w.rt.Log.Error("taking a run without an owner failed", "run", row.ID, "error", err)
	}
}

// drain waits until no run is executed.
func (w *worker) drain() {
	for {
		w.rt.mu.Lock()
		executing := len(w.rt.executions) + len(w.rt.loading)
		w.rt.mu.Unlock()
		if executing == 0 {
			return
		}
		select {
		case <-w.news:
		case <-time.After(50 * time.Millisecond):
		}
	}
}
