package runstate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/mailbox"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/runtype"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/loss"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Result returns the state of a run from the store. The plan gives the result its type; without one only Output
// is set.
func (v *Env) Result(ctx context.Context, id string, p *plan.Plan) (runtype.Result, error) {
	info, err := v.Info(ctx, id)
	if err != nil {
		return runtype.Result{Run: id}, err
	}
	r := runtype.Result{Run: id, Status: runtype.Status(info.Status)}
	switch {
	case !r.Status.Ended():
		if r.Interrupts, err = v.Interrupts(ctx, journal.InboxFilter{Run: id}); err != nil {
			return r, err
		}
		if r.Status == runtype.Blocked {
			if r.Err, err = v.whyBlocked(ctx, info); err != nil {
				return r, err
			}
		}
		return r, v.countAll(ctx, &r, info.Head)
	case r.Status != runtype.Completed:
		if err := v.lastWords(ctx, &r, info); err != nil {
			return r, err
		}
		return r, v.countAll(ctx, &r, info.Head)
	}
	if r.Output, err = v.output(ctx, id, &r); err != nil {
		return r, err
	}
	if p == nil || p.Definition().Finish != nil {
		err = canonical.Decode(r.Output, &r.Value)
		return r, err
	}
	codec := ResultCodec(p)
	if r.Value, err = guard.Decode(codec, r.Output); err == nil {
		whole := r.Output
		r.Output, err = guard.Encode(codec, r.Value) // the journal has members in the order they came; the owner got the codec's
		if err == nil {
			err = keptWhole(id, whole, r.Output)
		}
		if err != nil {
			r.Value, r.Output = nil, whole
		}
	}
	return r, err
}

// keptWhole checks that the plan's type keeps all of a result (law J8).
func keptWhole(run string, whole, again []byte) error {
	lost, err := loss.Of(whole, again)
	if err != nil || len(lost) == 0 {
		return nil //nolint:nilerr // the journal's own text is JSON
	}
	f := lostIn("the result of the run", lost[0])
	return &runtype.Error{Code: runtype.CodePlanChanged, Run: run, Err: &runtype.PlanChangedError{
		Reason: f.reason, Value: f.value, Diff: "the run has completed; Runtime.Result without a plan gives its result as JSON",
	}}
}

// lastWords reads why a run ended.
func (v *Env) lastWords(ctx context.Context, r *runtype.Result, info runtype.RunInfo) error {
	for e, err := range v.Store.Read(ctx, info.ID, info.Head-1) {
		if err != nil {
			return v.StoreError(info.ID, err)
		}
		var body journal.FinishedBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return v.StoreError(info.ID, &journal.StoreError{
				Op: "replay", Run: info.ID, Seq: e.Seq,
				Err: fmt.Errorf("%w: %w", journal.ErrCorrupt, err),
			})
		}
		r.Err = RunError(info.ID, body, nil)
	}
	return nil
}

// output returns the result of a completed run. It counts on the way what countAll does.
func (v *Env) output(ctx context.Context, id string, r *runtype.Result) (json.RawMessage, error) {
	var vals Values
	t := tally{r: r}
	defer t.close()
	final := uint64(0)
	for e, err := range v.Store.Read(ctx, id, 0) {
		if err != nil {
			return nil, v.StoreError(id, err)
		}
		vals.Note(&e)
		if err := t.count(&e); err != nil {
			return nil, v.StoreError(id, err)
		}
		if e.Kind == journal.RunFinished {
			if final = e.Base; e.HasValue() {
				final = e.Seq
			}
		}
	}
	data, err := vals.Whole(final)
	if err != nil {
		return nil, v.ReplayError(id, final, err)
	}
	return data, nil
}

// countAll sums the usage of models and finds the messages that wait, from a recent execution or else from the store.
func (v *Env) countAll(ctx context.Context, r *runtype.Result, head uint64) error {
	if v.Recent != nil {
		if last := v.Recent(r.Run, head); last != nil {
			r.Usage, r.UsageByNode, r.Messages, r.Hold = last.Usage, last.UsageByNode, last.Messages, last.Hold
			return nil
		}
	}
	t := tally{r: r}
	defer t.close()
	for e, err := range v.Store.Read(ctx, r.Run, 0) {
		if err == nil {
			err = t.count(&e)
		}
		if err != nil {
			return v.StoreError(r.Run, err)
		}
	}
	return nil
}

// tally is what a result counts of all entries of its run: the usage of recorded steps, and the messages that no call has taken.
type tally struct {
	r    *runtype.Result // of which it is
	mail mailbox.Box     // which call has taken which message
	hold machine.Holding // whether the run is held
}

