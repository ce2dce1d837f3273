package plan

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// G3 and D7: which nodes a join waits for, which edges go back, and what keeps a round from being over are what a plain
// search of the graph finds.
func TestG3_JoinsAreWhatASearchFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		def := anyGraph(t)
		j := findJoins(&def)
		if joined := slices.ContainsFunc(def.Nodes, func(n Node) bool { return n.Join == All }); !joined || j == nil {
			if joined != (j != nil) {
				t.Fatalf("joins: %t, an analysis of them: %t", joined, j != nil)
			}
			return
		}
		top := newTopology(&def)
		loops := outermostFirst(top.graph.loops(top.entries), nil)
		for all := range def.Nodes {
			if def.Nodes[all].Join != All {
				continue
			}
			back := make(map[int]bool) // the edges that go back in loops that the join is in
			for _, l := range loops {
				if slices.Contains(l.nodes, all) {
					for _, arc := range l.back {
						back[arc] = true
					}
				}
			}
			up := ancestors(top, []int{all}, back)
			for v := range def.Nodes {
				if j.Upstream(all, v) != up[v] {
					t.Fatalf("upstream of %d is %d: %t, and a search says %t\n%v", all, v, j.Upstream(all, v), up[v], top.graph.arcs)
				}
			}
		}
		checkRounds(t, &def, top, j, loops)
	})
}

type nested struct {
	loop
	outer []loop
}

func outermostFirst(loops []loop, outer []loop) []nested {
	var all []nested
	for _, l := range loops {
		all = append(all, nested{l, outer})
		all = append(all, outermostFirst(l.inner, append(slices.Clone(outer), l))...)
	}
	return all
}

// ancestors are the nodes that lead to one of the given ones over one edge at least, without some edges.
func ancestors(t *topology, to []int, without map[int]bool) map[int]bool {
	up := make(map[int]bool)
	for again := true; again; {
		again = false
		for i, a := range t.graph.arcs {
			if !without[i] && !up[a.from] && (up[a.to] || slices.Contains(to, a.to)) {
				up[a.from], again = true, true
			}
		}
	}
	return up
}

func checkRounds(t *rapid.T, def *Definition, top *topology, j *Joins, loops []nested) {
	goesBack := make(map[[2]int]bool)
	for _, l := range loops {
		if !slices.ContainsFunc(l.nodes, func(v int) bool { return def.Nodes[v].Join == All }) {
			continue
		}
		back := make(map[int]bool)
		for _, o := range append(slices.Clone(l.outer), l.loop) {
			for _, arc := range o.back {
				back[arc] = true
			}
		}
		region := ancestors(top, l.nodes, back)
		a := top.graph.arcs[l.back[0]]
		number := j.Back(a.from, a.to)
		for _, arc := range l.back {
			a := top.graph.arcs[arc]
			goesBack[[2]int{a.from, a.to}] = true
			if j.Back(a.from, a.to) != number || number < 0 {
				t.Fatalf("edge %v goes back in loop %d, and %v in loop %d", a, j.Back(a.from, a.to), top.graph.arcs[l.back[0]], number)
			}
		}
		for v := range def.Nodes {
			if inside := slices.Contains(l.nodes, v); j.InLoop(number, v) != inside || j.Holds(number, v) != (inside || region[v]) {
				t.Fatalf("node %d in loop %v: in it %t, keeps its round %t; a search says %t and %t", v, l.nodes,
					j.InLoop(number, v), j.Holds(number, v), inside, inside || region[v])
			}
		}
	}
	for _, a := range top.graph.arcs {
		if back := j.Back(a.from, a.to) >= 0; back != goesBack[[2]int{a.from, a.to}] {
			t.Fatalf("edge %v goes back: %t", a, back)
		}
	}
}

// anyGraph draws nodes and edges that a run can come to, some of them All nodes.
func anyGraph(t *rapid.T) Definition {
	n := rapid.IntRange(1, 10).Draw(t, "nodes")
	name := func(i int) string { return string(rune('a' + i)) }
	def := Definition{Name: "any", Entry: []string{"a"}}
	for i := range n {
		one := Node{Name: name(i)}
		if rapid.IntRange(0, 2).Draw(t, "joins") == 0 {
			one.Join = All
		}
		def.Nodes = append(def.Nodes, one)
		if i > 0 {
			def.Edges = append(def.Edges, Edge{From: name(rapid.IntRange(0, i-1).Draw(t, "parent")), To: one.Name, Kind: Plain})
		}
	}
	for range rapid.IntRange(0, 2*n).Draw(t, "more") {
		e := Edge{From: name(rapid.IntRange(0, n-1).Draw(t, "from")), To: name(rapid.IntRange(0, n-1).Draw(t, "to")), Kind: Plain}
		if !slices.Contains(def.Edges, e) {
			def.Edges = append(def.Edges, e)
		}
	}
	return def
}
