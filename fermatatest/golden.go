package fermatatest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// updateVariable is the environment variable that has files in testdata written, and not compared or read.
const updateVariable = "FERMATA_UPDATE"

// Golden compares a run's transcript with the file testdata/<name of the test>.golden. The file is a transcript of the
// run's journal for people: each task with what it was given, what it called, asked and said, what it gave and where it
// went. It is there to be read, and reviewed when it changes.
//
// With FERMATA_UPDATE=1 in the environment the file is written instead. (It is no flag: a flag that a library registers
// is there in every test binary that imports it, and an "-update" of the test's own would panic.)
//
// The transcript does not depend on what finished first: tasks stand in declared order, and those behind an Each join,
// which are numbered in the order in which they came, in the order of what they did. Ids, times, numbers of entries and
// tokens are left out; what a node puts into its values is not: hand the time to it by a [Clock]. Where a run fails
// beside other branches, how far these have come differs from run to run.
func Golden(t testing.TB, rt *fermata.Runtime, p *plan.Plan, run string) {
	t.Helper()
	var entries []journal.Entry
	for e, err := range rt.Events(t.Context(), run, 0, false) {
		if err != nil {
			t.Fatalf("golden: the journal of run %s cannot be read: %v", run, err)
			return
		}
		if e.Sub == 0 {
			entries = append(entries, e.Entry)
		}
	}
	told, err := transcribe(p, entries)
	if err != nil {
		t.Fatalf("golden: the journal of run %s cannot be told: %v", run, err)
		return
	}
	text := strings.ReplaceAll(told.text(newComparison(p)), run, "run_…")
	compareGolden(t, filepath.Join("testdata", filepath.FromSlash(t.Name())+".golden"), text)
}

func compareGolden(t testing.TB, file, text string) {
	t.Helper()
	if os.Getenv(updateVariable) != "" {
		writeGolden(t, file, text)
		return
	}
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.Errorf("golden: there is no %s yet; run the test with %s=1 to write it:\n%s", file, updateVariable, text)
	case err != nil:
		t.Fatalf("golden: %v", err)
	default:
		want := strings.ReplaceAll(string(data), "\r\n", "\n")
		if diff := lineDiff(strings.Split(want, "\n"), strings.Split(text, "\n"), 3); diff != "" {
			t.Errorf("golden: the run does something else than %s says (- the file, + the run):\n%s"+
				"if that is right, run the test with %s=1 and review the change", file, diff, updateVariable)
		}
	}
}

func writeGolden(t testing.TB, file, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatalf("golden: %v", err)
	}
}

// text is a transcript that does not depend on what finished first.
func (t *transcript) text(c *comparison) string {
	groups := c.visits(t)
	labels := make([]string, 0, len(groups))
	for label := range groups {
		labels = append(labels, label)
	}
	slices.SortFunc(labels, func(a, b string) int {
		return cmp.Or(cmp.Compare(groups[a][0].index, groups[b][0].index), natural(a, b))
	})
	var b strings.Builder
	say := func(head string, parts ...[]string) {
		b.WriteString(head + "\n")
		for _, line := range slices.Concat(parts...) {
			b.WriteString("  " + strings.ReplaceAll(line, "\n", "\n    ") + "\n")
		}
	}
	say(t.head, []string{"given " + t.input})
	for _, label := range labels {
		for _, v := range groups[label] {
			say(label, v.given(), v.did())
		}
	}
	switch {
	case t.ended == "":
		say("not over yet")
	case t.output != "":
		say(t.ended, []string{"gives " + t.output})
	default:
		say(t.ended)
	}
	return b.String()
}

// natural compares texts with numbers in them: "a#2" comes before "a#10".
func natural(a, b string) int {
	digits := func(s string) string { return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))] }
	for a != "" && b != "" {
		if m, n := digits(a), digits(b); m != "" && n != "" {
			if d := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); d != 0 {
				return d
			}
			a, b = a[len(m):], b[len(n):]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// difference shows what is only in one of two values (-) and only in the other (+), as JSON; nothing where both are equal.
// Lists of lines are shown as lines.
func difference(was, is any) string {
	if reflect.DeepEqual(was, is) {
		return ""
	}
	if diff := lineDiff(linesOf(was), linesOf(is), 2); diff != "" {
		return diff
	}
	return fmt.Sprintf("  - %#v\n  + %#v\n", was, is)
}

func linesOf(v any) []string {
	if lines, ok := v.([]string); ok {
		return lines
	}
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return []string{fmt.Sprintf("%+v", v)}
	}
	return strings.Split(string(data), "\n")
}

// lineDiff shows what is only in a (-) and only in b (+), with so many lines around it (-1: with all of them); nothing
// where both are equal.
func lineDiff(a, b []string, around int) string {
	if slices.Equal(a, b) {
		return ""
	}
	common := make([][]int, len(a)+1) // how many lines the rests have in common
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := range slices.Backward(a) {
		for j := len(b) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); a[i] == b[j] {
				common[i][j] = 1 + common[i+1][j+1]
			}
		}
	}
	var list []string
	var changed []int
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			list = append(list, "    "+a[i])
			i, j = i+1, j+1
			continue
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			list = append(list, "  - "+a[i])
			i++
		default:
			list = append(list, "  + "+b[j])
			j++
		}
		changed = append(changed, len(list)-1)
	}
	var out strings.Builder
	last := -1
	for i, line := range list {
		near := slices.ContainsFunc(changed, func(c int) bool { return around < 0 || c-around <= i && i <= c+around })
		if !near {
			continue
		}
		if i > last+1 {
			fmt.Fprintf(&out, "  … %d lines\n", i-last-1)
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
		last = i
	}
	return out.String()
}
