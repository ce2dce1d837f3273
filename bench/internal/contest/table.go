package contest

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// row is a contest: who took part, the floor first.
type row struct {
	Line
	unit string
	who  []string
}

// Table reads the output of benchmarks and writes tables of it in Markdown. Each contest has a line, with the time of
// one unit and the ratio to the floor for each contestant; further tables have the time of processors and
// what a unit allocates. Work that was measured
// at several sizes has a line for each contestant, with how the cost of a unit grows.
func Table(out io.Writer, in io.Reader) error {
	var rows []row
	var curves []*curve
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		l, ok := Parse(lines.Text())
		if !ok {
			continue
		}
		if grown := curvesOf(l); len(grown) > 0 {
			curves = append(curves, grown...)
		} else if r, ok := contestOf(l); ok {
			rows = append(rows, r)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if len(rows)+len(curves) == 0 {
		return fmt.Errorf("no contest was found: expected lines of `go test -bench`, with metrics such as floor-ns/node")
	}
	text := ""
	if len(rows) > 0 {
		text = tableOf(rows, (*row).time) +
			"\nTime of processors, of all threads; other load affects it less:\n\n" + tableOf(rows, (*row).processors) +
			"\nAllocations, and bytes that they take:\n\n" + tableOf(rows, (*row).allocations)
	}
	_, err := io.WriteString(out, text+growthTable(curves))
	return err
}

func tableOf(rows []row, cell func(r *row, who string) string) string {
	var columns []string
	for _, r := range rows {
		for _, name := range r.who {
			if !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
		}
	}
	var text strings.Builder
	text.WriteString("| | per | " + strings.Join(columns, " | ") + " |\n|---|---|" + strings.Repeat("---:|", len(columns)) + "\n")
	for _, r := range rows {
		text.WriteString("| " + r.Name + " | " + r.unit + " |")
		for _, c := range columns {
			text.WriteString(" " + cmp.Or(cell(&r, c), "-") + " |")
		}
		text.WriteString("\n")
	}
	return text.String()
}

// contestOf finds the contestants of a line.
func contestOf(l Line) (row, bool) {
	r := row{Line: l}
	for _, u := range l.Units {
		if who, unit, ok := strings.Cut(u, "-ns/"); ok {
			r.who, r.unit = append(r.who, who), unit
		}
	}
	// Metrics are printed in alphabetical order; the floor comes first.
	for i, who := range r.who {
		if _, compared := r.Values[who+"-ratio"]; !compared {
			copy(r.who[1:i+1], r.who[:i])
			r.who[0] = who
			return r, true
		}
	}
	return r, false
}

func (r *row) time(who string) string {
	ns, ok := r.Values[who+"-ns/"+r.unit]
	if !ok {
		return ""
	}
	text := Duration(ns)
	if ratio, ok := r.Values[who+"-ratio"]; ok {
		text += " (" + Significant(ratio) + "x)"
	}
	return text
}

func (r *row) processors(who string) string {
	ns, ok := r.Values[who+"-cpu/"+r.unit]
	if !ok {
		return ""
	}
	return Duration(ns)
}

func (r *row) allocations(who string) string {
	n, ok := r.Values[who+"-allocs/"+r.unit]
	if !ok {
		return ""
	}
	return Significant(n) + " (" + Bytes(r.Values[who+"-B/"+r.unit]) + ")"
}

// Duration is a number of nanoseconds for people.
func Duration(ns float64) string {
	switch {
	case ns < 1e3:
		return Significant(ns) + " ns"
	case ns < 1e6:
		return Significant(ns/1e3) + " µs"
	}
	return Significant(ns/1e6) + " ms"
}

// Bytes is a number of bytes for people.
func Bytes(n float64) string {
	switch {
	case n < 1e3:
		return Significant(n) + " B"
	case n < 1e6:
		return Significant(n/1e3) + " KB"
	}
	return Significant(n/1e6) + " MB"
}

// Significant is a number with three significant digits.
func Significant(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 10:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}
