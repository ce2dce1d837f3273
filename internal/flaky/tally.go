package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// event is a line of go test -json.
type event struct {
	Action     string
	Package    string
	ImportPath string // of what did not compile
	Test       string
	Elapsed    float64 // seconds
	Output     string
}

// key names a test, or a package where test is "".
type key struct{ pkg, test string }

func (k key) String() string { return strings.TrimSpace(k.pkg + " " + k.test) }

// result is what became of one test, or of a package, over all runs.
type result struct {
	runs, failures int
	slowest        time.Duration
	cpu            time.Duration // of a package, when it used most
	said           string        // its output when it failed first
}

// tally counts what became of every test.
type tally struct {
	passes   int // of tests
	failures int // of tests, and of packages without a test that failed
	results  map[key]*result
	output   map[key][]string // of those that have not ended
	broken   map[string]bool  // the packages of this run in which a test failed
	live     io.Writer        // is told of failures at once; nil for nobody
}

func newTally() *tally {
	return &tally{results: make(map[key]*result), output: make(map[key][]string)}
}

// keptLines is how much of a failure's output the summary shows.
const keptLines = 60

// read adds the events of the tests of a package or of several, as go test -json writes them. A line that is none of its events is the output of a build.
func (a *tally) read(lines io.Reader) error {
	a.broken = make(map[string]bool)
	clear(a.output)
	r := bufio.NewReader(lines)
	for {
		line, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			e := event{Action: "output", Output: string(line)}
			if line[0] == '{' {
				if err := json.Unmarshal(line, &e); err != nil {
					return fmt.Errorf("go test -json: %w in %s", err, line)
				}
			}
			a.add(e)
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

func (a *tally) add(e event) {
	k := key{cmp.Or(e.Package, e.ImportPath), e.Test}
	switch e.Action {
	case "output", "build-output":
		if !strings.HasPrefix(e.Output, "=== ") { // a test begins, waits or goes on
			a.output[k] = append(a.output[k], e.Output)
			if n := len(a.output[k]); n > keptLines { // the first half stays: a race says at first where it is
				a.output[k] = slices.Delete(a.output[k], keptLines/2, keptLines/2+n-keptLines)
			}
		}
	case "pass":
		a.ended(k, e, false)
	case "fail", "build-fail":
		a.ended(k, e, true)
	}
}

// ended counts the end of a test or of a package. A package fails with its tests: it counts by itself where none of them did.
func (a *tally) ended(k key, e event, failed bool) {
	said := strings.Join(a.output[k], "")
	delete(a.output, k)
	r := a.results[k]
	if r == nil {
		r = new(result)
		a.results[k] = r
	}
	r.runs++
	r.slowest = max(r.slowest, time.Duration(e.Elapsed*float64(time.Second)))
	switch {
	case !failed && k.test != "":
		a.passes++
	case failed && (k.test != "" || !a.broken[k.pkg]):
		a.broken[k.pkg] = true
		if r.failures++; r.failures == 1 {
			r.said = said
		}
		if a.live != nil {
			_, _ = fmt.Fprintf(a.live, "failed: %s\n", k)
			if r.failures == 1 {
				_, _ = fmt.Fprint(a.live, indented(said))
			}
		}
		a.failures++
	}
}

// lasted notes how long the tests of a package took and what they used, which the events of one that ran by itself do not say.
func (a *tally) lasted(b *binary) {
	if r := a.results[key{b.Package, ""}]; r != nil {
		r.slowest, r.cpu = max(r.slowest, b.took), max(r.cpu, b.cpu)
	}
}

// summary lists what failed, most often first, and the slowest where that is asked for.
func (a *tally) summary(out io.Writer, slow int) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) }
	failed := slices.DeleteFunc(a.sorted(func(r *result) int { return -r.failures }), func(k key) bool { return a.results[k].failures == 0 })
	for _, k := range failed {
		r := a.results[k]
		say("\nFAILED %d of %d  %s\n", r.failures, r.runs, k)
		say("%s", indented(r.said))
	}
	byTime := a.sorted(func(r *result) int { return -int(r.slowest) })
	if slow > 0 {
		say("\nThe slowest packages: time and CPU\n")
		packages := slices.DeleteFunc(slices.Clone(byTime), func(k key) bool { return k.test != "" })
		for _, k := range packages[:min(slow, len(packages))] {
			say("%8.2fs %8.2fs  %s\n", a.results[k].slowest.Seconds(), a.results[k].cpu.Seconds(), k)
		}
		say("\nThe slowest tests:\n")
		tests := slices.DeleteFunc(byTime, func(k key) bool { return k.test == "" || a.hasParts(k) })
		for _, k := range tests[:min(slow, len(tests))] {
			say("%8.2fs  %s\n", a.results[k].slowest.Seconds(), k)
		}
	}
	say("\n%d tests passed, %d failures in %d tests\n", a.passes, a.failures, len(failed))
}

// indented is the output of a test, moved to the right.
func indented(said string) string {
	var b strings.Builder
	for line := range strings.Lines(said) {
		b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

// sorted lists the tests and packages by a number, and by name where that is the same.
func (a *tally) sorted(by func(*result) int) []key {
	return slices.SortedFunc(maps.Keys(a.results), func(x, y key) int {
		return cmp.Or(cmp.Compare(by(a.results[x]), by(a.results[y])), cmp.Compare(x.pkg, y.pkg), cmp.Compare(x.test, y.test))
	})
}

// hasParts reports whether a test has subtests.
func (a *tally) hasParts(k key) bool {
	for other := range a.results {
		if other.pkg == k.pkg && strings.HasPrefix(other.test, k.test+"/") {
			return true
		}
	}
	return false
}
