package main

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/schedule"
)

func (m *Main) scheduleCommand() *cobra.Command {
	c := listing("schedule", "List the schedules of recipes, and start their runs when they are due", m.scheduleListCommand(), m.scheduleRunCommand())
	c.Long = "List the schedules of recipes (the key schedules), and start their runs when they are due. It looks at all recipes under the " +
		"current folder, or at the files and folders that are named."
	return c
}

// scheduled is a recipe with schedules, and where it was read from.
type scheduled struct {
	*recipe.Recipe
	file string
}

// scheduledIn loads the recipes with schedules among files and folders, all under the current one if there are none.
func (m *Main) scheduledIn(paths []string, agents string) ([]scheduled, error) {
	files, err := m.testFiles(paths)
	if err != nil {
		return nil, err
	}
	var all []scheduled
	wrong := &definition.Error{}
	for _, file := range files {
		if isDialogue(file) {
			continue
		}
		r, err := m.loadRecipe(file, agents)
		if faults, ok := errors.AsType[*definition.Error](err); ok {
			wrong.Problems = append(wrong.Problems, faults.Problems...)
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(r.Schedules()) > 0 {
			all = append(all, scheduled{r, file})
		}
	}
	if len(wrong.Problems) > 0 {
		return nil, wrong
	}
	return all, nil
}

// under says where schedules were looked for.
func under(paths []string) string {
	if len(paths) == 0 {
		return "the current folder"
	}
	return strings.Join(paths, ", ")
}

func (m *Main) scheduleListCommand() *cobra.Command {
	var agents string
	var next int
	var asJSON bool
	c := &cobra.Command{
		Use:   "ls [FILE|FOLDER]…",
		Short: "List schedules: their rules, time zones and next times",
		Example: `fermata schedule ls
fermata schedule ls report.yaml --next 10 --json`,
		RunE: func(_ *cobra.Command, args []string) error {
			if next < 0 || next > mostNext {
				return usagef("--next %d: expected a number from 0 to %d", next, mostNext)
			}
			all, err := m.scheduledIn(args, agents)
			if err != nil {
				return err
			}
			return m.listSchedules(all, under(args), next, asJSON)
		},
	}
	c.Flags().IntVar(&next, "next", 3, "the `number` of next times that are shown of each")
	c.Flags().StringVar(&agents, "agents", "", "a `file` with agents that the recipes name")
	c.Flags().BoolVar(&asJSON, "json", false, "write one line of JSON for each schedule")
	return c
}

// mostNext bounds --next.
const mostNext = 1000

// scheduleLine is a schedule in --json.
type scheduleLine struct {
	Schedule    string         `json:"schedule"` // the label fermata.schedule of its runs
	File        string         `json:"file"`
	Recipe      string         `json:"recipe"`
	ID          string         `json:"id"`
	Description string         `json:"description,omitempty"`
	Cron        string         `json:"cron"`
	Rule        string         `json:"rule"` // in words
	TimeZone    string         `json:"timeZone"`
	Overlap     string         `json:"overlap"`
	CatchUp     string         `json:"catchUp"`
	MaxCatchUp  int            `json:"maxCatchUp,omitempty"`
	Jitter      float64        `json:"jitterSeconds,omitempty"`
	Paused      bool           `json:"paused,omitempty"`
	Inputs      map[string]any `json:"inputs,omitempty"`
	Next        []nextLine     `json:"next"`
}

// nextLine is an occurrence to come.
type nextLine struct {
	Time string `json:"time"`
	Run  string `json:"run"` // the id that its run will have
}

func (m *Main) listSchedules(all []scheduled, where string, next int, asJSON bool) error {
	s := m.out
	t := term.Table{Head: []string{"SCHEDULE", "RULE", "TIME ZONE", "NEXT"}}
	for _, r := range all {
		for _, one := range r.Schedules() {
			times, err := schedule.Upcoming(one.Schedule, m.Now(), next)
			if err != nil {
				return err
			}
			if asJSON {
				m.writeLine(lineOfSchedule(r, &one, times))
				continue
			}
			t.Rows = append(t.Rows, m.scheduleRows(&one, times)...)
		}
	}
	switch {
	case asJSON:
	case len(all) == 0:
		m.err.Println("no recipe under " + where + " has schedules")
	default:
		s.Println(s.Fit(t.Lines(s))...)
	}
	return nil
}

func lineOfSchedule(r scheduled, one *recipe.Schedule, times []schedule.Occurrence) scheduleLine {
	line := scheduleLine{
		Schedule: one.Name, File: r.file, Recipe: r.Name(), ID: one.ID, Description: one.Description, Cron: one.Cron, Rule: schedule.Words(one.Cron),
		TimeZone: zoneOf(one), Overlap: string(one.Overlap), CatchUp: string(one.CatchUp), MaxCatchUp: one.Most, Jitter: one.Jitter.Seconds(),
		Paused: one.Paused, Inputs: one.Inputs(), Next: []nextLine{},
	}
	for _, o := range times {
		line.Next = append(line.Next, nextLine{o.Time.Format(time.RFC3339), o.Run})
	}
	return line
}

func zoneOf(s *recipe.Schedule) string {
	if s.Zone == "" {
		return "UTC"
	}
	return s.Zone
}

// scheduleRows are a schedule and its next times, one a row.
func (m *Main) scheduleRows(one *recipe.Schedule, times []schedule.Occurrence) [][]string {
	s, styles := m.out, m.out.Styles()
	next := make([]string, 0, max(len(times), 1))
	for _, o := range times {
		text := o.Time.Format(time.RFC3339)
		if s.TTY {
			text = o.Time.Format("Mon 2 Jan 2006 15:04 -07:00")
		}
		next = append(next, text)
	}
	if one.Paused {
		next = []string{styles.Wait.Apply("paused")}
	}
	if len(next) == 0 {
		next = []string{""}
	}
	rows := [][]string{{term.OneLine(one.Name), schedule.Words(one.Cron), styles.Faint.Apply(zoneOf(one)), next[0]}}
	for _, text := range next[1:] {
		rows = append(rows, []string{"", "", "", text})
	}
	return rows
}

type scheduleFlags struct {
	workFlags
	noWork bool
}

func (m *Main) scheduleRunCommand() *cobra.Command {
	var f scheduleFlags
	c := &cobra.Command{
		Use:   "run [FILE|FOLDER]…",
		Short: "Start the runs of schedules when they are due, and work on them",
		Long: "Start the runs of schedules when they are due, each once, however many processes do so: the id of a run is its occurrence. It " +
			"claims and runs the store's runs that have no owner as well, as the command work does, unless --no-work leaves that to workers. " +
			"Ctrl-C stops starting and claiming and waits until the runs of this process rest; a second Ctrl-C ends at once.",
		Example: "fermata schedule run\nfermata schedule run recipes --no-work --store postgres://localhost/runs",
		RunE: func(c *cobra.Command, args []string) error {
			return m.runSchedules(c.Context(), args, &f)
		},
	}
	f.add(m, c)
	c.Flags().BoolVar(&f.noWork, "no-work", false, "only start runs, and leave them to workers: see the command work")
	c.Flags().BoolVar(&f.json, "json", false, "write a line of JSON for each occurrence, and for each run that is claimed or rests")
	return c
}

// runSchedules starts the runs of schedules until Ctrl-C.
func (m *Main) runSchedules(ctx context.Context, paths []string, f *scheduleFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	all, err := m.scheduledIn(paths, f.agents)
	if err != nil {
		return err
	}
	d, err := m.scheduleStore(all, under(paths), f.noWork)
	if err != nil {
		return err
	}
	recipes := make([]*recipe.Recipe, len(all))
	for i, r := range all {
		if recipes[i] = r.Recipe; f.noWork {
			m.warnOfModels(r.Recipe)
		} else if err := m.needModels(r.Recipe); err != nil {
			return err
		}
	}
	var h *house
	h, err = m.openAt(ctx, d, true, f.options(m, &h))
	if err != nil {
		return err
	}
	says := &scheduleSpeaker{m: m, asJSON: f.json, failed: make(map[string]string)}
	scheduler, err := schedule.New(h.Runtime, h.pausable(recipe.Scheduled(h.Runtime, recipes, says.told))...)
	if err != nil {
		return h.closed(&exit{exitInvalid, err})
	}
	ctx, stop := m.untilTold(ctx, func() {
		m.err.Println("starts and takes no more runs; those under way come to rest first (Ctrl-C again ends at once)")
	}, func() {})
	defer stop()
	n := 0
	for _, r := range recipes {
		n += len(r.Schedules())
	}
	m.err.Println("starts the runs of " + term.Count(n, "schedule") + " in " + h.dsn.String())
	return h.closed(m.startAndWork(ctx, h, scheduler, f, says))
}

// startAndWork starts the runs that are due and works on them, until the context ends. Then nothing of either is under way.
func (m *Main) startAndWork(ctx context.Context, h *house, scheduler *schedule.Scheduler, f *scheduleFlags, says *scheduleSpeaker) error {
	ctx, cancel := context.WithCancel(ctx)
	var starting sync.WaitGroup
	defer starting.Wait()
	defer cancel()
	if f.noWork {
		_ = scheduler.Run(ctx) // it ends with the context, and has told what failed
		return nil
	}
	starting.Go(func() { _ = scheduler.Run(ctx) })
	return m.workOn(ctx, h, &f.workFlags, says.work)
}

// scheduleStore is the store that all recipes with schedules take.
func (m *Main) scheduleStore(all []scheduled, where string, noWork bool) (d dsn, err error) {
	if len(all) == 0 {
		return d, usagef("no recipe under %s has schedules; expected schedules: [{id: nightly, cron: \"30 2 * * *\"}] in one", where)
	}
	for i, r := range all {
		one, err := m.storeFor(r.Persistence(), r.file)
		switch {
		case err != nil:
			return d, err
		case i > 0 && one.address() != d.address():
			return d, invalidf("%s takes runs in %s, and %s in %s (state.persistence): start the schedules of each in a process of its own", all[0].file, d, r.file, one)
		}
		d = one
	}
	if noWork && d.memory() {
		return d, usagef("--no-work: a store in memory ends with this command; name one that lasts with --store")
	}
	return d, nil
}

// scheduleSpeaker shows the results for occurrences, and what workers do.
type scheduleSpeaker struct {
	m      *Main
	asJSON bool
	mu     sync.Mutex
	failed map[string]string // by schedule: the failure that was said last
}

// occurrenceLine is the result for an occurrence, in --json.
type occurrenceLine struct {
	At       time.Time    `json:"at"`
	Do       string       `json:"do"` // started, taken, left out, failed
	Schedule string       `json:"schedule"`
	Time     string       `json:"time"`
	Run      string       `json:"run"`
	Error    *resultError `json:"error,omitempty"`
}

// told shows the result for an occurrence. A failure that lasts is said once.
func (s *scheduleSpeaker) told(o schedule.Occurrence, what schedule.Outcome, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		delete(s.failed, o.Schedule)
	} else if said := o.Run + " " + err.Error(); s.failed[o.Schedule] == said || errors.Is(err, context.Canceled) {
		return
	} else {
		s.failed[o.Schedule] = said
	}
	if s.asJSON {
		s.m.writeLine(occurrenceLine{s.m.Now().UTC(), string(what), o.Schedule, o.Time.Format(time.RFC3339), o.Run, resultErrorOf(err)})
		return
	}
	out, styles := s.m.out, s.m.out.Styles()
	style := styles.Faint
	switch what {
	case schedule.Started:
		style = styles.Good
	case schedule.Failed:
		style = styles.Bad
	default:
	}
	text := style.Apply(string(what)) + "  " + term.OneLine(o.Schedule) + "  " + styles.Faint.Apply(o.Time.Format(time.RFC3339))
	switch {
	case err != nil:
		text += "  " + term.Flat(err.Error())
	case what == schedule.Started:
		text += "  " + o.Run
	}
	out.Println(text)
}

// work shows what a worker does with a run.
func (s *scheduleSpeaker) work(line workLine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m.sayWork(line, s.asJSON)
}
