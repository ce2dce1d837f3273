package machine

import (
	"cmp"
	"slices"

	"github.com/fermata-go/fermata/plan"
)

// scope is where tokens travel: the run, the inside of a subgraph's task, or one item of a map. It is over when
// no token and no task is left in it.
type scope struct {
	parent *Task     // nil: the run
	item   int       // of a map, from 1; 0 elsewhere
	space  *space    // names and numbers its tasks
	live   int       // how many tokens and tasks are in it
	ends   []arrival // paths that have ended
	flow   *flow     // of a dataflow, which has no tokens; nil for a control graph
}

// arrival is a token that has reached a join, or its end.
type arrival struct {
	ref    uint64 // seq of the entry with its value
	own    bool   // nothing else refers to the value
	leaves []leaf // the branches that it stands for
}

// fork is a place where one token became several (law G2).
type fork struct {
	seq   uint64 // seq of the entry
	base  uint64 // seq of the value at the fork
	up    []leaf // the branches that the token stood for
	to    []int  // where its branches lead, in declared order
	first leaf   // of up; the zero leaf if that is empty
	level int    // how many forks it is nested in
	seen  uint64 // number of the last walk that passed it: not part of the fold
}

func newFork(tok *token, to []int) *fork {
	f := &fork{seq: tok.via, base: tok.ref, up: tok.leaves, to: to, first: firstOf(tok.leaves)}
	for _, l := range f.up {
		f.level = max(f.level, l.of.level+1)
	}
	return f
}

// leaf is one branch of a fork. A token stands for a set of leaves: those merged into it. Once all branches of
// a fork are merged, it stands for the fork's own leaves again; outside of forks, for none.
type leaf struct {
	of *fork // the fork
	at int   // place in the declared order
}

// Join is the merge of branches at a node or at their ends.
type Join struct {
	From  []uint64    // seqs of the values to merge
	Own   []bool      // of each, whether nothing else refers to it
	Steps []MergeStep // none for a single value
	at    int         // flat index of the node
	scope *scope      // in which the branches meet
	task  uint64      // id of the task whose merge is repeated; 0 for none
	vias  []uint64    // seqs of the entries that sent the tokens
}

// MergeStep merges the branches of one fork (law G4). The last step's result is the join's.
type MergeStep struct {
	Base   uint64   // seq of the value at the fork
	Inputs []int    // indexes of From; below 0, the result of an earlier step: -1 for the first
	Names  []string // of the branches: where they lead
}

// merged is a token while a merge is planned.
type merged struct {
	input  int    // see MergeStep.Inputs
	leaves []leaf // the branches that it stands for
	view   []leaf // the leaves that it is grouped by
}

// planMerge plans the merge of arrivals, innermost forks first. It also returns what the result stands for.
func (m *Machine) planMerge(arrivals []arrival) ([]MergeStep, []leaf) {
	if len(arrivals) == 1 {
		return nil, arrivals[0].leaves
	}
	if f := soleFork(arrivals); f != nil {
		return []MergeStep{m.mergeOf(f, arrivals)}, f.merged(arrivals)
	}
	list := make([]merged, len(arrivals))
	for i := range arrivals {
		list[i] = merged{input: i, leaves: arrivals[i].leaves, view: arrivals[i].leaves}
	}
	var steps []MergeStep
	for len(list) > 1 {
		f := innermost(list)
		if f == nil { // tokens without a common fork: their values are merged against the run's input
			f = &fork{base: 1}
		}
		var group, rest []merged
		for _, t := range list {
			if f.seq == 0 || place(t.view, f) >= 0 {
				group = append(group, t)
			} else {
				rest = append(rest, t)
			}
		}
		slices.SortStableFunc(group, func(a, b merged) int { return cmp.Compare(place(a.view, f), place(b.view, f)) })
		one := merged{input: group[0].input}
		for _, t := range group {
			one.leaves = union(one.leaves, t.leaves)
			one.view = union(one.view, without(t.view, f))
		}
		one.view = union(one.view, f.up)
		if len(group) > 1 {
			step := MergeStep{Base: f.base}
			for _, t := range group {
				step.Inputs = append(step.Inputs, t.input)
				step.Names = append(step.Names, m.branchName(t.view, f))
			}
			steps = append(steps, step)
			one.input = -len(steps)
		}
		rest = append(rest, one)
		list = rest
	}
	return steps, normal(list[0].leaves)
}

