package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// handled makes a definition of a dataflow with error edges: "from>to", "from>END".
func handled(t *testing.T, text string, failures ...string) plan.Definition {
	t.Helper()
	def := flow(t, "p", text)
	for _, f := range failures {
		from, to, _ := strings.Cut(f, ">")
		if to == "END" {
			to = node.End
		}
		def.Edges = append(def.Edges, plan.Edge{From: from, To: to, Kind: plan.Failure})
	}
	return def
}

// What follows from a node that succeeds excludes what follows from its failure (laws D1 and D14), and nothing else does.
func TestD14_OutcomesExcludeEachOther(t *testing.T) {
	for _, tt := range []struct {
		name, flow string
		failures   []string
		want       string // what is wrong, "" for nothing
	}{
		{"the handler writes the same", "a: x > v\nh: x > v\nr: v > w", []string{"a>h"}, ""},
		{"the handler of the handler, too", "a: x > v\nh: x > v\ni: x > v", []string{"a>h", "h>i"}, ""},
		{"what follows from one and the other", "a: x > v\nh: x > u\nok: v > w\nno: u > w\nr: w > z", []string{"a>h"}, ""},
		{"what follows from the node, and the handler itself", "a: x > v\nok: v > w\nh: x > w", []string{"a>h"}, ""},
		{"a gate, its targets and its handler", "g: x ? b c\nb: x > v\nc: x > v\nh: x > v", []string{"g>h"}, ""},
		{"in a loop", "head: n? > m\na: m > v\nh: m > v\nback: v ? head END", []string{"a>h"}, ""},
		{"a value that is there in any case", "a: x > v\nh: x > v\nr: v > w\ns: x > w", []string{"a>h"}, "no gate does"},
		{"beside the handler", "a: x > v\nh: x > u\nb: x > u", []string{"a>h"}, `"b" runs always`},
		{"a handler of two", "a: x > v\nb: x > u\nh: x > v", []string{"a>h", "b>h"}, `"h" handles the failures of "a", "b"`},
		{"a failure that is set aside", "a: x > v\nb: x > v", []string{"a>END"}, "no gate does"},
		{"a handler that needs what failed", "a: x > v\nh: v > w", []string{"a>h"}, `it can never run: it needs values that only different outcomes of "a" bring`},
		{"what needs both", "a: x > v\nh: x > u\nr: v u > w", []string{"a>h"}, `it can never run: it needs values that only different outcomes of "a" bring`},
		{"a loop that only a failure leaves", "head: n? > m\nback: m ? head\nh: m > w", []string{"back>h"}, `gate "back" can choose nothing but another round`},
		{"a loop by a failure", "a: v? > w\nh: w? > v", []string{"a>h"}, `never ends: no gate is in it`},
		{"to the run's end", "a: x > v", []string{"a>" + node.Stop}, "a failure cannot stop the run of a dataflow"},
		{"two of one node", "a: x > v\nh: x > v\ni: x > v", []string{"a>h", "a>i"}, "2 failure edges lead out of it; set Catch"},
		{"nowhere", "a: x > v\nhandler: x > v2", []string{"a>hander"}, `did you mean "handler"?`},
	} {
		def := handled(t, tt.flow, tt.failures...)
		d, err := plan.Wire(def)
		if err == nil {
			def.Dataflow = d
			_, err = plan.New(def)
		}
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if _, ok := errors.AsType[*plan.Error](err); err != nil && !ok {
			t.Errorf("%s: %T", tt.name, err)
		}
	}
}

// Every drawing shows where a failure leads, and where a handler comes from.
func TestD14_DrawingsShowHandlers(t *testing.T) {
	def := handled(t, "a: x > v\nh: x > v\nr: v > w", "a>h", "r>END")
	d, err := plan.Wire(def)
	if err != nil {
		t.Fatal(err)
	}
	def.Dataflow = d
	p, err := plan.New(def)
	if err != nil {
		t.Fatal(err)
	}
	drawing := plan.Drawing{Plan: p}
	for what, want := range map[string][2]string{
		"text":    {drawing.Text(), "└─ failure → h"},
		"handler": {drawing.Text(), "failed a"},
		"end":     {drawing.Text(), "└─ failure → END"},
		"Mermaid": {drawing.Mermaid(), `n0 -.->|"failure"| n1`},
		"DOT":     {drawing.DOT(), `n0 -> n1 [style=dashed, label="failure"]`},
		"SVG":     {drawing.SVG(), "failure"},
	} {
		if !strings.Contains(want[0], want[1]) {
			t.Errorf("%s: expected %q in\n%s", what, want[1], want[0])
		}
	}
}
