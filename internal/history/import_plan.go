package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// planned folds an imported journal with the run's plan, and finds entries that the plan cannot have written
// (law J6).
type planned struct {
	h     *History          // the importing history
	s     *runstate.State   // of the run
	in    *importer         // the imported data
	asks  map[uint64]uint64 // seq of the task's input, by seq of a question that a definition asks
	since uint64            // seq of the last entry that started or moved the run to its definition
}

// foldsAs folds a journal with its plan, if that is known, so that the run can be resumed. If its definition
// came with it, its questions must be the definition's.
func (h *History) foldsAs(ctx context.Context, b *journal.Batch, in *importer, o *ImportOptions) error {
	find, info := o.Plans, *b.Row
	if find == nil {
		find = h.Live.PlanFor
	}
	p, err := storage.FindPlan(ctx, find, info)
	if missing := err != nil || p == nil || p.Fingerprint() != info.Fingerprint; missing {
		return nil // the data of a run is imported without its plan, too
	}
	st := h.NewState(b.Run, p, runtype.Sync)
	st.Row = info
	f := planned{h: h, s: &st, in: in, asks: make(map[uint64]uint64), since: 1}
	if err := f.fold(b.Entries); err != nil {
		return err
	}
	if info.Definition == "" || len(f.asks) == 0 {
		return nil
	}
	return f.compare(ctx, b.Entries)
}

// fold folds the journal, and lists the questions to compare with the definition.
func (f *planned) fold(entries []journal.Entry) error {
	for i := range entries {
		e := &entries[i]
		could := e.Kind != journal.RunFinished || f.s.Machine.CanComplete(e)
		if err := f.s.Machine.Apply(e); err != nil {
			return err
		}
		if !could && f.s.Machine.Status() == machine.Completed {
			return corruptf("entry %d: the run is completed, and its paths have not ended", e.Seq)
		}
		switch e.Kind {
		case journal.RunResumed:
			var body journal.ResumedBody
			if err := read(e, func(b *journal.ResumedBody) { body = *b }); err != nil {
				return storage.Damaged(e.Seq, err)
			}
			if body.Fingerprint+body.Definition != "" || len(body.Nodes)+len(body.Values) > 0 {
				f.since = e.Seq
				clear(f.asks)
			}
		case journal.InterruptOpened:
			if t := f.asker(e); t != nil {
				f.asks[e.Seq] = t.Ref
			}
		default:
		}
	}
	if f.since > 1 || len(entries) == 0 {
		return nil
	}
	if err := f.s.CheckInput(entries[0].Value); err != nil {
		return corruptf("entry 1: %w", err)
	}
	return nil
}

// asker returns the task that has just asked if its function does nothing else, so that it may be called any
// number of times; nil otherwise.
func (f *planned) asker(e *journal.Entry) *machine.Task {
	for _, t := range f.s.Machine.Tasks() {
		if f.s.Machine.Path(t) != e.Node || t.Visit != e.Visit {
			continue
		}
		if flat := f.s.Machine.Flat(t); flat.Kind == plan.Human && flat.Pure && flat.Run != nil && !t.InFlow() {
			return t
		}
	}
	return nil
}

// compare folds the journal again with its values, and lets each listed task ask its question.
func (f *planned) compare(ctx context.Context, entries []journal.Entry) error {
	u := f.in.unfolding()
	for seq, ref := range f.asks {
		if ref < 1 || ref >= seq {
			return corruptf("entry %d: its task was given no value", seq)
		}
		u.last[ref-1] = max(u.last[ref-1], seq)
	}
	f.s.Machine = machine.New(f.s.Plan)
	for i := range entries {
		e := &entries[i]
		if err := errors.Join(f.s.Machine.Apply(e), u.next(e)); err != nil {
			return err
		}
		ref, ok := f.asks[e.Seq]
		if !ok {
			continue
		}
		doc := u.docs[ref]
		if doc == nil {
			return corruptf("entry %d: its task was given no value", e.Seq)
		}
		f.s.Values = runstate.Values{}
		f.s.Values.Add(runstate.Cell{Ref: ref, Data: doc.JSON()})
		if u.last[ref-1] == e.Seq {
			delete(u.docs, ref)
		}
		if err := f.asked(ctx, e); err != nil {
			return corruptf("entry %d: not what the recipe of the run asks: %w", e.Seq, err)
		}
	}
	return nil
}

