package fermata

import (
	"strconv"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
)

// project makes the batch that stores entries together with the projections that follow from them.
func (d *drive) project(entries []journal.Entry) journal.Batch {
	b := journal.Batch{
		Run: d.id, After: entries[0].Seq - 1, Entries: entries, Durability: d.durability,
		Interrupts: d.m.Closed(),
	}
	for i := range b.Interrupts {
		if b.Interrupts[i].Deadline != 0 {
			b.Timers = append(b.Timers, journal.Timer{Run: d.id, ID: b.Interrupts[i].ID, Done: true})
		}
	}
	for _, id := range d.m.Dropped() {
		b.Timers = append(b.Timers, journal.Timer{Run: d.id, ID: id, Done: true})
	}
	for i := range entries {
		d.projectEntry(&b, &entries[i])
	}
	row := d.row
	row.Status, row.Waiting = d.m.Status(), len(d.m.Interrupts())
	finished := d.m.Finished()
	row.Error = finished.Error
	if blocked, _ := d.m.Blocked(); blocked.Error != "" {
		row.Error = blocked.Error
	}
	row.Driver, row.Ready = d.driver(), false
	if started := d.m.Started(); started.Fingerprint != "" {
		row.Fingerprint, row.Definition = started.Fingerprint, started.Definition
	}
	if b.After == 0 || row != d.row {
		row.Updated = entries[len(entries)-1].At
		b.Row = &row
	}
	return b
}

func (d *drive) projectEntry(b *journal.Batch, e *journal.Entry) {
	switch e.Kind {
	case journal.RunBlocked:
		if body, _ := d.m.Blocked(); body.RetryAt != 0 {
			b.Timers = append(b.Timers, journal.Timer{Run: d.id, ID: blockTimer, Due: body.RetryAt})
		}
	case journal.RunResumed:
		if Status(d.row.Status) == Blocked {
			b.Timers = append(b.Timers, journal.Timer{Run: d.id, ID: blockTimer, Done: true})
		}
		if moves := movesOf(e); len(moves.Nodes) > 0 {
			d.projectMoves(b, moves)
		}
		if Status(d.row.Status).Ended() { // a retry: with the end, all timers were removed
			for _, t := range d.m.Tasks() {
				b.Timers = append(b.Timers, d.taskTimers(t)...)
			}
		}
	case journal.InterruptOpened, journal.InterruptUpdated:
		q := d.m.Interrupt(e.Op)
		if q == nil {
			return // opened and closed in one batch
		}
		b.Interrupts = append(b.Interrupts, *q)
		if e.Kind == journal.InterruptOpened && len(q.NotByNodes) > 0 { // those that it names must know
			b.Interrupts = append(b.Interrupts, d.m.ApartFrom(q)...)
		}
		if q.Deadline != 0 || e.Kind == journal.InterruptUpdated {
			b.Timers = append(b.Timers, journal.Timer{Run: d.id, ID: q.ID, Due: q.Deadline, Done: q.Deadline == 0})
		}
	case journal.TimerSet:
		if t := d.taskOf(e); t != nil {
			if op := t.Op(e.Op); op != nil {
				b.Timers = append(b.Timers, journal.Timer{Run: d.id, ID: timerID(e), Due: op.Due})
			}
		}
	case journal.TimerFired:
		b.Timers = append(b.Timers, journal.Timer{Run: d.id, ID: timerID(e), Done: true})
	case journal.NodeRetrying:
		if t := d.taskOf(e); t != nil {
			b.Timers = append(b.Timers, journal.Timer{Run: d.id, ID: retryID(e), Due: t.RetryAt})
		}
	case journal.NodeStarted:
		if e.Attempt > 1 {
			b.Timers = append(b.Timers, journal.Timer{Run: d.id, ID: retryID(e), Done: true})
		}
	}
}

func (d *drive) taskOf(e *journal.Entry) *machine.Task {
	return d.m.Task(e.Node, e.Visit)
}

func timerID(e *journal.Entry) string { return taskName(e) + " " + e.Op }

func retryID(e *journal.Entry) string { return "retry " + taskName(e) }

func taskName(e *journal.Entry) string { return e.Node + "#" + strconv.Itoa(int(e.Visit)) }
