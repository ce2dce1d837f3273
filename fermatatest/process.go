package fermatatest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
)

// runID is the id of every run that is explored: idempotency keys are the same in all of them.
const runID = "run_explored"

// trial is one run of the plan, by as many processes as it takes.
type trial struct {
	x     *explorer
	where string
	clock *Clock
	keep  *keep
	cache fermata.Cache
	said
	seen    []journal.Entry
	appends []string // of the first process
	crashes int
	lost    int            // how many outcomes of steps were lost in crashes
	effects map[string]int // how often each happened in this run
	result  fermata.Result
	journal []journal.Entry
	broken  []Violation
}

// said is what the people around a run have told it.
type said struct {
	given map[string]any // answers by task and call
	used  map[string]int // how many answers of a node have been given
	sent  atomic.Int32   // how many messages have been sent
}

func (tr *trial) breaks(law, format string, args ...any) {
	tr.broken = append(tr.broken, Violation{Where: tr.where, Law: law, What: fmt.Sprintf(format, args...)})
}

// run takes the plan from its beginning to its end. Each process dies as the plan of deaths says.
func (x *explorer) run(ctx context.Context, where string, deaths func(process int) death) *trial {
	tr := &trial{
		x: x, where: where, clock: &Clock{}, said: said{given: make(map[string]any), used: make(map[string]int)},
		effects: make(map[string]int), cache: x.options.Cache,
	}
	if !x.from.IsZero() {
		tr.clock = NewClock(x.from)
	}
	if tr.cache == nil {
		tr.cache = fermata.NewMemoryCache(0)
	}
	if x.before != nil {
		x.before()
	}
	var err error
	tr.keep, err = x.keep()
	defer func() {
		if err := tr.keep.close(); err != nil {
			tr.breaks("", "the store could not be closed: %v", err)
		}
	}()
	if err != nil {
		tr.breaks("", "%v", err)
		return tr
	}
	effects := x.look()
	const most = 10_000
	for process := 0; ; process++ {
		if process == most {
			tr.breaks("", "%d processes did not bring the run to its end", most)
			return tr
		}
		if over := tr.live(ctx, process, deaths(process)); over {
			break
		}
		tr.crashes++
		if err := tr.keep.reopen(); err != nil {
			tr.breaks("", "%v", err)
			return tr
		}
	}
	for name, n := range x.look() {
		if grown := n - effects[name]; grown != 0 {
			tr.effects[name] = grown
		}
	}
	if len(tr.broken) == 0 {
		tr.inspect(ctx)
	}
	return tr
}

// process is one life of the engine.
type process struct {
	tr    *trial
	store *mortal
	rt    *fermata.Runtime
	run   *fermata.Run

	reader reader
}

// reader is the position of a reader that follows the run.
type reader struct {
	mu      sync.Mutex
	reading bool
	saw     uint64        // the seq of the last event
	moved   chan struct{} // closed when it has come further, or reads no more; nil while nobody waits for that
}

// goOn notes that the reader is there, or not any more, and what it has seen last.
func (r *reader) goOn(reading bool, saw uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reading, r.saw = reading, max(r.saw, saw)
	if r.moved != nil {
		close(r.moved)
		r.moved = nil
	}
}

// behind reports whether the reader has yet to see head, and when to ask again.
func (r *reader) behind(head uint64) (moved <-chan struct{}, behind bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.moved == nil {
		r.moved = make(chan struct{})
	}
	return r.moved, r.reading && r.saw < head
}

// catchUp gives the reader the time to see all that is stored: what a process has shown before it dies is then the
// same in every exploration.
func (p *process) catchUp(head uint64) {
	const most = time.Second // of a reader that was sent away
	late := time.NewTimer(most)
	defer late.Stop()
	for {
		moved, behind := p.reader.behind(head)
		if !behind {
			return
		}
		select {
		case <-moved:
		case <-late.C:
			return
		}
	}
}

// live drives the run in a process of its own, until it has ended, rests for good, or the process dies. It is over
// also when something is broken.
func (tr *trial) live(ctx context.Context, number int, d death) (over bool) {
	ctx, cancel := context.WithTimeout(ctx, tr.x.patience)
	defer cancel()
	p := &process{tr: tr, store: newMortal(tr.keep.store, d)}
	p.store.linger = p.catchUp
	defer func() {
		if number == 0 {
			tr.appends = p.store.written()
		}
	}()
	alive, die := context.WithCancel(ctx)
	defer die()
	go func() {
		select {
		case <-p.store.died:
			die()
		case <-alive.Done():
		}
	}()
	err := p.execute(alive)
	dead, lost := p.store.isDead()
	tr.lost += lost
	switch {
	case dead:
		tr.lost += tr.besides(p.store.end())
		return false
	case err == nil:
		return true
	case ctx.Err() != nil:
		tr.breaks("", "nothing happened for %s; the last append was %q; %v", tr.x.patience, last(p.store.written()), err)
	default:
		tr.breaks("", "%v", err)
	}
	return true
}

