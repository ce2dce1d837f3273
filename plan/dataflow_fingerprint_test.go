package plan_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/plan"
)

// baseFlow is a dataflow with something of everything that a fingerprint covers.
func baseFlow(t testing.TB) plan.Definition {
	return flow(t, "base", `
		search: query/string top_k?/integer > docs/array scores/array
		rank: docs/array scores/array > best/array
		check: best/array ? search=again answer=enough END
		answer: best/array query/string > reply/string
	`)
}

// changed are the fingerprints of a dataflow before and after a change, and what Diff says about it.
func changed(t *testing.T, change func(*plan.Definition)) (before, after string, changes plan.Changes) {
	t.Helper()
	def := baseFlow(t)
	change(&def)
	older, newer := wired(t, baseFlow(t)), wired(t, def)
	changes, err := plan.Diff(older.Outline(), newer.Outline())
	if err != nil {
		t.Fatal(err)
	}
	return older.Fingerprint(), newer.Fingerprint(), changes
}

// J8: the order of nodes and of their values, names of types, labels and code do not pin a run of a dataflow.
func TestJ8_FingerprintOfDataflowsIgnores(t *testing.T) {
	for name, change := range map[string]func(*plan.Definition){
		"the order of nodes":   func(d *plan.Definition) { slices.Reverse(d.Nodes) },
		"the order of choices": func(d *plan.Definition) { slices.Reverse(d.Edges) },
		"the order of values": func(d *plan.Definition) {
			slices.Reverse(d.Nodes[0].Flow.Inputs)
			slices.Reverse(d.Nodes[0].Flow.Outputs)
		},
		"names of types": func(d *plan.Definition) { d.Nodes[0].Flow.Inputs[0].Type = "main.Query" },
		"prose of a schema": func(d *plan.Definition) {
			d.Nodes[0].Flow.Inputs[0].Schema = []byte(`{"description":"words", "type":"string"}`)
		},
		"labels": func(d *plan.Definition) { d.Edges[0].Label = "words" },
		"code":   func(d *plan.Definition) { d.Nodes[0].Run, d.Nodes[0].Flow.Gather = nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			if before, after, changes := changed(t, change); before != after || !changes.Empty() {
				t.Errorf("the fingerprint %s became %s: %s", before, after, changes)
			}
		})
	}
}

// J8: what nodes read and write pins it, and Diff says in words what changed.
func TestJ8_FingerprintOfDataflowsCovers(t *testing.T) {
	port := func(text string) plan.Port { return ports(text)[0] }
	for want, change := range map[string]func(*plan.Definition){
		`node rank: it does not read "scores" any more`: func(d *plan.Definition) { d.Nodes[1].Flow.Inputs = d.Nodes[1].Flow.Inputs[:1] },
		`node rank: it reads "limit" now`: func(d *plan.Definition) {
			d.Nodes[1].Flow.Inputs = append(d.Nodes[1].Flow.Inputs, port("limit"))
		},
		`node rank: it reads "limit" now, where there is one`: func(d *plan.Definition) {
			d.Nodes[1].Flow.Inputs = append(d.Nodes[1].Flow.Inputs, port("limit?"))
		},
		`node search: it can do without "query" now`:         func(d *plan.Definition) { d.Nodes[0].Flow.Inputs[0].Optional = true },
		`node search: it cannot do without "top_k" any more`: func(d *plan.Definition) { d.Nodes[0].Flow.Inputs[1].Optional = false },
		`node rank: it reads "docs" as another type now`:     func(d *plan.Definition) { d.Nodes[1].Flow.Inputs[0] = port("docs/object") },
		`node rank: it writes "best" as another type now`:    func(d *plan.Definition) { d.Nodes[1].Flow.Outputs[0].Schema = nil },
		`node search: it cannot do without "top_k" any more; node search: it reads "top_k" as another type now`: func(d *plan.Definition) {
			d.Nodes[0].Flow.Inputs[1] = port("top_k/number")
		},
		`node answer: it writes "text" now; node answer: it does not write "reply" any more`: func(d *plan.Definition) {
			d.Nodes[3].Flow.Outputs[0].Name = "text"
		},
		`node answer removed; choice edge check -> answer removed`: func(d *plan.Definition) {
			d.Nodes, d.Edges = d.Nodes[:3], slices.Delete(d.Edges, 1, 2)
		},
		`node load added; node search: it reads "index" now; the entry was search and is load`: func(d *plan.Definition) {
			d.Nodes = append(d.Nodes, flow(t, "more", "load: path > index").Nodes...)
			d.Nodes[0].Flow.Inputs = append(d.Nodes[0].Flow.Inputs, port("index"))
		},
	} {
		t.Run(want, func(t *testing.T) {
			before, after, changes := changed(t, change)
			if before == after {
				t.Error("the fingerprint did not change")
			}
			if diff := cmp.Diff(want, changes.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// J8: values of other names, or of other types, do not look alike in an outline.
func TestJ8_ValuesAreToldApart(t *testing.T) {
	typed := []byte(`{"type":"string"}`)
	seen := make(map[string]plan.Port)
	for _, p := range []plan.Port{
		{Name: "x"},
		{Name: "x", Optional: true},
		{Name: "x?"},
		{Name: "x", Schema: typed},
		{Name: "x?", Schema: typed},
		{Name: "x", Schema: typed, Optional: true},
		{Name: "x 00404e686415370f"},
	} {
		def := flow(t, "p", "a: x > y")
		def.Nodes[0].Flow.Inputs = []plan.Port{p}
		outline := string(wired(t, def).Outline())
		if other, ok := seen[outline]; ok {
			t.Errorf("%+v and %+v have the outline %s", p, other, outline)
		}
		seen[outline] = p
	}
}

// J9: an outline of a dataflow is pinned like any other.
func TestJ9_OutlineOfDataflows(t *testing.T) {
	p := wired(t, baseFlow(t))
	golden.Open(t, "testdata/outlines.txtar").Compare(t, "outline-dataflow.txt", string(p.Outline())+"\n"+p.Fingerprint()+"\n")
}
