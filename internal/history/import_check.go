package history

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// possible finds entries that cannot follow the ones before them on any plan (law J6).
type possible struct {
	status runtype.Status // of an ended run; "" before the end
	possibleOrigin
	at      int64                                           // time of the last entry, in microseconds
	asked   map[string]*journal.Interrupt                   // by interrupt id
	listed  int64                                           // total options of questions, and excluded people
	people  machine.People                                  // who has answered what
	valued  []bool                                          // by index of an entry: it has a value that a run can end with
	blocked bool                                            // nothing happens until it is resumed
	held    bool                                            // nothing begins until it is released
	open    int                                             // how many questions are open
	tasks   possibleTasks                                   // state of the tasks
	late    error                                           // the first error of a task
	lateSeq uint64                                          // seq of its entry
	fits    func(q *journal.Interrupt, answer []byte) error // checks an answer against the question's schema

	debounced bool // another start may replace its input
}

// possibleOrigin says where a run comes from.
type possibleOrigin struct {
	fork    uint64 // seq of the last entry copied by a fork; 0 for none
	starter string // who started the run
	forker  string // who forked it; "" for none
}

func newPossible(fits func(q *journal.Interrupt, answer []byte) error) *possible {
	return &possible{asked: make(map[string]*journal.Interrupt), tasks: newPossibleTasks(), fits: fits}
}

// next checks and records an entry.
func (p *possible) next(e *journal.Entry) error {
	p.task(e, func() error {
		if e.At >= p.at || e.Seq == 1 {
			return nil
		}
		return fmt.Errorf("%s is of %s, and the entry before it of %s; no entry is earlier than the entry before it", e.Kind, timeOf(e.At), timeOf(p.at))
	})
	if err := p.follows(e); err != nil {
		return err
	}
	p.at = e.At
	return p.people.Note(e)
}

func timeOf(at int64) string { return time.UnixMicro(at).UTC().Format(time.RFC3339Nano) }

func (p *possible) follows(e *journal.Entry) error {
	if p.status != "" && e.Kind != journal.RunResumed {
		return fmt.Errorf("%s behind the end of the run, which is %s; expected nothing, or run.resumed for a retry", e.Kind, p.status)
	}
	if p.blocked {
		if e.Kind != journal.RunResumed && e.Kind != journal.RunFinished && e.Kind != journal.RunUndoing && !machine.FromOutside(e.Kind) {
			return fmt.Errorf("%s of a run that is blocked", e.Kind)
		}
	}
	p.valued = append(p.valued, e.HasValue() && e.Kind.CarriesState())
	p.blocked = e.Kind == journal.RunBlocked || p.blocked && e.Kind != journal.RunResumed && e.Kind != journal.RunUndoing
	if err := namesIn(e); err != nil {
		return err
	}
	p.task(e, func() error { return p.tasks.next(e) })
	switch e.Kind {
	case journal.RunStarted:
		if e.Seq != 1 {
			return errors.New("the run begins a second time")
		}
		return read(e, func(b *journal.StartedBody) {
			p.starter, p.debounced = b.By, b.Debounced
			if b.Fork != nil {
				p.fork, p.forker = b.Fork.Seq, b.Fork.By
			}
		})
	case journal.RunFinished:
		return p.finished(e)
	case journal.RunUndoing:
		p.held = false
		return nil
	case journal.RunResumed:
		return p.resumed(e)
	case journal.InterruptOpened:
		if p.asked[e.Op] != nil {
			return fmt.Errorf("interrupt %s is opened a second time", e.Op)
		}
		return p.opened(e)
	case journal.InterruptUpdated, journal.InterruptResolved:
		return p.question(e)
	case journal.MessageSent:
		return p.sent(e)
	case journal.RunHeld, journal.RunReleased:
		return p.hold(e.Kind)
	default:
		return nil
	}
}

// hold checks that a run is held and released in turn (law J18).
func (p *possible) hold(k journal.Kind) error {
	if p.held == (k == journal.RunHeld) {
		return fmt.Errorf("%s of a run that is held: %t", k, p.held)
	}
	p.held = k == journal.RunHeld
	return nil
}

// task checks tasks until the first error. It is reported after reading everything: a checksum error explains a
// wrong byte better, and it may lie before the contradicting entry.
func (p *possible) task(e *journal.Entry, follow func() error) {
	if p.late == nil {
		p.late, p.lateSeq = follow(), e.Seq
	}
}

