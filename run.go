package fermata

import (
	"encoding/json"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// Status is how a run stands (law F4).
type Status string

// The statuses.
const (
	Running   Status = "running"
	Paused    Status = "paused" // nothing can run, and something is awaited
	Completed Status = "completed"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
	Expired   Status = "expired" // a deadline passed and nothing was there to catch it
	Stuck     Status = "stuck"
)

// Ended reports whether a run of this status has come to its end. (A failed run can be retried.)
func (s Status) Ended() bool { return s != Running && s != Paused && s != "" }

// Interrupt is a question to the outside, as it stands (law H1).
type Interrupt struct {
	journal.Interrupt
	// Token is the resume token: a bearer secret, given once, to the process that opened the question (law H5).
	Token string `json:"resumeToken,omitempty"`
}

// DeadlineTime is when the question expires; zero for never.
func (i *Interrupt) DeadlineTime() time.Time {
	if i.Deadline == 0 {
		return time.Time{}
	}
	return time.UnixMicro(i.Deadline).UTC()
}

// RunInfo describes a run, as the store's projection has it.
type RunInfo = journal.RunRow

// Result is how a run stands when Wait returns.
type Result struct {
	Run        string
	Status     Status
	Value      any             // the output of a completed run, as the plan's author erased it
	Output     json.RawMessage // the same as JSON
	Interrupts []Interrupt     // what a paused run waits for
	Err        error           // why a run failed, expired, was cancelled or is stuck: an *Error

	Usage       Usage            // what the run's calls of models took until then
	UsageByNode map[string]Usage // the same by the path of the node, nil where there was none
}
