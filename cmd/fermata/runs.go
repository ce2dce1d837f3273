package main

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/progress"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/journal"
)

// listLimit is how many rows a listing has unless it is told otherwise.
const listLimit = 50

// runLine is a run in --json.
type runLine struct {
	Run        string    `json:"run"`
	Plan       string    `json:"plan"`
	Kind       string    `json:"kind"`
	Status     string    `json:"status"`
	Error      string    `json:"error,omitempty"`
	Waiting    int       `json:"waiting"`
	Head       uint64    `json:"head"`
	Created    time.Time `json:"created"`
	Updated    time.Time `json:"updated"`
	Definition string    `json:"definition,omitempty"`
	Driver     string    `json:"driver,omitempty"`
	LeaseMS    int64     `json:"leaseMs,omitempty"`  // for how long the owner's lease lasts, unless it says again that it lives
	NotTaken   string    `json:"notTaken,omitempty"` // why a run that is wanted has no owner

	foundBy
	Next string `json:"next,omitempty"` // of the last run of a page: the cursor of the next one
}

// foundBy is the part of a line that says what a run is found and taken by.
type foundBy struct {
	Labels map[string]string `json:"labels,omitempty"` // what the run is found by

	Queue     string     `json:"queue,omitempty"`     // whose workers take it
	Priority  int        `json:"priority,omitempty"`  // higher ones are taken first
	NotBefore *time.Time `json:"notBefore,omitempty"` // no worker takes it earlier
	Dedup     string     `json:"dedup,omitempty"`     // the key that it holds until it ends
}

func lineOf(r *fermata.RunInfo, by owners) runLine {
	var notBefore *time.Time
	if r.NotBefore != 0 {
		at := time.UnixMicro(r.NotBefore).UTC()
		notBefore = &at
	}
	return runLine{
		LeaseMS: by.left(r).Milliseconds(), NotTaken: by.notTaken(r),
		Run: r.ID, Plan: r.Plan, Kind: r.Kind, Status: r.Status, Error: r.Error, Waiting: r.Waiting, Head: r.Head,
		Created: time.UnixMicro(r.Created).UTC(), Updated: time.UnixMicro(r.Updated).UTC(), Definition: r.Definition, Driver: r.Driver,
		foundBy: foundBy{Labels: r.Labels, Queue: r.Queue, Priority: r.Priority, NotBefore: notBefore, Dedup: r.Dedup},
	}
}

func (m *Main) runsCommand() *cobra.Command {
	return listing("runs", "List, show, hold, release, cancel, retry, fork, compare, move and delete runs",
		m.runsListCommand(), m.runsShowCommand(), m.runsPlacesCommand(), m.runsSendCommand(), m.runsHoldCommand(), m.runsReleaseCommand(),
		m.runsCancelCommand(), m.runsRetryCommand(), m.runsForkCommand(),
		m.runsDiffCommand(), m.runsExportCommand(), m.runsImportCommand(), m.runsCompactCommand(), m.runsPruneCommand(), m.runsDeleteCommand())
}

// listing makes a command with commands below it, which by itself does what the command list does.
func listing(use, short string, list *cobra.Command, others ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs}
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("unknown command %q for %s%s", args[0], use, suggestion(c, args[0]))
		}
		return list.RunE(c, nil)
	}
	c.Flags().AddFlagSet(list.Flags())
	c.AddCommand(append([]*cobra.Command{list}, others...)...)
	return c
}

func (m *Main) listRuns(ctx context.Context, h *house, rows []fermata.RunInfo, by owners, q journal.RunQuery, next string, asJSON bool) {
	if asJSON {
		for i := range rows {
			line := lineOf(&rows[i], by)
			if i == len(rows)-1 {
				line.Next = next
			}
			m.writeLine(line)
		}
		return
	}
	s := m.out
	if len(rows) == 0 {
		m.err.Println("no runs in " + h.dsn.String() + matching(&q))
		return
	}
	messages := h.queued(ctx, rows)
	all := runIDs(rows)
	t := term.Table{Head: []string{"RUN", "STATUS", "PLAN", "UPDATED", "NOTE"}}
	for i := range rows {
		r := &rows[i]
		note := term.Flat(r.Error)
		switch waits := waitsFor(r, messages[r.ID]); {
		case isHeld(r):
			note = andThen(note, waits)
		case r.Waiting > 0:
			note = waits
		case !r.Ended():
			note = cmp.Or(andThen(cmp.Or(m.turnNote(r), term.Flat(by.note(r))), waits), note)
		}
		t.Rows = append(t.Rows, append(m.runRow(r, all), note))
	}
	s.Println(s.Fit(t.Lines(s))...)
}

