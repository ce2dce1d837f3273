package schedule

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/netresearch/go-cron"

	"github.com/fermata-go/fermata"
)

// Overlap says how an occurrence is started while an earlier run of the schedule has not ended.
type Overlap string

// Ways to deal with an occurrence that overlaps.
const (
	Skip  Overlap = "skip"  // it is left out; the default
	Queue Overlap = "queue" // it is started once the earlier ones have ended
	Allow Overlap = "allow" // it is started beside them
)

// CatchUp says which occurrences are made up for that were missed while no process was up.
type CatchUp string

// Choices of missed occurrences.
const (
	CatchNone CatchUp = "none" // none; the default
	CatchLast CatchUp = "last" // the last one
	CatchAll  CatchUp = "all"  // the last ones, up to Schedule.Most
)

// Schedule is a rule by which runs are started. Name, Cron and Start are needed.
type Schedule struct {
	Name    string        // of the schedule, part of the ids of its runs, which have it as the label fermata.schedule
	Cron    string        // minute, hour, day, month and weekday; or @daily and the like
	Zone    string        // the time zone of Cron, "Europe/Berlin". Defaults to UTC
	Overlap Overlap       // defaults to Skip
	CatchUp CatchUp       // defaults to CatchNone
	Most    int           // how many missed occurrences are started, with CatchAll. Defaults to 10
	Jitter  time.Duration // starts are later by less than this, each by the same in all processes. Defaults to none
	Paused  bool          // nothing is started

	// Stopped is asked before each start whether a person has paused the schedule: [Pauses.Paused]. An occurrence is left out then.
	// Defaults to nobody.
	Stopped func(ctx context.Context) (bool, error)

	// Start starts the run of an occurrence with the options, which have its id and label. A conflict says that another
	// process was first, and is no error.
	Start func(ctx context.Context, o Occurrence, opts ...fermata.StartOption) error

	// Told is called with the result for each occurrence, one call at a time; nil for nobody. The error is that of Failed. Where
	// missed occurrences cannot be looked for, the occurrence has the time of the attempt and no run.
	Told func(o Occurrence, what Outcome, err error)
}

// Outcome is the result for an occurrence in one process.
type Outcome string

// Outcomes of an occurrence.
const (
	Started Outcome = "started"  // its run was started here
	Taken   Outcome = "taken"    // another process has started its run
	LeftOut Outcome = "left out" // an earlier run has not ended, with Skip; or a person has paused the schedule
	Failed  Outcome = "failed"   // it could not be started, or not be told whether it is to be; it is tried again each second
)

// tell passes the result for an occurrence on, and returns the error.
func (r *rule) tell(o Occurrence, what Outcome, err error) error {
	if r.Told != nil {
		r.Told(o, what, err)
	}
	return err
}

// Occurrence is a time at which a schedule starts a run.
type Occurrence struct {
	Schedule string    // its name
	Time     time.Time // in the schedule's zone, without jitter
	Run      string    // the id of its run
}

// rule is a schedule that was read.
type rule struct {
	Schedule
	cron  cron.Schedule  // its times
	zone  *time.Location // of them
	fixed bool           // an hour of the day is given, so an occurrence is a time on the clock
}

// shorthands are rules with a name.
var shorthands = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0", "@daily": "0 0 * * *",
	"@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// Error is what is wrong with a schedule.
type Error struct {
	Schedule string // its name
	Field    string // of [Schedule] that is wrong: "Cron", "Zone"
	Offset   int    // of Cron: how many bytes of it stand before the part that is wrong. 0 for others
	Err      error  // what was expected, and what was found
}

// Error names the schedule and what is wrong with it.
func (e *Error) Error() string { return fmt.Sprintf("schedule %q: %v", e.Schedule, e.Err) }

// Unwrap is what is wrong, without the schedule's name.
func (e *Error) Unwrap() error { return e.Err }

// Check returns an *[Error] of the first field of a schedule that is wrong; nil if none is. It does not look at Start.
func Check(s Schedule) error {
	_, err := read(s)
	return err
}

// read checks a schedule, and reads its rule.
func read(s Schedule) (*rule, error) {
	r := &rule{Schedule: s}
	fail := func(field, format string, args ...any) (*rule, error) {
		return nil, &Error{Schedule: s.Name, Field: field, Err: fmt.Errorf(format, args...)}
	}
	if s.Name == "" {
		return fail("Name", "expected a name")
	}
	if r.Overlap == "" {
		r.Overlap = Skip
	}
	if r.CatchUp == "" {
		r.CatchUp = CatchNone
	}
	if r.Most == 0 {
		r.Most = 10
	}
	switch {
	case r.Overlap != Skip && r.Overlap != Queue && r.Overlap != Allow:
		return fail("Overlap", "overlap is %q; expected skip, queue or allow", r.Overlap)
	case r.CatchUp != CatchNone && r.CatchUp != CatchLast && r.CatchUp != CatchAll:
		return fail("CatchUp", "catch-up is %q; expected none, last or all", r.CatchUp)
	case r.Most < 0:
		return fail("Most", "expected a number of occurrences to catch up with that is not negative, found %d", r.Most)
	case r.Jitter < 0:
		return fail("Jitter", "expected a jitter that is not negative, found %s", r.Jitter)
	}
	fields, err := r.readCron()
	if err != nil {
		return nil, err
	}
	if s.Zone == "Local" {
		return fail("Zone", "the time zone Local is another one on each machine; expected a name such as Europe/Berlin or UTC")
	}
	if r.zone, err = time.LoadLocation(s.Zone); err != nil {
		return fail("Zone", "there is no time zone %q on this machine; expected a name such as Europe/Berlin or UTC", s.Zone)
	}
	r.fixed = !strings.HasPrefix(fields[1], "*")
	if _, ok := r.next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)); !ok {
		return fail("Cron", "cron is %q: there is no such day", s.Cron)
	}
	return r, nil
}

