package plan_test

import (
	"testing"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// layered is a plan of n nodes in layers of 100, with three plain edges from each node into the next layer.
func layered(n int, join plan.Join) plan.Definition {
	const wide = 100
	def := define("layered", "n0", nil)
	def.Entry = nil
	for i := range n {
		one := task("n" + itoa(i))
		if i >= wide {
			one.Join = join
		} else {
			def.Entry = append(def.Entry, one.Name)
		}
		def.Nodes = append(def.Nodes, one)
		if below := i - i%wide + wide; below < n {
			for k := range 3 {
				def.Edges = append(def.Edges, edge(one.Name, "n"+itoa(below+(i+k*37)%wide)))
			}
		}
	}
	return def
}

// star is a fork into n branches of two nodes, which one node joins.
func star(n int, join plan.Join) plan.Definition {
	def := define("star", "fork", []plan.Node{task("fork"), task("join")})
	def.Nodes[1].Join = join
	for i := range n {
		a, b := "a"+itoa(i), "b"+itoa(i)
		def.Nodes = append(def.Nodes, task(a), task(b))
		def.Edges = append(def.Edges, edge("fork", a), edge(a, b), edge(b, "join"))
	}
	return def
}

// diamonds is n gates, one behind the other, each with two ways to the next, in two branches that are joined at the end.
func diamonds(n int) plan.Definition {
	def := define("diamonds", "fork", []plan.Node{task("fork"), {Name: "join", Run: run, Join: plan.All}})
	for _, side := range []string{"left ", "right "} {
		def.Edges = append(def.Edges, edge("fork", side+"0"))
		for i := range n {
			at, next := side+itoa(i), side+itoa(i+1)
			if i == n-1 {
				next = "join"
			}
			def.Nodes = append(def.Nodes, gate(at), task(at+" a"), task(at+" b"))
			def.Edges = append(def.Edges, choice(at, at+" a", ""), choice(at, at+" b", ""), edge(at+" a", next), edge(at+" b", next))
		}
	}
	return def
}

// exclusive is a gate that chooses one of n forks, whose branches all meet at two nodes.
func exclusive(n int) plan.Definition {
	def := define("exclusive", "gate", []plan.Node{gate("gate"), task("x"), task("y")})
	for i := range n {
		at := "f" + itoa(i)
		def.Nodes = append(def.Nodes, task(at))
		def.Edges = append(def.Edges, choice("gate", at, ""), edge(at, "x"), edge(at, "y"))
	}
	def.Edges = append(def.Edges, choice("gate", node.End, ""))
	return def
}

func BenchmarkNewOfBranches(b *testing.B) {
	for name, def := range map[string]plan.Definition{
		"layers joined": layered(10_000, plan.All), "layers each": layered(10_000, plan.Each), "layers silent": layered(10_000, ""),
		"star joined": star(5000, plan.All), "star each": star(5000, plan.Each), "star silent": star(5000, ""), "diamonds": diamonds(1666),
		"exclusive": exclusive(5000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := plan.New(def)
				if bad := def.Nodes[len(def.Nodes)-1].Join == "" && (name == "layers silent" || name == "star silent"); bad != (err != nil) {
					b.Fatal(err)
				}
			}
		})
	}
}
