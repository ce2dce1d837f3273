package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/node"
)

// DOT draws the plan in the language of Graphviz, top down. Gates are diamonds, people parallelograms, subgraphs
// clusters; branches that run side by side begin with a thick edge, failure edges are dashed and deadline edges dotted.
// Names and labels are escaped: no text in them is read as DOT. A dataflow is drawn as [Drawing.Mermaid] draws it.
func (d Drawing) DOT() string {
	g := dot{Drawing: d, pictures: make(map[*Plan]*picture)}
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
	text     strings.Builder
	pictures map[*Plan]*picture
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
	if p.def.Dataflow != nil {
		g.flow(p, prefix, mark, indent)
		return
	}
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
	if colours == "" {
		if color := n.presented().Color; color != "" {
			colours = fmt.Sprintf(`, color="%s", penwidth=2.5`, color)
		}
	}
	dashed := ""
	if at := &g.Plan.flat[g.Plan.index[path]]; at.Owner.def.Dataflow != nil && at.Owner.def.Dataflow.closed[at.Local] {
		dashed = ",dashed"
	}
	switch shapeOf(n) {
	case subShape:
		g.line(indent, "subgraph cluster%s {", number)
		g.line(indent+"  ", `graph [%s, style="rounded%s"%s];`, attributes, dashed, strings.Replace(colours, ", fillcolor", ", bgcolor", 1))
		g.scope(n.Sub, path+"/", number, indent+"  ")
		g.line(indent, "}")
		return
	case gateShape:
		attributes += `, shape=diamond, style=` + filled(dashed)
	case humanShape:
		attributes += `, shape=parallelogram, style=` + filled(dashed)
	case boxShape:
		if dashed != "" {
			attributes += `, style="rounded,filled,dashed"`
		}
	}
	g.line(indent, "n%s [%s%s];", number, attributes, colours)
}

func filled(dashed string) string {
	if dashed != "" {
		return `"filled,dashed"`
	}
	return "filled"
}

func (g *dot) number(path string) string { return strconv.Itoa(g.Plan.index[path]) }

// edge draws an edge of a scope; from is given where it does not come from a node.
func (g *dot) edge(indent, prefix, from, mark string, e Edge, branch bool) {
	var attributes []string
	if from == "" {
		from, attributes = g.tail(prefix + e.From)
	}
	to, head := g.target(prefix, mark, e.To)
	attributes = append(attributes, head...)
	if branch {
		attributes = append(attributes, "penwidth=2")
	}
	switch e.Kind {
	case Failure:
		attributes = append(attributes, "style=dashed")
	case Deadline:
		attributes = append(attributes, "style=dotted")
	}
	g.arrow(indent, from, to, attributes, caption(e))
}

// arrow draws an edge with what is written on it, if anything.
func (g *dot) arrow(indent, from, to string, attributes []string, label ...string) {
	if text := g.lines(label...); text != "" {
		attributes = append(attributes, fmt.Sprintf(`label="%s"`, text))
	}
	if len(attributes) > 0 {
		g.line(indent, "%s -> %s [%s];", from, to, strings.Join(attributes, ", "))
		return
	}
	g.line(indent, "%s -> %s;", from, to)
}

// lines escapes lines of a text.
func (g *dot) lines(lines ...string) string {
	for i, line := range lines {
		lines[i] = g.escape(line)
	}
	return strings.Join(lines, "&#10;")
}

// tail is what an edge out of a node is tied to, and how it says so.
func (g *dot) tail(path string) (id string, attributes []string) {
	if !g.cluster(path) {
		return "n" + g.number(path), nil
	}
	return g.tied(path, false), []string{"ltail=cluster" + g.number(path)}
}

// target is what an edge to a node, END or STOP is tied to, and how it says so.
func (g *dot) target(prefix, mark, to string) (id string, attributes []string) {
	path := prefix + to
	switch {
	case to == node.End:
		return "finish" + mark, nil
	case to == node.Stop:
		return "stop" + mark, nil
	case !g.cluster(path):
		return "n" + g.number(path), nil
	}
	return g.tied(path, true), []string{"lhead=cluster" + g.number(path)}
}