// runRow is a run among all that are listed.
func (m *Main) runRow(r *fermata.RunInfo, all []string) []string {
	s, styles := m.out, m.out.Styles()
	return []string{
		idFor(s, r.ID, all), m.statusStyle(styles, r.Status).Apply(r.Status), term.OneLine(r.Plan), styles.Faint.Apply(m.moment(s, r.Updated)),
	}
}

// moment is a time that has passed: how long ago on a terminal, and in full elsewhere.
func (m *Main) moment(s *term.Screen, at int64) string {
	t := time.UnixMicro(at)
	if s.TTY {
		return term.Ago(t, m.Now())
	}
	return term.Moment(t, m.Now())
}

func (m *Main) statusStyle(styles term.Styles, status string) term.Style {
	switch fermata.Status(status) {
	case fermata.Completed:
		return styles.Good
	case fermata.Paused, fermata.Blocked:
		return styles.Wait
	case fermata.Running:
		return styles.Busy
	case fermata.Failed, fermata.Expired, fermata.Stuck:
		return styles.Bad
	default:
		return styles.Faint
	}
}

func (m *Main) runsShowCommand() *cobra.Command {
	var asJSON, withState bool
	c := m.onRun(&cobra.Command{
		Use:   "show RUN",
		Short: "Show the state of a run: its nodes, open questions and outputs",
	}, func(ctx context.Context, h *house, info fermata.RunInfo) error {
		return m.showRun(ctx, h, info, asJSON, withState)
	})
	c.Flags().BoolVar(&withState, "state", false, "show the values of a run that waits or has failed as well, as they were recorded last")
	c.Flags().BoolVar(&asJSON, "json", false, "write it as JSON")
	return c
}

// shownRun is a run in `runs show --json`.
type shownRun struct {
	runLine
	Outputs    json.RawMessage     `json:"outputs"`
	State      json.RawMessage     `json:"state,omitempty"` // at the last entry, of a run that has no outputs
	Interrupts []fermata.Interrupt `json:"interrupts"`
	Until      *time.Time          `json:"until,omitempty"`    // the run's deadline (law F9)
	Awaits     []awaitedMessage    `json:"awaits,omitempty"`   // calls that wait for messages, in the order in which they take them
	Messages   []fermata.Untaken   `json:"messages,omitempty"` // that no call has taken, the oldest first
	Hold       *shownHold          `json:"hold,omitempty"`     // why it is held
	Places     []fermata.Place     `json:"places,omitempty"`   // waits for places of shared pools
	Failure    *resultError        `json:"failure,omitempty"`
	Usage      *shownUsage         `json:"usage,omitempty"` // where models were called
	Fork       *journal.Origin     `json:"fork,omitempty"`  // where it comes from
}

