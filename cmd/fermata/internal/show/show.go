// Package show lays JSON values out for people. Names form a column, texts are shown as text, and lists of like objects
// as tables. Prose is left as it was written. Outputs of runs and the evidence of questions are shown like this.
package show

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fermata-go/fermata/cmd/fermata/internal/ordered"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

// Layout says how values are laid out.
type Layout struct {
	Screen *term.Screen
	Width  int // columns; defaults to the screen's
	Rows   int // the longest list that is shown whole; 0 shows all
}

// nested is how deep values are laid out; what is deeper is shown as JSON.
const nested = 4

// JSON lays out a JSON text. A text that is not JSON is shown as it is.
func (l Layout) JSON(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	v, err := ordered.Decode(data)
	if err != nil {
		v = string(data)
	}
	return l.Value(v)
}

// Value lays out a decoded value.
func (l Layout) Value(v ordered.Value) []string {
	if l.Width <= 0 {
		l.Width = l.Screen.Width()
	}
	return l.block(v, 0)
}

func (l Layout) narrower(by int) Layout {
	l.Width = max(l.Width-by, 16)
	return l
}

func (l Layout) block(v ordered.Value, depth int) []string {
	switch v := v.(type) {
	case ordered.Object:
		if len(v) > 0 && depth < nested {
			return l.object(v, depth)
		}
	case ordered.Array:
		if len(v) > 0 && depth < nested {
			return l.array(v, depth)
		}
	case string:
		return term.Wrap(term.Plain(v), l.Width)
	}
	return term.Wrap(l.scalar(v), l.Width)
}

// scalar is a value on one line.
func (l Layout) scalar(v ordered.Value) string {
	faint := l.Screen.Styles().Faint
	switch v := v.(type) {
	case nil:
		return faint.Apply(l.Screen.Glyphs().Dash)
	case string:
		if strings.TrimSpace(v) == "" {
			return faint.Apply(fmt.Sprintf("%q", v))
		}
		return term.Plain(v)
	case json.Number:
		return v.String()
	case bool:
		return fmt.Sprint(v)
	}
	data, err := ordered.Encode(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return term.Plain(string(data))
}

// nameWidth is the widest column of names; a longer name gets a line of its own.
const nameWidth = 24

func (l Layout) object(o ordered.Object, depth int) []string {
	faint := l.Screen.Styles().Faint
	width := 0
	for _, m := range o {
		if n := term.Columns(term.Line(m.Name)); n <= nameWidth {
			width = max(width, n)
		}
	}
	var lines []string
	for i, m := range o {
		name := term.Line(m.Name)
		inline, fits := l.inline(m.Value, l.Width-width-2)
		if fits && term.Columns(name) <= width {
			lines = append(lines, faint.Apply(term.Pad(name, width))+"  "+inline)
			continue
		}
		if i > 0 && len(lines) > 0 && lines[len(lines)-1] != "" {
			lines = append(lines, "")
		}
		lines = append(lines, faint.Apply(name))
		for _, line := range l.narrower(2).block(m.Value, depth+1) {
			lines = append(lines, strings.TrimRight("  "+line, " "))
		}
		if i < len(o)-1 {
			lines = append(lines, "")
		}
	}
	return lines
}

// inline is a value on one line of at most width columns, where that reads well.
func (l Layout) inline(v ordered.Value, width int) (string, bool) {
	var text string
	switch v := v.(type) {
	case ordered.Object:
		if len(v) > 0 {
			return "", false
		}
		text = "{}"
	case ordered.Array:
		if len(v) == 0 {
			text = l.Screen.Styles().Faint.Apply("none")
			break
		}
		parts := make([]string, len(v))
		for i, item := range v {
			switch item.(type) {
			case ordered.Object, ordered.Array:
				return "", false
			}
			parts[i] = l.scalar(item)
			if len(v) > 1 && strings.ContainsAny(parts[i], ",\n") {
				return "", false
			}
		}
		text = strings.Join(parts, ", ")
	default:
		text = l.scalar(v)
	}
	if strings.Contains(text, "\n") || term.Columns(text) > width {
		return "", false
	}
	return text, true
}

func (l Layout) array(a ordered.Array, depth int) []string {
	var more string
	if l.Rows > 0 && len(a) > l.Rows {
		more = l.Screen.Styles().Faint.Apply(fmt.Sprintf("%s %d more", l.Screen.Glyphs().Ellipsis, len(a)-l.Rows))
		a = a[:l.Rows]
	}
	lines, ok := l.table(a)
	if !ok {
		lines = l.list(a, depth)
	}
	if more != "" {
		lines = append(lines, more)
	}
	return lines
}

func (l Layout) list(a ordered.Array, depth int) []string {
	dot := l.Screen.Styles().Faint.Apply(l.Screen.Glyphs().Dot)
	var lines []string
	for _, item := range a {
		for i, line := range l.narrower(2).block(item, depth+1) {
			if i == 0 {
				line = dot + " " + line
			} else if line != "" {
				line = "  " + line
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// table lays out a list of flat objects that name the same few things, if it fits.
func (l Layout) table(a ordered.Array) ([]string, bool) {
	first, ok := a[0].(ordered.Object)
	if !ok || len(first) < 2 || len(a) < 2 {
		return nil, false
	}
	t := term.Table{Right: make([]bool, len(first))}
	for i, m := range first {
		t.Head = append(t.Head, term.Line(m.Name))
		_, t.Right[i] = m.Value.(json.Number)
	}
	for _, item := range a {
		o, ok := item.(ordered.Object)
		if !ok || len(o) != len(first) {
			return nil, false
		}
		row := make([]string, len(first))
		for i, m := range first {
			if !o.Has(m.Name) {
				return nil, false
			}
			cell, fits := l.inline(o.Get(m.Name), l.Width)
			if !fits {
				return nil, false
			}
			row[i] = cell
		}
		t.Rows = append(t.Rows, row)
	}
	lines := t.Lines(l.Screen)
	for _, line := range lines {
		if term.Columns(line) > l.Width {
			return nil, false
		}
	}
	return lines, true
}
