package main

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/form"
	"github.com/fermata-go/fermata/cmd/fermata/internal/progress"
	"github.com/fermata-go/fermata/cmd/fermata/internal/show"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/journal"
)

// longestEvidence is the longest list of a question's evidence that is shown whole.
const longestEvidence = 20

// awaited says who is asked, and until when; "" for anybody, at any time.
func (m *Main) awaited(q *journal.Interrupt) string {
	return strings.TrimPrefix(strings.TrimPrefix(progress.Awaits(q, m.Now()), "waits for an answer"), ", ")
}

// questionLines are what a person is shown before an answer: who asks whom until when, the prompt, the evidence.
func (m *Main) questionLines(s *term.Screen, q *journal.Interrupt) []string {
	styles, glyphs := s.Styles(), s.Glyphs()
	bar := styles.Wait.Apply(glyphs.Bar)
	head := styles.Wait.Apply(glyphs.Top) + " " + styles.Strong.Apply(term.OneLine(nodeOf(q.Task)))
	if who := m.awaited(q); who != "" {
		head += "  " + styles.Faint.Apply(who)
	}
	lines := []string{head, bar}
	width := min(s.Width(), 100) - 6
	body := term.Wrap(term.Plain(strings.TrimSpace(q.Prompt)), width)
	if q.Prompt == "" {
		body = nil
	}
	if evidence := (show.Layout{Screen: s, Width: width, Rows: longestEvidence}).JSON(q.Request); len(evidence) > 0 && !isNull(q.Request) {
		if len(body) > 0 {
			body = append(body, "")
		}
		body = append(body, evidence...)
	}
	for _, line := range body {
		lines = append(lines, strings.TrimRight(bar+" "+line, " "))
	}
	if len(body) > 0 {
		lines = append(lines, bar)
	}
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

func isNull(data json.RawMessage) bool {
	text := strings.TrimSpace(string(data))
	return text == "null" || text == "{}" || text == ""
}

// showQuestion shows a question above its form.
func (m *Main) showQuestion(q *journal.Interrupt) {
	m.err.Println(m.questionLines(m.err, q)...)
}

// endQuestion closes the block of a question with its answer, or with what became of it.
func (m *Main) endQuestion(answer json.RawMessage, became string) {
	s := m.err
	styles, glyphs := s.Styles(), s.Glyphs()
	bottom := "  " + styles.Wait.Apply(glyphs.Bottom) + " "
	if answer == nil {
		s.Println(bottom+styles.Faint.Apply(became), "")
		return
	}
	lines := (show.Layout{Screen: s, Width: min(s.Width(), 100) - 6, Rows: longestEvidence}).JSON(answer)
	for i, line := range lines {
		if i == len(lines)-1 {
			s.Println(bottom + styles.Strong.Apply(line))
		} else {
			s.Println("  " + styles.Wait.Apply(glyphs.Bar) + " " + styles.Strong.Apply(line))
		}
	}
	s.Println("")
}

// somebody stands in a command for who is to give it: not whoever is shown it.
const somebody = "SOMEBODY"

// answerCommand is the exact command that answers a question later.
func (m *Main) answerCommand(q *journal.Interrupt, id, as string, resume bool) string {
	sample := "null"
	if w, ok := waitingOf(q); ok && !w.Handoff {
		return m.command("chat", "--thread", q.Run)
	} else if ok {
		sample = "TEXT"
	} else if _, ok := reviewOf(q); ok {
		sample = "approve"
	} else if f, err := form.New(q.ResponseSchema, q.Options); err == nil {
		sample = string(f.Sample())
	}
	args := []string{"tasks", "answer", id, "--value", sample}
	if q.Role != "" {
		args = append(args, "--role", q.Role)
	}
	switch {
	case q.State == journal.Claimed && q.ClaimedBy != "" && !fermata.SamePerson(q.ClaimedBy, m.user()):
		args = append(args, "--as", q.ClaimedBy)
	case q.Assignee != "" && !fermata.SamePerson(q.Assignee, m.user()):
		args = append(args, "--as", q.Assignee)
	case !mayBe(q, cmp.Or(as, m.user())): // four eyes: whoever is shown this may not answer it
		args = append(args, "--as", somebody)
	case as != "" && as != m.user():
		args = append(args, "--as", as)
	}
	if q.NeedsToken {
		args = append(args, "--token-file", "FILE")
	}
	if resume {
		args = append(args, "--resume")
	}
	return m.command(args...)
}

// idFor is an id as a screen shows it: short where a person reads it, whole where a program may.
func idFor(s *term.Screen, id string, among []string) string {
	if s.TTY {
		return shortID(id, among)
	}
	return id
}

// each is something of each element of a list: its id.
func each[T any](list []T, of func(*T) string) []string {
	all := make([]string, len(list))
	for i := range list {
		all[i] = of(&list[i])
	}
	return all
}

// ids are the ids of interrupts.
func ids(list []fermata.Interrupt) []string {
	return each(list, func(q *fermata.Interrupt) string { return q.ID })
}

// runIDs are the ids of runs.
func runIDs(rows []fermata.RunInfo) []string {
	return each(rows, func(r *fermata.RunInfo) string { return r.ID })
}
