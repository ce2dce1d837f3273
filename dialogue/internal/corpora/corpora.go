package corpora

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Dir is the folder that holds the corpora. It skips the test where there is none.
func Dir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("FERMATA_CORPORA")
	if dir == "" {
		dir = filepath.FromSlash("../../../../shared/corpora") // beside the project
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no corpora at %s: set FERMATA_CORPORA to their folder", dir)
	}
	return dir
}

// Outcome is how one text was understood.
type Outcome int

// The outcomes.
const (
	Right Outcome = iota // it was taken for what it means
	Asked                // it was asked about, or refused
	Wrong                // it was taken for something else
)

// Miss is a text that was not understood rightly.
type Miss struct{ Said, Want, Got string }

// Table counts the outcomes of a corpus by row, such as "en date".
type Table struct {
	Corpus string
	rows   map[string]*row
}

type row struct {
	count [3]int
	wrong []Miss
	asked []Miss
}

// Add counts a text. The miss says what was expected and what came, where it was not understood rightly.
func (t *Table) Add(name string, o Outcome, m Miss) {
	if t.rows == nil {
		t.rows = make(map[string]*row)
	}
	r := t.rows[name]
	if r == nil {
		r = new(row)
		t.rows[name] = r
	}
	r.count[o]++
	switch o {
	case Wrong:
		r.wrong = append(r.wrong, m)
	case Asked:
		r.asked = append(r.asked, m)
	}
}

// Check logs the table, and fails where a row has more wrong texts than its budget. Run with -v for the table, and with
// FERMATA_CORPORA_SHOW=wrong or =all for the misses too.
func (t *Table) Check(tb testing.TB) {
	tb.Helper()
	budget := readBudget(tb)
	show := os.Getenv("FERMATA_CORPORA_SHOW")
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s %6s %7s %7s %7s\n", t.Corpus, "texts", "right", "asked", "wrong")
	for _, name := range slices.Sorted(maps.Keys(t.rows)) {
		r := t.rows[name]
		all := r.count[Right] + r.count[Asked] + r.count[Wrong]
		fmt.Fprintf(&b, "%-28s %6d", name, all)
		for _, n := range r.count {
			fmt.Fprintf(&b, " %6.1f%%", 100*float64(n)/float64(all))
		}
		b.WriteString("\n")
		key := t.Corpus + " " + name
		if most, ok := budget[key]; !ok {
			tb.Errorf("%s: testdata/budget.txt has no line for it", key)
		} else if r.count[Wrong] > most {
			tb.Errorf("%s: %d are wrong, the budget is %d: FERMATA_CORPORA_SHOW=wrong lists them", key, r.count[Wrong], most)
		}
		if show != "" {
			writeMisses(&b, "wrong", r.wrong)
		}
		if show == "all" {
			writeMisses(&b, "asked", r.asked)
		}
	}
	tb.Logf("\n%s", b.String())
}

func writeMisses(b *strings.Builder, what string, misses []Miss) {
	for _, m := range misses {
		fmt.Fprintf(b, "  %s: %q: expected %s, got %s\n", what, m.Said, m.Want, m.Got)
	}
}

// readBudget reads how many wrong texts each row may have: lines such as "values en date 3".
func readBudget(tb testing.TB) map[string]int {
	tb.Helper()
	data, err := os.ReadFile("testdata/budget.txt")
	if err != nil {
		tb.Fatal(err)
	}
	budget := make(map[string]int)
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		at := strings.LastIndexByte(line, ' ')
		if line == "" || line[0] == '#' || at < 0 {
			continue
		}
		var n int
		if _, err := fmt.Sscan(line[at+1:], &n); err != nil {
			tb.Fatalf("testdata/budget.txt: %q: expected a row and a number", line)
		}
		budget[strings.TrimSpace(line[:at])] = n
	}
	return budget
}
