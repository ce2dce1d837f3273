package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// table writes verdicts as they come, and those that matter again at the end.
type table struct {
	out   io.Writer
	began time.Time
	width int // of titles
	n, of int
}

// widest is how much of a title is shown.
const widest = 72

// signs are how outcomes are shown.
var signs = map[string]string{killed: "✓", survived: "✗", stale: "✗", broken: "✗", skipped: "-"}

func (t *table) head(all []mutant) {
	for _, m := range all {
		t.width = max(t.width, min(utf8.RuneCountInString(m.Title), widest))
	}
	t.of = len(all)
	_, _ = fmt.Fprintf(t.out, "\n  %d mutants, after %s for their tests without any\n\n", len(all), time.Since(t.began).Round(time.Second))
	_, _ = fmt.Fprintf(t.out, "  %7s    %-4s  %-*s  %6s  %s\n", "", "law", t.width, "the engine, broken", "took", "noticed by")
}

func (t *table) row(v verdict) {
	t.n++
	by := v.By
	if v.Outcome != killed {
		by = v.Outcome
	}
	_, _ = fmt.Fprintf(t.out, "  %3d/%-3d  %s %-4s  %-*s  %6s  %s\n", t.n, t.of, signs[v.Outcome], v.Law, t.width, cut(v.Title, t.width),
		v.Took.Round(100*time.Millisecond), by)
}

func (t *table) foot(verdicts []verdict) {
	count := make(map[string]int)
	for _, v := range verdicts {
		count[v.Outcome]++
	}
	for _, v := range verdicts {
		if v.Outcome == killed {
			continue
		}
		_, _ = fmt.Fprintf(t.out, "\n  %s %s: law %s: %s\n      %s in %s\n      %s\n", signs[v.Outcome], v.Outcome, v.Law, v.Title, v.at, v.File,
			strings.ReplaceAll(v.Detail, "\n", "\n      "))
	}
	_, _ = fmt.Fprintf(t.out, "\n  %d mutants  %d killed  %d survived  %d stale  %d broken  %d skipped   %s\n\n", len(verdicts), count[killed],
		count[survived], count[stale], count[broken], count[skipped], time.Since(t.began).Round(time.Second))
}

// cut shortens a text to n characters.
func cut(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n-1]) + "…"
}
