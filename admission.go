package fermata

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/journal"
)

// deed is what somebody does about a question.
type deed uint8

const (
	answers deed = iota
	claims
	releases
	reassigns
	escalates
	deeds
)

// holding says whose a question is, seen by the person who does something about it: it is held by its claimer, and by
// its assignee.
type holding uint8

const (
	free   holding = iota // nobody's
	own                   // this person's
	others                // somebody else's
	holdings
)

// right is what a person needs for a deed: one of these is enough.
type right uint8

const (
	inRole   right = 1 << iota // the role that the question asks for, or that it asks for none
	override                   // the role that may take the question from whoever holds it
	anyone                     // nothing
	nobody   right = 0
)

// rights is who may do what about a question (law H2). Nothing else decides it: what holds beside it are the resume
// token (law H5), who must stay apart (law H6) and the deadline (law H4).
var rights = [deeds][holdings]right{
	answers:   {free: inRole, own: inRole, others: nobody},
	claims:    {free: inRole, own: inRole, others: nobody},
	releases:  {free: anyone, own: anyone, others: override}, // to release what is not claimed changes nothing
	reassigns: {free: inRole | override, own: inRole | override, others: override},
	escalates: {free: inRole | override, own: inRole | override, others: override},
}

// held says whose the question is for a person.
func held(q *journal.Interrupt, name string) holding {
	h := free
	for _, holder := range holders(q) {
		if !SamePerson(holder, name) {
			return others
		}
		h = own
	}
	return h
}

// holders are the people that a question is reserved for: one, or none. The claimer comes last.
func holders(q *journal.Interrupt) []string {
	var list []string
	if !isNobody(q.Assignee) {
		list = append(list, q.Assignee)
	}
	if q.State == journal.Claimed {
		list = append(list, q.ClaimedBy)
	}
	return list
}

// has are the rights of somebody in these roles.
func has(q *journal.Interrupt, roles []string) right {
	r := anyone
	if q.Role == "" || slices.Contains(roles, q.Role) {
		r |= inRole
	}
	if q.OverrideRole != "" && slices.Contains(roles, q.OverrideRole) {
		r |= override
	}
	return r
}

// admit decides whether somebody may do something about a question (laws H2, H4, H5 and H6): every verb asks here, and
// nowhere else. by is the role that overrides somebody else's hold, "" where none has to. before are questions of the
// run that are being answered at once with it.
func (rt *Runtime) admit(
	ctx context.Context, q *journal.Interrupt, do deed, o *answerOptions, now int64, before []journal.Interrupt,
) (by string, err error) {
	hold, overrides, admitted := entitled(q, do, o.by, o.roles)
	if overrides {
		by = q.OverrideRole
	}
	if err := checkToken(q, do, o, overrides); err != nil {
		return "", err
	}
	if !admitted {
		return "", notAdmitted(q, do, o)
	}
	if needsAnother(do, hold, overrides) {
		if err := rt.keepApart(ctx, q, o.by, before); err != nil {
			return "", err
		}
	}
	if do != releases && q.IsOpen() && isLate(q, now) {
		return "", &Error{Code: CodeExpired, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s: %w", q.ID, ErrExpired)}
	}
	return by, nil
}

// entitled looks up in the table of rights whether somebody in these roles may do something about a question, and whether
// that takes the override role.
func entitled(q *journal.Interrupt, do deed, by string, roles []string) (hold holding, overrides, ok bool) {
	hold = held(q, by)
	r := rights[do][hold] & has(q, roles)
	return hold, r == override, r != nobody
}

// needsAnother reports whether four eyes are asked about a deed (law H6).
func needsAnother(do deed, hold holding, overrides bool) bool {
	return do <= claims || overrides || hold == free && do != releases
}

// isLate reports whether a question's deadline has passed (law H4).
func isLate(q *journal.Interrupt, now int64) bool { return q.Deadline != 0 && q.Deadline <= now }

// checkToken refuses a wrong token, and none where the question requires it (law H5). Giving back what one holds, and
// taking a question from its holder, need none.
func checkToken(q *journal.Interrupt, do deed, o *answerOptions, overrides bool) error {
	if o.token == "" {
		if q.NeedsToken && do != releases && !overrides {
			return forbidden(q, "it requires its resume token, found none")
		}
		return nil
	}
	if subtle.ConstantTimeCompare([]byte(tokenHash(o.token)), []byte(q.TokenHash)) != 1 {
		return forbidden(q, "the resume token is not the one that was given out")
	}
	return nil
}

// tokenHash is what is stored of a resume token.
func tokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// NewToken gives an open interrupt another resume token, and returns it: from then on the one before is refused (law H5).
// A program calls it that hands tokens out, for a question that another process has opened, or whose token was lost with
// its process. It asks nobody for a right, so let nobody call it who should not answer. By ([As]) is recorded.
func (rt *Runtime) NewToken(ctx context.Context, interrupt string, opts ...AnswerOption) (string, error) {
	o, token := optionsOf(opts), rand.Text()
	if err := sayable(&o); err != nil {
		return "", notAnAnswer(interrupt, err)
	}
	err := rt.amend(ctx, interrupt, func(q *journal.Interrupt, now int64, _ []journal.Interrupt) ([]journal.Entry, error) {
		if !q.IsOpen() {
			return nil, &Error{Code: CodeConflict, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s is %s", q.ID, q.State)}
		}
		body := journal.UpdatedBody{Do: "token", By: o.by, ByName: o.name, TokenHash: tokenHash(token)}
		body.Update(q)
		return []journal.Entry{interruptEntry(q, journal.InterruptUpdated, now, body)}, nil
	}, false)
	if err != nil {
		return "", err
	}
	return token, nil
}

// notAdmitted says why somebody may not do something about a question.
func notAdmitted(q *journal.Interrupt, do deed, o *answerOptions) error {
	role := ""
	if len(o.roles) > 0 {
		role = o.roles[0]
	}
	switch asks := has(q, o.roles)&inRole == 0; {
	case asks && do <= claims:
		return forbidden(q, "it asks for role %q, found %q", q.Role, role)
	case asks && do != releases:
		return forbidden(q, "it is for role %q to have somebody else asked, found %q", q.Role, role)
	case !isNobody(q.Assignee) && !SamePerson(q.Assignee, o.by):
		return forbidden(q, "it is for %s, found %s%s", q.Assignee, who(o.by), unlessOverridden(q, do))
	}
	return &Error{
		Code: CodeConflict, Run: q.Run, Task: q.Task,
		Err: fmt.Errorf("%w: interrupt %s, by %s%s", ErrClaimed, q.ID, who(q.ClaimedBy), unlessOverridden(q, do)),
	}
}

// unlessOverridden says which role could do it all the same.
func unlessOverridden(q *journal.Interrupt, do deed) string {
	if do <= claims || q.OverrideRole == "" {
		return ""
	}
	return fmt.Sprintf("; role %q may take it from them", q.OverrideRole)
}
