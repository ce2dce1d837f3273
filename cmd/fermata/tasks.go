package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/form"
	"github.com/fermata-go/fermata/cmd/fermata/internal/progress"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/internal/identity"
	"github.com/fermata-go/fermata/journal"
)

func (m *Main) tasksCommand() *cobra.Command {
	return listing("tasks", "List and answer the questions that wait for people",
		m.tasksListCommand(), m.tasksShowCommand(), m.tasksAnswerCommand(), m.tasksClaimCommand(), m.tasksReleaseCommand(),
		m.tasksReassignCommand(), m.tasksEscalateCommand())
}

// taskLine is a question in --json.
type taskLine struct {
	fermata.Interrupt
	next string // of the last question of a page: the cursor of the next one
}

// MarshalJSON returns the question with the cursor as its last member.
func (l taskLine) MarshalJSON() ([]byte, error) {
	data, err := l.Interrupt.MarshalJSON()
	if err != nil || l.next == "" {
		return data, err
	}
	next, err := json.Marshal(l.next)
	return append(append(append(data[:len(data)-1], `,"next":`...), next...), '}'), err
}

func (m *Main) listTasks(h *house, list []fermata.Interrupt, next string, asJSON bool) {
	if asJSON {
		for i := range list {
			line := taskLine{Interrupt: list[i]}
			if i == len(list)-1 {
				line.next = next
			}
			m.writeLine(line)
		}
		return
	}
	if len(list) == 0 {
		m.err.Println("nothing waits for anybody in " + h.dsn.String())
		return
	}
	s, styles := m.out, m.out.Styles()
	all, runs := ids(list), each(list, func(q *fermata.Interrupt) string { return q.Run })
	t := term.Table{Head: []string{"TASK", "RUN", "NODE", "FOR", "UNTIL", "STATE", "QUESTION"}}
	for i := range list {
		q := &list[i].Interrupt
		who, until := "anyone", styles.Faint.Apply(s.Glyphs().Dash)
		switch {
		case q.Assignee != "" && q.Role != "":
			who = identity.Shown(q.Assignee, q.AssigneeName) + " (" + q.Role + ")"
		case q.Assignee != "":
			who = identity.Shown(q.Assignee, q.AssigneeName)
		case q.Role != "":
			who = q.Role
		}
		if q.Deadline != 0 {
			until = m.deadline(s, q.Deadline)
			if progress.Overdue(q, m.Now()) {
				until = "overdue since " + until
			}
		}
		state := q.State
		if q.State == journal.Claimed && q.ClaimedBy != "" {
			state += " by " + term.OneLine(identity.Shown(q.ClaimedBy, q.ClaimedByName))
		}
		prompt := term.OneLine(asks(q))
		if !s.TTY {
			prompt = s.Cut(prompt, 60)
		}
		t.Rows = append(t.Rows, []string{
			idFor(s, q.ID, all), idFor(s, q.Run, runs), term.OneLine(nodeOf(q.Task)), term.OneLine(who), until, stateStyle(styles, q.State).Apply(state), prompt,
		})
	}
	s.Println(s.Fit(t.Lines(s))...)
}

// deadline is a time to come.
func (m *Main) deadline(s *term.Screen, at int64) string {
	t := time.UnixMicro(at)
	if s.TTY {
		return term.When(t, m.Now())
	}
	return term.Moment(t, m.Now())
}

func stateStyle(styles term.Styles, state string) term.Style {
	switch state {
	case journal.Open, journal.Claimed:
		return styles.Wait
	case journal.Answered:
		return styles.Good
	default:
		return styles.Faint
	}
}

