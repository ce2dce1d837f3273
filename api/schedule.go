package api

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// Schedule is a rule by which runs of a definition are started, as it is shown. The handler starts none: see package schedule.
type Schedule struct {
	Name        string // by which its runs are found: the value of the label fermata.schedule
	Description string // for people; "" for none
	Cron        string
	Rule        string // Cron in words
	Zone        string // the time zone of Cron; "" for UTC
	Overlap     string // skip, queue or allow
	CatchUp     string // none, last or all
	Paused      bool
	// Next returns the next occurrences after a time, at most n.
	Next func(after time.Time, n int) []Occurrence
	// Fire starts a run of the schedule now, with an id and further options: schedule.Fire. Defaults to a refusal.
	Fire func(ctx context.Context, run string, at time.Time, opts ...fermata.StartOption) error
}

// Pauses keep which schedules people have paused.
type Pauses interface {
	// Paused returns who has paused a schedule; nil for nobody.
	Paused(ctx context.Context, schedule string) (*Pause, error)
	// Set pauses a schedule, or lets it go on. Done again it changes nothing.
	Set(ctx context.Context, schedule string, paused bool, by, why string) error
}

// Pause says who paused a schedule, when and why.
type Pause struct {
	By    string    `json:"by,omitempty"`
	Note  string    `json:"note,omitempty"`
	Since time.Time `json:"since"`
}

// Occurrence is a time at which a schedule starts a run.
type Occurrence struct {
	Time time.Time `json:"time"`
	Run  string    `json:"run" jsonschema:"The id that its run will have"`
}

// scheduleShown is a schedule in the list.
type scheduleShown struct {
	Schedule    string       `json:"schedule" jsonschema:"Its name; its runs have it as the label fermata.schedule"`
	Definition  string       `json:"definition"`
	Description string       `json:"description,omitempty"`
	Cron        string       `json:"cron"`
	Rule        string       `json:"rule" jsonschema:"The rule in words"`
	TimeZone    string       `json:"timeZone"`
	Overlap     string       `json:"overlap" jsonschema:"skip, queue or allow"`
	CatchUp     string       `json:"catchUp" jsonschema:"none, last or all"`
	Paused      bool         `json:"paused,omitempty"`
	PausedBy    *Pause       `json:"pausedBy,omitempty" jsonschema:"Who paused it; none where its definition says that it is paused"`
	Next        []Occurrence `json:"next"`
	Last        []lastRun    `json:"last" jsonschema:"Its newest runs"`
}

type lastRun struct {
	Run     string    `json:"run"`
	Status  string    `json:"status"`
	Created time.Time `json:"created"`
}

type listedSchedules struct {
	Fires     bool            `json:"fires" jsonschema:"Whether this server starts their runs"`
	Schedules []scheduleShown `json:"schedules"`
}

const (
	mostNext = 100 // bounds the parameter next
	lastRuns = 5   // that are shown of each schedule
)

// listSchedules lists the schedules of all definitions.
func (h *Handler) listSchedules(in *request) (*answer, error) {
	n := 3
	if text := in.URL.Query().Get("next"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 0 || n > mostNext {
			return nil, malformed("next=%q: expected a number from 0 to %d", text, mostNext)
		}
	}
	c, out := h.now.Load(), listedSchedules{Fires: h.o.Fires, Schedules: []scheduleShown{}}
	for _, name := range c.names {
		d := c.definitions[name]
		if !h.may(in.who, identity.View, d.Plan.Name()) {
			continue
		}
		for i := range d.Schedules {
			one := &d.Schedules[i]
			shown := scheduleShown{
				Schedule: one.Name, Definition: name, Description: one.Description, Cron: one.Cron, Rule: one.Rule, TimeZone: one.Zone,
				Overlap: one.Overlap, CatchUp: one.CatchUp, Paused: one.Paused, Next: []Occurrence{}, Last: []lastRun{},
			}
			if shown.TimeZone == "" {
				shown.TimeZone = "UTC"
			}
			if !one.Paused && h.o.Pauses != nil {
				pause, err := h.o.Pauses.Paused(in.Context(), one.Name)
				if err != nil {
					return nil, err
				}
				shown.Paused, shown.PausedBy = pause != nil, pause
			}
			if !shown.Paused {
				shown.Next = slices.Concat(shown.Next, one.Next(h.rt.Now(), n))
			}
			page, err := h.rt.FindRuns(in.Context(), journal.RunQuery{Labels: map[string]string{runtype.ScheduleLabel: one.Name}, Limit: lastRuns})
			if err != nil {
				return nil, err
			}
			for j := range page.Runs {
				if r := &page.Runs[j]; h.reads(in.who, *r) {
					shown.Last = append(shown.Last, lastRun{Run: r.ID, Status: r.Status, Created: time.UnixMicro(r.Created).UTC()})
				}
			}
			out.Schedules = append(out.Schedules, shown)
		}
	}
	return &answer{body: out}, nil
}
