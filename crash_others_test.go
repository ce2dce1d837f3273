package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
)

// interfere runs a graph once for each of its appends, and lets somebody else do something just before it is written.
// With that, so many outcomes of steps may be lost as there are losers.
func interfere(
	t *testing.T, losers int, each func(t *testing.T, d *driven, other *fermata.Runtime),
	check func(t *testing.T, c crashCase, d *driven, want, got fermata.Result),
) {
	for _, c := range withUndos {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			p := c.build(w).Plan()
			clean := newDriven(t, c, p)
			want := clean.undisturbed()
			once := w.effects()
			for n := 1; n <= clean.store.Appends(); n++ {
				t.Run(fmt.Sprintf("append %d", n), func(t *testing.T) {
					before := w.effects()
					d := newDriven(t, c, p)
					d.meddleBefore(n, each)
					got, err := d.finish()
					if err != nil {
						t.Fatal(err)
					}
					check(t, c, d, want, got)
					checkEffects(t, c, losers, once, before, w.effects())
				})
			}
		})
	}
}

// exists reports whether the run is stored yet.
func (d *driven) exists() bool {
	rows, err := d.inner.Runs(d.t.Context(), journal.RunFilter{ID: drivenID})
	return err == nil && len(rows) == 1 && !fermata.Status(rows[0].Status).Ended()
}

// undisturbed finishes a run that nothing happens to.
func (d *driven) undisturbed() fermata.Result {
	d.t.Helper()
	want, err := d.finish()
	if err != nil || len(d.faults) > 0 {
		d.t.Fatalf("undisturbed: %v, %q", err, d.faults)
	}
	return want
}

// meddleBefore lets somebody with a runtime of their own do something before the n-th append, in a goroutine of their own: the
// one that appends belongs to the runtime, which may not wait in it for another to close.
func (d *driven) meddleBefore(n int, each func(t *testing.T, d *driven, other *fermata.Runtime)) {
	d.expects = cameSecond
	d.store.BeforeAppend = func(k int) error {
		if k == n && d.exists() {
			var other sync.WaitGroup
			other.Go(func() { d.meddle(each) })
			other.Wait()
		}
		return nil
	}
}

// meddle lets somebody with a runtime of their own do something.
func (d *driven) meddle(each func(t *testing.T, d *driven, other *fermata.Runtime)) {
	other, err := fermata.New(fermata.Options{Store: d.inner, Clock: d.clock, Name: "other"})
	if err != nil {
		d.t.Error(err)
		return
	}
	each(d.t, d, other)
	if err := other.Close(); err != nil {
		d.t.Error(err)
	}
}

// checkEffects looks whether each effect happened at most once more for each loser, and a step that happens once at
// most not more often.
func checkEffects(t *testing.T, c crashCase, losers int, once, before, after map[string]int) {
	t.Helper()
	for name, n := range after {
		most := once[name] + losers
		for _, only := range c.once {
			if name == only {
				most = once[name]
			}
		}
		if grown := n - before[name]; grown > most {
			t.Errorf("the effect %q happened %d times; undisturbed, %d", name, grown, once[name])
		}
	}
}

func sameEnd(t *testing.T, c crashCase, d *driven, want, got fermata.Result) {
	t.Helper()
	journalOf(t, d.inner, drivenID)
	if c.unknown(got) {
		return
	}
	if diff := cmp.Diff(settledState(want), settledState(got)); diff != "" {
		t.Errorf("disturbed, the run ends otherwise (-want +got):\n%s", diff)
	}
}

// Somebody else takes the run and finishes it while one is about to write: one of the two commits, and the other is
// told so.
func TestJ3_AnotherProcessTakesTheRunAtEveryAppend(t *testing.T) {
	t.Parallel()
	interfere(t, 1, func(t *testing.T, d *driven, _ *fermata.Runtime) {
		if _, err := d.beside().finish(); err != nil {
			t.Errorf("whoever took the run failed: %v", err)
		}
	}, sameEnd)
}

// Somebody else takes the run, comes a little further and dies. Whoever drove it before does not go on behind that as if
// nothing had happened: it stops, and takes the run up anew.
func TestJ3_AnotherProcessTakesTheRunAndDies(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	heads := make(map[*driven]uint64)
	interfere(t, 2, func(t *testing.T, d *driven, _ *fermata.Runtime) {
		store := journaltest.NewFaulty(d.inner)
		dies(store, 2, journaltest.Before)
		other, err := fermata.New(fermata.Options{Store: store, Clock: fermatatest.NewClock(d.clock.Now()), Name: "other"})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		run, err := other.Resume(t.Context(), drivenID, d.plan)
		if err == nil {
			_, err = run.Wait(inTime(t))
		}
		if err == nil {
			return // it rests, and nothing was written
		}
		if wrong := isFault(err); wrong != nil {
			t.Error(err)
		}
		row, err := other.Info(t.Context(), drivenID)
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		heads[d] = row.Head
		mu.Unlock()
	}, func(t *testing.T, c crashCase, d *driven, want, got fermata.Result) {
		sameEnd(t, c, d, want, got)
		mu.Lock()
		head := heads[d]
		mu.Unlock()
		list := journalOf(t, d.inner, drivenID)
		for i := int(head); head > 0 && i < len(list); i++ {
			switch list[i].Kind {
			case journal.InterruptResolved, journal.InterruptUpdated:
				continue
			case journal.RunResumed:
			default:
				t.Errorf("behind seq %d, where somebody else died, the journal goes on with %s; expected that the run is taken up", head, list[i].Kind)
			}
			break
		}
	})
}

