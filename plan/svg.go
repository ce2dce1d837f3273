package plan

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/node"
)

// SVG draws the plan as a picture without scripts or external resources. It is drawn in layers from the top down, in
// the colours of light or dark pages, as the reader prefers. Tasks are boxes, gates hexagons, people pills with a head,
// subgraphs frames with their nodes inside; failure edges are dashed and deadline edges dotted, and edges that lead
// back enter from below. Nodes in Taken have the colour and the sign of their status. Edges in Went are thick and show
// how often they were taken. Names and labels are escaped.
func (d Drawing) SVG() string {
	g := &svg{Drawing: d, sketches: make(sketches)}
	s := g.scope(d.Plan, "", 0)
	const margin, head = 20, 30
	w, h := max(s.w, textWidth(d.Plan.Name(), 15))+2*margin, s.h+2*margin+head
	name := xml(d.Plan.Name())
	g.put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title desc">`, w, h, w, h)
	g.put(`<title id="title">%s</title>`, name)
	g.put(`<desc id="desc">%s</desc>`, xml(g.describe()))
	g.put("<style>\n%s</style>", svgStyle)
	g.put(`<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" class="tip"/></marker></defs>`)
	g.put(`<rect class="page" width="%d" height="%d"/>`, w, h)
	g.put(`<text class="name" x="%d" y="%d" dy=".35em">%s</text>`, margin, margin+10, name)
	g.paint(s, (w-s.w)/2, margin+head)
	g.put("</svg>")
	return g.text.String()
}

// SVG draws the plan as a picture. See [Drawing.SVG].
func (p *Plan) SVG() string { return Drawing{Plan: p}.SVG() }

// svgStyle are the looks of a picture: of nodes by their state, and of edges by their kind.
const svgStyle = `  text{font:13px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1d2433;text-anchor:middle}
  .name{font-size:15px;font-weight:600;text-anchor:start}
  .page{fill:#fff}
  .box{fill:#f5f7fa;stroke:#8b95a7;stroke-width:1.3}
  .frame{fill:#8b95a714;stroke:#8b95a7;stroke-width:1.3}
  .end{fill:#e4e8ee;stroke:#8b95a7}
  .value{fill:#fff0;stroke:#8b95a7;stroke-dasharray:2 2}
  .human .box{fill:#fff6df;stroke:#c79a2b}
  .gate .box{fill:#efebfb;stroke:#7c69b8}
  .head{fill:none;stroke:#c79a2b;stroke-width:1.6}
  .small,.label{font-size:11px;fill:#566074}
  .sub{font-weight:600;text-anchor:start}
  .edge{fill:none;stroke:#7a8499;stroke-width:1.3}
  .went{stroke:#2e7d4f;stroke-width:3}
  .failure{stroke-dasharray:6 4;stroke:#b33a3a}
  .deadline{stroke-dasharray:2 4;stroke:#a67c00}
  .branch{stroke-width:2.2}
  .tip{fill:#7a8499}
  .plate{fill:#fff;opacity:.9}
  .done .box,.done .frame{fill:#d7f0df;stroke:#2e7d4f}
  .running .box,.running .frame{fill:#d6e8fb;stroke:#2a6bb0}
  .waiting .box,.waiting .frame{fill:#fdf0cc;stroke:#a67c00;stroke-width:2.2}
  .failed .box,.failed .frame{fill:#fadada;stroke:#b33a3a;stroke-width:2.2}
  .skipped .box,.skipped .frame{fill:#ececec;stroke:#8a8a8a;stroke-dasharray:4 3}
  .taken .box,.taken .frame{fill:#ede4f7;stroke:#6f4aa0}
  .done .frame,.running .frame,.waiting .frame,.failed .frame,.taken .frame{fill-opacity:.35}
  @media (prefers-color-scheme:dark){
    text{fill:#e6e9ef} .page{fill:#15181e} .plate{fill:#15181e}
    .box{fill:#222833;stroke:#67728a} .end{fill:#2b313d} .small,.label{fill:#a4adbf}
    .human .box{fill:#3a3016;stroke:#c79a2b} .gate .box{fill:#2d2745;stroke:#9585d0}
    .edge{stroke:#8390a8} .tip{fill:#8390a8} .went{stroke:#4fb67b} .failure{stroke:#e07070} .deadline{stroke:#d2a93f}
    .done .box,.done .frame{fill:#173524;stroke:#4fb67b} .running .box,.running .frame{fill:#152c45;stroke:#5a9fe0}
    .waiting .box,.waiting .frame{fill:#3d3010;stroke:#d2a93f} .failed .box,.failed .frame{fill:#431d1d;stroke:#e07070}
    .skipped .box,.skipped .frame{fill:#22252b;stroke:#6a6f7a} .taken .box,.taken .frame{fill:#2f2144;stroke:#a585d8}
  }
`

type svg struct {
	Drawing
	text     strings.Builder
	sketches sketches
}

func (g *svg) put(format string, args ...any) {
	fmt.Fprintf(&g.text, format, args...)
	g.text.WriteByte('\n')
}

func xml(text string) string { return html.EscapeString(graphic(text)) }

// textWidth is about how wide a text is in a font of that size.
func textWidth(text string, size int) int {
	w := 0
	for _, r := range text {
		switch {
		case r >= 0x2e80:
			w += size * 100
		case strings.ContainsRune("ilj.,:;'|! ", r):
			w += size * 34
		case r >= 'A' && r <= 'Z', r == 'm', r == 'w':
			w += size * 74
		default:
			w += size * 58
		}
	}
	return w / 100
}

