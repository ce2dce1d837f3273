package fermata

import (
	"errors"
	"math"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/journal"
)

// settle notes how the run stands now that driving has ended.
func (d *drive) settle() {
	r := &d.result
	d.head = d.row.Head
	if r.Status.Ended() { // it had ended when it was taken up
		return
	}
	r.Run, r.Status = d.id, d.standing()
	r.Usage, r.UsageByNode = d.m.Usage(), d.m.UsageByNode()
	if d.lost != nil {
		r.Err = d.wrap(d.lost)
		return
	}
	switch r.Status {
	case Completed:
		if r.Output == nil && r.Value == nil {
			d.lastValue()
		}
	case Blocked:
		body, _ := d.m.Blocked()
		if d.takeUp.block != nil {
			body, d.due = d.takeUp.block.body, d.takeUp.block.body.RetryAt
		}
		r.Interrupts, r.Err = d.interrupts(), blockedError(d.id, body, d.takeUp.block.why())
	case Running, Paused:
		if due := d.m.Due(); due != math.MaxInt64 {
			d.due = due
		}
		r.Interrupts = d.interrupts()
	default:
		finished, cause := d.m.Finished(), d.failure
		if known := d.causes[finished.Task]; cause == nil && known != nil {
			cause = known
		}
		r.Err = runError(d.id, finished, cause)
	}
}

// lastValue is the result of a plan that does not make one itself: the value of the last path.
func (d *drive) lastValue() {
	err := d.aside(func() error {
		value, err := d.vals.take(d.m.Final(), d.plan.State(), false)
		if err == nil {
			d.result.Value = value
			if d.rt != nil {
				d.result.Output, err = encoded(d.plan.State(), value)
			}
		}
		return err
	})
	if err != nil {
		d.result.Err = d.wrap(err)
	}
}

func (d *drive) interrupts() []Interrupt {
	open := d.m.Interrupts()
	if len(open) == 0 {
		return nil
	}
	list := make([]Interrupt, len(open))
	for i, q := range open {
		list[i] = Interrupt{Interrupt: q, Token: d.tokens[q.ID]}
	}
	return list
}

func (d *drive) wrap(err error) error {
	var known *Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, ErrStopped):
		return &Error{Code: CodeStopped, Run: d.id, Err: err}
	case errors.Is(err, journal.ErrConflict):
		return &Error{Code: CodeConflict, Run: d.id, Err: err}
	case errors.As(err, new(*journal.StoreError)):
		return &Error{Code: CodeStore, Run: d.id, Err: err}
	}
	return &Error{Code: CodeInternal, Run: d.id, Err: err}
}

// runError is the error of a run that ended without success.
func runError(run string, body journal.FinishedBody, cause error) error {
	err := &Error{Code: CodeFailed, Run: run, Task: body.Task, Err: cause}
	marks := marksOf(body.Code, body.Marks)
	switch Status(body.Status) {
	case Cancelled: // whatever a task said meanwhile is not why
		err.Code, err.Err, marks = CodeCancelled, nil, fault.Of(codeCancelled)
	case Expired:
		if err.Code = CodeExpired; !marks.Has(string(CodeExpired)) {
			marks = fault.Of(string(CodeExpired))
		}
	case Stuck:
		marks = fault.Of(codeStuck)
		if len(body.Stuck) > 0 {
			err.Err = &StuckError{Nodes: body.Stuck}
		}
	}
	switch {
	case body.Limit != "": // of the run
		err.Code, err.Err = CodeLimit, &LimitError{Limit: body.Limit, Max: body.Max, Reason: body.Reason}
	case err.Code == CodeFailed && body.Code == string(CodeLimit): // of a reasoning in it
		err.Code = CodeLimit
	}
	if err.Err == nil {
		err.Err = &fault.Recorded{Text: finishedText(body), Marks: marks}
	}
	return err
}

func finishedText(body journal.FinishedBody) string {
	switch {
	case body.Error != "":
		return body.Error
	case body.Reason != "":
		return body.Reason
	}
	return "the run is " + body.Status
}
