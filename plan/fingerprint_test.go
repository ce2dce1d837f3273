package plan_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// base is a plan with something of everything that a fingerprint covers.
func base(t testing.TB) plan.Definition {
	inner := compile(t, define("inner", "x", []plan.Node{task("x"), gate("y")},
		edge("x", "y"), choice("y", "x", ""), choice("y", node.End, "")))
	def := define("base", "a", []plan.Node{task("a"), gate("b"), human("c"), sub("d", inner)},
		edge("a", "b"), choice("b", "c", ""), choice("b", "d", ""), failure("a", "c"), deadline("c", node.Stop))
	def.Input = []byte(`{"type":["object","null"],"title":"In","properties":{"title":{"type":"string","description":"x"}},"required":["title","n"]}`)
	return def
}

// J8: prose, policies and the order of what has none do not pin a run.
func TestJ8_FingerprintIgnores(t *testing.T) {
	want := compile(t, base(t)).Fingerprint()
	for name, change := range map[string]func(*plan.Definition){
		"nothing":          func(*plan.Definition) {},
		"the name":         func(d *plan.Definition) { d.Name = "other" },
		"docs":             func(d *plan.Definition) { d.Doc, d.Nodes[0].Doc = "words", "words" },
		"presentation":     func(d *plan.Definition) { d.Nodes[0].Presentation = []byte(`{"label":"words"}`) },
		"labels":           func(d *plan.Definition) { d.Edges[1].Label = "words" },
		"retries":          func(d *plan.Definition) { d.Nodes[0].Retry = plan.Retry{Attempts: 9, Backoff: 1, Max: 2} },
		"timeouts, limits": func(d *plan.Definition) { d.Nodes[0].Timeout, d.Limits.Tasks, d.Limits.Tokens = time.Hour, 7, 8 },
		"code":             func(d *plan.Definition) { d.Nodes[0].Run = nil },
		"order of nodes":   func(d *plan.Definition) { slices.Reverse(d.Nodes) },
		"order of choices": func(d *plan.Definition) { slices.Reverse(d.Edges) },
		"prose and layout of a schema": func(d *plan.Definition) {
			d.Input = []byte(`{ "required": ["n", "title"], "properties": {"title": {"type": "string"}},
				"description": "words", "type": ["null", "object"], "$comment": "words", "examples": [1] }`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			def := base(t)
			change(&def)
			if got := compile(t, def); got.Fingerprint() != want {
				t.Errorf("the fingerprint changed: %s", diffOf(t, base(t), def))
			}
		})
	}
}

