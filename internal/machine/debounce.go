package machine

import "github.com/fermata-go/fermata/journal"

// replaced takes in what another start has recorded for a run that has not begun (law J21): its input in place of the run's, or
// that the run is let go, with the input that it has. Neither begins the run.
func (m *Machine) replaced(e *journal.Entry, body *journal.ResumedBody) error {
	if !m.body.Debounced { // a fork is, and has no key
		return m.corrupt(e, "the run is no debounced one")
	}
	if !e.HasValue() {
		m.body.Dedup = ""
		return nil
	}
	m.body.Labels = body.Labels
	m.converted(e)
	return nil
}

// Waits reports whether the input of the run may still be replaced (law J21).
func (m *Machine) Waits() bool { return m.body.Debounced && m.body.Dedup != "" }
