package fermata

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/journal"
)

// AnswerAll closes several interrupts at once, given by their ids: each is checked as by Answer, and all answers of one
// run are committed in one append (law H2). Where one of them does not fit, none of that run is recorded, and the error
// names each that does not: it joins one *Error for each (see errors.Join). Runs do not depend on each other:
// the answers of another run are recorded all the same.
//
// The same answers again are accepted and have no effect. The options hold for all of them, so a resume token serves a
// single interrupt only.
func (rt *Runtime) AnswerAll(ctx context.Context, answers map[string]any, opts ...AnswerOption) error {
	o := optionsOf(opts)
	var failed []error
	byRun := make(map[string][]string)
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		q, err := rt.interrupt(ctx, id)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		byRun[q.Run] = append(byRun[q.Run], id)
	}
	for _, run := range slices.Sorted(maps.Keys(byRun)) {
		err := rt.amendAll(ctx, run, byRun[run], func(q *journal.Interrupt, now int64, before []journal.Interrupt) ([]journal.Entry, error) {
			answer, err := toJSON(answers[q.ID], rt.options.maxValue())
			if err == nil {
				err = sayable(&o)
			}
			if err != nil {
				return nil, notAnAnswer(q.ID, err)
			}
			return rt.resolve(ctx, q, answer, &o, now, before)
		}, !o.hold)
		failed = append(failed, err)
	}
	return oneOrAll(failed)
}

// oneOrAll joins errors, those that are joined already one by one, and leaves a single one as it is.
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

// change makes entries of what somebody does with an interrupt, and changes it accordingly. before are those of the run
// that are changed at once with it.
type change func(q *journal.Interrupt, now int64, before []journal.Interrupt) ([]journal.Entry, error)

// amend changes an interrupt from outside, whoever drives the run.
func (rt *Runtime) amend(ctx context.Context, id string, do change, drive bool) error {
	q, err := rt.interrupt(ctx, id)
	if err != nil {
		return err
	}
	return rt.amendAll(ctx, q.Run, []string{id}, do, drive)
}

// amendAll changes interrupts of a run: it reads how they stand, and appends at once what do makes of them; nothing
// where one of them is refused. When somebody else wrote in between, it looks again (law J3).
func (rt *Runtime) amendAll(ctx context.Context, run string, ids []string, do change, drive bool) error {
	if drive {
		defer rt.willWake(run)()
	}
	for {
		row, err := rt.Info(ctx, run) // the head first: what is read after it cannot be older
		if err != nil {
			return err
		}
		now := rt.now()
		b, wake, err := rt.amendment(ctx, &row, ids, do, now)
		if wake && (drive || err != nil) {
			rt.wake(run)
		}
		if err != nil || len(b.Entries) == 0 {
			return err
		}
		if err := rt.holds(&b); err != nil {
			return err
		}
		began := time.Now()
		if err = rt.stampAfter(ctx, &b); err == nil {
			err = rt.store.Append(ctx, b)
		}
		if errors.Is(err, journal.ErrConflict) && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return rt.storeError(run, err)
		}
		rt.witness(ctx, row, b.Entries, began)
		rt.tellAnswers(b.Interrupts)
		if drive {
			rt.wake(run)
		} else {
			rt.ring(run)
		}
		return nil
	}
}

// holds refuses what somebody outside wants to have recorded, where that is too large: a reason, a name (law N8).
func (rt *Runtime) holds(b *journal.Batch) error {
	limit := rt.options.maxValue()
	for i := range b.Entries {
		if e := &b.Entries[i]; max(len(e.Value), len(e.Body)) > limit {
			over := &canonical.Excess{Limit: limit, Found: max(len(e.Value), len(e.Body))}
			return &Error{Code: CodeInvalid, Run: b.Run, Err: fmt.Errorf("%s: %w", e.Kind, notStorable(over))}
		}
	}
	return nil
}

// amendment is the batch that changes interrupts of a run, whose row it changes. To wake the run may be called for also
// where there is nothing to append.
func (rt *Runtime) amendment(ctx context.Context, row *RunInfo, ids []string, do change, now int64) (b journal.Batch, wake bool, err error) {
	var failed []error
	b, driver := journal.Batch{Run: row.ID, After: row.Head}, row.Driver
	for _, id := range ids {
		q, err := rt.interrupt(ctx, id)
		if err != nil {
			return b, false, err
		}
		wasOpen := q.IsOpen()
		entries, err := do(&q, now, b.Interrupts)
		switch {
		case err != nil:
			wake = wake || errors.Is(err, ErrExpired) && wasOpen // its deadline is due, and nobody was there to notice
			failed = append(failed, err)
			continue
		case len(entries) == 0:
			wake = wake || q.State == journal.Answered // it may have been recorded by somebody who does not drive
			continue
		}
		b.Entries, b.Interrupts = append(b.Entries, entries...), append(b.Interrupts, q)
		if !q.IsOpen() {
			row.Waiting--
			row.Updated = now
			row.Ready = rt.lease.store != nil && row.Status == string(Paused)
			b.Row, b.Driver = row, &driver // who drives it may have changed since the row was read
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

// tellAnswers logs what was answered.
func (rt *Runtime) tellAnswers(list []journal.Interrupt) {
	for i := range list {
		if list[i].State == journal.Answered {
			rt.log.Info("answered", "interrupt", list[i].ID, "by", list[i].AnsweredBy)
		}
	}
}
