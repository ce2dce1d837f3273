package lost

import (
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/vet/testdata/bank"
)

type Order struct {
	Receipt string
	Items   [2]string
	Log     []string
}

func pay() (string, error) { return "", nil }

func intoTheState(ctx node.Context, o Order) (Order, error) {
	if _, err := node.Step(ctx, "pay", func(node.Context) (int, error) {
		o.Receipt = "paid" // want `what node.Step \(line \d+\) sets here is not set when the node runs again: .*Let the step return it`
		return 1, nil
	}); err != nil {
		return o, err
	}
	_, err := node.Interrupt[bool](ctx, nil)
	return o, err
}

func intoAVariable(ctx node.Context, o Order) (Order, error) {
	var receipt string
	_, err := node.Step(ctx, "pay", func(node.Context) (bool, error) {
		var err error
		receipt, err = pay() // want `what node.Step \(line \d+\) sets here`
		return err == nil, err
	})
	if err != nil {
		return o, err
	}
	if err := node.Sleep(ctx, 1); err != nil {
		return o, err
	}
	o.Receipt = receipt
	return o, nil
}

func intoAPart(ctx node.Context, o Order) (Order, error) {
	_, err := node.Step(ctx, "pay", func(node.Context) (bool, error) {
		o.Items[1] = "paid" // want `what node.Step \(line \d+\) sets here`
		return true, nil
	})
	if err != nil {
		return o, err
	}
	_, err = node.Interrupt[bool](ctx, nil)
	return o, err
}

func readInALaterStep(ctx node.Context, o Order) (Order, error) {
	var receipt string
	_, err := node.Step(ctx, "pay", func(node.Context) (bool, error) {
		receipt = "paid" // want `what node.Step \(line \d+\) sets here`
		return true, nil
	})
	if err != nil {
		return o, err
	}
	_, err = node.Step(ctx, "tell", func(node.Context) (bool, error) { return true, bank.Pay(receipt) })
	return o, err
}

// Nothing reads it behind the step.
func onlyInside(ctx node.Context, o Order) (Order, error) {
	var err error
	var text string
	o.Receipt, err = node.Step(ctx, "pay", func(node.Context) (string, error) {
		text = "paid"
		return text + "!", nil
	})
	if err != nil {
		return o, err
	}
	_, err = node.Interrupt[bool](ctx, nil)
	return o, err
}

// The node sets it itself, whatever the step did.
func setAgain(ctx node.Context, o Order) (Order, error) {
	var receipt string
	v, err := node.Step(ctx, "pay", func(node.Context) (string, error) {
		receipt = "paid"
		return receipt, nil
	})
	if err != nil {
		return o, err
	}
	receipt = v
	_, err = node.Interrupt[bool](ctx, nil)
	o.Receipt = receipt
	return o, err
}

// Variables of the step's own are nobody else's.
func ofItsOwn(ctx node.Context, o Order) (Order, error) {
	var err error
	o.Receipt, err = node.Step(ctx, "pay", func(node.Context) (string, error) {
		receipt, err := pay()
		return receipt, err
	})
	if err != nil {
		return o, err
	}
	_, err = node.Interrupt[bool](ctx, nil)
	return o, err
}

// What is read before the step is what the node has set.
func readBefore(ctx node.Context, o Order) (Order, error) {
	count := 1
	o.Log = append(o.Log, string(rune('0'+count)))
	_, err := node.Step(ctx, "pay", func(node.Context) (int, error) {
		count = 2
		return count, nil
	})
	if err != nil {
		return Order{}, err
	}
	_, err = node.Interrupt[bool](ctx, nil)
	return Order{}, err
}

var _ = []any{intoTheState, intoAVariable, intoAPart, readInALaterStep, onlyInside, setAgain, ofItsOwn, readBefore}
