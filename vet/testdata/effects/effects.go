package effects

import (
	"context"
	"database/sql"
	"net/http"
	"os"
	"os/exec"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/vet/testdata/bank"
)

type Order struct {
	ID      string
	Amount  int
	Receipt string
	OK      bool
}

func beforeAQuestion(ctx node.Context, o Order) (Order, error) {
	resp, err := http.Post("https://example.org/pay", "text/plain", nil) // want `http.Post happens again each time the node goes on after node.Interrupt \(line \d+\): .*law N1.*node.Step.*law J5`
	if err != nil {
		return o, err
	}
	if err := resp.Body.Close(); err != nil {
		return o, err
	}
	o.OK, err = node.Interrupt[bool](ctx, o.ID)
	return o, err
}

func inALoop(ctx node.Context, o Order) (Order, error) {
	for range 3 {
		if err := node.Sleep(ctx, 10); err != nil {
			return o, err
		}
		if err := exec.CommandContext(ctx, "beep").Run(); err != nil { // want `exec.Cmd.Run happens again each time the node goes on after node.Sleep`
			return o, err
		}
	}
	return o, nil
}

func behindAHelper(ctx node.Context, o Order) (Order, error) {
	if err := bank.Pay("https://example.org"); err != nil { // want `bank.Pay, which does http.Post \(bank.go:15\), happens again each time the node goes on after bank.Confirm`
		return o, err
	}
	var err error
	o.OK, err = bank.Confirm(ctx, o.ID)
	return o, err
}

func note(o Order) error { return os.WriteFile("note", []byte(o.ID), 0o600) }

func method(ctx node.Context, db *sql.DB, o Order) (Order, error) {
	if _, err := db.ExecContext(ctx, "delete from orders"); err != nil { // want `sql.DB.ExecContext happens again`
		return o, err
	}
	if err := note(o); err != nil { // want `note, which does os.WriteFile \(effects.go:55\), happens again`
		return o, err
	}
	asked, err := node.Ask[bool](ctx, o.ID)
	if err != nil {
		return o, err
	}
	o.OK, err = asked.Wait()
	return o, err
}

func beforeAStep(ctx node.Context, o Order) (Order, error) {
	if err := note(o); err != nil { // want `note, .*happens again when node.Step \(line \d+\) fails and the node is tried again, or when a crash comes in between.*law J5`
		return o, err
	}
	var err error
	o.Receipt, err = node.Step(ctx, "pay", func(ctx node.Context) (string, error) { return "", bank.Pay("x") })
	return o, err
}

// A goroutine's effect is one of the node.
func inAGoroutine(ctx node.Context, o Order) (Order, error) {
	go func() { _ = note(o) }() // want `os.WriteFile \(effects.go:55\) happens again each time`
	var err error
	o.OK, err = node.Interrupt[bool](ctx, o.ID)
	return o, err
}

// The function of a step that waits runs again as a node does.
func waitingStep(ctx node.Context, o Order) (Order, error) {
	var err error
	o.OK, err = node.Step(ctx, "confirmed", func(ctx node.Context) (bool, error) {
		if err := note(o); err != nil { // want `note, .* happens again each time`
			return false, err
		}
		return bank.Confirm(ctx, o.ID)
	})
	return o, err
}

// The only effect, with nothing behind it, is as safe as a step.
func alone(ctx node.Context, o Order) (Order, error) { return o, bank.Pay("x") }

func atTheEnd(ctx node.Context, o Order) (Order, error) {
	var err error
	if o.OK, err = node.Interrupt[bool](ctx, o.ID); err != nil {
		return o, err
	}
	return o, bank.Pay("x")
}

// The bank knows the second try by its key.
func keyed(ctx node.Context, o Order) (Order, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://example.org", nil)
	if err != nil {
		return o, err
	}
	req.Header.Set("Idempotency-Key", node.IdempotencyKey(ctx))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return o, err
	}
	defer resp.Body.Close()
	o.OK, err = node.Interrupt[bool](ctx, o.ID)
	return o, err
}

// A branch that does the effect does not wait.
func eitherOr(ctx node.Context, o Order) (Order, error) {
	if o.Amount < 100 {
		return o, bank.Pay("x")
	}
	var err error
	o.OK, err = node.Interrupt[bool](ctx, o.ID)
	return o, err
}

func inSteps(ctx node.Context, o Order) (Order, error) {
	_, err := node.Step(ctx, "note", func(node.Context) (bool, error) { return true, note(o) })
	if err != nil {
		return o, err
	}
	if o.Receipt, err = node.Step(ctx, "pay", payStep); err != nil {
		return o, err
	}
	file, err := os.Open("terms") // reads change nothing
	if err != nil {
		return o, err
	}
	defer file.Close()
	defer os.Remove("terms.lock")
	os.Stdout.WriteString("asked\n")
	o.OK, err = node.Interrupt[bool](ctx, o.ID)
	return o, err
}

func payStep(node.Context) (string, error) { return "", bank.Pay("x") }

// What is done around the plan is none of the node's.
func program(ctx context.Context) error {
	if err := bank.Pay("x"); err != nil {
		return err
	}
	g := graph.New[Order]("orders").
		Node("confirm", func(ctx node.Context, o Order) (Order, error) {
			var err error
			o.OK, err = bank.Confirm(ctx, o.ID)
			return o, err
		}).
		Edge(graph.Start, "confirm").MustCompile()
	_, err := g.Run(ctx, Order{})
	return err
}
