package storekind_test

import (
	"context"
	"fmt"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/storekind"
	"github.com/fermata-go/fermata/journal/stores"
	"github.com/fermata-go/fermata/node"
)

// shelf is a kind of store. This one keeps runs in memory under a name.
type shelf struct{}

func (shelf) About() storekind.About {
	return storekind.About{
		Name: "shelf", Place: storekind.Server, Address: "shelf://NAME",
		Variable: "FERMATA_SHELF", Password: "SHELF_PASSWORD", Public: []string{"board"},
	}
}

func (shelf) Open(address string, _ storekind.Options) (journal.Store, error) {
	return memory.New(), nil // where a real one connects to the server at the address
}

// A store of your own is a value beside those of this module.
func Example() {
	kinds := append(stores.All(), shelf{})
	store, err := kinds.Open("shelf://cellar", storekind.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	g := graph.New[int]("double").
		Node("double", func(_ node.Context, n int) (int, error) { return 2 * n, nil }).
		Edge(graph.Start, "double").
		MustCompile()
	run, err := g.Start(context.Background(), rt, 21)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := run.Wait(context.Background())
	fmt.Println(res.State, err)
	// Output: 42 <nil>
}