// soleFork returns the fork of which all arrivals are single branches; nil for other cases.
func soleFork(arrivals []arrival) *fork {
	f := (*fork)(nil)
	for i := range arrivals {
		if len(arrivals[i].leaves) != 1 || i > 0 && arrivals[i].leaves[0].of != f {
			return nil
		}
		f = arrivals[i].leaves[0].of
	}
	return f
}

// mergeOf merges single branches of one fork.
func (m *Machine) mergeOf(f *fork, arrivals []arrival) MergeStep {
	step := MergeStep{Base: f.base, Inputs: make([]int, len(arrivals)), Names: make([]string, len(arrivals))}
	for i := range step.Inputs {
		step.Inputs[i] = i
	}
	slices.SortFunc(step.Inputs, func(a, b int) int { return cmp.Compare(arrivals[a].leaves[0].at, arrivals[b].leaves[0].at) })
	for i, at := range step.Inputs {
		step.Names[i] = m.branchName(arrivals[at].leaves, f)
	}
	return step
}

// merged returns what single branches of the fork stand for together.
func (f *fork) merged(arrivals []arrival) []leaf {
	if len(arrivals) == len(f.to) {
		return f.up
	}
	leaves := make([]leaf, len(arrivals))
	for i := range arrivals {
		leaves[i] = arrivals[i].leaves[0]
	}
	return leaves
}

// innermost returns the most deeply nested fork that tokens are grouped by, the first in declared order if
// there are several. The order of events does not matter (laws G4 and D11).
func innermost(list []merged) *fork {
	var in *fork
	for _, t := range list {
		for _, l := range t.view {
			if in == nil || l.of != in && (l.of.level > in.level || l.of.level == in.level && inOrder(l.of.first, in.first) < 0) {
				in = l.of
			}
		}
	}
	return in
}

// inOrder compares two branches at the last fork that they share, by its declared order. The order of events
// does not matter.
func inOrder(a, b leaf) int {
	x, y := a, b
	for x.of != y.of {
		if y.of == nil || x.of != nil && x.of.seq > y.of.seq {
			x = x.of.first
		} else {
			y = y.of.first
		}
	}
	if x.of == nil || x.at == y.at { // one is nested in the other, or they share no fork
		return cmp.Compare(a.depth(), b.depth())
	}
	return cmp.Compare(x.at, y.at)
}

func (l leaf) depth() int {
	if l.of == nil {
		return -1
	}
	return l.of.level
}

// firstOf returns the first of leaves, the zero leaf for none.
func firstOf(leaves []leaf) leaf {
	var first leaf
	for i, l := range leaves {
		if i == 0 || inOrder(l, first) < 0 {
			first = l
		}
	}
	return first
}

// place returns the first branch of a fork among leaves, -1 for none.
func place(leaves []leaf, f *fork) int {
	first := -1
	for _, l := range leaves {
		if l.of == f && (first < 0 || l.at < first) {
			first = l.at
		}
	}
	return first
}

func without(leaves []leaf, f *fork) []leaf {
	var kept []leaf
	for _, l := range leaves {
		if l.of != f {
			kept = append(kept, l)
		}
	}
	return kept
}

func union(a, b []leaf) []leaf {
	for _, l := range b {
		if !slices.Contains(a, l) {
			a = append(slices.Clip(a), l)
		}
	}
	return a
}

