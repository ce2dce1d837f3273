package question

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// Action is something that a person does about a question.
type Action uint8

const (
	free   Holding = iota // nobody's
	own                   // this person's
	others                // another person's
	holdings
)

// Holding says who holds a question, relative to the acting person. Its claimer and its assignee hold it.
type Holding uint8

// Right is what an action requires. One of the listed rights is enough.
type Right uint8

// rights is the table of who may do what about a question (law H2). Beside it, only the resume token (law H5),
// four eyes (law H6) and the deadline (law H4) count.
var rights = [actions][holdings]Right{
	Answer:   {free: InRole, own: InRole, others: nobody},
	Claim:    {free: InRole, own: InRole, others: nobody},
	Release:  {free: anyone, own: anyone, others: OverrideRole}, // releasing an unclaimed question changes nothing
	Reassign: {free: InRole | OverrideRole, own: InRole | OverrideRole, others: OverrideRole},
	Escalate: {free: InRole | OverrideRole, own: InRole | OverrideRole, others: OverrideRole},
}

// held returns the holding of a question, relative to a person.
func held(q *journal.Interrupt, name string) Holding {
	h := free
	for _, holder := range holders(q) {
		if !SamePerson(holder, name) {
			return others
		}
		h = own
	}
	return h
}

// holders returns the people that a question is reserved for, the claimer last.
func holders(q *journal.Interrupt) []string {
	var list []string
	if !IsNobody(q.Assignee) {
		list = append(list, q.Assignee)
	}
	if q.State == journal.Claimed {
		list = append(list, q.ClaimedBy)
	}
	return list
}

// RightsOf returns the rights of a person in these roles.
func RightsOf(q *journal.Interrupt, roles []string) Right {
	r := anyone
	if q.Role == "" || slices.Contains(roles, q.Role) {
		r |= InRole
	}
	if q.OverrideRole != "" && slices.Contains(roles, q.OverrideRole) {
		r |= OverrideRole
	}
	return r
}

// Entitled looks an action up in the table of rights. overrides reports whether it needs the override role.
func Entitled(q *journal.Interrupt, do Action, by string, roles []string) (hold Holding, overrides, ok bool) {
	hold = held(q, by)
	r := rights[do][hold] & RightsOf(q, roles)
	return hold, r == OverrideRole, r != nobody
}

// NeedsAnother reports whether four eyes apply to an action (law H6).
func NeedsAnother(do Action, hold Holding, overrides bool) bool {
	return do <= Claim || overrides || hold == free && do != Release
}

// IsLate reports whether a question's deadline has passed (law H4).
func IsLate(q *journal.Interrupt, now int64) bool { return q.Deadline != 0 && q.Deadline <= now }

// TokenHash returns the stored form of a resume token.
func TokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return string(hex.AppendEncode(make([]byte, 0, 2*sha256.Size), sum[:]))
}

// ActionNames are the names of hand-overs in the journal.
var ActionNames = map[Action]string{Reassign: "reassign", Escalate: "escalate"}

// The actions about a question.
const (
	Answer Action = iota
	Claim
	Release
	Reassign
	Escalate
	actions
)

// The rights that an action can require.
const (
	InRole       Right = 1 << iota // the role that the question asks for, or any if it asks for none
	OverrideRole                   // the role that may take the question from its holder
	anyone                         // no role
	nobody       Right = 0
)

// CheckToken refuses a wrong token, or a missing one if the question requires it (law H5). Releasing one's own
// claim, and taking a question from its holder, need none.
func CheckToken(q *journal.Interrupt, do Action, o *runtype.AnswerOptions, overrides bool) error {
	if o.Token == "" {
		if q.NeedsToken && do != Release && !overrides {
			return Forbidden(q, "it requires its resume token, found none")
		}
		return nil
	}
	if subtle.ConstantTimeCompare([]byte(TokenHash(o.Token)), []byte(q.TokenHash)) != 1 {
		return Forbidden(q, "the resume token is not the one that was given out")
	}
	return nil
}

// NotAdmitted returns the error for a refused action.
func NotAdmitted(q *journal.Interrupt, do Action, o *runtype.AnswerOptions) error {
	found := "no role"
	if len(o.Roles) > 0 && o.Roles[0] != "" {
		found = strconv.Quote(o.Roles[0])
	}
	switch asks := RightsOf(q, o.Roles)&InRole == 0; {
	case asks && do <= Claim:
		return Forbidden(q, "it asks for role %q, found %s", q.Role, found)
	case asks && do != Release:
		return Forbidden(q, "it is for role %q to have somebody else asked, found %s", q.Role, found)
	case !IsNobody(q.Assignee) && !SamePerson(q.Assignee, o.By):
		return Forbidden(q, "it is for %s, found %s%s", q.Assignee, NameOr(o.By), unlessOverridden(q, do))
	}
	return &runtype.Error{
		Code: runtype.CodeConflict, Run: q.Run, Task: q.Task,
		Err: fmt.Errorf("%w: interrupt %s, by %s%s", runtype.ErrClaimed, q.ID, NameOr(q.ClaimedBy), unlessOverridden(q, do)),
	}
}

// unlessOverridden names the role that may override.
func unlessOverridden(q *journal.Interrupt, do Action) string {
	if do <= Claim || q.OverrideRole == "" {
		return ""
	}
	return fmt.Sprintf("; role %q may take it from them", q.OverrideRole)
}

// Forbidden returns the error for a person who may not do something about a question. It wraps
// runtype.ErrForbidden.
func Forbidden(q *journal.Interrupt, format string, args ...any) error {
	return &runtype.Error{
		Code: runtype.CodeForbidden, Run: q.Run, Task: q.Task,
		Err: fmt.Errorf("%w: interrupt %s: %s", runtype.ErrForbidden, q.ID, fmt.Sprintf(format, args...)),
	}
}

// NameOr returns a name for use in a sentence, with words for an empty one.
func NameOr(name string) string {
	if name == "" {
		return "somebody who gave no name"
	}
	return name
}
