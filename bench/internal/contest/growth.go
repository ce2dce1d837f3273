package contest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// Point is the same work at one size.
type Point struct {
	Label       string       // such as "x2", "16KB" or "500"
	Units       int          // how many one run does
	Contestants []Contestant // the same at each point
}

// Growth measures contestants at several sizes of the work, all alternately. Reported are, for a contestant x at a label L,
// x@L-ns/unit in its best turn, and likewise cpu, allocs and B. FERMATA_WAYS and -short are as in [Between].
func Growth(b *testing.B, unit string, points ...Point) {
	b.Helper()
	var all []*record
	for _, p := range points {
		for _, r := range chosen(b, p.Units, p.Contestants) {
			r.Name += "@" + p.Label
			all = append(all, r)
		}
	}
	take(b, all)
	for _, r := range all {
		r.report(b, r.Name, unit)
	}
}

// curve is what a unit costs one contestant at each size.
type curve struct {
	benchmark, unit, who string
	labels               []string
	sizes                []float64 // of the labels
	time, cpu            []float64
	allocs, bytes        []float64
}

// curvesOf finds the contestants of a line whose sizes grow.
func curvesOf(l Line) []*curve {
	var all []*curve
	byName := make(map[string]*curve)
	for _, u := range l.Units {
		name, unit, ok := strings.Cut(u, "-ns/")
		who, label, also := strings.Cut(name, "@")
		if !ok || !also {
			continue
		}
		size, err := magnitude(label)
		if err != nil {
			continue
		}
		c := byName[who]
		if c == nil {
			c = &curve{benchmark: l.Name, unit: unit, who: who}
			byName[who] = c
			all = append(all, c)
		}
		c.labels, c.sizes = append(c.labels, label), append(c.sizes, size)
		c.time, c.cpu = append(c.time, l.Values[u]), append(c.cpu, l.Values[name+"-cpu/"+unit])
		c.allocs, c.bytes = append(c.allocs, l.Values[name+"-allocs/"+unit]), append(c.bytes, l.Values[name+"-B/"+unit])
	}
	for _, c := range all {
		c.sort()
	}
	return all
}

// magnitude is the number that a label says: 2 for x2, 16384 for 16KB, 500 for 500.
func magnitude(label string) (float64, error) {
	text, factor := strings.TrimPrefix(label, "x"), 1.0
	for i, unit := range []string{"KB", "MB"} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			text, factor = number, math.Pow(1024, float64(i+1))
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%q is no size: write x2, 16KB or 500", label)
	}
	return n * factor, nil
}

// sort puts the points in the order of their sizes: metrics are printed in alphabetical order.
func (c *curve) sort() {
	for i := range c.sizes {
		for k := i; k > 0 && c.sizes[k] < c.sizes[k-1]; k-- {
			c.labels[k], c.labels[k-1] = c.labels[k-1], c.labels[k]
			for _, list := range [][]float64{c.sizes, c.time, c.cpu, c.allocs, c.bytes} {
				list[k], list[k-1] = list[k-1], list[k]
			}
		}
	}
}

// Exponents from which on a cost is called something else than the one before.
const (
	flat   = 0.15
	linear = 0.85
	steep  = 1.15
)

// growth says how values grow with sizes: as multiples of the first, and as the exponent of the power that fits them best.
func growth(sizes, values []float64) (multiples, word string) {
	if values[0] == 0 {
		return "", ""
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.FormatFloat(v/values[0], 'f', 1, 64)
	}
	e := exponent(sizes, values)
	switch {
	case e < -flat:
		word = "falls"
	case e < flat:
		word = "flat"
	case e < linear:
		word = "grows"
	case e < steep:
		word = "linear"
	default:
		word = "worse than linear"
	}
	return strings.Join(texts, ", "), fmt.Sprintf("%s (%+.2f)", word, e)
}

// exponent is e in value = c * size^e, by least squares of the logarithms.
func exponent(sizes, values []float64) float64 {
	var x, y, xx, xy float64
	n := float64(len(sizes))
	for i := range sizes {
		a, b := math.Log(sizes[i]), math.Log(max(values[i], 1e-9))
		x, y, xx, xy = x+a, y+b, xx+a*a, xy+a*b
	}
	if d := n*xx - x*x; d > 0 {
		return (n*xy - x*y) / d
	}
	return 0
}

// growthTable has a line for each curve: what a unit costs at the first size, and how that grows. Curves with the same sizes
// are together.
func growthTable(curves []*curve) string {
	var order []string
	groups := make(map[string]string)
	for _, c := range curves {
		labels := strings.Join(c.labels, ", ")
		if groups[labels] == "" {
			first := c.labels[0]
			order = append(order, labels)
			groups[labels] = fmt.Sprintf("\n| | per | way | at %s | time at %s | grows | processors | allocations at %s | grow | bytes at %s | grow |\n"+
				"|---|---|---|---:|---:|---|---|---:|---|---:|---|\n", first, labels, first, first)
		}
		times, word := growth(c.sizes, c.time)
		_, cpu := growth(c.sizes, c.cpu)
		_, allocs := growth(c.sizes, c.allocs)
		_, bytes := growth(c.sizes, c.bytes)
		groups[labels] += fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", c.benchmark, c.unit, c.who,
			Duration(c.time[0]), times, word, cpu, Significant(c.allocs[0]), allocs, Bytes(c.bytes[0]), bytes)
	}
	var text strings.Builder
	for _, labels := range order {
		text.WriteString(groups[labels])
	}
	return text.String()
}