// describe says in words what the picture shows.
func (g *svg) describe() string {
	text := fmt.Sprintf("A workflow of %d nodes", len(g.Plan.flat))
	counts, order := make(map[string]int), []string{}
	for i := range g.Plan.flat {
		if status, ok := g.Taken[g.Plan.flat[i].Path]; ok {
			if counts[status]++; counts[status] == 1 {
				order = append(order, status)
			}
		}
	}
	for i, status := range order {
		order[i] = strconv.Itoa(counts[status]) + " " + status
	}
	if len(order) > 0 {
		text += ": " + strings.Join(order, ", ")
	}
	return text + "."
}

// scene is a sheet with what is drawn on it.
type scene struct {
	sheet
	things []thing
	arrows []arrowLook
	depth  int
}

// thing is how a box looks.
type thing struct {
	shape  shape
	class  string // "end", "value", or that of the status
	lines  []string
	note   string
	path   string
	color  string
	inner  *scene
	closed bool
}

type arrowLook struct {
	class string
	lines []string
	went  int
}

const (
	lineHigh  = 16
	frameHead = 26
	framePad  = 14
)

func (c *scene) add(t thing) int {
	b := box{}
	for _, line := range t.lines {
		b.w = max(b.w, textWidth(line, 13))
	}
	b.w = max(b.w, textWidth(t.note, 11))
	b.h = lineHigh * len(t.lines)
	if t.note != "" {
		b.h += lineHigh - 2
	}
	b.w, b.h = b.w+28, b.h+16
	switch {
	case t.inner != nil:
		b.w, b.h = max(textWidth(t.lines[0]+"  "+t.note, 14)+2*framePad, t.inner.w+2*framePad), t.inner.h+frameHead+framePad
	case t.class == "end" || t.class == "value":
		b.w, b.h = b.w-4, b.h-6
	case t.shape == humanShape:
		b.w += 22
	case t.shape == gateShape:
		b.w += 18
	}
	b.w += b.w % 2
	c.boxes, c.things = append(c.boxes, b), append(c.things, t)
	return len(c.boxes) - 1
}

func (c *scene) connect(from, to int, a arrowLook) {
	l := link{from: from, to: to}
	if a.went > 1 {
		a.lines = append(slices.Clip(a.lines), "×"+strconv.Itoa(a.went))
	}
	a.lines = slices.Clone(a.lines)
	for i, line := range a.lines {
		a.lines[i] = cut(graphic(line), 40)
		l.w = max(l.w, textWidth(a.lines[i], 11)+10)
	}
	l.h = len(a.lines) * 14
	if a.went > 0 {
		a.class += " went"
	}
	c.links, c.arrows = append(c.links, l), append(c.arrows, a)
}

// scope lays out a plan.
func (g *svg) scope(p *Plan, prefix string, depth int) *scene {
	c, s := &scene{depth: depth}, g.sketches.of(p)
	inputs, results := s.pills()
	at := make(map[string]int)
	if s.picture == nil {
		at[startMark] = c.add(thing{class: "end", lines: []string{"START"}})
	}
	for i := range inputs {
		at[inputMark+strconv.Itoa(i)] = c.add(thing{class: "value", lines: inputs[i].text()})
	}
	for _, n := range s.nodes {
		at[n.Name] = g.node(c, n, prefix)
	}
	if s.end {
		at[node.End] = c.add(thing{class: "end", lines: []string{"END"}})
	}
	if s.stop {
		at[node.Stop] = c.add(thing{class: "end", lines: []string{"STOP"}})
	}
	for i := range results {
		at[resultMark+strconv.Itoa(i)] = c.add(thing{class: "value", lines: results[i].text()})
	}
	for _, e := range s.strokes {
		c.connect(at[e.from], at[e.to], arrowLook{class: class(e), lines: e.lines, went: g.went(prefix, e)})
	}
	c.layout()
	return c
}

// went is how often an edge was taken. Values that flow are not counted.
func (g *svg) went(prefix string, e stroke) int {
	if e.kind == Data {
		return 0
	}
	way := Way{prefix + e.from, prefix + e.to}
	if e.from == startMark {
		way.From = prefix
	}
	if e.to == node.End || e.to == node.Stop {
		way.To = e.to
	}
	return g.Went[way]
}

func (g *svg) node(c *scene, n *Node, prefix string) int {
	path := prefix + n.Name
	t := thing{shape: shapeOf(n), lines: []string{cut(graphic(n.Name), 60)}, note: cut(strings.Join(notes(n), "; "), 60), path: path, closed: g.isClosed(path)}
	if status, ok := g.Taken[path]; ok {
		l := lookOf(status)
		t.class = l.class
		t.lines[0] = l.mark + " " + t.lines[0]
	} else {
		t.color = n.presented().Color
	}
	if n.Sub != nil {
		t.inner = g.scope(n.Sub, path+"/", c.depth+1)
	}
	return c.add(t)
}

func class(e stroke) string {
	switch {
	case e.kind == Failure, e.kind == Undo:
		return "edge failure"
	case e.kind == Deadline, e.chosen:
		return "edge deadline"
	case e.thick:
		return "edge branch"
	}
	return "edge"
}
