package plan

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/node"
)

// Text draws the plan for a terminal. ● is a task, ◇ a gate, ☻ a person, ▣ a subgraph with its nodes inside.
//
// The successors of a node stand below it; choices, failures (╌) and deadlines (┈) branch off to the right, and so do
// branches that run side by side (═). Every node is drawn once: branches that meet again go on below the node where
// they parted, and → names a node that is drawn elsewhere. ↺ leads back.
//
// A dataflow is drawn as a table. Each node has a line, behind those of the nodes that it waits for: what it reads, and
// from whom (←, or ↺ of the round before; from the run where nobody is named), the gate that has to choose it ("if"),
// and what it writes (→). Values that may be missing have a ? behind them. Below a gate stands what it can choose,
// below a subgraph the nodes inside. A bar on the left holds a loop together, and ▸ is where its rounds begin. The
// inputs and the outputs of a node take four lines each at most, and the rest is counted: a dataflow of 10,000 nodes is
// drawn like any other, in a text that grows with their number.
func (d Drawing) Text() string {
	t := &textDrawing{Drawing: d, text: new(strings.Builder)}
	if t.Width <= 0 {
		t.Width = defaultWidth
	}
	t.put("", graphic(d.Plan.Name()))
	t.put("", "")
	if len(d.Plan.def.Entry) == 1 && d.Plan.def.Dataflow == nil {
		t.put(" ", "○ START")
		t.put(" ", "│")
	}
	t.scope(d.Plan, "", " ", true)
	for len(t.later) > 0 {
		next := t.later[0]
		t.later = t.later[1:]
		t.put("", "")
		t.put(" ", below+" "+graphic(next.path))
		next.draw()
	}
	return t.text.String()
}

const (
	defaultWidth = 80
	leastWidth   = 24 // what a branch needs; those that have less are drawn below
	below        = "┄┄"
)

// textDrawing is a drawing under way.
type textDrawing struct {
	Drawing
	text  *strings.Builder
	later []detached
	lead  string // what the next line begins with instead of its indent
}

// detached is a part of the drawing that has no room where it belongs.
type detached struct {
	path string
	draw func()
}

func (t *textDrawing) put(indent, text string) {
	if t.lead != "" {
		indent, t.lead = t.lead, ""
	}
	t.text.WriteString(strings.TrimRight(indent+text, " "))
	t.text.WriteByte('\n')
}

// room reports whether there are columns enough to draw at an indent.
func (t *textDrawing) room(indent string) bool {
	return t.Width-len([]rune(indent)) >= leastWidth
}

// scopeText draws the nodes of one plan.
type scopeText struct {
	*textDrawing
	plan   *Plan
	prefix string // path of the plan's node, with a slash
	shape  *topology
	layout *layout
	out    [][]Edge // what leads out of each node, in declared order
	fork   func(e Edge) bool
	trunk  string // the indent at which END is drawn as a node
}

// scope draws a plan in its place.
func (t *textDrawing) scope(p *Plan, prefix, indent string, outermost bool) {
	if p.def.Dataflow != nil {
		t.table(p, prefix, indent, outermost)
		return
	}
	shape, edges := newTopology(&p.def), drawnEdges(p)
	s := &scopeText{
		textDrawing: t, plan: p, prefix: prefix, shape: shape, out: make([][]Edge, len(p.def.Nodes)+1), fork: parallel(p, edges),
	}
	for _, e := range edges {
		from := shape.index[e.From]
		s.out[from] = append(s.out[from], e)
	}
	first := shape.first[0]
	if len(shape.first) > 1 {
		first = s.start()
	} else {
		s.layout = newLayout(shape.graph, first)
	}
	if outermost {
		s.trunk = indent
	}
	s.finish(s.chain(first, indent), indent)
}

// start makes the start of a plan that has several entries a node of the drawing, behind all others.
func (s *scopeText) start() int {
	at := len(s.plan.def.Nodes)
	arcs := slices.Clone(s.shape.graph.arcs)
	for _, v := range s.shape.first {
		arcs = append(arcs, arc{at, v})
		s.out[at] = append(s.out[at], Edge{To: s.name(v), Kind: Plain})
	}
	s.layout = newLayout(newDigraph(at+1, arcs), at)
	return at
}

// chain draws a node and all that it dominates. It returns the edge that leads on from the last line drawn, for the
// caller to draw: as a line, where the node that it leads to is the next thing below, or else as an arrow.
func (s *scopeText) chain(v int, indent string) *Edge {
	for {
		on, inline, straight := s.node(v, indent)
		if straight >= 0 {
			v = straight
			continue
		}
		var next []int
		for _, w := range s.layout.below[v] {
			if !inline[w] {
				next = append(next, w)
			}
		}
		if len(next) == 0 {
			return on
		}
		flows := on == nil || on.To == s.name(next[0])
		for i, w := range next {
			switch {
			case flows:
				s.put(indent, "│")
			default:
				s.finish(on, indent)
				s.put(indent, "")
			}
			if i == len(next)-1 {
				v = w
				break
			}
			on = s.chain(w, indent)
			flows = on != nil && on.To == s.name(next[i+1])
		}
	}
}

func (s *scopeText) name(v int) string { return s.plan.def.Nodes[v].Name }

