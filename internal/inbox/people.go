package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// keepApart checks that a person is not excluded from a question by four eyes (law H6). before holds questions
// of the run that are answered in the same call.
func (in *Inbox) keepApart(ctx context.Context, q *journal.Interrupt, name string, before []journal.Interrupt) error {
	if len(q.NotBy) == 0 && len(q.NotByNodes) == 0 {
		return nil
	}
	switch {
	case question.IsNobody(name):
		return question.Forbidden(q, "it needs a second person, and so a name")
	case question.IsAmong(q.NotBy, name):
		return question.Forbidden(q, "it needs a second person, who did not start the run")
	case len(q.NotByNodes) == 0:
		return nil
	}
	signed, err := in.signed(ctx, q, name, before)
	if err != nil {
		return err
	}
	for _, s := range signed {
		switch {
		case question.IsNobody(s.By):
			return question.Forbidden(q, "it needs a second person, and nobody knows who answered %s", s.Node)
		case question.SamePerson(s.By, name):
			return question.Forbidden(q, "it needs a second person, who did not answer %s", s.Node)
		}
	}
	return nil
}

// signed returns earlier answers of the run whose people may not answer this question. Only the journal knows
// what nodes were called at the time. It is read only if the person, or an unnamed one, may be excluded.
func (in *Inbox) signed(
	ctx context.Context, q *journal.Interrupt, name string, before []journal.Interrupt,
) ([]machine.Signature, error) {
	stored, err := in.Store.Inbox(ctx, journal.InboxFilter{Run: q.Run, All: true})
	if err != nil {
		return nil, in.StoreError(q.Run, err)
	}
	may := func(other journal.Interrupt) bool {
		return other.ID != q.ID && other.State == journal.Answered && (question.IsNobody(other.AnsweredBy) || question.SamePerson(other.AnsweredBy, name))
	}
	if !slices.ContainsFunc(stored, may) && !slices.ContainsFunc(before, may) {
		return nil, nil
	}
	var people machine.People
	for e, err := range in.Store.Read(ctx, q.Run, 0) {
		if err == nil && (e.Kind != journal.InterruptResolved || e.Op != q.ID) { // as it was before it was answered
			err = people.Note(&e)
		}
		if err != nil {
			return nil, in.StoreError(q.Run, err)
		}
	}
	for i := range before {
		if before[i].State == journal.Answered && before[i].ID != q.ID {
			people.Sign(before[i].ID, before[i].AnsweredBy)
		}
	}
	return people.Against(q.ID), nil
}

// Reassign asks another person or role, or a person in a role. Without a role the question keeps its own; without a
// person anyone in the role may answer. A claim is given up; the deadline stays.
//
// The caller gives a name ([AsPerson]) and the role that the question asks for ([AsRole]). An assigned or claimed
// question can be reassigned only by its holder, or by a person in its override role (node.Override). A person who may
// not answer may neither reassign nor be asked (law H6, CodeForbidden). The same call again changes nothing.
func (in *Inbox) Reassign(ctx context.Context, interrupt string, to runtype.Assignment, opts ...runtype.AnswerOption) error {
	if question.IsNobody(to.Person) && to.Role == "" {
		return notAnAnswer(interrupt, errors.New("expected a person or a role to reassign it to"))
	}
	return in.handOver(ctx, interrupt, question.Reassign, to, opts)
}

// Escalate asks another role now, as the deadline might later. It is Reassign to a role, under another name in
// the records.
func (in *Inbox) Escalate(ctx context.Context, interrupt string, to runtype.Assignment, opts ...runtype.AnswerOption) error {
	if to.Role == "" {
		return notAnAnswer(interrupt, errors.New("expected a role to escalate it to"))
	}
	return in.handOver(ctx, interrupt, question.Escalate, to, opts)
}

func (in *Inbox) handOver(ctx context.Context, interrupt string, do question.Action, to runtype.Assignment, opts []runtype.AnswerOption) error {
	o := runtype.OptionsOf(opts)
	if question.IsNobody(o.By) {
		return notAnAnswer(interrupt, errors.New("to reassign a question, give the name of the caller"))
	}
	if err := sayable(o, to.Person, to.Name, to.Role); err != nil {
		return notAnAnswer(interrupt, err)
	}
	to.Person = strings.TrimSpace(to.Person)
	return in.amend(ctx, interrupt, func(q *journal.Interrupt, now int64, before []journal.Interrupt) (none question.Change, err error) {
		if isAsked(q, to) && question.RightsOf(q, o.Roles)&(question.InRole|question.OverrideRole) != 0 {
			return none, nil
		}
		over, err := in.admit(ctx, q, do, o, now, before)
		if err != nil {
			return none, err
		}
		if !q.IsOpen() {
			return none, &runtype.Error{Code: runtype.CodeConflict, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s is %s", q.ID, q.State)}
		}
		if to.Person != "" {
			if err := in.keepApart(ctx, q, to.Person, before); err != nil {
				return none, err
			}
		}
		body := &journal.UpdatedBody{
			Do: question.ActionNames[do], By: o.By, Role: to.Role, Assignee: to.Person, Note: to.Note, Override: over,
			ByName: o.Name, AssigneeName: to.Name,
			Deadline: q.Deadline, AtDeadline: q.AtDeadline,
		}
		if body.Role == "" {
			body.Role = q.Role
		}
		body.Update(q)
		return question.ChangeOf(q, journal.InterruptUpdated, now, body), nil
	}, false)
}

// isAsked reports whether the person or role is asked already, and the question is unclaimed.
func isAsked(q *journal.Interrupt, to runtype.Assignment) bool {
	same := q.Assignee == to.Person || question.SamePerson(q.Assignee, to.Person)
	return q.State == journal.Open && same && (to.Role == "" || to.Role == q.Role)
}

// sayable refuses names and notes with control characters.
func sayable(o *runtype.AnswerOptions, others ...string) error {
	for _, texts := range [...][]string{{o.By, o.Name}, o.Roles, others} {
		for _, text := range texts {
			if err := printable.Check("a name or a role", text); err != nil {
				return err
			}
		}
	}
	return nil
}
