package main

import (
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

// The beginnings of ids, which may be left out.
const runPrefix, taskPrefix = "run_", "int_"

// findRun finds a run by its id, or by a prefix that only one id has, with "run_" or without.
func (m *Main) findRun(ctx context.Context, h *house, given string) (fermata.RunInfo, error) {
	if given == "" {
		return fermata.RunInfo{}, usagef("expected the id of a run, found an empty text")
	}
	info, err := h.Info(ctx, given)
	if err == nil && info.Kind != "definition" || err != nil && !errors.Is(err, fermata.ErrNotFound) {
		return info, err
	}
	rows, err := h.Runs(ctx, journal.RunFilter{})
	if err != nil {
		return fermata.RunInfo{}, err
	}
	i, err := m.only(h, given, "run", runPrefix, runIDs(rows), "runs", runIDs(rows))
	if err != nil {
		return fermata.RunInfo{}, err
	}
	return rows[i], nil
}

// withRun is withStore for a command about one run, which findRun finds.
func (m *Main) withRun(ctx context.Context, given string, do func(ctx context.Context, h *house, info fermata.RunInfo) error) error {
	return m.withStore(ctx, func(ctx context.Context, h *house) error {
		info, err := m.findRun(ctx, h, given)
		if err != nil {
			return err
		}
		return do(ctx, h, info)
	})
}

// onRun makes a command one about a run, which it does something with.
func (m *Main) onRun(c *cobra.Command, do func(ctx context.Context, h *house, info fermata.RunInfo) error) *cobra.Command {
	c.Args, c.ValidArgsFunction = oneRun, m.completeRuns
	c.RunE = func(c *cobra.Command, args []string) error { return m.withRun(c.Context(), args[0], do) }
	return c
}

// findTask finds an interrupt in the same way.
func (m *Main) findTask(ctx context.Context, h *house, given string) (fermata.Interrupt, error) {
	if given == "" {
		return fermata.Interrupt{}, usagef("expected the id of a task, found an empty text")
	}
	exact, err := h.Inbox(ctx, journal.InboxFilter{ID: given, All: true})
	if err != nil {
		return fermata.Interrupt{}, err
	}
	if len(exact) == 1 {
		return exact[0], nil
	}
	list, err := h.Inbox(ctx, journal.InboxFilter{All: true})
	if err != nil {
		return fermata.Interrupt{}, err
	}
	open := slices.DeleteFunc(slices.Clone(list), func(q fermata.Interrupt) bool { return !q.IsOpen() })
	if len(byPrefix(given, taskPrefix, ids(open))) > 0 {
		list = open // closed ones count only where no open one is meant
	}
	found := byPrefix(given, taskPrefix, ids(list))
	if len(found) == 0 { // it may be a run that asks one question
		for i := range open {
			if q := &open[i]; q.Run == given || strings.HasPrefix(q.Run, runPrefix+given) || strings.HasPrefix(q.Run, given) {
				found = append(found, i)
			}
		}
		list = open
	}
	if len(found) > 1 {
		return fermata.Interrupt{}, severalTasks(given, list, found)
	}
	if len(found) == 1 {
		return list[found[0]], nil
	}
	_, err = m.only(h, given, "task", taskPrefix, ids(list), "open tasks", ids(open))
	return fermata.Interrupt{}, err
}

// severalTasks is the error of what may be one of several tasks: each with its run and its question.
func severalTasks(given string, list []fermata.Interrupt, found []int) error {
	lines := make([]string, 0, shown)
	for _, i := range found[:min(len(found), shown)] {
		q := &list[i]
		lines = append(lines, q.ID+"  "+term.OneLine(q.Run+"  "+nodeOf(q.Task)+"  "+q.Prompt))
	}
	if len(found) > shown {
		lines = append(lines, "…")
	}
	return usagef("%q may be one of %d tasks:\n%s", given, len(found), strings.Join(lines, "\n"))
}

// only is the one id that begins with what was given. Where there is none the message has known ones, which noun names.
func (m *Main) only(h *house, given, what, prefix string, ids []string, noun string, known []string) (int, error) {
	found := byPrefix(given, prefix, ids)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, usagef("no %s %q in %s%s%s", what, given, h.dsn, m.known(what+"s", noun, given, known), m.elsewhere(h.dsn))
	}
	return 0, usagef("%q begins the ids of %d %ss: %s", given, len(found), what, pick(ids, found))
}

// byPrefix finds the ids that begin with what was given, with or without their kind in front.
func byPrefix(given, kind string, ids []string) []int {
	var found []int
	for i, id := range ids {
		if strings.HasPrefix(id, given) || strings.HasPrefix(id, kind+given) {
			found = append(found, i)
		}
	}
	return found
}

// shown is how many ids a message names.
const shown = 5

func pick(ids []string, at []int) string {
	var names []string
	for _, i := range at[:min(len(at), shown)] {
		names = append(names, ids[i])
	}
	if len(at) > shown {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// known ends a message about an id that is not there: the nearest one, or the newest ones. noun names what is listed.
func (m *Main) known(what, noun, given string, ids []string) string {
	if near := nearest.Name(given, ids); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	if len(ids) == 0 {
		return "; it has no " + noun + " (" + m.command(what, "ls") + ")"
	}
	var at []int
	for i := range min(len(ids), 3) {
		at = append(at, i)
	}
	return "; there are " + pick(ids, at) + " (" + m.command(what, "ls") + ")"
}

// elsewhere ends a message about an id that is not there: the servers that the environment names beside this store.
func (m *Main) elsewhere(here dsn) string {
	var stores []string
	for _, kind := range serverKinds().Names() {
		if d, err := m.serverOf(kind); err == nil && d.kind != "" && d.at != here.at {
			stores = append(stores, "--store "+kind+":")
		}
	}
	if len(stores) == 0 {
		return ""
	}
	return "; elsewhere: " + strings.Join(stores, ", ")
}

// shortID is an id as people type it: as much of it as is unique among the given ones, and at least the part that
// holds its time, so that no later id begins the same.
func shortID(id string, among []string) string {
	kind, rest, ok := strings.Cut(id, "_")
	const timed = 13 // "01939f2e-7abc": the milliseconds of a version 7 UUID
	if !ok || len(rest) != 36 {
		return id
	}
	n := timed
	for _, other := range among {
		for other != id && n < len(rest) && strings.HasPrefix(other, kind+"_"+rest[:n]) {
			n++
		}
	}
	if n > 0 && rest[n-1] == '-' {
		n++
	}
	return kind + "_" + rest[:min(n, len(rest))]
}

// completeRuns and completeTasks complete ids for shells.
func (m *Main) completeRuns(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	_ = m.withStore(cmd.Context(), func(ctx context.Context, h *house) error {
		rows, err := h.Runs(ctx, journal.RunFilter{Limit: 50})
		for i := range rows {
			ids = append(ids, rows[i].ID+"\t"+rows[i].Plan+", "+rows[i].Status+", "+term.Ago(time.UnixMicro(rows[i].Updated), m.Now()))
		}
		return err
	})
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func (m *Main) completeTasks(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	_ = m.withStore(cmd.Context(), func(ctx context.Context, h *house) error {
		list, err := h.Inbox(ctx, journal.InboxFilter{})
		list = forPeople(list) // of whom there may be few among many conversations
		for i := range min(len(list), 50) {
			ids = append(ids, list[i].ID+"\t"+list[i].Task+": "+term.OneLine(list[i].Prompt))
		}
		return err
	})
	return ids, cobra.ShellCompDirectiveNoFileComp
}
