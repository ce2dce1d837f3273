package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// Scheduler starts the runs of schedules. Every process may have one for the same schedules.
type Scheduler struct {
	rt   *fermata.Runtime // starts the runs, and tells the time
	tick time.Duration    // how often Run looks at the clock, since clocks are set and machines sleep; a second

	mu    sync.Mutex // held while runs are started, and while rules are replaced
	rules []*tracked
}

// tracked is a rule with what is due of it.
type tracked struct {
	*rule
	due   []Occurrence // that were not started yet, in order
	since time.Time    // occurrences up to this time were not the scheduler's; zero for one that it had from the start
	owes  bool         // it has to catch up
}

// New checks schedules and returns their scheduler. Two of one name are refused.
func New(rt *fermata.Runtime, schedules ...Schedule) (*Scheduler, error) {
	s := &Scheduler{rt: rt, tick: time.Second}
	rules, err := readAll(schedules)
	s.rules = rules
	return s, err
}

func readAll(schedules []Schedule) (rules []*tracked, err error) {
	names := make(map[string]bool)
	for _, one := range schedules {
		r, err := read(one)
		switch {
		case err != nil:
			return nil, err
		case one.Start == nil:
			return nil, fmt.Errorf("schedule %q: expected a function Start", one.Name)
		case names[one.Name]:
			return nil, fmt.Errorf("two schedules have the name %q", one.Name)
		}
		names[one.Name] = true
		rules = append(rules, &tracked{rule: r})
	}
	return rules, nil
}

// Replace gives a scheduler other schedules, also while it runs. Runs that were started go on. Of a schedule that it had by that name
// and with the same rule, no occurrence is left out or started twice; one that is new or has another rule counts from now on,
// and catches up as it says. Where it fails, all stays as it was.
func (s *Scheduler) Replace(schedules ...Schedule) error {
	rules, err := readAll(schedules)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, now := range rules {
		now.since, now.owes = s.rt.Now(), true
		for _, was := range s.rules {
			if was.Name == now.Name && was.Cron == now.Cron && was.Zone == now.Zone {
				now.due, now.since, now.owes = was.due, was.since, was.owes
			}
		}
	}
	s.rules = rules
	return nil
}

// gap is how far the clock may go on between two looks without what lies between counting as missed.
const gap = time.Minute

// Run starts the runs that are due until ctx is done, by the time of the runtime's store (law J12). First it catches up. An
// error of a start is tried again each second, and is joined to that of ctx if it lasts until the end.
func (s *Scheduler) Run(ctx context.Context) error {
	s.owe()
	last := s.rt.Now()
	err := s.advance(ctx, last, last)
	timer := time.NewTicker(s.tick)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-timer.C:
		}
		now := s.rt.Now()
		err = s.advance(ctx, last, now)
		if now.After(last) { // a clock that is set back repeats nothing
			last = now
		}
	}
}

// owe has all schedules catch up.
func (s *Scheduler) owe() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rules {
		r.owes = true
	}
}

// advance starts what is due between two times. Where more time has passed than between two looks, the process slept, or a
// clock was set: what lies there was missed.
func (s *Scheduler) advance(ctx context.Context, last, now time.Time) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rules {
		from := last
		if r.owes || now.Sub(last) > gap {
			if failed := s.catchUp(ctx, r, now); failed != nil {
				err = errors.Join(err, failed)
				continue // it is tried again, and finds what is due now as well
			}
			if now.Sub(last) > gap {
				from = now.Add(-gap) // what is no later than this is on time
			}
		}
		if r.since.After(from) {
			from = r.since
		}
		for o, ok := r.next(from); ok && !o.Time.After(now); o, ok = r.next(o.Time) {
			r.add(o)
		}
	}
	return errors.Join(err, s.start(ctx, now))
}

// add lists an occurrence as due, unless it is behind others that are.
func (r *tracked) add(o Occurrence) {
	if n := len(r.due); n == 0 || r.due[n-1].Time.Before(o.Time) {
		r.due = append(r.due, o)
	}
}

