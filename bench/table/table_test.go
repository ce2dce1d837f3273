package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const figures = `goos: linux
cpu: Some Processor
BenchmarkLoop-2 10 2 floor-ns/node 50 fermata-ns/node 25 fermata-ratio
`

func TestAPageGetsTheFigures(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func() string {
		t.Helper()
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	write("# Page\n\n<!-- bench: figures -->\nold\n<!-- end of figures -->\n\nMore.\n")
	var out strings.Builder
	for range 2 { // the second time it replaces what it has written
		if err := run([]string{"-page", page}, strings.NewReader(figures+"PASS\n"), &out); err != nil {
			t.Fatal(err)
		}
	}
	got := read()
	for _, want := range []string{"# Page\n\n<!-- bench: figures -->\n" + time.Now().Format("2006"), "Some Processor", "| 50.0 ns (25.0x) |\n", "<!-- end of figures -->\n\nMore.\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "old") || strings.Count(got, "| Loop |") != 3 { // times, of processors as well, and allocations
		t.Errorf("the old figures are still there:\n%s", got)
	}
	if err := run([]string{"-page", page}, strings.NewReader(figures+"--- FAIL: BenchmarkWide\nFAIL\n"), &out); err == nil || read() != got {
		t.Errorf("the figures of a failed run are kept: %v", err)
	}
	write("# Page\n")
	if err := run([]string{"-page", page}, strings.NewReader(figures), &out); err == nil || !strings.Contains(err.Error(), "bench: figures") {
		t.Errorf("a page without markers: %v", err)
	}
}
