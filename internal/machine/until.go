package machine

import (
	"time"

	"github.com/fermata-go/fermata/journal"
)

// LimitUntil is the name of the limit that a run's deadline is (law F9).
const LimitUntil = "until"

// Until returns the run's deadline, in microseconds; 0 for none (law F9).
func (m *Machine) Until() int64 { return m.body.Until }

// IsLate reports whether the run's deadline has passed.
func (m *Machine) IsLate(at int64) bool { return m.body.Until != 0 && at >= m.body.Until }

// Expire ends the run at its deadline, whatever it waits for (law F9).
func (m *Machine) Expire(at int64) error { return m.End(at, PastDeadline(m.body.Until)) }

// PastDeadline returns the body of the end of a run whose deadline has passed.
func PastDeadline(until int64) journal.FinishedBody {
	l := Limit{Name: LimitUntil, Max: time.UnixMicro(until).UTC().Format(time.RFC3339Nano)}
	return journal.FinishedBody{Status: Expired, Limit: l.Name, Max: l.Max, Error: l.Error()}
}

// renewUntil gives a fork as long again if the deadline has passed (law F9).
func (m *Machine) renewUntil(at int64, body *journal.ResumedBody) {
	if body.Reason == ReasonFork && m.IsLate(at) {
		body.Until = at + m.body.Within
	}
}
