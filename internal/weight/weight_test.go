package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func light() *weight {
	return &weight{
		size: maxSize, cpu: maxCPU, memory: maxMemory,
		packages: map[string]string{"fmt": standard, "example.com/a.b/v2": "example.com/a.b/v2", own + "/cmd/fermata": own},
		modules: map[string]*module{
			standard: {name: standard, packages: 1, size: 2_000_000, cpu: 3 * time.Second, memory: 50_000_000}, own: {name: own, packages: 1},
			"example.com/a.b/v2": {name: "example.com/a.b/v2", packages: 1, size: 500_000, cpu: 500 * time.Millisecond, memory: 9_000_000},
		},
	}
}

// What is within the budget is no fault, and everything above it is one.
func TestFaults(t *testing.T) {
	allowed := []string{"example.com/a.b/v2"}
	if got := light().faults(allowed); got != nil {
		t.Errorf("faults within the budget: %q", got)
	}
	w := light()
	w.cpu += time.Second
	w.memory += 1e5
	w.size += 1e5
	for range maxPackages {
		w.packages[strings.Repeat("x", len(w.packages))] = standard
	}
	want := []string{
		"CPU time of a clean build: 2m31s, and the budget is 2m30s",
		"memory of a clean build: 1073.8 MB, and the budget is 1073.7 MB",
		"stripped binary: 45.1 MB, and the budget is 45.0 MB",
		"linked packages: 603, and the budget is 600",
		"example.com/a.b/v2 is linked, and is not in internal/weight/modules.txt: leave it out, or add it there and give the reason in the change",
		"example.com/c is in internal/weight/modules.txt, and is not linked: take it out",
	}
	if diff := cmp.Diff(want, w.faults([]string{"example.com/c"})); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestPrint(t *testing.T) {
	var out strings.Builder
	if err := light().print(&out, true); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(out.String()), " ")
	for _, line := range []string{
		"CPU time of a clean build 150 s 150 s", "memory of its largest process 1073.7 MB 1073.7 MB", "stripped binary 45.0 MB 45.0 MB",
		"linked packages 3 600", "linked modules 1 as listed", "heaviest modules packages code CPU memory", "std 1 2.0 MB 3.0 s 50.0 MB",
		"example.com/a.b/v2 1 0.5 MB 0.5 s 9.0 MB",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("%q is not in\n%s", line, out.String())
		}
	}
}

// Symbols are of the package whose path they begin with.
func TestPackageOf(t *testing.T) {
	w := light()
	for symbol, want := range map[string]string{
		"fmt.Println":                              "fmt",
		"fmt.(*pp).printArg":                       "fmt",
		"example.com/a.b/v2.Do":                    "example.com/a.b/v2",
		"example.com/a%2eb/v2.(*T).Do":             "example.com/a.b/v2",
		"type:.eq.example.com/a.b/v2.T":            "example.com/a.b/v2",
		"go:itab.*example.com/a.b/v2.T,io.Reader":  "example.com/a.b/v2",
		"example.com/a.b/v2.Map[go.shape.string]":  "example.com/a.b/v2",
		"main.main":                                own + "/cmd/fermata",
		"runtime.etext":                            "",
		"go:string.*":                              "",
		"$f64.3ff0000000000000":                    "",
		"example.com/a.b/v2/internal/other.Handle": "",
	} {
		if got := w.packageOf(symbol); got != want {
			t.Errorf("%s is of %q, want %q", symbol, got, want)
		}
	}
}
