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
	"github.com/fermata-go/fermata/plan"
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
// effect; another one is a conflict, as it is for `tasks answer` (law H2). Where the run goes on and the node may ask again, the
// answer is for then; [execution.unused] looks at what is left over.
func (m *Main) refuseContrary(ctx context.Context, h *house, info *fermata.RunInfo, j *job) error {
	if len(j.answers) == 0 {
		return nil
	}
	list, err := h.Inbox(ctx, journal.InboxFilter{Run: info.ID, All: true})
	if err != nil {
		return err
	}
	finished := make(map[string]bool)
	for i := range j.before {
		if ev := &j.before[i]; ev.Entry.Kind == journal.NodeFinished {
			finished[ev.Task()] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(j.answers)) {
		last := lastFor(name, list)
		switch {
		case last == nil && info.Ended() && !j.retries:
			return m.notAsked(info, name, list)
		case last == nil || last.IsOpen():
			continue
		case (!info.Ended() || j.retries) && (finished[last.Task] || !asksOnce(j.plan, name)):
			continue
		}
		if err := m.same(ctx, h, last, name, j); err != nil {
			return err
		}
	}
	return nil
}

// sameAgain takes the first answer to a node out of answers where the last question of the node was answered with it. Another
// one is a conflict; it does nothing where there was no question.
func (m *Main) sameAgain(ctx context.Context, h *house, info *fermata.RunInfo, name string, j *job) error {
	list, err := h.Inbox(ctx, journal.InboxFilter{Run: info.ID, All: true})
	if err != nil {
		return err
	}
	if last := lastFor(name, list); last != nil && last.State == journal.Answered {
		return m.same(ctx, h, last, name, j)
	}
	return nil
}

func (m *Main) same(ctx context.Context, h *house, q *fermata.Interrupt, name string, j *job) error {
	value, err := reviewAnswer(&q.Interrupt, j.answers[name][0], "")
	if err == nil {
		err = h.Answer(ctx, q.ID, value, append(j.flags.options(), fermata.Hold())...)
	}
	if err != nil {
		return m.explainAnswer(&q.Interrupt, err)
	}
	j.answers[name] = j.answers[name][1:]
	return nil
}

// lastFor is the question of a node that was asked last; nil for none.
func lastFor(name string, list []fermata.Interrupt) (last *fermata.Interrupt) {
	for i := range list {
		if q := &list[i]; isFor(name, &q.Interrupt) && (last == nil || q.Opened >= last.Opened) {
			last = q
		}
	}
	return last
}

// asksOnce reports whether a node asks one question in a run: it is a person's, it is in no other node, and no way leads back to
// it.
func asksOnce(p *plan.Plan, name string) bool {
	from, ok := p.Index(name)
	if !ok || strings.Contains(name, "/") || p.Flat()[from].Kind != plan.Human {
		return false
	}
	seen, todo := make(map[int]bool), []int{from}
	for len(todo) > 0 {
		f := &p.Flat()[todo[0]]
		next := slices.Clone(f.Next)
		for _, t := range slices.Concat(f.Choices, f.Failures, f.Deadlines) {
			next = append(next, t.Index)
		}
		todo = todo[1:]
		for _, i := range next {
			if i == from {
				return false
			}
			if i >= 0 && !seen[i] {
				seen[i] = true
				todo = append(todo, i)
			}
		}
	}
	return true
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

// unused complains about answers that nothing has asked for while the run went on: one that is contrary to the answer that the node
// has had, or where the run asks something else now. It returns nil where one of them was used: the others may be for later.
func (d *execution) unused(ctx context.Context, res *fermata.Result) error {
	if d.job.begins || d.gate.answered > 0 {
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
		again := job{flags: d.job.flags, plan: d.job.plan, answers: map[string][]json.RawMessage{name: d.job.answers[name]}}
		if err := d.m.sameAgain(ctx, d.house, &info, name, &again); err != nil || res.Status != fermata.Paused || len(again.answers[name]) == 0 {
			return err
		}
		return d.m.notAsked(&info, name, res.Interrupts)
	}
	return nil
}
