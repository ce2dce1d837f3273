package plan

import (
	"fmt"
	"strconv"
	"strings"
)

// DOT draws the plan in the language of Graphviz, top down. Gates are diamonds, people parallelograms, subgraphs
// clusters; branches that run side by side begin with a thick edge, failure edges are dashed and deadline edges dotted.
// Names and labels are escaped: no text in them is read as DOT. A dataflow is drawn as [Drawing.Mermaid] draws it.
func (d Drawing) DOT() string {
	g := dot{Drawing: d, sketches: make(sketches)}
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
	sketches sketches
}

func (g *dot) escape(lines ...string) string { return escapeLines(lines, "&#", "&#10;") }

func (g *dot) line(indent, format string, args ...any) {
	g.text.WriteString(indent)
	fmt.Fprintf(&g.text, format, args...)
	g.text.WriteByte('\n')
}

// scope draws a plan in its place: prefix is the path of the subgraph's node with a slash, mark sets its START, END
// and STOP apart from those of other scopes. A cluster of a control graph always has START and END, because edges into
// and out of it are tied to them.
func (g *dot) scope(p *Plan, prefix, mark, indent string) {
	s := g.sketches.of(p)
	inputs, results := s.pills()
	if s.picture == nil {
		g.line(indent, "start%s [label=START, shape=oval];", mark)
	}
	for i := range inputs {
		g.pill(indent, fmt.Sprintf("in%s_%d", mark, i), &inputs[i])
	}
	for _, n := range s.nodes {
		g.node(n, prefix, indent)
	}
	if s.end || s.picture == nil && mark != "" {
		g.line(indent, "finish%s [label=END, shape=oval];", mark)
	}
	if s.stop {
		g.line(indent, "stop%s [label=STOP, shape=octagon];", mark)
	}
	for i := range results {
		g.pill(indent, fmt.Sprintf("out%s_%d", mark, i), &results[i])
	}
	for _, e := range s.strokes {
		g.stroke(indent, prefix, mark, e)
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
	} else if color := n.presented().Color; color != "" {
		colours = fmt.Sprintf(`, color="%s", penwidth=2.5`, color)
	}
	style, dashed := "filled", ""
	if g.isClosed(path) {
		style, dashed = `"filled,dashed"`, ",dashed"
	}
	switch shapeOf(n) {
	case subShape:
		g.line(indent, "subgraph cluster%s {", number)
		g.line(indent+"  ", `graph [%s, style="rounded%s"%s];`, attributes, dashed, strings.Replace(colours, ", fillcolor", ", bgcolor", 1))
		g.scope(n.Sub, path+"/", number, indent+"  ")
		g.line(indent, "}")
		return
	case gateShape:
		attributes += `, shape=diamond, style=` + style
	case humanShape:
		attributes += `, shape=parallelogram, style=` + style
	case boxShape:
		if dashed != "" {
			attributes += `, style="rounded,filled,dashed"`
		}
	}
	g.line(indent, "n%s [%s%s];", number, attributes, colours)
}

func (g *dot) number(path string) string { return strconv.Itoa(g.Plan.index[path]) }

// stroke draws an edge. Those to a loop's next round do not say what is above what.
func (g *dot) stroke(indent, prefix, mark string, e stroke) {
	from, attributes := g.tie(prefix, mark, e.from, false)
	to, head := g.tie(prefix, mark, e.to, true)
	attributes = append(attributes, head...)
	if e.chosen {
		attributes = append(attributes, fmt.Sprintf(`color="%s"`, chosen), fmt.Sprintf(`fontcolor="%s"`, chosen))
	}
	if e.outside {
		attributes = append(attributes, fmt.Sprintf(`color="%s"`, values.stroke))
	}
	if e.thick {
		attributes = append(attributes, "penwidth=2")
	}
	switch {
	case e.back:
		attributes = append(attributes, "style=dotted", "constraint=false")
	case e.kind == Failure, e.kind == Undo:
		attributes = append(attributes, "style=dashed")
	case e.kind == Deadline:
		attributes = append(attributes, "style=dotted")
	}
	if text := g.escape(e.lines...); text != "" {
		attributes = append(attributes, fmt.Sprintf(`label="%s"`, text))
	}
	list := ""
	if len(attributes) > 0 {
		list = " [" + strings.Join(attributes, ", ") + "]"
	}
	g.line(indent, "%s -> %s%s;", from, to, list)
}

// tie is what an edge into or out of a node or a mark is tied to, and how it says so.
func (g *dot) tie(prefix, mark, name string, into bool) (id string, attributes []string) {
	if !g.cluster(prefix + name) {
		return g.id(prefix, name, mark), nil
	}
	attribute := "ltail=cluster"
	if into {
		attribute = "lhead=cluster"
	}
	return g.tied(prefix+name, into), []string{attribute + g.number(prefix+name)}
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
	pic := g.sketches.of(sub).picture
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

// pill draws values that come from outside, or go there.
func (g *dot) pill(indent, id string, p *pill) {
	g.line(indent, `%s [label="%s", fontsize=11, height="0.3", margin="0.12,0.04", fillcolor="%s", color="%s", fontcolor="%s"];`,
		id, g.escape(p.text()...), values.fill, values.stroke, values.letter)
}

func (g *dot) cluster(path string) bool {
	at, ok := g.Plan.index[path]
	return ok && g.Plan.flat[at].Sub != nil
}
