package history

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/label"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// projection builds the projections of a journal without its plan: the run's row, its questions, and its
// timers.
type projection struct {
	row    journal.RunRow       // of the run
	asked  []*journal.Interrupt // open questions, in order
	people machine.People       // who has answered what
	timers []taskTimer          // of sleeps and backoffs
	block  int64                // when a blocked run is tried again, in microseconds; 0 for none
	until  int64                // the run's deadline, in microseconds; 0 for none
	hold   machine.Holding      // whether it is held

	debounced bool // later starts replace its input until it begins
}

// taskTimer is a timer of a task: of a sleep, or of a backoff if op is "".
type taskTimer struct {
	path, visit, op string // of the task, and of the sleep
	due             int64  // in microseconds
}

func (t *taskTimer) id() string {
	if t.op == "" {
		return "retry " + t.path + "#" + t.visit
	}
	return t.path + "#" + t.visit + " " + t.op
}

// projected returns a whole run as one batch.
func projected(run string, entries []journal.Entry) (journal.Batch, error) {
	p := projection{row: journal.RunRow{ID: run, Created: entries[0].At, Updated: entries[len(entries)-1].At}}
	for i := range entries {
		e := &entries[i]
		if err := p.run(e); err != nil {
			return journal.Batch{}, storage.Damaged(e.Seq, err)
		}
		if err := p.hold.Note(e); err != nil {
			return journal.Batch{}, storage.Damaged(e.Seq, err)
		}
		if err := p.question(run, e); err != nil {
			return journal.Batch{}, storage.Damaged(e.Seq, err)
		}
		if err := p.timer(e); err != nil {
			return journal.Batch{}, storage.Damaged(e.Seq, err)
		}
		if err := p.people.Note(e); err != nil {
			return journal.Batch{}, storage.Damaged(e.Seq, err)
		}
	}
	if text := p.hold.Undoing; text != "" && p.hold.Blocked == "" && !p.row.Ended() {
		p.row.Error = text
	}
	if p.hold.At != 0 {
		p.row.Error = p.hold.Text()
		p.timers = slices.DeleteFunc(p.timers, func(t taskTimer) bool { return t.op == "" && p.row.Status == string(runtype.Paused) })
	}
	b := journal.Batch{Run: run, Entries: entries, Row: &p.row}
	for _, q := range p.asked {
		if q.IsOpen() {
			p.row.Waiting++
			q.NotByNodes = p.people.NotBy(q.ID)
		}
		b.Interrupts = append(b.Interrupts, *q)
		if q.IsOpen() && q.Deadline != 0 {
			b.Timers = append(b.Timers, journal.Timer{Run: run, ID: q.ID, Due: q.Deadline})
		}
	}
	for i := range p.timers {
		b.Timers = append(b.Timers, journal.Timer{Run: run, ID: p.timers[i].id(), Due: p.timers[i].due})
	}
	if p.row.Status == string(runtype.Blocked) && p.block != 0 {
		b.Timers = append(b.Timers, journal.Timer{Run: run, ID: storage.BlockTimer, Due: p.block})
	}
	if p.until != 0 {
		b.Timers = append(b.Timers, journal.Timer{Run: run, ID: storage.UntilTimer, Due: p.until})
	}
	if p.row.Ended() {
		b.Timers = nil
	}
	return b, nil
}

