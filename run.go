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
	Blocked   Status = "blocked" // it is open, and cannot be driven on now: see BlockedError (law J11)
)

// Ended reports whether a run of this status has come to its end. (A failed run can be retried.)
func (s Status) Ended() bool { return s != Running && s != Paused && s != Blocked && s != "" }

// Interrupt is a question to the outside, as it stands (law H1). As JSON it is what readers are shown.
type Interrupt struct {
	journal.Interrupt
	// Token is the resume token: a bearer secret, given once, to the process that opened the question (law H5).
	Token string `json:"resumeToken,omitempty"`
}

// MarshalJSON writes the question as readers are shown it: fourEyes in place of the people who may not answer (law H6), and
// nothing that only the engine needs. The resume token is in it where it is here.
func (i Interrupt) MarshalJSON() ([]byte, error) {
	shown := struct {
		journal.Interrupt
		FourEyes bool   `json:"fourEyes,omitempty"`
		Token    string `json:"resumeToken,omitempty"`
	}{i.Interrupt, len(i.NotBy) > 0, i.Token}
	shown.NotBy, shown.TokenHash, shown.Digest = nil, "", ""
	return json.Marshal(shown)
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
	Err        error           // why a run failed, expired, was cancelled, or is stuck or blocked: an *Error

	Usage       Usage            // what the run's calls of models took until then
	UsageByNode map[string]Usage // the same by the path of the node, nil where there was none
}
