package recipe

import (
	"slices"

	"github.com/fermata-go/fermata/internal/expression"
)

// meeting says of a node to which several links lead, in a recipe whose branches run at the same time, which of these are
// taken when it runs: of each group one at least. What all links of a group bring is there.
type meeting struct {
	links  []arrival // all that lead there, in the order of the nodes
	groups [][]int   // numbers of links
}

// end stands for the end of a run, where the branches that end without meeting are put together.
var end = &step{}

// followBranches finds the names at every node of a recipe whose branches run at the same time.
func (f *flow) followBranches() {
	g, meetings := f.wiring, f.meetings()
	arrived := make(map[*step][]*expression.Names)
	rounds := make(map[*step]int)
	f.before[g.entry], g.seen[g.entry] = f.initial, true
	f.send(g.entry, meetings, arrived)
	for todo := f.awaited(g.entry, nil); len(todo) > 0; {
		i := max(0, slices.IndexFunc(todo, func(n *step) bool { return meetings[n].begun(arrived[n]) }))
		n := todo[i] // all that has come to it until now is put together once
		todo = slices.Delete(todo, i, i+1)
		rounds[n]++
		old := f.known(n)
		next := meetings[n].meet(arrived[n], old, rounds[n] > maxRounds)
		if n == g.entry { // which the run comes to by itself, too
			next, _ = old.Join(next, rounds[n] > maxRounds)
		}
		f.before[n] = next
		if n == end {
			continue
		}
		g.seen[n] = true
		if (old == nil || !old.Same(next)) && rounds[n] < 4*maxRounds {
			f.send(n, meetings, arrived)
			todo = f.awaited(n, todo)
		}
	}
}

// send follows what is there at a node along its links.
func (f *flow) send(n *step, meetings map[*step]*meeting, arrived map[*step][]*expression.Names) {
	for _, out := range f.outOf(n) {
		m := meetings[out.to]
		if arrived[out.to] == nil {
			arrived[out.to] = make([]*expression.Names, len(m.links))
		}
		brought := f.through(n, out, f.before[n])
		arrived[out.to][slices.Index(m.links, arrival{from: n, link: out})] = &brought
	}
}

// awaited adds the nodes that a node leads to, to those that are to be looked at.
func (f *flow) awaited(n *step, todo []*step) []*step {
	for _, out := range f.outOf(n) {
		if !slices.Contains(todo, out.to) {
			todo = append(todo, out.to)
		}
	}
	return todo
}

// known is what was found at a node until now; nil for nothing.
func (f *flow) known(n *step) *expression.Names {
	if k, ok := f.before[n]; ok {
		return &k
	}
	return nil
}

// incoming are the links to each node, and to the end.
func (f *flow) incoming() map[*step][]arrival {
	all := make(map[*step][]arrival)
	for _, n := range f.document.nodes {
		if f.wiring.byID[n.id.Text] != n {
			continue
		}
		for _, l := range f.outOf(n) {
			all[l.to] = append(all[l.to], arrival{from: n, link: l})
		}
	}
	return all
}

// outOf are the links out of a node, with that to the end where a path may end there.
func (f *flow) outOf(n *step) []link {
	links := f.wiring.out[n]
	if n.kind != typeRouter && !f.goesOn(n) {
		links = append(slices.Clip(links), link{to: end, success: true})
	}
	return links
}

// goesOn reports whether some edge holds after each success of a node.
func (f *flow) goesOn(n *step) bool { return len(f.certain(n)) > 0 && !n.rejects() }

// rejects reports whether the path ends at a node when what is looked at there is rejected.
func (n *step) rejects() bool { return n.review != nil && n.review.reject.Text == "" }

// certain are the edges of which one is taken after each success of a node: one without a condition, or two of which one
// holds when the other does not.
func (f *flow) certain(n *step) [][]link {
	var all [][]link
	var some []link
	for _, l := range f.wiring.out[n] {
		switch {
		case !l.success || l.edge == nil:
		case l.edge.when.Text == "":
			all = append(all, []link{l})
		default:
			for _, other := range some {
				if complements(other.edge.when.Text, l.edge.when.Text) {
					all = append(all, []link{other, l})
				}
			}
			some = append(some, l)
		}
	}
	return all
}

// plain reports whether a node that has run goes on as after a success: no failure, deadline or review leads elsewhere.
func (f *flow) plain(n *step) bool {
	if n.kind == typeRouter || n.rejects() {
		return false
	}
	return !slices.ContainsFunc(f.wiring.out[n], func(l link) bool { return l.edge == nil || !l.success })
}

// reach are the nodes that can be come to from some on ways that do not pass certain others, the first ones among them.
func (f *flow) reach(stops func(*step) bool, from ...*step) map[*step]bool {
	seen := make(map[*step]bool)
	for todo := from; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if stops(n) || seen[n] {
			continue
		}
		seen[n] = true
		for _, l := range f.outOf(n) {
			todo = append(todo, l.to)
		}
	}
	return seen
}

// meetings finds, for each node to which several links lead, what is known of them.
func (f *flow) meetings() map[*step]*meeting {
	in := f.incoming()
	all := make(map[*step]*meeting, len(in))
	above := f.dominators(in)
	for to, links := range in {
		m := &meeting{links: links}
		all[to] = m
		every := make([]int, len(links))
		for i := range links {
			every[i] = i
		}
		m.groups = append(m.groups, every)
		if fork := above[to]; fork != nil && len(links) > 1 {
			f.grouped(m, fork, to)
		}
	}
	return all
}

