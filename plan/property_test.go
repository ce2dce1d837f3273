package plan_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// anyDefinition draws definitions of all sorts. Most are no plans.
func anyDefinition(t *rapid.T) plan.Definition {
	names := rapid.SliceOfN(rapid.OneOf(rapid.StringMatching(`[a-f]`), rapid.String()), 0, 8).Draw(t, "names")
	name := rapid.OneOf(rapid.SampledFrom(append([]string{node.End, node.Stop, "END", ""}, names...)), rapid.String())
	kinds := []plan.EdgeKind{plan.Plain, plan.Choice, plan.Failure, plan.Deadline, "", "odd"}
	def := plan.Definition{
		Name: rapid.String().Draw(t, "name"), State: codec{},
		Entry: rapid.SliceOfN(name, 0, 2).Draw(t, "entry"),
		Input: []byte(rapid.SampledFrom([]string{"", "true", "{}", "[", "3"}).Draw(t, "input")),
	}
	for _, n := range names {
		one := plan.Node{Name: n, Timeout: 1}
		if rapid.Bool().Draw(t, "gate") {
			one.Route = route
		}
		def.Nodes = append(def.Nodes, one)
	}
	for range rapid.IntRange(0, 12).Draw(t, "edges") {
		def.Edges = append(def.Edges, plan.Edge{
			From: name.Draw(t, "from"), To: name.Draw(t, "to"), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
			Label: rapid.String().Draw(t, "label"),
		})
	}
	return def
}

// anyPlan draws plans of some nodes with many loops: every gate may go to END, and any edge may lead anywhere.
func anyPlan(t *rapid.T) plan.Definition {
	n := rapid.IntRange(1, 14).Draw(t, "nodes")
	label := rapid.OneOf(rapid.Just(""), rapid.String())
	def := define("any", "n0", nil)
	name := func(i int) string { return "n" + itoa(i) }
	seen := map[plan.Edge]bool{}
	add := func(from, to string, kind plan.EdgeKind) {
		if id := (plan.Edge{From: from, To: to, Kind: kind}); !seen[id] {
			seen[id] = true
			def.Edges = append(def.Edges, plan.Edge{From: from, To: to, Kind: kind, Label: label.Draw(t, "label")})
		}
	}
	for i := range n {
		def.Nodes = append(def.Nodes, plan.Node{Name: name(i), Route: route, Catch: catch})
		add(name(i), node.End, plan.Choice)
		add(name(i), node.Stop, plan.Failure)
		if i > 0 { // reachable from one of those before
			kind := rapid.SampledFrom([]plan.EdgeKind{plan.Choice, plan.Failure, plan.Deadline}).Draw(t, "kind")
			add(name(rapid.IntRange(0, i-1).Draw(t, "parent")), name(i), kind)
		}
	}
	for range rapid.IntRange(0, 2*n).Draw(t, "more") {
		kind := rapid.SampledFrom([]plan.EdgeKind{plan.Choice, plan.Failure, plan.Deadline}).Draw(t, "kind")
		add(name(rapid.IntRange(0, n-1).Draw(t, "from")), name(rapid.IntRange(0, n-1).Draw(t, "to")), kind)
	}
	for i := range def.Nodes { // some gates become plain tasks, where one choice is all they have
		var choices []int
		for j, e := range def.Edges {
			if e.From == name(i) && e.Kind == plan.Choice {
				choices = append(choices, j)
			}
		}
		if len(choices) == 1 && rapid.Bool().Draw(t, "task") {
			def.Nodes[i].Route = nil
			def.Edges[choices[0]].Kind = plan.Plain
		}
	}
	return def
}

// Whatever it is given, New answers: with a plan that can be drawn and told apart, or with problems that have places.
func TestNewNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		def := anyDefinition(t)
		p, err := plan.New(def)
		if err == nil {
			if err := readable(p); err != nil {
				t.Fatal(err)
			}
			return
		}
		for _, problem := range err.(*plan.Error).Problems { //nolint:forcetypeassert,errorlint // New returns no other
			if problem.NodeIndex >= len(def.Nodes) || problem.EdgeIndex >= len(def.Edges) || problem.Code == "" || problem.Message == "" {
				t.Fatalf("a problem without a place: %+v", problem)
			}
		}
	})
}

// G7, D4: of an accepted plan, the edges that are no loop's back edges form no cycle; every cycle lies in a loop; heads
// are entries of their loops; inner loops lie inside.
func TestG7_ForwardEdgesAreAcyclic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		def := anyPlan(t)
		p, err := plan.New(def)
		if err != nil {
			t.Fatal(err)
		}
		back := map[plan.Edge]bool{}
		for _, l := range p.Loops() {
			checkLoop(t, l, back)
		}
		reach := func(from string, without map[plan.Edge]bool) map[string]bool {
			seen, todo := map[string]bool{}, []string{from}
			for len(todo) > 0 {
				at := todo[0]
				todo = todo[1:]
				for _, e := range def.Edges {
					if e.From == at && !without[e] && !seen[e.To] {
						seen[e.To] = true
						todo = append(todo, e.To)
					}
				}
			}
			return seen
		}
		for _, n := range def.Nodes {
			if reach(n.Name, back)[n.Name] {
				t.Fatalf("%s is on a cycle of forward edges", n.Name)
			}
			looped := slices.ContainsFunc(p.Loops(), func(l plan.Loop) bool { return slices.Contains(l.Nodes, n.Name) })
			if cyclic := reach(n.Name, nil)[n.Name]; cyclic != looped {
				t.Fatalf("%s: on a cycle: %t, in a loop: %t", n.Name, cyclic, looped)
			}
		}
	})
}

func checkLoop(t *rapid.T, l plan.Loop, back map[plan.Edge]bool) {
	if len(l.Back) == 0 || l.Entries[0] != l.Head {
		t.Fatalf("a loop without a round: %+v", l)
	}
	for _, e := range l.Back {
		if e.To != l.Head || !slices.Contains(l.Nodes, e.From) || back[e] {
			t.Fatalf("%s is no back edge of %+v", e, l)
		}
		back[e] = true
	}
	for _, inner := range l.Inner {
		for _, name := range inner.Nodes {
			if name == l.Head || !slices.Contains(l.Nodes, name) {
				t.Fatalf("%s is not inside %+v", name, l)
			}
		}
		checkLoop(t, inner, back)
	}
}

// Drawings of any plan are readable, each node is in them once, and the order of nodes changes no fingerprint.
func TestDrawingsOfAnyPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		def := anyPlan(t)
		inner, err := plan.New(def)
		if err != nil {
			t.Fatal(err)
		}
		outer, err := plan.New(define("outer", "a", []plan.Node{sub("a", inner), sub("b", inner)}, edge("a", "b"), failure("a", "b")))
		if err != nil {
			t.Fatal(err)
		}
		if err := readable(outer); err != nil {
			t.Fatal(err)
		}
		before := inner.Fingerprint()
		def.Nodes = rapid.Permutation(def.Nodes).Draw(t, "nodes in another order")
		def.Edges = rapid.Permutation(def.Edges).Draw(t, "edges in another order")
		shuffled, err := plan.New(def)
		if err != nil {
			t.Fatal(err)
		}
		if shuffled.Fingerprint() != before {
			t.Fatalf("expected %s\nfound    %s", inner.Outline(), shuffled.Outline())
		}
	})
}