func (m *Main) showRun(ctx context.Context, h *house, info fermata.RunInfo, asJSON, withState bool) error {
	result, err := h.Result(ctx, info.ID, nil)
	if err != nil {
		return err
	}
	from, err := m.origin(ctx, h, info.ID)
	if err != nil {
		return err
	}
	by, err := h.owners(ctx, info)
	if err != nil {
		return err
	}
	places, err := h.placesOf(ctx, &info)
	if err != nil {
		return err
	}
	tree := progress.NewTree(nil)
	tree.Plan = info.Plan
	for ev, err := range h.Events(ctx, info.ID, 0, false) {
		if err != nil {
			return err
		}
		tree.Apply(&ev)
	}
	var state json.RawMessage
	if len(result.Output) == 0 && (asJSON || withState) {
		if state, err = h.State(ctx, info.ID); err != nil {
			return err
		}
	}
	if asJSON {
		line := shownRun{State: state, Awaits: awaitedOf(tree), Messages: result.Messages, Fork: from, runLine: lineOf(&info, by), Outputs: result.Output, Interrupts: []fermata.Interrupt{}, Failure: resultErrorOf(result.Err), Hold: holdOf(&result), Places: places}
		for i := range result.Interrupts {
			line.Interrupts = append(line.Interrupts, fermata.Interrupt{Interrupt: result.Interrupts[i].Interrupt})
		}
		line.Usage = usageOf(&result)
		if !tree.Until.IsZero() {
			line.Until = &tree.Until
		}
		m.writeLine(line)
		return nil
	}
	if fermata.Status(info.Status) != fermata.Running {
		tree.Rest()
	}
	s, styles := m.out, m.out.Styles()
	s.Println(styles.Strong.Apply(term.OneLine(info.Plan))+"  "+m.statusStyle(styles, info.Status).Apply(info.Status),
		styles.Faint.Apply(info.ID),
		styles.Faint.Apply("started "+m.moment(s, info.Created)+", updated "+m.moment(s, info.Updated)))
	m.showDeadline(&info, tree.Until)
	if note := by.note(&info); note != "" && !info.Ended() {
		s.Println(told(s, styles.Faint, note, s.Width())...)
	}
	if from != nil {
		s.Println(styles.Faint.Apply("forked from " + from.Run + " at seq " + strconv.FormatUint(from.Seq, 10)))
	}
	s.Println("")
	s.Println(s.Fit(progress.Static(s, tree, m.Now()))...)
	if len(state) > 0 {
		s.Println("", styles.Strong.Apply("state"))
		m.showOutputs(state)
	}
	m.showUsage(&result)
	m.showWaits(places)
	m.showAwaited(tree, info.ID)
	m.showUntaken(result.Messages, info.Ended())
	m.showRest(&info, &result, by.left(&info) > 0)
	return nil
}

// showDeadline shows when an open run expires.
func (m *Main) showDeadline(info *fermata.RunInfo, until time.Time) {
	s, styles := m.out, m.out.Styles()
	switch {
	case until.IsZero() || info.Ended():
	case until.After(m.Now()):
		s.Println(styles.Faint.Apply("expires " + m.moment(s, until.UnixMicro())))
	default:
		s.Println(styles.Wait.Apply("its deadline has passed at " + m.moment(s, until.UnixMicro()) + ": the next process that looks lets it expire"))
	}
}

// programsOwn is what is said of runs that this command cannot execute.
const programsOwn = "a program started it, and only that program can resume it."

// showRest shows what a run came to, or what it waits for. owned says that a process executes it now.
func (m *Main) showRest(info *fermata.RunInfo, result *fermata.Result, owned bool) {
	s, styles := m.out, m.out.Styles()
	if result.Err != nil {
		s.Println("")
		s.Println(told(s, styles.Bad, result.Err.Error(), s.Width())...)
	}
	if len(result.Output) > 0 {
		s.Println("")
		m.showOutputs(result.Output)
	}
	m.showHold(info, result)
	all := ids(result.Interrupts)
	for i := range result.Interrupts {
		q := &result.Interrupts[i].Interrupt
		s.Println("", styles.Strong.Apply(term.Line(nodeOf(q.Task)))+"  "+term.OneLine(q.Prompt))
		s.Println(styles.Faint.Apply(progress.Awaits(q, m.Now())))
		s.Println(m.nextOf(s, q, idFor(s, q.ID, all), resumable(info)))
	}
	var when string
	here, elsewhere := []string{"resume"}, programsOwn
	switch fermata.Status(info.Status) {
	case fermata.Running:
		when = "no process is known to execute it now; to resume it: "
		if owned {
			when = "a process executes it now; if that process has ended: "
		}
		if elsewhere = programsOwn; !resumable(info) && !owned {
			when = "no process is known to execute it now: "
		}
	case fermata.Blocked:
		when, here = "once that is mended: ", []string{"runs", "retry"}
		elsewhere += " A run that was set aside goes on by the Retry of its graph (or Runtime.Retry); one " +
			"whose code or plan does not fit is tried again by itself, where Runtime.Work is called."
	default:
		return
	}
	s.Println("")
	if resumable(info) {
		s.Println(styles.Faint.Apply(when) + styles.Code.Apply(m.command(append(here, idFor(s, info.ID, nil))...)))
		return
	}
	s.Println(term.Wrap(when+elsewhere, s.Width())...)
}

