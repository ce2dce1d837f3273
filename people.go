package fermata

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/identity"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// errNoStarter says that four eyes cannot be had.
var errNoStarter = errors.New("four eyes: nobody knows who started the run, so it cannot be said who else may answer; " +
	"start it with fermata.StartedBy, or fermata run --as NAME")

// errNoForker says the same of a fork, whose values somebody may have changed.
var errNoForker = errors.New("four eyes: nobody knows who forked the run, so it cannot be said who else may answer; " +
	"give ForkOptions.By, or Options.Name, or fermata runs fork --as ID")

// errForOne says that nobody could ever answer.
var errForOne = errors.New("four eyes: the question is for one person, who may not answer it; " +
	"let another person be the assignee, or nobody in particular")

// apart is who may not answer a question: people by name, and whoever answered the nodes of these paths (law H6).
func (h *host) apart(q *node.Question) (people, nodes []string, err error) {
	if q.FourEyes {
		started := h.d.m.Started()
		if isNobody(started.By) {
			return nil, nil, errNoStarter
		}
		people = []string{started.By}
		f := started.Fork
		if h.d.then != nil && h.d.then.forked { // it was asked before
			f = nil
		}
		switch {
		case f == nil || SamePerson(f.By, started.By):
		case isNobody(f.By):
			return nil, nil, errNoForker
		default:
			people = append(people, f.By)
		}
	}
	if nodes, err = h.named(q.NotBy); err != nil {
		return nil, nil, err
	}
	return people, nodes, h.answerable(q, people, nodes)
}

// named are the paths of nodes that a question names, which the plan has in the graph of the node that asks.
func (h *host) named(names []string) (paths []string, err error) {
	flat, above := h.d.plan.Flat(), h.path[:strings.LastIndexByte(h.path, '/')+1]
	own := flat[h.node].Path
	within := own[:strings.LastIndexByte(own, '/')+1]
	for _, name := range names {
		if _, ok := h.d.plan.Index(within + name); !ok {
			var known []string
			for i := range flat {
				if rest, ok := strings.CutPrefix(flat[i].Path, within); ok && !strings.Contains(rest, "/") {
					known = append(known, rest)
				}
			}
			return nil, fmt.Errorf("four eyes: NotBy names %q, and the plan has no such node%s", name, nearest.Hint(name, known))
		}
		paths = append(paths, above+name)
	}
	return paths, nil
}

// answerable refuses a question of which it cannot be said who else may answer it, and one for a single person who may
// not. It names nobody.
func (h *host) answerable(q *node.Question, people, nodes []string) error {
	forOne := func(other string) bool { return SamePerson(q.Assignee, other) }
	if slices.ContainsFunc(people, forOne) {
		return errForOne
	}
	for _, s := range h.d.m.People().AgainstNew(h.path, nodes) {
		switch {
		case isNobody(s.By):
			return fmt.Errorf("four eyes: nobody knows who answered %s, so it cannot be said who else may answer; "+
				"let answers there come with a name (fermata.As, or --as NAME)", s.Node)
		case forOne(s.By):
			return errForOne
		}
	}
	return nil
}

// Person is somebody who does something about runs. The ID is who they are: it is recorded and compared, by [SamePerson].
// The Name is what they are called where they are shown, and decides nothing.
type Person struct {
	ID   string
	Name string // defaults to the ID
}

// AsPerson is [As] with what the person is called.
func AsPerson(p Person) AnswerOption {
	return func(o *answerOptions) {
		o.by, o.name = p.ID, ""
		if p.Name != p.ID {
			o.name = p.Name
		}
	}
}

// SamePerson reports whether two ids, or names where people have no other ids, are of one person: the one rule by which
// answers, claims and assignments compare them (laws H2, H6 and H7). They are compared by NFKC_Casefold of Unicode, without
// characters that nobody sees; capitals, the dot of an i and how much white space there is say nothing. Letters that only
// look alike differ. A blank name is nobody's, and so the same as no other.
func SamePerson(a, b string) bool { return identity.Same(a, b) }

func isNobody(name string) bool { return identity.IsBlank(name) }

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
		return forbidden(q, "it needs a second person, who did not start the run")
	case len(q.NotByNodes) == 0:
		return nil
	}
	signed, err := rt.signed(ctx, q, name, before)
	if err != nil {
		return err
	}
	for _, s := range signed {
		switch {
		case isNobody(s.By):
			return forbidden(q, "it needs a second person, and nobody knows who answered %s", s.Node)
		case SamePerson(s.By, name):
			return forbidden(q, "it needs a second person, who did not answer %s", s.Node)
		}
	}
	return nil
}

