package contest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/bench/internal/contest"
)

// A cost of 100 at each size is flat, one that doubles with the size is linear. Metrics come in alphabetical order.
func TestTheTableSaysHowCostsGrow(t *testing.T) {
	var out strings.Builder
	err := contest.Table(&out, strings.NewReader(`goos: linux
BenchmarkGrowthReact/count-2 1 150 default-stored@x4-ns/node 40 default-stored@x4-cpu/node 9 default-stored@x4-allocs/node 800 default-stored@x4-B/node 110 default-stored@x2-ns/node 20 default-stored@x2-cpu/node 9 default-stored@x2-allocs/node 400 default-stored@x2-B/node 100 default-stored@x1-ns/node 10 default-stored@x1-cpu/node 9 default-stored@x1-allocs/node 200 default-stored@x1-B/node 10 floor@x1-ns/node 20 floor@x2-ns/node 10 floor@x4-ns/node
BenchmarkGrowthMap-2 1 200 default@1000-ns/child 10 default@100-ns/child 99 ns/op
BenchmarkAppend/list-2 1 100 default@1KB-ns/node 7000 default@4MB-ns/node 40 default@16KB-ns/node
`))
	if err != nil {
		t.Fatal(err)
	}
	want := `
| | per | way | at x1 | time at x1, x2, x4 | grows | processors | allocations at x1 | grow | bytes at x1 | grow |
|---|---|---|---:|---:|---|---|---:|---|---:|---|
| GrowthReact/count | node | default-stored | 100 ns | 1.0, 1.1, 1.5 | grows (+0.29) | linear (+1.00) | 9.00 | flat (+0.00) | 200 B | linear (+1.00) |
| GrowthReact/count | node | floor | 10.0 ns | 1.0, 2.0, 1.0 | flat (+0.00) |  | 0 |  | 0 B |  |

| | per | way | at 100 | time at 100, 1000 | grows | processors | allocations at 100 | grow | bytes at 100 | grow |
|---|---|---|---:|---:|---|---|---:|---|---:|---|
| GrowthMap | child | default | 10.0 ns | 1.0, 20.0 | worse than linear (+1.30) |  | 0 |  | 0 B |  |

| | per | way | at 1KB | time at 1KB, 16KB, 4MB | grows | processors | allocations at 1KB | grow | bytes at 1KB | grow |
|---|---|---|---:|---:|---|---|---:|---|---:|---|
| Append/list | node | default | 100 ns | 1.0, 0.4, 70.0 | grows (+0.57) |  | 0 |  | 0 B |  |
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestGrowthMeasuresEachPoint(t *testing.T) {
	var window contest.Window
	runs := map[string]int{}
	at := func(label string, units int) contest.Point {
		return contest.Point{Label: label, Units: units, Contestants: []contest.Contestant{
			{Name: "floor", Run: func() error { runs[label]++; return nil }},
			{Name: "part", Window: &window, Run: func() error { window.Open(); window.Close(); return nil }},
		}}
	}
	result := testing.Benchmark(func(b *testing.B) { contest.Growth(b, "node", at("x1", 10), at("x2", 20)) })
	if runs["x1"] == 0 || runs["x2"] == 0 {
		t.Errorf("runs: %v", runs)
	}
	for _, name := range []string{"floor@x1-ns/node", "part@x2-ns/node", "part@x2-allocs/node", "part@x1-cpu/node"} {
		if _, ok := result.Extra[name]; !ok {
			t.Errorf("%s is not reported: %v", name, result.Extra)
		}
	}
}
