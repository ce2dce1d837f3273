package fermata

import (
	"context"

	"github.com/fermata-go/fermata/journal"
)

// Cancel ends a run, whichever process owns it (law F3). Open questions are withdrawn and tasks are asked to
// stop; later results are dropped. A run that has ended is CodeConflict.
func (rt *Runtime) Cancel(ctx context.Context, id, reason, by string) error {
	return rt.inbox.Cancel(ctx, id, reason, by)
}

// HoldRun holds a run, whichever process owns it (law J18). Nothing begins in it until [Runtime.ReleaseRun].
// Tasks at work end and are recorded; answers, messages and timers are recorded too and take effect after the release. Then the run is
// paused, and Result.Hold says why. Its deadline still counts, and it can be cancelled. note says why, and by who holds it. A run that
// is held already stays held as it is. One that has ended is CodeConflict.
func (rt *Runtime) HoldRun(ctx context.Context, id, note, by string) error {
	return rt.inbox.HoldRun(ctx, id, note, by)
}

// ReleaseRun lets a run go on that is held (law J18). note says why, and by who releases it.
// A run that is not held is left as it is. One that has ended is CodeConflict.
func (rt *Runtime) ReleaseRun(ctx context.Context, id, note, by string) error {
	return rt.inbox.ReleaseRun(ctx, id, note, by)
}

// Inbox lists interrupts, the oldest first. A zero filter selects open and claimed ones.
func (rt *Runtime) Inbox(ctx context.Context, f journal.InboxFilter) ([]Interrupt, error) {
	return rt.inbox.Inbox(ctx, f)
}

// Answer closes an interrupt. It checks the person and the value, and commits the answer in one append (law H2). The
// value is anything that encoding/json writes. Then the run is resumed, unless Hold is given or the runtime does not
// know its plan.
//
// An answer that does not fit leaves the interrupt open (CodeInvalid, with a *schema.Error). The same answer
// again is accepted and has no effect: the question's AnsweredBy is who gave it first, see Inbox with
// journal.InboxFilter{ID: interrupt, All: true}. A different one is CodeConflict, a late one CodeExpired, a wrong role or
// token CodeForbidden.
func (rt *Runtime) Answer(ctx context.Context, interrupt string, value any, opts ...AnswerOption) error {
	return rt.inbox.Answer(ctx, interrupt, value, opts...)
}

// AnswerAll closes several interrupts at once, by their ids. Each is checked as by Answer, and all answers of
// one run are committed in one append (law H2). If one of them does not fit, none of that run is recorded. The
// error joins one *Error for each that does not fit (see errors.Join). Other runs are not affected.
//
// The same answers again are accepted and have no effect. The options apply to all of them, so a resume token
// serves a single interrupt only.
func (rt *Runtime) AnswerAll(ctx context.Context, answers map[string]any, opts ...AnswerOption) error {
	return rt.inbox.AnswerAll(ctx, answers, opts...)
}

// Claim reserves an open interrupt for one person. Until it is released, only they can answer or reassign it.
// Claiming it again is no error.
func (rt *Runtime) Claim(ctx context.Context, interrupt, by, role string, opts ...AnswerOption) error {
	return rt.inbox.Claim(ctx, interrupt, by, role, opts...)
}

// Release gives up a claim. Only the claimer may, or a person in the override role ([AsRole], see node.Override).
func (rt *Runtime) Release(ctx context.Context, interrupt, by string, opts ...AnswerOption) error {
	return rt.inbox.Release(ctx, interrupt, by, opts...)
}

// Reassign asks another person or role, or a person in a role. Without a role the question keeps its own; without a
// person anyone in the role may answer. A claim is given up; the deadline stays.
//
// The caller gives a name ([AsPerson]) and the role that the question asks for ([AsRole]). An assigned or claimed
// question can be reassigned only by its holder, or by a person in its override role (node.Override). A person who may
// not answer may neither reassign nor be asked (law H6, CodeForbidden). The same call again changes nothing.
func (rt *Runtime) Reassign(ctx context.Context, interrupt string, to Assignment, opts ...AnswerOption) error {
	return rt.inbox.Reassign(ctx, interrupt, to, opts...)
}

// Escalate asks another role now, as the deadline might later. It is [Runtime.Reassign] to a role, under
// another name in the records.
func (rt *Runtime) Escalate(ctx context.Context, interrupt string, to Assignment, opts ...AnswerOption) error {
	return rt.inbox.Escalate(ctx, interrupt, to, opts...)
}

// NewToken replaces the resume token of an open interrupt, and returns the new one (law H5). It is for programs
// that hand out tokens, if another process opened the question or the token was lost. It checks no right, so
// restrict who may call it. The name given with [AsPerson] is recorded.
func (rt *Runtime) NewToken(ctx context.Context, interrupt string, opts ...AnswerOption) (string, error) {
	return rt.inbox.NewToken(ctx, interrupt, opts...)
}
