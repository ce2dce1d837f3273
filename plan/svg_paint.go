package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// paint draws a scene with its corner at x, y: edges, then nodes, then labels.
func (g *svg) paint(c *scene, x, y int) {
	g.put(`<g transform="translate(%d %d)">`, x, y)
	outs, ins := c.docks()
	for i := range c.links {
		g.edge(c, i, outs[i], ins[i])
	}
	for i := range c.things {
		g.thing(&c.things[i], &c.boxes[i])
	}
	for i := range c.links {
		l := &c.links[i]
		if len(c.arrows[i].lines) == 0 {
			continue
		}
		b := c.boxes[l.from]
		mx, my := b.x+b.w/2+selfWide+l.w/2, b.y
		if len(l.via) > 0 {
			at := &c.boxes[l.via[l.label]]
			mx, my = at.x, at.y
		}
		g.put(`<rect class="plate" x="%d" y="%d" width="%d" height="%d" rx="4"/>`, mx-l.w/2, my-l.h/2, l.w, l.h)
		g.lines("label", c.arrows[i].lines, mx, my, 14)
	}
	g.put("</g>")
}

// lines are lines of text around a middle.
func (g *svg) lines(class string, lines []string, x, y, high int) {
	y -= (len(lines) - 1) * high / 2
	for i, line := range lines {
		attribute := ""
		if class != "" {
			attribute = fmt.Sprintf(` class="%s"`, class)
		}
		g.put(`<text%s x="%d" y="%d" dy=".35em">%s</text>`, attribute, x, y+i*high, xml(line))
	}
}

func (g *svg) thing(t *thing, b *box) {
	left, top := b.x-b.w/2, b.y-b.h/2
	classes := []string{"node"}
	switch t.shape {
	case humanShape:
		classes = append(classes, "human")
	case gateShape:
		classes = append(classes, "gate")
	default:
	}
	if t.class != "" && t.class != "end" && t.class != "value" {
		classes = append(classes, t.class)
	}
	g.put(`<g class="%s">`, strings.Join(classes, " "))
	if t.path != "" {
		title := t.path
		if status, ok := g.Taken[t.path]; ok {
			title += ": " + status
		}
		g.put(`<title>%s</title>`, xml(title))
	}
	border := ""
	if t.closed {
		border = ` stroke-dasharray="5 4"`
	}
	if t.color != "" {
		border += fmt.Sprintf(` style="stroke:%s;stroke-width:2.5"`, t.color)
	}
	switch {
	case t.inner != nil:
		g.put(`<rect class="frame" x="%d" y="%d" width="%d" height="%d" rx="10"%s/>`, left, top, b.w, b.h, border)
		g.put(`<text class="sub" x="%d" y="%d" dy=".35em">%s</text>`, left+framePad, top+frameHead/2+1, xml(strings.TrimSpace(t.lines[0]+"  "+t.note)))
		g.put("</g>")
		g.paint(t.inner, left+(b.w-t.inner.w)/2, top+frameHead)
		return
	case t.class == "end", t.class == "value":
		g.put(`<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="%d"/>`, t.class, left, top, b.w, b.h, min(b.h/2, 13))
		g.lines("small", t.lines, b.x, b.y, lineHigh)
	case t.shape == gateShape:
		const tip = 14
		g.put(`<path class="box" d="M%d %dH%dL%d %dL%d %dH%dL%d %dz"%s/>`,
			left+tip, top, left+b.w-tip, left+b.w, b.y, left+b.w-tip, top+b.h, left+tip, left, b.y, border)
		g.label(t, b, b.x)
	case t.shape == humanShape:
		g.put(`<rect class="box" x="%d" y="%d" width="%d" height="%d" rx="%d"%s/>`, left, top, b.w, b.h, b.h/2, border)
		g.put(`<g class="head"><circle cx="%d" cy="%d" r="3.6"/><path d="M%d %da7 7 0 0 1 14 0"/></g>`, left+20, b.y-5, left+13, b.y+9)
		g.label(t, b, b.x+10)
	default:
		g.put(`<rect class="box" x="%d" y="%d" width="%d" height="%d" rx="7"%s/>`, left, top, b.w, b.h, border)
		g.label(t, b, b.x)
	}
	g.put("</g>")
}

// label is what a node is called, and below it what it does with branches and items.
func (g *svg) label(t *thing, b *box, x int) {
	if t.note == "" {
		g.lines("", t.lines, x, b.y, lineHigh)
		return
	}
	g.lines("", t.lines, x, b.y-7, lineHigh)
	g.lines("small", []string{t.note}, x, b.y+10, lineHigh)
}

// docks returns where links leave and enter their boxes, spread along the side.
func (c *scene) docks() (tops, bottoms []int) {
	tops, bottoms = make([]int, len(c.links)), make([]int, len(c.links))
	upper, lower := make([][]int, len(c.boxes)), make([][]int, len(c.boxes))
	for i := range c.links {
		top, bottom := c.links[i].ends()
		if top != bottom {
			upper[top], lower[bottom] = append(upper[top], i), append(lower[bottom], i)
		}
	}
	spread := func(v int, list []int, to func(l *link) int, into []int) {
		slices.SortStableFunc(list, func(a, b int) int {
			return cmp.Compare(c.boxes[to(&c.links[a])].x, c.boxes[to(&c.links[b])].x)
		})
		b := &c.boxes[v]
		step := min(18, (b.w-24)/max(len(list), 1))
		for i, l := range list {
			into[l] = b.x + (2*i-(len(list)-1))*step/2
		}
	}
	for v := range c.boxes {
		spread(v, upper[v], func(l *link) int { return l.via[0] }, tops)
		spread(v, lower[v], func(l *link) int { return l.via[len(l.via)-1] }, bottoms)
	}
	return tops, bottoms
}

// edge draws a link as a curve through the boxes where it passes.
func (g *svg) edge(c *scene, i, topX, bottomX int) {
	l, a := &c.links[i], &c.arrows[i]
	top, bottom := l.ends()
	if top == bottom {
		b := &c.boxes[top]
		x, y := b.x+b.w/2, b.y
		g.put(`<path class="%s" marker-end="url(#tip)" d="M%d %dc34 -14 34 26 1 13"/>`, a.class, x, y-6)
		return
	}
	const tip = 2
	type point struct{ x, y int }
	way := []point{{topX, c.boxes[top].y + c.boxes[top].h/2}}
	for _, v := range l.via {
		b := &c.boxes[v]
		way = append(way, point{b.x, b.y - b.h/2}, point{b.x, b.y + b.h/2})
	}
	way = append(way, point{bottomX, c.boxes[bottom].y - c.boxes[bottom].h/2})
	if l.back {
		slices.Reverse(way)
		way[len(way)-1].y += tip
	} else {
		way[len(way)-1].y -= tip
	}
	var d strings.Builder
	fmt.Fprintf(&d, "M%d %d", way[0].x, way[0].y)
	for j, p := range way[1:] {
		q := way[j]
		switch {
		case p == q:
		case p.x == q.x:
			fmt.Fprintf(&d, "V%d", p.y)
		default:
			mid := (p.y + q.y) / 2
			fmt.Fprintf(&d, "C%d %d %d %d %d %d", q.x, mid, p.x, mid, p.x, p.y)
		}
	}
	g.put(`<path class="%s" marker-end="url(#tip)" d="%s"/>`, a.class, d.String())
}
