package pauses

import (
	"time"

	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/node"
)

type Order struct{ OK bool }

func before(ctx node.Context, o Order) (Order, error) {
	time.Sleep(time.Hour) // want `time.Sleep waits again each time the node goes on after node.Interrupt \(line \d+\) \(law N1\). node.Sleep`
	var err error
	o.OK, err = node.Interrupt[bool](ctx, o)
	return o, err
}

func long(ctx node.Context, o Order) (Order, error) {
	select {
	case <-time.After(time.Minute): // want `time.After holds a goroutine, and a crash begins the wait anew`
	case <-ctx.Done():
	}
	return o, nil
}

func timed(ctx node.Context, o Order) (Order, error) {
	done := make(chan bool, 1)
	go func() { done <- true }()
	select {
	case o.OK = <-done:
	case <-time.After(time.Minute):
	}
	return o, nil
}

func short(ctx node.Context, o Order) (Order, error) {
	time.Sleep(20 * time.Millisecond)
	var err error
	o.OK, err = node.Interrupt[bool](ctx, o)
	return o, err
}

// Nobody knows whether it belongs to a node.
func elsewhere() { time.Sleep(time.Hour) }

func inAStep(ctx node.Context, o Order) (Order, error) {
	var err error
	o.OK, err = node.Step(ctx, "wait", func(node.Context) (bool, error) {
		time.Sleep(time.Hour)
		return true, nil
	})
	return o, err
}

func plan() (*dataflow.Graph, error) {
	return dataflow.New("orders", dataflow.Node[Order, Order]("long", long), dataflow.Node[Order, Order]("timed", timed))
}
