package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

func (m *Main) runsPruneCommand() *cobra.Command {
	var o fermata.PruneOptions
	var untouched untouchedFlags
	c := &cobra.Command{
		Use:   "prune",
		Short: "Delete runs that ended a while ago",
		Long: "Delete runs that have ended, and then the recipes that no run needs any more. A running or paused run is never deleted, " +
			"and forks stay when their origin is deleted.",
		Example: `fermata runs prune --before 90d --dry-run
fermata runs prune --status completed --before 7d --keep 10`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var err error
			if o.Before, o.Statuses, err = untouched.selected(m); err != nil {
				return err
			}
			return m.withStore(c.Context(), func(ctx context.Context, h *house) error {
				return m.prune(ctx, h, o, untouched.json)
			})
		},
	}
	flags := c.Flags()
	untouched.add(flags, &o.Plan, "30d", " or stuck")
	flags.IntVar(&o.Keep, "keep", 0, "keep the newest runs of each plan: a `number`")
	flags.BoolVar(&o.DryRun, "dry-run", false, "only show what would be deleted")
	return c
}

// untouchedFlags select runs that nobody has touched for a while.
type untouchedFlags struct {
	before   string
	statuses []string
	json     bool
}

// add adds the flags to a command. The age is the default of --before, and more ends the list of statuses.
func (f *untouchedFlags) add(flags *pflag.FlagSet, plan *string, age, more string) {
	flags.StringVar(&f.before, "before", age, "only runs of which nothing was written since: an `age` (30d, 12h), a date (2026-01-31), or now")
	flags.StringSliceVar(&f.statuses, "status", nil, "only runs that are `completed`, failed, cancelled, expired"+more+"; again for more")
	flags.StringVar(plan, "plan", "", "only runs of the plan with this `name`")
	flags.BoolVar(&f.json, "json", false, "write one line of JSON for each run")
}

// selected returns what the flags say: untouched since when, and in which statuses.
func (f *untouchedFlags) selected(m *Main) (before time.Time, statuses []fermata.Status, err error) {
	for _, s := range f.statuses {
		statuses = append(statuses, fermata.Status(s))
	}
	before, err = m.parseBefore(f.before)
	return before, statuses, err
}

// parseBefore reads an age or a date.
func (m *Main) parseBefore(text string) (time.Time, error) {
	if text == "now" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 {
			return m.Now().AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return m.Now().Add(-d), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef("--before %q: expected an age (30d, 12h), a date (2026-01-31), or now", text)
}

// prunedLine is a run that was deleted in `runs prune --json`.
type prunedLine struct {
	runLine
	Deleted bool `json:"deleted"` // false in a dry run
}

func (m *Main) prune(ctx context.Context, h *house, o fermata.PruneOptions, asJSON bool) error {
	pruned, err := h.Prune(ctx, o)
	if asJSON {
		for i := range pruned.Runs {
			m.writeLine(prunedLine{lineOf(&pruned.Runs[i], nil), !o.DryRun})
		}
		return err
	}
	s := m.out
	did := "deleted"
	if o.DryRun {
		did = "would delete"
		all := runIDs(pruned.Runs)
		t := term.Table{}
		for i := range pruned.Runs {
			r := &pruned.Runs[i]
			t.Rows = append(t.Rows, m.runRow(r, all))
		}
		s.Println(s.Fit(t.Lines(s))...)
	}
	text := did + " " + term.Count(len(pruned.Runs), "run")
	n := 0
	for _, id := range pruned.Texts {
		if strings.HasPrefix(id, "def_") { // the others are the outlines of plans
			n++
		}
	}
	if n > 0 {
		text += ", and " + term.Count(n, "recipe") + " that no run needs"
	}
	if err == nil || len(pruned.Runs) > 0 {
		s.Println(text)
	}
	return err
}
