package main

import (
	"context"
	"fmt"
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
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("expected no argument, found %q: prune selects by age, status and plan; to delete one run: %s", args[0], m.command("runs", "delete", args[0]))
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			var err error
			if o.Before, o.Statuses, err = untouched.selected(m); err != nil {
				return err
			}
			return m.withStore(c.Context(), func(ctx context.Context, h *house) error {
				return m.prune(ctx, h, o, &untouched)
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
	flags.StringVar(&f.before, "before", age, "only runs of which nothing was written since: an `age` (30d, 2w, 12h), a date (2026-01-31), or now")
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
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		count, ok := strings.CutSuffix(text, unit)
		if n, err := strconv.Atoi(count); ok && err == nil && n >= 0 && n < 1e6 {
			return m.Now().AddDate(0, 0, -n*days), nil
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
	return time.Time{}, usagef("--before %q: expected an age (30d, 2w, 12h), a date (2026-01-31), or now", text)
}

// prunedLine is a run that was deleted in `runs prune --json`.
type prunedLine struct {
	runLine
	Deleted bool `json:"deleted"` // false in a dry run
}

func (m *Main) prune(ctx context.Context, h *house, o fermata.PruneOptions, f *untouchedFlags) error {
	pruned, err := h.Prune(ctx, o)
	if f.json {
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
	if f.before != "now" {
		text += " that nobody has touched since --before " + f.before
	}
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
	if err == nil && len(pruned.Runs) == 0 && !o.Before.IsZero() {
		return m.saySpared(ctx, h, o)
	}
	return err
}

// saySpared says how many runs are too young to be deleted.
func (m *Main) saySpared(ctx context.Context, h *house, o fermata.PruneOptions) error {
	o.Before, o.DryRun = time.Time{}, true
	young, err := h.Prune(ctx, o)
	if n := len(young.Runs); err == nil && n > 0 {
		m.err.Println(term.Count(n, "run") + " would be deleted but for the age: --before now takes them all")
	}
	return err
}

func (m *Main) runsDeleteCommand() *cobra.Command {
	var asJSON, dryRun bool
	c := &cobra.Command{
		Use:   "delete RUN…",
		Short: "Delete runs that have ended, by their ids",
		Long: "Delete runs that have ended, whatever their age, and then the recipes that no run needs any more. One that has not ended is " +
			"refused, and then none is deleted: cancel it first.",
		ValidArgsFunction: m.completeRuns,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("expected RUN, the id of a run or the beginning of it; several are separated by spaces")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return m.withStore(c.Context(), func(ctx context.Context, h *house) error {
				o := fermata.PruneOptions{DryRun: dryRun}
				for _, given := range args {
					info, err := m.findRun(ctx, h, given)
					if err != nil {
						return err
					}
					if !info.Ended() {
						err := fmt.Errorf("run %s is %s, and only a run that has ended can be deleted", info.ID, info.Status)
						return &exit{exitConflict, &withAdvice{err, "to cancel it: " + m.command("runs", "cancel", info.ID)}}
					}
					o.Runs = append(o.Runs, info.ID)
				}
				return m.prune(ctx, h, o, &untouchedFlags{before: "now", json: asJSON})
			})
		},
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would be deleted")
	c.Flags().BoolVar(&asJSON, "json", false, "write one line of JSON for each run")
	return c
}
