package contest

import (
	"strconv"
	"strings"
)

// Line is what one line of a benchmark's output says.
type Line struct {
	Name   string             // without "Benchmark" and the number of processors
	Values map[string]float64 // by unit, such as "ns/op"
	Units  []string           // in the order of the line
}

// Parse reads a line such as "BenchmarkLoop-2  10  1.7 floor-ns/node  380 memory-ns/node".
func Parse(text string) (Line, bool) {
	fields := strings.Fields(text)
	if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
		return Line{}, false
	}
	l := Line{Name: strings.TrimPrefix(fields[0], "Benchmark"), Values: make(map[string]float64)}
	if cut := strings.LastIndexByte(l.Name, '-'); cut > 0 {
		if _, err := strconv.Atoi(l.Name[cut+1:]); err == nil {
			l.Name = l.Name[:cut]
		}
	}
	for i := 2; i+1 < len(fields); i += 2 {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return Line{}, false
		}
		l.Values[fields[i+1]] = v
		l.Units = append(l.Units, fields[i+1])
	}
	return l, true
}
