package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/journal"
)

// pageFlags are those of a list that is shown page by page.
type pageFlags struct {
	limit        int
	after, count string
	asJSON       bool
}

func (f *pageFlags) add(c *cobra.Command, what, by string) {
	flags := c.Flags()
	flags.IntVar(&f.limit, "limit", listLimit, "the largest `number` of them; 0 for all")
	flags.StringVar(&f.after, "after", "", "go on behind a page: the `cursor` that came with it")
	flags.StringVar(&f.count, "count", "", "count them in place of listing them, by `"+by+"`")
	flags.BoolVar(&f.asJSON, "json", false, "write one line of JSON for each "+what)
}

// queried gives an error of a query the exit code of a wrong command line.
func queried(err error) error {
	if errors.Is(err, journal.ErrQuery) {
		return &exit{exitUsage, err}
	}
	return err
}

// pages collects rows until there are as many as are wanted; next is the cursor of what is behind them.
func pages[T any](f *pageFlags, find func(after string, limit int) (rows []T, next string, err error)) (all []T, next string, err error) {
	if f.limit < 0 {
		return nil, "", usagef("--limit %d: expected 0 or more", f.limit)
	}
	for next = f.after; ; {
		most := journal.MaxPage
		if f.limit > 0 {
			most = min(most, f.limit-len(all))
		}
		var rows []T
		if rows, next, err = find(next, most); err != nil {
			return nil, "", queried(err)
		}
		if all = append(all, rows...); next == "" || len(all) == f.limit {
			return all, next, nil
		}
	}
}

// more says how the next page is shown.
func (m *Main) more(next string, f *pageFlags, rows int, which, noun string) {
	if next != "" && !f.asJSON {
		m.err.Println(m.err.Styles().Faint.Apply(fmt.Sprintf("these are %s %s; --limit 0 shows all, --after %s the next", which, term.Count(rows, noun), next)))
	}
}

// showCounts shows how many rows have which value.
func (m *Main) showCounts(c journal.Counts, by string, asJSON bool) {
	if asJSON {
		for _, n := range c.By {
			m.writeLine(n)
		}
		return
	}
	t := term.Table{Head: []string{strings.ToUpper(strings.TrimPrefix(by, journal.LabelPrefix)), "COUNT"}}
	for _, n := range c.By {
		t.Rows = append(t.Rows, []string{cmp.Or(term.OneLine(n.Value), m.out.Glyphs().Dash), n.String()})
	}
	m.out.Println(m.out.Fit(t.Lines(m.out))...)
	if c.More {
		m.err.Println(m.err.Styles().Faint.Apply(fmt.Sprintf("there are more values; these are the first %d", len(c.By))))
	}
}

// labelsOf reads labels, each KEY=VALUE.
func labelsOf(given []string) (map[string]string, error) {
	labels := make(map[string]string, len(given))
	for _, text := range given {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usagef("--label %q: expected KEY=VALUE", text)
		}
		if err := journal.CheckLabel(key, value); err != nil {
			return nil, usagef("--label %q: %w", text, err)
		}
		labels[key] = value
	}
	return labels, nil
}

// moments reads the two ends of a span; "" is no bound.
func (m *Main) moments(since, until string) (s journal.Span, err error) {
	read := func(flag, text string) (at int64) {
		if text == "" || err != nil {
			return 0
		}
		var t time.Time
		if t, err = m.parseBefore(text); err != nil {
			err = usagef("--%s %q: expected an age (30d, 12h), a date (2026-01-31), or now", flag, text)
			return 0
		}
		if t.IsZero() {
			t = m.Now()
		}
		return t.UnixMicro()
	}
	s = journal.Span{From: read("since", since), To: read("until", until)}
	return s, err
}

// runSelectors are the flags that select runs by what is known of them.
type runSelectors struct {
	query        journal.RunQuery
	labels       []string
	since, until string
}

// selectors are the names of these flags.
var selectors = []string{"status", "label", "plan", "since", "until", "prefix"}

