package node

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fermata-go/fermata/internal/nodehost"
)

// Answers to a question about the lost outcome of a tool call that must not happen twice.
const (
	OutcomeDone    = "done"     // it has happened: the model is told so, and that its result is not known
	OutcomeNotDone = "not done" // it has not: the model is told that the call failed, and may make another
)

// KindOutcome is the kind of that question.
const KindOutcome = "outcome"

// lost is the error of a tool that leaves open whether something has happened that must not happen twice; nil for others.
// That is the tool itself where it says so (Once), and otherwise a step in it: what says that its outcome is unknown.
func (d *deed) lost(failed error) error {
	switch {
	case errors.Is(failed, ErrOutcomeUnknown):
		return failed
	case d.tool.Once && (errors.Is(failed, context.DeadlineExceeded) || errors.Is(failed, ErrNotStorable)):
		return fmt.Errorf("%w: %w", ErrOutcomeUnknown, failed)
	}
	return nil
}

// askOutcome deals with a call that must not happen twice and may have happened. Where the reasoning may reach people, one of
// them is asked what has happened; else the error passes (law J5). The model is never told that such a call has failed.
func (t *reasoner) askOutcome(d *deed, failed error) error {
	who := t.people(d.tool)
	if who == nil {
		return failed
	}
	key := d.op.ID[strings.LastIndex(d.op.ID, nodehost.Inside)+1:]
	q, err := Ask[string](t.ctx, ApprovalRequest{Tool: d.Name, Description: d.tool.Description, Arguments: d.Arguments},
		ID("outcome:"+key), ShownAs(KindOutcome), Options(OutcomeDone, OutcomeNotDone),
		Prompt("Was "+d.Name+" done? The call was begun, and its outcome is lost."),
		func(a *ask) {
			a.Role, a.Assignee, a.FourEyes, a.NotBy = who.Role, who.Assignee, who.FourEyes, who.NotBy
		})
	if err != nil {
		return err
	}
	said, err := q.Wait()
	if err != nil {
		return err
	}
	text := "A person says that this call was made. What it returned is not known. Do not make it again."
	d.op.Value, d.op.Failure = []byte(nil), ""
	if said == OutcomeNotDone {
		d.op.Failure = "A person says that this call was not made."
	} else if d.op.Value, err = t.ctx.encode(text); err != nil {
		return err
	}
	d.op.Call = &nodehost.ToolUse{ToolCall: d.ToolCall, Once: d.tool.Once}
	if err := t.ctx.host.Record(t.ctx.pass, d.op, d.op.Value, d.op.Failure); err != nil {
		return err
	}
	return d.came()
}

// people are those whom the reasoning may ask about a call of a tool; nil for nobody.
func (t *reasoner) people(of *tool) *nodehost.Question {
	rule := of.Approval
	if rule == nil {
		rule = t.Approval
	}
	var opts []AskOption
	switch {
	case rule != nil:
		opts = rule.Ask
	case t.Interrupt != nil:
		opts = t.Interrupt.Ask
	default:
		return nil
	}
	var a ask
	for _, opt := range opts {
		opt(&a)
	}
	return &a.Question
}
