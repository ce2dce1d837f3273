package crypt

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/internal/interrupt"
)

// The row of a run has its Error sealed, also one that is empty. The place holds all that stores do not change by
// themselves: they fill the head, and a claim sets the driver.
func rowPlace(row *journal.RunRow) place {
	ready := uint64(0)
	if row.Ready {
		ready = 1
	}
	p := place{ofRow}.text(row.ID, row.Plan, row.Kind, row.Fingerprint, row.Definition, row.Status)
	p = p.number(uint64(row.Created), uint64(row.Updated), uint64(row.Waiting), ready)
	for _, key := range slices.Sorted(maps.Keys(row.Labels)) {
		p = p.text(key, row.Labels[key])
	}
	if t := row.Turn; t != (journal.Turn{}) { // no key of a label begins so
		p = p.text(" turn", t.Queue, t.Dedup).number(uint64(t.Priority), uint64(t.NotBefore))
	}
	return p
}

func (r *ring) sealRow(row *journal.RunRow) (*journal.RunRow, error) {
	frame, err := r.seal(row.ID, rowPlace(row), []byte(row.Error))
	sealed := *row
	sealed.Error = asText(frame)
	return &sealed, err
}

func (r *ring) openRow(row *journal.RunRow) error {
	if r.keys.AcceptClear && !isText(row.Error) {
		return nil
	}
	plain, err := r.openText(row.ID, rowPlace(row), row.Error)
	row.Error = string(plain)
	return err
}

// hidden stands for a person in a sealed interrupt: stores select by whether there is one. It is as empty as the id is, and
// as the key that is made of it.
func hidden(person string) string {
	switch {
	case person == "":
		return ""
	case journal.PersonKey(person) == "":
		return " "
	}
	return "sealed"
}

// A sealed interrupt has what stores sort and search by, and the task. All of it is in a frame, as JSON, whose text is the
// request. The clear part is part of the place.
func clearPart(in *journal.Interrupt) journal.Interrupt {
	return journal.Interrupt{
		ID: in.ID, Run: in.Run, Task: in.Task, Kind: in.Kind, Role: in.Role, State: in.State,
		Assignee: hidden(in.Assignee), ClaimedBy: hidden(in.ClaimedBy),
		Opened: in.Opened, Deadline: in.Deadline, Resolved: in.Resolved,
	}
}

func interruptPlace(in *journal.Interrupt) place {
	return place{ofInterrupt}.text(in.Run, in.ID, in.Task, in.Kind, in.Role, in.State, in.Assignee, in.ClaimedBy).
		number(uint64(in.Opened), uint64(in.Deadline), uint64(in.Resolved))
}

func (r *ring) sealInterrupt(in *journal.Interrupt) (journal.Interrupt, error) {
	data, err := interrupt.Encode(in)
	if err != nil {
		return journal.Interrupt{}, err
	}
	sealed := clearPart(in)
	frame, err := r.seal(in.Run, interruptPlace(&sealed), data)
	sealed.Request = json.RawMessage(`"` + asText(frame) + `"`)
	return sealed, err
}

// textIn is the text of a request that is a sealed interrupt, and another text otherwise. Neither a quote nor a backslash is
// in base64.
func textIn(request []byte) string {
	if n := len(request); n >= 2 && request[0] == '"' && request[n-1] == '"' {
		return string(request[1 : n-1])
	}
	return ""
}

func (r *ring) openInterrupt(in *journal.Interrupt) error {
	text := textIn(in.Request)
	if r.keys.AcceptClear && !isText(text) {
		return nil
	}
	data, err := r.openText(in.Run, interruptPlace(in), text)
	if err != nil {
		return err
	}
	opened, err := interrupt.Decode(in.ID, data)
	if err == nil {
		*in = opened
	}
	return err
}

// The id of a timer is sealed so that the same id has the same frame: a store finds the timer by it.
func timerPlace(run string) place { return place{ofTimer}.text(run) }

// sealTimers appends a timer as the store gets it. A timer that was set under another key, or in clear text, is removed.
func (r *ring) sealTimer(timers []journal.Timer, t journal.Timer) ([]journal.Timer, error) {
	clearID := t.ID
	for i, key := range r.all() {
		frame, err := r.sealAlike(key.ID, t.Run, timerPlace(t.Run), clearID)
		if err != nil {
			return timers, err
		}
		t.ID, t.Done = asText(frame), t.Done || i > 0
		timers = append(timers, t)
	}
	if r.keys.AcceptClear {
		timers = append(timers, journal.Timer{Run: t.Run, ID: clearID, Done: true})
	}
	return timers, nil
}

func (r *ring) openTimer(t *journal.Timer) error {
	if r.keys.AcceptClear && !isText(t.ID) {
		return nil
	}
	plain, err := r.openText(t.Run, timerPlace(t.Run), t.ID)
	t.ID = string(plain)
	return err
}