// finished checks the end of a run: no question may be open.
func (p *possible) finished(e *journal.Entry) error {
	var body journal.FinishedBody
	if err := read(e, func(b *journal.FinishedBody) { body = *b }); err != nil {
		return err
	}
	p.status, p.held = runtype.Status(body.Status), false
	switch {
	case !p.status.Ended():
		return fmt.Errorf("the run ends with the status %q; expected completed, failed, cancelled, expired or stuck", body.Status)
	case p.open > 0:
		return fmt.Errorf("the run is %s, and %d of its questions are open; those are withdrawn before the end", p.status, p.open)
	case p.status != runtype.Completed:
		return nil
	case !e.HasValue() && (e.Base == 0 || e.Base > uint64(len(p.valued)) || !p.valued[e.Base-1]):
		return errors.New("the run is completed, and has no value")
	}
	p.task(e, func() error {
		if task := p.tasks.unfinished(); task != "" {
			return fmt.Errorf("the run is completed, and the task %s is not", task)
		}
		return nil
	})
	return nil
}

func (p *possible) opened(e *journal.Entry) error {
	var q journal.Interrupt
	if err := read(e, func(b *journal.Interrupt) { q = *b }); err != nil {
		return err
	}
	if err := p.apartAsked(&q, e); err != nil {
		return err
	}
	p.task(e, func() error { return p.tasks.asks(e, &q) })
	p.listed += int64(len(q.Options) + len(q.NotBy) + len(q.NotByNodes))
	p.open++
	p.asked[e.Op] = &journal.Interrupt{
		ID: q.ID, Task: q.Task, Op: q.Op, NotBy: q.NotBy, NotByNodes: q.NotByNodes, ResponseSchema: q.ResponseSchema,
		Role: q.Role, Assignee: q.Assignee, OverrideRole: q.OverrideRole,
		Deadline: q.Deadline, AtDeadline: q.AtDeadline, State: journal.Open,
	}
	return nil
}

// resumed checks that an ended run goes on by a retry, or as a fork.
func (p *possible) resumed(e *journal.Entry) error {
	var body journal.ResumedBody
	if err := read(e, func(b *journal.ResumedBody) { body = *b }); err != nil {
		return err
	}
	if body.Reason == machine.ReasonReplaced && !p.debounced {
		return fmt.Errorf("%s for the reason %q, of a run that is not debounced", e.Kind, body.Reason)
	}
	p.tasks.resumedAs(&body)
	again := body.Reason == machine.ReasonFork && p.status != runtype.Completed ||
		body.Reason == machine.ReasonRetry && (p.status == runtype.Failed || p.status == runtype.Expired)
	if p.status != "" && !again {
		return fmt.Errorf("%s for the reason %q behind the end of the run, which is %s; a retry continues a run that has failed or expired",
			e.Kind, body.Reason, p.status)
	}
	p.status = ""
	p.held = p.held && body.Reason != machine.ReasonFork
	return nil
}

// question checks an action on a question: it is open, and the person may answer it (law H6).
func (p *possible) question(e *journal.Entry) error {
	q := p.asked[e.Op]
	switch {
	case q == nil:
		return fmt.Errorf("%s of interrupt %s, which was never opened", e.Kind, e.Op)
	case !q.IsOpen():
		return fmt.Errorf("%s of interrupt %s, which is %s already", e.Kind, e.Op, q.State)
	case e.Kind == journal.InterruptUpdated:
		var body journal.UpdatedBody
		if err := read(e, func(b *journal.UpdatedBody) { body = *b }); err != nil {
			return err
		}
		if err := p.updated(q, e, &body); err != nil {
			return err
		}
		body.Update(q)
		return nil
	}
	var body journal.ResolvedBody
	if err := read(e, func(b *journal.ResolvedBody) { body = *b }); err != nil {
		return err
	}
	switch body.State {
	case journal.Answered, journal.Expired, journal.Withdrawn:
	default:
		return fmt.Errorf("interrupt %s is closed with the state %q; expected answered, expired or withdrawn", e.Op, body.State)
	}
	if err := p.closes(q, e, &body); err != nil {
		return err
	}
	q.State, q.AnsweredBy = body.State, body.By
	p.open--
	p.tasks.closed(q, body.State == journal.Expired && body.Target != "")
	q.ResponseSchema, q.AtDeadline = nil, nil
	if body.State != journal.Answered || body.Default {
		return nil
	}
	if e.Seq <= p.fork && len(q.NotBy) > 0 { // the author of a fork may not answer its questions, but may have before
		q.NotBy = []string{p.starter}
	}
	return p.apart(q, q.AnsweredBy, "answered")
}

