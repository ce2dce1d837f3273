package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

type state struct {
	At time.Time
}

// zones are those of the year: two that change their clocks in the north, one in the south, one with an odd offset, and UTC.
var zones = []string{"Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kathmandu", "UTC"}

// plain is a graph that completes at once; asking one waits for an answer.
func plain() *graph.Graph[state] {
	return graph.New[state]("plain").Node("a", func(_ node.Context, s state) (state, error) { return s, nil }).Edge(graph.Start, "a").MustCompile()
}

func asking() *graph.Graph[state] {
	return graph.New[state]("asking").Node("a", func(ctx node.Context, s state) (state, error) {
		_, err := node.Interrupt[bool](ctx, "well?")
		return s, err
	}).Edge(graph.Start, "a").MustCompile()
}

// office is a store with the processes that start runs in it.
type office struct {
	t     *testing.T
	store journal.Store
	clock *fermatatest.Clock
}

func newOffice(t *testing.T, at time.Time) *office {
	return &office{t: t, store: memory.New(), clock: fermatatest.NewClock(at)}
}

// process returns a process with schedules that start a graph.
func (o *office) process(g *graph.Graph[state], list ...Schedule) *Scheduler {
	o.t.Helper()
	rt, err := fermata.New(fermata.Options{Store: o.store, Clock: o.clock})
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() { _ = rt.Close() })
	for i := range list {
		if list[i].Start == nil {
			list[i].Start = func(ctx context.Context, at Occurrence, opts ...fermata.StartOption) error {
				_, err := g.Start(ctx, rt, state{at.Time}, opts...)
				return err
			}
		}
	}
	s, err := New(rt, list...)
	if err != nil {
		o.t.Fatal(err)
	}
	return s
}

// catchUpAll has all schedules catch up, as at the start of Run.
func (s *Scheduler) catchUpAll(ctx context.Context, now time.Time) (err error) {
	for _, r := range s.rules {
		err = errors.Join(err, s.catchUp(ctx, r, now))
	}
	return err
}

// runs returns the runs of each schedule, by the label, sorted.
func (o *office) runs() map[string][]string {
	o.t.Helper()
	rows, err := o.store.Runs(o.t.Context(), journal.RunFilter{})
	if err != nil {
		o.t.Fatal(err)
	}
	all := make(map[string][]string)
	for _, row := range rows {
		for e, err := range o.store.Read(o.t.Context(), row.ID, 0) {
			if err != nil {
				o.t.Fatal(err)
			}
			var started state
			if err := json.Unmarshal(e.Value, &started); err != nil {
				o.t.Fatal(err)
			}
			name := row.Labels["fermata.schedule"]
			all[name] = append(all[name], started.At.UTC().Format(time.DateTime))
			break
		}
	}
	for _, list := range all {
		slices.Sort(list)
	}
	return all
}

// oracle returns when clocks of a zone show an hour and a minute for the first time on each day of 2027. Where a day has
// no such time, it is when they would have shown it without the change. It counts minutes and knows no rules.
func oracle(t *testing.T, zone string, hour, minute int) (all []string) {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]time.Time)
	from, to := time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(2028, 1, 2, 0, 0, 0, 0, time.UTC)
	_, before := from.In(loc).Zone()
	for at := from; at.Before(to); at = at.Add(time.Minute) {
		local := at.In(loc)
		_, offset := local.Zone()
		if day := local.Format(time.DateOnly); seen[day].IsZero() && local.Hour() == hour && local.Minute() == minute {
			seen[day] = at
		}
		if offset > before { // what is left out, by the clock as it was
			for gone := at; gone.Before(at.Add(time.Duration(offset-before) * time.Second)); gone = gone.Add(time.Minute) {
				old := gone.UTC().Add(time.Duration(before) * time.Second)
				if day := old.Format(time.DateOnly); old.Hour() == hour && old.Minute() == minute && seen[day].IsZero() {
					seen[day] = gone
				}
			}
		}
		before = offset
	}
	for _, at := range seen {
		if day := at.In(loc); day.Year() == 2027 {
			all = append(all, at.Format(time.DateTime))
		}
	}
	slices.Sort(all)
	return all
}

