package fermatatest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
)

// order is one run of a plan in which at most one thing happens at a time, and a pilot says what is next. It runs in a
// bubble of its own, whose time goes on when nothing else can.
type order struct {
	s      *scheduler
	pilot  pilot
	deaths death
	gates  *gates
	trial  *trial // keeps the store, and knows the laws
	tape   *tape  // what the process that lives now has appended
	store  *mortal
	rt     *fermata.Runtime
	run    *fermata.Run

	picks   []pick
	appends int
	crashes int
	told    *transcript
}

// pilot picks one of n things that may happen next.
type pilot func(n int) int

// pick is a place where several things could have happened.
type pick struct {
	at, of  int
	name    string
	instead string // what is first in declared order
}

// move is something that may happen next.
type move struct {
	name string
	do   func(ctx context.Context) error
}

// fly runs the plan in one order.
func (s *scheduler) fly(where string, p pilot, d death) *order {
	o := &order{s: s, pilot: p, deaths: d}
	o.trial = &trial{x: s.x, where: where, said: said{given: s.given, used: s.used}}
	if s.x.before != nil {
		s.x.before()
	}
	if err := bubble(s.t, o.fly); err != nil {
		o.trial.breaks("N1", "%v", err)
	}
	return o
}

// bubble calls f where time stands still while anything moves. It fails when f leaves goroutines behind.
func bubble(t testing.TB, f func(ctx context.Context)) (err error) {
	inside, ok := t.(*testing.T)
	if !ok {
		inside = new(testing.T)
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("goroutines are left behind when the run is over: %v", v)
		}
	}()
	synctest.Test(inside, func(t *testing.T) { f(t.Context()) })
	return nil
}

func (o *order) fly(ctx context.Context) {
	o.trial.keep = &keep{x: o.s.x, store: memory.New()}
	o.trial.cache = fermata.NewMemoryCache(0)
	o.gates = newGates(o.s.plan)
	o.s.hold.Store(o.gates)
	for life := 0; ; life++ {
		d := death{}
		if life == 0 {
			d = o.deaths
		}
		over, err := o.live(ctx, d)
		switch {
		case err != nil:
			o.trial.breaks("", "%v", err)
			return
		case over:
			o.conclude(ctx)
			return
		}
		o.crashes++
	}
}

// live is the life of one process. It is not over when the process dies.
func (o *order) live(ctx context.Context, d death) (over bool, err error) {
	o.store = newMortal(o.trial.keep.store, d)
	o.tape = &tape{mortal: o.store, tell: o.gates.tell, leaf: o.trial.isLeaf}
	if err := o.tape.recall(ctx, o.trial.keep.store); err != nil {
		return false, err
	}
	o.gates.alone = func() bool { return o.tape.count() < 2 }
	p := &process{tr: o.trial, store: o.store}
	if p.rt, err = fermata.New(o.options()); err != nil {
		return false, fmt.Errorf("the runtime did not start: %w", err)
	}
	defer func() {
		err = errors.Join(err, p.rt.Close())
		if dead, _ := o.store.isDead(); dead {
			over, err = false, nil // whatever a dying process says
		}
		if o.crashes == 0 {
			o.appends = len(o.store.written())
		}
	}()
	if err := o.begin(ctx, p); err != nil {
		return false, err
	}
	o.rt, o.run = p.rt, p.run
	if err := o.moveOn(ctx); err != nil {
		return false, err
	}
	if dead, _ := o.store.isDead(); dead {
		return false, nil
	}
	waiting, cancel := context.WithTimeout(ctx, time.Hour) // of the bubble's time
	defer cancel()
	o.trial.result, err = o.run.Wait(waiting)
	return true, err
}

func (o *order) begin(ctx context.Context, p *process) error {
	x := *o.s.x
	x.plan = o.s.plan // the one with gates
	p.tr = &trial{x: &x, keep: o.trial.keep}
	err := p.begin(ctx)
	p.tr = o.trial
	return err
}

func (o *order) options() fermata.Options {
	options := o.trial.options(o.tape)
	options.Clock = nil // the bubble's
	return options
}

// moveOn makes one move after the other, until the run has ended or rests, or the process dies.
func (o *order) moveOn(ctx context.Context) error {
	for {
		synctest.Wait()
		if dead, _ := o.store.isDead(); dead {
			return nil
		}
		row, err := (&process{tr: o.trial}).row(ctx)
		if err != nil || fermata.Status(row.Status).Ended() {
			return err
		}
		moves, err := o.moves(ctx)
		if err != nil {
			return err
		}
		if len(moves) == 0 {
			if went, err := o.letTimePass(ctx); !went || err != nil {
				return err
			}
			continue
		}
		at := 0
		if len(moves) > 1 {
			at = min(max(o.pilot(len(moves)), 0), len(moves)-1)
			o.picks = append(o.picks, pick{at: at, of: len(moves), name: moves[at].name, instead: moves[0].name})
		}
		if err := moves[at].do(ctx); err != nil {
			if dead, _ := o.store.isDead(); dead {
				return nil
			}
			return err
		}
	}
}

