package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/plan"
)

// exploring reports whether tests take the time to look everywhere (make explore).
func exploring() bool { return os.Getenv("FERMATA_EXPLORE") != "" }

// patience is how long a test waits for what should take no time, unless the machine has much to do.
const patience = soon

// driven is a run that is taken to its end by somebody who does not give up: what fails is tried again.
type driven struct {
	t       *testing.T
	c       crashCase
	plan    *plan.Plan
	store   *journaltest.Faulty
	inner   journal.Store
	clock   *fermatatest.Clock
	rt      *fermata.Runtime
	fresh   bool // go on in a new runtime after a failure
	breaks  fermata.Breaks
	script  *script
	input   func() any
	faults  []string              // what failed
	errors  []error               // how
	expects func(err error) error // says what is wrong with a failure
}

const drivenID = "run_driven"

func newDriven(t *testing.T, c crashCase, p *plan.Plan) *driven {
	inner := memory.New()
	return &driven{
		t: t, c: c, plan: p, inner: inner, store: journaltest.NewFaulty(inner), clock: &fermatatest.Clock{},
		script: &script{given: make(map[string]any), used: make(map[string]int)}, expects: isFault, input: input,
	}
}

// beside is somebody else who takes the same run to its end, with a runtime of their own.
func (d *driven) beside() *driven {
	return &driven{
		t: d.t, c: d.c, plan: d.plan, inner: d.inner, store: journaltest.NewFaulty(d.inner),
		clock:  fermatatest.NewClock(d.clock.Now()),
		script: d.script, expects: cameSecond, input: d.input,
	}
}

// failed takes note of a failure, and returns what is wrong with it.
func (d *driven) failed(what string, err error) error {
	d.faults, d.errors = append(d.faults, what), append(d.errors, err)
	if wrong := d.expects(err); wrong != nil {
		return fmt.Errorf("%s failed with %T: %w: %w", what, err, err, wrong)
	}
	if len(d.faults) > 2 {
		return fmt.Errorf("one cause, and these failed: %q", d.faults)
	}
	return nil
}

// isFault reports why a failure is not that of a store with a made up fault.
func isFault(err error) error {
	known, ok := errors.AsType[*fermata.Error](err)
	_, typed := errors.AsType[*journal.StoreError](err)
	if !ok || known.Code != fermata.CodeStore || !typed || !errors.Is(err, journaltest.ErrFault) {
		return errors.New("expected a *fermata.Error of code store around a *journal.StoreError")
	}
	return nil
}

// cameSecond reports why a failure is not that of somebody who came second, or whose run somebody else took along.
func cameSecond(err error) error {
	if errors.Is(err, fermata.ErrStopped) {
		return nil
	}
	return isConflict(err)
}

// isConflict reports why a failure is not that of somebody who came second.
func isConflict(err error) error {
	known, ok := errors.AsType[*fermata.Error](err)
	if !ok || known.Code != fermata.CodeConflict {
		return errors.New("expected a *fermata.Error of code conflict")
	}
	return nil
}

// errDead is the failure of a store that is gone for good.
var errDead = errors.Join(journaltest.ErrFault, journal.ErrClosed)

// dies has a store fail for good from its n-th append on, as if its process had died there.
func dies(f *journaltest.Faulty, n int, mode journaltest.Mode) {
	f.BeforeAppend = func(at int) error {
		if at > n || at == n && mode == journaltest.Before {
			return errDead
		}
		return nil
	}
	f.AfterAppend = func(at int) error {
		if at == n && mode == journaltest.After {
			return errDead
		}
		return nil
	}
}

// finish takes the run to its end.
func (d *driven) finish() (fermata.Result, error) {
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	var run *fermata.Run
	defer func() {
		if d.rt != nil {
			if err := d.rt.Close(); err != nil {
				d.t.Error(err)
			}
		}
	}()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		d.passTime(ctx)
	}()
	defer func() { cancel(); <-stopped }()
	for {
		what, result, err := d.step(ctx, &run)
		switch {
		case ctx.Err() != nil:
			return result, fmt.Errorf("%s did not come to an end: %w%s", what, context.DeadlineExceeded, d.standing())
		case err != nil:
			if err := d.failed(what, err); err != nil {
				return result, err
			}
			run = nil
			if d.fresh {
				if err := d.rt.Close(); err != nil {
					return result, err
				}
				d.rt = nil
			}
		case result.Status.Ended():
			return result, nil
		}
	}
}