// closes checks how a question is closed: by a fitting answer, or by its deadline (laws H2 and H4).
func (p *possible) closes(q *journal.Interrupt, e *journal.Entry, body *journal.ResolvedBody) error {
	at := q.AtDeadline
	switch {
	case body.State == journal.Withdrawn:
		return nil
	case body.State == journal.Expired && q.Deadline == 0:
		return fmt.Errorf("interrupt %s has expired, and has no deadline", q.ID)
	case (body.State == journal.Expired || body.Default) && !question.IsLate(q, e.At):
		return fmt.Errorf("interrupt %s is closed by its deadline, before it", q.ID)
	case body.State == journal.Expired:
		return nil
	case len(e.Value) == 0 || e.Flags&journal.FlagBase != 0:
		return fmt.Errorf("interrupt %s is answered without an answer", q.ID)
	case body.Default && (q.Deadline == 0 || at == nil || at.Do != "default" || !question.SameJSON(at.Answer, e.Value)):
		return fmt.Errorf("interrupt %s is answered by its deadline, which says something else", q.ID)
	}
	if !body.Default {
		if err := p.answered(q, e, body, p.at); err != nil {
			return err
		}
	}
	if err := p.fits(q, e.Value); err != nil {
		return fmt.Errorf("interrupt %s has an answer that does not fit: %w", q.ID, err)
	}
	return nil
}

// namesIn checks all names of an entry as the runtime does on input (law H9).
func namesIn(e *journal.Entry) error {
	var names []string
	add := func(more ...string) { names = append(names, more...) }
	deadline := func(d *journal.Deadline) {
		for ; d != nil; d = d.Then {
			add(d.Target, d.Role)
		}
	}
	add(e.Node, e.To)
	var err error
	switch e.Kind {
	case journal.RunStarted:
		err = read(e, func(b *journal.StartedBody) {
			add(b.Plan, b.PlanKind, b.Fingerprint, b.Definition, b.By)
			add(slices.Collect(maps.Keys(b.Labels))...)
			if b.Fork != nil {
				add(b.Fork.Run, b.Fork.By)
			}
		})
	case journal.RunResumed:
		err = read(e, func(b *journal.ResumedBody) {
			add(b.Reason, b.By, b.Fingerprint, b.Definition, b.Of)
			for old, now := range b.Nodes {
				add(old, now)
			}
			add(b.Lost...)
		})
	case journal.RunFinished, journal.RunUndoing:
		err = read(e, func(b *journal.FinishedBody) { add(b.Status, b.Task, b.By) })
	case journal.RunBlocked:
		err = read(e, func(b *journal.BlockedBody) {
			add(b.Code, b.Task)
			add(b.Tasks...)
		})
	case journal.RunHeld:
		err = read(e, func(b *journal.HeldBody) { add(b.By) })
	case journal.RunReleased:
		err = read(e, func(b *journal.ReleasedBody) { add(b.By) })
	case journal.InterruptOpened:
		err = read(e, func(q *journal.Interrupt) {
			add(q.ID, q.Run, q.Task, q.Kind, q.Role, q.Assignee, q.AssigneeName, q.OverrideRole, q.State)
			add(q.NotBy...)
			add(q.NotByNodes...)
			deadline(q.AtDeadline)
		})
	case journal.InterruptUpdated:
		err = read(e, func(b *journal.UpdatedBody) {
			add(b.Do, b.By, b.ByName, b.Role, b.Assignee, b.AssigneeName, b.Override)
			deadline(b.AtDeadline)
		})
	case journal.InterruptResolved:
		err = read(e, func(b *journal.ResolvedBody) { add(b.State, b.By, b.ByName, b.Role, b.Target) })
	case journal.MessageSent:
		err = read(e, func(b *journal.SentBody) { add(b.Name, b.ID, b.By) })
	case journal.MessageAwaited:
		err = read(e, func(b *journal.AwaitedBody) { add(b.Name) })
	case journal.MessageReplied:
		err = read(e, func(b *journal.RepliedBody) { add(b.ID) })
	default:
	}
	for _, name := range names {
		if name == node.End || name == node.Stop {
			continue
		}
		if err := printable.Check("a name", name); err != nil {
			return fmt.Errorf("%s: %w", e.Kind, err)
		}
	}
	return err
}

// sent checks a message from outside.
func (p *possible) sent(e *journal.Entry) error {
	var body journal.SentBody
	if err := read(e, func(b *journal.SentBody) { body = *b }); err != nil {
		return err
	}
	if body.Name == "" || len(e.Value) == 0 {
		return fmt.Errorf("%s without a name or a value", e.Kind)
	}
	p.tasks.sent()
	return nil
}