// moves lists what may happen next: who may go on, in declared order, which questions may be answered, and whether time
// may pass. While a task is alone, nothing else may happen.
func (o *order) moves(ctx context.Context) ([]move, error) {
	var list []move
	for _, w := range o.gates.list() {
		list = append(list, move{name: w.task, do: func(context.Context) error {
			o.gates.release(w)
			return nil
		}})
	}
	if open, inside := o.tape.count(), len(list) > 0 || o.s.inside.Load() > 0; inside && open < 2 {
		return list, nil
	}
	open, err := o.trial.keep.store.Inbox(ctx, journal.InboxFilter{Run: runID})
	if err != nil {
		return nil, err
	}
	sort.Slice(open, func(i, j int) bool { return open[i].Task+open[i].Op < open[j].Task+open[j].Op })
	latest := int64(math.MaxInt64) // until when time may pass: nobody is late who answers
	for _, q := range open {
		value := o.trial.answerTo(fermata.Interrupt{Interrupt: q})
		if value == NoAnswer {
			continue
		}
		if q.Deadline > 0 {
			latest = min(latest, q.Deadline-1)
		}
		list = append(list, move{name: "the answer to " + q.Task, do: func(ctx context.Context) error {
			if err := o.rt.Answer(ctx, q.ID, value, fermata.AsRole(q.Role)); err != nil {
				return fmt.Errorf("the answer to %s %s: %w", q.Task, q.Op, err)
			}
			return nil
		}})
	}
	if o.trial.unsent() {
		list = append(list, move{name: "message " + o.trial.x.mail[o.trial.sent.Load()].Name, do: func(ctx context.Context) error {
			return o.trial.send(ctx, o.rt)
		}})
	}
	if o.s.timed || len(list) == 0 {
		return list, nil
	}
	timer, ok, err := (&process{tr: o.trial}).nextTimer(ctx)
	due := time.UnixMicro(timer.Due)
	if err != nil || !ok || timer.Due > latest || !due.After(time.Now()) {
		return list, err
	}
	return append(list, move{name: "the time that something waits for", do: func(context.Context) error {
		o.wait(min(time.Until(due)+time.Second, time.Until(time.UnixMicro(latest))))
		return nil
	}}), nil
}

// letTimePass waits until something happens by itself; false when nothing will.
func (o *order) letTimePass(ctx context.Context) (bool, error) {
	timers, err := o.trial.keep.store.Timers(ctx, math.MaxInt64, 0)
	if err != nil {
		return false, err
	}
	ok, due := len(timers) > 0, time.Time{}
	if ok { // those before it may be of what nobody waits for any more
		due = time.UnixMicro(timers[len(timers)-1].Due)
	}
	const long = 10 * 365 * 24 * time.Hour // for what a function does that takes its time
	wait := long
	switch {
	case ok:
		wait = max(time.Until(due), 0) + time.Minute
	case o.s.inside.Load() == 0 && o.s.limit == 0:
		return false, nil
	}
	if o.wait(wait) {
		return true, nil
	}
	if ok {
		return false, fmt.Errorf("a timer was due at %s, and nothing happened", due.UTC())
	}
	return false, nil
}

// wait waits until something happens, but not for ever.
func (o *order) wait(atMost time.Duration) bool {
	select { // what came before does not count
	case <-o.gates.arrived:
	default:
	}
	late := time.NewTimer(atMost)
	defer late.Stop()
	select {
	case <-o.gates.arrived:
		return true
	case <-late.C:
		return false
	}
}

// conclude looks at what was recorded.
func (o *order) conclude(ctx context.Context) {
	tr := o.trial
	if !tr.read(ctx) {
		return
	}
	tr.checkTasks()
	tr.checkOps()
	if tr.result.Status.Ended() {
		tr.checkLeftovers(ctx)
	}
	var err error
	if o.told, err = transcribe(o.s.plan, tr.journal); err != nil {
		tr.breaks("J6", "the journal cannot be told: %v", err)
		return
	}
	if o.told.status == "" {
		o.told.status = string(tr.result.Status)
	}
}

// tape is a store that knows which tasks are open.
type tape struct {
	*mortal
	tell func()
	leaf func(e *journal.Entry) bool

	mu   sync.Mutex
	open map[string]bool
}

// recall notes what was stored before.
func (t *tape) recall(ctx context.Context, store journal.Store) error {
	t.open = make(map[string]bool)
	for e, err := range store.Read(ctx, runID, 0) {
		if errors.Is(err, journal.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		t.note(&e)
	}
	return nil
}

func (t *tape) note(e *journal.Entry) {
	switch e.Kind {
	case journal.NodeStarted:
		if t.leaf(e) {
			t.open[taskOf(e)] = true
		}
	case journal.NodeFinished, journal.NodeCached, journal.NodeFailed:
		delete(t.open, taskOf(e))
	}
}

// count is how many tasks are open, those of subgraphs not counted: what is inside them counts.
func (t *tape) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

// Append implements journal.Store.
func (t *tape) Append(ctx context.Context, b journal.Batch) error {
	err := t.mortal.Append(ctx, b)
	if err == nil && b.Run == runID {
		t.mu.Lock()
		for i := range b.Entries {
			t.note(&b.Entries[i])
		}
		t.mu.Unlock()
	}
	t.tell()
	return err
}
