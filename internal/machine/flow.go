package machine

import (
	"slices"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/plan"
)

// flow is the state of a dataflow in its scope: written values, and what each node waits for (laws D3 to D8).
// Its counts follow from the entries alone. Entries say which nodes were started, and for which decisions.
type flow struct {
	d       *plan.Dataflow // its definition
	at      []int          // by node: its index in the flat plan
	nodes   []flowNode     // their state, by node
	latest  []int          // by name: the node that wrote it last, plan.FromRun, or nobody
	input   uint64         // seq of the entry with the inputs
	chosen  []choice       // forward decisions that have started nothing yet
	pending []choice       // decisions that wait for the end of a round
	strays  []string       // paths of chosen nodes that the plan does not have (law J8)
	ghosts  []ghost        // last outputs of nodes that the plan does not have (law J8)
	lives   []int          // by region: how many of its nodes are live
	live    int            // how many nodes are live
	skips   []bool         // by node: it is recorded as skipped; nil for none
	brought [][]slot       // by node, of subgraphs that may run again: the last version of each output; nil for none
	over    bool           // nothing more can run in it: found by Next, not part of the fold
	candidates
}

// candidates are the nodes of a dataflow that Next looks at. They are not part of the fold.
type candidates struct {
	ready   []int // nodes that may begin, and some that no longer may
	first   int   // how many of them were taken
	mixed   bool  // they are not in declared order
	work    []int // room for update
	touched bool  // in Machine.touched
}

// nobody has written a value.
const nobody = -2

// flowNode is how a node of a dataflow stands.
type flowNode struct {
	ref       uint64 // the record that it wrote last
	ended     uint64 // the entry at which it wrote last, an equal version too
	missing   int32  // how many values it needs that nobody has written
	waits     int32  // how many of the nodes before it are live, or wait for such (law D5c)
	chosen    int32  // how many forward decisions for it are not used up
	ran       bool   // or does not have to, as it lies before the entry
	visited   bool   // begun at least once
	running   bool   // a task of it is open
	failed    bool   // its last task failed, and the failure was handled (law D14)
	fresh     bool   // a value that it reads along a forward edge was written since it began last
	live      bool   // running, or waiting for nothing but nodes before it
	unsettled bool   // live, or waiting for a node that is
	queued    bool   // in ready
}

// ghost is what a node wrote last that the plan does not have.
type ghost struct {
	at    int    // index of the node, see Machine.ghosts
	ref   uint64 // seq of the record
	began uint64 // the entry at which it began last
}

// choice is a decision of a gate that nothing was begun for yet.
type choice struct {
	seq      uint64 // of the route.taken
	gate, to int    // indexes of the gate's node and of the chosen one
	depth    int    // of one that leads back: how many loops are around its loop

	cause *nodehost.Failure // of one that a failure has made (law D14); nil for a gate's
}

// slot is a value that a task was given: the node that wrote it, and the entry with its record; 0 where there is none.
type slot struct {
	from int    // number of the node, or plan.FromRun
	ref  uint64 // seq of the record
}

// newFlow begins a dataflow. given reports whether a run, or a subgraph, was given an input.
func newFlow(d *plan.Dataflow, at []int, ref uint64, given func(input int) bool) *flow {
	f := &flow{d: d, at: at, input: ref, nodes: make([]flowNode, len(d.Nodes)), latest: make([]int, len(d.Names))}
	for name := range f.latest {
		f.latest[name] = nobody
	}
	for i := range d.Inputs {
		if given(i) {
			f.latest[d.Input(i)] = plan.FromRun
		}
	}
	for v := range f.nodes {
		f.nodes[v].ran = d.Nodes[v].Closed
	}
	f.count()
	return f
}

// count makes what is counted anew.
func (f *flow) count() {
	f.lives, f.live, f.ready, f.first = make([]int, f.d.Regions), 0, f.ready[:0], 0
	for v := range f.nodes {
		n := &f.nodes[v]
		n.missing, n.waits, n.chosen, n.live, n.unsettled, n.queued = 0, 0, 0, false, false, false
		for _, name := range f.d.Nodes[v].Needs {
			if f.latest[name] == nobody {
				n.missing++
			}
		}
	}
	for _, c := range f.chosen {
		f.nodes[c.to].chosen++
	}
	for _, v := range f.d.Order() {
		f.update(v)
	}
}

