package machine

import "github.com/fermata-go/fermata/journal"

// Codes of a block (law J11).
const (
	BlockDiverged  = "diverged"     // code and journal do not agree (law N3)
	BlockPlan      = "plan_changed" // the plan does not fit (law J8)
	BlockTakeovers = "takeovers"    // its drivers were lost too often
)

// takeovers counts how often a run was taken over from a driver that was lost, since it last got further.
type takeovers struct {
	n    int
	last int64 // when it was, the last time
}

// Takeovers is how often the run was taken over from a driver that was lost, since it last got further, and when that was
// the last time, in microseconds.
func (m *Machine) Takeovers() (n int, last int64) { return m.takeovers.n, m.takeovers.last }

// Blocked is why the run is blocked, as recorded when it was; the zero value for a run that is not. At is when.
func (m *Machine) Blocked() (body journal.BlockedBody, at int64) {
	if m.status != Blocked {
		return journal.BlockedBody{}, 0
	}
	return m.blocked, m.at
}

// Block records that the run cannot be driven on now.
func (m *Machine) Block(at int64, body journal.BlockedBody) error {
	e := m.entry(journal.RunBlocked, at)
	return m.applyBody(e, place0, nil, body)
}

// AtWork are the tasks whose code was running, or about to, when the last entry was written.
func (m *Machine) AtWork() []string {
	var tasks []string
	for _, t := range m.tasks {
		if t.State == Ready && m.flat != nil && t.Node < len(m.flat) && m.flat[t.Node].Sub == nil {
			tasks = append(tasks, m.TaskID(t))
		}
	}
	return tasks
}

// mayFollowBlock reports whether an entry may follow where the run is blocked: people answer, and may end it.
func (m *Machine) mayFollowBlock(k journal.Kind) bool {
	return m.status == Blocked && (k == journal.InterruptUpdated || k == journal.InterruptResolved || k == journal.RunFinished)
}

func (m *Machine) runBlocked(e *journal.Entry) error {
	body, err := bodyOf[journal.BlockedBody](m, e)
	if err != nil {
		return err
	}
	m.status, m.blocked = Blocked, body
	return nil
}

// takenOver counts a takeover. A retry lets the count begin anew.
func (m *Machine) takenOver(e *journal.Entry, body *journal.ResumedBody) {
	switch {
	case body.Reason == ReasonRetry:
		m.takeovers = takeovers{}
	case body.Takeover:
		m.takeovers.n++
		m.takeovers.last = e.At
	}
}

// getsFurther reports whether an entry of this kind says that something is done which no later pass does again.
func getsFurther(k journal.Kind) bool {
	switch k {
	case journal.NodeFinished, journal.NodeCached, journal.NodeFailed, journal.NodeRetrying, journal.NodeSuspended,
		journal.StepFinished, journal.TimerFired, journal.InterruptOpened:
		return true
	}
	return false
}