func (t *tally) count(e *journal.Entry) error {
	t.mail.Apply(e)
	if err := t.hold.Note(e); err != nil {
		return &journal.StoreError{Op: "replay", Run: t.r.Run, Seq: e.Seq, Err: fmt.Errorf("%w: %w", journal.ErrCorrupt, err)}
	}
	if e.Kind != journal.StepFinished || len(e.Body) == 0 {
		return nil
	}
	var body journal.StepBody
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return &journal.StoreError{
			Op: "replay", Run: t.r.Run, Seq: e.Seq, Err: fmt.Errorf("%w: %w", journal.ErrCorrupt, err),
		}
	}
	if body.Usage == nil {
		return nil
	}
	t.r.Usage = t.r.Usage.Add(*body.Usage)
	if t.r.UsageByNode == nil {
		t.r.UsageByNode = make(map[string]runtype.Usage)
	}
	of := nodehost.NodeOf(e.Node) // not the item of a map
	t.r.UsageByNode[of] = t.r.UsageByNode[of].Add(*body.Usage)
	return nil
}

// close sets what is known behind the last entry.
func (t *tally) close() {
	t.r.Hold = runtype.HoldOf(&t.hold.Body, t.hold.At)
	for _, m := range t.mail.Queued() {
		t.r.Messages = append(t.r.Messages, runtype.UntakenOf(m.Seq, journal.SentBody{Name: m.Name, ID: m.ID, By: m.By}, m.At))
	}
}

// BlockedError returns the error of a blocked run, from the body of its entry. cause may be nil.
func BlockedError(run string, body journal.BlockedBody, cause error) error {
	err := &runtype.BlockedError{Code: body.Code, Reason: body.Error, Cause: cause}
	if body.RetryAt != 0 {
		err.RetryAt = time.UnixMicro(body.RetryAt).UTC()
	}
	return &runtype.Error{Code: runtype.CodeBlocked, Run: run, Task: body.Task, Err: err}
}

// whyBlocked reads why a run is blocked. The journal has the first reason, the row the latest.
func (v *Env) whyBlocked(ctx context.Context, info runtype.RunInfo) (why, err error) {
	var body journal.BlockedBody
	for e, err := range v.Store.Read(ctx, info.ID, 0) {
		if err == nil && e.Kind == journal.RunBlocked {
			body = journal.BlockedBody{}
			err = json.Unmarshal(e.Body, &body)
		}
		if err != nil {
			return nil, v.StoreError(info.ID, err)
		}
	}
	body.Error = cmp.Or(info.Error, body.Error)
	return BlockedError(info.ID, body, nil), nil
}

// RunError returns the error of a run that ended without success.
func RunError(run string, body journal.FinishedBody, cause error) error {
	err := &runtype.Error{Code: runtype.CodeFailed, Run: run, Task: body.Task, Err: cause}
	marks := marksOf(body.Code, body.Marks)
	switch runtype.Status(body.Status) {
	case runtype.Cancelled: // later errors of tasks are not the reason
		err.Code, err.Err, marks = runtype.CodeCancelled, nil, fault.Of(runtype.MarkCancelled)
	case runtype.Expired:
		if err.Code = runtype.CodeExpired; !marks.Has(string(runtype.CodeExpired)) {
			marks = fault.Of(string(runtype.CodeExpired))
		}
	case runtype.Stuck:
		marks = fault.Of(runtype.MarkStuck)
		if len(body.Stuck) > 0 {
			err.Err = &runtype.StuckError{Nodes: body.Stuck}
		}
	}
	switch {
	case body.Limit == machine.LimitUntil:
		err.Err = &runtype.LimitError{Limit: body.Limit, Max: body.Max, Reason: body.Reason}
	case body.Limit != "": // of the run
		err.Code, err.Err = runtype.CodeLimit, &runtype.LimitError{Limit: body.Limit, Max: body.Max, Reason: body.Reason}
	case err.Code == runtype.CodeFailed && body.Code == string(runtype.CodeLimit): // of a reasoning in it
		err.Code = runtype.CodeLimit
	}
	if err.Err == nil {
		err.Err = &fault.Recorded{Text: FinishedText(body), Marks: marks}
	}
	if len(body.Left) > 0 {
		err.Err = &runtype.NotUndoneError{Left: body.Left, Err: err.Err}
	}
	return err
}

// FinishedText returns why a run ended: the text of its error, else its reason, else its status.
func FinishedText(body journal.FinishedBody) string {
	switch {
	case body.Error != "":
		return body.Error
	case body.Reason != "":
		return body.Reason
	}
	return "the run is " + body.Status
}

// marksOf returns the recorded properties of an error beside its text.
func marksOf(code string, m *journal.Marks) *fault.Marks {
	marks := fault.Of(code)
	if m == nil {
		return marks
	}
	if marks == nil {
		marks = new(fault.Marks)
	}
	if marks.Details = m.Details; len(m.Kinds) > 0 {
		marks.Kinds = m.Kinds
	}
	return marks
}

// Recorded returns the error that a journal holds.
func Recorded(body *journal.FailedBody) error {
	return &fault.Recorded{Text: body.Error, Marks: marksOf(body.Code, body.Marks)}
}
