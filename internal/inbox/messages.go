package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// Send queues messages into a run, in one append, whichever process executes it (law M1). It returns the seq of the first one.
func (in *Inbox) Send(ctx context.Context, run string, messages ...runtype.Posted) (first uint64, err error) {
	entries := make([]journal.Entry, len(messages))
	for i := range messages {
		body, value, err := question.Message(&messages[i], in.MaxValue())
		if err != nil {
			return 0, &runtype.Error{Code: runtype.CodeInvalid, Run: run, Err: err}
		}
		data, _ := json.Marshal(body) //nolint:errchkjson // strings always encode
		entries[i] = journal.Entry{Kind: journal.MessageSent, Value: value, Body: data}
	}
	defer in.Waker.WillWake(run)()
	for {
		row, err := in.Info(ctx, run)
		if err != nil {
			return 0, err
		}
		now, driver := in.Now(), row.Driver
		late := in.Late(ctx, &row, now)
		if door, ok := errors.AsType[*runtype.Error](late); ok && door.Code != runtype.CodeExpired {
			return 0, late
		}
		if row.Ended() || late != nil {
			return in.sentBefore(ctx, &row, messages, late)
		}
		for i := range entries {
			entries[i].Seq, entries[i].At = row.Head+uint64(i)+1, now
		}
		b := journal.Batch{Run: run, After: row.Head, Entries: entries}
		row.Updated = now
		row.Ready = row.Ready || in.Leased && row.Status == string(runtype.Paused)
		b.Row, b.Driver = &row, &driver // the owner may have changed since the row was read
		switch again, err := in.append(ctx, &row, &b); {
		case err != nil:
			return 0, err
		case again:
			continue
		}
		in.Waker.Wake(run)
		return b.Entries[0].Seq, nil
	}
}

// sentBefore returns the seq of the first message of a run that takes no more, if the run has had all of them: sent again, they have
// no effect (law M2), and the sender need not know that the run is over. Otherwise it returns why the run takes none, if given.
func (in *Inbox) sentBefore(ctx context.Context, row *runtype.RunInfo, messages []runtype.Posted, why error) (first uint64, err error) {
	seqs := make(map[string]uint64)
	for e, err := range in.Store.Read(ctx, row.ID, 0) {
		if err != nil {
			return 0, in.StoreError(row.ID, err)
		}
		if e.Kind != journal.MessageSent {
			continue
		}
		var body journal.SentBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return 0, in.StoreError(row.ID, fmt.Errorf("%w: the body of a message: %w", journal.ErrCorrupt, err))
		}
		if _, known := seqs[body.ID]; body.ID != "" && !known {
			seqs[body.ID] = e.Seq
		}
	}
	for i := range messages {
		if _, known := seqs[messages[i].Body().ID]; !known {
			if why != nil {
				return 0, why
			}
			return 0, &runtype.Error{Code: runtype.CodeConflict, Run: row.ID, Err: runtype.Conflict("the run is " + row.Status + " and takes no more messages")}
		}
	}
	return seqs[messages[0].Body().ID], nil
}