// runningTasks are the nodes of a run that have begun and not finished, where it waits for nobody.
func runningTasks(ctx context.Context, h *house, info fermata.RunInfo) ([]string, error) {
	if fermata.Status(info.Status) != fermata.Running {
		return nil, nil
	}
	open := make(map[string]bool)
	for ev, err := range h.Events(ctx, info.ID, 0, false) {
		if err != nil {
			return nil, err
		}
		switch ev.Entry.Kind {
		case journal.NodeStarted:
			open[ev.Entry.Node] = true
		case journal.NodeFinished, journal.NodeFailed, journal.NodeSkipped, journal.NodeSuspended:
			delete(open, ev.Entry.Node)
		default:
		}
	}
	return slices.Sorted(maps.Keys(open)), nil
}

func (m *Main) runsCancelCommand() *cobra.Command {
	var reason, as string
	var asJSON bool
	var many selection
	c := m.onRun(&cobra.Command{
		Use:   "cancel [RUN]",
		Short: "Cancel a run, or many, also those that another process owns",
		Example: `fermata runs cancel run_01939f2e --reason 'ordered twice'
fermata runs cancel --label customer=7 --status paused --dry-run`,
	}, func(ctx context.Context, h *house, info fermata.RunInfo) error {
		running, err := runningTasks(ctx, h, info)
		if err != nil {
			return err
		}
		if err := h.Cancel(ctx, info.ID, reason, as); err != nil {
			return &withAdvice{err, "to see its state: " + m.command("runs", "show", info.ID)}
		}
		now, err := h.Info(ctx, info.ID)
		undoes := err == nil && !now.Ended() // law F10
		switch {
		case asJSON:
			m.writeLine(bulkLine{runLine: lineOf(&info, nil), Done: true})
		case undoes:
			m.out.Println("cancelled " + info.ID + ": it undoes what it has done, and ends then")
		default:
			m.out.Println("cancelled " + info.ID)
		}
		if len(running) > 0 {
			m.err.Println(m.err.Styles().Wait.Apply("warning: ") + term.OneLine(strings.Join(running, ", ")) +
				" had begun and not finished: its calls may have had their effect, which cancelling does not undo")
		}
		if !asJSON && !undoes && !m.global.quiet && resumable(&info) {
			m.hints(hintTo("continue it in a new run", "runs", "fork", idFor(m.err, info.ID, nil)))
		}
		return nil
	})
	many.orMany(c, func(ctx context.Context) error { return m.cancelMany(ctx, &many, reason, as, asJSON) })
	many.add(c, "cancel", "running, paused and blocked")
	c.Flags().BoolVar(&asJSON, "json", false, "write one line of JSON for each run")
	c.Flags().StringVar(&reason, "reason", "", "why, for the record: a `text`")
	c.Flags().StringVar(&as, "as", m.user(), "who cancels, for the record: a `name`")
	return c
}

func (m *Main) runsRetryCommand() *cobra.Command {
	var f executeFlags
	var many selection
	on := resumption{retry: true}
	c := &cobra.Command{
		Use:   "retry [RUN]",
		Short: "Retry a failed run from the tasks that failed, or a blocked run, or many; finished tasks stay finished",
		Long: "Retry a failed run from the tasks that failed. A blocked run goes on. Flags select many runs in place of one: they are retried one " +
			"after the other, each to its next rest.",
		Example: `fermata runs retry run_01939f2e
fermata runs retry run_01939f2e --deadline 2h
fermata runs retry --plan refund --since 2h --dry-run`,
		ValidArgsFunction: m.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			return m.report(&f, m.resume(c.Context(), args[0], &f, on))
		},
	}
	many.orMany(c, func(ctx context.Context) error {
		if on.file != "" || len(f.answers) > 0 {
			return usagef("--file and --answer are for one run")
		}
		return m.retryMany(ctx, &many, &on, f.agents, f.json)
	})
	on.add(c)
	c.Flags().StringVar(&on.until, "deadline", "", "a new deadline, needed where the run's has passed: a `time` from now (2h, 3d), or a time")
	f.add(m, c)
	many.add(c, "retry", "failed and expired")
	return c
}
