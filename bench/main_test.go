package bench

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/bench/internal/contest"
	"github.com/fermata-go/fermata/bench/internal/workload"
)

// sized is a number of nodes, runs or entries: with -short, which only shows that everything works, a small one.
func sized(n int) int {
	if testing.Short() {
		return min(n, 100)
	}
	return n
}

// few are all sizes of a workload; with -short, the first.
func few[T any](sizes ...T) []T {
	if testing.Short() {
		return sizes[:1]
	}
	return sizes
}

// wideSizes are the sizes of wide_state; with -short, a smaller one.
func wideSizes() []workload.WideSize {
	if testing.Short() {
		return []workload.WideSize{{Name: "2x20", A: 2, B: 2, N: 20}}
	}
	return workload.WideSizes()
}

// TestBenchmarksRunOnce runs each benchmark once, small, as -short has it. Those that compare ways judge the result of each
// way. Servers are left to `make bench-stores`.
func TestBenchmarksRunOnce(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^$", "-test.bench=.", "-test.skip=^BenchmarkStores$", "-test.benchtime=1x", "-test.short")
	cmd.Env = append(os.Environ(), "FERMATA_WAYS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var table strings.Builder
	if err := contest.Table(&table, bytes.NewReader(out)); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"| ReactAgent/10 | node |", "| default-sqlite |", "| floor-isolated |"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, table.String())
		}
	}
}