// enabled reports whether a node could begin if nothing before it were live (laws D5 and D6).
func (f *flow) enabled(v int) bool {
	n := &f.nodes[v]
	switch {
	case n.missing > 0 || n.running:
		return false
	case f.d.Nodes[v].Gated:
		return n.chosen > 0
	}
	return !n.ran || n.fresh
}

// mayBegin reports whether a node may begin now.
func (f *flow) mayBegin(v int) bool { return f.nodes[v].waits == 0 && f.enabled(v) }

// update follows a change at a node to all that wait for it. It takes time in proportion to what changes.
func (f *flow) update(v int) {
	f.work = append(f.work[:0], v)
	for len(f.work) > 0 {
		v := f.work[len(f.work)-1]
		f.work = f.work[:len(f.work)-1]
		n, d := &f.nodes[v], &f.d.Nodes[v]
		if live := n.running || f.enabled(v); live != n.live {
			n.live = live
			by := -1
			if live {
				by = 1
			}
			f.live += by
			if d.Region >= 0 {
				f.lives[d.Region] += by
			}
		}
		if unsettled := n.live || n.waits > 0; unsettled != n.unsettled {
			n.unsettled = unsettled
			for _, to := range d.Next {
				next := &f.nodes[to]
				if unsettled {
					if next.waits++; next.waits == 1 {
						f.work = append(f.work, to)
					}
				} else if next.waits--; next.waits == 0 {
					f.work = append(f.work, to)
				}
			}
		}
		if n.live && !n.running && n.waits == 0 && !n.queued {
			n.queued = true
			if f.first > 0 && len(f.ready) == cap(f.ready) {
				f.ready, f.first = f.ready[:copy(f.ready, f.ready[f.first:])], 0
			}
			f.mixed = f.mixed || len(f.ready) > f.first && f.ready[len(f.ready)-1] > v
			f.ready = append(f.ready, v)
		}
	}
}

// capture is what a node is given when it begins now (law D5): the last version of each value.
func (f *flow) capture(v int, slots []slot) []slot {
	for _, name := range f.d.Nodes[v].In {
		slots = append(slots, f.slot(name))
	}
	return slots
}

func (f *flow) slot(name int) slot {
	switch from := f.latest[name]; from {
	case nobody:
		return slot{from: nobody}
	case plan.FromRun:
		return slot{from, f.input}
	default:
		return slot{from, f.nodes[from].ref}
	}
}

// began notes that a node has begun: for the forward decisions for it, or for the decision that began a round (law D7).
func (f *flow) began(v int, took uint64) {
	n := &f.nodes[v]
	if took == 0 && n.chosen > 0 {
		f.chosen = slices.DeleteFunc(f.chosen, func(c choice) bool { return c.to == v })
		n.chosen = 0
	}
	if took != 0 {
		f.pending = slices.DeleteFunc(f.pending, func(c choice) bool { return c.to == v && c.seq == took })
	}
	n.ran, n.visited, n.running, n.fresh = true, true, true, false
	f.update(v)
}

// causeOf is the failure that a node begins for now: of several, that of the first node in declared order (law D14).
func (f *flow) causeOf(v int) *nodehost.Failure {
	var first *choice
	for i := range f.chosen {
		if c := &f.chosen[i]; c.to == v && c.cause != nil && (first == nil || c.gate < first.gate) {
			first = c
		}
	}
	if first == nil {
		return nil
	}
	return first.cause
}

// awaits finds a decision that waits for the end of a round.
func (f *flow) awaits(v int, seq uint64) bool {
	return slices.ContainsFunc(f.pending, func(c choice) bool { return c.to == v && c.seq == seq })
}

// wrote notes what a node has written: every write is a new version (law D3). absent are outputs that it brought no value
// for.
func (f *flow) wrote(v int, ref uint64, absent func(output int) bool) {
	f.nodes[v].ref, f.nodes[v].failed = ref, false
	d := &f.d.Nodes[v]
	partly := false
	for k, name := range d.Out {
		if absent != nil && absent(k) {
			partly = true
			continue
		}
		first := f.latest[name] == nobody
		f.latest[name] = v
		if first {
			for _, to := range f.d.Wanted[name] {
				f.nodes[to].missing--
				f.update(to)
			}
		}
	}
	for _, to := range d.Readers {
		if n := &f.nodes[to]; !n.fresh && (!partly || f.readsSome(to, v, absent)) {
			n.fresh = true
			f.update(to)
		}
	}
}

