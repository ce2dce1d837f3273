package replay

import (
	"hash/crc32"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Run is a run as its entries say, with the values that they record.
type Run struct {
	Values
	plan    *plan.Plan       // that the run is read with
	machine *machine.Machine // the fold of its entries
	at      uint64           // seq of the checkpoint that it was restored from, 0 for none
	last    journal.Entry    // the last entry; its Seq is 0 where the run stands at a checkpoint
	mark    uint32           // of the checkpoint's entry
}

// New is a run without entries.
func New(p *plan.Plan) *Run {
	return &Run{plan: p, machine: machine.New(p)}
}

// Machine is the fold of the entries so far.
func (r *Run) Machine() *machine.Machine { return r.machine }

// At is the seq of the checkpoint that the run was read from, 0 for none.
func (r *Run) At() uint64 { return r.at }

// Apply takes the next entry in. It keeps the entry's value.
func (r *Run) Apply(e *journal.Entry) error {
	if err := r.machine.Apply(e); err != nil {
		return err
	}
	r.last = *e
	r.Note(e)
	return nil
}

// mark tells an entry from another one with the same seq.
func mark(e *journal.Entry) uint32 {
	return crc32.ChecksumIEEE(journal.AppendEntries(nil, []journal.Entry{*e}))
}

// Forget drops the values that nothing in the run refers to, and the deltas that led to the others.
func (r *Run) Forget() error {
	kept := make(map[uint64]link)
	for _, ref := range r.machine.Refs() {
		data, err := r.Whole(ref)
		if err != nil {
			return err
		}
		kept[ref] = link{data: data}
	}
	r.links = kept
	return nil
}