func diffOf(t testing.TB, older, newer plan.Definition) plan.Changes {
	t.Helper()
	changes, err := plan.Diff(compile(t, older).Outline(), compile(t, newer).Outline())
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// J8: all else pins it, and Diff says in words what changed.
func TestJ8_FingerprintCovers(t *testing.T) {
	for want, change := range map[string]func(*plan.Definition){
		"the kind was graph and is recipe":                     func(d *plan.Definition) { d.Kind = "recipe" },
		"the version was none and is 2":                        func(d *plan.Definition) { d.Version = "2" },
		"deadline edge c -> a added; the entry was a and is c": func(d *plan.Definition) { d.Entry[0] = "c"; d.Edges = append(d.Edges, deadline("c", "a")) },
		"node a: version was none and is 2":                    func(d *plan.Definition) { d.Nodes[0].Version = "2" },
		"node a: kind was task and is human":                   func(d *plan.Definition) { d.Nodes[0].Kind = plan.Human },
		"the input schema changed":                             func(d *plan.Definition) { d.Input = []byte(`{"type":"object"}`) },
		"the input schema was removed":                         func(d *plan.Definition) { d.Input = nil },
		"the output schema was added":                          func(d *plan.Definition) { d.Output = []byte(`true`) },
		"node e added; failure edge d -> e added": func(d *plan.Definition) {
			d.Nodes = append(d.Nodes, task("e"))
			d.Edges = append(d.Edges, failure("d", "e"))
		},
		"node d removed; choice edge b -> d removed":                    func(d *plan.Definition) { d.Nodes = d.Nodes[:3]; d.Edges = slices.Delete(d.Edges, 2, 3) },
		"choice edge b -> END added":                                    func(d *plan.Definition) { d.Edges = append(d.Edges, choice("b", node.End, "")) },
		"deadline edge c -> STOP removed; deadline edge c -> END added": func(d *plan.Definition) { d.Edges[4].To = node.End },
		"node d: kind was subgraph and is task":                         func(d *plan.Definition) { d.Nodes[3] = task("d") },
	} {
		t.Run(want, func(t *testing.T) {
			def := base(t)
			change(&def)
			if compile(t, def).Fingerprint() == compile(t, base(t)).Fingerprint() {
				t.Error("the fingerprint did not change")
			}
			if diff := cmp.Diff(want, diffOf(t, base(t), def).String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// J8: what a run does with branches and items pins it, too, and so does the order of branches.
func TestJ8_FingerprintCoversBranches(t *testing.T) {
	for want, change := range map[string]func(*plan.Definition){
		"node draft: join was all and is each": func(d *plan.Definition) { d.Nodes[5].Join = plan.Each },
		"node log: join was each and is all":   func(d *plan.Definition) { d.Nodes[9].Join = plan.All },
		"node plan: join was none and is all":  func(d *plan.Definition) { d.Nodes[0].Join = plan.All },
		"node pick: gate was one that chooses several and is none": func(d *plan.Definition) {
			d.Nodes[6].Route, d.Nodes[6].RouteMany = route, nil
		},
		"node notify: map was over a list and is none": func(d *plan.Definition) { d.Nodes[7].Map = nil },
		"node plan: its branches are in another order": func(d *plan.Definition) { d.Edges[0], d.Edges[1] = d.Edges[1], d.Edges[0] },
		"the entry was plan, watch and is watch, plan": func(d *plan.Definition) { slices.Reverse(d.Entry) },
		"node pick: its branches are in another order": func(d *plan.Definition) { d.Edges[9], d.Edges[10] = d.Edges[10], d.Edges[9] },
	} {
		t.Run(want, func(t *testing.T) {
			def := branches(t)
			change(&def)
			if compile(t, def).Fingerprint() == compile(t, branches(t)).Fingerprint() {
				t.Error("the fingerprint did not change")
			}
			if diff := cmp.Diff(want, diffOf(t, branches(t), def).String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	want := compile(t, branches(t)).Fingerprint()
	for name, change := range map[string]func(*plan.Definition){
		"how many items at once, and what becomes of failures": func(d *plan.Definition) {
			d.Nodes[7].Map = &plan.Map{Split: d.Nodes[7].Map.Split, Gather: d.Nodes[7].Map.Gather, Keep: true}
		},
		"how branches are merged":                         func(d *plan.Definition) { d.Nodes[5].Merge = func(base any, _ []any) (any, error) { return base, nil } },
		"the order of choices of a gate that chooses one": func(d *plan.Definition) { d.Edges[4], d.Edges[5] = d.Edges[5], d.Edges[4] },
	} {
		t.Run(name, func(t *testing.T) {
			def := branches(t)
			change(&def)
			if compile(t, def).Fingerprint() != want {
				t.Errorf("the fingerprint changed: %s", diffOf(t, branches(t), def))
			}
		})
	}
}

// J9: an outline with branches is pinned like any other; without, nothing of them is in it.
func TestJ9_OutlineOfBranches(t *testing.T) {
	p := compile(t, branches(t))
	golden.Open(t, "testdata/outlines.txtar").Compare(t, "outline-branches.txt", string(p.Outline())+"\n"+p.Fingerprint()+"\n")
}

func TestDiff(t *testing.T) {
	older := base(t)
	newer := define("base", "a", []plan.Node{task("a"), task("c"), sub("d", compile(t, define("inner", "z",
		[]plan.Node{task("z"), gate("y")}, edge("z", "y"), choice("y", node.Stop, ""))))},
		edge("a", "d"), failure("a", "c"))
	newer.Input = older.Input
	want := plan.Changes{
		Plan:    []string{"the entry of d was x and is z"},
		Removed: []string{"b", "d/x"},
		Added:   []string{"d/z"},
		Changed: []plan.NodeChange{{Path: "c", What: "kind was human and is task"}},
		RemovedEdges: []plan.Edge{
			edge("a", "b"), deadline("c", node.Stop), choice("d/y", node.End, ""), choice("d/y", "d/x", ""),
		},
		AddedEdges: []plan.Edge{edge("a", "d"), choice("d/y", node.Stop, "")},
	}
	got := diffOf(t, older, newer)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got.Empty() {
		t.Error("Empty is true of changes")
	}
	text := "node b removed; node d/x removed; node d/z added; node c: kind was human and is task; edge a -> b removed; " +
		"deadline edge c -> STOP removed; choice edge d/y -> END removed; choice edge d/y -> d/x removed; " +
		"edge a -> d added; choice edge d/y -> STOP added; the entry of d was x and is z"
	if diff := cmp.Diff(text, got.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if none := diffOf(t, older, older); !none.Empty() || none.String() != "nothing changed" {
		t.Errorf("a plan differs from itself: %s", none)
	}
}

func TestDiffRefuses(t *testing.T) {
	good := compile(t, chain(1)).Outline()
	for text, pair := range map[string][2][]byte{
		"the old plan: not an outline of a plan: it ends too early":              {nil, good},
		"the new plan: an outline of format 9; this release reads format 1":      {good, []byte(`{"f":9}`)},
		"the new plan: an outline of format 0; this release reads format 1":      {good, []byte(`null`)},
		"the old plan: not an outline of a plan: something follows the document": {[]byte(`{"f":1} 2`), good},
		"the old plan: not an outline of a plan: nodes of one name: \"a\"":       {[]byte(`{"f":1,"n":[{"n":"a"},{"n":"a"}]}`), good},
	} {
		if _, err := plan.Diff(pair[0], pair[1]); err == nil || err.Error() != text {
			t.Errorf("expected %s\nfound    %v", text, err)
		}
	}
}

// J9: runs keep outlines for ever, so what one looks like is pinned.
func TestJ9_Outline(t *testing.T) {
	p := compile(t, base(t))
	golden.Open(t, "testdata/outlines.txtar").Compare(t, "outline.txt", string(p.Outline())+"\n"+p.Fingerprint()+"\n")
	if !json.Valid(p.Outline()) {
		t.Error("the outline is not JSON")
	}
}

func FuzzDiff(f *testing.F) {
	good := compile(f, base(f)).Outline()
	f.Add(good, []byte(`{"f":1,"e":["a"],"n":[{"n":"a","s":{"e":[],"n":null}}]}`))
	f.Fuzz(func(t *testing.T, older, newer []byte) {
		forth, err := plan.Diff(older, newer)
		if err != nil {
			return
		}
		back, err := plan.Diff(newer, older)
		if err != nil {
			t.Fatalf("one way round: %s; the other: %v", forth, err)
		}
		if diff := cmp.Diff(forth.Added, back.Removed); diff != "" || forth.Empty() != back.Empty() {
			t.Errorf("there and back differ: %s / %s", forth, back)
		}
	})
}
