package contest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/bench/internal/contest"
)

func TestTable(t *testing.T) {
	var out strings.Builder
	err := contest.Table(&out, strings.NewReader(`goos: linux
BenchmarkLoop10000-2   	      10	         1.750 floor-ns/node	         0 floor-allocs/node	         0 floor-B/node	       385.0 memory-ns/node	       400.0 memory-cpu/node	         2.500 memory-allocs/node	      1200 memory-B/node	       220.0 memory-ratio
BenchmarkSQLite/NORMAL/react/100-2 	 3	 12000 driver-ns/commit	 18000 fermata-ns/commit	 1.5 fermata-ratio
BenchmarkCache-2   	      10	         1.750 ns/op
PASS
`))
	if err != nil {
		t.Fatal(err)
	}
	want := `| | per | floor | memory | driver | fermata |
|---|---|---:|---:|---:|---:|
| Loop10000 | node | 1.75 ns | 385 ns (220x) | - | - |
| SQLite/NORMAL/react/100 | commit | - | - | 12.0 µs | 18.0 µs (1.50x) |

Time of processors, of all threads; other load affects it less:

| | per | floor | memory | driver | fermata |
|---|---|---:|---:|---:|---:|
| Loop10000 | node | - | 400 ns | - | - |
| SQLite/NORMAL/react/100 | commit | - | - | - | - |

Allocations, and bytes that they take:

| | per | floor | memory | driver | fermata |
|---|---|---:|---:|---:|---:|
| Loop10000 | node | 0 (0 B) | 2.50 (1.20 KB) | - | - |
| SQLite/NORMAL/react/100 | commit | - | - | - | - |
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	if err := contest.Table(&out, strings.NewReader("PASS\n")); err == nil || !strings.Contains(err.Error(), "floor-ns/node") {
		t.Errorf("of nothing: %v", err)
	}
}
