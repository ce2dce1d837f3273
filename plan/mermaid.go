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
// deadline edges dotted. Names and labels are escaped: no text
// in them is read as Mermaid.
func (d Drawing) Mermaid() string {
	m := mermaid{Drawing: d, classes: make(map[look][]string)}
	m.line("", "flowchart TD")
	m.scope(d.Plan, "", "", "  ")
	m.styles()
	return m.text.String()
}

type mermaid struct {
	Drawing
	text    strings.Builder
	links   int
	dashed  []string // numbers of links
	dotted  []string
	classes map[look][]string
}

func (m *mermaid) line(indent, format string, args ...any) {
	m.text.WriteString(indent)
	fmt.Fprintf(&m.text, format, args...)
	m.text.WriteByte('\n')
}

// scope draws a plan in its place: prefix is the path of the subgraph's node with a slash, mark sets its START, END
// and STOP apart from those of other scopes.
func (m *mermaid) scope(p *Plan, prefix, mark, indent string) {
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
	if text := escape(caption(e), "#"); text != "" {
		arrow += `|"` + text + `"|`
	}
	m.line(indent, "%s %s %s", from, arrow, to)
	m.links++
}

func (m *mermaid) styles() {
	if len(m.dashed) > 0 {
		m.line("  ", "linkStyle %s stroke-dasharray:7 4", strings.Join(m.dashed, ","))
	}
	if len(m.dotted) > 0 {
		m.line("  ", "linkStyle %s stroke-dasharray:2 3", strings.Join(m.dotted, ","))
	}
	byClass := func(a, b look) int { return strings.Compare(a.class, b.class) }
	for _, l := range slices.SortedFunc(maps.Keys(m.classes), byClass) {
		m.line("  ", "classDef %s fill:%s,stroke:%s,color:%s", l.class, l.fill, l.stroke, l.letter)
		m.line("  ", "class %s %s", strings.Join(m.classes[l], ","), l.class)
	}
}