// tied is the shape in a cluster that edges into it, or out of it, are tied to: its START and END, and in a dataflow the
// inputs and results, or else its first or last node.
func (g *dot) tied(path string, into bool) string {
	sub, number := g.Plan.flat[g.Plan.index[path]].Sub, g.number(path)
	if sub.def.Dataflow == nil {
		if into {
			return "start" + number
		}
		return "finish" + number
	}
	pic := g.picture(sub)
	v := pic.order[0]
	switch {
	case into && len(pic.inputs) > 0:
		return "in" + number + "_0"
	case !into && len(pic.results) > 0:
		return "out" + number + "_0"
	case !into:
		v = pic.order[len(pic.order)-1]
	}
	if inner := path + "/" + pic.name(v); g.cluster(inner) {
		return g.tied(inner, into)
	}
	return "n" + g.number(path+"/"+pic.name(v))
}

func (g *dot) picture(p *Plan) *picture {
	if g.pictures[p] == nil {
		g.pictures[p] = newPicture(p)
	}
	return g.pictures[p]
}

// flow draws a dataflow in its place. Edges to a loop's next round do not say what is above what.
func (g *dot) flow(p *Plan, prefix, mark, indent string) {
	pic := g.picture(p)
	for i := range pic.inputs {
		g.pill(indent, fmt.Sprintf("in%s_%d", mark, i), &pic.inputs[i])
	}
	for _, v := range pic.order {
		g.node(&p.def.Nodes[v], prefix, indent)
	}
	if pic.leadsTo(node.End) {
		g.line(indent, "finish%s [label=END, shape=oval];", mark)
	}
	if pic.leadsTo(node.Stop) {
		g.line(indent, "stop%s [label=STOP, shape=octagon];", mark)
	}
	for i := range pic.results {
		g.pill(indent, fmt.Sprintf("out%s_%d", mark, i), &pic.results[i])
	}
	for i, in := range pic.inputs {
		for _, v := range in.nodes {
			to, attributes := g.target(prefix, mark, pic.name(v))
			g.arrow(indent, fmt.Sprintf("in%s_%d", mark, i), to, append(attributes, outside))
		}
	}
	for _, j := range pic.joints() {
		g.between(indent, prefix, mark, pic.name(j.from), pic.name(j.to), j.back, nil, j.text()...)
	}
	for _, v := range pic.order {
		for _, d := range pic.choices[v] {
			attributes := []string{fmt.Sprintf(`color="%s"`, chosen), fmt.Sprintf(`fontcolor="%s"`, chosen)}
			if d.many {
				attributes = append(attributes, "penwidth=2")
			}
			g.between(indent, prefix, mark, d.From, d.To, d.back, attributes, caption(d.Edge))
		}
	}
	for i, out := range pic.results {
		to := fmt.Sprintf("out%s_%d", mark, i)
		if out.end {
			g.arrow(indent, "finish"+mark, to, []string{outside})
		}
		for _, v := range out.nodes {
			from, attributes := g.tail(prefix + pic.name(v))
			g.arrow(indent, from, to, append(attributes, outside))
		}
	}
}

// outside is the colour of the edges of inputs and results.
var outside = fmt.Sprintf(`color="%s"`, values.stroke)

// between draws an edge of a dataflow.
func (g *dot) between(indent, prefix, mark, from, to string, back bool, attributes []string, label ...string) {
	from, tail := g.tail(prefix + from)
	to, head := g.target(prefix, mark, to)
	attributes = append(append(tail, head...), attributes...)
	if back {
		attributes = append(attributes, "style=dotted", "constraint=false")
	}
	g.arrow(indent, from, to, attributes, label...)
}

// pill draws values that come from outside, or go there.
func (g *dot) pill(indent, id string, p *pill) {
	g.line(indent, `%s [label="%s", fontsize=11, height="0.3", margin="0.12,0.04", fillcolor="%s", color="%s", fontcolor="%s"];`,
		id, g.lines(p.text()...), values.fill, values.stroke, values.letter)
}

func (g *dot) cluster(path string) bool { return g.Plan.flat[g.Plan.index[path]].Sub != nil }
