package plan_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// anyFlow is a dataflow of a few nodes, each of which writes a value; it may well be refused.
func anyFlow(t *rapid.T) plan.Definition {
	n := rapid.IntRange(1, 12).Draw(t, "nodes")
	def := plan.Definition{Name: "any", Kind: "dataflow", State: codec{}}
	name := func(i int) string { return "n" + itoa(i) }
	for i := range n {
		one := plan.Node{Name: name(i), Run: run, Flow: &plan.Flow{Outputs: ports("v" + itoa(i)), Input: codec{}, Output: codec{}}}
		for k := range n {
			switch rapid.IntRange(0, 8).Draw(t, fmt.Sprintf("%d reads %d", i, k)) {
			case 0:
				one.Flow.Inputs = append(one.Flow.Inputs, ports("v"+itoa(k)+"?")...)
			case 1:
				if k <= i {
					one.Flow.Inputs = append(one.Flow.Inputs, ports("v"+itoa(k))...)
				}
			case 2:
				one.Flow.Inputs = append(one.Flow.Inputs, ports("in"+itoa(k))...)
			}
		}
		if rapid.IntRange(0, 2).Draw(t, "gate") == 0 {
			one.Kind, one.Run, one.Route = plan.Router, nil, route
			for k := range n {
				if rapid.IntRange(0, n).Draw(t, "target") == 0 {
					def.Edges = append(def.Edges, choice(name(i), name(k), ""))
				}
			}
			def.Edges = append(def.Edges, choice(name(i), node.End, ""))
		}
		def.Nodes = append(def.Nodes, one)
	}
	if rapid.IntRange(0, 3).Draw(t, "entry") == 0 {
		def.Entry = []string{name(rapid.IntRange(0, n-1).Draw(t, "which"))}
	}
	return def
}

// Whatever a dataflow looks like, its drawings can be read, a node stands behind all that it waits for, and the nodes of a loop
// stand together.
func TestDrawingsOfAnyDataflow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		def, err := wire(anyFlow(t))
		if err != nil {
			t.Skip(err)
		}
		p, err := plan.New(def)
		if err != nil {
			t.Fatal(err)
		}
		if err := readable(p); err != nil {
			t.Fatal(err)
		}
		place := make(map[string]int)
		for i, title := range regexp.MustCompile(`[●◇] n\d+`).FindAllString(p.Text(), -1) {
			place[strings.Fields(title)[1]] = i
		}
		back := make(map[string]bool)
		together(t, p.Loops(), place, back)
		for _, e := range p.Definition().Edges {
			if to, ok := place[e.To]; ok && !back[e.String()] && place[e.From] >= to {
				t.Fatalf("%s goes up, and does not lead back:\n%s", e, p.Text())
			}
		}
	})
}

// together checks that the nodes of each loop stand together, and notes the edges that lead back.
func together(t *rapid.T, loops []plan.Loop, place map[string]int, back map[string]bool) {
	for _, l := range loops {
		first, last := len(place), 0
		for _, n := range l.Nodes {
			first, last = min(first, place[n]), max(last, place[n])
		}
		if last-first != len(l.Nodes)-1 {
			t.Fatalf("the loop %v stands from line %d to %d", l.Nodes, first, last)
		}
		for _, e := range l.Back {
			back[e.String()] = true
		}
		together(t, l.Inner, place, back)
	}
}
