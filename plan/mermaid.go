package plan

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/node"
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
	m := mermaid{Drawing: d, classes: make(map[look][]string)}
	m.line("", "flowchart TD")
	m.scope(d.Plan, "", "", "  ")
	m.styles()
	return m.out.String()
}

type mermaid struct {
	Drawing
	out     strings.Builder
	links   int
	dashed  []string // numbers of links
	dotted  []string
	chosen  []string // numbers of links that are decisions
	outside []string // numbers of links of inputs and results
	classes map[look][]string
	closed  []string // nodes that lie before an entry
	painted []string // styles of nodes with a colour of their own
}

func (m *mermaid) line(indent, format string, args ...any) {
	m.out.WriteString(indent)
	fmt.Fprintf(&m.out, format, args...)
	m.out.WriteByte('\n')
}

// scope draws a plan in its place: prefix is the path of the subgraph's node with a slash, mark sets its START, END
// and STOP apart from those of other scopes.
func (m *mermaid) scope(p *Plan, prefix, mark, indent string) {
	if p.def.Dataflow != nil {
		m.flow(p, prefix, mark, indent)
		return
	}
	edges := drawnEdges(p)
	branch := parallel(p, edges)
	m.line(indent, "start%s([START])", mark)
	for i := range p.def.Nodes {
		m.node(&p.def.Nodes[i], prefix, indent)
	}
	if hasTarget(edges, node.End) {
		m.line(indent, "finish%s([END])", mark)
	}
	if hasTarget(edges, node.Stop) {
		m.line(indent, "stop%s(((STOP)))", mark)
	}
	for _, name := range p.def.Entry {
		m.link(indent, "start"+mark, m.id(prefix, name, mark), Edge{Kind: Plain}, len(p.def.Entry) > 1)
	}
	for _, e := range edges {
		m.link(indent, m.id(prefix, e.From, mark), m.id(prefix, e.To, mark), e, branch(e))
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
}

// id names a node or mark of a scope in the drawing.
func (m *mermaid) id(prefix, name, mark string) string {
	switch name {
	case node.End:
		return "finish" + mark
	case node.Stop:
		return "stop" + mark
	}
	return "n" + strconv.Itoa(m.Plan.index[prefix+name])
}

func (m *mermaid) link(indent, from, to string, e Edge, branch bool) {
	arrow := "-->"
	if branch {
		arrow = "==>"
	}
	switch e.Kind {
	case Failure:
		arrow = "-.->"
		m.dashed = append(m.dashed, strconv.Itoa(m.links))
	case Deadline:
		arrow = "-.->"
		m.dotted = append(m.dotted, strconv.Itoa(m.links))
	}
	m.arrow(indent, from, arrow, to, m.text(caption(e)))
}

func (m *mermaid) arrow(indent, from, arrow, to, label string) {
	if label != "" {
		arrow += `|"` + label + `"|`
	}
	m.line(indent, "%s %s %s", from, arrow, to)
	m.links++
}

// text escapes lines.
func (m *mermaid) text(lines ...string) string {
	for i, line := range lines {
		lines[i] = escape(line, "#")
	}
	return strings.Join(lines, "<br/>")
}

// flow draws a dataflow in its place.
func (m *mermaid) flow(p *Plan, prefix, mark, indent string) {
	pic := newPicture(p)
	if prefix != "" {
		m.line(indent, "direction TB")
	}
	for i := range pic.inputs {
		m.pill(indent, fmt.Sprintf("in%s_%d", mark, i), &pic.inputs[i])
	}
	for _, v := range pic.order {
		m.node(&p.def.Nodes[v], prefix, indent)
		if pic.flow.closed[v] {
			m.closed = append(m.closed, m.id(prefix, pic.name(v), mark))
		}
	}
	if pic.leadsTo(node.End) {
		m.line(indent, "finish%s([END])", mark)
	}
	if pic.leadsTo(node.Stop) {
		m.line(indent, "stop%s(((STOP)))", mark)
	}
	for i := range pic.results {
		m.pill(indent, fmt.Sprintf("out%s_%d", mark, i), &pic.results[i])
	}
	id := func(v int) string { return m.id(prefix, pic.name(v), mark) }
	for i, in := range pic.inputs {
		for _, v := range in.nodes {
			m.value(indent, fmt.Sprintf("in%s_%d", mark, i), id(v))
		}
	}
	for _, j := range pic.joints() {
		arrow := "-->"
		if j.back {
			arrow = "-.->"
		}
		m.arrow(indent, id(j.from), arrow, id(j.to), m.text(j.text()...))
	}
	for _, v := range pic.order {
		for _, d := range pic.choices[v] {
			m.decision(indent, id(v), m.id(prefix, d.To, mark), d)
		}
	}
	for i, out := range pic.results {
		to := fmt.Sprintf("out%s_%d", mark, i)
		if out.end {
			m.value(indent, "finish"+mark, to)
		}
		for _, v := range out.nodes {
			m.value(indent, id(v), to)
		}
	}
}

// decision draws what a gate can choose.
func (m *mermaid) decision(indent, from, to string, d decision) {
	arrow := "-->"
	switch {
	case d.back:
		arrow = "-.->"
	case d.many:
		arrow = "==>"
	}
	m.chosen = append(m.chosen, strconv.Itoa(m.links))
	m.arrow(indent, from, arrow, to, m.text(caption(d.Edge)))
}

// value draws the edge of an input or a result.
func (m *mermaid) value(indent, from, to string) {
	m.outside = append(m.outside, strconv.Itoa(m.links))
	m.arrow(indent, from, "-->", to, "")
}

// pill draws values that come from outside, or go there.
func (m *mermaid) pill(indent, id string, p *pill) {
	m.classes[values] = append(m.classes[values], id)
	m.line(indent, `%s(["%s"])`, id, m.text(p.text()...))
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
	byClass := func(a, b look) int { return strings.Compare(a.class, b.class) }
	for _, l := range slices.SortedFunc(maps.Keys(m.classes), byClass) {
		m.line("  ", "classDef %s fill:%s,stroke:%s,color:%s", l.class, l.fill, l.stroke, l.letter)
		m.line("  ", "class %s %s", strings.Join(m.classes[l], ","), l.class)
	}
}
