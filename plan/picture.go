package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fermata-go/fermata/node"
)

// picture is what the drawings of a dataflow show, in all forms. It is made in time in proportion to the dataflow's size times
// the depth to which its loops are nested.
type picture struct {
	plan     *Plan
	flow     *Dataflow
	order    []int // the nodes as they are drawn: see sequence
	place    []int // by node: its place among those
	brackets []bracket
	inner    []int        // by node: the innermost bracket around it, -1 for none
	choices  [][]decision // by node
	inputs   []pill
	results  []pill
}

// bracket is a loop in a drawing. Outer ones come before those that are in them.
type bracket struct {
	outer, depth int // the bracket around it, -1 for none; how many are around it
	head         int
	key          int // the first of its nodes, in declared order
	first, last  int // places in picture.order
}

// decision is what a gate can choose, or where a failure leads.
type decision struct {
	Edge
	back bool // it leads to the next round
	many bool // of several
}

// joint is an edge of a drawing: all values that go from one node to another.
type joint struct {
	from, to int
	names    []string
	back     bool
}

// pill is a shape for values from outside, or to outside, and the nodes that read or write them.
type pill struct {
	names []string
	nodes []int
	many  int  // how many nodes read them, where these are too many to draw an edge to each
	end   bool // they are there when a path has come to END
}

// mostLines is how many edges are drawn from an input.
const mostLines = 8

func newPicture(p *Plan) *picture {
	n := len(p.def.Nodes)
	pic := &picture{plan: p, flow: p.def.Dataflow, place: make([]int, n), inner: none(n), choices: make([][]decision, n)}
	pic.flow.heads(pic.flow.loops, func(l *loop, depth int) {
		b := bracket{outer: -1, depth: depth, head: l.heads[0], key: l.nodes[0]}
		if depth > 0 {
			b.outer = pic.inner[b.head]
		}
		for _, v := range l.nodes {
			pic.inner[v] = len(pic.brackets)
		}
		pic.brackets = append(pic.brackets, b)
	}, 0)
	pic.sequence()
	for i, v := range pic.order {
		pic.place[v] = i
	}
	number := make(map[string]int, n)
	for v := range p.def.Nodes {
		number[p.def.Nodes[v].Name] = v
	}
	for _, e := range p.def.Edges {
		if e.Kind != Choice && e.Kind != Failure {
			continue
		}
		from := number[e.From]
		pic.choices[from] = append(pic.choices[from], decision{
			Edge: e, many: e.Kind == Choice && p.def.Nodes[from].RouteMany != nil,
			back: slices.ContainsFunc(pic.flow.Nodes[from].Targets, func(a Aimed) bool { return a.Name == e.To && a.Back }),
		})
	}
	pic.inputs, pic.results = pic.pillsIn(), pic.pillsOut()
	return pic
}

func (p *picture) name(v int) string { return p.plan.def.Nodes[v].Name }

// back reports whether values flow up the drawing, to a loop's next round.
func (p *picture) back(from, to int) bool { return p.place[from] >= p.place[to] }

// leadsTo reports whether a gate can choose a target that is no node.
func (p *picture) leadsTo(end string) bool {
	return slices.ContainsFunc(p.choices, func(list []decision) bool {
		return slices.ContainsFunc(list, func(d decision) bool { return d.To == end })
	})
}

// joints are the edges that carry values, by the nodes that they lead to.
func (p *picture) joints() []joint {
	var all []joint
	at := none(len(p.order))
	for _, v := range p.order {
		before := len(all)
		for _, name := range p.flow.Nodes[v].In {
			for _, from := range p.flow.writers[name] {
				if from == v {
					continue
				}
				if at[from] < before {
					at[from] = len(all)
					all = append(all, joint{from: from, to: v, back: p.back(from, v)})
				}
				j := &all[at[from]]
				j.names = append(j.names, p.flow.Names[name])
			}
		}
	}
	return all
}

// pillsIn returns the inputs of a run, grouped by the nodes that read them. Optional ones have a ? at the end.
func (p *picture) pillsIn() []pill {
	readers := make([][]int, len(p.flow.Names))
	for _, v := range p.order {
		for _, name := range p.flow.Nodes[v].In {
			readers[name] = append(readers[name], v)
		}
	}
	var all []pill
	at := make(map[string]int)
	for i, in := range p.flow.Inputs {
		name := p.flow.given[i]
		nodes := slices.Clone(readers[name])
		if nodes = slices.DeleteFunc(nodes, func(v int) bool { return p.fed(v, name) }); len(nodes) == 0 {
			nodes = readers[name]
		}
		key := fmt.Sprint(nodes)
		k, ok := at[key]
		if !ok {
			k = len(all)
			at[key], all = k, append(all, pill{nodes: nodes})
			if len(nodes) > mostLines {
				all[k].nodes, all[k].many = nil, len(nodes)
			}
		}
		all[k].names = append(all[k].names, marked(in))
	}
	return all
}

