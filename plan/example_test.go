package plan_test

import (
	"fmt"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// triage is what an author's package makes of a small workflow.
func triage() plan.Definition {
	return plan.Definition{
		Name:  "triage",
		Entry: []string{"classify"},
		Nodes: []plan.Node{
			{Name: "classify", Route: route},
			{Name: "review", Kind: plan.Human},
			{Name: "close"},
		},
		Edges: []plan.Edge{
			{From: "classify", To: "review", Kind: plan.Choice, Label: "unsure"},
			{From: "classify", To: "close", Kind: plan.Choice, Label: "clear"},
			{From: "review", To: "close", Kind: plan.Plain},
			{From: "review", To: node.Stop, Kind: plan.Failure},
		},
		State: codec{},
	}
}

func ExampleNew() {
	def := triage()
	def.Edges[2].To = "clos"
	def.Nodes[1].Timeout = -1
	_, err := plan.New(def)
	fmt.Println(err)
	// Output:
	// plan "triage" has 2 problems:
	//   node "review": its timeout is -1ns; it may not be negative, and 0 is none
	//   edge "review" -> "clos": it leads nowhere: there is no node "clos"; did you mean "close"?
}

func ExamplePlan_Text() {
	p, err := plan.New(triage())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p.Text())
	// Output:
	// triage
	//
	//  ○ START
	//  │
	//  ◇ classify
	//  ├─ unsure
	//  │  ☻ review
	//  │  ├╌ failure → STOP
	//  │  └→ close
	//  ├─ clear → close
	//  │
	//  ● close
	//  │
	//  ◎ END
}

func ExampleWire() {
	value := func(name string) []plan.Port { return []plan.Port{{Name: name}} }
	def := plan.Definition{
		Name: "count",
		Nodes: []plan.Node{
			{Name: "read", Flow: &plan.Flow{Inputs: value("path"), Outputs: value("text")}},
			{Name: "split", Flow: &plan.Flow{Inputs: value("text"), Outputs: value("words")}},
			{Name: "tally", Flow: &plan.Flow{Inputs: value("words"), Outputs: value("counts")}},
		},
		State: codec{},
	}
	flow, err := plan.Wire(def)
	if err != nil {
		fmt.Println(err)
		return
	}
	def.Dataflow = flow.WithResult(plan.Result{Outputs: value("counts")})
	p, err := plan.New(def)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p.Text())
	// Output:
	// count
	//
	//  ○ inputs  path
	//
	//  ● read    path           → text
	//  ● split   text ← read    → words
	//  ● tally   words ← split  → counts
	//
	//  ◎ result  counts
}

func ExampleDrawing() {
	p, err := plan.New(triage())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(plan.Drawing{Plan: p, Taken: map[string]string{"classify": "completed", "review": "paused"}}.Text())
	// Output:
	// triage
	//
	//  ○ START
	//  │
	//  ◇ classify  ✓ completed
	//  ├─ unsure
	//  │  ☻ review  ‖ paused
	//  │  ├╌ failure → STOP
	//  │  └→ close
	//  ├─ clear → close
	//  │
	//  ● close
	//  │
	//  ◎ END
}

func ExamplePlan_Loops() {
	p, err := plan.New(plan.Definition{
		Name:  "draft",
		Entry: []string{"write"},
		Nodes: []plan.Node{{Name: "write"}, {Name: "good", Route: route}},
		Edges: []plan.Edge{
			{From: "write", To: "good", Kind: plan.Plain},
			{From: "good", To: "write", Kind: plan.Choice},
			{From: "good", To: node.End, Kind: plan.Choice},
		},
		State: codec{},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, loop := range p.Loops() {
		fmt.Println(loop.Nodes, "from", loop.Head, "back over", loop.Back)
	}
	// Output:
	// [write good] from write back over ["good" -> "write"]
}

func ExampleDiff() {
	older, err := plan.New(triage())
	if err != nil {
		fmt.Println(err)
		return
	}
	def := triage()
	def.Nodes[2].Version = "2"
	def.Edges[3].To = "close"
	newer, err := plan.New(def)
	if err != nil {
		fmt.Println(err)
		return
	}
	changes, err := plan.Diff(older.Outline(), newer.Outline())
	fmt.Println(changes, err)
	// Output:
	// node close: version was none and is 2; failure edge review -> STOP removed; failure edge review -> close added <nil>
}
