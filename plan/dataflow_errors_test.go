package plan_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// misflows holds one dataflow for each message that Wire and New can give.
func misflows(t *testing.T) map[string]plan.Definition {
	with := func(text string, how func(*plan.Definition)) plan.Definition {
		return spoil(flow(t, "spoilt", text), how)
	}
	return map[string]plan.Definition{
		"flow-ports": with("a: x y x > z w z\nb: z", func(d *plan.Definition) {
			d.Nodes[1].Flow.Inputs = append(d.Nodes[1].Flow.Inputs, plan.Port{}, plan.Port{Name: "a.b"}, plan.Port{Name: "x\x1b[2J"})
			d.Nodes[1].Flow.Outputs = append(d.Nodes[1].Flow.Outputs, plan.Port{Name: "#1"}, plan.Port{Name: "a/b"})
		}),
		"flow-no-ports":   with("a: x > y\nb: y", func(d *plan.Definition) { d.Nodes[1].Flow = nil }),
		"flow-names":      with("a: x > y\nb: y", func(d *plan.Definition) { d.Nodes[0].Name, d.Nodes[1].Name = "a/b", "" }),
		"flow-duplicates": flow(t, "spoilt", "a: x > y\nb: y > z\na: z > w\nb: w > v"),
		"flow-edge-kind": with("a: x > y\nb: y", func(d *plan.Definition) {
			d.Edges = append(d.Edges, edge("a", "b"), failure("a", "b"), plan.Edge{From: "a", To: "b", Kind: plan.Data, Label: "y"})
		}),
		"flow-unknown-ends": with("check: x ? puplish END\npublish: x > y", func(d *plan.Definition) {
			d.Edges = append(d.Edges, choice("chek", "publish", ""), choice("check", "elsewhere", ""), choice(node.End, "publish", ""))
		}),
		"flow-reserved":        flow(t, "spoilt", "check: x ? START stop\na: x > y"),
		"flow-choice-no-gate":  with("a: x > y\nb: y", func(d *plan.Definition) { d.Edges = append(d.Edges, choice("a", "b", "")) }),
		"flow-duplicate-edges": flow(t, "spoilt", "check: x ? a b a\na: x > y\nb: x > z"),
		"flow-unknown-entry":   flow(t, "spoilt", "entry reveiw publish publish\nwrite: brief > text\nreview: text > verdict\npublish: verdict text > url"),
		"flow-end-as-entry":    with("a: x > y", func(d *plan.Definition) { d.Entry = []string{node.End} }),
		"flow-unreachable":     flow(t, "spoilt", "entry b\na: x > y\nb: y > z\nc: z > w\nd: other > v"),

		"flow-conflict":        flow(t, "spoilt", "a: x > y\nb: x > y\nc: x > y"),
		"flow-conflict-always": flow(t, "spoilt", "check: x ? a END\na: x > y\nb: x > y"),
		"flow-conflict-many":   flow(t, "spoilt", "check: x ?? a b\na: x > y\nb: x > y"),
		"flow-conflict-gates":  flow(t, "spoilt", "one: x ? a END\ntwo: x ? b END\na: x > y\nb: x > y"),
		"flow-conflict-behind": flow(t, "spoilt", "check: x ? a b\na: x > p\nb: x > q\nc: p > y\nd: q? > y"),
		"flow-never-runs":      flow(t, "spoilt", "check: x ? a b\na: x > p\nb: x > q\nboth: p q > y\nlast: y"),
		"flow-never-deep":      flow(t, "spoilt", "check: x ? a b\na: x > p\nb: x > q\nc: p > r\nd: q > s\nboth: r s > y"),

		"flow-endless":       flow(t, "spoilt", "a: x z? > y\nb: y > w\nc: w > z"),
		"flow-endless-inner": flow(t, "spoilt", "head: x back? > a\none: a c? > b\ntwo: b > c\ncheck: c ? head END\nlast: c > back"),
		"flow-no-head":       flow(t, "spoilt", "a: y > x\nb: x > y\ncheck: y ? a END"),
		"flow-no-head-two":   flow(t, "spoilt", "a: y > x\nb: x > y\ncheck: y ? a b END"),
		"flow-two-heads":     flow(t, "spoilt", "a: p y? > x\nb: p x? > y\ncheck: x y ? a b END"),
		"flow-long-loop":     flow(t, "spoilt", "a: h? > x1\n"+lines("n%: x% > y%", 0)+"b: x1 > x2\nc: x2 > x3\nd: x3 > x4\ne: x4 > x5\nf: x5 > x6\ng: x6 > h"),
		"flow-gate-empty":    flow(t, "spoilt", "check: x ? \na: x > y"),
		"flow-no-state":      with("a: x > y", func(d *plan.Definition) { d.State = nil }),
		"flow-several": flow(t, "spoilt", `
			entry nowhere
			check: x ? a lost
			a: x x > y
		`),
	}
}

// Every message is pinned, and so is the order of problems. Laws D1, D4 and D10 say what is refused.
func TestDataflowsReportAllProblems(t *testing.T) {
	for name, def := range misflows(t) {
		t.Run(name, func(t *testing.T) {
			def, err := wire(def)
			if err == nil {
				_, err = plan.New(def)
			}
			if err == nil {
				t.Fatal("the dataflow was accepted")
			}
			golden.Open(t, "testdata/errors/*.txtar").Compare(t, name+".txt", err.Error()+"\n")
		})
	}
}

// The analysis of one definition makes no other one a dataflow.
func TestNewRefusesTheDataflowOfAnother(t *testing.T) {
	def, err := wire(flow(t, "one", "a: x > y\nb: y > z"))
	if err != nil {
		t.Fatal(err)
	}
	def.Nodes = def.Nodes[:1]
	want := `plan "one": it has 1 nodes, and its Dataflow 2: they are not of one definition; make the Dataflow with Wire`
	if _, err := plan.New(def); err == nil || err.Error() != want {
		t.Errorf("expected %s\nfound    %v", want, err)
	}
}

// A name that is not known comes with the one that may be meant, for tools as well.
func TestDataflowErrorSaysWhere(t *testing.T) {
	_, err := plan.Wire(flow(t, "spoilt", "check: x ? puplish END\npublish: x > y"))
	got, ok := errors.AsType[*plan.Error](err)
	if !ok {
		t.Fatalf("expected a *plan.Error, found %T", err)
	}
	want := &plan.Error{Plan: "spoilt", Problems: []plan.Problem{{
		Code: plan.UnknownNode, Message: `it leads nowhere: there is no node "puplish"; did you mean "publish"?`,
		Edge: choice("check", "puplish", ""), Found: "puplish", Nearest: "publish", NodeIndex: -1,
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
