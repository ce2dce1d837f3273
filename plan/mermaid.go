package plan

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Mermaid draws the plan as a Mermaid flowchart, top down. Gates are diamonds, people parallelograms, subgraphs
// boxes around their nodes; branches that run side by side begin with a thick edge, failure edges are dashed and
// deadline edges dotted. Names and labels are escaped: no text in them is read as Mermaid.
//
// In a dataflow, edges carry values: those between two nodes are one edge, with their names. The edges of a gate's
// choices have another colour, and edges to a loop's next round are dotted. Nodes before an entry have a dashed border.
//
// The inputs of a run and its results are small grey shapes. Inputs that the same nodes read share one; those that may
// be missing have a ? behind them, and those that more than 8 nodes read have their number instead of edges. Where all
// that is written is a result, only what no node reads is shown as one, or all of it behind END where nothing is left.
func (d Drawing) Mermaid() string {
	m := mermaid{Drawing: d, sketches: make(sketches), classes: make(map[look][]string)}
	m.line("", "flowchart TD")
	m.scope(d.Plan, "", "", "  ")
	m.styles()
	return m.out.String()
}

type mermaid struct {
	Drawing
	sketches sketches
	out      strings.Builder
	links    int
	dashed   []string // numbers of links
	dotted   []string
	chosen   []string // numbers of links that are decisions
	outside  []string // numbers of links of inputs and results
	classes  map[look][]string
	closed   []string // nodes that lie before an entry
	painted  []string // styles of nodes with a colour of their own
}

func (m *mermaid) line(indent, format string, args ...any) {
	m.out.WriteString(indent)
	fmt.Fprintf(&m.out, format, args...)
	m.out.WriteByte('\n')
}

// scope draws a plan in its place: prefix is the path of the subgraph's node with a slash, mark sets its START, END
// and STOP apart from those of other scopes.
func (m *mermaid) scope(p *Plan, prefix, mark, indent string) {
	s := m.sketches.of(p)
	inputs, results := s.pills()
	if s.picture == nil {
		m.line(indent, "start%s([START])", mark)
	} else if prefix != "" {
		m.line(indent, "direction TB")
	}
	for i := range inputs {
		m.pill(indent, fmt.Sprintf("in%s_%d", mark, i), &inputs[i])
	}
	for _, n := range s.nodes {
		m.node(n, prefix, indent)
	}
	if s.end {
		m.line(indent, "finish%s([END])", mark)
	}
	if s.stop {
		m.line(indent, "stop%s(((STOP)))", mark)
	}
	for i := range results {
		m.pill(indent, fmt.Sprintf("out%s_%d", mark, i), &results[i])
	}
	for _, e := range s.strokes {
		m.stroke(indent, m.id(prefix, e.from, mark), m.id(prefix, e.to, mark), e)
	}
}

func (m *mermaid) node(n *Node, prefix, indent string) {
	id, label := m.id(prefix, n.Name, ""), escape(title(n), "#")
	if status, ok := m.Taken[prefix+n.Name]; ok {
		l := lookOf(status)
		m.classes[l] = append(m.classes[l], id)
	} else if color := n.presented().Color; color != "" {
		m.painted = append(m.painted, fmt.Sprintf("style %s stroke:%s,stroke-width:3px", id, color))
	}
	switch shapeOf(n) {
	case subShape:
		m.line(indent, `subgraph %s["%s"]`, id, label)
		m.scope(n.Sub, prefix+n.Name+"/", strings.TrimPrefix(id, "n"), indent+"  ")
		m.line(indent, "end")
	case gateShape:
		m.line(indent, `%s{"%s"}`, id, label)
	case humanShape:
		m.line(indent, `%s[/"%s"/]`, id, label)
	default:
		m.line(indent, `%s["%s"]`, id, label)
	}
	if m.isClosed(prefix + n.Name) {
		m.closed = append(m.closed, id)
	}
}

func (m *mermaid) stroke(indent, from, to string, e stroke) {
	number := strconv.Itoa(m.links)
	m.links++
	arrow := "-->"
	switch {
	case e.back:
		arrow = "-.->"
	case e.kind == Failure, e.kind == Undo:
		arrow = "-.->"
		m.dashed = append(m.dashed, number)
	case e.kind == Deadline:
		arrow = "-.->"
		m.dotted = append(m.dotted, number)
	case e.thick:
		arrow = "==>"
	}
	if e.chosen {
		m.chosen = append(m.chosen, number)
	}
	if e.outside {
		m.outside = append(m.outside, number)
	}
	if label := escapeLines(e.lines, "#", "<br/>"); label != "" {
		arrow += `|"` + label + `"|`
	}
	m.line(indent, "%s %s %s", from, arrow, to)
}

// pill draws values that come from outside, or go there.
func (m *mermaid) pill(indent, id string, p *pill) {
	m.classes[values] = append(m.classes[values], id)
	m.line(indent, `%s(["%s"])`, id, escapeLines(p.text(), "#", "<br/>"))
}

func (m *mermaid) styles() {
	if len(m.dashed) > 0 {
		m.line("  ", "linkStyle %s stroke-dasharray:7 4", strings.Join(m.dashed, ","))
	}
	if len(m.dotted) > 0 {
		m.line("  ", "linkStyle %s stroke-dasharray:2 3", strings.Join(m.dotted, ","))
	}
	if len(m.chosen) > 0 {
		m.line("  ", "linkStyle %s stroke:%s,color:%s", strings.Join(m.chosen, ","), chosen, chosen)
	}
	if len(m.outside) > 0 {
		m.line("  ", "linkStyle %s stroke:%s", strings.Join(m.outside, ","), values.stroke)
	}
	if len(m.closed) > 0 {
		m.line("  ", "classDef closed stroke-dasharray:5 4")
		m.line("  ", "class %s closed", strings.Join(m.closed, ","))
	}
	for _, style := range m.painted {
		m.line("  ", "%s", style)
	}
	looks := slices.Collect(maps.Keys(m.classes))
	sort.Slice(looks, func(i, j int) bool { return looks[i].class < looks[j].class })
	for _, l := range looks {
		m.line("  ", "classDef %s fill:%s,stroke:%s,color:%s", l.class, l.fill, l.stroke, l.letter)
		m.line("  ", "class %s %s", strings.Join(m.classes[l], ","), l.class)
	}
}
