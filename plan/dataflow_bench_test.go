package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/plan"
)

// sizes are large dataflows, each of some 10,000 nodes.
func sizes(t testing.TB) map[string]plan.Definition {
	const n, wide, branches = 10_000, 100, 50
	var layers, row, star, exclusive, loops strings.Builder
	for i := range n {
		layer := i - i%wide - wide
		read := func(k int) string {
			if layer < 0 {
				return fmt.Sprintf("in%d", k)
			}
			return fmt.Sprintf("v%d", layer+(i+k*37)%wide)
		}
		fmt.Fprintf(&layers, "n%d: %s %s %s > v%d\n", i, read(0), read(1), read(2), i)
		fmt.Fprintf(&row, "n%d: v%d v%d v%d > v%d\n", i, i-1, i-2, i-3, i)
		fmt.Fprintf(&star, "n%d: first second third > v%d\n", i, i)
	}
	star.WriteString("begin: x > first second third\nend: " + many("v", n) + " > all\n")
	exclusive.WriteString("gate: x ? " + many("b0_", branches) + "\nend: v\n")
	for k := range n / branches {
		at, to := fmt.Sprintf("x y%d z", k), fmt.Sprintf("w%d_%%", k)
		if k > 0 {
			at = fmt.Sprintf("x z w%d_%%", k-1)
		}
		if k == n/branches-1 {
			to = "v"
		}
		exclusive.WriteString(lines(fmt.Sprintf("b%d_%%: %s > %s", k, at, to), branches))
	}
	for i := range n / 4 {
		fmt.Fprintf(&loops, "a%d: p%d q%d? r%d? > s%d\nb%d: s%d > q%d t%d\nc%d: s%d > r%d p%d\ng%d: t%d ? a%d END\n",
			i, i, i, i, i, i, i, i, i, i, i, i, i+1, i, i, i)
	}
	return map[string]plan.Definition{
		"wide": flow(t, "wide", layers.String()), "deep": flow(t, "deep", row.String()), "star": flow(t, "star", star.String()),
		"exclusive": flow(t, "exclusive", exclusive.String()), "loops": flow(t, "loops", loops.String()),
	}
}

// What it costs to make a plan of a large dataflow.
func BenchmarkDataflow(b *testing.B) {
	for name, def := range sizes(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				wired(b, def)
			}
		})
	}
}

// What it costs to draw one.
func BenchmarkDataflowText(b *testing.B) {
	for name, def := range sizes(b) {
		p := wired(b, def)
		for form, draw := range map[string]func() string{"text": p.Text, "mermaid": p.Mermaid, "dot": p.DOT} {
			b.Run(name+"-"+form, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					draw()
				}
			})
		}
	}
}
