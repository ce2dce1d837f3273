package values

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/vet/testdata/bank"
)

type Order struct {
	ID      string
	Amount  int
	At      time.Time
	Took    time.Duration
	OK      bool
	Receipt string
}

func pay(string) (string, error) { return "", nil }

func inAKey(ctx node.Context, o Order) (Order, error) {
	var err error
	key := fmt.Sprintf("pay-%d", time.Now().Unix()) // want `time.Now is in the key of node.Step \(line \d+\), .*ErrDiverged \(law N3\).*node.Now`
	o.Receipt, err = node.Step(ctx, key, func(node.Context) (string, error) { return pay(o.ID) })
	return o, err
}

func inAnID(ctx node.Context, o Order) (Order, error) {
	var err error
	o.OK, err = node.Interrupt[bool](ctx, o, node.ID(uuid.NewString()), node.Prompt("Pay?")) // want `uuid.NewString is in the key of node.Interrupt`
	return o, err
}

func decides(ctx node.Context, o Order) (Order, error) {
	if time.Now().Hour() < 12 { // want `time.Now decides whether node.Step \(line \d+\) is called`
		return o, nil
	}
	_, err := node.Step(ctx, "pay", func(node.Context) (string, error) { return pay(o.ID) })
	return o, err
}

func untilLate(ctx node.Context, o Order) (Order, error) {
	began := time.Now()                 // want `time.Now decides whether node.Sleep`
	for time.Since(began) < time.Hour { // want `time.Since decides whether node.Sleep`
		if err := node.Sleep(ctx, time.Minute); err != nil {
			return o, err
		}
	}
	return o, nil
}

func sample(ctx node.Context, o Order) (Order, error) {
	var err error
	if rand.IntN(10) == 0 { // want `rand.IntN decides whether node.Interrupt .*Instead, draw it in a node.Step`
		o.OK, err = node.Interrupt[bool](ctx, o)
	}
	return o, err
}

func acrossAQuestion(ctx node.Context, o Order) (Order, error) {
	began := time.Now() // want `time.Now is a time of its own each time the node goes on after node.Interrupt \(line \d+\).*used behind that, in the result`
	ok, err := node.Interrupt[bool](ctx, o)
	if err != nil {
		return o, err
	}
	o.OK, o.Took = ok, 0
	o.At = began
	return o, nil
}

func throughHelpers(ctx node.Context, o Order) (Order, error) {
	o.ID = bank.Number() // want `bank.Number is a value of its own each time the node goes on after bank.Confirm .*, in the result`
	day := bank.Today()  // want `bank.Today is a time of its own .*, in node.Step`
	ok, err := bank.Confirm(ctx, "Pay?")
	if err != nil {
		return o, err
	}
	o.OK = ok
	o.Receipt, err = node.Step(ctx, "pay", func(node.Context) (string, error) { return pay(day) })
	return o, err
}

func inWhatItIsGiven(ctx node.Context, o *Order) (bool, error) {
	at := time.Now() // want `time.Now is .*, in what the node was given`
	if err := node.Sleep(ctx, time.Hour); err != nil {
		return false, err
	}
	o.At = at
	return true, nil
}

func identity(ctx node.Context, o Order) (Order, error) {
	id := uuid.NewString() // want `uuid.NewString makes up another identity when node.Step \(line \d+\) is tried again, .*node.IdempotencyKey`
	var err error
	o.Receipt, err = node.Step(ctx, "pay", func(node.Context) (string, error) { return pay(id) })
	return o, err
}

// Nothing is recorded: the node is a step itself.
func nothingRecorded(_ node.Context, o Order) (Order, error) {
	o.ID, o.At, o.Amount = uuid.NewString(), time.Now(), rand.IntN(6)
	if time.Now().Hour() > 12 {
		o.Amount++
	}
	return o, nil
}

func behindTheQuestion(ctx node.Context, o Order) (Order, error) {
	var err error
	if o.OK, err = node.Interrupt[bool](ctx, o); err != nil {
		return o, err
	}
	o.At, o.ID = time.Now(), uuid.NewString()
	return o, nil
}

func measured(ctx node.Context, o Order) (Order, error) {
	began := time.Now()
	defer func() { ctx.Logger().Info("paid", "took", time.Since(began)) }()
	var err error
	o.OK, err = node.Interrupt[bool](ctx, o)
	ctx.Logger().Info("asked", "took", time.Since(began))
	if time.Since(began) > time.Second {
		ctx.Logger().Warn("slow")
	}
	return o, err
}

func recordedTime(ctx node.Context, o Order) (Order, error) {
	at, err := node.Now(ctx)
	if err != nil {
		return o, err
	}
	o.ID, err = node.Step(ctx, "id", func(node.Context) (string, error) { return uuid.NewString(), nil })
	if err != nil {
		return o, err
	}
	if at.Hour() > 12 {
		o.OK, err = node.Interrupt[bool](ctx, o)
	}
	o.At = at
	return o, err
}

func freshEachRound(ctx node.Context, o Order) (Order, error) {
	for range 3 {
		o.At = time.Now()
		ctx.Logger().Info("round", "at", o.At)
		o.At = time.Time{}
		if err := node.Sleep(ctx, time.Hour); err != nil {
			return o, err
		}
		now := time.Now()
		ctx.Logger().Info("awake", "at", now)
	}
	return Order{ID: o.ID}, nil
}

func onlyOnFailure(ctx node.Context, o Order) (Order, error) {
	failed := Order{ID: o.ID, At: time.Now()}
	ok, err := node.Interrupt[bool](ctx, o)
	if err != nil {
		return failed, err
	}
	return Order{ID: o.ID, OK: ok}, nil
}

func anotherField(ctx node.Context, o Order) (Order, error) {
	o.At = time.Now()
	if o.Amount > 100 {
		_, err := node.Step(ctx, "pay", func(node.Context) (string, error) { return pay(o.ID) })
		return o, err
	}
	return o, nil
}

func seeded(ctx node.Context, o Order) (Order, error) {
	dice := rand.New(rand.NewPCG(1, uint64(o.Amount)))
	var err error
	if dice.IntN(2) == 0 {
		o.OK, err = node.Interrupt[bool](ctx, o)
	}
	return o, err
}

func inAQuestion(ctx node.Context, o Order) (Order, error) {
	n := rand.IntN(9) // want `rand.IntN is in what node.Interrupt \(line \d+\) shows, .*ErrDiverged \(law N3\). A node.ID would name it`
	ok, err := node.Interrupt[bool](ctx, n)
	o.OK = ok
	return o, err
}

// A question with a name may show something else each time.
func inANamedQuestion(ctx node.Context, o Order) (Order, error) {
	var err error
	o.OK, err = node.Interrupt[bool](ctx, rand.IntN(9), node.ID("guess"))
	return o, err
}
