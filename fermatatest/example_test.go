package fermatatest_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// Claim is what is asked for, and what was decided.
type Claim struct {
	Amount  int
	Granted bool
	Receipt string
}

// review asks a person about large claims.
func review(ctx node.Context, c Claim) (Claim, error) {
	if c.Amount < 100 {
		c.Granted = true
		return c, nil
	}
	var err error
	c.Granted, err = node.Interrupt[bool](ctx, c, node.ID("grant"), node.Prompt("Grant it?"),
		node.Within(24*time.Hour), node.OrDefault(false))
	return c, err
}

// pay pays once.
func pay(ctx node.Context, c Claim) (Claim, error) {
	var err error
	c.Receipt, err = node.Step(ctx, "pay", func(ctx node.Context) (string, error) {
		return "paid for " + node.IdempotencyKey(ctx), nil
	})
	return c, err
}

// A node is tested as what it is, a function.
func ExampleRun() {
	t := inExample{} // in a test, its t
	c := fermatatest.NewContext(t).Answer("grant", true)
	out, err := fermatatest.Run(c, review, Claim{Amount: 500})
	c.Replay() // run again on what is recorded, it does nothing again
	fmt.Println(out, err)
	// Output: {500 true } <nil>
}

// A deadline is tried without waiting for it.
func ExampleContext_Expire() {
	t := inExample{}
	c := fermatatest.NewContext(t).Expire("grant")
	out, err := fermatatest.Run(c, review, Claim{Amount: 500})
	fmt.Println(out, err, c.Clock().Now().Sub(fermatatest.Epoch))
	// Output: {500 false } <nil> 24h0m0s
}

// A plan is run once for each place where a process can die in it, before and after, and must come to the same end.
func ExampleCrash() {
	t := inExample{}
	b := graph.New[Claim]("claim").Node("review", review).Node("pay", pay)
	b.Edge(graph.Start, "review").Edge("review", "pay")
	report := fermatatest.Crash(t, b.MustCompile().Plan(), func() any { return &Claim{Amount: 500} },
		fermatatest.Answers(map[string][]any{"review": {true}}))
	fmt.Println(report.Result.Status, *report.Result.Value.(*Claim))
	// Output: completed {500 true paid for run_explored/pay#1/step:pay#1}
}

// inExample is a test's t for examples: it prints what is wrong.
type inExample struct {
	testing.TB
	name string
}

func (inExample) Helper()                           {}
func (t inExample) Name() string                    { return t.name }
func (inExample) Context() context.Context          { return context.Background() }
func (inExample) Output() io.Writer                 { return io.Discard }
func (inExample) TempDir() string                   { return os.TempDir() }
func (inExample) Error(args ...any)                 { fmt.Println(args...) }
func (inExample) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (inExample) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
