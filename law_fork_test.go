package fermata_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/plan"
)

// The tests of forks take every run that crashes are tried on, and fork it behind each of its entries.

const originalID = "run_original"

// original is a run that has ended, and what happened in the outside world meanwhile.
type original struct {
	c       crashCase
	w       *world
	plan    *plan.Plan
	clean   *driven
	result  fermata.Result
	journal []journal.Entry
	effects map[string]int
}

func finished(t *testing.T, c crashCase) *original {
	t.Helper()
	w := newWorld()
	o := &original{c: c, w: w, plan: c.build(w).Plan()}
	o.clean = newDriven(t, c, o.plan)
	var err error
	if o.result, err = o.clean.finish(); err != nil {
		t.Fatal(err)
	}
	o.journal, o.effects = journalOf(t, o.clean.inner, drivenID), w.effects()
	return o
}

// store puts the run into a store, under another id.
func (o *original) store(t *testing.T, s journal.Store) {
	t.Helper()
	rows, err := o.clean.inner.Runs(t.Context(), journal.RunFilter{ID: drivenID})
	if err != nil {
		t.Fatal(err)
	}
	row := rows[0]
	row.ID = originalID
	b := journal.Batch{Run: originalID, Entries: journalOf(t, o.clean.inner, drivenID), Row: &row}
	asked, err := o.clean.inner.Inbox(t.Context(), journal.InboxFilter{All: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range asked {
		q.Run = originalID
		b.Interrupts = append(b.Interrupts, q)
	}
	if err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// fork forks the run behind an entry, and deletes it: a fork needs nothing but itself.
func (o *original) fork(t *testing.T, s journal.Store, now time.Time, opts fermata.ForkOptions) (*driven, error) {
	t.Helper()
	o.store(t, s)
	rt, err := fermata.New(fermata.Options{Store: s, Clock: fermatatest.NewClock(now)})
	if err != nil {
		t.Fatal(err)
	}
	opts.ID, opts.Hold = drivenID, true
	_, forked := rt.Fork(t.Context(), originalID, o.plan, opts)
	if err := errors.Join(rt.Close(), s.Delete(t.Context(), originalID)); err != nil {
		t.Fatal(err)
	}
	return &driven{
		t: t, c: o.c, plan: o.plan, inner: s, store: journaltest.NewFaulty(s), clock: fermatatest.NewClock(now),
		script: o.clean.script, expects: isFault,
	}, forked
}

// recorded counts the steps that the first entries hold, by the effects that they have.
func (o *original) recorded(at int) map[string]int {
	counts := make(map[string]int)
	for _, e := range o.journal[:at] {
		if e.Kind != journal.StepFinished {
			continue
		}
		kind, key, _ := strings.Cut(e.Op[:strings.LastIndex(e.Op, "#")], ":")
		switch key = key[strings.LastIndex(key, nodehost.Inside)+1:]; {
		case key == "total":
			counts["begin"]++ // the effect of the step that has steps inside
		case kind == string(nodehost.KindStep), kind == string(nodehost.KindOnce):
			counts[key]++
		}
	}
	return counts
}

// halves says what is refused: an outcome without what follows from it.
func (o *original) half(at int) bool {
	if at == len(o.journal) {
		return o.result.Status == fermata.Completed
	}
	e, next := o.journal[at-1], o.journal[at]
	switch e.Kind {
	case journal.NodeFinished:
		return next.Kind == journal.RouteTaken
	case journal.NodeFailed:
		return true
	case journal.InterruptResolved:
		for _, later := range o.journal[at:] {
			if later.Kind != journal.InterruptResolved {
				return later.Kind == journal.RouteTaken && later.Flags&journal.FlagExpired != 0 || o.failing(at)
			}
		}
	case journal.Diagnostic:
		return e.Op == "" && next.Kind == journal.NodeSuspended
	default:
	}
	return false
}

// failing reports whether an entry stands between a failure and the end of the run that it brings about.
func (o *original) failing(at int) bool {
	for i := at - 1; i >= 0 && o.journal[i].Kind == journal.InterruptResolved; i-- {
		if o.journal[i-1].Kind == journal.NodeFailed {
			return true
		}
	}
	return false
}

// A fork of a run behind any of its entries comes to the same end as the run. What was finished does not run again,
// and what was recorded does not happen again.
func TestJ4_AForkBehindAnyEntryComesToTheSameEnd(t *testing.T) {
	for _, c := range crashCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := finished(t, c)
			for at := 1; at <= len(o.journal); at++ {
				cut := o.journal[at-1]
				t.Run(fmt.Sprintf("%d %s", at, cut.Kind), func(t *testing.T) {
					o.forkAndFinish(t, memory.New(), at, cut.Time(), true)
				})
			}
		})
	}
}

