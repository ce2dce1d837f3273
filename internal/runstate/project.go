package runstate

import (
	"maps"
	"strconv"
	"sync"

	"github.com/fermata-go/fermata/internal/label"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

// Projection is memory of a batch, which no store keeps: its row, and its interrupt if there is one.
type Projection struct {
	row        journal.RunRow       // the row of the run
	interrupts [1]journal.Interrupt // the interrupt
}

var projections = sync.Pool{New: func() any { return new(Projection) }}

// Release gives the memory back, once the batch is stored; nil has none.
func (p *Projection) Release() {
	if p != nil {
		*p = Projection{}
		projections.Put(p)
	}
}

// Project returns the batch of new entries and the projections that follow from them. Its memory is to be released.
func (s *State) Project(entries []journal.Entry) (b journal.Batch, memory *Projection) {
	b = journal.Batch{Run: s.ID, After: entries[0].Seq - 1, Entries: entries, Durability: s.Durability}
	if b.After == 0 || s.rowChanges() { // as it does where a question is opened or closed
		memory = projections.Get().(*Projection) //nolint:forcetypeassert // nothing else is put in
		b.Row, b.Interrupts = &memory.row, memory.interrupts[:0]
	}
	b.Interrupts = append(b.Interrupts, s.Machine.Closed()...)
	for i := range b.Interrupts {
		if b.Interrupts[i].Deadline != 0 {
			b.Timers = append(b.Timers, journal.Timer{Run: s.ID, ID: b.Interrupts[i].ID, Done: true})
		}
	}
	for _, id := range s.Machine.Dropped() {
		b.Timers = append(b.Timers, journal.Timer{Run: s.ID, ID: id, Done: true})
	}
	for i := range entries {
		s.projectEntry(&b, &entries[i])
	}
	if row := b.Row; row != nil {
		*row = s.Row
		row.Status, row.Waiting, row.Error = s.Machine.Status(), len(s.Machine.Interrupts()), s.Machine.Error()
		row.Driver, row.Ready = s.RowOwner(), false
		row.Fingerprint, row.Definition = s.pinned()
		row.Labels = label.Findable(s.Machine.Labels())
		row.Updated = entries[len(entries)-1].At
		if row.Ended() || s.freesKey() {
			row.Dedup = "" // for good (law J17)
		}
	}
	return b, memory
}

// rowChanges reports whether the row of the run differs from what is stored. Most entries do not concern it.
func (s *State) rowChanges() bool {
	r := &s.Row
	fingerprint, definition := s.pinned()
	return r.Status != s.Machine.Status() || r.Waiting != len(s.Machine.Interrupts()) || r.Error != s.Machine.Error() || r.Ready ||
		r.Driver != s.RowOwner() || r.Fingerprint != fingerprint || r.Definition != definition ||
		s.relabelled() || s.freesKey()
}

// freesKey reports whether the run has begun, and its row still holds the key by which others have replaced its input (law J21).
func (s *State) freesKey() bool {
	return s.Row.Dedup != "" && s.Machine.Started().Debounced && !s.Machine.Waits()
}

// relabelled reports whether the run has other labels than its row.
func (s *State) relabelled() bool {
	labels := s.Machine.Labels()
	return (len(labels) > 0 || len(s.Row.Labels) > 0) && !maps.Equal(label.Findable(labels), s.Row.Labels)
}

// pinned returns what the run is pinned to: the plan's fingerprint, and the digest of its text.
func (s *State) pinned() (fingerprint, definition string) {
	if fingerprint, definition = s.Machine.Pinned(); fingerprint == "" { // of a journal from before plans had one
		return s.Row.Fingerprint, s.Row.Definition
	}
	return fingerprint, definition
}

func (s *State) projectEntry(b *journal.Batch, e *journal.Entry) {
	switch e.Kind {
	case journal.RunStarted:
		b.Timers = append(b.Timers, s.Deadline()...)
	case journal.RunBlocked:
		if body, _ := s.Machine.Blocked(); body.RetryAt != 0 {
			b.Timers = append(b.Timers, journal.Timer{Run: s.ID, ID: storage.BlockTimer, Due: body.RetryAt})
		}
	case journal.RunUndoing:
		b.Timers = append(b.Timers, storage.BeforeUndo(&s.Row)...)
	case journal.RunPaused:
		for _, t := range s.Machine.Tasks() { // of a run that is held: it has nothing to do when they are due
			if t.State == machine.Backoff {
				b.Timers = append(b.Timers, journal.Timer{Run: s.ID, ID: storage.RetryTimer + s.Machine.TaskID(t), Done: true})
			}
		}
	case journal.RunResumed:
		if runtype.Status(s.Row.Status) == runtype.Blocked {
			b.Timers = append(b.Timers, journal.Timer{Run: s.ID, ID: storage.BlockTimer, Done: true})
		}
		if moves := MovesOf(e); len(moves.Nodes) > 0 {
			s.projectMoves(b, moves)
		}
		again := runtype.Status(s.Row.Status).Ended()
		if again { // a retry: the end had removed all timers
			b.Timers = append(b.Timers, s.Deadline()...)
		}
		if again || runtype.Status(s.Row.Status) == runtype.Paused { // a hold had removed those of retries
			for _, t := range s.Machine.Tasks() {
				b.Timers = append(b.Timers, s.TaskTimers(t)...)
			}
		}
	case journal.InterruptOpened, journal.InterruptUpdated:
		q := s.Machine.Interrupt(e.Op)
		if q == nil {
			return // opened and closed in one batch
		}
		b.Interrupts = append(b.Interrupts, *q)
		if e.Kind == journal.InterruptOpened && len(q.NotByNodes) > 0 { // the named nodes need to know it
			b.Interrupts = append(b.Interrupts, s.Machine.ApartFrom(q)...)
		}
		if q.Deadline != 0 || e.Kind == journal.InterruptUpdated {
			b.Timers = append(b.Timers, journal.Timer{Run: s.ID, ID: q.ID, Due: q.Deadline, Done: q.Deadline == 0})
		}
	case journal.TimerSet, journal.MessageAwaited, journal.MessageReplied: // a call whose message was refused waits on
		if t := s.taskOf(e); t != nil {
			if op := t.Op(e.Op); op != nil && op.Due != 0 && !op.Done {
				b.Timers = append(b.Timers, journal.Timer{Run: s.ID, ID: timerID(e), Due: op.Due})
			}
		}
	case journal.TimerFired:
		b.Timers = append(b.Timers, journal.Timer{Run: s.ID, ID: timerID(e), Done: true})
	case journal.NodeRetrying:
		if t := s.taskOf(e); t != nil {
			b.Timers = append(b.Timers, journal.Timer{Run: s.ID, ID: retryID(e), Due: t.RetryAt})
		}
	case journal.NodeStarted:
		if e.Attempt > 1 {
			b.Timers = append(b.Timers, journal.Timer{Run: s.ID, ID: retryID(e), Done: true})
		}
	}
}

// Deadline returns the timer of the run's deadline; none without one (law F9).
func (s *State) Deadline() []journal.Timer {
	if until := s.Machine.Until(); until != 0 {
		return []journal.Timer{{Run: s.ID, ID: storage.UntilTimer, Due: until}}
	}
	return nil
}

func (s *State) taskOf(e *journal.Entry) *machine.Task {
	return s.Machine.Task(e.Node, e.Visit)
}

func timerID(e *journal.Entry) string { return TaskName(e) + " " + e.Op }

func retryID(e *journal.Entry) string { return storage.RetryTimer + TaskName(e) }

// TaskName returns the task of an entry, as NODE#VISIT.
func TaskName(e *journal.Entry) string { return e.Node + "#" + strconv.Itoa(int(e.Visit)) }

// TaskTimers returns the timers of an open task: of sleeps, of a backoff.
func (s *State) TaskTimers(t *machine.Task) []journal.Timer {
	return s.timersAt(t, s.Machine.Path(t))
}

// timersAt is TaskTimers with the ids for another path of the task's node.
func (s *State) timersAt(t *machine.Task, path string) (timers []journal.Timer) {
	e := journal.Entry{Node: path, Visit: t.Visit}
	if t.State == machine.Backoff {
		timers = append(timers, journal.Timer{Run: s.ID, ID: retryID(&e), Due: t.RetryAt})
	}
	for op := range t.Sleeps() {
		e.Op = op.ID
		timers = append(timers, journal.Timer{Run: s.ID, ID: timerID(&e), Due: op.Due})
	}
	return timers
}