func (p *projection) run(e *journal.Entry) error {
	switch e.Kind {
	case journal.RunStarted:
		p.row.Status = string(runtype.Running)
		return read(e, func(b *journal.StartedBody) {
			p.row.Labels, p.row.Turn, p.until = label.Findable(b.Labels), b.Turn, b.Until
			p.debounced = b.Debounced
			p.row.Plan, p.row.Kind, p.row.Fingerprint, p.row.Definition = b.Plan, b.PlanKind, b.Fingerprint, b.Definition
		})
	case journal.LabelSet:
		return read(e, func(b *journal.LabelBody) {
			p.row.Labels = label.Findable(label.With(p.row.Labels, b.Key, b.Label))
		})
	case journal.RunPaused:
		p.row.Status = string(runtype.Paused)
	case journal.RunResumed:
		return read(e, func(b *journal.ResumedBody) {
			if b.Reason != machine.ReasonReplaced {
				p.row.Status, p.row.Error = string(runtype.Running), ""
			}
			if b.Fingerprint != "" {
				p.row.Fingerprint = b.Fingerprint
			}
			if b.Definition != "" {
				p.row.Definition = b.Definition
			}
			p.until = cmp.Or(b.Until, p.until)
			switch {
			case b.Reason == machine.ReasonReplaced && e.HasValue():
				p.row.Labels, p.row.NotBefore = label.Findable(b.Labels), b.NotBefore
			case p.debounced: // it has begun (law J21)
				p.row.Dedup = ""
			}
			p.move(plan.Migration{Nodes: b.Nodes})
		})
	case journal.RunBlocked:
		return read(e, func(b *journal.BlockedBody) {
			p.row.Status, p.row.Error = string(runtype.Blocked), b.Error
			p.block = b.RetryAt
		})
	case journal.RunUndoing:
		p.row.Status, p.until = string(runtype.Running), 0
	case journal.RunFinished:
		return read(e, func(b *journal.FinishedBody) {
			p.row.Status, p.row.Error, p.row.Dedup = b.Status, machine.EndText(b), ""
		})
	default:
	}
	return nil
}

// move renames the tasks of questions and timers in a migration.
func (p *projection) move(moves plan.Migration) {
	if len(moves.Nodes) == 0 {
		return
	}
	for _, q := range p.asked {
		if path, visit, ok := strings.Cut(q.Task, "#"); ok && q.IsOpen() {
			q.Task = moves.Path(path) + "#" + visit
		}
	}
	for i := range p.timers {
		p.timers[i].path = moves.Path(p.timers[i].path)
	}
}

func (p *projection) question(run string, e *journal.Entry) error {
	find := func() *journal.Interrupt {
		i := slices.IndexFunc(p.asked, func(q *journal.Interrupt) bool { return q.ID == e.Op })
		if i < 0 {
			return &journal.Interrupt{} // lost with a change of the plan
		}
		return p.asked[i]
	}
	switch e.Kind {
	case journal.InterruptOpened:
		var q journal.Interrupt
		if err := read(e, func(b *journal.Interrupt) { q = *b }); err != nil {
			return err
		}
		if q.ID != e.Op || q.Run != run {
			return corruptf("interrupt %s of run %s, expected interrupt %s of run %s", q.ID, q.Run, e.Op, run)
		}
		p.asked = append(p.asked, &q)
	case journal.InterruptUpdated:
		return read(e, func(b *journal.UpdatedBody) { b.Update(find()) })
	case journal.InterruptResolved:
		return read(e, func(b *journal.ResolvedBody) { b.Resolve(find(), e.Value, e.At) })
	default:
	}
	return nil
}

func (p *projection) timer(e *journal.Entry) error {
	path, visit, _ := strings.Cut(runstate.TaskName(e), "#")
	drop := func(gone func(t *taskTimer) bool) {
		p.timers = slices.DeleteFunc(p.timers, func(t taskTimer) bool { return t.path == path && t.visit == visit && gone(&t) })
	}
	set := func(op string, due int64) {
		p.timers = append(p.timers, taskTimer{path: path, visit: visit, op: op, due: due})
	}
	switch e.Kind {
	case journal.MessageAwaited:
		return read(e, func(b *journal.AwaitedBody) {
			if b.Due != 0 {
				set(e.Op, b.Due)
			}
		})
	case journal.TimerSet:
		return read(e, func(b *journal.TimerBody) { set(e.Op, b.Due) })
	case journal.TimerFired:
		drop(func(t *taskTimer) bool { return t.op == e.Op })
	case journal.NodeRetrying:
		return read(e, func(b *journal.FailedBody) { set("", b.RetryAt) })
	case journal.NodeStarted:
		if p.hold.Undoing != "" && e.Attempt <= 1 { // nothing but one undo is at work
			p.timers = nil
		}
		drop(func(t *taskTimer) bool { return t.op == "" })
	case journal.NodeFinished, journal.NodeFailed, journal.NodeCached:
		drop(func(*taskTimer) bool { return true })
	default:
	}
	return nil
}