// add adds the flags to a command that is about "only" some runs or "all" of them. statuses is the help on the first flag.
func (f *runSelectors) add(c *cobra.Command, which, statuses string) {
	flags := c.Flags()
	flags.StringSliceVar(&f.query.Statuses, "status", nil, which+" runs "+statuses)
	flags.StringSliceVar(&f.query.Plans, "plan", nil, which+" runs of the plan with this `name`; several with commas")
	flags.StringArrayVar(&f.labels, "label", nil, which+" runs with this label: `KEY=VALUE`; given again, with all of them")
	flags.StringVar(&f.since, "since", "", which+" runs created since then: an `age` (30d, 12h), or a date (2026-01-31)")
	flags.StringVar(&f.until, "until", "", which+" runs created before then: an `age` or a date")
	flags.StringVar(&f.query.Prefix, "prefix", "", which+" runs whose id begins with this `text`")
}

// runQuery returns what the flags select.
func (f *runSelectors) runQuery(m *Main) (q journal.RunQuery, err error) {
	q = f.query
	if q.Labels, err = labelsOf(f.labels); err != nil {
		return q, err
	}
	q.Created, err = m.moments(f.since, f.until)
	return q, err
}

// runsFilter are the flags of `runs ls`.
type runsFilter struct {
	pageFlags
	runSelectors
	order string
}

func (f *runsFilter) add(c *cobra.Command) {
	f.runSelectors.add(c, "only", "that are `running`, paused, blocked, completed, failed, cancelled, expired or stuck; several with commas")
	c.Flags().StringVar(&f.order, "order", string(journal.ByCreated), "the newest first by when they were `created`, or updated")
	f.pageFlags.add(c, "run; the last one has the cursor of the next page as next", "status, plan or label:KEY")
}

func (m *Main) runsListCommand() *cobra.Command {
	var f runsFilter
	c := &cobra.Command{
		Use:   "ls",
		Short: "List runs, the newest first",
		Example: `fermata runs ls --status paused,blocked --label team=red --since 7d
fermata runs ls --count status`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			q, err := f.runQuery(m)
			if err != nil {
				return err
			}
			q.Order = journal.Order(f.order)
			return m.withStore(c.Context(), func(ctx context.Context, h *house) error { return m.findRuns(ctx, h, &f, q) })
		},
	}
	f.add(c)
	return c
}

func (m *Main) findRuns(ctx context.Context, h *house, f *runsFilter, q journal.RunQuery) error {
	if f.count != "" {
		counts, err := h.CountRuns(ctx, q, f.count)
		if err == nil {
			m.showCounts(counts, f.count, f.asJSON)
		}
		return queried(err)
	}
	rows, next, err := pages(&f.pageFlags, func(after string, limit int) ([]fermata.RunInfo, string, error) {
		q.After, q.Limit = after, limit
		page, err := h.FindRuns(ctx, q)
		return page.Runs, page.Next, err
	})
	if err != nil {
		return err
	}
	by, err := h.owners(ctx, rows...)
	if err != nil {
		return err
	}
	if len(rows) == 0 && len(q.Plans) > 0 {
		if err := m.unknownPlan(ctx, h, q.Plans); err != nil {
			return err
		}
	}
	m.listRuns(ctx, h, rows, by, q, next, f.asJSON)
	m.more(next, &f.pageFlags, len(rows), "the newest", "run")
	return nil
}

// unknownPlan is an error where no run has one of these plans.
func (m *Main) unknownPlan(ctx context.Context, h *house, plans []string) error {
	all, err := h.CountRuns(ctx, journal.RunQuery{}, "plan")
	if err != nil || len(all.By) == 0 || all.More {
		return queried(err)
	}
	names := make([]string, len(all.By))
	for i, n := range all.By {
		names[i] = n.Value
	}
	for _, name := range plans {
		if !slices.Contains(names, name) {
			return usagef("no run in %s has the plan %q%s", h.dsn, name, nearest.Hint(name, names))
		}
	}
	return nil
}

// matching says what a list is empty of.
func matching(q *journal.RunQuery) string {
	var text string
	if len(q.Statuses) > 0 {
		text += " that are " + strings.Join(q.Statuses, " or ")
	}
	if len(q.Plans) > 0 {
		if text != "" {
			text += " and"
		}
		text += " of the plan " + strings.Join(q.Plans, " or ")
	}
	if len(q.Labels) > 0 || q.Prefix != "" || q.Created != (journal.Span{}) {
		if text == "" {
			return " that match the filters"
		}
		text += " and match the other filters"
	}
	return text
}