// node draws a node and its branches. It returns the plain edge out of it, and which nodes were drawn in branches.
// Where the only way on is a single choice there is no need to indent what follows: that node is returned as
// straight, with the line to it drawn, and is -1 otherwise.
func (s *scopeText) node(v int, indent string) (on *Edge, inline map[int]bool, straight int) {
	if v == len(s.plan.def.Nodes) {
		s.put(indent, "○ START")
	} else {
		n := &s.plan.def.Nodes[v]
		s.put(indent, s.title(n))
		if n.Sub != nil {
			s.inside(n, indent)
		}
	}
	var branches []Edge
	inline = make(map[int]bool)
	for i, e := range s.out[v] {
		if e.Kind == Plain && on == nil && !s.branches(e) {
			on = &s.out[v][i]
			continue
		}
		branches = append(branches, e)
		if w, ok := s.follows(v, e); ok {
			inline[w] = true
		}
	}
	goesOn := on != nil || len(s.layout.below[v]) > len(inline)
	main := -1
	if !goesOn && len(inline) == 1 {
		main = slices.IndexFunc(branches, func(e Edge) bool {
			_, ok := s.follows(v, e)
			return ok && e.Kind == Choice && !s.branches(e)
		})
	}
	for i, e := range branches {
		if i != main {
			s.branch(v, e, indent, i == len(branches)-1 && !goesOn && main < 0)
		}
	}
	if main < 0 {
		return on, inline, -1
	}
	s.put(indent, "│  "+s.label(branches[main], indent))
	return nil, nil, s.shape.index[branches[main].To]
}

// branches reports whether an edge begins a branch that runs beside others.
func (s *scopeText) branches(e Edge) bool { return e.From == "" || s.fork(e) }

// title is a node's own line.
func (s *scopeText) title(n *Node) string {
	return s.titled(n, s.prefix, title(n))
}

// titled is the title of a node, with what it is and what became of it.
func (t *textDrawing) titled(n *Node, prefix, title string) string {
	glyph := map[shape]string{boxShape: "●", gateShape: "◇", humanShape: "☻", subShape: "▣"}[shapeOf(n)]
	title = glyph + " " + graphic(title)
	if status, ok := t.Taken[prefix+n.Name]; ok {
		title += "  " + lookOf(status).mark + " " + graphic(status)
	}
	return title
}

// inside draws the nodes of a subgraph beside a bar.
func (s *scopeText) inside(n *Node, indent string) {
	path := s.prefix + n.Name
	if s.room(indent + "┃ ") {
		s.scope(n.Sub, path+"/", indent+"┃ ", false)
		return
	}
	s.put(indent, "┃ "+below+" "+graphic(path))
	s.later = append(s.later, detached{path, func() { s.scope(n.Sub, path+"/", " ", false) }})
}

// follows reports whether the node at the end of an edge is drawn in the branch: nothing else leads on to it.
func (s *scopeText) follows(v int, e Edge) (int, bool) {
	if e.To == node.End || e.To == node.Stop {
		return 0, false
	}
	w := s.shape.index[e.To]
	return w, s.layout.above[w] == v && s.layout.entry[w] == 1 && w != v
}

// branch draws one edge that is not plain, and what it leads to where that has no other place.
func (s *scopeText) branch(v int, e Edge, indent string, last bool) {
	corner, dash, side := "├", "─", "│  "
	if last {
		corner, side = "└", "   "
	}
	switch {
	case e.Kind == Failure, e.Kind == Undo:
		dash = "╌"
	case e.Kind == Deadline:
		dash = "┈"
	case s.branches(e):
		corner, dash = "╞", "═"
		if last {
			corner = "╘"
		}
	}
	label := s.label(e, indent)
	w, follows := s.follows(v, e)
	switch {
	case !follows && label == "":
		s.put(indent, corner+s.arrow(v, e))
		return
	case !follows:
		s.put(indent, corner+dash+" "+label+" "+s.arrow(v, e))
		return
	}
	inner := indent + side
	if !s.room(inner) {
		s.put(indent, strings.TrimRight(corner+dash+" "+label, " ")+" → "+below+" "+graphic(e.To))
		s.later = append(s.later, detached{s.prefix + e.To, func() { s.finish(s.chain(w, " "), " ") }})
		return
	}
	if label != "" {
		s.put(indent, corner+dash+" "+label)
	} else {
		s.lead = indent + corner + dash + " "
	}
	s.finish(s.chain(w, inner), inner)
}

// label is what is written on an edge, as far as there is room beside the name of its target.
func (s *scopeText) label(e Edge, indent string) string {
	return cut(graphic(caption(e)), max(s.Width-len([]rune(indent))-20, 12))
}

// arrow names the target of an edge that is drawn elsewhere.
func (s *scopeText) arrow(v int, e Edge) string {
	switch e.To {
	case node.End:
		return "→ END"
	case node.Stop:
		return "→ STOP"
	}
	if w := s.shape.index[e.To]; !s.layout.forward(arc{v, w}) {
		return "↺ " + graphic(e.To)
	}
	return "→ " + graphic(e.To)
}

// finish draws the edge that a chain ends with.
func (s *scopeText) finish(on *Edge, indent string) {
	switch {
	case on == nil:
	case on.To == node.End && indent == s.trunk:
		s.put(indent, "│")
		s.put(indent, "◎ END")
	case on.To == node.Stop && indent == s.trunk:
		s.put(indent, "│")
		s.put(indent, "■ STOP")
	default:
		s.put(indent, "└"+s.arrow(s.shape.index[on.From], *on))
	}
}
