package plan

import (
	"fmt"
	"slices"
	"strings"
)

const (
	mostBars  = 6  // of loops in loops; deeper ones share the last bar
	leastRoom = 34 // columns of a table beside the names of the nodes; with less, what they read and write stands below
	leastCell = 15 // columns for what a node writes
	leastName = 8  // columns of the name of a value
	cellLines = 4  // for what a node reads, and for what it writes
	fewNodes  = 3  // that one value is said to come from
)

// flowText draws a dataflow as a table: what a node is called, what it reads, what it writes.
type flowText struct {
	*textDrawing
	*picture
	prefix, indent string
	bars           int
	rows           []flowRow
	narrow         bool // there is no room for a table
	title          int  // its columns
	reads, writes  int
}

type flowRow struct {
	title  string
	reads  []origin
	writes []string
}

// origin is some of the values that a node reads: those that come the same way.
type origin struct {
	names []string
	from  string // what stands behind the names
}

// table draws a dataflow in its place.
func (t *textDrawing) table(p *Plan, prefix, indent string, outermost bool) {
	f := &flowText{textDrawing: t, picture: newPicture(p), prefix: prefix, indent: indent}
	for i := range f.brackets {
		f.bars = max(f.bars, min(f.brackets[i].depth+1, mostBars))
	}
	for _, v := range f.order {
		n := &p.def.Nodes[v]
		f.rows = append(f.rows, flowRow{f.titled(n, prefix, n.Name), f.origins(v), f.written(v)})
	}
	given, brought := f.given(), f.brought()
	if !outermost && f.saidAbove(slices.Concat(given, brought)) {
		given, brought = nil, nil
	}
	f.measure(len(given)+len(brought) > 0)
	f.end("○ inputs", given)
	if outermost && len(given) > 0 {
		f.put(indent, "")
	}
	for i := range f.rows {
		f.node(i)
	}
	if outermost && len(brought) > 0 {
		f.put(indent, "")
	}
	f.end("◎ result", brought)
}

// saidAbove reports whether the line of a subgraph's node names all values of its dataflow already.
func (f *flowText) saidAbove(names []string) bool {
	n := f.Plan.flat[f.Plan.index[strings.TrimSuffix(f.prefix, "/")]].Node
	if n.Flow == nil {
		return false
	}
	said := make(map[string]bool)
	for _, p := range slices.Concat(n.Flow.Inputs, n.Flow.Outputs) {
		said[p.Name] = true
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !said[strings.TrimSuffix(name, "?")] })
}

// end draws the inputs or the results.
func (f *flowText) end(title string, names []string) {
	if len(names) == 0 {
		return
	}
	at := f.title
	if f.narrow {
		at = 0
	}
	for i, line := range fill(listed(names), f.across()-at-2, cellLines) {
		line = graphic(line)
		switch {
		case i > 0:
			title = ""
		case at == 0:
			f.line(title)
			title = ""
		}
		f.line(pad(title, at) + "  " + line)
	}
}

// across is how many columns there are beside the bars.
func (f *flowText) across() int { return f.Width - columns(f.indent) - 2*f.bars }

// line draws a line that is in no loop.
func (f *flowText) line(text string) { f.put(f.indent, strings.Repeat("  ", f.bars)+text) }

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-columns(text), 0))
}

// node draws a node and what stands below it, behind the bars of its loops.
func (f *flowText) node(i int) {
	lines := f.below(i, f.cells(&f.rows[i]))
	for k, line := range lines {
		f.put(f.indent, f.gutter(i, k == 0, k == len(lines)-1)+line)
	}
}

