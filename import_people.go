package fermata

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// answered checks that somebody who may answer a question did, in time (laws H2, H4 and H7). prev is the time of the entry before:
// an answer is stamped with it where the clock that admitted the answer was behind the one that wrote before.
func (p *possible) answered(q *journal.Interrupt, e *journal.Entry, body *journal.ResolvedBody, prev int64) error {
	var roles []string
	if body.Role != "" {
		roles = []string{body.Role}
	}
	if _, _, ok := entitled(q, answers, body.By, roles); !ok {
		return fmt.Errorf("answered by somebody who may not: %w", reasonOf(notAdmitted(q, answers, &answerOptions{by: body.By, roles: roles})))
	}
	if isLate(q, e.At) && e.At != prev {
		return fmt.Errorf("interrupt %s is answered after its deadline", q.ID)
	}
	return nil
}

// reasonOf is an error without the run and the task that it is about.
func reasonOf(err error) error {
	if at, ok := errors.AsType[*Error](err); ok {
		return at.Err
	}
	return err
}

// updated checks what was done with an open question: whoever did it had the right to (law H7). The role of who hands a
// question over is not recorded, only the one that overrides.
func (p *possible) updated(q *journal.Interrupt, e *journal.Entry, body *journal.UpdatedBody) error {
	do, known := doneAs[body.Do]
	switch {
	case body.Do == "token":
		return nil
	case !known:
		return fmt.Errorf("interrupt %s: %q was done with it; expected claim, release, reassign, escalate or token", q.ID, body.Do)
	case do == escalates && body.By == "":
		return escalated(q, e, body)
	case body.Override != "" && body.Override != q.OverrideRole:
		return fmt.Errorf("interrupt %s is taken over by role %q; the role that may is %q", q.ID, body.Override, q.OverrideRole)
	case do == claims && q.State == journal.Claimed:
		return fmt.Errorf("interrupt %s is claimed, and is claimed already", q.ID)
	case do == releases && q.State != journal.Claimed:
		return fmt.Errorf("interrupt %s is released, and nobody has claimed it", q.ID)
	}
	roles := []string{q.Role}
	if body.Override != "" {
		roles = []string{body.Override}
	}
	hold, overrides, ok := entitled(q, do, body.By, roles)
	if !ok {
		return fmt.Errorf("%s by somebody who may not: %w", body.Do, reasonOf(notAdmitted(q, do, &answerOptions{by: body.By, roles: roles})))
	}
	if e.Seq <= p.fork {
		return nil // the fork has given it more time, and who forks may have done it before
	}
	if needsAnother(do, hold, overrides) {
		if err := p.apart(q, body.By, body.Do); err != nil {
			return err
		}
	}
	if do != reassigns && do != escalates {
		return nil
	}
	if body.Deadline != q.Deadline {
		return fmt.Errorf("interrupt %s has another deadline once it is handed over; expected the one it had", q.ID)
	}
	if isNobody(body.Assignee) {
		return nil
	}
	return p.apart(q, body.Assignee, "assigned")
}

// doneAs are the deeds by what they are called in the journal.
var doneAs = map[string]deed{"claim": claims, "release": releases, doings[reassigns]: reassigns, doings[escalates]: escalates}

// escalated checks that a deadline asks the role that it names (law H4).
func escalated(q *journal.Interrupt, e *journal.Entry, body *journal.UpdatedBody) error {
	switch at := q.AtDeadline; {
	case at == nil || at.Do != string(node.DeadlineEscalate) || at.Role != body.Role || !isNobody(body.Assignee):
		return fmt.Errorf("interrupt %s is escalated by its deadline, which says something else", q.ID)
	case !isLate(q, e.At):
		return fmt.Errorf("interrupt %s is escalated by its deadline, before it", q.ID)
	}
	return nil
}

// apartAsked checks that a question which four eyes keep from somebody names who started the run, and who forked it: those
// are the people it is kept from (law H6).
func (p *possible) apartAsked(q *journal.Interrupt, e *journal.Entry) error {
	if len(q.NotBy) == 0 {
		return nil
	}
	people := []string{p.starter}
	if e.Seq > p.fork && p.forker != "" {
		people = append(people, p.forker)
	}
	for _, name := range people {
		if !isAmong(q.NotBy, name) {
			return fmt.Errorf("interrupt %s needs a second person, and does not say that %s, who started or forked the run, is not one", q.ID, who(name))
		}
	}
	return nil
}

// apart checks that somebody else has done something with a question than it says. People are who they are now, also where a
// version that compared their names in fewer forms has let them answer: nobody could tell such a journal from a forged one.
func (p *possible) apart(q *journal.Interrupt, by, done string) error {
	same := func(other string) bool { return SamePerson(other, by) }
	against := p.people.Against(q.ID)
	switch {
	case len(q.NotBy)+len(p.people.NotBy(q.ID)) == 0:
		return nil
	case isNobody(by):
		return fmt.Errorf("interrupt %s is %s without a name; it needs a second person", q.ID, done)
	case slices.ContainsFunc(q.NotBy, same):
		return fmt.Errorf("interrupt %s is %s by %q; it needs a second person, who did not start the run", q.ID, done, by)
	}
	for _, s := range against {
		switch {
		case same(s.By):
			return fmt.Errorf("interrupt %s is %s by %q; it needs a second person, who did not answer %s", q.ID, done, by, s.Node)
		case isNobody(s.By):
			return fmt.Errorf("interrupt %s is %s by %q; it needs a second person, and nobody knows who answered %s", q.ID, done, by, s.Node)
		}
	}
	return nil
}
