package guide_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
)

func Example_reason() {
	ctx := context.Background()
	// [guide: reason]
	summary := graph.Of("summary", func(ctx node.Context, text string) (string, error) {
		return node.Reason[string](ctx, node.Reasoning{Prompt: "In five words: " + text})
	}).MustCompile()

	m := scripted.Texts("The parcel is late again.")
	short, err := summary.Run(ctx, "Dear shop, I have been waiting for my parcel since May, and…", m)
	check(err)
	fmt.Println(short)
	// [guide: end]

	// Output: The parcel is late again.
}

// [guide: reason types]

// Ticket is what is made of a letter.
type Ticket struct {
	Topic  string   `json:"topic" enum:"delivery,billing,other"`
	Urgent bool     `json:"urgent" jsonschema:"whether somebody has to look at it today"`
	Orders []string `json:"orders" jsonschema:"numbers of orders, like A-17"`
}

// [guide: end]

// ticketOf is the graph of some chapters: it makes a ticket of a letter.
func ticketOf(r node.Reasoning) *graph.Graph[Inquiry] {
	return graph.Of("inquiry", func(ctx node.Context, q Inquiry) (Inquiry, error) {
		var err error
		r.Prompt = q.Letter
		q.Ticket, err = node.Reason[Ticket](ctx, r)
		return q, err
	}).MustCompile()
}

// [guide: reason node]

// Inquiry is what the graph carries.
type Inquiry struct {
	Letter string
	Ticket Ticket
}

func read(ctx node.Context, q Inquiry) (Inquiry, error) {
	var err error
	q.Ticket, err = node.Reason[Ticket](ctx, node.Reasoning{
		System: "You sort the letters of a shop.",
		Prompt: q.Letter,
	})
	return q, err
}

// [guide: end]

func Example_reasonTyped() {
	ctx := context.Background()
	// [guide: reason typed]
	inquiry := graph.Of("inquiry", read).MustCompile()
	m := scripted.Texts("Here it is:\n```json\n" + `{"topic":"delivery","urgent":true,"orders":["A-17"]}` + "\n```")
	q, err := inquiry.Run(ctx, Inquiry{Letter: "Where is A-17? I fly tomorrow!"}, m)
	check(err)
	fmt.Printf("%+v\n", q.Ticket)
	// [guide: end]

	// Output: {Topic:delivery Urgent:true Orders:[A-17]}
}

func Example_reasonRepair() {
	ctx := context.Background()
	inquiry := graph.Of("inquiry", read).MustCompile()
	// [guide: reason repair]
	m := scripted.Texts(
		`{"topic":"shipping","urgent":"yes","orders":[]}`,
		`{"topic":"delivery","urgent":true,"orders":[]}`,
	)
	_, err := inquiry.Run(ctx, Inquiry{Letter: "Where is my parcel?"}, m)
	check(err)
	fmt.Println(m.Requests()[1].Prompt()) // what the model was told, between the two
	// [guide: end]

	// Output:
	// Your answer cannot be used: 2 problems:
	//   /topic: expected "delivery", "billing" or "other", found the string "shipping"
	//   /urgent: expected a boolean, found the string "yes"
	// Answer again: with the whole JSON value that its schema asks for, and nothing else.
}

func Example_reasonOutputError() {
	ctx := context.Background()
	// [guide: reason output error]
	m := scripted.Func(func(string) (string, error) { return "I would rather not.", nil })
	inquiry := ticketOf(node.Reasoning{Limits: node.Limits{Repairs: 1}})
	_, err := inquiry.Run(ctx, Inquiry{Letter: "Hello?"}, m)

	var output *node.OutputError
	fmt.Println(errors.As(err, &output), output.Repairs, output.Output)
	// [guide: end]

	// Output: true 1 I would rather not.
}

// [guide: reason tool]

// Parcel names a parcel: what the tool is given.
type Parcel struct {
	Order string `json:"order" jsonschema:"like A-17"`
}

// Place is what the tool finds.
type Place struct {
	City string `json:"city"`
	Days int    `json:"days" jsonschema:"until it is there"`
}

func track(_ node.Context, in Parcel) (Place, error) {
	if in.Order != "A-17" {
		return Place{}, fmt.Errorf("no order %q", in.Order) // the model is told, and may try something else
	}
	return Place{City: "Lyon", Days: 2}, nil
}

// [guide: end]