// gutter is the bars to the left of a line: the first or the last of a node, or another one. The bar of the loop that the
// node is the head of points at it.
func (f *flowText) gutter(i int, first, last bool) string {
	bars := slices.Repeat([]string{"  "}, f.bars)
	for at := f.inner[f.order[i]]; at >= 0; at = f.brackets[at].outer {
		b := &f.brackets[at]
		if b.depth >= len(bars) {
			continue
		}
		bar, head := "│", first && f.order[i] == b.head
		switch {
		case first && i == b.first:
			bar = "╭"
		case last && i == b.last:
			bar = "╰"
		case head:
			bar = "├"
		}
		if bars[b.depth] = bar + " "; head {
			bars[b.depth] = bar + strings.Repeat("──", len(bars)-b.depth-1) + "▸"
			bars = bars[:b.depth+1]
		}
	}
	return strings.Join(bars, "")
}

// cells are a node's line in the table, and those below it where one is not enough.
func (f *flowText) cells(r *flowRow) []string {
	if width := f.across() - 2; f.narrow {
		lines := []string{r.title}
		for _, line := range append(sources(r.reads, width), arrows(r.writes, width)...) {
			lines = append(lines, "  "+line)
		}
		return lines
	}
	reads, writes := sources(r.reads, f.reads), arrows(r.writes, f.writes)
	lines, title := []string(nil), r.title
	if columns(title) > f.title && len(reads)+len(writes) > 0 {
		lines, title = append(lines, title), ""
	}
	for len(reads)+len(writes) > 0 || title != "" {
		read, write := "", ""
		if len(reads) > 0 {
			read, reads = reads[0], reads[1:]
		}
		if len(writes) > 0 && columns(read) <= f.reads {
			write, writes = writes[0], writes[1:]
		}
		lines = append(lines, pad(title, f.title)+"  "+pad(read, f.reads)+"  "+write)
		title = ""
	}
	return lines
}

// arrows are the lines that name what a node writes.
func arrows(names []string, width int) []string {
	lines := fill(listed(shortened(names, width-2)), width-2, cellLines)
	for i := range lines {
		lines[i] = "  " + lines[i]
		if i == 0 {
			lines[i] = "→ " + lines[i][2:]
		}
	}
	return lines
}

// below adds to a node's lines what stands below them: notes, a subgraph, and what a gate can choose.
func (f *flowText) below(i int, lines []string) []string {
	v := f.order[i]
	n, choices := &f.plan.def.Nodes[v], f.choices[v]
	side := "  "
	switch {
	case n.Sub != nil:
		side = "┃ "
	case len(choices) > 0:
		side = "│ "
	}
	remarks := notes(n)
	if f.flow.closed[v] {
		remarks = append(remarks, "the run begins behind it")
	}
	for _, remark := range remarks {
		lines = append(lines, side+cut(remark, f.across()-2))
	}
	if n.Sub != nil {
		lines = append(lines, f.inside(n)...)
	}
	for k, d := range choices {
		lines = append(lines, f.choice(d, k == len(choices)-1))
	}
	return lines
}

// choice is the line of what a gate can choose.
func (f *flowText) choice(d decision, last bool) string {
	corner, dash := "├", "─"
	switch {
	case d.many && last:
		corner, dash = "╘", "═"
	case d.many:
		corner, dash = "╞", "═"
	case last:
		corner = "└"
	}
	to := "→ " + graphic(endText(d.To))
	if d.back {
		to = "↺ " + graphic(d.To)
	}
	label := cut(graphic(caption(d.Edge)), max(f.across()-columns(to)-4, 12))
	if label == "" {
		return corner + to
	}
	return corner + dash + " " + label + " " + to
}

// inside is a subgraph beside a bar; where there is no room, it is drawn below everything else.
func (f *flowText) inside(n *Node) []string {
	path := f.prefix + n.Name
	if f.across()-2 < leastWidth {
		f.later = append(f.later, detached{path, func() { f.scope(n.Sub, path+"/", " ", false) }})
		return []string{"┃ " + below + " " + graphic(path)}
	}
	text, width := f.text, f.Width
	f.text, f.Width = new(strings.Builder), f.across()
	f.scope(n.Sub, path+"/", "┃ ", false)
	lines := strings.Split(strings.TrimSuffix(f.text.String(), "\n"), "\n")
	f.text, f.Width = text, width
	return lines
}

