package inbox

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// admit checks whether a person may act on a question (laws H2, H4, H5 and H6). Every action is checked here,
// and nowhere else. by is the role that overrides another person's hold, "" for none. before holds questions of
// the run that are answered in the same call.
func (in *Inbox) admit(
	ctx context.Context, q *journal.Interrupt, do question.Action, o *runtype.AnswerOptions, now int64, before []journal.Interrupt,
) (by string, err error) {
	hold, overrides, admitted := question.Entitled(q, do, o.By, o.Roles)
	if overrides {
		by = q.OverrideRole
	}
	if err := question.CheckToken(q, do, o, overrides); err != nil {
		return "", err
	}
	if !admitted {
		return "", question.NotAdmitted(q, do, o)
	}
	if question.NeedsAnother(do, hold, overrides) {
		if err := in.keepApart(ctx, q, o.By, before); err != nil {
			return "", err
		}
	}
	if do != question.Release && q.IsOpen() && question.IsLate(q, now) {
		return "", &runtype.Error{Code: runtype.CodeExpired, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s: %w", q.ID, runtype.ErrExpired)}
	}
	return by, nil
}

// NewToken replaces the resume token of an open interrupt, and returns the new one (law H5). It is for programs
// that hand out tokens, if another process opened the question or the token was lost. It checks no right, so
// restrict who may call it. The name given with [AsPerson] is recorded.
func (in *Inbox) NewToken(ctx context.Context, interrupt string, opts ...runtype.AnswerOption) (string, error) {
	o, token := runtype.OptionsOf(opts), rand.Text()
	if err := sayable(o); err != nil {
		return "", notAnAnswer(interrupt, err)
	}
	err := in.amend(ctx, interrupt, func(q *journal.Interrupt, now int64, _ []journal.Interrupt) (none question.Change, err error) {
		if !q.IsOpen() {
			return none, &runtype.Error{Code: runtype.CodeConflict, Run: q.Run, Task: q.Task, Err: fmt.Errorf("interrupt %s is %s", q.ID, q.State)}
		}
		body := &journal.UpdatedBody{Do: "token", By: o.By, ByName: o.Name, TokenHash: question.TokenHash(token)}
		body.Update(q)
		return question.ChangeOf(q, journal.InterruptUpdated, now, body), nil
	}, false)
	if err != nil {
		return "", err
	}
	return token, nil
}
