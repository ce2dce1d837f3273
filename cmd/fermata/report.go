package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/progress"
	"github.com/fermata-go/fermata/cmd/fermata/internal/show"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// resultLine is the last line of --json.
type resultLine struct {
	Type       string              `json:"type"`
	Run        string              `json:"run"`
	Status     fermata.Status      `json:"status"`
	Outputs    json.RawMessage     `json:"outputs"`
	Interrupts []fermata.Interrupt `json:"interrupts"`       // with the resume tokens that this process was given
	Awaits     []awaitedMessage    `json:"awaits,omitempty"` // calls that wait for messages
	Hold       *shownHold          `json:"hold,omitempty"`   // why it is held
	Error      *resultError        `json:"error,omitempty"`
}

func lineOfResult(res *fermata.Result) resultLine {
	line := resultLine{
		Type: "result", Run: res.Run, Status: res.Status, Outputs: res.Output, Hold: holdOf(res), Error: resultErrorOf(res.Err),
		Interrupts: make([]fermata.Interrupt, len(res.Interrupts)),
	}
	copy(line.Interrupts, res.Interrupts)
	return line
}

// resultError is why a run did not complete, or a command did not do what it was asked.
type resultError struct {
	Code    string `json:"code"`
	Task    string `json:"task,omitempty"`
	Message string `json:"message"`
}

// writeLine writes one line of JSON to stdout.
func (m *Main) writeLine(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		m.complain(err)
		return
	}
	m.out.Println(string(data))
}

func resultErrorOf(err error) *resultError {
	if err == nil {
		return nil
	}
	if door, ok := errors.AsType[*fermata.Error](err); ok {
		return &resultError{Code: string(door.Code), Task: door.Task, Message: err.Error()}
	}
	names := map[int]string{exitUsage: "usage", exitInvalid: "invalid", exitStore: "store", exitPaused: "stopped"}
	name := names[exitOf(err)]
	if errors.Is(err, errInterrupted) {
		name = "stopped"
	}
	return &resultError{Code: name, Message: err.Error()}
}

// report ends an executing command that did not come to a result: with --json that too is said in a last line.
func (m *Main) report(f *executeFlags, err error) error {
	if err != nil && f.json && !wasSaid(err) {
		m.writeLine(resultLine{Type: "result", Interrupts: []fermata.Interrupt{}, Error: resultErrorOf(err)})
	}
	return err
}

// finish reports how the run rests and returns the exit code that says so.
func (d *execution) finish(res fermata.Result, stopped error) error {
	code := exitOfResult(&res)
	if d.job.flags.json {
		line := lineOfResult(&res)
		if !res.Status.Ended() {
			line.Awaits = awaitedOf(d.tree)
		}
		if stopped != nil {
			line.Error = &resultError{Code: string(fermata.CodeStopped), Message: fermata.ErrStopped.Error()}
		}
		d.m.writeLine(line)
	}
	d.close(&res, stopped)
	if code == exitCompleted {
		return nil
	}
	return &exit{code: code}
}

// tellsAll is what a trace does.
const tellsAll = "what happened, step by step"

// close is the closing: how the run stands, its outputs, and what can be done next.
func (d *execution) close(res *fermata.Result, stopped error) {
	m, s := d.m, d.m.err
	styles := s.Styles()
	run := idFor(s, res.Run, nil)
	switch {
	case stopped != nil:
		m.headline(styles.Wait, "stopped", s.Glyphs().Dot+" the run can go on where it is")
		m.hints(hintTo("go on", "resume", run))
	case res.Status == fermata.Paused:
		d.closePaused(res)
	case res.Status == fermata.Blocked:
		m.headline(styles.Wait, "blocked", s.Glyphs().Dot+" the run is open, and cannot go on now")
		m.why(res)
		m.hints(hintTo("try again once that is mended", "runs", "retry", run), hintTo(tellsAll, "trace", run))
	case res.Status == fermata.Completed:
		m.headline(styles.Good, "completed", "in "+term.Duration(d.tree.Last.Sub(d.tree.Started)))
		if !d.job.flags.json {
			m.showOutputs(res.Output)
		}
		if !m.global.quiet {
			m.hints(hintTo(tellsAll, "trace", run))
		}
	default:
		m.headline(styles.Bad, string(res.Status), "after "+term.Duration(d.tree.Last.Sub(d.tree.Started)))
		m.why(res)
		m.hints(d.afterFailure(res, run)...)
	}
	if d.house.dsn.memory() && !res.Status.Ended() {
		s.Println("", "  "+styles.Bad.Apply("the run was kept in memory only, and is gone")+": use a --store that stays")
	}
	if s.TTY {
		s.Println("")
	}
}