// origins returns a node's inputs grouped by origin, in order. Inputs from the run or the node itself have no
// suffix.
func (f *flowText) origins(v int) []origin {
	var all []origin
	at := make(map[string]int)
	for k, name := range f.flow.Nodes[v].In {
		var before, back []string
		for _, from := range f.flow.writers[name] {
			switch {
			case from == v:
			case f.back(from, v):
				back = append(back, f.name(from))
			default:
				before = append(before, f.name(from))
			}
		}
		from := some(" ← ", before) + some(" ↺ ", back)
		i, ok := at[from]
		if !ok {
			i = len(all)
			at[from], all = i, append(all, origin{from: from})
		}
		all[i].names = append(all[i].names, graphic(marked(f.plan.def.Nodes[v].Flow.Inputs[k])))
	}
	var gates, failing []string
	for _, gate := range f.flow.gates[v] {
		if f.flow.handles(v, gate) {
			failing = append(failing, f.name(gate))
		} else {
			gates = append(gates, f.name(gate))
		}
	}
	if len(gates) > 0 {
		all = append(all, origin{from: some("if ", gates)})
	}
	if len(failing) > 0 {
		all = append(all, origin{from: some("failed ", failing)})
	}
	return all
}

// some names a few nodes, of which one is meant.
func some(what string, names []string) string {
	more := ""
	if len(names) == 0 {
		return ""
	}
	if n := len(names) - fewNodes; n > 0 {
		names, more = names[:fewNodes], fmt.Sprintf(" | %d more", n)
	}
	return what + graphic(strings.Join(names, " | ")) + more
}

func (f *flowText) written(v int) []string {
	var names []string
	for _, p := range f.plan.def.Nodes[v].Flow.Outputs {
		names = append(names, graphic(p.Name))
	}
	return names
}

// sources are the lines that say what a node reads. Where they would be too many, each origin stands in one line with some
// of its values.
func sources(origins []origin, width int) []string {
	var parts, short []part
	for _, o := range origins {
		room := max(width-columns(o.from), leastName)
		list := listed(shortened(o.names, room-1))
		if len(list) == 0 {
			list = []part{{}}
		}
		last := &list[len(list)-1]
		last.text, last.between = last.text+o.from, "; "
		parts = append(parts, list...)
		short = append(short, part{strings.Join(fill(listed(shortened(o.names, room)), room, 1), "") + o.from, "; "})
	}
	if len(parts) == len(origins) || len(origins) == 1 && origins[0].from == "" || len(fill(parts, width, cellLines+1)) <= cellLines {
		return fill(parts, width, cellLines)
	}
	return fill(short, width, cellLines)
}

// shortened cuts names of values to a width, and puts a comma after all but the last.
func shortened(names []string, width int) []string {
	short := make([]string, len(names))
	for i, name := range names {
		room := width
		if i < len(names)-1 {
			room--
		}
		short[i] = cut(name, max(room, leastName))
	}
	return short
}

// measure divides the width among the columns.
func (f *flowText) measure(ends bool) {
	room := f.across()
	if ends {
		f.title = columns("○ inputs")
	}
	most := max(room*2/5, 12)
	reads, writes := 0, 0
	for _, r := range f.rows {
		if n := columns(r.title); n <= most {
			f.title = max(f.title, n)
		}
		line := -2
		for _, o := range r.reads {
			line += 2 + columns(strings.Join(o.names, ", ")+o.from)
		}
		reads = max(reads, line)
		if len(r.writes) > 0 {
			writes = max(writes, 2+columns(strings.Join(r.writes, ", ")))
		}
	}
	rest := room - f.title - 2
	f.writes = min(writes, max(rest/3, leastCell, rest-2-reads))
	f.reads = min(reads, rest-2-f.writes)
	f.narrow = rest < min(leastRoom, reads+2+writes)
}
