package state_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/state"
)

// flow is a dataflow whose values are lists and maps, and which goes over the elements of one.
func flow() *dataflow.Graph {
	type texts struct {
		Texts state.List[string]
		Sizes state.Map[string, int]
	}
	read := dataflow.Node("read", func(_ node.Context, in struct{ Texts state.List[string] }) (struct {
		Words state.List[string]
		Seen  state.Map[string, int]
	}, error,
	) {
		out := struct {
			Words state.List[string]
			Seen  state.Map[string, int]
		}{Words: in.Texts.Append("more")}
		for i, word := range out.Words.All() {
			out.Seen = out.Seen.Set(word, i)
		}
		return out, nil
	})
	measure := dataflow.Must(dataflow.New("measure",
		dataflow.Func("measure", "size", func(_ node.Context, in struct{ Word string }) (int, error) { return len(in.Word), nil })))
	items := dataflow.Func("items", "word", func(_ node.Context, in struct{ Words state.List[string] }) ([]string, error) {
		return in.Words.Values(), nil
	})
	sum := dataflow.Func("sum", "all", func(_ node.Context, in struct {
		Words state.List[string]
		Seen  state.Map[string, int]
		Size  []int
	},
	) (texts, error) {
		all := texts{Texts: in.Words}
		for i, word := range in.Words.All() {
			seen, _ := in.Seen.Get(word)
			all.Sizes = all.Sizes.Set(word, 100*seen+in.Size[i])
		}
		return all, nil
	})
	return dataflow.Must(dataflow.New("flow", read, items, measure.Map("sizes", []string{"word"}), sum))
}

func TestJ4_DataflowsWithListsAndMapsSurviveCrashes(t *testing.T) {
	g := flow()
	res, err := g.Call(t.Context(), dataflow.Values{"texts": state.ListOf("a", "list")})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(res.Outputs["all"]); got != "{[a list more] map[a:1 list:104 more:204]}" {
		t.Errorf("got %s", got)
	}
	input, err := g.Input(dataflow.Values{"texts": state.ListOf("a", "list")})
	if err != nil {
		t.Fatal(err)
	}
	fermatatest.Crash(t, g.Plan(), func() any { return input })
}

// A map of a graph goes over the elements of a list, and its results become one.
func TestG5_AMapGoesOverAList(t *testing.T) {
	type shelf struct{ Items, Done state.List[string] }
	b := graph.New[shelf]("shelf")
	shout := graph.Of("shout", func(_ node.Context, s string) (string, error) { return s + "!", nil }).MustCompile()
	graph.Map(b, "all", func(s shelf) ([]string, error) { return s.Items.Values(), nil }, shout, func(s shelf, done []string) (shelf, error) {
		s.Done = s.Done.Append(done...)
		return s, nil
	})
	got, err := b.Edge(graph.Start, "all").MustCompile().Run(t.Context(), shelf{Items: state.ListOf("a", "b")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(state.ListOf("a!", "b!"), got.Done); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// allocated is how many bytes a function allocates in a call, of a hundred calls.
func allocated(f func(i int)) int {
	const calls = 100
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range calls {
		f(i)
	}
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc-before.TotalAlloc) / calls
}

// The engine's work for a node follows what the node changes: in a state that is a thousand times as large it allocates
// about as much, and its deltas are as long.
func TestJ7_ANodeCostsWhatItChanges(t *testing.T) {
	type large struct {
		Title string
		Lines state.List[entry]
		Names state.Map[string, entry]
	}
	codec, err := value.For[large]()
	if err != nil {
		t.Fatal(err)
	}
	cost := func(elements int) (bytes, delta int) {
		var s large
		for i := range elements {
			s.Lines, s.Names = s.Lines.Append(entryOf(i)), s.Names.Set(nameOf(i), entryOf(i))
		}
		_, snap, err := codec.Delta(nil, &s)
		if err != nil {
			t.Fatal(err)
		}
		var known value.Known
		bytes = allocated(func(i int) {
			s.Lines, s.Names = s.Lines.Append(entryOf(i)), s.Names.Set(nameOf(elements/2), entryOf(i))
			s.Lines = s.Lines.Set(elements/2, entryOf(i+1))
			node := s
			var text []byte
			if text, snap, _, err = value.Change(codec, snap, &node, &known); err != nil {
				t.Fatal(err)
			}
			delta = len(text)
		})
		return bytes, delta
	}
	small, shortest := cost(100)
	big, longest := cost(100_000)
	if big > 3*small+10_000 || longest > shortest+20 {
		t.Errorf("with 100 elements a node allocated %d bytes and wrote %d; with 100,000, %d and %d", small, shortest, big, longest)
	}
	t.Logf("with 100 elements a node allocated %d bytes and wrote %d; with 100,000, %d and %d", small, shortest, big, longest)
}