// afterFailure are the commands that help where a run has failed. Where a call may have happened, a retry makes it no second time
// (law J5), and fails again: who has seen that it did not happen has a fork make it.
func (d *execution) afterFailure(res *fermata.Result, run string) []hint {
	next := []hint{hintTo(tellsAll, "trace", run)}
	switch {
	case errors.Is(res.Err, node.ErrOutcomeUnknown):
		d.m.err.Println("  The call may have happened: look there before you go on. If it did not, a fork makes it.", "")
		next = append(next, hintTo("find the seq before the call", "events", run), hintTo("make the call after all", "runs", "fork", run, "--at", "SEQ"))
	case res.Status == fermata.Failed || res.Status == fermata.Expired:
		next = append(next, hintTo("try again what failed", "runs", "retry", run))
	}
	return next
}

// headline says how a run stands.
func (m *Main) headline(style term.Style, word, rest string) {
	if m.global.quiet {
		return
	}
	indent := ""
	if m.err.Live {
		indent = "  "
	}
	m.err.Println("", indent+style.Apply(word)+" "+rest, "")
}

// hint is a command that may be of use now, and what it does.
type hint struct {
	does string
	args []string
}

func hintTo(does string, args ...string) hint { return hint{does, args} }

// hints shows commands to be copied. Of a run in memory there is nothing that they would find.
func (m *Main) hints(list ...hint) {
	s := m.err
	if m.forgets {
		return
	}
	t := term.Table{Indent: 2}
	for _, h := range list {
		t.Rows = append(t.Rows, []string{s.Styles().Code.Apply(m.command(h.args...)), s.Styles().Faint.Apply(h.does)})
	}
	for i, line := range t.Lines(s) {
		if s.TTY && term.Columns(line) > s.Width() { // a command is never cut, what it does may be left out
			line = "  " + t.Rows[i][0]
		}
		s.Println(line)
	}
	if m.hidden != "" && len(list) > 0 {
		s.Println("  " + s.Styles().Faint.Apply(m.hidden))
	}
}

// why says why a run did not complete.
func (m *Main) why(res *fermata.Result) {
	if res.Err == nil {
		return
	}
	text := res.Err.Error()
	if door, ok := errors.AsType[*fermata.Error](res.Err); ok {
		text = door.Err.Error()
		if door.Task != "" && !strings.HasPrefix(text, "task "+door.Task) {
			text = door.Task + ": " + text
		}
	}
	for _, line := range told(m.err, term.Style{}, text, m.err.Width()-4) {
		m.err.Println("  " + line)
	}
	m.err.Println("")
}

// closePaused says what the run waits for, and gives the exact command for each answer.
func (d *execution) closePaused(res *fermata.Result) {
	m, s := d.m, d.m.err
	styles := s.Styles()
	messages := d.tree.Awaits()
	why := "waits for " + awaitedThings(len(res.Interrupts), len(messages))
	if res.Hold != nil {
		why = heldText(res.Hold)
	}
	m.headline(styles.Wait, "paused", s.Glyphs().Dot+" "+why)
	all, next := ids(res.Interrupts), []hint{}
	if res.Hold != nil {
		next = append(next, hintTo("let it go on", "runs", "release", idFor(s, res.Run, nil)))
	}
	for i := range res.Interrupts {
		q := &res.Interrupts[i].Interrupt
		id := idFor(s, q.ID, all)
		text := term.OneLine(q.Prompt)
		if text == "" {
			text = "an answer is needed"
		}
		s.Println(s.Fit([]string{"  " + styles.Strong.Apply(term.Line(nodeOf(q.Task))) + "  " + text})...)
		if needs := d.needs(q); needs != "" {
			s.Println(s.Fit([]string{"  " + styles.Faint.Apply(needs)})...)
		}
		if why := d.notForMe(q); why != "" {
			s.Println("  " + styles.Faint.Apply(why))
		}
		if !m.forgets {
			s.Println("  "+styles.Code.Apply(m.answerCommand(q, id, d.job.flags.as, true)), "")
		}
		next = append(next, hintTo("the whole question", "tasks", "show", id))
	}
	for i := range messages {
		call := &messages[i]
		s.Println(s.Fit([]string{"  " + styles.Strong.Apply(term.Line(nodeOf(call.Task()))) + "  " + term.OneLine(progress.AwaitsMessage(call, m.Now()))})...)
		if !m.forgets {
			s.Println("  "+styles.Code.Apply(m.command("runs", "send", idFor(s, res.Run, nil), call.Name, "JSON")), "")
		}
	}
	m.hints(append(next, d.resumeHint(res))...)
}

