package schedule

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/settings"
)

// What is due while somebody has paused a schedule is left out, in each process; it goes on from the next occurrence after.
func TestW4_WhatIsDueDuringAPauseIsLeftOut(t *testing.T) {
	begin := time.Date(2027, 5, 3, 0, 30, 0, 0, time.UTC)
	o := newOffice(t, begin)
	pauses := NewPauses(settings.New(o.store, settings.Options{Now: o.clock.Now}))
	var told []Outcome
	hourly := func(name string) Schedule {
		return Schedule{
			Name: name, Cron: "@hourly", Overlap: Allow, Told: func(at Occurrence, what Outcome, _ error) {
				if at.Schedule == "shop/hourly" {
					told = append(told, what)
				}
			},
			Stopped: func(ctx context.Context) (bool, error) {
				p, err := pauses.Paused(ctx, name)
				return p != nil, err
			},
		}
	}
	one, other := o.process(plain(), hourly("shop/hourly"), hourly("shop/other")), o.process(plain(), hourly("shop/hourly"), hourly("shop/other"))
	now := begin.Add(-30 * time.Minute)
	pass := func() {
		t.Helper()
		now = now.Add(time.Hour)
		o.clock.AdvanceTo(now)
		for _, s := range []*Scheduler{one, other} {
			if err := s.advance(t.Context(), now.Add(-time.Second), now); err != nil {
				t.Fatal(err)
			}
		}
	}
	set := func(paused bool) {
		t.Helper()
		if err := pauses.Set(t.Context(), "shop/hourly", paused, "ann", "stocktaking"); err != nil {
			t.Fatal(err)
		}
	}
	pass()
	set(true)
	pass()
	pass()
	p, err := pauses.Paused(t.Context(), "shop/hourly")
	if diff := cmp.Diff(&Pause{By: "ann", Why: "stocktaking", Since: begin.Add(30 * time.Minute)}, p); err != nil || diff != "" {
		t.Errorf("the pause (-want +got): %v\n%s", err, diff)
	}
	set(false)
	pass()
	want := map[string][]string{
		"shop/hourly": {"2027-05-03 01:00:00", "2027-05-03 04:00:00"},
		"shop/other":  {"2027-05-03 01:00:00", "2027-05-03 02:00:00", "2027-05-03 03:00:00", "2027-05-03 04:00:00"},
	}
	if diff := cmp.Diff(want, o.runs()); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Outcome{Started, Taken, LeftOut, LeftOut, LeftOut, LeftOut, Started, Taken}, told); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// A store that does not say whether a schedule is paused starts nothing, and is asked again.
func TestAPauseThatIsNotKnownStartsNothing(t *testing.T) {
	begin := time.Date(2027, 5, 3, 0, 30, 0, 0, time.UTC)
	o := newOffice(t, begin)
	broken := errors.New("broken")
	s := o.process(plain(), Schedule{Name: "a", Cron: "@hourly", Stopped: func(context.Context) (bool, error) { return false, broken }})
	due := begin.Add(30 * time.Minute)
	o.clock.AdvanceTo(due)
	if err := s.advance(t.Context(), due.Add(-time.Second), due); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if runs := o.runs(); len(runs) != 0 {
		t.Errorf("runs %v", runs)
	}
	broken = nil
	if err := s.advance(t.Context(), due, due.Add(time.Second)); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string][]string{"a": {"2027-05-03 01:00:00"}}, o.runs()); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

// Many people pause and resume at once: nobody is told of a conflict, and each change is on record with its author.
func TestW4_PausesOfManyPeople(t *testing.T) {
	o := newOffice(t, time.Date(2027, 5, 3, 0, 30, 0, 0, time.UTC))
	kept := settings.New(o.store, settings.Options{Now: o.clock.Now})
	pauses := NewPauses(kept)
	for _, paused := range []bool{true, false, true} {
		var all sync.WaitGroup
		for _, by := range []string{"ann", "bob", "cho", "dee"} {
			all.Go(func() {
				if err := pauses.Set(t.Context(), "a/b c/ü", paused, by, ""); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if p, err := pauses.Paused(t.Context(), "a/b c/ü"); err != nil || (p != nil) != paused {
			t.Errorf("paused %v: got %+v, %v", paused, p, err)
		}
	}
	history, err := kept.History(t.Context(), pauseKind, settingName("a/b c/ü"))
	if err != nil || len(history) != 3 {
		t.Errorf("%d changes, %v; expected one for each that was no repetition", len(history), err)
	}
	if p, err := pauses.Paused(t.Context(), "a"); p != nil || err != nil {
		t.Errorf("another schedule: %+v, %v", p, err)
	}
}

// A run that is started by hand has the label of the schedule and the inputs of the present, in its zone, and takes no occurrence away.
func TestFire(t *testing.T) {
	begin := time.Date(2027, 5, 3, 0, 30, 0, 0, time.UTC)
	o := newOffice(t, begin)
	var at []Occurrence
	s := Schedule{Name: "shop/hourly", Cron: "@hourly", Zone: "Asia/Kathmandu", Paused: true}
	running := o.process(plain(), s)
	s.Start = func(ctx context.Context, o Occurrence, opts ...fermata.StartOption) error {
		at = append(at, o)
		return running.rules[0].Start(ctx, o, opts...)
	}
	for range 2 {
		err := Fire(t.Context(), s, "run_1", begin.Add(17*time.Second+time.Millisecond))
		if len(at) == 1 && err != nil || len(at) == 2 && !errors.Is(err, fermata.ErrConflict) {
			t.Fatalf("start %d: %v", len(at), err)
		}
	}
	if got := at[0].Time.Format(time.DateTime); got != "2027-05-03 06:15:17" || at[0].Run != "run_1" {
		t.Errorf("occurrence %+v", at[0])
	}
	if diff := cmp.Diff(map[string][]string{"shop/hourly": {"2027-05-03 00:30:17"}}, o.runs()); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if err := Fire(t.Context(), Schedule{Name: "x", Cron: "never"}, "run_2", begin); err == nil {
		t.Error("a schedule that is none was started")
	}
}