func Example_reasonTools() {
	ctx := context.Background()
	// [guide: reason tools]
	tracking, err := node.NewTool("track", "Finds a parcel.", track)
	check(err)
	desk := graph.Of("desk", func(ctx node.Context, letter string) (string, error) {
		return node.Reason[string](ctx, node.Reasoning{Prompt: letter, Tools: []node.Tool{tracking}})
	}).MustCompile()
	// [guide: end]

	// [guide: reason tools used]
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{
		scripted.Calls("track", `{"order":"A-71"}`, "track", `{"order":"A-17"}`), // a reply that calls a tool twice
		{Text: "A-17 is in Lyon, and will be there in two days."},
	}})
	reply, err := desk.Run(ctx, "Where is A-17, or was it A-71?", m)
	check(err)
	fmt.Println(reply)
	for _, part := range m.Requests()[1].Messages[2].Parts { // what the tools told the model
		fmt.Println(part.Result.Text, "failed:", part.Result.Failed)
	}
	// [guide: end]

	// Output:
	// A-17 is in Lyon, and will be there in two days.
	// no order "A-71" failed: true
	// {"city":"Lyon","days":2} failed: false
}

// [guide: reason mcp]

// files are the tools of a program that reads and writes files; a person looks at all calls that change any.
func files(ctx context.Context, server mcp.Server) (tools []node.Tool, done func() error, err error) {
	c, err := mcp.Connect(ctx, server)
	if err != nil {
		return nil, nil, err
	}
	if tools, err = c.Tools(ctx, "read_file", "write_file"); err != nil { // without names: all of them
		return nil, nil, errors.Join(err, c.Close())
	}
	operator := node.Approval{Ask: []node.AskOption{node.Role("operator")}}
	return c.Guard(tools, mcp.Writing, operator), c.Close, nil
}

// [guide: end]

func Example_reasonMCP() {
	ctx := context.Background()
	// [guide: reason mcp used]
	_, _, err := files(ctx, mcp.Server{Command: []string{"a-program-that-is-not-there", "/data"}})
	fmt.Println(errors.Is(err, mcp.ErrLost))
	// [guide: end]

	// Output: true
}

func Example_reasonSchema() {
	// [guide: reason schema]
	s, err := schema.For[Ticket]()
	check(err)
	fmt.Println(s.Check([]byte(`{"topic":"delivery","urgnet":true,"orders":[]}`)))
	fmt.Println(s.CheckPartial([]byte(`{"topic":"deliv"}`))) // while it is written, nothing is missed yet
	// [guide: end]

	// Output:
	// 2 problems:
	//   /urgent: required, but missing; expected a boolean
	//   /urgnet: unknown property; did you mean "urgent"?
	// <nil>
}

// [guide: reason identity]

// Receipt is a contract with others: it has a name, and a version that people keep.
type Receipt struct {
	Total string `json:"total"`
}

// SchemaIdentity names the contract.
func (Receipt) SchemaIdentity() schema.Identity {
	return schema.Identity{ID: "shop/receipt", Version: "2"}
}

// [guide: end]

func Example_reasonIdentity() {
	// [guide: reason identity used]
	kept, err := schema.For[Receipt]()
	check(err)
	derived, err := schema.For[Parcel]()
	check(err)
	fmt.Println(kept.Identity(), derived.Identity().ID)
	fmt.Println(schema.With(derived, schema.Identity{ID: "shop/parcel", Version: "1"}).Identity())
	// [guide: end]

	// Output:
	// {shop/receipt 2} Parcel
	// {shop/parcel 1}
}

func Example_reasonFragments() {
	// [guide: reason fragments]
	shared, err := schema.NewFragments(map[string][]byte{
		"money": []byte(`{"type":"string","pattern":"^[0-9]+\\.[0-9]{2} [A-Z]{3}$"}`),
	})
	check(err)
	s, err := shared.Parse([]byte(`{
		"title": "refund", "x-version": "3", "type": "object", "required": ["amount"],
		"properties": {"amount": {"$ref": "fragment:money"}, "fee": {"$ref": "fragment:money"}}
	}`))
	check(err)
	fmt.Println(s.Identity(), s.Check([]byte(`{"amount":"12.50 EUR"}`)))
	fmt.Println(s.Check([]byte(`{"amount":"12,50"}`)))
	// [guide: end]

	// Output:
	// {refund 3} <nil>
	// /amount: expected a string that matches ^[0-9]+\.[0-9]{2} [A-Z]{3}$, found "12,50"
}

func Example_reasonCompatible() {
	// [guide: reason compatible]
	type earlier struct {
		Topic  string   `json:"topic" enum:"delivery,billing"`
		Urgent bool     `json:"urgent"`
		Orders []string `json:"orders"`
	}
	before, err := schema.For[earlier]()
	check(err)
	now, err := schema.For[Ticket]()
	check(err)
	fmt.Println(schema.Compatible(before, now, schema.Backward)) // what was stored can be read
	fmt.Println(schema.Compatible(before, now, schema.Forward))  // a page that is still open may not know it
	// [guide: end]

	// Output:
	// <nil>
	// 1 incompatible change:
	//   /topic: "other" is allowed now, and was not
}

// [guide: reason pinned]

func TestTicketIsPinned(t *testing.T) {
	fermatatest.PinSchema[Ticket](t, "testdata/ticket.schema.json") // FERMATA_UPDATE=1 writes it
}

// [guide: end]
