package runstate

import (
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/replay"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Cell is one recorded value in memory. The live value is given to the next node that reads it. The snapshot
// never changes; the next delta is computed against it (laws N9 and J7).
type Cell struct {
	Ref  uint64 // seq of the value's entry; 0 for an empty cell
	Live any    // decoded; nil for none
	Snap any    // decoded, read only; nil for none
	Data []byte // JSON read from the journal; nil once decoded
}

// Values holds the cells of values that tokens and open tasks refer to.
type Values struct {
	replay.Values // those in the journal, while a run is loaded

	Cells []Cell         // in the order in which they were made
	index map[uint64]int // where the cells are, while they are many
	flow  []Cell         // of the nodes of the run's own dataflow, and of its inputs, at the places of the nodes; their refs are 0 while they are among cells
	full  int            // how many cells there may be before they are looked through
}

// Find returns the cell with this reference, or nil.
func (v *Values) Find(ref uint64) *Cell {
	if v.index != nil {
		if i, ok := v.index[ref]; ok {
			return &v.Cells[i]
		}
		return nil
	}
	for i := range v.Cells {
		if v.Cells[i].Ref == ref {
			return &v.Cells[i]
		}
	}
	return nil
}

// few is the number of cells up to which a search goes through all.
const few = 12

// Expect allocates the cells of a dataflow: one for each node.
func (v *Values) Expect(p *plan.Plan) {
	if d := p.Dataflow(); d != nil {
		v.flow = make([]Cell, len(d.Nodes)+1)
	}
}

// PeekFlow is Peek for an output or input of the run's own dataflow.
func (v *Values) PeekFlow(from int, ref uint64, codec plan.Codec) (any, error) {
	if from+1 < len(v.flow) {
		if c := &v.flow[from+1]; c.Ref == ref && c.Data == nil {
			if c.Snap != nil {
				return c.Snap, nil
			}
			return c.Live, nil
		}
	}
	return v.Peek(ref, codec)
}

// RenewFlow replaces the last output of a node of the run's own dataflow.
func (v *Values) RenewFlow(from int, old, ref uint64, live, snap any) {
	if from+1 < len(v.flow) {
		v.flow[from+1] = Cell{Ref: ref, Live: live, Snap: snap}
		return
	}
	v.Renew(old, ref, live, snap)
}

// ForgetFlow moves a dataflow value among the cells.
func (v *Values) ForgetFlow(from int) {
	if from+1 < len(v.flow) {
		v.flow[from+1] = Cell{}
	}
}

// LastFlow returns the last output of a node of the run's own dataflow.
func (v *Values) LastFlow(from int, ref uint64, codec plan.Codec) (*Cell, error) {
	if from+1 < len(v.flow) && v.flow[from+1].Ref == ref {
		return &v.flow[from+1], nil
	}
	return v.Known(ref, codec)
}

// Known returns a cell with its value decoded.
func (v *Values) Known(ref uint64, codec plan.Codec) (*Cell, error) {
	c := v.Find(ref)
	if c == nil {
		return nil, fmt.Errorf("value %d: %w: it is not in memory", ref, journal.ErrCorrupt)
	}
	if c.Data != nil {
		snap, err := guard.Decode(codec, c.Data)
		if err != nil {
			return nil, fmt.Errorf("value %d does not fit the plan's type any more: %w", ref, err)
		}
		c.Snap, c.Data = snap, nil
		if c.Live, err = guard.Copy(codec, snap); err != nil { // its lists have no spare capacity, like those of a run that goes on
			return nil, runtype.NotStorable(err)
		}
	}
	return c, nil
}

// Peek returns a value that the caller neither changes nor keeps.
func (v *Values) Peek(ref uint64, codec plan.Codec) (any, error) {
	c, err := v.Known(ref, codec)
	if err != nil {
		return nil, err
	}
	if c.Snap != nil {
		return c.Snap, nil
	}
	return c.Live, nil
}

// Take returns a value that the caller owns. If keep, it can be taken again.
func (v *Values) Take(ref uint64, codec plan.Codec, keep bool) (any, error) {
	c, err := v.Known(ref, codec)
	if err != nil {
		return nil, err
	}
	if c.Live == nil {
		return guard.Copy(codec, c.Snap)
	}
	live := c.Live
	if keep && c.Snap == nil {
		snap, err := guard.Copy(codec, live)
		if err != nil {
			return nil, runtype.NotStorable(err)
		}
		c.Snap = snap
	}
	c.Live = nil
	return live, nil
}

// Lend returns a value to be merged with others. Its lists, maps and pointers lead to the snapshot's memory, which
// nobody may change. Without a snapshot it is Take.
func (v *Values) Lend(ref uint64, codec plan.Codec) (lent any, err error) {
	c, err := v.Known(ref, codec)
	if err != nil {
		return nil, err
	}
	if c.Snap == nil {
		return v.Take(ref, codec, true)
	}
	defer guard.Capture(&err)
	defer guard.Recover(&err)
	return value.Lend(codec, c.Snap)
}

// Last returns a value that is not needed again, without a copy.
func (v *Values) Last(ref uint64, codec plan.Codec) (any, error) {
	c, err := v.Known(ref, codec)
	if err != nil {
		return nil, err
	}
	value := c.Live
	if value == nil {
		value = c.Snap
	}
	c.Live, c.Snap = nil, nil
	return value, nil
}

// Put adds a value. live or snap may be nil.
func (v *Values) Put(ref uint64, live, snap any) {
	if c := v.Find(ref); c != nil {
		c.Live, c.Snap, c.Data = live, snap, nil
		return
	}
	v.Add(Cell{Ref: ref, Live: live, Snap: snap})
}

// Add puts a cell behind the others.
func (v *Values) Add(c Cell) {
	v.Cells = append(v.Cells, c)
	switch {
	case v.index != nil:
		v.index[c.Ref] = len(v.Cells) - 1
	case len(v.Cells) > few:
		v.reindex()
	}
}

func (v *Values) reindex() {
	v.index = make(map[uint64]int, 2*len(v.Cells))
	for i := range v.Cells {
		v.index[v.Cells[i].Ref] = i
	}
}

// Replace replaces a value by its successor.
func (v *Values) Replace(old, ref uint64, live, snap any) {
	c := v.Find(old)
	if c == nil {
		v.Put(ref, live, snap)
		return
	}
	*c = Cell{Ref: ref, Live: live, Snap: snap}
	if v.index != nil && old != ref { // an equal version keeps its place
		v.index[ref] = v.index[old]
		delete(v.index, old)
	}
}

// Renew replaces an older value that is not needed again, 0 for none.
func (v *Values) Renew(old, ref uint64, live, snap any) {
	if old == 0 {
		v.Put(ref, live, snap)
	} else {
		v.Replace(old, ref, live, snap)
	}
}

// Tidy drops unreferenced values once there are many.
func (v *Values) Tidy(m *machine.Machine) {
	if len(v.Cells) > max(v.full, few) {
		v.Retain(m)
		v.full = 2 * len(v.Cells)
	}
}

// Retain drops unreferenced values.
func (v *Values) Retain(m *machine.Machine) {
	used := m.Refs()
	slices.Sort(used)
	kept := v.Cells[:0]
	for _, c := range v.Cells {
		if _, ok := slices.BinarySearch(used, c.Ref); ok {
			kept = append(kept, c)
		}
	}
	clear(v.Cells[len(kept):])
	v.Cells = kept
	if v.index = nil; len(v.Cells) > few {
		v.reindex()
	}
}
