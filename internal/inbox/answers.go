package inbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/journal"
)

// AnswerAll closes several interrupts at once, by their ids. Each is checked as by Answer, and all answers of
// one run are committed in one append (law H2). If one of them does not fit, none of that run is recorded. The
// error joins one *Error for each that does not fit (see errors.Join). Other runs are not affected.
//
// The same answers again are accepted and have no effect. The options apply to all of them, so a resume token
// serves a single interrupt only.
func (in *Inbox) AnswerAll(ctx context.Context, answers map[string]any, opts ...runtype.AnswerOption) error {
	o := runtype.OptionsOf(opts)
	var failed []error
	byRun := make(map[string][]string)
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		q, err := in.interrupt(ctx, id)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		byRun[q.Run] = append(byRun[q.Run], id)
	}
	for _, run := range slices.Sorted(maps.Keys(byRun)) {
		err := in.amendAll(ctx, run, byRun[run], func(q *journal.Interrupt, now int64, before []journal.Interrupt) ([]journal.Entry, error) {
			answer, err := question.ToJSON(answers[q.ID], in.MaxValue())
			if err == nil {
				err = sayable(&o)
			}
			if err != nil {
				return nil, notAnAnswer(q.ID, err)
			}
			return in.resolve(ctx, q, answer, &o, now, before)
		}, !o.Hold)
		failed = append(failed, err)
	}
	return oneOrAll(failed)
}

// oneOrAll joins errors into a flat list; a single one stays as it is.
func oneOrAll(list []error) error {
	var flat []error
	for _, err := range list {
		switch joined, ok := err.(interface{ Unwrap() []error }); {
		case ok:
			flat = append(flat, joined.Unwrap()...)
		case err != nil:
			flat = append(flat, err)
		}
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return errors.Join(flat...)
}

// change applies an action to an interrupt and returns its entries. before holds interrupts of the run that are
// changed in the same call.
type change func(q *journal.Interrupt, now int64, before []journal.Interrupt) ([]journal.Entry, error)

// amend changes an interrupt from outside, whichever process owns the run.
func (in *Inbox) amend(ctx context.Context, id string, do change, drive bool) error {
	q, err := in.interrupt(ctx, id)
	if err != nil {
		return err
	}
	return in.amendAll(ctx, q.Run, []string{id}, do, drive)
}

// amendAll changes interrupts of a run in one append; none if one change is refused. After a conflict it reads
// them again (law J3).
func (in *Inbox) amendAll(ctx context.Context, run string, ids []string, do change, drive bool) error {
	if drive {
		defer in.Waker.WillWake(run)()
	}
	for {
		row, err := in.Info(ctx, run) // the head first: later reads cannot be older
		if err != nil {
			return err
		}
		now := in.Now()
		b, wake, err := in.amendment(ctx, &row, ids, do, now)
		if wake && (drive || err != nil) {
			in.Waker.Wake(run)
		}
		if err != nil || len(b.Entries) == 0 {
			return err
		}
		if again, err := in.append(ctx, &row, &b); err != nil {
			return err
		} else if again {
			continue
		}
		in.tellAnswers(b.Interrupts)
		if drive {
			in.Waker.Wake(run)
		} else {
			in.Waker.Notify(run)
		}
		return nil
	}
}

// append stores what somebody has done about a run. Again reports that another process was faster (law J3).
func (in *Inbox) append(ctx context.Context, row *journal.RunRow, b *journal.Batch) (again bool, err error) {
	if err := in.holds(b); err != nil {
		return false, err
	}
	began := time.Now()
	if err = in.StampAfter(ctx, b); err == nil {
		err = in.Store.Append(ctx, *b)
	}
	if errors.Is(err, journal.ErrConflict) && ctx.Err() == nil {
		return true, nil
	}
	if err != nil {
		return false, in.StoreError(row.ID, err)
	}
	in.Witness(ctx, *row, b.Entries, began)
	return false, nil
}

// holds refuses values from outside that are too large, as a reason or a name (law N8).
func (in *Inbox) holds(b *journal.Batch) error {
	limit := in.MaxValue()
	for i := range b.Entries {
		if e := &b.Entries[i]; max(len(e.Value), len(e.Body)) > limit {
			over := &canonical.Excess{Limit: limit, Found: max(len(e.Value), len(e.Body))}
			return &runtype.Error{Code: runtype.CodeInvalid, Run: b.Run, Err: fmt.Errorf("%s: %w", e.Kind, runtype.NotStorable(over))}
		}
	}
	return nil
}

// amendment returns the batch that changes interrupts of a run and its row. wake may be set even for an empty
// batch.
func (in *Inbox) amendment(ctx context.Context, row *runtype.RunInfo, ids []string, do change, now int64) (b journal.Batch, wake bool, err error) {
	var failed []error
	b, driver := journal.Batch{Run: row.ID, After: row.Head}, row.Driver
	for _, id := range ids {
		q, err := in.interrupt(ctx, id)
		if err != nil {
			return b, false, err
		}
		wasOpen := q.IsOpen()
		entries, err := do(&q, now, b.Interrupts)
		switch {
		case err != nil:
			wake = wake || errors.Is(err, runtype.ErrExpired) && wasOpen // its deadline has passed unnoticed
			failed = append(failed, err)
			continue
		case len(entries) == 0:
			wake = wake || q.State == journal.Answered // its writer may not have resumed the run
			continue
		}
		b.Entries, b.Interrupts = append(b.Entries, entries...), append(b.Interrupts, q)
		if !q.IsOpen() {
			row.Waiting--
			row.Updated = now
			row.Ready = in.Leased && row.Status == string(runtype.Paused)
			b.Row, b.Driver = row, &driver // the owner may have changed since the row was read
			if q.Deadline != 0 {
				b.Timers = append(b.Timers, journal.Timer{Run: q.Run, ID: q.ID, Done: true})
			}
		}
	}
	for i := range b.Entries {
		b.Entries[i].Seq = b.After + uint64(i) + 1
	}
	return b, wake, oneOrAll(failed)
}

// tellAnswers logs answers.
func (in *Inbox) tellAnswers(list []journal.Interrupt) {
	for i := range list {
		if list[i].State == journal.Answered {
			in.Log.Info("answered", "interrupt", list[i].ID, "by", list[i].AnsweredBy)
		}
	}
}
