package term

import "strings"

// Table lays cells out in columns as wide as what is in them.
type Table struct {
	Head   []string
	Rows   [][]string
	Indent int
	Right  []bool // columns that are aligned to the right
}

// Lines are the table's lines: a faint head, where there is one, and the rows.
func (t *Table) Lines(s *Screen) []string {
	widths := t.widths()
	faint := s.Styles().Faint
	var lines []string
	if len(t.Head) > 0 && len(t.Rows) > 0 {
		head := t.line(t.Head, widths)
		lines = append(lines, faint.Apply(head))
	}
	for _, row := range t.Rows {
		lines = append(lines, t.line(row, widths))
	}
	return lines
}

func (t *Table) widths() []int {
	var widths []int
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Columns(cell))
		}
	}
	return widths
}

func (t *Table) line(cells []string, widths []int) string {
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", t.Indent))
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		switch {
		case i < len(t.Right) && t.Right[i]:
			cell = PadLeft(cell, widths[i])
		case i < len(cells)-1:
			cell = Pad(cell, widths[i])
		}
		b.WriteString(cell)
	}
	return strings.TrimRight(b.String(), " ")
}

// Fit cuts lines to the width of a terminal, where there is one.
func (s *Screen) Fit(lines []string) []string {
	if s.TTY {
		width := s.Width()
		for i, line := range lines {
			lines[i] = s.Cut(line, width)
		}
	}
	return lines
}
