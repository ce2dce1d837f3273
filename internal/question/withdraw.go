package question

import (
	"github.com/fermata-go/fermata/journal"
)

// End adds to a batch what ends a run from outside of its execution. The open questions are withdrawn, and then comes the
// entry that says why, of kind RunFinished, or RunUndoing for a run that undoes what it has done before (law F10). The row is
// changed to how the run stands then.
func End(b *journal.Batch, row *journal.RunRow, open []journal.Interrupt, now int64, end journal.Entry, by, reason string) {
	for i := range open {
		body := &journal.ResolvedBody{State: journal.Withdrawn, By: by, Reason: reason}
		body.Resolve(&open[i], nil, now)
		b.Entries = append(b.Entries, ChangeOf(&open[i], journal.InterruptResolved, now, body).Entry)
		if open[i].Deadline != 0 {
			b.Timers = append(b.Timers, journal.Timer{Run: row.ID, ID: open[i].ID, Done: true})
		}
	}
	end.At = now
	b.Entries = append(b.Entries, end)
	for i := range b.Entries {
		b.Entries[i].Seq = row.Head + uint64(i) + 1
	}
	b.Interrupts = open
	b.Row, row.Waiting, row.Updated = row, 0, now
	if end.Kind == journal.RunUndoing { // its owner goes on with it, or else any worker
		driver := row.Driver
		b.Driver, row.Ready = &driver, driver == ""
		return
	}
	row.Driver, row.Ready, row.Dedup = "", false, ""
}
