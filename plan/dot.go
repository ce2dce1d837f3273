package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/node"
)

// DOT draws the plan in the language of Graphviz, top down. Gates are diamonds, people parallelograms, subgraphs
// clusters; branches that run side by side begin with a thick edge, failure edges are dashed and deadline edges dotted.
// Names and labels are escaped: no text in them is read as DOT.
func (d Drawing) DOT() string {
	g := dot{Drawing: d}
	g.line("", "digraph plan {")
	g.line("  ", `graph [label="%s", labelloc=t, rankdir=TB, compound=true, fontname="Helvetica"];`, g.escape(d.Plan.Name()))
	g.line("  ", `node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica"];`)
	g.line("  ", `edge [fontname="Helvetica", fontsize=11];`)
	g.scope(d.Plan, "", "", "  ")
	g.line("", "}")
	return g.text.String()
}

type dot struct {
	Drawing
	text strings.Builder
}

func (g *dot) escape(text string) string { return escape(text, "&#") }

func (g *dot) line(indent, format string, args ...any) {
	g.text.WriteString(indent)
	fmt.Fprintf(&g.text, format, args...)
	g.text.WriteByte('\n')
}

// scope draws a plan in its place: prefix is the path of the subgraph's node with a slash, mark sets its START, END
// and STOP apart from those of other scopes. A cluster always has START and END, because edges into and out of it
// are tied to them.
func (g *dot) scope(p *Plan, prefix, mark, indent string) {
	edges := drawnEdges(p)
	branch := parallel(p, edges)
	g.line(indent, "start%s [label=START, shape=oval];", mark)
	for i := range p.def.Nodes {
		g.node(&p.def.Nodes[i], prefix, indent)
	}
	if hasTarget(edges, node.End) || mark != "" {
		g.line(indent, "finish%s [label=END, shape=oval];", mark)
	}
	if hasTarget(edges, node.Stop) {
		g.line(indent, "stop%s [label=STOP, shape=octagon];", mark)
	}
	for _, name := range p.def.Entry {
		g.edge(indent, prefix, "start"+mark, mark, Edge{To: name, Kind: Plain}, len(p.def.Entry) > 1)
	}
	for _, e := range edges {
		g.edge(indent, prefix, "", mark, e, branch(e))
	}
}

func (g *dot) node(n *Node, prefix, indent string) {
	path := prefix + n.Name
	number := g.number(path)
	attributes := fmt.Sprintf(`label="%s"`, g.escape(title(n)))
	colours := ""
	if status, ok := g.Taken[path]; ok {
		l := lookOf(status)
		colours = fmt.Sprintf(`, fillcolor="%s", color="%s", fontcolor="%s"`, l.fill, l.stroke, l.letter)
	}
	switch shapeOf(n) {
	case subShape:
		g.line(indent, "subgraph cluster%s {", number)
		g.line(indent+"  ", `graph [%s, style="rounded"%s];`, attributes, strings.Replace(colours, ", fillcolor", ", bgcolor", 1))
		g.scope(n.Sub, path+"/", number, indent+"  ")
		g.line(indent, "}")
		return
	case gateShape:
		attributes += `, shape=diamond, style=filled`
	case humanShape:
		attributes += `, shape=parallelogram, style=filled`
	}
	g.line(indent, "n%s [%s%s];", number, attributes, colours)
}

func (g *dot) number(path string) string { return strconv.Itoa(g.Plan.index[path]) }

// edge draws an edge of a scope; from is given where it does not come from a node.
func (g *dot) edge(indent, prefix, from, mark string, e Edge, branch bool) {
	var attributes []string
	if from == "" {
		from = "n" + g.number(prefix+e.From)
		if g.cluster(prefix + e.From) {
			number := g.number(prefix + e.From)
			from = "finish" + number
			attributes = append(attributes, "ltail=cluster"+number)
		}
	}
	var to string
	switch e.To {
	case node.End:
		to = "finish" + mark
	case node.Stop:
		to = "stop" + mark
	default:
		number := g.number(prefix + e.To)
		to = "n" + number
		if g.cluster(prefix + e.To) {
			to = "start" + number
			attributes = append(attributes, "lhead=cluster"+number)
		}
	}
	if branch {
		attributes = append(attributes, "penwidth=2")
	}
	switch e.Kind {
	case Failure:
		attributes = append(attributes, "style=dashed")
	case Deadline:
		attributes = append(attributes, "style=dotted")
	}
	if text := g.escape(caption(e)); text != "" {
		attributes = append(attributes, fmt.Sprintf(`label="%s"`, text))
	}
	if len(attributes) > 0 {
		g.line(indent, "%s -> %s [%s];", from, to, strings.Join(attributes, ", "))
		return
	}
	g.line(indent, "%s -> %s;", from, to)
}

func (g *dot) cluster(path string) bool { return g.Plan.flat[g.Plan.index[path]].Sub != nil }
