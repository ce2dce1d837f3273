package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

const (
	begins = "<!-- bench: figures -->\n"
	ends   = "<!-- end of figures -->"
)

// replaced is a page with other figures.
func replaced(page, figures string) (string, error) {
	before, rest, ok := strings.Cut(page, begins)
	_, after, also := strings.Cut(rest, ends)
	if !ok || !also {
		return "", fmt.Errorf("the page has no lines %q and %q", strings.TrimSpace(begins), strings.TrimSpace(ends))
	}
	return before + begins + figures + "\n" + ends + after, nil
}

// conditions say when and where the figures were measured: the machine from the output of go test, and how loaded it is.
func conditions(lines string, at time.Time) string {
	machine := "an unknown processor"
	for line := range strings.Lines(lines) {
		if cpu, ok := strings.CutPrefix(line, "cpu: "); ok {
			machine = strings.TrimSpace(cpu)
		}
	}
	text := fmt.Sprintf("%s, %d cores of %s, %s, %s.", at.Format(time.DateOnly), runtime.NumCPU(), machine, runtime.GOOS, runtime.Version())
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		if fields := strings.Fields(string(load)); len(fields) > 2 {
			text += fmt.Sprintf(" Load average over the last 5 minutes: %s (of all that ran on the machine).", fields[1])
		}
	}
	return text
}
