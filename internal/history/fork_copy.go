package history

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

// factAround names the entries that belong together with the one at a seq.
func factAround(all []journal.Entry, whole []bool, at uint64) string {
	first, last := int(at)-1, int(at)-1
	for first > 0 && !whole[first-1] {
		first--
	}
	for last+1 < len(all) && !whole[last] {
		last++
	}
	var parts []string
	for i := first; i <= last; i++ {
		part := all[i].Kind.String()
		if all[i].Node != "" {
			part += " " + runstate.TaskName(&all[i])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func nearestCuts(whole []bool, at uint64) string {
	var cuts []string
	for i := int(at) - 2; i >= 0; i-- {
		if whole[i] {
			cuts = append(cuts, fmt.Sprint(i+1))
			break
		}
	}
	for i := int(at); i < len(whole); i++ {
		if whole[i] {
			cuts = append(cuts, fmt.Sprint(i+1))
			break
		}
	}
	return "fork at " + strings.Join(cuts, " or ")
}

// copy makes the entries the fork's own.
func (f *fork) copy() error {
	if err := f.signed(); err != nil {
		return err
	}
	if err := f.own(); err != nil {
		return err
	}
	return f.extend()
}

// signed refuses a fork with an open question that nobody could answer, since its author is excluded (law H6).
func (f *fork) signed() error {
	assignees := make(map[string]string) // of open questions that need a second person
	for i := range f.entries {
		var err error
		switch e := &f.entries[i]; e.Kind {
		case journal.InterruptOpened:
			err = read(e, func(q *journal.Interrupt) {
				if len(q.NotBy) > 0 {
					assignees[e.Op] = q.Assignee
				}
			})
		case journal.InterruptUpdated:
			err = read(e, func(body *journal.UpdatedBody) {
				if _, needed := assignees[e.Op]; needed && (body.Do == question.ActionNames[question.Reassign] || body.Do == question.ActionNames[question.Escalate]) {
					assignees[e.Op] = body.Assignee
				}
			})
		case journal.InterruptResolved:
			delete(assignees, e.Op)
		default:
		}
		if err != nil {
			return f.s.ReplayError(f.from, f.entries[i].Seq, err)
		}
	}
	for _, assignee := range assignees {
		switch {
		case question.IsNobody(f.options.By):
			return &runtype.Error{Code: runtype.CodeInvalid, Run: f.from, Err: question.ErrNoForker}
		case question.SamePerson(assignee, f.options.By):
			return &runtype.Error{Code: runtype.CodeInvalid, Run: f.from, Err: fmt.Errorf("%w; reassign it first, or ask another person to fork", question.ErrForOne)}
		}
	}
	return nil
}

// own gives interrupts and tokens in the entries new ids.
func (f *fork) own() error {
	f.ids = make(map[string]string)
	for i := range f.entries {
		e := &f.entries[i]
		var err error
		switch e.Kind {
		case journal.RunStarted:
			err = rewrite(e, func(body *journal.StartedBody) {
				body.NotBefore, body.Dedup = 0, "" // the other run's alone (laws J16 and J17)
				body.Fork = &journal.Origin{Run: f.from, Seq: f.options.At, By: f.options.By}
			})
		case journal.InterruptOpened:
			f.ids[e.Op] = storage.NewID("int_")
			err = rewrite(e, f.reopen)
		case journal.InterruptUpdated:
			err = rewrite(e, func(body *journal.UpdatedBody) {
				if body.Do == "token" {
					body.TokenHash = question.TokenHash(f.s.Tokens.Of(f.ids[e.Op])) // not that of the other run
				}
			})
		case journal.InterruptResolved:
		case journal.RunResumed:
			err = rewrite(e, func(body *journal.ResumedBody) {
				for i, id := range body.Again {
					body.Again[i] = f.ids[id]
				}
			})
		default:
			continue
		}
		if err != nil {
			return f.s.ReplayError(f.from, e.Seq, err)
		}
		if id := f.ids[e.Op]; id != "" {
			e.Op = id
		}
	}
	return nil
}

// reopen makes a question the fork's own.
func (f *fork) reopen(q *journal.Interrupt) {
	token := rand.Text()
	q.ID, q.Run, q.TokenHash = f.ids[q.ID], f.s.ID, question.TokenHash(token)
	if len(q.NotBy) > 0 && !question.IsNobody(f.options.By) && !question.IsAmong(q.NotBy, f.options.By) {
		q.NotBy = append(q.NotBy, f.options.By) // the author of a fork starts a run
	}
	f.s.Tokens = append(f.s.Tokens, question.Token{Interrupt: q.ID, Secret: token})
}

// extend restarts passed deadlines of open questions. Otherwise the fork of an old run would only let them
// expire.
func (f *fork) extend() error {
	last := make(map[string]int) // index of the entry that set its deadline last, by interrupt or call
	for i := range f.entries {
		switch e := &f.entries[i]; e.Kind {
		case journal.InterruptOpened:
			last[e.Op] = i
		case journal.InterruptUpdated:
			var body journal.UpdatedBody
			if err := json.Unmarshal(e.Body, &body); err == nil && (body.Do == "escalate" || body.Do == "reassign") {
				last[e.Op] = i
			}
		case journal.InterruptResolved:
			delete(last, e.Op)
		case journal.MessageAwaited:
			last[runstate.TaskName(e)+" "+e.Op] = i
		case journal.TimerFired:
			delete(last, runstate.TaskName(e)+" "+e.Op)
		default:
		}
	}
	anew := func(deadline, set int64) int64 {
		if deadline == 0 || deadline > f.now {
			return deadline
		}
		return f.now + deadline - set
	}
	for _, i := range last {
		e := &f.entries[i]
		var err error
		switch e.Kind {
		case journal.InterruptOpened:
			err = rewrite(e, func(q *journal.Interrupt) { q.Deadline = anew(q.Deadline, q.Opened) })
		case journal.MessageAwaited:
			err = rewrite(e, func(body *journal.AwaitedBody) { body.Due = anew(body.Due, e.At) })
		default:
			err = rewrite(e, func(body *journal.UpdatedBody) { body.Deadline = anew(body.Deadline, e.At) })
		}
		if err != nil {
			return f.s.ReplayError(f.from, e.Seq, err)
		}
	}
	return nil
}

// read decodes the body of an entry for look.
func read[T any](e *journal.Entry, look func(body *T)) error {
	var body T
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return fmt.Errorf("%w: %w", journal.ErrCorrupt, err)
	}
	look(&body)
	return nil
}

// rewrite changes the body of an entry.
func rewrite[T any](e *journal.Entry, change func(body *T)) (err error) {
	invalid := read(e, func(body *T) {
		change(body)
		e.Body, err = json.Marshal(body)
	})
	return errors.Join(invalid, err)
}

// fold applies the copied entries to the fork's machine.
func (f *fork) fold() error {
	d := f.s
	for i := range f.entries {
		if err := d.Machine.Apply(&f.entries[i]); err != nil {
			return d.ReplayError(f.from, f.entries[i].Seq, err)
		}
		d.Values.Note(&f.entries[i])
	}
	for _, ref := range d.Machine.Refs() {
		data, err := d.Values.Whole(ref)
		if err != nil {
			return d.ReplayError(f.from, ref, err)
		}
		d.Values.Cells = append(d.Values.Cells, runstate.Cell{Ref: ref, Data: data})
	}
	d.Values.Clear()
	return nil
}