// normal replaces all branches of a fork by what the fork's token stood for.
func normal(leaves []leaf) []leaf {
	for again := true; again; {
		again = false
		for _, l := range leaves {
			n := 0
			for _, other := range leaves {
				if other.of == l.of {
					n++
				}
			}
			if n == len(l.of.to) {
				leaves, again = union(without(leaves, l.of), l.of.up), true
				break
			}
		}
	}
	return leaves
}

// branchName returns a branch's name for people: the node that it begins with.
func (m *Machine) branchName(view []leaf, f *fork) string {
	if i := place(view, f); i >= 0 {
		switch at := f.to[i]; {
		case at == plan.EndIndex:
			return "END"
		case at == plan.StopIndex:
			return "Stop"
		case at < len(m.flat):
			return m.flat[at].Path
		}
	}
	return ""
}

// branch returns what a token in the i-th branch of a fork stands for.
func (f *fork) branch(i int) []leaf { return []leaf{{of: f, at: i}} }

// eachBase calls do with the value at every fork above leaves, until it returns true.
func (m *Machine) eachBase(leaves []leaf, do func(ref uint64) bool) bool {
	for _, l := range leaves {
		if l.of.seen == m.walk {
			continue
		}
		if l.of.seen = m.walk; do(l.of.base) || m.eachBase(l.of.up, do) {
			return true
		}
	}
	return false
}

// eachRef calls do with every value that is referred to, until it returns true.
func (m *Machine) eachRef(do func(ref uint64) bool) bool {
	m.walk++
	arrivals := func(list []arrival) bool {
		for i := range list {
			if do(list[i].ref) || m.eachBase(list[i].leaves, do) {
				return true
			}
		}
		return false
	}
	for i := range m.tokens {
		if t := &m.tokens[i]; do(t.ref) || m.eachBase(t.leaves, do) {
			return true
		}
	}
	for _, t := range m.tasks {
		if do(t.Ref) || t.Result != 0 && do(t.Result) || m.eachBase(t.leaves, do) || arrivals(t.taken) {
			return true
		}
		if t.inside != nil && (arrivals(t.inside.ends) || t.inside.flow != nil && t.inside.flow.eachRef(do)) {
			return true
		}
		for i := range t.slots {
			if do(t.slots[i].ref) {
				return true
			}
		}
		for i := range t.items {
			it := &t.items[i]
			if i >= t.begun && do(it.ref) || it.scope != nil && arrivals(it.scope.ends) || arrivals(it.ends) {
				return true
			}
			if it.scope != nil && it.scope.flow != nil && it.scope.flow.eachRef(do) {
				return true
			}
			for k := range it.slots {
				if do(it.slots[k].ref) {
					return true
				}
			}
		}
	}
	if m.root.flow != nil && m.root.flow.eachRef(do) {
		return true
	}
	for i := range m.pile {
		if m.pile[i].ref != 0 && m.pile[i].at >= 0 && do(m.pile[i].ref) {
			return true
		}
	}
	return arrivals(m.root.ends) || m.final != 0 && do(m.final)
}

// Refs returns the values that tokens, open tasks and the end of the run refer to.
func (m *Machine) Refs() []uint64 {
	var refs []uint64
	seen := make(map[uint64]bool)
	m.eachRef(func(ref uint64) bool {
		if ref != 0 && !seen[ref] {
			seen[ref] = true
			refs = append(refs, ref)
		}
		return false
	})
	return refs
}

// Uses reports whether anything refers to a value.
func (m *Machine) Uses(ref uint64) bool {
	return m.eachRef(func(r uint64) bool { return r == ref })
}

// Shared reports whether anything but a task itself refers to its input.
func (m *Machine) Shared(t *Task) bool {
	if t.Own {
		return false
	}
	own := 0
	return m.eachRef(func(r uint64) bool {
		if r == t.Ref {
			own++
		}
		return own > 1
	})
}