// readsSome reports whether a node reads one of the values that another one has brought.
func (f *flow) readsSome(to, v int, absent func(output int) bool) bool {
	for k, name := range f.d.Nodes[v].Out {
		if !absent(k) && slices.Contains(f.d.Nodes[to].In, name) {
			return true
		}
	}
	return false
}

// ended notes that a node is not running any more.
func (f *flow) ended(v int) {
	f.nodes[v].running = false
	f.update(v)
}

// decided notes what a gate has chosen, or a failure (law D14). It replaces what nothing was begun for of its last decision, and
// what gates that were not chosen have left (law D8).
func (f *flow) decided(gate int, seq uint64, to []int, cause *nodehost.Failure) {
	f.strays = nil
	changed := f.drop(gate, nil)
	for _, t := range f.d.Nodes[gate].Targets {
		if !slices.Contains(to, t.To) || t.Failure != (cause != nil) {
			continue
		}
		c := choice{seq: seq, gate: gate, to: t.To, depth: t.Depth, cause: cause}
		if t.Back {
			f.pending = append(f.pending, c)
			continue
		}
		f.chosen = append(f.chosen, c)
		f.nodes[t.To].chosen++
		changed = append(changed, t.To)
	}
	changed = f.lose(gate, nil, changed)
	for _, v := range changed {
		f.update(v)
	}
}

// drop takes back what nothing was begun for of a gate's decisions. It adds the nodes concerned to a list.
func (f *flow) drop(gate int, changed []int) []int {
	f.chosen = slices.DeleteFunc(f.chosen, func(c choice) bool {
		if c.gate != gate {
			return false
		}
		f.nodes[c.to].chosen--
		changed = append(changed, c.to)
		return true
	})
	f.pending = slices.DeleteFunc(f.pending, func(c choice) bool { return c.gate == gate })
	return changed
}

// lose takes back decisions for gates that were not chosen, and for gates behind them.
func (f *flow) lose(gate int, lost []int, changed []int) []int {
	for _, t := range f.d.Nodes[gate].Targets {
		if t.Back || f.nodes[t.To].chosen > 0 || len(f.d.Nodes[t.To].Targets) == 0 || slices.Contains(lost, t.To) {
			continue
		}
		lost = append(lost, t.To)
		changed = f.lose(t.To, lost, f.drop(t.To, changed))
	}
	return changed
}

// round is the decision that the next round begins with in a region that is quiet: that of the innermost loop, and of
// several the first in declared order (law D7). ok is false where there is none.
func (f *flow) round() (best choice, ok bool) {
	for _, c := range f.pending {
		if f.nodes[c.to].missing > 0 || f.lives[f.d.Nodes[c.to].Region] > 0 {
			continue
		}
		if !ok || c.before(best) {
			best, ok = c, true
		}
	}
	return best, ok
}

func (c choice) before(other choice) bool {
	switch {
	case c.depth != other.depth:
		return c.depth > other.depth
	case c.to != other.to:
		return c.to < other.to
	}
	return c.gate < other.gate
}

// eachRef calls do with every record that the flow refers to, until it returns true.
func (f *flow) eachRef(do func(ref uint64) bool) bool {
	if f.input != 0 && do(f.input) {
		return true
	}
	for v := range f.nodes {
		if ref := f.nodes[v].ref; ref != 0 && do(ref) {
			return true
		}
	}
	for i := range f.ghosts {
		if do(f.ghosts[i].ref) {
			return true
		}
	}
	for _, slots := range f.brought {
		if slices.ContainsFunc(slots, func(s slot) bool { return s.ref != 0 && do(s.ref) }) {
			return true
		}
	}
	return false
}

// handles reports whether a node handles the failure of another one (law D14).
func (f *flow) handles(v, of int) bool {
	return slices.ContainsFunc(f.d.Nodes[of].Targets, func(t plan.Aimed) bool { return t.To == v && t.Failure })
}

// Written is the entry that holds what the node of a task of a dataflow wrote last, 0 for none.
func (m *Machine) Written(t *Task) uint64 {
	if v := m.local(t); v >= 0 {
		return t.scope.flow.nodes[v].ref
	}
	return 0
}
