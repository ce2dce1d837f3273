package plan

import (
	"cmp"
	"slices"
)

// sheet is a layered layout: boxes in layers from the top down, and links between them. All numbers are pixels, and whole:
// equal sheets have equal layouts everywhere.
type sheet struct {
	boxes  []box
	links  []link
	layers [][]int // boxes by layer, from the left
	w, h   int
}

// box is what has a place: a node, or where a link passes a layer.
type box struct {
	w, h  int
	x, y  int // its middle
	layer int
	pass  bool
}

// link leads from one box to another one. Its label has a layer of its own, so that nothing else is there.
type link struct {
	from, to int
	w, h     int   // of the label; 0 for none
	back     bool  // it leads up
	via      []int // the boxes where it passes, from the top
	label    int   // which of these has the label
}

const (
	layerGap = 16 // between layers; between two layers of nodes there is one for links
	boxGap   = 26
	passGap  = 14
	selfWide = 30 // a link from a box to itself
	sweeps   = 12
)

func (s *sheet) layout() {
	s.breakLoops()
	s.rank()
	s.passes()
	s.order()
	s.place()
}

// ends are the upper and the lower box of a link.
func (l *link) ends() (top, bottom int) {
	if l.back {
		return l.to, l.from
	}
	return l.from, l.to
}

// breakLoops lets links that lead to a box on the way to them lead up.
func (s *sheet) breakLoops() {
	out := make([][]int, len(s.boxes))
	for i := range s.links {
		out[s.links[i].from] = append(out[s.links[i].from], i)
	}
	state := make([]int, len(s.boxes)) // 1 on the way, 2 left
	var visit func(v int)
	visit = func(v int) {
		state[v] = 1
		for _, i := range out[v] {
			switch l := &s.links[i]; state[l.to] {
			case 0:
				visit(l.to)
			case 1:
				l.back = true
			}
		}
		state[v] = 2
	}
	for v := range s.boxes {
		if state[v] == 0 {
			visit(v)
		}
	}
}

// rank puts each box two layers below its lowest predecessor. A box without predecessors goes as low as its
// successors allow.
func (s *sheet) rank() {
	for range s.boxes { // at most as often as a way is long
		moved := false
		for i := range s.links {
			top, bottom := s.links[i].ends()
			if low := s.boxes[top].layer + 2; top != bottom && s.boxes[bottom].layer < low {
				s.boxes[bottom].layer, moved = low, true
			}
		}
		if !moved {
			break
		}
	}
	into, lowest := make([]bool, len(s.boxes)), none(len(s.boxes))
	for i := range s.links {
		top, bottom := s.links[i].ends()
		if top == bottom {
			continue
		}
		into[bottom] = true
		if at := s.boxes[bottom].layer - 2; lowest[top] < 0 || at < lowest[top] {
			lowest[top] = at
		}
	}
	for v := range s.boxes {
		if !into[v] && lowest[v] > s.boxes[v].layer {
			s.boxes[v].layer = lowest[v]
		}
	}
}

// passes adds a box for each layer that a link passes.
func (s *sheet) passes() {
	for i := range s.links {
		l := &s.links[i]
		top, bottom := l.ends()
		for layer := s.boxes[top].layer + 1; layer < s.boxes[bottom].layer; layer++ {
			l.via = append(l.via, len(s.boxes))
			s.boxes = append(s.boxes, box{layer: layer, pass: true, w: 2})
		}
		if len(l.via) == 0 {
			continue // to itself
		}
		if l.back {
			l.label = len(l.via) - 1
		}
		b := &s.boxes[l.via[l.label]]
		b.w, b.h = max(b.w, l.w), l.h
	}
	for v := range s.boxes {
		for len(s.layers) <= s.boxes[v].layer {
			s.layers = append(s.layers, nil)
		}
		s.layers[s.boxes[v].layer] = append(s.layers[s.boxes[v].layer], v)
	}
}

// neighbours are the boxes above and below each box.
func (s *sheet) neighbours() (above, below [][]int) {
	above, below = make([][]int, len(s.boxes)), make([][]int, len(s.boxes))
	for i := range s.links {
		top, bottom := s.links[i].ends()
		if top == bottom {
			continue
		}
		way := append(append([]int{top}, s.links[i].via...), bottom)
		for j := range way[1:] {
			below[way[j]] = append(below[way[j]], way[j+1])
			above[way[j+1]] = append(above[way[j+1]], way[j])
		}
	}
	return above, below
}