// besides is how many tasks may have lost the outcome of a step when the process died, without coming to write it: those
// at work beside the one that wrote the last append. Where that says that the run goes on, nobody was at work yet.
func (tr *trial) besides(fatal journal.Batch) int {
	if len(fatal.Entries) == 0 || fatal.Entries[0].Kind == journal.RunResumed {
		return 0
	}
	open, working := make(map[string]bool), make(map[string]bool)
	for e, err := range tr.keep.store.Read(context.Background(), runID, 0) {
		if err != nil {
			return 0
		}
		if e.Seq > fatal.After {
			break
		}
		task := taskOf(&e)
		switch e.Kind {
		case journal.NodeStarted:
			if tr.isLeaf(&e) {
				open[task], working[task] = true, true
			}
		case journal.InterruptResolved, journal.TimerFired:
			if open[task] {
				working[task] = true
			}
		case journal.NodeRetrying, journal.NodeSuspended:
			delete(working, task)
		case journal.NodeFinished, journal.NodeCached, journal.NodeFailed:
			delete(working, task)
			delete(open, task)
		}
	}
	delete(working, taskOf(&fatal.Entries[0]))
	return len(working)
}

func last(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return list[len(list)-1]
}

// execute begins the run, or takes it up, and brings it to its end.
func (p *process) execute(ctx context.Context) (err error) {
	tr := p.tr
	if p.rt, err = fermata.New(tr.options(p.store)); err != nil {
		return fmt.Errorf("the runtime did not start: %w", err)
	}
	defer func() { err = errors.Join(err, p.rt.Close()) }()
	if err := p.begin(ctx); err != nil {
		return err
	}
	reading, stop := context.WithCancel(ctx)
	events := make(chan error, 1)
	p.reader.goOn(true, 0)
	go func() {
		defer p.reader.goOn(false, 0)
		events <- p.follow(reading)
	}()
	var passing sync.WaitGroup
	passing.Go(func() { p.passTime(reading) })
	passing.Go(func() { p.post(reading) })
	err = p.serve(ctx)
	if err == nil && tr.result.Status.Ended() {
		err = <-events // a reader of a run that has ended comes to the end, too
		stop()
	} else {
		stop()
		err = errors.Join(err, <-events)
	}
	passing.Wait()
	if err == nil && tr.where == withoutCrash && tr.x.after != nil {
		tr.x.after(p.rt, tr.result)
	}
	return err
}

// options are those of a runtime that one process of the run works with. A cache outlives the processes, as a store
// does. Of pools the rates are left out: nothing that is recorded depends on them, and nobody here lets time pass.
func (tr *trial) options(store journal.Store) fermata.Options {
	o := tr.x.options
	o.Store, o.Clock, o.Cache, o.Pools = store, tr.clock, tr.cache, make(map[string]fermata.Pool)
	for _, name := range tr.x.plan.Pools() {
		o.Pools[name] = fermata.Pool{Concurrent: tr.x.options.Pools[name].Concurrent}
	}
	return o
}

// begin starts the run, or takes it up where it is stored.
func (p *process) begin(ctx context.Context) error {
	rows, err := p.tr.keep.store.Runs(ctx, journal.RunFilter{ID: runID})
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		p.run, err = p.rt.Start(ctx, p.tr.x.plan, p.tr.x.input(), fermata.WithID(runID), fermata.StartedBy(p.tr.x.starter))
		if err != nil {
			return fmt.Errorf("the run did not start: %w", err)
		}
		return nil
	}
	if p.run, err = p.rt.Resume(ctx, runID, p.tr.x.plan); err != nil {
		return fmt.Errorf("the run was not resumed: %w", err)
	}
	return nil
}

// follow reads the run's events from where the reader before has stopped.
func (p *process) follow(ctx context.Context) error {
	after := uint64(0)
	if n := len(p.tr.seen); n > 0 {
		after = p.tr.seen[n-1].Seq
	}
	for e, err := range p.run.Events(ctx, after) {
		switch {
		case err != nil && ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("events: %w", err)
		}
		if e.Sub == 0 {
			p.tr.seen = append(p.tr.seen, e.Entry)
			p.reader.goOn(true, e.Entry.Seq)
		}
	}
	return nil
}

