package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

type loopCase struct {
	def  plan.Definition
	want []plan.Loop
}

func loopCases() map[string]loopCase {
	yes, no := "yes", "no"
	return map[string]loopCase{
		"a chain has none": {chain(5), nil},
		"a node that chooses itself": {
			define("p", "a", []plan.Node{gate("a")}, choice("a", "a", no), choice("a", node.End, yes)),
			[]plan.Loop{{Nodes: []string{"a"}, Head: "a", Entries: []string{"a"}, Back: []plan.Edge{choice("a", "a", no)}}},
		},
		"the head is where the loop is entered, not what is declared first": {
			define("p", "start", []plan.Node{gate("check"), task("work"), task("start")},
				edge("start", "work"), edge("work", "check"), choice("check", "work", no), choice("check", node.End, yes)),
			[]plan.Loop{{
				Nodes: []string{"check", "work"}, Head: "work", Entries: []string{"work"},
				Back: []plan.Edge{choice("check", "work", no)},
			}},
		},
		"the entry is a head too": {
			define("p", "b", []plan.Node{gate("a"), task("b")}, edge("b", "a"), choice("a", "b", no), choice("a", node.End, yes)),
			[]plan.Loop{{
				Nodes: []string{"a", "b"}, Head: "b", Entries: []string{"b"}, Back: []plan.Edge{choice("a", "b", no)},
			}},
		},
		"a loop in a loop": {
			define("p", "plan", []plan.Node{task("plan"), task("act"), gate("enough"), gate("agreed")},
				edge("plan", "act"), edge("act", "enough"), choice("enough", "act", no), choice("enough", "agreed", yes),
				choice("agreed", "plan", no), choice("agreed", node.End, yes)),
			[]plan.Loop{{
				Nodes: []string{"plan", "act", "enough", "agreed"}, Head: "plan", Entries: []string{"plan"},
				Back: []plan.Edge{choice("agreed", "plan", no)},
				Inner: []plan.Loop{{
					Nodes: []string{"act", "enough"}, Head: "act", Entries: []string{"act"},
					Back: []plan.Edge{choice("enough", "act", no)},
				}},
			}},
		},
		"two loops in a row, and back edges of every kind": {
			define("p", "a", []plan.Node{gate("a"), task("b"), {Name: "c", Route: route}, human("d")},
				choice("a", "a", no), choice("a", "b", yes), edge("b", "c"), choice("c", "b", no), choice("c", "d", yes),
				failure("c", "b"), edge("d", node.Stop), deadline("d", "c")),
			[]plan.Loop{
				{Nodes: []string{"a"}, Head: "a", Entries: []string{"a"}, Back: []plan.Edge{choice("a", "a", no)}},
				{
					Nodes: []string{"b", "c", "d"}, Head: "b", Entries: []string{"b"},
					Back: []plan.Edge{choice("c", "b", no), failure("c", "b")},
					Inner: []plan.Loop{{
						Nodes: []string{"c", "d"}, Head: "c", Entries: []string{"c"}, Back: []plan.Edge{deadline("d", "c")},
					}},
				},
			},
		},
		"of several entries the first declared is the head": {
			define("p", "start", []plan.Node{gate("start"), task("b"), gate("a")},
				choice("start", "a", ""), choice("start", "b", ""), edge("b", "a"), choice("a", "b", no), choice("a", node.End, yes)),
			[]plan.Loop{{
				Nodes: []string{"b", "a"}, Head: "b", Entries: []string{"b", "a"}, Back: []plan.Edge{choice("a", "b", no)},
			}},
		},
		"what another entry closes is an inner loop": {
			define("p", "start", []plan.Node{gate("start"), gate("a"), gate("b"), gate("c")},
				choice("start", "a", ""), choice("start", "b", ""), choice("a", "b", ""), choice("b", "c", ""),
				choice("c", "b", ""), choice("c", "a", ""), choice("c", node.End, "")),
			[]plan.Loop{{
				Nodes: []string{"a", "b", "c"}, Head: "a", Entries: []string{"a", "b"}, Back: []plan.Edge{choice("c", "a", "")},
				Inner: []plan.Loop{{
					Nodes: []string{"b", "c"}, Head: "b", Entries: []string{"b"}, Back: []plan.Edge{choice("c", "b", "")},
				}},
			}},
		},
	}
}

func TestLoops(t *testing.T) {
	for name, test := range loopCases() {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, compile(t, test.def).Loops()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// rounds is a row of loops of four nodes, every second of them inside the one before.
func rounds(n int) plan.Definition {
	def := define("rounds", "n0", nil)
	for i := range n {
		name := "n" + itoa(i)
		def.Nodes = append(def.Nodes, gate(name))
		to := node.End
		if i+1 < n {
			to = "n" + itoa(i+1)
		}
		def.Edges = append(def.Edges, choice(name, to, "on"))
		if i%4 == 3 {
			def.Edges = append(def.Edges, choice(name, "n"+itoa(i-3), "again"), choice(name, "n"+itoa(i-1), "inner"))
		}
	}
	return def
}

func TestLoopsOfManyRounds(t *testing.T) {
	loops := compile(t, rounds(400)).Loops()
	if len(loops) != 100 {
		t.Fatalf("expected 100 loops, found %d", len(loops))
	}
	last := loops[99]
	want := plan.Loop{
		Nodes: []string{"n396", "n397", "n398", "n399"}, Head: "n396", Entries: []string{"n396"},
		Back: []plan.Edge{choice("n399", "n396", "again")},
		Inner: []plan.Loop{{
			Nodes: []string{"n398", "n399"}, Head: "n398", Entries: []string{"n398"},
			Back: []plan.Edge{choice("n399", "n398", "inner")},
		}},
	}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
