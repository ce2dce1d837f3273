package inbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

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
		err := in.amendAll(ctx, run, byRun[run], func(q *journal.Interrupt, now int64, before []journal.Interrupt) (none question.Change, err error) {
			answer, err := question.ToJSON(answers[q.ID], in.MaxValue())
			if err == nil {
				err = sayable(o)
			}
			if err != nil {
				return none, notAnAnswer(q.ID, err)
			}
			return in.resolve(ctx, q, answer, o, now, before)
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

// change applies an action to an interrupt and returns its entry. before holds interrupts of the run that are
// changed in the same call.
type change func(q *journal.Interrupt, now int64, before []journal.Interrupt) (question.Change, error)

// amend changes an interrupt from outside, whichever process owns the run.
func (in *Inbox) amend(ctx context.Context, id string, do change, execute bool) error {
	if run := in.Waker.RunAsking(id); run != "" {
		return in.amendAll(ctx, run, []string{id}, do, execute)
	}
	q, err := in.interrupt(ctx, id)
	if err != nil {
		return err
	}
	if execute { // a wrong answer, and one given before, need not have the run read
		if c, err := do(&q, in.Now(), nil); err != nil || c.IsNone() {
			return in.amendStored(ctx, q.Run, []string{id}, do, execute)
		}
	}
	return in.amendAll(ctx, q.Run, []string{id}, do, execute)
}

// amendAll changes interrupts of a run in one append; none if one change is refused. After a conflict it reads
// them again (law J3).
func (in *Inbox) amendAll(ctx context.Context, run string, ids []string, do change, execute bool) error {
	if execute {
		if done, err := in.amendPaused(ctx, run, ids, do); done {
			return err
		}
	}
	return in.amendStored(ctx, run, ids, do, execute)
}

// amendStored changes interrupts of a run as the store has them, and resumes the run then.
func (in *Inbox) amendStored(ctx context.Context, run string, ids []string, do change, execute bool) error {
	if execute {
		defer in.Waker.WillWake(run)()
	}
	for {
		row, err := in.Info(ctx, run) // the head first: later reads cannot be older
		if err != nil {
			return err
		}
		now := in.Now()
		b, wake, err := in.amendment(ctx, &row, ids, do, now)
		if wake && (execute || err != nil) {
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
		in.tellAnswers(ctx, b.Interrupts)
		if execute {
			in.Waker.Wake(run)
		} else {
			in.Waker.Notify(run)
		}
		return nil
	}
}

// amendPaused is amendAll for a paused run that this process can resume. Where a person is refused, it is not done:
// questions may have changed in the store.
func (in *Inbox) amendPaused(ctx context.Context, run string, ids []string, do change) (done bool, err error) {
	a := &amending{in: in, run: run, do: do}
	a.ids = append(a.room.ids[:0], ids...)
	done, err = in.Waker.AnswerPaused(ctx, run, a.changes)
	if done && err == nil {
		in.tellAnswers(ctx, a.changed)
	}
	return done, err
}

// amending changes interrupts of a paused run in one append.
type amending struct {
	in      *Inbox              // that amends
	run     string              // whose interrupts they are
	ids     []string            // of the interrupts
	do      change              // what is done to each
	changed []journal.Interrupt // how they are then
	room    single              // the memory of lists of one
}

// single is the memory of lists with one element, as nearly all are.
type single struct {
	ids     [1]string            // see amending
	changed [1]journal.Interrupt // see amending
	made    [1]question.Change   // what is recorded
}

// changes returns what is recorded, given the open interrupts of the run; nothing if one change is refused.
func (a *amending) changes(open []journal.Interrupt) []question.Change {
	now, made := a.in.Now(), a.room.made[:0]
	a.changed = a.room.changed[:0]
	for n, id := range a.ids {
		i := slices.IndexFunc(open, func(q journal.Interrupt) bool { return q.ID == id })
		if i < 0 {
			return nil
		}
		a.changed = append(a.changed, open[i])
		c, err := a.do(&a.changed[n], now, a.changed[:n])
		if err != nil || c.IsNone() || a.in.holds(a.run, &c.Entry) != nil {
			return nil
		}
		made = append(made, c)
	}
	return made
}

// append stores what somebody has done about a run. Again reports that another process was faster (law J3).
func (in *Inbox) append(ctx context.Context, row *journal.RunRow, b *journal.Batch) (again bool, err error) {
	for i := range b.Entries {
		if err := in.holds(b.Run, &b.Entries[i]); err != nil {
			return false, err
		}
	}
	return in.Record(ctx, row, b)
}

// holds refuses values from outside that are too large, as a reason or a name (law N8).
func (in *Inbox) holds(run string, e *journal.Entry) error {
	limit, found := in.MaxValue(), max(len(e.Value), len(e.Body))
	if found <= limit {
		return nil
	}
	over := &canonical.Excess{Limit: limit, Found: found}
	return &runtype.Error{Code: runtype.CodeInvalid, Run: run, Err: fmt.Errorf("%s: %w", e.Kind, runtype.NotStorable(over))}
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
		wasOpen, withdrawn := q.IsOpen(), q.State == journal.Withdrawn
		c, err := do(&q, now, b.Interrupts)
		if err == nil && !c.IsNone() || saysLess(err, withdrawn) {
			if late := in.Late(ctx, row, now); late != nil {
				err = late
			}
		}
		switch {
		case err != nil:
			wake = wake || errors.Is(err, runtype.ErrExpired) && wasOpen // its deadline has passed unnoticed
			failed = append(failed, err)
			continue
		case c.IsNone():
			wake = wake || q.State == journal.Answered // its writer may not have resumed the run
			continue
		}
		b.Entries, b.Interrupts = append(b.Entries, c.Entry), append(b.Interrupts, q)
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

// saysLess reports whether a refusal says less than that the run's deadline has passed. A refusal of the person says more.
func saysLess(err error, withdrawn bool) bool {
	door, ok := errors.AsType[*runtype.Error](err)
	return ok && (door.Code == runtype.CodeInvalid || door.Code == runtype.CodeExpired || door.Code == runtype.CodeConflict && withdrawn)
}

// tellAnswers logs answers.
func (in *Inbox) tellAnswers(ctx context.Context, list []journal.Interrupt) {
	if !in.Log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	for i := range list {
		if list[i].State == journal.Answered {
			in.Log.Info("answered", "interrupt", list[i].ID, "by", list[i].AnsweredBy)
		}
	}
}