// awaitedThings says how much a run waits for: "1 answer and 2 messages". A run that waits for neither waits for a time.
func awaitedThings(answers, messages int) string {
	switch {
	case answers+messages == 0:
		return "a time"
	case messages == 0:
		return term.Count(answers, "answer")
	case answers == 0:
		return term.Count(messages, "message")
	}
	return term.Count(answers, "answer") + " and " + term.Count(messages, "message")
}

// resumeHint is how the run goes on: in the role that a question needs, and as somebody else where none is for who sits here.
func (d *execution) resumeHint(res *fermata.Result) hint {
	args, role := []string{"resume", idFor(d.m.err, res.Run, nil)}, d.missingRole(res)
	does, others := "go on, once it is answered", false
	switch {
	case res.Hold != nil:
		does = "go on, once it is released"
	case len(res.Interrupts) == 0:
		does = "go on, once the message is sent"
	}
	if d.gate.asker != nil {
		does = "go on, and be asked here"
		others = !slices.ContainsFunc(res.Interrupts, func(q fermata.Interrupt) bool { return d.notForMe(&q.Interrupt) == "" })
	}
	if others {
		role = cmp.Or(role, d.job.flags.role)
	}
	if role != "" {
		args = append(args, "--role", role)
	}
	if others {
		args = append(args, "--as", somebody)
	}
	return hintTo(does, args...)
}

// missingRole is the role in which a question could have been asked here.
func (d *execution) missingRole(res *fermata.Result) string {
	for i := range res.Interrupts {
		if role := res.Interrupts[i].Role; role != "" && role != d.job.flags.role {
			return role
		}
	}
	return ""
}

// notForMe says why who sits here may not answer a question, where another person has to; "" where nothing speaks against it.
func (d *execution) notForMe(q *journal.Interrupt) string {
	me := cmp.Or(d.job.flags.as, d.m.user())
	if !slices.ContainsFunc(q.NotBy, func(name string) bool { return fermata.SamePerson(name, me) }) {
		return ""
	}
	return "not asked here: it needs a second person"
}

// needs says what an answer needs: one of the options, a role, a time.
func (d *execution) needs(q *journal.Interrupt) string {
	var parts []string
	if len(q.Options) > 0 {
		options := make([]string, len(q.Options))
		for i, option := range q.Options {
			options[i] = term.Line(option)
		}
		parts = append(parts, strings.Join(options, ", "))
	}
	if who := d.m.awaited(q); who != "" {
		parts = append(parts, who)
	}
	return strings.Join(parts, " "+d.m.err.Glyphs().Dot+" ")
}

// showOutputs lays a completed run's outputs out on stdout.
func (m *Main) showOutputs(outputs json.RawMessage) {
	s := m.out
	if isNull(outputs) {
		return
	}
	indent, width := "", s.Width()
	if s.TTY {
		indent, width = "  ", min(width, 110)-2
	}
	for _, line := range (show.Layout{Screen: s, Width: width}).JSON(outputs) {
		s.Println(strings.TrimRight(indent+line, " "))
	}
	if s.TTY {
		s.Println("")
	}
}

// complain says an error on stderr.
func (m *Main) complain(err error) {
	s := m.err
	if loading, ok := errors.AsType[*definition.Error](err); ok {
		m.showProblems(s, loading.Problems)
		return
	}
	text := err.Error()
	var advice []string
	for with, ok := errors.AsType[*withAdvice](err); ok; with, ok = errors.AsType[*withAdvice](with.err) {
		before, last := strings.CutSuffix(text, "\n  "+with.advice)
		if !last {
			break
		}
		text, advice = before, append([]string{"  " + with.advice}, advice...)
	}
	lines := told(s, term.Style{}, text, math.MaxInt)
	s.Println(s.Styles().Bad.Apply("fermata: ") + lines[0])
	s.Println(lines[1:]...)
	s.Println(advice...)
}

// told is text of somebody in lines of a style, of at most so many columns. Those behind its line ends have a bar in front, so that none
// looks like one of the command's own (law H9).
func told(s *term.Screen, style term.Style, text string, width int) []string {
	bar := s.Styles().Faint.Apply(s.Glyphs().Bar) + " "
	first, rest, more := strings.Cut(term.Plain(strings.TrimRight(text, "\n")), "\n")
	lines := term.Wrap(first, width)
	if more {
		for _, line := range term.Wrap(rest, width-2) {
			lines = append(lines, bar+line)
		}
	}
	for i, line := range lines {
		lines[i] = style.Apply(line)
	}
	return lines
}
