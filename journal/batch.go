package journal

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Valid reports whether k is a kind that this version knows.
func (k Kind) Valid() bool {
	_, ok := kindNames[k]
	return ok
}

// KindOf is the kind with a name, "node.finished"; false where this version knows none. It is the inverse of String.
func KindOf(name string) (Kind, bool) {
	for k, known := range kindNames {
		if known == name {
			return k, true
		}
	}
	return 0, false
}

// Stored reports whether journals keep entries of this kind: it is known and not transient (law E2).
func (k Kind) Stored() bool { return k.Valid() && k != TextDelta }

// Head is the run's last seq once the batch is written.
func (b *Batch) Head() uint64 { return b.After + uint64(len(b.Entries)) }

// Validate reports why no store can write the batch.
//
// The entries are not numbered After+1, After+2, …; a run is created without its first entry or its row; a projection
// belongs to another run. Every store calls it before anything else, so that a batch is refused everywhere or nowhere.
func (b *Batch) Validate() error {
	if b.Run == "" {
		return errors.New("a batch needs the id of its run")
	}
	if b.Durability > Async {
		return fmt.Errorf("durability %d: a store is given batches of durability Sync (0) or Async (1)", b.Durability)
	}
	for i := range b.Entries {
		e := &b.Entries[i]
		if want := b.After + 1 + uint64(i); e.Seq != want {
			return fmt.Errorf("entry %d of the batch (%v) has seq %d, expected %d: a journal has no gap", i, e.Kind, e.Seq, want)
		}
		if !storedKinds[e.Kind] {
			return fmt.Errorf("entry %d of the batch (seq %d): %v is not a kind that is stored", i, e.Seq, e.Kind)
		}
	}
	if b.After == 0 && (len(b.Entries) == 0 || b.Row == nil) {
		return fmt.Errorf("run %s: a batch after seq 0 creates the run and needs its first entry and its row", b.Run)
	}
	return b.validateProjections()
}

func (b *Batch) validateProjections() error {
	if b.Driver != nil && (b.Row == nil || b.After == 0) {
		return fmt.Errorf("run %s: a batch that expects the driver %q changes the row of a run that is there", b.Run, *b.Driver)
	}
	if b.Row != nil && b.Row.ID != b.Run {
		return fmt.Errorf("the batch is of run %q, its row of run %q", b.Run, b.Row.ID)
	}
	if b.Row != nil {
		for _, key := range slices.Sorted(maps.Keys(b.Row.Labels)) {
			if err := CheckLabel(key, b.Row.Labels[key]); err != nil {
				return fmt.Errorf("run %s: %w", b.Run, err)
			}
		}
	}
	for i := range b.Interrupts {
		switch in := &b.Interrupts[i]; {
		case in.ID == "":
			return fmt.Errorf("interrupt %d of the batch has no id", i)
		case in.Run != b.Run:
			return fmt.Errorf("the batch is of run %q, its interrupt %s of run %q", b.Run, in.ID, in.Run)
		}
	}
	for i := range b.Timers {
		switch t := &b.Timers[i]; {
		case t.ID == "":
			return fmt.Errorf("timer %d of the batch has no id", i)
		case t.Run != b.Run:
			return fmt.Errorf("the batch is of run %q, its timer %s of run %q", b.Run, t.ID, t.Run)
		}
	}
	if c := b.Checkpoint; c != nil && (c.Seq == 0 || c.Seq > b.Head()) {
		return fmt.Errorf("run %s: a checkpoint of seq %d does not fit a journal that ends at %d", b.Run, c.Seq, b.Head())
	}
	return nil
}

// storedKinds is Stored as a table: Validate runs for every step.
var storedKinds = func() (t [256]bool) {
	for k := range kindNames {
		t[k] = k.Stored()
	}
	return t
}()

// Clone is a copy that shares no slice with in.
func (in Interrupt) Clone() Interrupt {
	in.Request = bytes.Clone(in.Request)
	in.RequestSchema = bytes.Clone(in.RequestSchema)
	in.ResponseSchema = bytes.Clone(in.ResponseSchema)
	in.Options = slices.Clone(in.Options)
	in.NotBy, in.NotByNodes = slices.Clone(in.NotBy), slices.Clone(in.NotByNodes)
	in.Answer = bytes.Clone(in.Answer)
	in.AtDeadline = in.AtDeadline.Clone()
	return in
}

// IsOpen reports whether the interrupt still waits for an answer: it is open or claimed.
func (in *Interrupt) IsOpen() bool { return in.State == Open || in.State == Claimed }

// Clone is a copy of the whole chain; nil for nil.
func (d *Deadline) Clone() *Deadline {
	if d == nil {
		return nil
	}
	c := *d
	c.Answer = bytes.Clone(d.Answer)
	c.Then = d.Then.Clone()
	return &c
}

// KindDefinition is the RunRow.Kind of a stored definition.
const KindDefinition = "definition"

// Match reports whether the filter selects the run. A definition is selected only by Definition, which selects
// nothing else. Limit is not looked at.
func (f *RunFilter) Match(r *RunRow) bool {
	return f.Definition == (r.Kind == KindDefinition) &&
		(f.ID == "" || f.ID == r.ID) &&
		(f.Status == "" || f.Status == r.Status) &&
		(f.Plan == "" || f.Plan == r.Plan) &&
		(f.Kind == "" || f.Kind == r.Kind)
}

// Match reports whether the filter selects the interrupt. One that is closed is selected only with All, also by its
// ID. Limit is not looked at.
func (f *InboxFilter) Match(in *Interrupt) bool {
	return (f.All || in.IsOpen()) &&
		(f.ID == "" || f.ID == in.ID) &&
		(f.Run == "" || f.Run == in.Run) &&
		(f.Role == "" || f.Role == in.Role)
}
