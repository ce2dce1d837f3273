package fermata

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// cell is what is known in memory of one recorded value. The live value is given to the next node that reads it; the
// snapshot is nobody's to change and is what the next delta is computed against (laws N9 and J7).
type cell struct {
	ref  uint64
	live any
	snap any
	data []byte // JSON, where the value was read from the journal and not decoded yet
}

// values holds the cells of the values that tokens and open tasks refer to.
type values struct {
	cells []cell
	index map[uint64]int  // where the cells are, while they are many
	flow  []cell          // of the nodes of the run's own dataflow, and of its inputs, at the places of the nodes; their refs are 0 while they are among cells
	full  int             // how many cells there may be before they are looked through
	links map[uint64]link // of the values in the journal, while a run is loaded
}

// link is one recorded value in its chain of deltas.
type link struct {
	base  uint64
	delta bool
	data  []byte
}

func (v *values) find(ref uint64) *cell {
	if v.index != nil {
		if i, ok := v.index[ref]; ok {
			return &v.cells[i]
		}
		return nil
	}
	for i := range v.cells {
		if v.cells[i].ref == ref {
			return &v.cells[i]
		}
	}
	return nil
}

// few is how many cells are looked through one by one.
const few = 12

// expect makes room for the values of a dataflow: each node has one.
func (v *values) expect(p *plan.Plan) {
	if d := p.Dataflow(); d != nil {
		v.flow = make([]cell, len(d.Nodes)+1)
	}
}

// peekFlow is peek for what a node of the run's own dataflow has written, or for its inputs.
func (v *values) peekFlow(from int, ref uint64, codec plan.Codec) (any, error) {
	if from+1 < len(v.flow) {
		if c := &v.flow[from+1]; c.ref == ref && c.data == nil {
			if c.snap != nil {
				return c.snap, nil
			}
			return c.live, nil
		}
	}
	return v.peek(ref, codec)
}

// renewFlow puts a new value in the place of what a node of the run's own dataflow wrote before.
func (v *values) renewFlow(from int, old, ref uint64, live, snap any) {
	if from+1 < len(v.flow) {
		v.flow[from+1] = cell{ref: ref, live: live, snap: snap}
		return
	}
	v.renew(old, ref, live, snap)
}

// forgetFlow makes a value be looked for among the cells.
func (v *values) forgetFlow(from int) {
	if from+1 < len(v.flow) {
		v.flow[from+1] = cell{}
	}
}

// lastFlow finds what a node of the run's own dataflow wrote last.
func (v *values) lastFlow(from int, ref uint64, codec plan.Codec) (*cell, error) {
	if from+1 < len(v.flow) && v.flow[from+1].ref == ref {
		return &v.flow[from+1], nil
	}
	return v.known(ref, codec)
}

// known finds a cell, with its value decoded.
func (v *values) known(ref uint64, codec plan.Codec) (*cell, error) {
	c := v.find(ref)
	if c == nil {
		return nil, fmt.Errorf("value %d: %w: it is not in memory", ref, journal.ErrCorrupt)
	}
	if c.data != nil {
		snap, err := decoded(codec, c.data)
		if err != nil {
			return nil, fmt.Errorf("value %d does not fit the plan's type any more: %w", ref, err)
		}
		c.snap, c.data = snap, nil
		if c.live, err = copied(codec, snap); err != nil { // whose lists have no spare capacity, like those of a run that goes on
			return nil, notStorable(err)
		}
	}
	return c, nil
}

// peek gives a value that the caller does not change and does not keep.
func (v *values) peek(ref uint64, codec plan.Codec) (any, error) {
	c, err := v.known(ref, codec)
	if err != nil {
		return nil, err
	}
	if c.snap != nil {
		return c.snap, nil
	}
	return c.live, nil
}

// take gives a value of the caller's own. With keep, the cell stays able to give it again.
func (v *values) take(ref uint64, codec plan.Codec, keep bool) (any, error) {
	c, err := v.known(ref, codec)
	if err != nil {
		return nil, err
	}
	if c.live == nil {
		return copied(codec, c.snap)
	}
	live := c.live
	if keep && c.snap == nil {
		snap, err := copied(codec, live)
		if err != nil {
			return nil, notStorable(err)
		}
		c.snap = snap
	}
	c.live = nil
	return live, nil
}

// last gives a value that nobody will ask for again, without a copy.
func (v *values) last(ref uint64, codec plan.Codec) (any, error) {
	c, err := v.known(ref, codec)
	if err != nil {
		return nil, err
	}
	value := c.live
	if value == nil {
		value = c.snap
	}
	c.live, c.snap = nil, nil
	return value, nil
}

// put adds a value. Either of live and snap may be nil.
func (v *values) put(ref uint64, live, snap any) {
	if c := v.find(ref); c != nil {
		c.live, c.snap, c.data = live, snap, nil
		return
	}
	v.add(cell{ref: ref, live: live, snap: snap})
}

