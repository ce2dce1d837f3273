package machine

import "github.com/fermata-go/fermata/journal"

// Codes of a block (law J11).
const (
	BlockDiverged  = "diverged"     // node code diverged from its journal (law N3)
	BlockPlan      = "plan_changed" // the plan does not fit (law J8)
	BlockTakeovers = "takeovers"    // its owners were lost too often
)

// takeovers counts takeovers from lost owners since the run's last progress.
type takeovers struct {
	n    int   // how many
	last int64 // time of the last one, in microseconds
}

// Takeovers returns the number of takeovers since the run's last progress, and when the last one was. The time is in
// microseconds.
func (m *Machine) Takeovers() (n int, last int64) { return m.takeovers.n, m.takeovers.last }

// Blocked returns why the run is blocked and since when; the zero value if it is not.
func (m *Machine) Blocked() (body journal.BlockedBody, at int64) {
	if m.status != Blocked {
		return journal.BlockedBody{}, 0
	}
	return m.blocked, m.at
}

// Block records that the run cannot go on now.
func (m *Machine) Block(at int64, body journal.BlockedBody) error {
	e := m.entry(journal.RunBlocked, at)
	return m.applyBody(e, place0, nil, &body)
}

// AtWork returns the tasks whose code was running, or about to, at the last entry.
func (m *Machine) AtWork() []string {
	var tasks []string
	for _, t := range m.tasks {
		if t.State == Ready && m.flat != nil && t.Node < len(m.flat) && m.flat[t.Node].Sub == nil {
			tasks = append(tasks, m.TaskID(t))
		}
	}
	return tasks
}

// mayFollowBlock reports whether an entry may follow while the run is blocked: people may answer, send messages or end it.
func (m *Machine) mayFollowBlock(k journal.Kind) bool {
	return m.status == Blocked && (FromOutside(k) || k == journal.RunFinished || k == journal.RunUndoing)
}

func (m *Machine) runBlocked(e *journal.Entry) error {
	body, err := bodyOf[journal.BlockedBody](m, e)
	if err != nil {
		return err
	}
	m.status, m.blocked = Blocked, body
	return nil
}

// takenOver counts a takeover. A retry resets the count.
func (m *Machine) takenOver(e *journal.Entry, body *journal.ResumedBody) {
	switch {
	case body.Reason == ReasonRetry:
		m.takeovers = takeovers{}
	case body.Takeover:
		m.takeovers.n++
		m.takeovers.last = e.At
	}
}

// getsFurther reports whether an entry of this kind is progress: no later pass repeats it.
func getsFurther(k journal.Kind) bool {
	switch k {
	case journal.NodeFinished, journal.NodeCached, journal.NodeFailed, journal.NodeRetrying, journal.NodeSuspended,
		journal.StepFinished, journal.TimerFired, journal.InterruptOpened, journal.MessageAwaited, journal.MessageReplied:
		return true
	}
	return false
}
