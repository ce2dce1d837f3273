package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/progress"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/internal/mailbox"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/recipe"
)

// untakenLines say of each name which messages nobody has taken, and since when: "2 messages payments wait, the oldest since 3m ago".
func (m *Main) untakenLines(list []fermata.Untaken, ended bool) (lines []string) {
	var names []string
	of := make(map[string][]fermata.Untaken)
	for _, msg := range list {
		if of[msg.Name] == nil {
			names = append(names, msg.Name)
		}
		of[msg.Name] = append(of[msg.Name], msg)
	}
	for _, name := range names {
		all := of[name]
		first := all[0]
		text, does := "message "+term.OneLine(name), " waits: "
		if ended {
			does = " was never taken: "
		}
		sent := "sent " + m.moment(m.out, first.Sent.UnixMicro())
		if len(all) > 1 {
			text, does, sent = fmt.Sprintf("%d messages %s", len(all), term.OneLine(name)), " wait: ", "the oldest "+sent
			if ended {
				does = " were never taken: "
			}
		}
		if first.By != "" {
			sent += " by " + term.OneLine(first.By)
		}
		if first.ID != "" {
			sent += ", id " + term.OneLine(first.ID)
		}
		lines = append(lines, text+does+sent)
	}
	return lines
}

// showUntaken shows the messages that nobody has taken.
func (m *Main) showUntaken(list []fermata.Untaken, ended bool) {
	s := m.out
	for i, line := range m.untakenLines(list, ended) {
		if i == 0 {
			s.Println("")
		}
		s.Println(told(s, s.Styles().Wait, line, s.Width())...)
	}
}

// untakenOf are the messages of a trace.
func untakenOf(t *recipe.Trace) []fermata.Untaken {
	list := make([]fermata.Untaken, len(t.Messages))
	for i, msg := range t.Messages {
		list[i] = fermata.Untaken{Seq: msg.Seq, Name: msg.Name, ID: msg.ID, By: msg.By, Sent: msg.Timestamp}
	}
	return list
}

// mostRead bounds the entries that a list of runs reads, to say which messages wait.
const mostRead = 5_000

// queued counts the messages that wait in runs that rest, until there is too much to read.
// A journal that cannot be read is no reason to list no runs.
func (h *house) queued(ctx context.Context, rows []fermata.RunInfo) map[string]int {
	counts := make(map[string]int)
	read := uint64(0)
	for i := range rows {
		r := &rows[i]
		if status := fermata.Status(r.Status); status != fermata.Paused && status != fermata.Blocked {
			continue
		}
		if read += r.Head; read > mostRead {
			break
		}
		if box, err := h.mail(ctx, r.ID); err == nil {
			counts[r.ID] = len(box.Queued())
		}
	}
	return counts
}

// mail reads which messages a run has had.
func (h *house) mail(ctx context.Context, run string) (box mailbox.Box, err error) {
	for ev, err := range h.Events(ctx, run, 0, false) {
		if err != nil {
			return box, err
		}
		box.Apply(&ev.Entry)
	}
	return box, nil
}

// waitsFor is what a list notes of a run that rests: "waits for 1 answer, 2 messages wait".
func waitsFor(r *fermata.RunInfo, messages int) string {
	note := ""
	if r.Waiting > 0 {
		note = "waits for " + term.Count(r.Waiting, "answer")
	}
	switch {
	case messages == 1:
		return andThen(note, "1 message waits")
	case messages > 1:
		return andThen(note, term.Count(messages, "message")+" wait")
	}
	return note
}

// andThen joins what is to be said.
func andThen(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

// warnUntaken warns of a message that no node of the run's recipe takes. Of a plan that this command does not know it says nothing.
func (m *Main) warnUntaken(ctx context.Context, h *house, info *fermata.RunInfo, name string) {
	d, err := m.definition(ctx, h, *info, "", "")
	r, ok := d.(*recipe.Recipe)
	if err != nil || !ok {
		return
	}
	names, known := r.Messages()
	if !known || slices.Contains(names, name) {
		return
	}
	text := fmt.Sprintf("no receive of plan %s has the name %q", term.OneLine(info.Plan), name)
	if near := nearest.Name(name, names); near != "" {
		text += fmt.Sprintf("; nearest: %q", near)
	}
	text += "; it is kept until the run ends"
	tree := progress.NewTree(nil)
	for ev, err := range h.Events(ctx, info.ID, 0, false) {
		if err != nil {
			break // the run's deadline is a detail
		}
		tree.Apply(&ev)
	}
	if !tree.Until.IsZero() {
		text += ", at the latest " + term.Moment(tree.Until, m.Now())
	}
	m.err.Println(m.err.Styles().Wait.Apply("warning: ") + text)
}

// sentBefore reports whether the run has had a message with this id, so that another one has no effect (law M2).
func (h *house) sentBefore(ctx context.Context, run, id string) (bool, error) {
	if id == "" {
		return false, nil
	}
	box, err := h.mail(ctx, run)
	return box.Knows(id), err
}
