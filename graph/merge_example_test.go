package graph_test

import (
	"fmt"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// report says for its fields what becomes of them when several branches have changed them.
type report struct {
	Title   string
	Sources []string `merge:"append"`
	Tokens  int      `merge:"sum"`
}

// The codec of a graph's plan merges what branches made of a state, by the rules in the tags of its fields.
func Example_merge() {
	pass := func(_ node.Context, r report) (report, error) { return r, nil }
	g := graph.New[report]("research").Node("write", pass).
		Edge(graph.Start, "write").Edge("write", graph.End).MustCompile()
	codec := g.Plan().State()

	fork := &report{Title: "Bees", Sources: []string{"library"}, Tokens: 100}
	web := &report{Title: "Bees", Sources: []string{"library", "web"}, Tokens: 150}
	people := &report{Title: "On bees", Sources: []string{"library", "a beekeeper"}, Tokens: 120}
	merged, err := codec.Merge(fork, []any{web, people})
	fmt.Printf("%+v %v\n", *merged.(*report), err)

	_, err = codec.Merge(fork, []any{&report{Title: "Wasps"}, &report{Title: "Ants"}})
	fmt.Println(err)
	// Output:
	// {Title:On bees Sources:[library web a beekeeper] Tokens:170} <nil>
	// 2 fields cannot be merged:
	//   field "Title" was changed by branches 0 and 1: nothing says what to take; declare a rule on the field: merge:"max|min|first|last"
	//   field "Sources" was changed by branches 0 and 1: merge:"append" takes what is added behind the elements that were there at the fork, and some of those were changed or removed: only add, or use another rule
}