// A run that is cancelled, whenever that is, ends there: nothing comes behind it, and nothing is left.
func TestF3_CancelAtEveryAppend(t *testing.T) {
	t.Parallel()
	interfere(t, 1, func(t *testing.T, _ *driven, other *fermata.Runtime) {
		if err := other.Cancel(t.Context(), drivenID, "not needed any more", "other"); err != nil {
			t.Error(err)
		}
	}, func(t *testing.T, _ crashCase, d *driven, _, got fermata.Result) {
		list := journalOf(t, d.inner, drivenID)
		last := list[len(list)-1]
		if got.Status != fermata.Cancelled { // the run was not stored yet when somebody wanted to cancel it
			if got.Status == "" || last.Kind != journal.RunFinished {
				t.Errorf("the run is %q, its last entry %s", got.Status, last.Kind)
			}
			return
		}
		if !errors.Is(got.Err, fermata.ErrCancelled) {
			t.Errorf("the error of a cancelled run: %v", got.Err)
		}
		finished := 0
		for _, e := range list {
			if e.Kind == journal.RunFinished {
				finished++
			}
		}
		open, err := d.inner.Inbox(t.Context(), journal.InboxFilter{Run: drivenID})
		timers, err2 := d.inner.Timers(t.Context(), 1<<62, 0)
		if diff := cmp.Diff([]any{1, journal.RunFinished, 0, 0}, []any{finished, last.Kind, len(open), len(timers)}); diff != "" {
			t.Errorf("ends, last entry, open questions and timers after a cancellation (-want +got):\n%s%v", diff, errors.Join(err, err2))
		}
	})
}

// People claim and release what is open, and answer it, whatever the engine is doing: the run takes note and goes on.
func TestH2_PeopleActAtEveryAppend(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(ctx context.Context, d *driven, other *fermata.Runtime, q fermata.Interrupt) error{
		"claim and release": func(ctx context.Context, _ *driven, other *fermata.Runtime, q fermata.Interrupt) error {
			return errors.Join(other.Claim(ctx, q.ID, "eve", q.Role), other.Release(ctx, q.ID, "eve"))
		},
		"answer": func(ctx context.Context, d *driven, other *fermata.Runtime, q fermata.Interrupt) error {
			if value := d.answerTo(q); value != nil {
				return other.Answer(ctx, q.ID, value, fermata.AsRole(q.Role), fermata.Hold())
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			interfere(t, 0, func(t *testing.T, d *driven, other *fermata.Runtime) {
				questions, err := other.Inbox(t.Context(), journal.InboxFilter{Run: drivenID})
				if err != nil {
					t.Error(err)
				}
				for _, q := range questions {
					if err := act(t.Context(), d, other, q); err != nil && !errors.Is(err, fermata.ErrExpired) {
						t.Error(err)
					}
				}
			}, func(t *testing.T, c crashCase, d *driven, want, got fermata.Result) {
				if len(d.faults) > 0 {
					t.Errorf("people are no drivers, and yet these failed: %q", d.faults)
				}
				sameEnd(t, c, d, want, got)
			})
		})
	}
}

// An answer through the runtime that drives, just after something was stored: the drive may be about to end, and must
// not end without having seen it.
func TestH2_AnswersWhileTheRuntimeDrives(t *testing.T) {
	for _, c := range withUndos {
		if c.answers == nil {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := c.build(newWorld()).Plan()
			clean := newDriven(t, c, p)
			want := clean.undisturbed()
			for n := 1; n <= clean.store.Appends(); n++ {
				d := newDriven(t, c, p)
				var answering sync.WaitGroup
				d.store.AfterAppend = func(k int) error {
					if k == n && d.exists() {
						d.answerNow(&answering)
					}
					return nil
				}
				got, err := d.finish()
				answering.Wait()
				if err != nil || len(d.faults) > 0 {
					t.Fatalf("append %d: %v, %q", n, err, d.faults)
				}
				sameEnd(t, c, d, want, got)
			}
		})
	}
}

// answerNow answers what is open and returns when that is stored: the append that waits for it is on its way no longer.
func (d *driven) answerNow(answering *sync.WaitGroup) {
	ctx := d.t.Context()
	open, err := d.inner.Inbox(ctx, journal.InboxFilter{Run: drivenID})
	if err != nil {
		d.t.Error(err)
	}
	for _, q := range open {
		value := d.answerTo(fermata.Interrupt{Interrupt: q})
		if value == nil {
			continue
		}
		answering.Go(func() {
			if err := d.rt.Answer(ctx, q.ID, value, fermata.AsRole(q.Role)); err != nil && !errors.Is(err, fermata.ErrExpired) {
				d.t.Error(err)
			}
		})
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Microsecond) {
			if found, err := d.inner.Inbox(ctx, journal.InboxFilter{ID: q.ID, All: true}); err != nil || !found[0].IsOpen() {
				break
			}
		}
	}
}
