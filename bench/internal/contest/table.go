package contest

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// row is what one line of a benchmark's output says.
type row struct {
	name   string
	unit   string
	values map[string]string
	order  []string // of the contestants
}

// Table reads the output of benchmarks and writes a table of it in Markdown. Each contest has a line, with the time of
// one unit and the ratio to the floor for each contestant.
func Table(out io.Writer, in io.Reader) error {
	var rows []row
	var columns []string
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		r, ok := parse(lines.Text())
		if !ok {
			continue
		}
		rows = append(rows, r)
		for _, name := range r.order {
			if !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if len(rows) == 0 {
		return fmt.Errorf("no contest was found: expected lines of `go test -bench`, with metrics such as floor-ns/node")
	}
	var text strings.Builder
	text.WriteString("| | per | " + strings.Join(columns, " | ") + " |\n|---|---|" + strings.Repeat("---:|", len(columns)) + "\n")
	for _, r := range rows {
		text.WriteString("| " + r.name + " | " + r.unit + " |")
		for _, c := range columns {
			text.WriteString(" " + r.cell(c) + " |")
		}
		text.WriteString("\n")
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// parse reads a line such as "BenchmarkLoop-2  10  1.7 floor-ns/node  380 memory-ns/node  223 memory-ratio".
func parse(line string) (row, bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
		return row{}, false
	}
	name := strings.TrimPrefix(fields[0], "Benchmark")
	if cut := strings.LastIndexByte(name, '-'); cut > 0 {
		if _, err := strconv.Atoi(name[cut+1:]); err == nil {
			name = name[:cut]
		}
	}
	r := row{name: name, values: make(map[string]string)}
	for i := 2; i+1 < len(fields); i += 2 {
		r.values[fields[i+1]] = fields[i]
		if who, unit, ok := strings.Cut(fields[i+1], "-ns/"); ok {
			r.order, r.unit = append(r.order, who), unit
		}
	}
	// Metrics are printed in alphabetical order; the floor comes first.
	for i, who := range r.order {
		if _, compared := r.values[who+"-ratio"]; !compared {
			copy(r.order[1:i+1], r.order[:i])
			r.order[0] = who
			return r, true
		}
	}
	return r, false
}

func (r *row) cell(who string) string {
	ns, err := strconv.ParseFloat(r.values[who+"-ns/"+r.unit], 64)
	if err != nil {
		return ""
	}
	text := Duration(ns)
	if ratio, err := strconv.ParseFloat(r.values[who+"-ratio"], 64); err == nil {
		text += " (" + significant(ratio) + "x)"
	}
	return text
}

// Duration is a number of nanoseconds for people.
func Duration(ns float64) string {
	switch {
	case ns < 1e3:
		return significant(ns) + " ns"
	case ns < 1e6:
		return significant(ns/1e3) + " µs"
	}
	return significant(ns/1e6) + " ms"
}

func significant(v float64) string {
	switch {
	case v < 10:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}
