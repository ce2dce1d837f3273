package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// Complaint is a letter, and the answer to it.
type Complaint struct {
	Letter string `json:"letter"`
	Reply  string `json:"reply,omitempty"`
}

// OrderID names an order; its schema is what the model is told about the arguments of the tool.
type OrderID struct {
	Order string `json:"order" jsonschema:"like A-17"`
}

// Order is what the shop knows.
type Order struct {
	Customer string  `json:"customer"`
	Paid     float64 `json:"paid"`
	Status   string  `json:"status"`
}

// Refund is money that goes back.
type Refund struct {
	Order  string  `json:"order" jsonschema:"like A-17"`
	Amount float64 `json:"amount" jsonschema:"in euros"`
}

// Shop is where orders are.
type Shop interface {
	Order(id string) (Order, error)
	Refund(r Refund, key string) (string, error) // once for a key
}

// newApprove has two tools. The model may look up what it likes; before money goes back, a person approves it, edits it
// or denies it. Where both are called in one turn, the order is looked up while the person decides.
func newApprove() *graph.Graph[Complaint] {
	lookUp, err := node.NewTool("look_up", "Looks up an order.", func(ctx node.Context, in OrderID) (Order, error) {
		shop, err := node.Service[Shop](ctx)
		if err != nil {
			return Order{}, err
		}
		return shop.Order(in.Order)
	})
	refund, failed := node.NewTool("refund", "Pays money back.", func(ctx node.Context, in Refund) (string, error) {
		shop, err := node.Service[Shop](ctx)
		if err != nil {
			return "", err
		}
		return shop.Refund(in, node.IdempotencyKey(ctx))
	})
	if err := errors.Join(err, failed); err != nil {
		panic(err) // a type without a schema: it shows with the first test
	}
	refund.Approval = &node.Approval{Ask: []node.AskOption{node.Prompt("Pay this back?")}}

	return graph.Of("approve", func(ctx node.Context, c Complaint) (Complaint, error) {
		var err error
		c.Reply, err = node.Reason[string](ctx, node.Reasoning{
			System: "Answer the customer's letter, in a sentence or two. Pay back what is fair.",
			Prompt: c.Letter,
			Tools:  []node.Tool{lookUp, refund},
		})
		return c, err
	}).MustCompile()
}

func (c Complaint) String() string { return c.Reply }

// approve is the complaint's graph. Its model asks for both tools at once, and answers by what came of it.
func approve() part {
	return newPart(
		"approve", newApprove(), func(text string) Complaint {
			return Complaint{Letter: cmp.Or(text, "The lamp of order A-17 came broken. I paid 40 euros!")}
		},
		script{"Answer the customer's": {
			calls(call("call_1", "look_up", `{"order":"A-17"}`), call("call_2", "refund", `{"order":"A-17","amount":40}`)),
			func(told string) scripted.Reply {
				i := strings.LastIndex(told, "paid back ")
				if i < 0 {
					return scripted.Reply{Text: "Dear Ann, we are sorry. We will look at the lamp first, and come back to you."}
				}
				amount, _, _ := strings.Cut(told[i+len("paid back "):], " ")
				return scripted.Reply{Text: "Dear Ann, we are sorry about the lamp. " + amount + " euros are on their way to you."}
			},
		}},
	)
}

// counter is a shop with one order.
type counter struct{}

func (counter) Order(id string) (Order, error) {
	if id != "A-17" {
		return Order{}, fmt.Errorf("there is no order %q", id)
	}
	return Order{Customer: "Ann Miller", Paid: 40, Status: "delivered"}, nil
}

func (counter) Refund(r Refund, _ string) (string, error) {
	return fmt.Sprintf("paid back %g euros for %s", r.Amount, r.Order), nil
}