// standing says how far the run has come.
func (d *driven) standing() string {
	ctx := context.WithoutCancel(d.t.Context())
	rows, _ := d.inner.Runs(ctx, journal.RunFilter{ID: drivenID})
	timers, _ := d.inner.Timers(ctx, math.MaxInt64, 0)
	at, ok := d.clock.Next()
	text := fmt.Sprintf("\n\tthe clock stands at %s, its next alarm is at %s (%t)", d.clock.Now(), at, ok)
	for _, row := range rows {
		text += fmt.Sprintf("\n\tthe run is %s at seq %d, with %d questions", row.Status, row.Head, row.Waiting)
	}
	for _, timer := range timers {
		text += fmt.Sprintf("\n\ttimer %s is due at %s", timer.ID, time.UnixMicro(timer.Due).UTC())
	}
	for e, err := range d.inner.Read(ctx, drivenID, 0) {
		text += fmt.Sprintf("\n\t%d %s %s#%d %s %v", e.Seq, e.Kind, e.Node, e.Visit, e.Op, err)
	}
	return text + fmt.Sprintf("\n\tfailed: %q", d.faults)
}

// step begins the run, or takes it up, or waits for it, or answers it.
func (d *driven) step(ctx context.Context, run **fermata.Run) (what string, result fermata.Result, err error) {
	if d.rt == nil {
		if d.rt, err = fermata.New(fermata.Options{Store: d.store, Clock: d.clock}); err != nil {
			return "New", result, err
		}
		fermata.Hurry(d.rt)
	}
	if *run == nil {
		rows, err := d.inner.Runs(ctx, journal.RunFilter{ID: drivenID})
		if err != nil || len(rows) > 0 {
			*run, err = d.rt.Resume(ctx, drivenID, d.plan)
			return "Resume", result, err
		}
		*run, err = d.rt.Start(ctx, d.plan, d.input(), fermata.WithID(drivenID),
			fermata.BreakBefore(d.breaks.Before...), fermata.BreakAfter(d.breaks.After...))
		return "Start", result, err
	}
	if result, err = (*run).Wait(ctx); err != nil {
		return "Wait", result, err
	}
	if result.Hold != nil {
		return "ReleaseRun", result, d.rt.ReleaseRun(ctx, drivenID, "look done", "bob")
	}
	for _, q := range result.Interrupts {
		if value := d.answerTo(q); value != nil {
			return "Answer", result, d.rt.Answer(ctx, q.ID, value, fermata.AsRole(q.Role))
		}
	}
	if len(result.Interrupts) > 0 {
		d.wait(ctx)
		time.Sleep(50 * time.Microsecond)
	}
	return "Wait", result, nil
}

// script is what people say. The same question has the same answer, whoever asks for it.
type script struct {
	mu    sync.Mutex
	given map[string]any
	used  map[string]int
	say   func(q fermata.Interrupt) any // what follows from the question itself
}

// answerTo is the answer to a question, nil for none.
func (d *driven) answerTo(q fermata.Interrupt) any {
	s := d.script
	s.mu.Lock()
	defer s.mu.Unlock()
	identity := q.Task + q.Op
	if value, ok := s.given[identity]; ok {
		return value
	}
	if d.script.say != nil {
		value := d.script.say(q)
		if value == fermatatest.NoAnswer {
			return nil
		}
		return value
	}
	path := nodeOf(q.Task)
	var value any
	if n := s.used[path]; n < len(d.c.answers[path]) {
		value = d.c.answers[path][n]
	}
	s.used[path]++
	s.given[identity] = value
	return value
}

