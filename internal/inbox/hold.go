package inbox

import (
	"context"
	"encoding/json"
	"math"
	"strings"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

// HoldRun records that nothing begins in a run until it is released (law J18). A run that is held already stays held as it is.
func (in *Inbox) HoldRun(ctx context.Context, id, note, by string) error {
	body, err := in.heldBody(id, note, by)
	if err != nil {
		return err
	}
	return in.changeHold(ctx, id, func(row *runtype.RunInfo, is *holding, now int64, b *journal.Batch) error {
		if is.At != 0 {
			return nil
		}
		if row.Status == string(runtype.Blocked) {
			is.Blocked = row.Error // the latest reason; the journal has the first
		}
		b.Entries = []journal.Entry{{Kind: journal.RunHeld, At: now, Body: body}}
		if err := is.Note(&b.Entries[0]); err != nil {
			return err
		}
		if in.Leased && row.Status == string(runtype.Running) && row.Driver == "" { // nothing is at work, and nobody need take it
			return in.pause(ctx, row, is.retried, now, b)
		}
		return nil
	})
}

func (in *Inbox) heldBody(id, note, by string) ([]byte, error) {
	if err := printable.Check("who holds the run", by); err != nil {
		return nil, &runtype.Error{Code: runtype.CodeInvalid, Run: id, Err: err}
	}
	return json.Marshal(journal.HeldBody{By: by, Note: note})
}

// pause adds to a batch that a run without an owner is paused. Its tasks are tried again once it is released: where one ever was
// tried again, its timer is sought among those of all runs.
func (in *Inbox) pause(ctx context.Context, row *runtype.RunInfo, retried bool, now int64, b *journal.Batch) error {
	b.Entries = append(b.Entries, journal.Entry{Kind: journal.RunPaused, At: now})
	row.Status = string(runtype.Paused)
	if !retried {
		return nil
	}
	timers, err := in.Store.Timers(ctx, math.MaxInt64, 0)
	if err != nil {
		return in.StoreError(row.ID, err)
	}
	for _, t := range timers {
		if t.Run == row.ID && strings.HasPrefix(t.ID, storage.RetryTimer) {
			t.Done = true
			b.Timers = append(b.Timers, t)
		}
	}
	return nil
}

// ReleaseRun lets a run go on that is held (law J18). Of one that is not held, it changes nothing.
func (in *Inbox) ReleaseRun(ctx context.Context, id, note, by string) error {
	if err := printable.Check("who releases the run", by); err != nil {
		return &runtype.Error{Code: runtype.CodeInvalid, Run: id, Err: err}
	}
	body, err := json.Marshal(journal.ReleasedBody{By: by, Note: note})
	if err != nil {
		return err
	}
	defer in.Waker.WillWake(id)()
	return in.changeHold(ctx, id, func(row *runtype.RunInfo, is *holding, now int64, b *journal.Batch) error {
		if is.At == 0 {
			return nil
		}
		b.Entries = []journal.Entry{{Kind: journal.RunReleased, At: now, Body: body}}
		row.Ready = row.Ready || in.Leased && row.Status == string(runtype.Paused)
		return is.Note(&b.Entries[0])
	})
}

// holding is what the journal of a run says of its hold.
type holding struct {
	machine.Holding
	retried bool // a task has been tried again, or is to be
}

// changeHold stores what change adds to a batch, and wakes the run. After a conflict it looks again (law J3).
func (in *Inbox) changeHold(
	ctx context.Context, id string, change func(row *runtype.RunInfo, is *holding, now int64, b *journal.Batch) error,
) error {
	for {
		row, err := in.Info(ctx, id)
		if err != nil {
			return err
		}
		now := in.Now()
		if late := in.Late(ctx, &row, now); late != nil {
			return late
		}
		if row.Ended() {
			return &runtype.Error{Code: runtype.CodeConflict, Run: id, Err: runtype.Conflict("the run is " + row.Status + " already")}
		}
		var is holding
		for e, err := range in.Store.Read(ctx, id, 0) {
			if err == nil && e.Seq <= row.Head {
				is.retried = is.retried || e.Kind == journal.NodeRetrying
				err = is.Note(&e)
			}
			if err != nil {
				return in.StoreError(id, err)
			}
		}
		driver := row.Driver
		b := journal.Batch{Run: id, After: row.Head, Driver: &driver}
		if err := change(&row, &is, now, &b); err != nil {
			return err
		}
		if len(b.Entries) > 0 {
			for i := range b.Entries {
				b.Entries[i].Seq = row.Head + uint64(i) + 1
			}
			row.Updated, row.Error = now, is.Text()
			b.Row = &row
			switch again, err := in.append(ctx, &row, &b); {
			case err != nil:
				return err
			case again:
				continue
			}
		}
		if is.At != 0 && row.Status != string(runtype.Running) { // it has come to rest
			in.Waker.Notify(id)
		} else {
			in.Waker.Wake(id)
		}
		return nil
	}
}
