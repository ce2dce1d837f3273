package runtype

import (
	"encoding/json"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// Status is the status of a run (law F4).
type Status string

// The statuses.
const (
	Running   Status = "running"
	Paused    Status = "paused" // nothing can run, and the run waits for an answer or a timer
	Completed Status = "completed"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
	Expired   Status = "expired" // a deadline passed and no route caught it
	Stuck     Status = "stuck"
	Blocked   Status = "blocked" // open, and cannot go on now: see BlockedError (law J11)
)

// Ended reports whether the status is final. (A failed run can be retried.)
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (s Status) Ended() bool { return s != Running && s != Paused && s != Blocked && s != "" }

// Interrupt is a question to the outside in its current state (law H1). Its JSON is for readers.
type Interrupt struct {
	journal.Interrupt
	// Token is the resume token: a bearer secret, given once, to the process that opened the question (law H5).
	Token string `json:"resumeToken,omitempty"`
}

// MarshalJSON returns the question for readers. It has fourEyes in place of excluded people (law H6), and no
// engine data. The resume token is included if it is set.
func (i Interrupt) MarshalJSON() ([]byte, error) {
	shown := struct {
		journal.Interrupt
		FourEyes bool   `json:"fourEyes,omitempty"`
		Token    string `json:"resumeToken,omitempty"`
	}{i.Interrupt, len(i.NotBy) > 0, i.Token}
	shown.NotBy, shown.TokenHash, shown.Digest = nil, "", ""
	return json.Marshal(shown)
}

// DeadlineTime returns when the question expires; zero for never.
func (i *Interrupt) DeadlineTime() time.Time {
	if i.Deadline == 0 {
		return time.Time{}
	}
	return time.UnixMicro(i.Deadline).UTC()
}

// InterruptPage is a page of interrupts.
type InterruptPage struct {
	Interrupts []Interrupt // in the query's order
	Next       string      // the cursor of the next page; "" where there is none
}

// RunInfo is the row of a run in the store's projection.
type RunInfo = journal.RunRow

// Result is the state of a run when Wait returns.
type Result struct {
	Run        string          // id of the run
	Status     Status          // of the run
	Value      any             // the output of a completed run, as the plan's author erased it; beside an error of Evaluate, what is left
	Output     json.RawMessage // the output as JSON
	Interrupts []Interrupt     // open questions of a paused run
	Messages   []Untaken       // that no call has taken, the oldest first (law M1)
	Hold       *HoldInfo       // why an open run is held (law J18); nil if it is not
	Err        error           // why a run failed, expired, was canceled, or is stuck or blocked: an *Error

	Usage       Usage            // of the run's model calls so far
	UsageByNode map[string]Usage // the same by node path; nil for none
}

// HoldInfo says that a run is held, and why (law J18).
type HoldInfo struct {
	By     string    // who holds it; "" for nobody named
	Note   string    // why
	Before string    // of a breakpoint: the task that begins once the run is released
	After  string    // of a breakpoint: the task that has ended
	Since  time.Time // when it was held
}

// HoldOf returns how a run is held, since a time in microseconds; nil for 0.
func HoldOf(body *journal.HeldBody, since int64) *HoldInfo {
	if since == 0 {
		return nil
	}
	return &HoldInfo{By: body.By, Note: body.Note, Before: body.Before, After: body.After, Since: time.UnixMicro(since).UTC()}
}

// Rests reports whether the run has ended, or does not go on before a person or a program acts on it. A run that waits for a time or a
// message goes on by itself.
func (r *Result) Rests() bool {
	return r.Status.Ended() || r.Status == Blocked || r.Status == Paused && (len(r.Interrupts) > 0 || r.Hold != nil)
}

// Usage is the usage of model calls: tokens, and cost in micro-dollars. It is summed over recorded calls, so a
// crash does not change it. Failed attempts count, since they were paid; a call whose record was lost does not.
type Usage = journal.Usage

// Backlog is what waits for workers in one queue; see Runtime.Backlog. Its JSON is for readers.
type Backlog struct {
	Queue   string        `json:"queue"`   // "" is the default queue
	Runs    int           `json:"runs"`    // that a worker may take now, and no living process has; at most journal.MaxCount in all queues
	Longest time.Duration `json:"longest"` // how long one of them has waited
}
