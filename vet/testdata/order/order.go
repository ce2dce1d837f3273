package order

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

type Order struct {
	Items map[string]int
	Notes []string
	Total int
	Text  string
}

func pay(string) (string, error) { return "", nil }

func steps(ctx node.Context, o Order) (Order, error) {
	for item := range o.Items { // want `node.Step is called in the order of the map, .*law N3.*slices.Sorted`
		if _, err := node.Step(ctx, "pay "+item, func(node.Context) (string, error) { return pay(item) }); err != nil {
			return o, err
		}
	}
	return o, nil
}

func iterated(ctx node.Context, o Order) (Order, error) {
	for item := range maps.Keys(o.Items) { // want `recorded calls are called in the order of the map`
		if _, err := node.Step(ctx, "pay "+item, func(node.Context) (string, error) { return pay(item) }); err != nil {
			return o, err
		}
	}
	return o, nil
}

func gathered(ctx node.Context, o Order) (Order, error) {
	var items []string
	for item := range o.Items { // want `the order of the map reaches node.Step`
		items = append(items, item)
	}
	for _, item := range items {
		if _, err := node.Step(ctx, "pay", func(node.Context) (string, error) { return pay(item) }); err != nil {
			return o, err
		}
	}
	return o, nil
}

func collected(ctx node.Context, o Order) (Order, error) {
	for _, item := range slices.Collect(maps.Keys(o.Items)) { // want `the order of the map reaches node.Step`
		if _, err := node.Step(ctx, "pay "+item, func(node.Context) (string, error) { return pay(item) }); err != nil {
			return o, err
		}
	}
	return o, nil
}

func returned(_ node.Context, o Order) (Order, error) {
	for item, n := range o.Items { // want `the order of the map reaches the node's result`
		o.Notes = append(o.Notes, fmt.Sprintf("%s: %d", item, n))
	}
	return o, nil
}

func written(_ node.Context, o Order) (Order, error) {
	var text strings.Builder
	for item := range o.Items { // want `the order of the map reaches the node's result`
		text.WriteString(item)
	}
	o.Text = text.String()
	return o, nil
}

func concatenated(_ node.Context, o Order) (Order, error) {
	text := ""
	for item := range o.Items { // want `the order of the map reaches the node's result`
		text += item + " "
	}
	o.Text = text
	return o, nil
}

func sorted(ctx node.Context, o Order) (Order, error) {
	var items []string
	for item := range o.Items {
		items = append(items, item)
	}
	sort.Strings(items)
	for _, item := range slices.Sorted(maps.Keys(o.Items)) {
		if _, err := node.Step(ctx, "pay "+item, func(node.Context) (string, error) { return pay(item) }); err != nil {
			return o, err
		}
	}
	for item := range o.Items {
		o.Notes = append(o.Notes, item)
	}
	slices.Sort(o.Notes)
	o.Text = strings.Join(items, " ")
	return o, nil
}

func counted(ctx node.Context, o Order) (Order, error) {
	most, keys := 0, map[string]bool{}
	for item, n := range o.Items {
		o.Total += n
		most = max(most, n)
		keys[item] = n > 0
	}
	for range len(keys) {
		if _, err := node.Step(ctx, "count", func(node.Context) (int, error) { return o.Total, nil }); err != nil {
			return o, err
		}
	}
	return o, nil
}

// Its caller sorts.
func helper(o Order) []string {
	var items []string
	for item := range o.Items {
		items = append(items, item)
	}
	return items
}

func calls(_ node.Context, o Order) (Order, error) {
	o.Notes = helper(o)
	slices.Sort(o.Notes)
	return o, nil
}

func plan() *graph.Graph[Order] {
	return graph.New[Order]("orders").
		Node("returned", returned).Node("written", written).Node("concatenated", concatenated).Node("calls", calls).
		Edge(graph.Start, "returned").Edge("returned", "written").Edge("written", "concatenated").Edge("concatenated", "calls").
		MustCompile()
}