func (v *values) add(c cell) {
	v.cells = append(v.cells, c)
	switch {
	case v.index != nil:
		v.index[c.ref] = len(v.cells) - 1
	case len(v.cells) > few:
		v.reindex()
	}
}

func (v *values) reindex() {
	v.index = make(map[uint64]int, 2*len(v.cells))
	for i := range v.cells {
		v.index[v.cells[i].ref] = i
	}
}

// replace puts a new value in the place of the one that it was made from.
func (v *values) replace(old, ref uint64, live, snap any) {
	c := v.find(old)
	if c == nil {
		v.put(ref, live, snap)
		return
	}
	*c = cell{ref: ref, live: live, snap: snap}
	if v.index != nil && old != ref { // an equal version keeps its place
		v.index[ref] = v.index[old]
		delete(v.index, old)
	}
}

// renew puts a new value in the place of an older one that nobody will ask for again, 0 for none.
func (v *values) renew(old, ref uint64, live, snap any) {
	if old == 0 {
		v.put(ref, live, snap)
	} else {
		v.replace(old, ref, live, snap)
	}
}

// tidy forgets what nothing refers to any more, once there is much of it.
func (v *values) tidy(m *machine.Machine) {
	if len(v.cells) > max(v.full, few) {
		v.retain(m)
		v.full = 2 * len(v.cells)
	}
}

// retain forgets the values that nothing refers to any more.
func (v *values) retain(m *machine.Machine) {
	used := m.Refs()
	slices.Sort(used)
	kept := v.cells[:0]
	for _, c := range v.cells {
		if _, ok := slices.BinarySearch(used, c.ref); ok {
			kept = append(kept, c)
		}
	}
	clear(v.cells[len(kept):])
	v.cells = kept
	if v.index = nil; len(v.cells) > few {
		v.reindex()
	}
}

// note keeps an entry's value while a run is loaded.
func (v *values) note(e *journal.Entry) {
	if !e.HasValue() || !e.Kind.CarriesState() {
		return
	}
	if v.links == nil {
		v.links = make(map[uint64]link)
	}
	v.links[e.Seq] = link{base: e.Base, delta: e.Flags&journal.FlagBase != 0, data: e.Value}
}

// whole is a recorded value as JSON.
func (v *values) whole(ref uint64) ([]byte, error) {
	var chain []link
	var seqs []uint64
	for at := ref; ; {
		l, ok := v.links[at]
		if !ok {
			return nil, damaged(at, errNoValue)
		}
		chain, seqs = append(chain, l), append(seqs, at)
		if !l.delta {
			break
		}
		if l.base >= at {
			return nil, damaged(at, errLaterBase)
		}
		at = l.base
	}
	first := len(chain) - 1
	if first == 0 {
		if !json.Valid(chain[0].data) {
			return nil, damaged(seqs[0], errNotJSON)
		}
		return chain[0].data, nil
	}
	doc, err := journal.ParseDocument(chain[first].data)
	if err != nil {
		return nil, damaged(seqs[first], err)
	}
	for i := first - 1; i >= 0; i-- {
		if len(chain[i].data) == 0 {
			continue
		}
		if err := doc.Apply(chain[i].data); err != nil {
			return nil, damaged(seqs[i], err)
		}
	}
	return doc.JSON(), nil
}

var (
	errNotJSON   = errors.New("the value is not valid JSON")
	errNoValue   = errors.New("there is no value at this entry")
	errLaterBase = errors.New("the value is a delta of a later one")
)

// damaged says that the value of an entry cannot be read (law J6).
func damaged(seq uint64, err error) error {
	return &journal.StoreError{Op: "replay", Seq: seq, Err: fmt.Errorf("%w: %w", journal.ErrCorrupt, err)}
}

// replayError adds the run to an error of reading its journal.
func (rt *Runtime) replayError(run string, seq uint64, err error) error {
	if damage, ok := errors.AsType[*journal.StoreError](err); ok {
		damage.Run = run
		return rt.storeError(run, damage)
	}
	return rt.storeError(run, &journal.StoreError{Op: "replay", Run: run, Seq: seq, Err: err})
}

func notStorable(err error) error {
	return fmt.Errorf("%w: %w", node.ErrNotStorable, fault.Capture(err))
}

// toJSON encodes what a caller hands over, in limit bytes at most. Its marshalers may panic (law N7).
func toJSON(value any, limit int) (data json.RawMessage, err error) {
	defer panicked(&err)
	switch v := value.(type) {
	case json.RawMessage:
		if len(v) > limit {
			return nil, notStorable(&canonical.Excess{Limit: limit, Found: len(v)})
		}
		if !json.Valid(v) {
			return nil, fmt.Errorf("%w: not valid JSON", ErrInvalid)
		}
		return v, nil
	default:
		if data, err = canonical.Marshal(value, limit); err != nil {
			return nil, notStorable(err)
		}
		return data, nil
	}
}