// given is a list of a text, empty for none.
func given(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// tasksFilter are the flags of `tasks ls`.
type tasksFilter struct {
	pageFlags
	query                journal.InterruptQuery
	run, as, due, order  string
	mine, all, asChanged bool
}

func (f *tasksFilter) add(m *Main, c *cobra.Command) {
	flags := c.Flags()
	flags.StringSliceVar(&f.query.Roles, "role", nil, "only questions that this `role` may answer: for it, and for anybody; several with commas")
	flags.BoolVar(&f.mine, "mine", false, "only questions that are assigned to you or claimed by you")
	flags.StringVar(&f.as, "as", m.user(), "only what is assigned to, or claimed by, this person: an `id`")
	flags.StringVar(&f.run, "run", "", "only questions of this `run`")
	flags.StringSliceVar(&f.query.Plans, "plan", nil, "only questions of runs of the plan with this `name`; several with commas")
	flags.StringVar(&f.due, "due", "", "only questions whose deadline is before then: a `time` from now (2h, 3d), or a date (2026-01-31)")
	flags.StringVar(&f.query.Prefix, "prefix", "", "only questions whose id begins with this `text`")
	flags.BoolVar(&f.all, "all", false, "also questions that were answered, have expired or were withdrawn")
	flags.StringVar(&f.order, "order", string(journal.ByOpened), "the oldest first by when they were `opened`, or due")
	f.pageFlags.add(c, "task; the last one has the cursor of the next page as next", "state, plan or role")
}

// dueBefore reads a time to come.
func (m *Main) dueBefore(text string) (journal.Span, error) {
	if text == "" {
		return journal.Span{}, nil
	}
	t, err := m.parseBefore(text)
	if err != nil {
		return journal.Span{}, usagef("--due %q: expected a time from now (2h, 3d), or a date (2026-01-31)", text)
	}
	now := m.Now()
	switch {
	case t.IsZero():
		t = now
	case !strings.Contains(text, "-"): // an age: as long ahead
		t = now.Add(now.Sub(t))
	}
	return journal.Span{To: t.UnixMicro()}, nil
}

func (m *Main) tasksListCommand() *cobra.Command {
	var f tasksFilter
	c := &cobra.Command{
		Use:   "ls",
		Short: "List the questions, the oldest first",
		Example: `fermata tasks ls --role manager,chief --plan refund --due 2h
fermata tasks ls --mine --order due`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f.asChanged = c.Flags().Changed("as")
			q := f.query
			q.Order, q.Skip = journal.Order(f.order), dialogueKind // those are for users of conversations
			if f.mine && f.as == "" {
				return usagef("expected --as ID with --mine: the environment does not say who you are")
			}
			if f.mine || f.asChanged {
				q.Holder = f.as
			}
			if len(q.Roles) > 0 { // what is for anybody may be answered in any role (law H6)
				q.Roles = append(slices.Clone(q.Roles), "")
			}
			if f.all {
				q.States = journal.States()
			}
			var err error
			if q.Due, err = m.dueBefore(f.due); err != nil {
				return err
			}
			return m.withStore(c.Context(), func(ctx context.Context, h *house) error {
				if f.run != "" {
					info, err := m.findRun(ctx, h, f.run)
					if err != nil {
						return err
					}
					q.Runs = []string{info.ID}
				}
				return m.findTasks(ctx, h, &f, q)
			})
		},
	}
	f.add(m, c)
	return c
}

func (m *Main) findTasks(ctx context.Context, h *house, f *tasksFilter, q journal.InterruptQuery) error {
	if f.count != "" {
		counts, err := h.CountInterrupts(ctx, q, f.count)
		if err == nil {
			m.showCounts(counts, f.count, f.asJSON)
		}
		return queried(err)
	}
	list, next, err := pages(&f.pageFlags, func(after string, limit int) ([]fermata.Interrupt, string, error) {
		q.After, q.Limit = after, limit
		page, err := h.FindInterrupts(ctx, q)
		return page.Interrupts, page.Next, err
	})
	if err != nil {
		return err
	}
	m.listTasks(h, list, next, f.asJSON)
	m.more(next, &f.pageFlags, len(list), "the oldest", "task")
	return nil
}