func (m *Main) tasksShowCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:               "show TASK",
		Short:             "Show a question with its evidence, and how to answer it",
		Args:              oneTask,
		ValidArgsFunction: m.completeTasks,
		RunE: func(c *cobra.Command, args []string) error {
			return m.withStore(c.Context(), func(ctx context.Context, h *house) error {
				q, err := m.findTask(ctx, h, args[0])
				if err != nil {
					return err
				}
				if asJSON {
					m.writeLine(q)
					return nil
				}
				info, err := h.Info(ctx, q.Run)
				if err != nil {
					return err
				}
				m.showTask(&q.Interrupt, resumable(&info))
				return nil
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write it as JSON")
	return c
}

// showTask shows a question; goesOn says that this command can go on with the run when it is answered.
func (m *Main) showTask(q *journal.Interrupt, goesOn bool) {
	s, styles := m.out, m.out.Styles()
	lines := m.questionLines(s, q)
	lines[len(lines)-1] = "  " + styles.Wait.Apply(s.Glyphs().Bottom)
	s.Println(lines...)
	facts := term.Table{Indent: 2}
	fact := func(name, value string) {
		if value != "" {
			facts.Rows = append(facts.Rows, []string{styles.Faint.Apply(name), term.OneLine(value)})
		}
	}
	fact("task", q.ID)
	fact("run", q.Run)
	fact("state", q.State)
	fact("asked", m.moment(s, q.Opened))
	if q.Deadline != 0 {
		name, then := "until", ", then "
		if progress.Overdue(q, m.Now()) {
			name, then = "overdue since", "; when the run goes on, "
		}
		fact(name, m.deadline(s, q.Deadline)+then+afterwards(q.AtDeadline))
	}
	fact("for", q.Role)
	fact("assigned to", identity.Shown(q.Assignee, q.AssigneeName))
	fact("may override", q.OverrideRole)
	fact("not", notFor(q))
	if q.NeedsToken {
		fact("token", "an answer needs the resume token")
	}
	fact("claimed by", identity.Shown(q.ClaimedBy, q.ClaimedByName))
	fact("answer", string(q.Answer))
	fact("answered by", identity.Shown(q.AnsweredBy, q.AnsweredByName))
	s.Println(facts.Lines(s)...)
	if q.IsOpen() {
		if r, ok := reviewOf(q); ok {
			s.Println("", "  "+styles.Strong.Apply("The answer"))
			s.Println(reviewLines(s, r)...)
		} else if f, err := form.New(q.ResponseSchema, q.Options); err == nil && !(f.Single() && f.Fields[0].Kind == form.Prose) {
			s.Println("", "  "+styles.Strong.Apply("The answer"))
			s.Println(describe(s, f)...)
		}
		s.Println("", "  "+m.nextOf(s, q, idFor(s, q.ID, nil), goesOn))
	}
}

// nextOf is how an open question goes on: the command that answers it, or, past its deadline, the one that applies the deadline.
func (m *Main) nextOf(s *term.Screen, q *journal.Interrupt, id string, goesOn bool) string {
	styles := s.Styles()
	switch {
	case !progress.Overdue(q, m.Now()):
		return styles.Code.Apply(m.answerCommand(q, id, "", goesOn))
	case goesOn:
		return styles.Code.Apply(m.command("resume", idFor(s, q.Run, nil))) + "  " + styles.Faint.Apply("nobody can answer any more: "+afterwards(q.AtDeadline))
	}
	return styles.Faint.Apply("nobody can answer any more: the program that started the run applies the deadline")
}

// afterwards says what happens at a deadline.
func afterwards(d *journal.Deadline) string {
	if d == nil {
		return "the question expires"
	}
	switch d.Do {
	case "default":
		return "the answer is " + string(d.Answer)
	case "route":
		return "the run goes to " + d.Target
	case "escalate":
		return "the role " + d.Role + " is asked"
	}
	return "the question expires"
}

// describe says what an answer consists of.
func describe(s *term.Screen, f *form.Form) []string {
	t := term.Table{Indent: 2}
	for i := range f.Fields {
		field := &f.Fields[i]
		need := ""
		if !field.Required {
			need = "optional"
		}
		about := field.Help
		if about == "" && field.Title != field.Name() {
			about = field.Title
		}
		t.Rows = append(t.Rows, []string{term.Line(field.Name()), term.Line(field.Expects()), s.Styles().Faint.Apply(need), term.OneLine(about)})
	}
	return s.Fit(t.Lines(s))
}

type answerFlags struct {
	executeFlags
	value, note, tokenFile string
	resume                 bool
}

func (m *Main) tasksAnswerCommand() *cobra.Command {
	var f answerFlags
	c := &cobra.Command{
		Use:   "answer TASK",
		Short: "Answer a question",
		Long: "Answer a question. The answer is recorded, and the process that owns the run continues it. --resume continues it here, " +
			"as does `resume` later. Without --value the question is asked on the terminal.",
		Example: `fermata tasks answer int_01939f2e --value '"approve"' --resume
fermata tasks answer int_01939f2e --value @decision.json --role manager`,
		Args:              oneTask,
		ValidArgsFunction: m.completeTasks,
		RunE: func(c *cobra.Command, args []string) error {
			return m.report(&f.executeFlags, m.answerTask(c.Context(), args[0], c.Flags().Changed("value"), &f))
		},
	}
	c.Flags().StringVar(&f.value, "value", "", "the answer: `JSON`, or @FILE (@- is stdin); anything else is a text")
	c.Flags().StringVar(&f.note, "note", "", "why: a `text`, for the record; of a review, it is part of the answer")
	c.Flags().BoolVar(&f.resume, "resume", false, "resume the run")
	f.add(m, c)
	c.Flags().StringVar(&f.tokenFile, "token-file", "", tokenFileUsage)
	return c
}

func (m *Main) answerTask(ctx context.Context, given string, hasValue bool, f *answerFlags) error {
	var info fermata.RunInfo
	var id string
	err := m.withStore(ctx, func(ctx context.Context, h *house) error {
		q, err := m.findTask(ctx, h, given)
		if err != nil {
			return err
		}
		id = q.ID
		if info, err = h.Info(ctx, q.Run); err != nil {
			return err
		}
		opts, err := (&holder{f.speaker, f.tokenFile}).options(m)
		if err != nil {
			return err
		}
		value, err := m.answerValue(ctx, &q.Interrupt, hasValue, f)
		if err != nil {
			return err
		}
		if value, err = reviewAnswer(&q.Interrupt, spoken(&q.Interrupt, value), f.note); err != nil {
			return err
		}
		err = h.Answer(ctx, q.ID, value, append(opts, fermata.Hold(), fermata.WithNote(f.note))...)
		if err != nil {
			return m.explainAnswer(&q.Interrupt, m.overtaken(ctx, h, &q.Interrupt, f.as, err))
		}
		by, err := m.otherAnswerer(ctx, h, q.ID, f.as)
		if err != nil {
			return err
		}
		switch {
		case f.json && f.resume:
		case f.json && by == "":
			m.writeLine(map[string]any{"type": "answered", "requestId": q.ID, "run": q.Run, "answer": value})
		case f.json:
			m.writeLine(map[string]any{"type": "answered", "requestId": q.ID, "run": q.Run, "answer": value, "answeredBefore": true, "answeredBy": by})
		case by != "":
			m.err.Println(term.OneLine(by) + " answered " + q.ID + " before with the same value: " + term.OneLine(string(value)) + "; the answer of " +
				f.speaker.String() + " changes nothing")
		case !m.global.quiet:
			m.err.Println("answered " + q.ID + ": " + term.OneLine(string(value)))
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case f.resume && !resumable(&info):
		if f.json {
			m.writeLine(map[string]any{"type": "answered", "requestId": id, "run": info.ID})
		}
		m.err.Println("the answer is stored, and nothing is left to do here: " + goesOnElsewhere(&info))
		return &exit{code: exitConflict}
	case f.resume:
		return m.resume(ctx, info.ID, &f.executeFlags, resumption{})
	case !f.json && !m.global.quiet && resumable(&info):
		m.hints(hintTo("resume the run", "resume", idFor(m.err, info.ID, nil)))
	}
	return nil
}

// goesOnElsewhere says how a run goes on that this command cannot execute.
func goesOnElsewhere(info *fermata.RunInfo) string {
	return "run " + info.ID + " goes on in the program that started it. " +
		"That program continues it by itself if it calls Runtime.Work; else when it resumes the run."
}

// answerValue is the value of --value, or what the person at the terminal answers.
func (m *Main) answerValue(ctx context.Context, q *journal.Interrupt, hasValue bool, f *answerFlags) (json.RawMessage, error) {
	if hasValue {
		return m.readValue(f.value)
	}
	asker := m.asker()
	if f.noInput || asker == nil {
		return nil, usagef("expected --value JSON; there is no terminal to ask on")
	}
	m.showQuestion(q)
	value, err := ask(ctx, asker, q)
	switch {
	case errors.Is(err, form.ErrLater), errors.Is(err, form.ErrStop):
		m.endQuestion(nil, "not answered")
		return nil, &exit{code: exitPaused}
	case err != nil:
		return nil, err
	}
	m.endQuestion(value, "")
	return value, nil
}

// otherAnswerer returns who has answered a question where that is not the person who has just done so; "" otherwise (law H2).
func (m *Main) otherAnswerer(ctx context.Context, h *house, id, me string) (string, error) {
	found, err := h.Inbox(ctx, journal.InboxFilter{ID: id, All: true})
	if err != nil || len(found) == 0 {
		return "", err
	}
	switch q := &found[0]; {
	case identity.Same(q.AnsweredBy, me), identity.IsBlank(q.AnsweredBy) && identity.IsBlank(me):
		return "", nil
	case identity.IsBlank(q.AnsweredBy):
		return "a person without a name", nil
	default:
		return identity.Shown(q.AnsweredBy, q.AnsweredByName), nil
	}
}

// explainAnswer adds to an error what the answerer can do about it.
func (m *Main) explainAnswer(q *journal.Interrupt, err error) error {
	door, ok := errors.AsType[*fermata.Error](err)
	if !ok {
		return err
	}
	if _, late := errors.AsType[*fermata.LateError](err); late {
		return m.adviseLate(q.Run, err)
	}
	switch door.Code {
	case fermata.CodeInvalid:
		return &withAdvice{err, "what it takes: " + m.command("tasks", "show", q.ID)}
	case fermata.CodeForbidden:
		switch text := err.Error(); {
		case strings.Contains(text, "requires its resume token"):
			return &withAdvice{err, "to present it: --token-file FILE (- is standard input), or $" + tokenVariable}
		case strings.Contains(text, "may take it from them"):
			return &withAdvice{err, "to take it in that role: --role " + shellQuote(q.OverrideRole)}
		case q.Role == "":
		case strings.Contains(text, "asks for role"), strings.Contains(text, "is for role"):
			return &withAdvice{err, "to do so in that role: --role " + shellQuote(q.Role)}
		}
	case fermata.CodeConflict, fermata.CodeExpired:
		if _, known := errors.AsType[*withAdvice](err); known {
			return err
		}
		return &withAdvice{err, "to see its state: " + m.command("tasks", "show", q.ID)}
	default:
	}
	return err
}

// adviseLate adds how a run whose deadline has passed goes on: its questions are asked again then.
func (m *Main) adviseLate(run string, err error) error {
	return &withAdvice{err, "to go on with a new deadline: " + m.command("runs", "retry", run, "--deadline", "2h")}
}

// withAdvice is an error with a line that says what to do.
type withAdvice struct {
	err    error
	advice string
}

func (e *withAdvice) Error() string { return e.err.Error() + "\n  " + e.advice }
func (e *withAdvice) Unwrap() error { return e.err }