// signed are the answers in a question's run whose people may not answer it. The journal knows what nodes were called when
// somebody answered them, and is read only where that may be this person, or somebody who gave no name.
func (rt *Runtime) signed(
	ctx context.Context, q *journal.Interrupt, name string, before []journal.Interrupt,
) ([]machine.Signature, error) {
	stored, err := rt.store.Inbox(ctx, journal.InboxFilter{Run: q.Run, All: true})
	if err != nil {
		return nil, rt.storeError(q.Run, err)
	}
	may := func(other journal.Interrupt) bool {
		return other.ID != q.ID && other.State == journal.Answered && (isNobody(other.AnsweredBy) || SamePerson(other.AnsweredBy, name))
	}
	if !slices.ContainsFunc(stored, may) && !slices.ContainsFunc(before, may) {
		return nil, nil
	}
	var people machine.People
	for e, err := range rt.store.Read(ctx, q.Run, 0) {
		if err == nil && (e.Kind != journal.InterruptResolved || e.Op != q.ID) { // as it was before it was answered
			err = people.Note(&e)
		}
		if err != nil {
			return nil, rt.storeError(q.Run, err)
		}
	}
	for i := range before {
		if before[i].State == journal.Answered && before[i].ID != q.ID {
			people.Sign(before[i].ID, before[i].AnsweredBy)
		}
	}
	return people.Against(q.ID), nil
}

func forbidden(q *journal.Interrupt, format string, args ...any) error {
	return &Error{
		Code: CodeForbidden, Run: q.Run, Task: q.Task,
		Err: fmt.Errorf("%w: interrupt %s: %s", ErrForbidden, q.ID, fmt.Sprintf(format, args...)),
	}
}

// Assignment is who is asked from now on, and why.
type Assignment struct {
	Person string // the one person who may answer: the ID
	Name   string // what they are called, where that is not who they are
	Role   string // the role that the question asks for
	Note   string // why; for the record
}

// Reassign has somebody else asked: a person, a role, or a person in a role. Without a role the question keeps its own;
// without a person it is for whoever is in the role. A claim is given up; the deadline stays.
//
// Who reassigns says their name ([As]) and is in the role that the question asks for ([InRole]). A question that is
// assigned or claimed is reassigned by its assignee or claimer alone, or by somebody in the role that the question says
// may override (node.Override). A person who may not answer is refused, to do it and to be asked (law H6, CodeForbidden).
// The same again changes nothing.
func (rt *Runtime) Reassign(ctx context.Context, interrupt string, to Assignment, opts ...AnswerOption) error {
	if isNobody(to.Person) && to.Role == "" {
		return notAnAnswer(interrupt, errors.New("expected a person or a role to reassign it to"))
	}
	return rt.handOver(ctx, interrupt, reassigns, to, opts)
}

// Escalate has another role asked now, as the deadline might later: [Runtime.Reassign] to a role, under another name in
// the records.
func (rt *Runtime) Escalate(ctx context.Context, interrupt string, to Assignment, opts ...AnswerOption) error {
	if to.Role == "" {
		return notAnAnswer(interrupt, errors.New("expected a role to escalate it to"))
	}
	return rt.handOver(ctx, interrupt, escalates, to, opts)
}

func (rt *Runtime) handOver(ctx context.Context, interrupt string, do deed, to Assignment, opts []AnswerOption) error {
	o := optionsOf(opts)
	if isNobody(o.by) {
		return notAnAnswer(interrupt, errors.New("who has somebody else asked needs a name"))
	}
	if err := sayable(&o, to.Person, to.Name, to.Role); err != nil {
		return notAnAnswer(interrupt, err)
	}
	to.Person = strings.TrimSpace(to.Person)
	return rt.amend(ctx, interrupt, func(q *journal.Interrupt, now int64, before []journal.Interrupt) ([]journal.Entry, error) {
		if isAsked(q, to) && has(q, o.roles)&(inRole|override) != 0 {
			return nil, nil
		}
		over, err := rt.admit(ctx, q, do, &o, now, before)
		if err != nil {
			return nil, err
		}
		if !q.IsOpen() {
			return nil, &Error{Code: CodeConflict, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s is %s", q.ID, q.State)}
		}
		if to.Person != "" {
			if err := rt.keepApart(ctx, q, to.Person, before); err != nil {
				return nil, err
			}
		}
		body := journal.UpdatedBody{
			Do: doings[do], By: o.by, Role: to.Role, Assignee: to.Person, Note: to.Note, Override: over,
			ByName: o.name, AssigneeName: to.Name,
			Deadline: q.Deadline, AtDeadline: q.AtDeadline,
		}
		if body.Role == "" {
			body.Role = q.Role
		}
		body.Update(q)
		return []journal.Entry{interruptEntry(q, journal.InterruptUpdated, now, body)}, nil
	}, false)
}

// isAsked reports whether somebody is asked already, and nobody has claimed the question.
func isAsked(q *journal.Interrupt, to Assignment) bool {
	same := q.Assignee == to.Person || SamePerson(q.Assignee, to.Person)
	return q.State == journal.Open && same && (to.Role == "" || to.Role == q.Role)
}

// sayable refuses who does something, and what else is said of people, where it would act on a terminal that shows it.
func sayable(o *answerOptions, others ...string) error {
	for _, text := range slices.Concat([]string{o.by, o.name}, o.roles, others) {
		if err := printable.Check("a name or a role", text); err != nil {
			return err
		}
	}
	return nil
}

// doings are what hand-overs are called in the journal.
var doings = map[deed]string{reassigns: "reassign", escalates: "escalate"}
