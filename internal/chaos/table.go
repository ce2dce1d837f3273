package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// table shows what was done and what came of it.
func table(out io.Writer, o *options, version string, t *tally, took time.Duration) {
	rule := strings.Repeat("─", 64)
	_, _ = fmt.Fprintf(out, "\n  chaos   %s %s   seed %d   %s\n  %s\n", o.kind, version, o.seed, took.Round(time.Second), rule)
	_, _ = fmt.Fprintf(out, "  %-10s%d workers, lease %s\n", "fleet", o.workers, o.lease)
	label := "faults"
	for _, kind := range kindsOfFaults {
		if n := t.Faults[kind]; n > 0 {
			_, _ = fmt.Fprintf(out, "  %-10s%6d  %s\n", label, n, kind)
			label = ""
		}
	}
	_, _ = fmt.Fprintf(out, "  %s\n", rule)
	_, _ = fmt.Fprintf(out, "  %-10s%6d  of %d completed with all effects and their answer\n", "runs", t.Completed, t.Runs)
	_, _ = fmt.Fprintf(out, "  %-10s%6d  of %d journals' steps\n", "effects", t.Effects, t.Runs)
	_, _ = fmt.Fprintf(out, "  %-10s%6d  repeated with their key, as law J5 allows\n", "", t.Repeated)
	_, _ = fmt.Fprintf(out, "  %-10s%6d  at most once, of an outcome that is not known\n", "", t.Unknown)
	_, _ = fmt.Fprintf(out, "  %s\n", rule)
	for _, r := range []struct {
		name string
		n    int
	}{{"lost", t.Lost}, {"doubled", t.Doubled}, {"stuck", t.Stuck}} {
		sign := "✓"
		if r.n > 0 {
			sign = "✗"
		}
		_, _ = fmt.Fprintf(out, "  %s %-8s%6d\n", sign, r.name, r.n)
	}
	for _, p := range t.Problems {
		_, _ = fmt.Fprintf(out, "\n  %s", p)
	}
	_, _ = fmt.Fprintln(out)
}

// faultsText is a line of faults.
func faultsText(n map[string]int) string {
	var parts []string
	for _, kind := range kindsOfFaults {
		if n[kind] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[kind], kind))
		}
	}
	return strings.Join(parts, ", ")
}