// wait lets the time of the next timer come.
func (d *driven) wait(ctx context.Context) {
	timers, err := d.inner.Timers(ctx, math.MaxInt64, 1)
	if err != nil || len(timers) == 0 {
		return
	}
	due := time.UnixMicro(timers[0].Due)
	if at, ok := d.clock.Next(); ok && !at.After(due) { // the alarm is set
		d.clock.AdvanceTo(due)
	}
}

// passTime lets the clock go on while the run waits for nothing but time.
func (d *driven) passTime(ctx context.Context) {
	overdue := time.Now()
	for ctx.Err() == nil {
		time.Sleep(100 * time.Microsecond)
		before, err := d.inner.Runs(ctx, journal.RunFilter{ID: drivenID})
		if err != nil || len(before) == 0 {
			continue
		}
		timers, err := d.inner.Timers(ctx, math.MaxInt64, 1)
		after, again := d.inner.Runs(ctx, journal.RunFilter{ID: drivenID})
		if err != nil || again != nil || len(timers) == 0 || !reflect.DeepEqual(after[0], before[0]) {
			overdue = time.Now()
			continue
		}
		due := time.UnixMicro(timers[0].Due)
		at, ok := d.clock.Next()
		switch {
		case due.After(d.clock.Now()) && before[0].Waiting == 0 && ok && !at.After(due): // the alarm is set
			d.clock.AdvanceTo(due)
		case due.After(d.clock.Now()):
			overdue = time.Now()
		case ok && at.Sub(d.clock.Now()) <= time.Second && time.Since(overdue) > 20*time.Millisecond:
			d.clock.AdvanceTo(at) // the timer could not be read when it was due: the engine tries again a little later
			overdue = time.Now()
		}
	}
}

// journalOf reads a run's journal and checks that it holds every step once.
func journalOf(t *testing.T, s journal.Store, id string) []journal.Entry {
	t.Helper()
	var list []journal.Entry
	recorded := make(map[string]bool)
	for e, err := range s.Read(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
		if e.Seq != uint64(len(list)) {
			t.Errorf("entry %d has seq %d", len(list), e.Seq)
		}
		if e.Kind != journal.StepFinished || len(e.Body) > 0 {
			continue
		}
		identity := fmt.Sprintf("%s#%d %s", e.Node, e.Visit, e.Op)
		if recorded[identity] {
			t.Errorf("%s is recorded twice", identity)
		}
		recorded[identity] = true
	}
	return list
}

// settledState is what must be the same, whatever failed on the way.
func settledState(r fermata.Result) []any {
	var output, text any
	if len(r.Output) > 0 {
		if err := json.Unmarshal(r.Output, &output); err != nil {
			output = err
		}
	}
	if r.Err != nil {
		text = r.Err.Error()
	}
	return []any{r.Status, output, text}
}

// Every call of the store fails once, in each place, before and after it has done its work. Whoever asked gets an
// error that says what it is; asked again, the run comes to the same end, and nothing is lost or doubled.
func TestJ2_StoreFaults(t *testing.T) {
	t.Parallel()
	for _, c := range withUndos {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := c.build(newWorld()).Plan()
			clean := newDriven(t, c, p)
			want := clean.undisturbed()
			clean.everyFault(func(place string, fresh bool, set func(*journaltest.Faulty)) {
				d := newDriven(t, c, p)
				d.fresh = fresh
				set(d.store)
				got, err := d.finish()
				if err != nil {
					t.Errorf("%s: %v", place, err)
					return
				}
				if strings.Contains(place, "append") && slices.Contains(d.faults, "Wait") {
					t.Errorf("%s: Wait failed, and the runtime lives: %q: %v", place, d.faults, d.errors)
				}
				if c.unknown(got) {
					return
				}
				if diff := cmp.Diff(settledState(want), settledState(got)); diff != "" {
					t.Errorf("%s: (-without a fault +with):\n%s", place, diff)
				}
				journalOf(t, d.inner, drivenID)
			})
		})
	}
}

