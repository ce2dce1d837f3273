package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/settings"
)

// body has the members of the bodies of all entries that people make; see package journal.
type body struct {
	By       string          `json:"by"`
	Fork     *journal.Origin `json:"fork"`
	Reason   string          `json:"reason"`
	Do       string          `json:"do"`
	Role     string          `json:"role"`
	ToRole   string          `json:"requiredRole"`
	Assignee string          `json:"assignee"`
	Note     string          `json:"note"`
	State    string          `json:"state"`
	Name     string          `json:"name"` // of a message
}

// updates are what is done with a question.
var updates = map[string]string{"claim": "claimed", "release": "released", "escalate": "escalated", "reassign": "reassigned"}

// run reads the acts in the journal of a run. Those that a fork has copied are its origin's.
func (s Source) run(ctx context.Context, row *journal.RunRow, add func(*Act)) error {
	var copied uint64
	for e, err := range s.Store.Read(ctx, row.ID, 0) {
		if errors.Is(err, journal.ErrNotFound) { // it was deleted meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		var b body
		if !made(e.Kind) || len(e.Body) == 0 {
			continue
		}
		if err := json.Unmarshal(e.Body, &b); err != nil {
			return &journal.StoreError{Op: "audit", Run: row.ID, Seq: e.Seq, Err: err}
		}
		a := Act{At: e.Time(), By: b.By, Run: row.ID, Plan: row.Plan, Seq: e.Seq, Task: e.Node, Why: cmp.Or(b.Note, b.Reason)}
		if b.Fork != nil {
			copied = b.Fork.Seq
			a.At, a.By, a.Did, a.Of = time.UnixMicro(row.Created).UTC(), b.Fork.By, "forked", b.Fork.Run
			add(&a)
			continue
		}
		if e.Seq > copied && b.name(&e, &a) {
			add(&a)
		}
	}
	return nil
}

// made reports whether people make entries of a kind.
func made(k journal.Kind) bool {
	switch k {
	case journal.RunStarted, journal.RunResumed, journal.RunFinished, journal.RunHeld, journal.RunReleased, journal.InterruptUpdated,
		journal.InterruptResolved, journal.MessageSent:
		return true
	default:
		return false
	}
}

// name says what an entry did; false where no person did it.
func (b *body) name(e *journal.Entry, a *Act) bool {
	switch e.Kind {
	case journal.RunStarted:
		a.Did = "started"
	case journal.RunFinished:
		a.Did = "cancelled"
	case journal.RunHeld:
		a.Did = "held"
	case journal.RunReleased:
		a.Did = "released"
	case journal.RunResumed:
		switch b.Reason {
		case "retry", "replan", "breakpoints":
			a.Did, a.Why = "resumed: "+b.Reason, b.Note
		default: // a worker went on
			return false
		}
	case journal.InterruptUpdated:
		a.Did, a.Request, a.To = updates[b.Do], e.Op, cmp.Or(b.Assignee, b.ToRole)
		if b.Do == "claim" || b.Do == "release" {
			a.To = ""
		}
	case journal.InterruptResolved:
		a.Did, a.Request, a.Role = b.State, e.Op, b.Role
	case journal.MessageSent:
		a.Did, a.To = "sent", b.Name
	default:
	}
	return a.Did != ""
}

// begins and ends are what is done with a setting, by its kind.
var (
	begins = map[string]string{"token": "created", "session": "logged in"}
	ends   = map[string]string{"token": "revoked", "session": "ended"}
)

// settings reads the acts in the histories of settings of a kind.
func (s Source) settings(ctx context.Context, what string, add func(*Act)) error {
	all := settings.New(s.Store, settings.Options{})
	names, err := all.Names(ctx, what)
	if err != nil {
		return err
	}
	for _, name := range names {
		history, err := all.History(ctx, what, name)
		if errors.Is(err, settings.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		shown := name
		for i := range history {
			d := &history[i]
			a := Act{At: d.At, By: d.By, Did: "changed", What: what, Seq: d.Seq, Why: d.Why}
			if d.Seq == 1 {
				a.Did = begins[what]
			}
			var said struct{ Name, Person string }
			switch {
			case d.Deleted():
				a.Did = ends[what]
			case json.Unmarshal(d.Value, &said) == nil:
				shown = cmp.Or(said.Name, said.Person, name)
			}
			a.Name = shown
			add(&a)
		}
	}
	return nil
}
