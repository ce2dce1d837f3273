package plan

import (
	"cmp"
	"container/heap"
	"slices"
	"sort"
)

// sequence puts the nodes of a dataflow in an order to be read: as they were declared, as far as each can stand behind what
// it waits for, and with the nodes of a loop together. Its items are the nodes, and then the loops, as one thing each.
type sequence struct {
	*picture
	outer []int   // by item: the loop around it, as a number of a loop; -1 for none
	parts [][]int // by loop, and last for none: its items, in declared order
	nth   []int   // by item: its place among those
	graph *digraph
	early []bool // by arc: it leads back, but to a head that waits for it, as both start by themselves
	left  []int  // by item: how many arcs lead to it from items that are not in the order yet, early ones aside
	ahead []int  // by item: how many early ones
	done  []bool // by item
}

func (p *picture) sequence() {
	nodes, loops := len(p.flow.Nodes), len(p.brackets)
	s := &sequence{
		picture: p, outer: slices.Clone(p.inner), parts: make([][]int, loops+1), nth: make([]int, nodes+loops),
		left: make([]int, nodes+loops), ahead: make([]int, nodes+loops), done: make([]bool, nodes+loops),
	}
	for _, b := range p.brackets {
		s.outer = append(s.outer, b.outer)
	}
	for item, outer := range s.outer {
		if outer < 0 {
			outer = loops
		}
		s.parts[outer] = append(s.parts[outer], item)
	}
	for _, items := range s.parts {
		slices.SortFunc(items, func(a, b int) int { return cmp.Compare(s.key(a), s.key(b)) })
		for n, item := range items {
			s.nth[item] = n
		}
	}
	s.connect()
	s.put(loops)
}

// connect finds the arcs between items that are in the same loop, or in none.
func (s *sequence) connect() {
	forward := make([]int, len(s.inner))
	for i, v := range s.flow.order {
		forward[v] = i
	}
	back := make([]bool, len(s.flow.arcs))
	s.flow.heads(s.flow.loops, func(l *loop, _ int) {
		for _, i := range l.back {
			back[i] = true
		}
	}, 0)
	var arcs []arc
	for i, a := range s.flow.arcs {
		if back[i] && forward[a.from] >= forward[a.to] {
			continue
		}
		if a = s.between(a); a.from == a.to {
			continue
		}
		arcs, s.early = append(arcs, a), append(s.early, back[i])
		if back[i] {
			s.ahead[a.to]++
		} else {
			s.left[a.to]++
		}
	}
	s.graph = newDigraph(len(s.outer), arcs)
}

func (s *sequence) key(item int) int {
	if n := len(s.inner); item >= n {
		return s.brackets[item-n].key
	}
	return item
}

func (s *sequence) depth(item int) int {
	if s.outer[item] < 0 {
		return 0
	}
	return s.brackets[s.outer[item]].depth + 1
}

// between finds the items that an arc leads from and to that are in the same loop, or in none.
func (s *sequence) between(a arc) arc {
	up := func(item int) int { return len(s.inner) + s.outer[item] }
	for s.outer[a.from] != s.outer[a.to] {
		from, to := s.depth(a.from), s.depth(a.to)
		if from >= to {
			a.from = up(a.from)
		}
		if to >= from {
			a.to = up(a.to)
		}
	}
	return a
}

// put puts the items of a loop. Where early arcs lead round in a circle, they do not count.
func (s *sequence) put(loop int) {
	items := s.parts[loop]
	var ready numbers
	for n, item := range items {
		if s.left[item]+s.ahead[item] == 0 {
			ready.IntSlice = append(ready.IntSlice, n)
		}
	}
	for range items {
		var n int
		if ready.Len() > 0 {
			n = heap.Pop(&ready).(int) //nolint:forcetypeassert // numbers holds nothing else
		} else {
			n = slices.IndexFunc(items, func(item int) bool { return !s.done[item] && s.left[item] == 0 })
		}
		item := items[n]
		s.done[item] = true
		if node := len(s.inner); item < node {
			s.order = append(s.order, item)
		} else {
			b := &s.brackets[item-node]
			b.first = len(s.order)
			s.put(item - node)
			b.last = len(s.order) - 1
		}
		for _, i := range s.graph.out(item) {
			to := s.graph.arcs[i].to
			if s.early[i] {
				s.ahead[to]--
			} else {
				s.left[to]--
			}
			if s.left[to]+s.ahead[to] == 0 && !s.done[to] {
				heap.Push(&ready, s.nth[to])
			}
		}
	}
}

// numbers is a heap.
type numbers struct{ sort.IntSlice }

func (h *numbers) Push(n any) { h.IntSlice = append(h.IntSlice, n.(int)) } //nolint:forcetypeassert // see put

func (h *numbers) Pop() any {
	last := h.IntSlice[len(h.IntSlice)-1]
	h.IntSlice = h.IntSlice[:len(h.IntSlice)-1]
	return last
}
