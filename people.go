package fermata

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// errNoStarter says that four eyes cannot be had.
var errNoStarter = errors.New("four eyes: nobody knows who started the run, so it cannot be said who else may answer; " +
	"start it with fermata.StartedBy, or fermata run --as NAME")

// apart is who may not answer a question: people by name, and whoever answered the nodes of these paths (law H6).
func (h *host) apart(q *node.Question) (people, nodes []string, err error) {
	if q.FourEyes {
		started := h.d.m.Started()
		if isNobody(started.By) {
			return nil, nil, errNoStarter
		}
		people = []string{started.By}
		if f := started.Fork; f != nil && !isNobody(f.By) && !SamePerson(f.By, started.By) {
			people = append(people, f.By)
		}
	}
	above := h.path[:strings.LastIndexByte(h.path, '/')+1]
	for _, n := range q.NotBy {
		nodes = append(nodes, above+n)
	}
	return people, nodes, nil
}

// SamePerson reports whether two names are of one person: the one rule by which answers, claims and assignments compare
// them (laws H2 and H6). Capitals and white space around a name say nothing, since people write them as they like. A blank
// name is nobody's, and so the same as no other.
func SamePerson(a, b string) bool {
	return !isNobody(a) && strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

func isNobody(name string) bool { return strings.TrimSpace(name) == "" }

func isAmong(people []string, name string) bool {
	return slices.ContainsFunc(people, func(other string) bool { return SamePerson(other, name) })
}

// keepApart checks that who answers, claims or is assigned is somebody else than the question says (law H6). before are
// questions of the run that are being answered with it.
func (rt *Runtime) keepApart(ctx context.Context, q *journal.Interrupt, name string, before []journal.Interrupt) error {
	if len(q.NotBy) == 0 && len(q.NotByNodes) == 0 {
		return nil
	}
	switch {
	case isNobody(name):
		return forbidden(q, "it needs a second person, and so a name")
	case isAmong(q.NotBy, name):
		return forbidden(q, "it needs a second person: %s started the run", name)
	case len(q.NotByNodes) == 0:
		return nil
	}
	stored, err := rt.store.Inbox(ctx, journal.InboxFilter{Run: q.Run, All: true})
	if err != nil {
		return rt.storeError(q.Run, err)
	}
	for _, other := range append(stored, before...) {
		path, _ := node.CutTask(other.Task)
		if other.ID != q.ID && other.State == journal.Answered && slices.Contains(q.NotByNodes, path) && SamePerson(other.AnsweredBy, name) {
			return forbidden(q, "it needs a second person: %s answered %s", name, other.Task)
		}
	}
	return nil
}

func forbidden(q *journal.Interrupt, format string, args ...any) error {
	return &Error{
		Code: CodeForbidden, Run: q.Run, Task: q.Task,
		Err: fmt.Errorf("%w: interrupt %s: %s", ErrForbidden, q.ID, fmt.Sprintf(format, args...)),
	}
}

// Assignment is who is asked from now on, and why.
type Assignment struct {
	Person string // the one person who may answer
	Role   string // the role that the question asks for
	Note   string // why; for the record
}

// Reassign has somebody else asked: a person, a role, or a person in a role. Without a role the question keeps its own;
// without a person it is for whoever is in the role. A claim is given up; the deadline stays.
//
// Who reassigns says their name ([As]) and is in the role that the question asks for ([InRole]). A person who may not
// answer is refused (law H6, CodeForbidden). The same again changes nothing.
func (rt *Runtime) Reassign(ctx context.Context, interrupt string, to Assignment, opts ...AnswerOption) error {
	if isNobody(to.Person) && to.Role == "" {
		return notAnAnswer(interrupt, errors.New("expected a person or a role to reassign it to"))
	}
	return rt.handOver(ctx, interrupt, "reassign", to, opts)
}

// Escalate has another role asked now, as the deadline might later: [Runtime.Reassign] to a role, under another name in
// the records.
func (rt *Runtime) Escalate(ctx context.Context, interrupt string, to Assignment, opts ...AnswerOption) error {
	if to.Role == "" {
		return notAnAnswer(interrupt, errors.New("expected a role to escalate it to"))
	}
	return rt.handOver(ctx, interrupt, "escalate", to, opts)
}

func (rt *Runtime) handOver(ctx context.Context, interrupt, do string, to Assignment, opts []AnswerOption) error {
	var o answerOptions
	for _, opt := range opts {
		opt(&o)
	}
	if isNobody(o.by) {
		return notAnAnswer(interrupt, errors.New("who has somebody else asked needs a name"))
	}
	to.Person = strings.TrimSpace(to.Person)
	return rt.amend(ctx, interrupt, func(q *journal.Interrupt, now int64, before []journal.Interrupt) ([]journal.Entry, error) {
		if q.Role != "" && q.Role != o.role {
			return nil, forbidden(q, "it is for role %q to have somebody else asked, found %q", q.Role, o.role)
		}
		if err := stillOpen(q, now); err != nil {
			return nil, err
		}
		if to.Person != "" {
			if err := rt.keepApart(ctx, q, to.Person, before); err != nil {
				return nil, err
			}
		}
		body := journal.UpdatedBody{
			Do: do, By: o.by, Role: to.Role, Assignee: to.Person, Note: to.Note,
			Deadline: q.Deadline, AtDeadline: q.AtDeadline,
		}
		if body.Role == "" {
			body.Role = q.Role
		}
		same := q.Assignee == body.Assignee || SamePerson(q.Assignee, body.Assignee)
		if q.State == journal.Open && q.Role == body.Role && same {
			return nil, nil
		}
		body.Update(q)
		return []journal.Entry{interruptEntry(q, journal.InterruptUpdated, now, body)}, nil
	}, false)
}

// stillOpen says why a question cannot be changed any more.
func stillOpen(q *journal.Interrupt, now int64) error {
	if !q.IsOpen() {
		return &Error{Code: CodeConflict, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s is %s", q.ID, q.State)}
	}
	if q.Deadline != 0 && q.Deadline <= now {
		return &Error{Code: CodeExpired, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s: %w", q.ID, ErrExpired)}
	}
	return nil
}
