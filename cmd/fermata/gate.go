package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/form"
	"github.com/fermata-go/fermata/internal/identity"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/schema"
)

// move says that something has happened to a question, so that the run may go on.
type move uint8

const (
	movedNot       move = iota
	movedHere           // an answer was given here: the runtime continues the run
	movedElsewhere      // somebody else answered, and may not execute the run
)

// gate answers a run's questions: from --answer, or by asking whoever sits at the terminal.
type gate struct {
	d        *execution
	asker    form.Asker // nil where nobody is asked
	open     []journal.Interrupt
	given    map[string]bool // questions that were answered here
	refused  map[string]bool // questions whose answer was refused here: this person may not answer
	asking   string          // the question that is being asked, "" for none
	cancel   context.CancelCauseFunc
	later    bool // the person will answer later
	answered int  // how many questions were answered here
	replies  chan reply
}

// reply is what became of asking.
type reply struct {
	question journal.Interrupt
	answer   json.RawMessage
	err      error
}

// goneError is why asking ends when the question was closed elsewhere.
type goneError struct{ how string }

func (e *goneError) Error() string { return e.how }

func newGate(d *execution) *gate {
	g := &gate{d: d, given: map[string]bool{}, refused: map[string]bool{}, replies: make(chan reply, 1)}
	if !d.job.flags.noInput && !d.job.stdinUsed {
		g.asker = d.m.asker()
	}
	return g
}

// asker asks at the terminal; nil where there is none. Both stdin and stderr must be one.
func (m *Main) asker() form.Asker {
	in := m.terminal()
	switch {
	case in == nil || !m.err.TTY:
		return nil
	case !m.err.Live:
		return form.NewLines(in, m.err)
	}
	return &form.Terminal{
		In: in, Out: m.err.File(), Environ: m.Environ(), Editor: m.editor(),
		Unicode: m.err.Unicode,
	}
}

// editor is the person's own: VISUAL, EDITOR, else vi.
func (m *Main) editor() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if command := strings.Fields(m.Getenv(name)); len(command) > 0 {
			return command
		}
	}
	return []string{"vi"}
}

// node is the path of the node that asks: its task without the visit.
func nodeOf(task string) string {
	if i := strings.LastIndexByte(task, '#'); i >= 0 {
		return task[:i]
	}
	return task
}

// placeOf is where a task is in the plan: "each/ask" of the task "each#1.2/ask#1".
func placeOf(task string) string {
	parts := strings.Split(task, "/")
	for i, part := range parts {
		parts[i], _, _ = strings.Cut(part, "#")
	}
	return strings.Join(parts, "/")
}

// observe keeps track of the questions that are open.
func (g *gate) observe(ev *fermata.Event) move {
	e := &ev.Entry
	switch e.Kind {
	case journal.InterruptOpened:
		var q journal.Interrupt
		if json.Unmarshal(e.Body, &q) == nil {
			g.add(q)
		}
	case journal.InterruptUpdated:
		var body journal.UpdatedBody
		if i := g.find(e.Op); i >= 0 && json.Unmarshal(e.Body, &body) == nil {
			body.Update(&g.open[i])
		}
	case journal.InterruptResolved:
		return g.resolved(e)
	case journal.RunFinished:
		return g.finished()
	default:
	}
	return movedNot
}

// resolved takes note that a question was closed.
func (g *gate) resolved(e *journal.Entry) move {
	if i := g.find(e.Op); i >= 0 {
		g.open = slices.Delete(g.open, i, i+1)
	}
	if g.given[e.Op] {
		return movedNot
	}
	g.given[e.Op] = true
	var body journal.ResolvedBody
	_ = json.Unmarshal(e.Body, &body)
	if g.asking == e.Op {
		g.cancel(&goneError{howClosed(&body, e.Value)})
	}
	if body.State == journal.Withdrawn {
		return movedHere // the run has ended
	}
	return movedElsewhere
}

// howClosed says in a few words who closed a question and how.
func howClosed(body *journal.ResolvedBody, answer []byte) string {
	text := body.State
	switch {
	case body.Default:
		text += " by the deadline's default"
	case body.By != "":
		text += " by " + identity.Shown(body.By, body.ByName)
	}
	if len(answer) > 0 {
		text += ": " + string(answer)
	}
	return text
}

// finished takes note that the run has ended: with it its questions.
func (g *gate) finished() move {
	for i := range g.open {
		g.given[g.open[i].ID] = true
	}
	g.open = nil
	if g.busy() {
		g.cancel(&goneError{"the run has ended"})
		return movedHere
	}
	return movedNot
}

// rest takes over the questions of a resting run: those of its earlier lives are among them.
func (g *gate) rest(list []fermata.Interrupt) {
	for i := range list {
		g.add(list[i].Interrupt)
	}
}

func (g *gate) add(q journal.Interrupt) {
	if !g.given[q.ID] && g.find(q.ID) < 0 {
		g.open = append(g.open, q)
	}
}

func (g *gate) find(id string) int {
	return slices.IndexFunc(g.open, func(q journal.Interrupt) bool { return q.ID == id })
}

func (g *gate) busy() bool { return g.asking != "" }

