package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/recipe"
)

// answersFor reads the --answer flags of a run of r. What r would not take is refused before the run begins or goes on.
func (m *Main) answersFor(r loaded, flags []string) (map[string][]json.RawMessage, error) {
	answers, err := m.parseAnswers(flags, r.Plan())
	if err != nil {
		return nil, err
	}
	asks, ok := r.(*recipe.Recipe)
	if !ok {
		return answers, nil
	}
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		for _, answer := range answers[name] {
			if err := asks.CheckAnswer(placeOf(name), answer); err != nil {
				return nil, invalidf("--answer %s=%s: %v; nothing was done", name, answer, err)
			}
		}
	}
	return answers, nil
}

// refuseContrary compares --answer with the answers that a run has had. The same answer again is taken out of answers, and has no
// effect; another one is a conflict, as it is for `tasks answer` (law H2). An answer is for a later visit of its node where
// the task that had asked is finished and the run goes on.
func (m *Main) refuseContrary(ctx context.Context, h *house, info *fermata.RunInfo, j *job) error {
	if len(j.answers) == 0 {
		return nil
	}
	list, err := h.Inbox(ctx, journal.InboxFilter{Run: info.ID, All: true})
	if err != nil {
		return err
	}
	slices.SortStableFunc(list, func(a, b fermata.Interrupt) int { return int(a.Opened - b.Opened) })
	finished := make(map[string]bool)
	for i := range j.before {
		if ev := &j.before[i]; ev.Entry.Kind == journal.NodeFinished {
			finished[ev.Task()] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(j.answers)) {
		var last *fermata.Interrupt
		for i := range list {
			if q := &list[i]; isFor(name, &q.Interrupt) {
				last = q
			}
		}
		switch {
		case last == nil && info.Ended() && !j.retries:
			return m.notAsked(info, name, list)
		case last == nil || last.IsOpen() || !info.Ended() && finished[last.Task] || j.retries && finished[last.Task]:
			continue
		}
		value, err := reviewAnswer(&last.Interrupt, j.answers[name][0], "")
		if err == nil {
			err = h.Answer(ctx, last.ID, value, append(j.flags.options(), fermata.Hold())...)
		}
		if err != nil {
			return m.explainAnswer(&last.Interrupt, err)
		}
		j.answers[name] = j.answers[name][1:]
	}
	return nil
}

// isFor reports whether an answer to a node, as --answer names it, is for a question.
func isFor(name string, q *journal.Interrupt) bool {
	return nodeOf(q.Task) == name || placeOf(q.Task) == name
}

// notAsked is the error of an answer that fits no question. It names the open ones.
func (m *Main) notAsked(info *fermata.RunInfo, name string, list []fermata.Interrupt) error {
	var open []string
	for i := range list {
		if list[i].IsOpen() {
			open = append(open, nodeOf(list[i].Task))
		}
	}
	err := fmt.Errorf("--answer %s: run %s has no such question open", name, info.ID)
	switch {
	case len(open) > 0:
		err = fmt.Errorf("%w; open: %s", err, strings.Join(open, ", "))
	case info.Ended():
		err = fmt.Errorf("--answer %s: run %s is %s, and never asked it", name, info.ID, info.Status)
	}
	return &exit{exitConflict, &withAdvice{err, "to see its state: " + m.command("runs", "show", info.ID)}}
}

// unused complains about answers for a run that rests and asks something else. It returns nil where one of them was used: the
// others may be for later.
func (d *execution) unused(ctx context.Context, res *fermata.Result) error {
	if d.job.begins || res.Status != fermata.Paused || d.gate.answered > 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(d.job.answers)) {
		if len(d.job.answers[name]) == 0 {
			continue
		}
		info, err := d.house.Info(ctx, res.Run)
		if err != nil {
			return err
		}
		return d.m.notAsked(&info, name, res.Interrupts)
	}
	return nil
}