// rarest is more than the years between two days that a rule can ask for: 29 February is a Monday every 28 years, or every 40
// around a year such as 2100. So a rule that has occurred occurs again, and one that has no occurrence in that time has none.
const rarest = 41

// parts are the fields of a rule.
var parts = []struct{ name, values string }{
	{"minute", "0 to 59"}, {"hour", "0 to 23"}, {"day", "1 to 31"}, {"month", "1 to 12 or JAN to DEC"}, {"weekday", "0 to 6 or SUN to SAT"},
}

// readCron reads the rule, and returns its fields.
func (r *rule) readCron() ([]string, error) {
	fail := func(offset int, format string, args ...any) ([]string, error) {
		return nil, &Error{Schedule: r.Name, Field: "Cron", Offset: offset, Err: fmt.Errorf(format, args...)}
	}
	text, short := shorthands[strings.TrimSpace(r.Cron)]
	if !short {
		text = r.Cron
	}
	fields := strings.Fields(text)
	if len(fields) != len(parts) || strings.ContainsAny(text, "@=") {
		return fail(0, "cron is %q; expected five fields (minute, hour, day, month and weekday), or @hourly, @daily, @weekly, @monthly or @yearly", r.Cron)
	}
	parser := cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).WithMaxSearchYears(rarest)
	offset := 0
	for i, field := range fields {
		offset += strings.Index(text[offset:], field)
		alone := []string{"*", "*", "*", "*", "*"}
		alone[i] = field
		if _, err := parser.Parse(strings.Join(alone, " ")); err != nil {
			return fail(offset, "cron is %q: the %s is %q; expected %s, *, a list (1,2), a range (1-5) or steps (*/5)", r.Cron, parts[i].name, field, parts[i].values)
		}
		offset += len(field)
	}
	var err error
	if r.cron, err = parser.Parse(strings.Join(fields, " ")); err != nil {
		return fail(0, "cron is %q: %w", r.Cron, err)
	}
	return fields, nil
}

// next returns the first occurrence after a time; false if there is none.
//
// Where clocks are set back, the rule's hour comes twice. Both are one occurrence, with one id: the second is left out.
//
// Where clocks are set forward, go-cron finds the time that was left out only from before the change. So the search begins
// before a change of the last hours: the answer does not depend on when it is asked.
func (r *rule) next(after time.Time) (Occurrence, bool) {
	at := after.In(r.zone)
	if before := at.Add(-widest); !sameOffset(before, at) {
		at = before
	}
	for {
		// No rule has seconds, so that all moments of a minute have the same next one. go-cron would go through each second.
		at = r.cron.Next(at.Add(time.Duration(59-at.Second()) * time.Second))
		if at.IsZero() {
			return Occurrence{}, false
		}
		if at.After(after) && !r.first(at).Before(at) {
			return Occurrence{Schedule: r.Name, Time: at, Run: r.id(at)}, true
		}
	}
}

func sameOffset(a, b time.Time) bool {
	_, before := a.Zone()
	_, after := b.Zone()
	return before == after
}

// widest is more than the clocks of any zone are changed by for daylight saving.
const widest = 3 * time.Hour

// first returns the first time at which clocks of the zone show what they show at a time, for a rule with an hour.
func (r *rule) first(at time.Time) time.Time {
	if !r.fixed {
		return at
	}
	_, offset := at.Zone()
	_, before := at.Add(-12 * time.Hour).Zone()
	if earlier := at.Add(time.Duration(offset-before) * time.Second); earlier.Before(at) && earlier.Format(time.DateTime) == at.Format(time.DateTime) {
		return earlier
	}
	return at
}

// id returns the id of an occurrence's run. It is made of what clocks of the zone show, or of the instant where the rule
// gives no hour.
func (r *rule) id(at time.Time) string {
	text := at.UTC().Format(time.RFC3339)
	if r.fixed {
		text = at.Format("2006-01-02T15:04:05")
	}
	sum := sha256.Sum256([]byte(r.Name + "\x00" + text))
	return "run_s" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:26]
}

// delay returns the jitter of an occurrence, the same in all processes.
func (r *rule) delay(o Occurrence) time.Duration {
	if r.Jitter <= 0 {
		return 0
	}
	sum := sha256.Sum256([]byte("jitter\x00" + o.Run))
	n := binary.BigEndian.Uint64(sum[:8]) >> 8
	return time.Duration(n % uint64(r.Jitter))
}

// Upcoming returns the next n occurrences of a schedule after a time. There are always as many: a rule without is refused.
func Upcoming(s Schedule, after time.Time, n int) ([]Occurrence, error) {
	r, err := read(s)
	if err != nil {
		return nil, err
	}
	var all []Occurrence
	for len(all) < n {
		o, ok := r.next(after)
		if !ok {
			break
		}
		all, after = append(all, o), o.Time
	}
	return all, nil
}
