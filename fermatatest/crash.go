package fermatatest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/plan"
)

// Report says what an exploration has looked at.
type Report struct {
	Result  fermata.Result // of the run without a crash
	Appends []string       // what it stored, one for each append
	Crashes int            // how many crashes there were, in all runs
}

// Crash runs a plan once without a crash, and then once for each possible crash. The engine dies before and after each
// append to the journal, a new one starts on the same store and finishes the run. Then it runs the plan with processes
// that die again and again, after each append that takes the run on.
//
// The input is made again for each run: of a graph over S, a *S. Time is a [Clock], which goes on when the run waits
// for nothing but time. People answer by [Answers] or [AnswerFunc].
//
// Each run must keep the laws; what breaks one is an error of t that names the law, the task and the place:
//
//   - the result is that of the run without a crash, and so is what the tasks recorded, one by one (J1, J5);
//   - no call of a task is recorded twice, and no effect happens again unless its record was lost (J5);
//   - no task that is finished is started again (J4);
//   - a reader that goes on after the last event it saw gets every event once, numbered without a gap (E1);
//   - nothing is left behind: no open question, no timer (H4).
//
// A crash between the intent and the outcome of an AtMostOnce step leaves an outcome that nobody knows
// (node.ErrOutcomeUnknown); the run may then take another way, and its result is not compared.
func Crash(t testing.TB, p *plan.Plan, input func() any, opts ...CrashOption) Report {
	t.Helper()
	x := newExplorer(p, input, opts)
	x.dir = func() (string, error) { return t.TempDir(), nil }
	report, broken := x.explore(t.Context())
	for _, v := range broken {
		t.Error(v.String())
	}
	return report
}

// Explore is [Crash] for programs outside of Go tests: it returns its findings. Stores of [On] are in the system's
// folder for temporary files, and are removed.
func Explore(ctx context.Context, p *plan.Plan, input func() any, opts ...CrashOption) (Report, []Violation) {
	return newExplorer(p, input, opts).explore(ctx)
}

// Rehearse runs a plan once, without a crash, as [Explore] does at first. It uses a store in memory, a clock that
// advances when the run waits for nothing but time, and the given answers.
func Rehearse(ctx context.Context, p *plan.Plan, input func() any, opts ...CrashOption) (Report, []Violation) {
	x := newExplorer(p, input, opts)
	x.open = nil
	clean := x.run(ctx, withoutCrash, func(int) death { return death{} })
	return Report{Result: clean.result, Appends: clean.appends}, clean.broken
}

const withoutCrash = "without a crash"

func newExplorer(p *plan.Plan, input func() any, opts []CrashOption) *explorer {
	x := &explorer{
		plan: p, input: input, once: make(map[string]bool), stride: 1, patience: time.Minute,
		dir: func() (string, error) { return os.MkdirTemp("", "fermatatest") },
	}
	for _, opt := range opts {
		opt.crash(x)
	}
	return x
}

// explorer is a plan with all that is needed to run it.
type explorer struct {
	plan  *plan.Plan
	input func() any
	people
	from     time.Time // of the clock; zero for Epoch
	effects  func() map[string]int
	once     map[string]bool
	before   func()
	after    func(rt *fermata.Runtime, result fermata.Result)
	open     func(dir string) (journal.Store, error)
	options  fermata.Options
	stride   int
	patience time.Duration
	dir      func() (string, error)
	search
}

// people are those around a run.
type people struct {
	answers map[string][]any
	answer  func(q fermata.Interrupt) any
	starter string
	mail    []Mail
}

// search says which orders Schedules tries.
type search struct {
	orders     int
	exhaustive int
	seed       uint64
	seeded     bool
	crashes    bool
	hasty      bool // the first order is not run twice
}

// Violation is a law that was broken.
type Violation struct {
	Where string // the crash: "crash after append 3 (…)"
	Law   string // "J4", "" for what no law has a number for
	What  string
}

// String is all of it in one text.
func (v Violation) String() string {
	if v.Law == "" {
		return v.Where + ": " + v.What
	}
	return fmt.Sprintf("%s: law %s: %s", v.Where, v.Law, v.What)
}

// mostBroken is how many broken laws are listed: the first ones tell most.
const mostBroken = 20

func (x *explorer) explore(ctx context.Context) (Report, []Violation) {
	clean := x.run(ctx, withoutCrash, func(int) death { return death{} })
	report := Report{Result: clean.result, Appends: clean.appends}
	broken := clean.broken
	if len(broken) > 0 {
		return report, broken
	}
	look := func(where string, plan func(process int) death) {
		if len(broken) >= mostBroken || ctx.Err() != nil {
			return
		}
		tr := x.run(ctx, where, plan)
		report.Crashes += tr.crashes
		tr.compare(clean)
		broken = append(broken, tr.broken...)
	}
	for k := 1; k <= len(clean.appends); k += x.stride {
		for _, after := range []bool{false, true} {
			d := death{at: k, after: after}
			look(fmt.Sprintf("%v (%s)", d, clean.appends[k-1]), func(process int) death {
				if process == 0 {
					return d
				}
				return death{}
			})
		}
	}
	// The first append of a process that takes over says so; the one behind it takes the run on, most of the time. For
	// the other times, those that come later live a little longer. With a stride so does every second one, since each reads
	// the whole journal.
	longer := func(process int) int { return process/(len(clean.appends)+1) + process%2*(x.stride-1) }
	look("crashes before every third append", func(process int) death { return death{at: 3 + longer(process)} })
	look("crashes after every second append", func(process int) death { return death{at: 2 + longer(process), after: true} })
	return report, broken
}

// keep is the store of one run, which its processes come and go with.
type keep struct {
	x     *explorer
	dir   string
	store journal.Store
}

func (x *explorer) keep() (k *keep, err error) {
	k = &keep{x: x}
	if x.open == nil {
		k.store = memory.New()
		return k, nil
	}
	if k.dir, err = x.dir(); err != nil {
		return k, err
	}
	return k, k.reopen()
}

func (k *keep) reopen() (err error) {
	if k.x.open == nil {
		return nil
	}
	if k.store != nil {
		if err := k.store.Close(); err != nil {
			return fmt.Errorf("the store could not be closed: %w", err)
		}
		k.store = nil
	}
	if k.store, err = k.x.open(k.dir); err != nil {
		return fmt.Errorf("the store could not be opened again: %w", err)
	}
	return nil
}

func (k *keep) close() (err error) {
	if k.store != nil {
		err = k.store.Close()
	}
	if k.dir != "" {
		err = errors.Join(err, os.RemoveAll(k.dir))
	}
	return err
}

// look counts the effects so far.
func (x *explorer) look() map[string]int {
	if x.effects == nil {
		return nil
	}
	return maps.Clone(x.effects())
}
