package fermata

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// planned folds an imported journal with the run's plan, and finds what that plan cannot have written (law J6).
type planned struct {
	d     *drive
	in    *importer
	asks  map[uint64]uint64 // by the seq of a question that a definition says: the entry with the value that its task was given
	since uint64            // the last entry with which the run went over to its definition, or was started on it
}

// foldsAs folds a journal with the plan that it is of, where that is known: a run that is taken in can be resumed. Where its
// definition has come with it, its questions are those that the definition asks.
func (rt *Runtime) foldsAs(ctx context.Context, b *journal.Batch, in *importer, o *ImportOptions) error {
	find, info := o.Plans, *b.Row
	if find == nil {
		find = rt.planFor
	}
	p, err := foundBy(ctx, find, info)
	if err != nil || p == nil || p.Fingerprint() != info.Fingerprint {
		return nil // a plan that is not here, or is another one
	}
	f := planned{d: rt.newDrive(b.Run, p, Sync), in: in, asks: make(map[uint64]uint64), since: 1}
	defer f.d.stop()
	f.d.row, f.d.looksOn = info, true
	if err := f.fold(b.Entries); err != nil {
		return err
	}
	if info.Definition == "" || len(f.asks) == 0 {
		return nil
	}
	return f.compare(ctx, b.Entries)
}

// fold folds the journal, and notes which questions can be compared with the definition.
func (f *planned) fold(entries []journal.Entry) error {
	for i := range entries {
		e := &entries[i]
		could := e.Kind != journal.RunFinished || f.d.m.CanComplete(e)
		if err := f.d.m.Apply(e); err != nil {
			return err
		}
		if !could && f.d.m.Status() == machine.Completed {
			return corruptf("entry %d: the run is completed, and its paths have not ended", e.Seq)
		}
		switch e.Kind {
		case journal.RunResumed:
			var body journal.ResumedBody
			if err := read(e, func(b *journal.ResumedBody) { body = *b }); err != nil {
				return damaged(e.Seq, err)
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
	if err := f.d.checkInput(entries[0].Value); err != nil {
		return corruptf("entry 1: %w", err)
	}
	return nil
}

// asker is the task that has just asked, where its function does nothing but ask: it may be called as often as one likes.
func (f *planned) asker(e *journal.Entry) *machine.Task {
	for _, t := range f.d.m.Tasks() {
		if f.d.m.Path(t) != e.Node || t.Visit != e.Visit {
			continue
		}
		if flat := f.d.m.Flat(t); flat.Kind == plan.Human && flat.Pure && flat.Run != nil && !t.InFlow() {
			return t
		}
	}
	return nil
}

// compare folds the journal once more, with the values, and has each task ask that has asked.
func (f *planned) compare(ctx context.Context, entries []journal.Entry) error {
	u := f.in.unfolding()
	for seq, ref := range f.asks {
		if ref < 1 || ref >= seq {
			return corruptf("entry %d: its task was given no value", seq)
		}
		u.last[ref-1] = max(u.last[ref-1], seq)
	}
	f.d.m = machine.New(f.d.plan)
	for i := range entries {
		e := &entries[i]
		if err := errors.Join(f.d.m.Apply(e), u.next(e)); err != nil {
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
		f.d.vals = values{}
		f.d.vals.add(cell{ref: ref, data: doc.JSON()})
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
	r := &askedThen{q: &q, at: e.At}
	if fork := f.d.m.Started().Fork; fork != nil && e.Seq <= fork.Seq {
		r.forked = true
	}
	f.d.then = r
	done, err := f.d.replays(ctx, f.asker(e))
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

// askedThen is a question of an imported run, while its task asks again.
type askedThen struct {
	q        *journal.Interrupt
	at       int64 // when it was asked
	forked   bool  // a fork has copied it: more people may be kept from it, and it may have got more time
	compared bool
	err      error // what is not as it was asked
}

// compare checks that a question is what its task asks.
func (r *askedThen) compare(asked *journal.Interrupt, within int64) {
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
		if !bytes.Equal(same.want, same.found) && !sameJSON(same.want, same.found) {
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
	case !bytes.Equal(atDeadline, found) && !sameJSON(atDeadline, found):
		differs("what its deadline does", string(atDeadline), string(found))
	}
}

// sameApart reports whether a question is kept from the people whom its task keeps it from; a fork adds who has forked.
func (r *askedThen) sameApart(people []string) bool {
	was := r.q.NotBy
	if len(was) != len(people) && (!r.forked || len(people) == 0) {
		return false
	}
	return !slices.ContainsFunc(people, func(name string) bool { return !isAmong(was, name) })
}

// comparesWith compares what a task asks with what was recorded of it; it is nothing but for the question that is looked at.
func (h *host) comparesWith(op node.Op, q node.Question, digest string) {
	r := h.d.then
	if r == nil || r.q.Op != op.ID || r.q.Task != node.TaskID(h.path, int(h.visit)) {
		return
	}
	r.compared = true
	asked, err := h.interrupt(op, q, digest)
	if err != nil {
		r.err = err
		return
	}
	r.compare(&asked, q.Within.Microseconds())
}