// order lets few links cross: each layer is sorted by where its neighbours stand, down and up, and the best is kept.
func (s *sheet) order() {
	above, below := s.neighbours()
	at := make([]int, len(s.boxes))
	number := func() {
		for _, layer := range s.layers {
			for i, v := range layer {
				at[v] = i
			}
		}
	}
	number()
	best, least := s.copyLayers(), s.crossings(below, at)
	for sweep := range sweeps {
		next := above
		if sweep%2 == 1 {
			next = below
		}
		for i := range s.layers {
			layer := s.layers[i]
			if sweep%2 == 1 {
				layer = s.layers[len(s.layers)-1-i]
			}
			key := make(map[int]int, len(layer))
			for _, v := range layer {
				key[v] = middle(next[v], at, at[v])
			}
			slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(key[a], key[b]) })
			for j, v := range layer {
				at[v] = j
			}
		}
		if n := s.crossings(below, at); n < least {
			best, least = s.copyLayers(), n
		}
	}
	s.layers = best
}

// middle is the mean of where some boxes stand, times 1000; of none, where the box itself stands.
func middle(of, at []int, own int) int {
	if len(of) == 0 {
		return own * 1000
	}
	sum := 0
	for _, v := range of {
		sum += at[v]
	}
	return sum * 1000 / len(of)
}

func (s *sheet) copyLayers() [][]int {
	all := make([][]int, len(s.layers))
	for i, layer := range s.layers {
		all[i] = slices.Clone(layer)
	}
	return all
}

func (s *sheet) crossings(below [][]int, at []int) (n int) {
	for _, layer := range s.layers {
		var ends []int // of the links of the layer, from the left
		for _, v := range layer {
			here := make([]int, 0, len(below[v]))
			for _, w := range below[v] {
				here = append(here, at[w])
			}
			slices.Sort(here)
			ends = append(ends, here...)
		}
		for i, a := range ends {
			for _, b := range ends[:i] {
				if b > a {
					n++
				}
			}
		}
	}
	return n
}

// place gives each box its place: under its neighbours as far as the order and the gaps allow it.
func (s *sheet) place() {
	above, below := s.neighbours()
	for _, layer := range s.layers {
		s.arrange(layer, func(v int) (int, int) { return s.boxes[v].x, 1 })
	}
	for sweep := range sweeps {
		for i := range s.layers {
			layer, near := s.layers[i], above
			if sweep%2 == 1 {
				layer, near = s.layers[len(s.layers)-1-i], below
			}
			if sweep >= sweeps-2 {
				near = nil
			}
			s.arrange(layer, func(v int) (int, int) {
				of := append([]int(nil), above[v]...)
				if near != nil {
					of = near[v]
				} else {
					of = append(of, below[v]...)
				}
				if len(of) == 0 {
					return s.boxes[v].x, 1
				}
				sum, weight := 0, 1
				for _, w := range of {
					sum += s.boxes[w].x
					if s.boxes[v].pass && s.boxes[w].pass {
						weight = 8 // long links are straight
					}
				}
				return sum / len(of), weight
			})
		}
	}
	left, right := 1<<30, -(1 << 30)
	for i := range s.boxes {
		b := &s.boxes[i]
		left, right = min(left, b.x-b.w/2), max(right, b.x+b.w/2)
	}
	for i := range s.links {
		if l := &s.links[i]; l.from == l.to {
			right = max(right, s.boxes[l.from].x+s.boxes[l.from].w/2+selfWide+l.w)
		}
	}
	y := 0
	for _, layer := range s.layers {
		high := 0
		for _, v := range layer {
			high = max(high, s.boxes[v].h)
		}
		for _, v := range layer {
			s.boxes[v].x -= left
			s.boxes[v].y = y + high/2
			if s.boxes[v].pass {
				s.boxes[v].h = high // straight beside what is tall
			}
		}
		y += high + layerGap
	}
	s.w, s.h = right-left, y-layerGap
}

// arrange places the boxes of a layer near their wishes, in order. Boxes that would overlap move together, to
// the weighted mean of their wishes.
func (s *sheet) arrange(layer []int, wish func(v int) (x, weight int)) {
	type group struct{ sum, weight, n int }
	var groups []group
	offsets, offset := make([]int, len(layer)), 0
	for i, v := range layer {
		if i > 0 {
			u := layer[i-1]
			gap := boxGap
			if s.boxes[u].pass || s.boxes[v].pass {
				gap = passGap
			}
			offset += (s.boxes[u].w+s.boxes[v].w)/2 + gap
		}
		offsets[i] = offset
		x, weight := wish(v)
		groups = append(groups, group{(x - offset) * weight, weight, 1})
		for len(groups) > 1 {
			a, b := groups[len(groups)-2], groups[len(groups)-1]
			if a.sum*b.weight <= b.sum*a.weight {
				break
			}
			groups = append(groups[:len(groups)-2], group{a.sum + b.sum, a.weight + b.weight, a.n + b.n})
		}
	}
	i := 0
	for _, g := range groups {
		for range g.n {
			s.boxes[layer[i]].x = g.sum/g.weight + offsets[i]
			i++
		}
	}
}