// start starts occurrences that are due.
func (s *Scheduler) start(ctx context.Context, now time.Time) (err error) {
	for _, r := range s.rules {
		if r.Paused {
			r.due = nil
		}
		for len(r.due) > 0 {
			o := r.due[0]
			if now.Before(o.Time.Add(r.delay(o))) {
				break
			}
			done, failed := s.startOne(ctx, r.rule, o)
			if err = errors.Join(err, failed); !done {
				break
			}
			r.due = r.due[1:]
		}
	}
	return err
}

// startOne starts an occurrence. It is not done if it has to wait, or to be tried again.
func (s *Scheduler) startOne(ctx context.Context, r *rule, o Occurrence) (done bool, err error) {
	if _, err := s.rt.Info(ctx, o.Run); err == nil { // another process was first
		return true, r.tell(o, Taken, nil)
	} else if !errors.Is(err, fermata.ErrNotFound) {
		return false, r.tell(o, Failed, err)
	}
	if r.Stopped != nil {
		stopped, err := r.Stopped(ctx)
		switch {
		case err != nil:
			return false, r.tell(o, Failed, err)
		case stopped:
			return true, r.tell(o, LeftOut, nil)
		}
	}
	if r.Overlap != Allow {
		open, err := s.isOpen(ctx, r)
		switch {
		case err != nil:
			return false, r.tell(o, Failed, err)
		case open && r.Overlap == Skip:
			return true, r.tell(o, LeftOut, nil)
		case open:
			return false, nil
		}
	}
	err = r.Start(ctx, o, fermata.WithID(o.Run), runtype.OfSchedule(r.Name))
	switch {
	case err == nil:
		return true, r.tell(o, Started, nil)
	case errors.Is(err, fermata.ErrConflict):
		return true, r.tell(o, Taken, nil)
	}
	return false, r.tell(o, Failed, fmt.Errorf("schedule %q, %s: %w", r.Name, o.Time.Format(time.RFC3339), err))
}

// isOpen reports whether a run of a schedule has not ended.
func (s *Scheduler) isOpen(ctx context.Context, r *rule) (bool, error) {
	return s.finds(ctx, r, string(fermata.Running), string(fermata.Paused), string(fermata.Blocked))
}

// finds reports whether there is a run of a schedule, in one of the statuses if there are any.
func (s *Scheduler) finds(ctx context.Context, r *rule, statuses ...string) (bool, error) {
	page, err := s.rt.FindRuns(ctx, journal.RunQuery{Labels: map[string]string{runtype.ScheduleLabel: r.Name}, Statuses: statuses, Limit: 1})
	return len(page.Runs) > 0, err
}

// catchUp finds the occurrences of a schedule up to now that have no run, and lists them as due. It looks back to the last one that
// has a run, and at most as far as the schedule says. A schedule that has never started a run has missed none.
func (s *Scheduler) catchUp(ctx context.Context, r *tracked, now time.Time) (err error) {
	defer func() { r.owes = err != nil }()
	if r.CatchUp == CatchNone || r.Paused {
		return nil
	}
	failed := func(err error) error {
		return r.tell(Occurrence{Schedule: r.Name, Time: now.In(r.zone)}, Failed, fmt.Errorf("schedule %q, missed occurrences: %w", r.Name, err))
	}
	if known, err := s.finds(ctx, r.rule); err != nil {
		return failed(err)
	} else if !known {
		return nil
	}
	most := r.Most
	if r.CatchUp == CatchLast {
		most = 1
	}
	missed := r.before(now, most)
	for n, o := range slices.Backward(missed) {
		if _, err := s.rt.Info(ctx, o.Run); err == nil {
			missed = missed[n+1:]
			break
		} else if !errors.Is(err, fermata.ErrNotFound) {
			return failed(err)
		}
	}
	for _, o := range missed {
		r.add(o)
	}
	return nil
}

// before returns the last occurrences up to a time, at most n, in order.
func (r *rule) before(now time.Time, n int) (all []Occurrence) {
	for back := time.Hour; back <= 5*366*24*time.Hour; back *= 4 {
		all = all[:0]
		for o, ok := r.next(now.Add(-back)); ok && !o.Time.After(now); o, ok = r.next(o.Time) {
			if all = append(all, o); len(all) > n {
				all = all[1:]
			}
		}
		if len(all) == n {
			break
		}
	}
	return all
}
