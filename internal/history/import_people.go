package history

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// answered checks that the person of an answer was allowed to give it, in time (laws H2, H4 and H7). prev is
// the time of the entry before. An answer has that time if its clock was behind.
func (p *possible) answered(q *journal.Interrupt, e *journal.Entry, body *journal.ResolvedBody, prev int64) error {
	var roles []string
	if body.Role != "" {
		roles = []string{body.Role}
	}
	if _, _, ok := question.Entitled(q, question.Answer, body.By, roles); !ok {
		return fmt.Errorf("answered by a person who may not: %w", reasonOf(question.NotAdmitted(q, question.Answer, &runtype.AnswerOptions{By: body.By, Roles: roles})))
	}
	if question.IsLate(q, e.At) && e.At != prev {
		return fmt.Errorf("interrupt %s is answered after its deadline", q.ID)
	}
	return nil
}

// reasonOf returns an error without its run and task.
func reasonOf(err error) error {
	if at, ok := errors.AsType[*runtype.Error](err); ok {
		return at.Err
	}
	return err
}

// updated checks the right of a person to change a question (law H7). Of the roles, only an overriding one is
// recorded.
func (p *possible) updated(q *journal.Interrupt, e *journal.Entry, body *journal.UpdatedBody) error {
	do, known := doneAs[body.Do]
	switch {
	case body.Do == "token":
		return nil
	case !known:
		return fmt.Errorf("interrupt %s: %q was done with it; expected claim, release, reassign, escalate or token", q.ID, body.Do)
	case do == question.Escalate && body.By == "":
		return escalated(q, e, body)
	case body.Override != "" && body.Override != q.OverrideRole:
		return fmt.Errorf("interrupt %s is taken over by role %q; the role that may is %q", q.ID, body.Override, q.OverrideRole)
	case do == question.Claim && q.State == journal.Claimed:
		return fmt.Errorf("interrupt %s is claimed, and is claimed already", q.ID)
	case do == question.Release && q.State != journal.Claimed:
		return fmt.Errorf("interrupt %s is released, and nobody has claimed it", q.ID)
	}
	roles := []string{q.Role}
	if body.Override != "" {
		roles = []string{body.Override}
	}
	hold, overrides, ok := question.Entitled(q, do, body.By, roles)
	if !ok {
		return fmt.Errorf("%s by a person who may not: %w", body.Do, reasonOf(question.NotAdmitted(q, do, &runtype.AnswerOptions{By: body.By, Roles: roles})))
	}
	if e.Seq <= p.fork {
		return nil // a fork has extended it, and its author may have done it before
	}
	if question.NeedsAnother(do, hold, overrides) {
		if err := p.apart(q, body.By, body.Do); err != nil {
			return err
		}
	}
	if do != question.Reassign && do != question.Escalate {
		return nil
	}
	if body.Deadline != q.Deadline {
		return fmt.Errorf("interrupt %s has another deadline once it is handed over; expected the one it had", q.ID)
	}
	if question.IsNobody(body.Assignee) {
		return nil
	}
	return p.apart(q, body.Assignee, "assigned")
}

// doneAs maps names in the journal to actions.
var doneAs = map[string]question.Action{"claim": question.Claim, "release": question.Release, question.ActionNames[question.Reassign]: question.Reassign, question.ActionNames[question.Escalate]: question.Escalate}

// escalated checks that a deadline escalates to the role that it names (law H4).
func escalated(q *journal.Interrupt, e *journal.Entry, body *journal.UpdatedBody) error {
	switch at := q.AtDeadline; {
	case at == nil || at.Do != string(nodehost.DeadlineEscalate) || at.Role != body.Role || !question.IsNobody(body.Assignee):
		return fmt.Errorf("interrupt %s is escalated by its deadline, which says something else", q.ID)
	case !question.IsLate(q, e.At):
		return fmt.Errorf("interrupt %s is escalated by its deadline, before it", q.ID)
	}
	return nil
}

// apartAsked checks that a question with four eyes excludes the starter and the author of a fork (law H6).
func (p *possible) apartAsked(q *journal.Interrupt, e *journal.Entry) error {
	if len(q.NotBy) == 0 {
		return nil
	}
	people := []string{p.starter}
	if e.Seq > p.fork && p.forker != "" {
		people = append(people, p.forker)
	}
	for _, name := range people {
		if !question.IsAmong(q.NotBy, name) {
			return fmt.Errorf("interrupt %s needs a second person, and does not say that %s, who started or forked the run, is not one", q.ID, question.NameOr(name))
		}
	}
	return nil
}

// apart checks that an action on a question respects four eyes. Names are compared by the current rule, also
// for entries of versions with a weaker one: such a journal cannot be told from a forged one.
func (p *possible) apart(q *journal.Interrupt, by, done string) error {
	same := func(other string) bool { return question.SamePerson(other, by) }
	against := p.people.Against(q.ID)
	switch {
	case len(q.NotBy)+len(p.people.NotBy(q.ID)) == 0:
		return nil
	case question.IsNobody(by):
		return fmt.Errorf("interrupt %s is %s without a name; it needs a second person", q.ID, done)
	case slices.ContainsFunc(q.NotBy, same):
		return fmt.Errorf("interrupt %s is %s by %q; it needs a second person, who did not start the run", q.ID, done, by)
	}
	for _, s := range against {
		switch {
		case same(s.By):
			return fmt.Errorf("interrupt %s is %s by %q; it needs a second person, who did not answer %s", q.ID, done, by, s.Node)
		case question.IsNobody(s.By):
			return fmt.Errorf("interrupt %s is %s by %q; it needs a second person, and nobody knows who answered %s", q.ID, done, by, s.Node)
		}
	}
	return nil
}