// A year in five zones, with two processes that die and come back: each occurrence has one run, and there are no others.
func TestJ3_AYearOfOccurrences(t *testing.T) {
	t.Parallel()
	const hour = 2
	from, to := time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(2028, 1, 2, 0, 0, 0, 0, time.UTC)
	o, r, want := newOffice(t, from), rand.New(rand.NewPCG(7, uint64(hour))), make(map[string][]string)
	var list []Schedule
	for _, zone := range zones {
		list = append(list, Schedule{Name: zone, Cron: fmt.Sprintf("30 %d * * *", hour), Zone: zone, Overlap: Allow, CatchUp: CatchAll, Most: 50})
		want[zone] = oracle(t, zone, hour, 30)
	}
	g := plain()
	dying := errors.New("the process dies")
	flaky := func() *Scheduler {
		s := o.process(g, slices.Clone(list)...)
		for _, rule := range s.rules {
			start := rule.Start
			rule.Start = func(ctx context.Context, at Occurrence, opts ...fermata.StartOption) error {
				switch r.IntN(20) {
				case 0:
					return dying
				case 1:
					return errors.Join(start(ctx, at, opts...), dying)
				}
				return start(ctx, at, opts...)
			}
		}
		return s
	}
	processes, down := []*Scheduler{flaky(), flaky()}, []int{0, 0}
	for at := from; at.Before(to); at = at.Add(15 * time.Minute) {
		o.clock.AdvanceTo(at)
		for i := range processes {
			switch {
			case down[i] > 1:
				down[i]--
				continue
			case down[i] == 1:
				down[i] = 0
				processes[i] = nil
			case r.IntN(1000) == 0:
				down[i] = 1 + r.IntN(300)
				continue
			}
			if processes[i] == nil { // a new one catches up
				processes[i] = flaky()
				if processes[i].catchUpAll(t.Context(), at) != nil {
					t.Fatal("catching up failed")
				}
			}
			if err := processes[i].advance(t.Context(), at.Add(-30*time.Second), at); errors.Is(err, dying) {
				down[i] = 1 + r.IntN(3)
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	got := o.runs()
	for zone, all := range got {
		got[zone] = slices.DeleteFunc(all, func(at string) bool {
			return !slices.Contains(want[zone], at) && (at < want[zone][0] || at > want[zone][364])
		})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hour %d (-want +got):\n%s", hour, diff)
	}
}

// Daylight saving, as go-cron has it: an hour that is left out is fired after the change, and one that comes twice is one
// occurrence where the rule gives an hour, and two where it does not.
func TestDaylightSaving(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		cron, zone, from string
		want             []string
	}{
		{"30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", []string{"2027-03-28T03:30:00+02:00", "2027-03-29T02:30:00+02:00"}},
		{"30 2 * * *", "Europe/Berlin", "2027-10-30T12:00:00Z", []string{"2027-10-31T02:30:00+02:00", "2027-11-01T02:30:00+01:00"}},
		{"0 * * * *", "Europe/Berlin", "2027-10-30T23:30:00Z", []string{"2027-10-31T02:00:00+02:00", "2027-10-31T02:00:00+01:00", "2027-10-31T03:00:00+01:00"}},
		{"30 2 * * *", "Australia/Sydney", "2027-10-02T00:00:00Z", []string{"2027-10-03T03:30:00+11:00", "2027-10-04T02:30:00+11:00"}},
		{"@daily", "Asia/Kathmandu", "2027-01-01T00:00:00Z", []string{"2027-01-02T00:00:00+05:45"}},
	} {
		from, err := time.Parse(time.RFC3339, tt.from)
		if err != nil {
			t.Fatal(err)
		}
		list, err := Upcoming(Schedule{Name: "s", Cron: tt.cron, Zone: tt.zone}, from, len(tt.want))
		var got []string
		ids := make(map[string]bool)
		for _, o := range list {
			got = append(got, o.Time.Format(time.RFC3339))
			ids[o.Run] = true
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil || len(ids) != len(got) {
			t.Errorf("%s in %s: %d ids, %v (-want +got):\n%s", tt.cron, tt.zone, len(ids), err, diff)
		}
	}
}

// Where a run has not ended, the next occurrence is left out, waits, or is started beside it.
func TestOverlaps(t *testing.T) {
	t.Parallel()
	from := time.Date(2027, 5, 1, 0, 0, 0, 0, time.UTC)
	for overlap, want := range map[Overlap][]int{"": {1, 1, 2}, Skip: {1, 1, 2}, Queue: {1, 2, 3}, Allow: {1, 2, 3}} {
		o, g := newOffice(t, from), asking()
		s := o.process(g, Schedule{Name: "hourly", Cron: "@hourly", Overlap: overlap})
		var got []int
		last := from
		at := func(when time.Time) int {
			o.clock.AdvanceTo(when)
			if err := s.advance(t.Context(), max0(last, when.Add(-30*time.Second)), when); err != nil {
				t.Fatal(err)
			}
			last = when
			return len(o.runs()["hourly"])
		}
		got = append(got, at(from.Add(time.Hour)))
		beside := at(from.Add(2 * time.Hour))
		if overlap == Allow != (beside == 2) {
			t.Errorf("%q: %d runs while one is open", overlap, beside)
		}
		s.ends(t)
		got = append(got, at(from.Add(2*time.Hour+10*time.Second)))
		s.ends(t)
		got = append(got, at(from.Add(3*time.Hour)))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", overlap, diff)
		}
	}
}

func max0(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// ends answers all questions, until no run of the store goes on.
func (s *Scheduler) ends(t *testing.T) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		open, err := s.rt.Inbox(t.Context(), journal.InboxFilter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range open {
			if err := s.rt.Answer(t.Context(), q.ID, true); err != nil {
				t.Fatal(err)
			}
		}
		page, err := s.rt.FindRuns(t.Context(), journal.RunQuery{Statuses: []string{"running", "paused"}})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Runs) == 0 {
			return
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("runs do not end")
		}
	}
}

// After a time without any process, or a clock that jumps, missed occurrences are made up for as the schedule says. A clock that
// is set back repeats none, and one that never ran has missed none.
func TestCatchingUp(t *testing.T) {
	t.Parallel()
	from := time.Date(2027, 5, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		s    Schedule
		want int // runs after ten hours without a process, the first included
	}{
		"none": {Schedule{}, 1}, "last": {Schedule{CatchUp: CatchLast}, 2}, "all": {Schedule{CatchUp: CatchAll}, 11},
		"at most": {Schedule{CatchUp: CatchAll, Most: 3}, 4}, "paused": {Schedule{CatchUp: CatchAll, Paused: true}, 1},
	} {
		for _, restarts := range []bool{true, false} {
			o, g := newOffice(t, from), plain()
			tt.s.Name, tt.s.Cron, tt.s.Overlap = "hourly", "@hourly", Allow
			first := tt.s
			first.Paused = false
			s := o.process(g, first)
			step := func(last, now time.Time) {
				o.clock.AdvanceTo(now)
				if err := s.advance(t.Context(), last, now); err != nil {
					t.Fatal(err)
				}
			}
			step(from, from.Add(30*time.Second))
			if n := len(o.runs()["hourly"]); n != 0 {
				t.Errorf("%s: %d runs before the first hour", name, n)
			}
			step(from.Add(time.Hour-time.Second), from.Add(time.Hour))
			later := from.Add(11*time.Hour + 5*time.Minute)
			o.clock.AdvanceTo(later)
			if restarts || tt.s.Paused {
				s = o.process(g, tt.s)
				if err := s.catchUpAll(t.Context(), later); err != nil {
					t.Fatal(err)
				}
				step(later, later)
			} else {
				step(from.Add(time.Hour), later)
			}
			if n := len(o.runs()["hourly"]); n != tt.want {
				t.Errorf("%s: %d runs after the jump, want %d", name, n, tt.want)
			}
			if err := s.advance(t.Context(), from.Add(time.Hour-time.Second), from.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			if n := len(o.runs()["hourly"]); n != tt.want {
				t.Errorf("%s: %d runs after the clock was set back, want %d", name, n, tt.want)
			}
		}
	}
	o := newOffice(t, from)
	s := o.process(plain(), Schedule{Name: "new", Cron: "@hourly", CatchUp: CatchAll})
	if err := s.catchUpAll(t.Context(), from.Add(time.Minute)); err != nil || len(s.rules[0].due) > 0 {
		t.Errorf("a new schedule has missed %d, %v", len(s.rules[0].due), err)
	}
}

// Run starts what is due by the time of the store, and returns with its context.
func TestRun(t *testing.T) {
	t.Parallel()
	from := time.Date(2027, 5, 1, 0, 59, 59, 0, time.UTC)
	o := newOffice(t, from)
	s := o.process(plain(), Schedule{Name: "hourly", Cron: "@hourly", Jitter: time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	for begun := time.Now(); len(o.runs()["hourly"]) == 0; time.Sleep(10 * time.Millisecond) {
		o.clock.Advance(20 * time.Millisecond)
		if time.Since(begun) > time.Minute {
			t.Fatal("no run was started")
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Run returns %v", err)
	}
}

// All problems of a schedule are errors that name it.
func TestWrongSchedules(t *testing.T) {
	t.Parallel()
	start := func(context.Context, Occurrence, ...fermata.StartOption) error { return nil }
	good := Schedule{Name: "s", Cron: "0 9 * * 1-5", Start: start}
	for want, change := range map[string]func(s *Schedule){
		"expected a name":      func(s *Schedule) { s.Name = "" },
		"expected five fields": func(s *Schedule) { s.Cron = "@every 1h" },
		"cron is":              func(s *Schedule) { s.Cron = "61 * * * *" },
		"Europe/Berlin":        func(s *Schedule) { s.Zone = "Middle/Earth" },
		"skip, queue or allow": func(s *Schedule) { s.Overlap = "maybe" },
		"none, last or all":    func(s *Schedule) { s.CatchUp = "some" },
		"catch up with":        func(s *Schedule) { s.Most = -1 },
		"jitter":               func(s *Schedule) { s.Jitter = -1 },
		"function Start":       func(s *Schedule) { s.Start = nil },
	} {
		bad := good
		change(&bad)
		if _, err := New(nil, bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
	if _, err := New(nil, good, good); err == nil {
		t.Error("two of one name are taken")
	}
}

// setBack is a clock that can be set back, as those of machines can.
type setBack struct {
	*fermatatest.Clock
	by atomic.Int64
}

func (c *setBack) Now() time.Time { return c.Clock.Now().Add(-time.Duration(c.by.Load())) }

// Run looks at no time twice, also where the clock is set back: an occurrence that was left out is not started then.
func TestRunGoesForwardOnly(t *testing.T) {
	t.Parallel()
	from := time.Date(2027, 5, 1, 0, 59, 59, 0, time.UTC)
	clock := &setBack{Clock: fermatatest.NewClock(from)}
	rt, err := fermata.New(fermata.Options{Store: memory.New(), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	told, g := make(chan string, 10), asking()
	s, err := New(rt, Schedule{
		Name: "hourly", Cron: "@hourly",
		Start: func(ctx context.Context, at Occurrence, opts ...fermata.StartOption) error {
			_, err := g.Start(ctx, rt, state{at.Time}, opts...)
			return err
		},
		Told: func(o Occurrence, what Outcome, err error) {
			told <- fmt.Sprint(o.Time.Format(time.TimeOnly), " ", what, " ", err)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.tick = 100 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	expect := func(want string) {
		t.Helper()
		select {
		case got := <-told:
			if got != want {
				t.Errorf("told %q, want %q", got, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("not told %q", want)
		}
	}
	time.Sleep(s.tick + s.tick/2) // until it has looked at the clock
	clock.AdvanceTo(from.Add(time.Second))
	expect("01:00:00 started <nil>")
	clock.AdvanceTo(from.Add(time.Hour + time.Second))
	expect("02:00:00 left out <nil>")
	s.ends(t)
	clock.by.Store(int64(30 * time.Second))
	time.Sleep(2*s.tick + s.tick/2)
	clock.by.Store(0)
	time.Sleep(2*s.tick + s.tick/2)
	clock.AdvanceTo(from.Add(2*time.Hour + time.Second))
	expect("03:00:00 started <nil>")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Run returns %v", err)
	}
}

// blind is a store that finds no runs.
type blind struct{ journal.Store }

func (blind) Runs(context.Context, journal.RunFilter) ([]journal.RunRow, error) {
	return nil, errors.New("no index")
}

// Each process tells what it did with an occurrence. One that cannot be started is tried again, and one that another process
// has started is not started.
func TestOutcomesAreTold(t *testing.T) {
	t.Parallel()
	from := time.Date(2027, 5, 1, 0, 0, 0, 0, time.UTC)
	o, g := newOffice(t, from), plain()
	var told []string
	tell := func(who string) Schedule {
		return Schedule{Name: "hourly", Cron: "@hourly", Told: func(o Occurrence, what Outcome, err error) {
			told = append(told, fmt.Sprintf("%s %s %v", who, what, err != nil))
		}}
	}
	one, other := o.process(g, tell("one")), o.process(g, tell("other"))
	start, broken := one.rules[0].Start, true
	one.rules[0].Start = func(ctx context.Context, at Occurrence, opts ...fermata.StartOption) error {
		if broken {
			return errors.New("no disk")
		}
		return start(ctx, at, opts...)
	}
	now := from.Add(time.Hour)
	o.clock.AdvanceTo(now)
	if err := one.advance(t.Context(), now.Add(-time.Second), now); err == nil || !strings.Contains(err.Error(), `schedule "hourly", 2027-05-01T01:00:00Z: no disk`) {
		t.Errorf("the error is %v", err)
	}
	broken = false
	for _, s := range []*Scheduler{one, other, one} {
		if err := s.advance(t.Context(), now.Add(-time.Second), now); err != nil {
			t.Fatal(err)
		}
	}
	sleeper := tell("sleeper")
	sleeper.CatchUp = CatchLast
	o.store = blind{o.store}
	if err := o.process(g, sleeper).catchUpAll(t.Context(), now); err == nil || !strings.Contains(err.Error(), `schedule "hourly", missed occurrences: `) {
		t.Errorf("the error of catching up is %v", err)
	}
	want := []string{"one failed true", "one started false", "other taken false", "one taken false", "sleeper failed true"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// What is wrong with a rule has its field and its place in the text.
// TestARuleOccursAgainOrIsRefused asks for days that are rare and days that there are not. Each has the occurrences that a walk through
// the calendar finds, however far away they are, or is refused when it is read.
func TestARuleOccursAgainOrIsRefused(t *testing.T) {
	for _, year := range []int{2026, 2072, 2089} {
		after := time.Date(year, 3, 1, 0, 0, 0, 0, time.UTC)
		for _, day := range [][2]int{{29, 2}, {30, 2}, {31, 4}, {31, 12}} {
			for weekday := range 7 {
				rule := fmt.Sprintf("0 0 %d %d %d", day[0], day[1], weekday)
				var want, got []string
				for y := year; len(want) < 3 && y < year+130; y++ {
					at := time.Date(y, time.Month(day[1]), day[0], 0, 0, 0, 0, time.UTC)
					if at.Day() == day[0] && int(at.Weekday()) == weekday && at.After(after) {
						want = append(want, at.Format(time.DateOnly))
					}
				}
				all, err := Upcoming(Schedule{Name: "rare", Cron: rule}, after, 3)
				for _, o := range all {
					got = append(got, o.Time.Format(time.DateOnly))
				}
				if diff := cmp.Diff(want, got); diff != "" || (err != nil) != (want == nil) {
					t.Errorf("%s after %d: %v (-want +got):\n%s", rule, year, err, diff)
				}
			}
		}
	}
}

func TestWrongRules(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"61 * * * *":      "0: the minute is \"61\"; expected 0 to 59",
		"0 25 * * *":      "2: the hour is \"25\"; expected 0 to 23",
		"0  9 32 * *":     "5: the day is \"32\"; expected 1 to 31",
		"0 9 9 9,13 *":    "6: the month is \"9,13\"; expected 1 to 12 or JAN to DEC",
		"0 9 * * MON-FRO": "8: the weekday is \"MON-FRO\"; expected 0 to 6 or SUN to SAT",
		"*/0 * * * *":     "0: the minute is \"*/0\"",
		"0 0 30 2 *":      "0: there is no such day",
		"":                "0: ; expected five fields",
	} {
		var wrong *Error
		if !errors.As(Check(Schedule{Name: "s", Cron: text}), &wrong) || wrong.Field != "Cron" || wrong.Schedule != "s" {
			t.Errorf("%q: the error is %v", text, wrong)
			continue
		}
		got := fmt.Sprintf("%d: %s", wrong.Offset, strings.TrimPrefix(wrong.Err.Error(), fmt.Sprintf("cron is %q: ", text)))
		got = strings.Replace(got, `cron is ""`, "", 1)
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s; want %s", text, got, want)
		}
	}
	if err := Check(Schedule{Name: "s", Cron: "0 0 29 2 *", Zone: "Asia/Kathmandu"}); err != nil {
		t.Errorf("a leap day: %v", err)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for cron, want := range map[string]string{
		"30 2 * * *": "every day at 02:30", "@daily": "every day at 00:00", "0 9,17 * * *": "every day at 09:00 and 17:00",
		"0 9 * * 1-5": "Monday to Friday at 09:00", "0 9 * * mon,WED,7": "each Monday, Wednesday and Sunday at 09:00", "@weekly": "each Sunday at 00:00",
		"5 0 1 * *": "on day 1 of each month at 00:05", "@yearly": "on 1 January each year at 00:00",
		"* * * * *": "every minute", "@hourly": "every hour", "7 * * * *": "every hour at :07", "*/15 * * * *": "every 15 minutes", "0 */6 * * *": "every 6 hours at :00",
		// What has no short words, or would be told wrongly: a step that does not divide the hour, both days, ranges.
		"*/7 * * * *": "*/7 * * * *", "0 9 1 * mon": "0 9 1 * mon", "0 9-17 * * *": "0 9-17 * * *", "*/15 * * * mon": "*/15 * * * mon", "61 * * * *": "61 * * * *", "soon": "soon",
	} {
		if got := Words(cron); got != want {
			t.Errorf("%q is %q, want %q", cron, got, want)
		}
	}
}

// Schedules are replaced at any moments in two processes: one that stays leaves out no occurrence and repeats none, whatever it does
// about missed ones. One that comes, goes or changes counts from then on.
func TestW2_ReplacingSchedulesLosesNothing(t *testing.T) {
	t.Parallel()
	from := time.Date(2027, 5, 1, 0, 0, 0, 0, time.UTC)
	o, r := newOffice(t, from), rand.New(rand.NewPCG(3, 9))
	g := plain()
	kept := Schedule{Name: "kept", Cron: "@hourly", Overlap: Allow}
	waits := Schedule{Name: "waits", Cron: "@hourly", Overlap: Queue, Jitter: 10 * time.Minute}
	gone := Schedule{Name: "gone", Cron: "@hourly", Overlap: Allow}
	moves := Schedule{Name: "moves", Cron: "0 * * * *", Overlap: Allow}
	processes := []*Scheduler{o.process(g, kept, waits, gone, moves), o.process(g, kept, waits, gone, moves)}
	complete := func(s *Scheduler, list []Schedule) []Schedule {
		for i := range list {
			list[i].Start = s.rules[0].Start
		}
		return list
	}
	last := []time.Time{from, from}
	half := from.Add(24*time.Hour + 17*time.Minute)
	for at := from; at.Before(from.Add(48*time.Hour + 30*time.Minute)); at = at.Add(time.Duration(1+r.IntN(25)) * time.Second) {
		o.clock.AdvanceTo(at)
		for i, s := range processes {
			if r.IntN(3) == 0 || last[i].Before(half) && !at.Before(half) {
				list := []Schedule{kept, waits, gone, moves}
				if !at.Before(half) {
					changed := moves
					changed.Cron = "30 * * * *"
					list = []Schedule{changed, kept, waits, {Name: "new", Cron: "15 * * * *", Overlap: Allow}}
				}
				if err := s.Replace(complete(s, list)...); err != nil {
					t.Fatal(err)
				}
			}
			if r.IntN(4) == 0 && at.Sub(last[i]) < gap/2 { // a look that comes late, and not so late that what is due was missed
				continue
			}
			if err := s.advance(t.Context(), last[i], at); err != nil {
				t.Fatal(err)
			}
			last[i] = at
		}
	}
	// an occurrence that is queued behind a run starts at the next look after its end, which a busy machine may put off
	for end := last[0].Add(20 * time.Minute); len(o.runs()["waits"]) < 48 && last[0].Before(end); time.Sleep(5 * time.Millisecond) {
		at := last[0].Add(time.Second)
		o.clock.AdvanceTo(at)
		if err := processes[0].advance(t.Context(), last[0], at); err != nil {
			t.Fatal(err)
		}
		last[0] = at
	}
	want := make(map[string][]string)
	for h := 1; h <= 48; h++ {
		at := from.Add(time.Duration(h) * time.Hour)
		for _, name := range []string{"kept", "waits"} {
			want[name] = append(want[name], at.Format(time.DateTime))
		}
		if at.Before(half) {
			want["gone"], want["moves"] = append(want["gone"], at.Format(time.DateTime)), append(want["moves"], at.Format(time.DateTime))
			continue
		}
		want["moves"] = append(want["moves"], at.Add(-30*time.Minute).Format(time.DateTime))
		want["new"] = append(want["new"], at.Add(15*time.Minute).Format(time.DateTime))
	}
	if diff := cmp.Diff(want, o.runs()); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if err := processes[0].Replace(kept, kept); err == nil {
		t.Error("two schedules of one name, or without a function Start, were taken")
	}
	if len(processes[0].rules) != 4 {
		t.Error("a refused list has replaced another")
	}
}

// Finding the next time costs no search through seconds: who catches up looks for thousands of them.
func BenchmarkUpcoming(b *testing.B) {
	s := Schedule{Name: "each minute", Cron: "* * * * *", Zone: "Europe/Berlin"}
	for b.Loop() {
		if all, err := Upcoming(s, time.Date(2027, 5, 1, 0, 0, 0, 0, time.UTC), 1000); err != nil || len(all) != 1000 {
			b.Fatal(len(all), err)
		}
	}
}