// grouped adds the groups of the branches that begin whenever the fork, which every way to a node passes, has led there.
func (f *flow) grouped(m *meeting, fork, to *step) {
	aside := []*step{}
	for _, l := range f.wiring.out[fork] {
		if l.edge == nil || !l.success {
			aside = append(aside, l.to)
		}
	}
	if fork.rejects() && to == end {
		return
	}
	without := func(n *step) func(*step) bool { return func(m *step) bool { return m == n } }
	region := f.reach(without(to), fork)
	if f.reach(without(fork), aside...)[to] {
		return // the fork may have failed
	}
	surely := f.surely(region, to)
	seen := make(map[*step]bool)
	for todo := []*step{fork}; len(todo) > 0; todo = todo[1:] {
		n := todo[0]
		if n == to || seen[n] {
			continue
		}
		seen[n] = true
		if n != fork && surely[n] {
			m.add(f.reach(without(to), n))
		}
		if n != fork && !f.plain(n) {
			continue
		}
		if out := f.outOf(n); len(out) == 1 && out[0].to == end && to == end {
			m.add(map[*step]bool{n: true})
		}
		for _, edges := range f.certain(n) {
			if !slices.ContainsFunc(edges, func(l link) bool { return !surely[l.to] }) {
				m.add(f.reach(without(to), targets(edges)...), edges...)
			}
			if len(edges) == 1 {
				todo = append(todo, edges[0].to)
			}
		}
	}
}

func targets(links []link) []*step {
	all := make([]*step, len(links))
	for i, l := range links {
		all[i] = l.to
	}
	return all
}

// add adds the group of some links, and of those from some nodes.
func (m *meeting) add(from map[*step]bool, links ...link) {
	var group []int
	for i, a := range m.links {
		if from[a.from] || slices.Contains(links, a.link) {
			group = append(group, i)
		}
	}
	if len(group) > 0 {
		m.groups = append(m.groups, group)
	}
}

// surely are the nodes of a region from which every way leads to a node.
func (f *flow) surely(region map[*step]bool, to *step) map[*step]bool {
	all := map[*step]bool{to: true}
	for n := range region {
		all[n] = n != end
	}
	away := func(l link) bool { return !all[l.to] }
	for changed := true; changed; {
		changed = false
		for n := range region {
			if !all[n] || n == end {
				continue
			}
			ok := n.kind == typeRouter || to == end && !f.goesOn(n) ||
				slices.ContainsFunc(f.certain(n), func(edges []link) bool { return !slices.ContainsFunc(edges, away) })
			ok = ok && (to == end || !n.rejects())
			for _, l := range f.wiring.out[n] {
				if l.edge == nil || !l.success {
					ok = ok && all[l.to]
				}
			}
			if !ok {
				all[n], changed = false, true
			}
		}
	}
	return all
}

// dominators finds for each node the last one that every way to it passes.
func (f *flow) dominators(in map[*step][]arrival) map[*step]*step {
	var order []*step // after all that they lead to
	number := make(map[*step]int)
	var visit func(n *step)
	visit = func(n *step) {
		number[n] = -1
		for _, l := range f.outOf(n) {
			if _, seen := number[l.to]; !seen {
				visit(l.to)
			}
		}
		number[n] = len(order)
		order = append(order, n)
	}
	visit(f.wiring.entry)
	above := map[*step]*step{f.wiring.entry: f.wiring.entry}
	for changed := true; changed; {
		changed = false
		for i := len(order) - 2; i >= 0; i-- {
			n := order[i]
			var last *step
			for _, a := range in[n] {
				switch {
				case above[a.from] == nil:
				case last == nil:
					last = a.from
				default:
					last = common(last, a.from, above, number)
				}
			}
			if above[n] != last {
				above[n], changed = last, true
			}
		}
	}
	delete(above, f.wiring.entry)
	return above
}

func common(a, b *step, above map[*step]*step, number map[*step]int) *step {
	for a != b {
		for number[a] < number[b] {
			a = above[a]
		}
		for number[b] < number[a] {
			b = above[b]
		}
	}
	return a
}

// meet is what is there where links meet: what all bring that have been followed, and what all of a group bring.
func (m *meeting) meet(arrived []*expression.Names, before *expression.Names, widen bool) expression.Names {
	out, _ := joined(arrived, m.groups[0])
	if widen && before != nil {
		out, _ = before.Join(out, true)
	}
	for _, group := range m.groups[1:] {
		if brought, some := joined(arrived, group); some {
			out = out.Certain(brought)
		}
	}
	return out
}

// begun reports whether a link of each group has been followed. A node that is looked at before lacks what a branch is
// still to bring, and a loop back to it would keep the lack.
func (m *meeting) begun(arrived []*expression.Names) bool {
	return !slices.ContainsFunc(m.groups, func(group []int) bool {
		return !slices.ContainsFunc(group, func(i int) bool { return arrived[i] != nil })
	})
}

// joined joins what some links bring that have been followed; some says whether there are some. A link that has not been
// followed adds its part when it is.
func joined(arrived []*expression.Names, group []int) (out expression.Names, some bool) {
	for _, i := range group {
		switch {
		case arrived[i] == nil:
		case !some:
			out, some = *arrived[i], true
		default:
			out, _ = out.Join(*arrived[i], false)
		}
	}
	return out, some
}