// serve waits for the run and answers what it asks.
func (p *process) serve(ctx context.Context) error {
	for {
		result, err := p.run.Wait(ctx)
		if err != nil {
			return fmt.Errorf("wait: %w", err)
		}
		p.tr.result = result
		if result.Status.Ended() || errors.Is(result.Err, fermata.ErrDiverged) { // which the same code does each time
			return nil
		}
		changed, set := p.store.changes(), p.tr.clock.sets()
		answered, err := p.answerOne(ctx, result.Interrupts)
		if err != nil || answered == Rest {
			return err
		}
		if answered != NoAnswer {
			continue
		}
		timer, ok, err := p.nextTimer(ctx)
		if err != nil || !ok {
			return err // it rests: nobody answers, and nothing is due
		}
		due := time.UnixMicro(timer.Due)
		p.goOn(due)
		select {
		case <-changed:
		case <-set:
		case <-ctx.Done():
			return fmt.Errorf("a timer was due at %s, and nothing happened: %w", due, ctx.Err())
		}
	}
}

// answerOne answers the first question that has an answer, and says what it gave: NoAnswer or Rest for nothing.
func (p *process) answerOne(ctx context.Context, questions []fermata.Interrupt) (any, error) {
	given := any(NoAnswer)
	for _, q := range questions {
		value := p.tr.answerTo(q)
		if value == Rest {
			given = Rest
		}
		if value == NoAnswer || value == Rest {
			continue
		}
		opts := []fermata.AnswerOption{fermata.AsRole(q.Role)}
		if signed, ok := value.(Signed); ok {
			if value = signed.Answer; signed.By != "" {
				opts = append(opts, fermata.AsPerson(signed.By))
			}
			p.tr.clock.AdvanceTo(signed.At)
		}
		if err := p.rt.Answer(ctx, q.ID, value, opts...); err != nil {
			return nil, fmt.Errorf("the answer to %s %s: %w", q.Task, q.Op, err)
		}
		return q.ID, nil
	}
	return given, nil
}

// answerTo finds the answer to a question; the same question has the same answer always.
func (tr *trial) answerTo(q fermata.Interrupt) any {
	if tr.x.answer != nil {
		return tr.x.answer(q)
	}
	identity := q.Task + " " + q.Op
	if value, ok := tr.given[identity]; ok {
		return value
	}
	path := nodeOf(q.Task)
	value := any(NoAnswer)
	if n := tr.used[path]; n < len(tr.x.answers[path]) {
		value = tr.x.answers[path][n]
	}
	tr.used[path]++
	tr.given[identity] = value
	return value
}

// passTime lets the clock go on whenever the run waits for time alone.
func (p *process) passTime(ctx context.Context) {
	for {
		changed, set := p.store.changes(), p.tr.clock.sets()
		if due, ok := p.onlyTime(ctx); ok {
			p.goOn(due)
		}
		select {
		case <-changed:
		case <-set:
		case <-ctx.Done():
			return
		}
	}
}

// goOn lets the clock go on to the time that a timer is due at, once the engine has set its alarm for it.
func (p *process) goOn(due time.Time) {
	if at, ok := p.tr.clock.Next(); ok && !at.After(due) {
		p.tr.clock.AdvanceTo(due)
	}
}

// onlyTime reports whether the run waits for its next timer and for nobody's answer.
func (p *process) onlyTime(ctx context.Context) (due time.Time, ok bool) {
	before, err := p.row(ctx)
	if err != nil || before.Waiting > 0 || fermata.Status(before.Status).Ended() || p.willPost(&before) {
		return time.Time{}, false
	}
	timer, ok, err := p.nextTimer(ctx)
	if err != nil || !ok || p.willReceive(&timer) {
		return time.Time{}, false
	}
	due = time.UnixMicro(timer.Due)
	// The timer is the row's only if nothing was written in between. Who drives the run may change without a write, and
	// without a sign of it on the channel of changes.
	after, err := p.row(ctx)
	return due, err == nil && after.Head == before.Head
}

func (p *process) row(ctx context.Context) (fermata.RunInfo, error) {
	rows, err := p.tr.keep.store.Runs(ctx, journal.RunFilter{ID: runID})
	if err == nil && len(rows) == 0 {
		err = journal.ErrNotFound
	}
	if err != nil {
		return fermata.RunInfo{}, err
	}
	return rows[0], nil
}

// nextTimer is the run's timer that is due next.
func (p *process) nextTimer(ctx context.Context) (journal.Timer, bool, error) {
	timers, err := p.tr.keep.store.Timers(ctx, math.MaxInt64, 1)
	if err != nil || len(timers) == 0 {
		return journal.Timer{}, false, err
	}
	return timers[0], true, nil
}