// asked compares a question with the one that its task asks.
func (f *planned) asked(ctx context.Context, e *journal.Entry) error {
	var q journal.Interrupt
	if err := read(e, func(b *journal.Interrupt) { q = *b }); err != nil {
		return err
	}
	r := &recordedQuestion{q: &q, at: e.At}
	if fork := f.s.Machine.Started().Fork; fork != nil && e.Seq <= fork.Seq {
		r.forked = true
	}
	done, err := f.h.Rehearsal.Replays(ctx, f.s, f.asker(e), r)
	switch {
	case err != nil:
		return err
	case r.err != nil:
		return r.err
	case done && !r.compared:
		return fmt.Errorf("interrupt %s: its task does not ask it", q.ID)
	}
	return nil
}

// recordedQuestion is a question of an imported run, while its task asks again.
type recordedQuestion struct {
	q        *journal.Interrupt // the question
	at       int64              // when it was asked, in microseconds
	forked   bool               // copied by a fork: it may exclude more people, and have a later deadline
	compared bool               // the task has asked
	err      error              // the difference found; nil for none
}

// compare checks that a question equals the one that its task asks.
func (r *recordedQuestion) compare(asked *journal.Interrupt, within int64) {
	was := r.q
	differs := func(what string, want, found any) {
		if r.err == nil {
			r.err = fmt.Errorf("interrupt %s: %s: expected %v, found %v", was.ID, what, want, found)
		}
	}
	for _, same := range []struct{ what, want, found string }{
		{"the role", asked.Role, was.Role},
		{"the assignee", asked.Assignee, was.Assignee},
		{"the role that overrides", asked.OverrideRole, was.OverrideRole},
		{"the kind", asked.Kind, was.Kind},
		{"the prompt", asked.Prompt, was.Prompt},
	} {
		if same.want != same.found {
			differs(same.what, fmt.Sprintf("%q", same.want), fmt.Sprintf("%q", same.found))
		}
	}
	for _, same := range []struct {
		what        string
		want, found []byte
	}{
		{"the response schema", asked.ResponseSchema, was.ResponseSchema},
		{"the request schema", asked.RequestSchema, was.RequestSchema},
		{"the request", asked.Request, was.Request},
	} {
		if !bytes.Equal(same.want, same.found) && !question.SameJSON(same.want, same.found) {
			differs(same.what, excerptOf(same.want), excerptOf(same.found))
		}
	}
	least := was.Opened + within
	atDeadline, _ := json.Marshal(asked.AtDeadline) //nolint:errchkjson // of texts and numbers
	found, _ := json.Marshal(was.AtDeadline)        //nolint:errchkjson // of texts and numbers
	switch {
	case !slices.Equal(asked.Options, was.Options):
		differs("the options", asked.Options, was.Options)
	case asked.NeedsToken != was.NeedsToken:
		differs("that it needs its token", asked.NeedsToken, was.NeedsToken)
	case !r.sameApart(asked.NotBy):
		r.err = fmt.Errorf("interrupt %s: it is not kept from the people that its task keeps it from", was.ID)
	case !slices.Equal(asked.NotByNodes, was.NotByNodes):
		differs("the nodes whose people may not answer", asked.NotByNodes, was.NotByNodes)
	case within == 0 && was.Deadline != 0, within > 0 && was.Deadline != least && !(r.forked && was.Deadline > least):
		differs("the deadline", "that of the question", "another one")
	case was.Opened > r.at:
		differs("when it was opened", timeOf(r.at), timeOf(was.Opened))
	case !bytes.Equal(atDeadline, found) && !question.SameJSON(atDeadline, found):
		differs("what its deadline does", string(atDeadline), string(found))
	}
}

// Concerns reports whether this operation of the task asks the question.
func (r *recordedQuestion) Concerns(op, task string) bool { return r.q.Op == op && r.q.Task == task }

// IsCopied reports whether a fork has copied the question.
func (r *recordedQuestion) IsCopied() bool { return r.forked }

// CompareWith compares the question with the one that the task asks, or records the error for which it asks
// none.
func (r *recordedQuestion) CompareWith(asked *journal.Interrupt, within int64, err error) {
	if r.compared = true; err != nil {
		r.err = err
		return
	}
	r.compare(asked, within)
}

// sameApart reports whether a question excludes the same people; a fork also excludes its author.
func (r *recordedQuestion) sameApart(people []string) bool {
	was := r.q.NotBy
	if len(was) != len(people) && (!r.forked || len(people) == 0) {
		return false
	}
	return !slices.ContainsFunc(people, func(name string) bool { return !question.IsAmong(was, name) })
}
