package parallel

import (
	"sync"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

type Order struct {
	Items []string
	OK    bool
}

func pay(string) (string, error) { return "", nil }

func oneKey(ctx node.Context, o Order) (Order, error) {
	var all sync.WaitGroup
	for _, item := range o.Items {
		all.Go(func() {
			_, _ = node.Step(ctx, "pay", func(node.Context) (string, error) { return pay(item) }) // want `several goroutines make this call of node.Step with one key.*ErrSharedKey \(law N3\)`
		})
	}
	all.Wait()
	return o, nil
}

func noKey(ctx node.Context, o Order) (Order, error) {
	done := make(chan bool)
	for range o.Items {
		go func() {
			ok, _ := node.Interrupt[bool](ctx, "Pay?") // want `several goroutines make this call of node.Interrupt`
			done <- ok
		}()
	}
	for range o.Items {
		<-done
	}
	return o, nil
}

func twice(ctx node.Context, o Order) (Order, error) {
	var all sync.WaitGroup
	all.Go(func() { _, _ = node.Step(ctx, "pay", func(node.Context) (string, error) { return pay("a") }) })
	all.Go(func() { _, _ = node.Step(ctx, "pay", func(node.Context) (string, error) { return pay("b") }) }) // want `a goroutine makes this call of node.Step with the key of another one, in line 44`
	all.Wait()
	return o, nil
}

func ownKeys(ctx node.Context, o Order) (Order, error) {
	var all sync.WaitGroup
	for _, item := range o.Items {
		all.Go(func() {
			_, _ = node.Step(ctx, "pay "+item, func(node.Context) (string, error) { return pay(item) })
			_, _ = node.Interrupt[bool](ctx, "Paid?", node.ID(item))
		})
	}
	all.Go(func() { _, _ = node.Step(ctx, "log", func(node.Context) (string, error) { return pay("b") }) })
	all.Wait()
	return o, nil
}

func plain(ctx node.Context, o Order) (Order, error) {
	paid := make(chan string, len(o.Items))
	for _, item := range o.Items {
		go func() { paid <- item }()
	}
	for range o.Items {
		<-paid
	}
	return o, nil
}

func first(ctx node.Context, o Order, yes, no chan bool) (Order, error) {
	var err error
	select { // want `the channel that is ready first decides whether node.Interrupt \(line \d+\) is called`
	case <-yes:
		o.OK, err = node.Interrupt[bool](ctx, "Really?")
	case <-no:
	case <-ctx.Done():
		return o, ctx.Err()
	}
	return o, err
}

func cancelled(ctx node.Context, o Order, yes chan bool) (Order, error) {
	select {
	case o.OK = <-yes:
	case <-ctx.Done():
		return o, ctx.Err()
	}
	var err error
	o.OK, err = node.Interrupt[bool](ctx, "Really?")
	return o, err
}

func whichever(ctx node.Context, o Order, yes, no chan bool) (Order, error) {
	select {
	case o.OK = <-yes:
	case <-no:
	}
	return o, nil
}

var (
	seen  int
	names = map[string]bool{}
	limit = 3
)

func counts(_ node.Context, o Order) (Order, error) {
	seen++                   // want `the node writes the package's variable seen, which no journal holds`
	names[o.Items[0]] = true // want `the node writes the package's variable names`
	o.OK = seen > limit
	return o, nil
}

func reset() { seen = 0 }

func plan() *graph.Graph[Order] {
	reset()
	calls := 0
	return graph.New[Order]("orders").
		Node("counts", counts).
		Node("calls", func(_ node.Context, o Order) (Order, error) {
			calls++ // a variable of a test
			return o, nil
		}).
		Edge(graph.Start, "counts").Edge("counts", "calls").MustCompile()
}
