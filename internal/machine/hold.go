package machine

import (
	"cmp"
	"encoding/json"

	"github.com/fermata-go/fermata/journal"
)

// ReasonRelease is why a run goes on that was held.
const ReasonRelease = "release"

// holding says whether the run is held (law J18).
type holding struct {
	heldFor journal.HeldBody // why
	heldAt  int64            // since when, in microseconds; 0 where it is not held
}

// Held returns why the run is held and since when, in microseconds; 0 if it is not.
func (m *Machine) Held() (body journal.HeldBody, at int64) { return m.heldFor, m.heldAt }

// isHeld reports whether nothing may begin in the run.
func (m *Machine) isHeld() bool { return m.heldAt != 0 }

// Holding is how a run is held, as its entries say it without its plan.
type Holding struct {
	Body    journal.HeldBody // why
	At      int64            // since when, in microseconds; 0 where it is not held
	Blocked string           // why the run is blocked; "" where it is not
	Undoing string           // of a run that undoes: UndoText; "" for others
}

// Note takes in the next entry of the run.
func (h *Holding) Note(e *journal.Entry) error {
	switch e.Kind {
	case journal.RunHeld:
		if h.Body, h.At = (journal.HeldBody{}), max(e.At, 1); len(e.Body) > 0 {
			return json.Unmarshal(e.Body, &h.Body)
		}
	case journal.RunReleased, journal.RunFinished:
		h.Body, h.At = journal.HeldBody{}, 0
		if e.Kind == journal.RunFinished {
			h.Undoing = ""
		}
	case journal.RunUndoing:
		if h.Undoing != "" { // it changes nothing: the first reason counts
			return nil
		}
		var body journal.FinishedBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return err
		}
		h.Body, h.At, h.Blocked, h.Undoing = journal.HeldBody{}, 0, "", UndoText(&body)
	case journal.RunBlocked:
		var body journal.BlockedBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return err
		}
		h.Blocked = body.Error
	case journal.RunResumed:
		var body struct {
			Reason string `json:"reason"` // of journal.ResumedBody
		}
		if len(e.Body) > 0 {
			if err := json.Unmarshal(e.Body, &body); err != nil {
				return err
			}
		}
		if body.Reason != ReasonReplaced {
			h.Blocked = ""
		}
		if body.Reason == ReasonFork {
			h.Body, h.At = journal.HeldBody{}, 0
		}
	default:
	}
	return nil
}

// Text returns why the run is held, or else blocked; "" for neither.
func (h *Holding) Text() string {
	if h.At == 0 {
		return cmp.Or(h.Blocked, h.Undoing)
	}
	return HeldText(&h.Body, cmp.Or(h.Blocked, h.Undoing))
}

// HeldText returns why a run is held, and why it is blocked beside that; "" for not.
func HeldText(body *journal.HeldBody, blocked string) string {
	text := "held"
	switch {
	case body.Before != "":
		text += " before " + body.Before
	case body.After != "":
		text += " after " + body.After
	case body.By != "":
		text += " by " + body.By
	}
	if body.Note != "" {
		text += ": " + body.Note
	}
	if blocked != "" {
		text += "; blocked: " + blocked
	}
	return text
}

// Hold records that nothing begins in the run until it is released.
func (m *Machine) Hold(at int64, body journal.HeldBody) error {
	e := m.entry(journal.RunHeld, at)
	return m.applyBody(e, place0, nil, &body)
}

func (m *Machine) runHeld(e *journal.Entry) error {
	if m.isHeld() {
		return m.corrupt(e, "the run is held already")
	}
	body, err := bodyOf[journal.HeldBody](m, e)
	if err != nil {
		return err
	}
	m.heldFor, m.heldAt = body, max(e.At, 1)
	m.stood(&body)
	return nil
}

func (m *Machine) runReleased(e *journal.Entry) error {
	if !m.isHeld() {
		return m.corrupt(e, "the run is not held")
	}
	m.letGo()
	if m.reason = ""; m.status == Paused {
		m.reason = ReasonRelease
	}
	m.touchAll()
	return nil
}

// letGo forgets that the run is held.
func (m *Machine) letGo() { m.heldFor, m.heldAt = journal.HeldBody{}, 0 }

// stay rests a run that is held. It is paused once nothing is at work, whatever else could begin.
func (m *Machine) stay(at int64) (idle bool, err error) {
	switch {
	case m.busy > 0:
		return false, nil
	case m.status == Running:
		return true, m.apply(m.entry(journal.RunPaused, at), place0, nil)
	}
	return true, nil
}

// wasExecuted reports whether the time before an entry of an owner counts for the run's limit of time.
func (m *Machine) wasExecuted(e *journal.Entry) bool {
	switch e.Kind {
	case journal.RunResumed, journal.RunBlocked:
		return false
	case journal.RunPaused:
		return !m.isHeld() // it may be that nobody had taken the run
	case journal.NodeStarted:
		return e.Attempt == 1
	}
	return true
}

// FromOutside reports whether an entry may come from a process that does not execute the run.
func FromOutside(k journal.Kind) bool {
	switch k {
	case journal.InterruptUpdated, journal.InterruptResolved, journal.MessageSent, journal.RunHeld, journal.RunReleased:
		return true
	}
	return false
}