// marked is the name of a value, with a ? where it can be missing.
func marked(p Port) string {
	if p.Optional {
		return p.Name + "?"
	}
	return p.Name
}

// fed reports whether a node gets a value from another one that is above it, before it runs first.
func (p *picture) fed(v, name int) bool {
	return slices.ContainsFunc(p.flow.writers[name], func(from int) bool {
		return from != v && !p.flow.closed[from] && !p.back(from, v)
	})
}

// pillsOut are the results of a run by the nodes that write them. Where all that is written is a result, it is enough to
// show what no other node reads: the rest is on an edge already. Where nothing is left then, they stand behind END.
func (p *picture) pillsOut() []pill {
	if len(p.flow.Results) == 0 {
		return nil
	}
	read, shown := make([]bool, len(p.flow.Names)), make([]bool, len(p.flow.Names))
	written := 0
	for v := range p.flow.Nodes {
		for _, name := range p.flow.Nodes[v].In {
			read[name] = read[name] || !slices.Contains(p.flow.writers[name], v)
		}
	}
	for _, writers := range p.flow.writers {
		if len(writers) > 0 {
			written++
		}
	}
	all := len(p.flow.Results) == written
	found := false
	for _, name := range p.flow.Results {
		shown[name] = !all || !read[name]
		found = found || shown[name]
	}
	if !found && p.leadsTo(node.End) {
		return []pill{{names: p.brought(), end: true}}
	}
	var pills []pill
	at := make(map[string]int)
	for i, name := range p.flow.Results {
		if found && !shown[name] {
			continue
		}
		writers := slices.Clone(p.flow.writers[name])
		slices.SortFunc(writers, func(v, w int) int { return cmp.Compare(p.place[v], p.place[w]) })
		key := fmt.Sprint(writers)
		k, ok := at[key]
		if !ok {
			k = len(pills)
			at[key], pills = k, append(pills, pill{nodes: writers})
		}
		pills[k].names = append(pills[k].names, p.flow.result.Outputs[i].Name)
	}
	return pills
}

// given are the names of the inputs.
func (p *picture) given() []string {
	var names []string
	for _, in := range p.flow.Inputs {
		names = append(names, marked(in))
	}
	return names
}

// brought are the names of the results.
func (p *picture) brought() []string {
	var names []string
	for _, out := range p.flow.result.Outputs {
		names = append(names, out.Name)
	}
	return names
}

// text is what stands in a pill and on an edge: the names of values, a few to a line.
func (p *pill) text() []string {
	lines := fill(listed(p.names), labelWidth, 4)
	if p.many > 0 {
		lines = append(lines, fmt.Sprintf("read by %d nodes", p.many))
	}
	return lines
}

func (j *joint) text() []string { return fill(listed(j.names), labelWidth, 3) }

const labelWidth = 24

// part is a piece of a text that is not broken, and what stands between it and the next one.
type part struct{ text, between string }

func listed(names []string) []part {
	parts := make([]part, len(names))
	for i, name := range names {
		parts[i] = part{name, ", "}
	}
	return parts
}

// fill lays out parts in lines of a width. Where there is no room for all of them, the last line says how many are left. A
// part that is wider than a line has a line of its own.
func fill(parts []part, width, lines int) []string {
	var all []string
	for at := 0; at < len(parts); {
		next := at + take(parts[at:], width)
		last := len(all) == lines-1 && next < len(parts)
		if last {
			room := width - columns(more(len(parts))) - 1
			if next = at + take(parts[at:], room); lines > 1 && columns(parts[at].text+parts[at].between) > room {
				return append(all, more(len(parts)-at))
			}
		}
		var line strings.Builder
		for _, p := range parts[at:next] {
			line.WriteString(p.text + p.between)
		}
		if at = next; at == len(parts) {
			return append(all, strings.TrimSuffix(line.String(), parts[at-1].between))
		}
		text := strings.TrimRight(line.String(), " ")
		if last {
			return append(all, text+" "+more(len(parts)-at))
		}
		all = append(all, text)
	}
	return all
}

// take is how many parts there is room for, at least one. A line that goes on needs room for what stands at its end.
func take(parts []part, width int) int {
	used := 0
	for i, p := range parts {
		used += columns(p.text)
		end := 0
		if i < len(parts)-1 {
			end = columns(strings.TrimRight(p.between, " "))
		}
		if i > 0 && used+end > width {
			return i
		}
		used += columns(p.between)
	}
	return len(parts)
}

func more(n int) string { return fmt.Sprintf("… and %d more", n) }

func columns(text string) int { return utf8.RuneCountInString(text) }