// everyFault calls try for each call of the store in a run that is finished: set lets that call fail, before or after it has
// done its work. Each is tried with the runtime that the fault happened to, and with a new one.
func (d *driven) everyFault(try func(place string, fresh bool, set func(*journaltest.Faulty))) {
	for _, fresh := range []bool{false, true} {
		for mode, when := range map[journaltest.Mode]string{journaltest.Before: "before", journaltest.After: "after"} {
			for n := 1; n <= d.store.Appends(); n++ {
				try(fmt.Sprintf("%s append %d, new runtime: %t", when, n, fresh), fresh, func(f *journaltest.Faulty) { f.FailAppend(n, mode) })
			}
			for n := 1; n <= d.store.Reads(); n++ {
				try(fmt.Sprintf("%s read %d, new runtime: %t", when, n, fresh), fresh, func(f *journaltest.Faulty) { f.FailRead(n, mode) })
			}
		}
	}
}

// unknown reports whether the run ended because nobody knows what an AtMostOnce step has done.
func (c crashCase) unknown(r fermata.Result) bool {
	return len(c.once) > 0 && r.Err != nil
}

// A run whose start failed is tried again by its caller, while the runtime looks whether the first try was stored: the run
// has one driver, whichever of the two is faster.
func TestJ2_AStartIsTriedAgainWhileTheRuntimeLooks(t *testing.T) {
	const soon = 100 * time.Millisecond
	store := journaltest.NewFaulty(memory.New())
	store.FailAppend(1, journaltest.Before) // of the outline of the plan
	resumed := make(chan bool)
	store.AfterAppend = func(n int) error {
		switch n {
		case 3: // the second start is stored: the runtime finds it
			select {
			case <-resumed:
			case <-time.After(soon):
			}
		case 4:
			close(resumed)
			time.Sleep(soon)
		}
		return nil
	}
	p := crashCases[0].build(newWorld()).Plan()
	d := newDriven(t, crashCases[0], p)
	rt, err := fermata.New(fermata.Options{Store: store, Clock: d.clock}) // both tries are made at one moment
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	fermata.Hurry(rt)
	if _, err := rt.Start(t.Context(), p, d.input(), fermata.WithID(drivenID)); !errors.Is(err, journaltest.ErrFault) {
		t.Fatalf("expected the fault, found %v", err)
	}
	run, err := rt.Start(t.Context(), p, d.input(), fermata.WithID(drivenID))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(t.Context()); err != nil || res.Status != fermata.Completed {
		t.Errorf("expected completed, found %s, %v", res.Status, errors.Join(err, res.Err))
	}
}

// Whoever only looks is told, too, when the store cannot be read.
func TestJ2_FaultsOfReaders(t *testing.T) {
	c := crashCases[0]
	p := c.build(newWorld()).Plan()
	d := newDriven(t, c, p)
	if _, err := d.finish(); err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{Store: d.store, Clock: d.clock})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	ctx := t.Context()
	for name, look := range map[string]func() error{
		"Info":   func() error { _, err := rt.Info(ctx, drivenID); return err },
		"Runs":   func() error { _, err := rt.Runs(ctx, journal.RunFilter{}); return err },
		"Inbox":  func() error { _, err := rt.Inbox(ctx, journal.InboxFilter{}); return err },
		"Result": func() error { _, err := rt.Result(ctx, drivenID, p); return err },
		"Resume": func() error { _, err := rt.Resume(ctx, drivenID, p); return err },
		"Cancel": func() error { return rt.Cancel(ctx, drivenID, "", "") },
		"Answer": func() error { return rt.Answer(ctx, "int_1", true) },
		"Events": func() (failed error) {
			for _, err := range rt.Events(ctx, drivenID, 0, false) {
				failed = errors.Join(failed, err)
			}
			return failed
		},
		"History": func() (failed error) {
			for _, err := range rt.History(ctx, drivenID) {
				failed = errors.Join(failed, err)
			}
			return failed
		},
	} {
		for _, mode := range []journaltest.Mode{journaltest.Before, journaltest.After} {
			d.store.FailRead(d.store.Reads()+1, mode)
			if err := look(); err == nil || isFault(err) != nil {
				t.Errorf("%s: found %T: %v; %v", name, err, err, isFault(err))
			}
		}
	}
}