// The same much later, when all deadlines of the run are over, and on disk.
func TestJ4_AForkMuchLaterComesToAnEnd(t *testing.T) {
	for _, c := range crashCases {
		if !c.onDisk && !exploring() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := finished(t, c)
			for at := 1; at <= len(o.journal); at++ {
				s, err := sqlite.OpenWith(filepath.Join(t.TempDir(), "runs.db"), sqlite.Options{Sync: sqlite.Normal})
				if err != nil {
					t.Fatal(err)
				}
				o.forkAndFinish(t, s, at, o.clean.clock.Now().Add(1000*time.Hour), false)
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func (o *original) forkAndFinish(t *testing.T, s journal.Store, at int, now time.Time, same bool) {
	before := o.w.effects()
	d, err := o.fork(t, s, now, fermata.ForkOptions{At: uint64(at)})
	completedEnd := at == len(o.journal) && o.result.Status == fermata.Completed
	if o.half(at) && !completedEnd {
		if known, ok := errors.AsType[*fermata.Error](err); !ok || known.Code != fermata.CodeInvalid {
			t.Fatalf("in the middle of a fact: expected a refusal, found %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	checkProjections(t, s)
	got, err := d.finish()
	if err != nil {
		t.Fatal(err)
	}
	o.checkJournal(t, s, at)
	if o.c.unknown(got) {
		return
	}
	if got.Status != o.result.Status {
		t.Fatalf("the fork is %s (%v), the run was %s", got.Status, got.Err, o.result.Status)
	}
	if same {
		if diff := cmp.Diff(settledState(o.result), settledState(got)); diff != "" {
			t.Errorf("the fork ends otherwise (-run +fork):\n%s", diff)
		}
	}
	recorded, after := o.recorded(at), o.w.effects()
	for name, n := range after {
		if grown, want := n-before[name], o.effects[name]-recorded[name]; grown != want {
			t.Errorf("in the fork the effect %q happened %d times; the run had it %d times, of which %d are recorded",
				name, grown, o.effects[name], recorded[name])
		}
	}
}

// checkJournal looks whether the fork has the run's entries behind it, and no task again that is over in them.
func (o *original) checkJournal(t *testing.T, s journal.Store, at int) {
	t.Helper()
	list := journalOf(t, s, drivenID)
	if at == len(o.journal) && o.result.Status == fermata.Completed {
		at--
	}
	over := make(map[string]bool)
	for i, e := range o.journal[:at] {
		task := fmt.Sprintf("%s#%d", e.Node, e.Visit)
		if e.Kind == journal.NodeFinished {
			over[task] = true
		}
		copied := list[i]
		e.Op, copied.Op, e.Body, copied.Body = "", "", nil, nil
		if diff := cmp.Diff(e, copied); diff != "" {
			t.Fatalf("entry %d of the fork (-run +fork):\n%s", i+1, diff)
		}
	}
	for _, e := range list[at:] {
		if task := fmt.Sprintf("%s#%d", e.Node, e.Visit); over[task] && e.Kind != journal.RouteTaken {
			t.Errorf("task %s was over, and in the fork there is a %s of it at seq %d", task, e.Kind, e.Seq)
		}
	}
	began := bodyOf[journal.StartedBody](t, &list[0])
	if diff := cmp.Diff(&journal.Origin{Run: originalID, Seq: uint64(at)}, began.Fork); diff != "" {
		t.Errorf("where the fork says it comes from (-want +got):\n%s", diff)
	}
}

// checkProjections looks whether what the store lists of a fork is what its journal says.
func checkProjections(t *testing.T, s journal.Store) {
	t.Helper()
	rows, err := s.Runs(t.Context(), journal.RunFilter{})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	asked, err := s.Inbox(t.Context(), journal.InboxFilter{All: true})
	if err != nil {
		t.Fatal(err)
	}
	states, deadlines := make(map[string]string), make(map[string]int64)
	waits := make(map[string]bool)
	list := journalOf(t, s, drivenID)
	for _, e := range list {
		switch e.Kind {
		case journal.InterruptOpened:
			q := bodyOf[journal.Interrupt](t, &e)
			states[e.Op], deadlines[e.Op] = journal.Open, q.Deadline
			if q.Run != drivenID || q.ID != e.Op {
				t.Errorf("seq %d: interrupt %s of run %s under the id %s", e.Seq, q.ID, q.Run, e.Op)
			}
		case journal.InterruptUpdated:
			deadlines[e.Op] = bodyOf[journal.UpdatedBody](t, &e).Deadline
		case journal.InterruptResolved:
			states[e.Op] = bodyOf[journal.ResolvedBody](t, &e).State
			delete(deadlines, e.Op)
		case journal.TimerSet:
			waits[fmt.Sprintf("%s#%d %s", e.Node, e.Visit, e.Op)] = true
		case journal.TimerFired:
			delete(waits, fmt.Sprintf("%s#%d %s", e.Node, e.Visit, e.Op))
		case journal.NodeRetrying:
			waits[fmt.Sprintf("retry %s#%d", e.Node, e.Visit)] = true
		case journal.NodeStarted:
			delete(waits, fmt.Sprintf("retry %s#%d", e.Node, e.Visit))
		default:
		}
	}
	if fermata.Status(rows[0].Status).Ended() {
		waits, deadlines = nil, nil
	}
	got, open := make(map[string]string), 0
	for _, q := range asked {
		if got[q.ID] = q.State; q.IsOpen() {
			open++
		}
	}
	if diff := cmp.Diff(states, got); diff != "" {
		t.Errorf("interrupts (-journal +store):\n%s", diff)
	}
	for id, due := range deadlines {
		if due != 0 {
			waits[id] = true
		}
	}
	timers, err := s.Timers(t.Context(), math.MaxInt64, 0)
	if err != nil {
		t.Fatal(err)
	}
	set := make(map[string]bool)
	for _, timer := range timers {
		set[timer.ID] = true
	}
	if len(waits)+len(set) > 0 {
		if diff := cmp.Diff(waits, set); diff != "" {
			t.Errorf("timers (-journal +store):\n%s", diff)
		}
	}
	if rows[0].Waiting != open || rows[0].Head != uint64(len(list)) {
		t.Errorf("the row says %d open questions and seq %d; there are %d, and %d", rows[0].Waiting, rows[0].Head, open, len(list))
	}
}
