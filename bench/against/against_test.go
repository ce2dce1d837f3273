package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lines(text string) round {
	old, today, _ := strings.Cut(text, "---\n")
	return round{linesOf(strings.NewReader(old)), linesOf(strings.NewReader(today))}
}

// The ratio is the median of the ratios of each round, not the ratio of the medians: load of a whole round cancels.
func TestTheRatioIsTheMedianOfPairs(t *testing.T) {
	got, err := compared([]round{
		lines(`BenchmarkLoop-2 10 2 floor-ns/node 0 floor-allocs/node 100 default-ns/node 90 default-cpu/node 4 default-allocs/node 50 default-ratio
BenchmarkGone-2 10 2 ns/op
---
BenchmarkLoop-2 10 2 floor-ns/node 0 floor-allocs/node 50 default-ns/node 45 default-cpu/node 1 default-allocs/node 25 default-ratio
BenchmarkChat-2 1 9 ns/op 3 us/visit
`),
		lines(`BenchmarkLoop-2 10 4 floor-ns/node 0 floor-allocs/node 1000 default-ns/node 4 default-allocs/node 50 default-ratio
---
BenchmarkLoop-2 10 4 floor-ns/node 0 floor-allocs/node 600 default-ns/node 1 default-allocs/node 25 default-ratio
BenchmarkChat-2 1 9 ns/op 3 us/visit
`),
		lines(`BenchmarkLoop-2 10 3 floor-ns/node 0 floor-allocs/node 200 default-ns/node 4 default-allocs/node 50 default-ratio
---
BenchmarkLoop-2 10 6 floor-ns/node 0 floor-allocs/node 180 default-ns/node 1 default-allocs/node 25 default-ratio
BenchmarkChat-2 1 9 ns/op 3 us/visit
`),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `| | | per | old | new | new/old | processors | old allocs | new allocs |
|---|---|---|---:|---:|---:|---:|---:|---:|
| Loop | floor | node | 3.00 ns | 4.00 ns | 1.00 |  | 0 | 0 |
| Loop | default | node | 200 ns | 180 ns | 0.60 | 0.50 | 4.00 | 1.00 |

Only in the new tree: Chat
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := compared([]round{lines("---\n")}); err == nil || !strings.Contains(err.Error(), "no benchmark ran in both") {
		t.Errorf("of nothing: %v", err)
	}
}

// A module has two revisions; the first makes ten times as many allocations. The benchmarks of today compile with it, or do
// not: then it has its own, and the log says so.
func TestTwoRevisionsAreCompared(t *testing.T) {
	const bench = "package bench\n\nimport (\n\t\"testing\"\n\n\t\"example.org/m\"\n)\n\n" +
		"func BenchmarkWork(b *testing.B) {\n\tfor b.Loop() {\n\t\tm.Work()\n\t}\n}\n"
	const work = "package m\n\nvar Sink []byte\n\nfunc Work() {\n\tfor range %d {\n\t\tSink = make([]byte, 1000)\n\t}\n}\n"
	for _, c := range []struct {
		name, pkg, tests string
		own              bool // the old revision measures by its own
	}{
		{"the benchmarks of today compile", "bench", strings.ReplaceAll(bench, "BenchmarkWork", "BenchmarkToday"), false},
		{"they do not", "bench", bench + "\nvar _ = m.Today\n", true},
		{"their package is new", "bench/steps", bench, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "go.mod", "module example.org/m\n\ngo 1.26\n")
			write(t, "work.go", fmt.Sprintf(work, 10))
			write(t, "bench/work_test.go", bench)
			git(t, "init", "--quiet")
			git(t, "add", ".")
			git(t, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--message", "first")
			write(t, "work.go", fmt.Sprintf(work, 1)+"\nconst Today = 1\n")
			write(t, c.pkg+"/work_test.go", c.tests)
			var out, log strings.Builder
			args := []string{"-rev", "HEAD", "-benchtime", "100x", "-rounds", "1", "-paths", "-pkg", "./" + c.pkg} // compiles no standard library
			if err := run(t.Context(), args, &out, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), " |  | 10.0 | 1.00 |") {
				t.Errorf("expected 10 allocations and 1:\n%s", out.String())
			}
			if own := strings.Contains(log.String(), "OWN BENCHMARKS"); own != c.own || !strings.Contains(log.String(), " first\" ") {
				t.Errorf("expected own benchmarks %v and the subject of the old revision:\n%s", c.own, log.String())
			}
			if left := strings.Count(git(t, "worktree", "list"), "\n"); left != 1 {
				t.Errorf("%d working trees are left, expected 1", left)
			}
		})
	}
}

func git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := output(t.Context(), ".", "git", args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
