package plan

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/fermata-go/fermata/node"
)

// Drawing is a picture of a plan. All forms are deterministic: equal plans give equal drawings.
type Drawing struct {
	Plan *Plan // to draw
	// Taken marks nodes by their status in a run. It maps paths to statuses, such as "completed", "running", "paused",
	// "failed" and "skipped". A status that is none of these is shown as it is. Nodes that are not in it are unmarked.
	Taken map[string]string
	// Went says for the edges of a control graph how often a run has taken them. [Drawing.SVG] shows it.
	Went map[Way]int
	// Width is how many columns Text may use: deeper branches are drawn below, longer labels are cut, and values that have
	// no room are counted. Names of nodes are never cut. Defaults to 80.
	Width int
}

// Way is an edge of a drawing: the paths of the nodes at its ends. To is node.End or node.Stop where it leads there, and
// From is "", or in a subgraph its path with a slash, at the start.
type Way struct{ From, To string }

// Mermaid draws the plan as a Mermaid flowchart. See [Drawing.Mermaid].
func (p *Plan) Mermaid() string { return Drawing{Plan: p}.Mermaid() }

// DOT draws the plan for Graphviz. See [Drawing.DOT].
func (p *Plan) DOT() string { return Drawing{Plan: p}.DOT() }

// Text draws the plan for a terminal. See [Drawing.Text].
func (p *Plan) Text() string { return Drawing{Plan: p}.Text() }

// shape is how a node is drawn.
type shape int

const (
	boxShape shape = iota
	gateShape
	humanShape
	subShape
)

func shapeOf(n *Node) shape {
	switch {
	case n.Sub != nil:
		return subShape
	case n.Kind == Human:
		return humanShape
	case n.Gate() || n.Kind == Router:
		return gateShape
	}
	return boxShape
}

// drawnEdges returns a plan's edges, and an edge to END from each node without a successor.
func drawnEdges(p *Plan) []Edge {
	goesOn := make(map[string]bool, len(p.def.Nodes))
	for _, e := range p.def.Edges {
		if e.Kind == Plain || e.Kind == Choice {
			goesOn[e.From] = true
		}
	}
	edges := slices.Clip(p.def.Edges)
	for i := range p.def.Nodes {
		if name := p.def.Nodes[i].Name; !goesOn[name] {
			edges = append(edges, Edge{From: name, To: node.End, Kind: Plain})
		}
	}
	return edges
}

// presented is what drawings take from a node's presentation.
type presented struct{ Label, Color string }

// plainColor is what drawings take as a color: no other text gets into a style.
var plainColor = regexp.MustCompile(`^(#[0-9a-fA-F]{3}([0-9a-fA-F]{3})?|[a-zA-Z]{3,24})$`)

func (n *Node) presented() presented {
	var fields map[string]any
	if len(n.Presentation) == 0 || json.Unmarshal(n.Presentation, &fields) != nil {
		return presented{}
	}
	label, _ := fields["label"].(string)
	color, _ := fields["color"].(string)
	if !plainColor.MatchString(color) {
		color = ""
	}
	return presented{Label: strings.Join(strings.Fields(label), " "), Color: color}
}

// title is what a node is called in a drawing: its name, and what it does with branches and items.
func title(n *Node) string {
	if notes := notes(n); len(notes) > 0 {
		return fmt.Sprintf("%s (%s)", n.Name, strings.Join(notes, "; "))
	}
	return n.Name
}

func notes(n *Node) []string {
	var notes []string
	if label := n.presented().Label; label != "" {
		notes = append(notes, label)
	}
	switch n.Join {
	case All:
		notes = append(notes, "all branches together")
	case Each:
		notes = append(notes, "each branch by itself")
	}
	if n.Map != nil {
		note := "for each item"
		if n.Map.Limit > 0 {
			note = fmt.Sprintf("for each item, at most %d at once", n.Map.Limit)
		}
		if n.Map.Keep {
			note += ", failures kept"
		}
		notes = append(notes, note)
	}
	if n.RouteMany != nil {
		notes = append(notes, "chooses one or several")
	}
	return notes
}

// parallel finds the edges that branches begin with: where several plain edges lead out of a node, or a gate chooses
// several.
func parallel(p *Plan, edges []Edge) func(e Edge) bool {
	plain, many := make(map[string]int), make(map[string]bool)
	for i := range p.def.Nodes {
		many[p.def.Nodes[i].Name] = p.def.Nodes[i].RouteMany != nil
	}
	for _, e := range edges {
		if e.Kind == Plain {
			plain[e.From]++
		}
	}
	return func(e Edge) bool { return e.Kind == Plain && plain[e.From] > 1 || e.Kind == Choice && many[e.From] }
}

// hasTarget reports whether an edge leads to the given target.
func hasTarget(edges []Edge, to string) bool {
	return slices.ContainsFunc(edges, func(e Edge) bool { return e.To == to })
}

// caption is what is written on an edge.
func caption(e Edge) string {
	label := strings.TrimSpace(e.Label)
	switch {
	case e.Kind != Failure && e.Kind != Deadline && e.Kind != Undo, strings.HasPrefix(label, string(e.Kind)):
		return label
	case label == "":
		return string(e.Kind)
	}
	return fmt.Sprintf("%s: %s", e.Kind, label)
}

// cut shortens a text to a number of characters.
func cut(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return string(runes[:max(width-1, 0)]) + "…"
}

// graphic replaces what could move a terminal's cursor, or break a line, by spaces.
func graphic(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text)
}

// harmless reports whether a character means nothing to Mermaid and Graphviz within a quoted text.
func harmless(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune(" _-.,:/?!'()=+…", r)
}

// escape writes every other character as an entity, so that no name or label can end its quotes.
func escape(text, before string) string {
	var b strings.Builder
	for _, r := range cut(graphic(text), 60) {
		if harmless(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "%s%d;", before, r)
		}
	}
	return b.String()
}

// escapeLines escapes lines of a text, and puts something between them.
func escapeLines(lines []string, before, between string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = escape(line, before)
	}
	return strings.Join(escaped, between)
}

// look is how a status is drawn: a class of nodes, a mark for terminals, and colours that suit light and dark pages.
type look struct {
	class, mark          string
	fill, stroke, letter string
}

// values is the look of inputs and results, and chosen the colour of what gates choose.
var values = look{"value", "", "#f3f3f4", "#a9a9b2", "#4d4d57"}

const chosen = "#a67c00"

// lookOf finds the look of a status.
func lookOf(status string) look {
	switch status {
	case "completed":
		return look{"done", "✓", "#d7f0df", "#2e7d4f", "#10331f"}
	case "running":
		return look{"running", "▸", "#d6e8fb", "#2a6bb0", "#10283f"}
	case "paused", "waiting":
		return look{"waiting", "‖", "#fdf0cc", "#a67c00", "#3d2e00"}
	case "failed", "expired", "stuck":
		return look{"failed", "✗", "#fadada", "#b33a3a", "#3f1111"}
	case "skipped", "cancelled":
		return look{"skipped", "–", "#ececec", "#8a8a8a", "#333333"}
	}
	return look{"taken", "•", "#ede4f7", "#6f4aa0", "#2a1842"}
}