// next answers what --answer has an answer for, and begins to ask the first of the others that the person may answer.
func (g *gate) next(ctx context.Context, moved move) (move, error) {
	for _, q := range slices.Clone(g.open) {
		node := nodeOf(q.Task)
		if len(g.d.job.answers[node]) == 0 {
			node = placeOf(q.Task) // of an element that no answer names
		}
		queue := g.d.job.answers[node]
		if len(queue) == 0 || q.ID == g.asking {
			continue
		}
		g.d.job.answers[node] = queue[1:]
		if err := g.answer(ctx, &q, queue[0]); err != nil {
			return moved, g.notTaken(&q, node, err)
		}
		moved = movedHere
	}
	for i := range g.open {
		if !g.busy() && g.mayAsk(&g.open[i]) {
			g.begin(ctx, g.open[i])
		}
	}
	return moved, nil
}

// notTaken says what to do about an answer of the command line that was refused: the run is stored, and waits for another.
func (g *gate) notTaken(q *journal.Interrupt, node string, err error) error {
	err = g.d.m.explainAnswer(q, err)
	if g.d.m.forgets {
		return err
	}
	return &withAdvice{err, "run " + q.Run + " is stored, and still waits for the answer: " + g.d.m.command("resume", q.Run, "--answer", node+"=JSON")}
}

// mayAsk reports whether the question can be asked here: in the role that it needs, and claimed by nobody else.
func (g *gate) mayAsk(q *journal.Interrupt) bool {
	f := g.d.job.flags
	claimed := q.State == journal.Claimed && !fermata.SamePerson(q.ClaimedBy, f.as)
	return g.asker != nil && !g.later && !claimed && !g.refused[q.ID] && mayBe(q, f.as) && (q.Role == "" || q.Role == f.role)
}

// answer records an answer (law H2).
func (g *gate) answer(ctx context.Context, q *journal.Interrupt, value json.RawMessage) error {
	f := g.d.job.flags
	value, err := reviewAnswer(q, value, "")
	if err != nil {
		return err
	}
	if err := g.d.house.Answer(ctx, q.ID, value, f.speaker.options()...); err != nil {
		return err
	}
	g.given[q.ID] = true
	g.answered++
	if i := g.find(q.ID); i >= 0 {
		g.open = slices.Delete(g.open, i, i+1)
	}
	return nil
}

// begin shows a question and asks it, aside: the run may go on meanwhile.
func (g *gate) begin(ctx context.Context, q journal.Interrupt) {
	g.asking = q.ID
	ctx, g.cancel = context.WithCancelCause(ctx)
	g.d.view.Hold()
	g.d.m.showQuestion(&q)
	go func() {
		r := reply{question: q}
		r.answer, r.err = ask(ctx, g.asker, &q)
		g.replies <- r
	}()
}

// ask puts a question to a person until the answer fits.
func ask(ctx context.Context, asker form.Asker, q *journal.Interrupt) (json.RawMessage, error) {
	if r, ok := reviewOf(q); ok {
		return askReview(ctx, asker, q, r)
	}
	f, err := form.New(q.ResponseSchema, q.Options)
	if err != nil {
		return nil, err
	}
	return form.Ask(ctx, asker, f, checkAnswer(q))
}

// checkAnswer checks an answer before it is given: so that it can be corrected where it was typed.
func checkAnswer(q *journal.Interrupt) func(json.RawMessage) error {
	if len(q.ResponseSchema) == 0 {
		return nil
	}
	s, err := schema.Parse(q.ResponseSchema)
	if err != nil {
		return nil // the answer is checked where it is taken
	}
	return func(answer json.RawMessage) error {
		_, err := s.Normalize(answer)
		return err
	}
}

// take does with a reply what it says.
func (g *gate) take(ctx context.Context, r reply) (move, error) {
	g.asking = ""
	g.cancel(nil)
	defer g.d.view.Go()
	var gone *goneError
	switch {
	case errors.As(r.err, &gone):
		g.d.m.endQuestion(nil, gone.how)
		return movedNot, nil
	case errors.Is(r.err, form.ErrLater):
		g.later = true
		g.d.m.endQuestion(nil, "left for later")
		return movedNot, nil
	case errors.Is(r.err, form.ErrStop):
		g.d.m.endQuestion(nil, "not answered")
		return movedNot, errInterrupted
	case r.err != nil:
		return movedNot, r.err
	}
	err := g.answer(ctx, &r.question, r.answer)
	var door *fermata.Error
	if errors.As(err, &door) && (door.Code == fermata.CodeConflict || door.Code == fermata.CodeExpired) {
		g.d.m.endQuestion(nil, "too late: "+door.Err.Error()) // somebody, or the deadline, was faster
		return movedNot, nil
	}
	if errors.Is(err, fermata.ErrForbidden) {
		g.refused[r.question.ID] = true
		g.d.m.endQuestion(nil, "not taken: "+door.Err.Error())
		return movedNot, nil
	}
	if err != nil {
		return movedNot, err
	}
	g.d.m.endQuestion(r.answer, "")
	return movedHere, nil
}

// close takes back what is being asked.
func (g *gate) close(cause error) {
	if g.busy() {
		g.cancel(cause)
		<-g.replies
		g.asking = ""
	}
}
