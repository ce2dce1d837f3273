package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/bench/internal/contest"
)

// round is what both binaries printed in one round, by the name of the benchmark.
type round struct {
	old, new map[string]contest.Line
}

func linesOf(in io.Reader) map[string]contest.Line {
	all := make(map[string]contest.Line)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if l, ok := contest.Parse(lines.Text()); ok {
			all[l.Name] = l
		}
	}
	return all
}

// times are the units of what is compared, with how many nanoseconds they are.
var times = []struct {
	unit string // "ns/op", or "x-ns/node" of a contestant x
	ns   float64
}{{"ns/", 1}, {"us/", 1e3}, {"ms/", 1e6}}

// figure is one that is measured: a time, and what it allocates.
type figure struct {
	benchmark, who, per string
	time                string // the unit
	ns                  float64
}

// figureOf finds the time in a unit.
func figureOf(benchmark, unit string) (figure, bool) {
	for _, t := range times {
		who, per, ok := strings.Cut("-"+unit, "-"+t.unit)
		if ok {
			return figure{benchmark, strings.TrimPrefix(who, "-"), per, unit, t.ns}, true
		}
	}
	return figure{}, false
}

// beside is the unit of something else that is known of the same: "allocs", "cpu".
func (f figure) beside(what string) string {
	if f.who == "" {
		return what + "/" + f.per
	}
	return f.who + "-" + what + "/" + f.per
}

// compared is the table of what both sides measured in every round.
func compared(rounds []round) (string, error) {
	var text strings.Builder
	text.WriteString("| | | per | old | new | new/old | processors | old allocs | new allocs |\n|---|---|---|---:|---:|---:|---:|---:|---:|\n")
	rows := 0
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(rounds[0].new)) {
		line := rounds[0].new[name]
		if _, ok := rounds[0].old[name]; !ok {
			missing = append(missing, name)
			continue
		}
		for _, unit := range line.Units {
			f, ok := figureOf(name, unit)
			if !ok {
				continue
			}
			if row, ok := f.row(rounds); ok {
				text.WriteString(row)
				rows++
			}
		}
	}
	if rows == 0 {
		return "", errors.New("no benchmark ran in both: check the pattern")
	}
	if len(missing) > 0 {
		fmt.Fprintf(&text, "\nOnly in the new tree: %s\n", strings.Join(missing, ", "))
	}
	return text.String(), nil
}

// row compares one figure; false where it is not known of both sides.
func (f figure) row(rounds []round) (string, bool) {
	wall := f.pairs(rounds, f.time)
	if len(wall.old) == 0 {
		return "", false
	}
	cpu, allocs := f.pairs(rounds, f.beside("cpu")), f.pairs(rounds, f.beside("allocs"))
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", f.benchmark, f.who, f.per,
		contest.Duration(f.ns*median(wall.old)), contest.Duration(f.ns*median(wall.new)), wall.ratio(), cpu.ratio(),
		count(allocs.old), count(allocs.new)), true
}

// pairs are the values of one unit in the rounds where both sides have it.
type pairs struct{ old, new []float64 }

func (f figure) pairs(rounds []round, unit string) pairs {
	var p pairs
	for _, r := range rounds {
		a, ok := r.old[f.benchmark].Values[unit]
		b, also := r.new[f.benchmark].Values[unit]
		if ok && also && (unit != f.time || a > 0 && b > 0) {
			p.old, p.new = append(p.old, a), append(p.new, b)
		}
	}
	return p
}

// ratio is the median of new by old.
func (p pairs) ratio() string {
	var all []float64
	for i := range p.old {
		if p.old[i] > 0 {
			all = append(all, p.new[i]/p.old[i])
		}
	}
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", median(all))
}

func count(values []float64) string {
	if len(values) == 0 {
		return ""
	}
	return contest.Significant(median(values))
}

// median of an even number of values is the mean of the two in the middle.
func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
