package fermata

import (
	"errors"
	"math"

	"github.com/fermata-go/fermata/journal"
)

// settle notes how the run stands now that driving has ended.
func (d *drive) settle() {
	r := &d.result
	d.head = d.row.Head
	if r.Status.Ended() { // it had ended when it was taken up
		return
	}
	r.Run, r.Status = d.id, Status(d.m.Status())
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
	case Running, Paused:
		if due := d.m.Due(); due != math.MaxInt64 {
			d.due = due
		}
		r.Interrupts = d.interrupts()
	default:
		finished, cause := d.m.Finished(), d.failure
		if cause == nil {
			cause = d.causes[finished.Task]
		}
		r.Err = runError(d.id, finished, cause)
	}
}

// lastValue is the result of a plan that does not make one itself: the value of the last path.
func (d *drive) lastValue() {
	value, err := d.vals.take(d.m.Final(), d.plan.State(), false)
	if err == nil {
		d.result.Value = value
		if d.rt != nil {
			d.result.Output, err = d.plan.State().Encode(value)
		}
	}
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
	sentinel := sentinels[body.Code]
	switch Status(body.Status) {
	case Cancelled: // whatever a task said meanwhile is not why
		err.Code, err.Err, sentinel = CodeCancelled, nil, ErrCancelled
	case Expired:
		err.Code, sentinel = CodeExpired, ErrExpired
	case Stuck:
		sentinel = ErrStuck
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
		err.Err = recordedError{message: finishedText(body), is: sentinel}
	}
	return err
}

// recordedError is an error that is only known from the journal.
type recordedError struct {
	message string
	is      error
}

func (e recordedError) Error() string { return e.message }

func (e recordedError) Unwrap() error { return e.is }

func finishedText(body journal.FinishedBody) string {
	switch {
	case body.Error != "":
		return body.Error
	case body.Reason != "":
		return body.Reason
	}
	return "the run is " + body.Status
}
