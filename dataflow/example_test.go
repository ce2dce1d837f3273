package dataflow_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/node"
)

// A node with one output is a function with a name for what it returns. The function stays what it is.
func ExampleFunc() {
	type in struct{ Text string }
	embed := func(_ node.Context, in in) ([]float64, error) { return []float64{float64(len(in.Text))}, nil }
	def := dataflow.Func("embed", "embedding", embed)

	fmt.Println(embed(node.Context{}, in{"hello"}))
	fmt.Println(def.Name(), def.Inputs(), def.Outputs())
	// Output:
	// [5] <nil>
	// embed [{text string false}] [{embedding []float64 false}]
}

// A plain function of one value needs no struct.
func ExampleUnary() {
	length := dataflow.Unary("measure", "text", "length", dataflow.Plain(func(s string) int { return len(s) }))
	g := dataflow.Must(dataflow.New("measure", length))
	res, err := g.Call(context.Background(), dataflow.Values{"text": "hello"})
	fmt.Println(res.Outputs, err)
	// Output: map[length:5] <nil>
}

// A plain function that may fail fits as well: its error is the node's.
func ExamplePlainErr() {
	read := dataflow.Unary("read", "text", "age", dataflow.PlainErr(strconv.Atoi))
	g := dataflow.Must(dataflow.New("read", read))
	res, err := g.Call(context.Background(), dataflow.Values{"text": "42"})
	fmt.Println(res.Outputs, err)
	_, err = g.Call(context.Background(), dataflow.Values{"text": "old"})
	fmt.Println("no number:", errors.Is(err, strconv.ErrSyntax))
	// Output:
	// map[age:42] <nil>
	// no number: true
}

// The fields of a struct are several outputs; whoever reads one of them follows.
func ExampleNode() {
	type query struct{ Query string }
	type found struct {
		Docs   []string
		Scores []float64
	}
	retrieve := dataflow.Node("retrieve", func(_ node.Context, in query) (found, error) {
		return found{Docs: []string{"about " + in.Query, "more"}, Scores: []float64{0.9, 0.2}}, nil
	})
	best := dataflow.Func("best", "answer", func(_ node.Context, in found) (string, error) {
		return fmt.Sprintf("%s (%.1f)", in.Docs[0], in.Scores[0]), nil
	})
	g := dataflow.Must(dataflow.New("rag", best, retrieve)) // in any order
	res, err := g.Run(context.Background(), dataflow.Values{"query": "holds"})
	fmt.Println(res.Outputs["answer"], err)
	// Output: about holds (0.9) <nil>
}

// A gate chooses among nodes and End, and a choice can be of a type of its own.
func ExampleRoute() {
	type next string
	const (
		retrieve next = "retrieve"
		generate next = "generate"
		done     next = dataflow.End
	)
	type conversation struct{ Messages []string }
	decide := dataflow.Route("decide_next", func(_ node.Context, in conversation) (next, error) {
		switch last := in.Messages[len(in.Messages)-1]; {
		case last == "bye":
			return done, nil
		case strings.HasSuffix(last, "?"):
			return retrieve, nil
		}
		return generate, nil
	}, retrieve, generate, done)
	answer := func(word string) func(node.Context, conversation) (string, error) {
		return func(_ node.Context, in conversation) (string, error) { return word, nil }
	}
	g := dataflow.Must(dataflow.New("chat", decide,
		dataflow.Func("retrieve", "context", answer("looked up")), dataflow.Func("generate", "response", answer("made up"))))
	for _, said := range []string{"why?", "so", "bye"} {
		res, err := g.Run(context.Background(), dataflow.Values{"messages": []string{said}})
		fmt.Println(said, res.Outputs, err)
	}
	// Output:
	// why? map[context:looked up] <nil>
	// so map[response:made up] <nil>
	// bye map[] <nil>
}

// What a gate names is checked when the graph is made, and what it chooses when it runs (law F7).
func ExampleRoute_checked() {
	decide := func(to string) *dataflow.NodeDef {
		return dataflow.Route("decide", func(_ node.Context, in struct{ X int }) (string, error) { return "genrate", nil }, to)
	}
	generate := dataflow.Unary("generate", "x", "y", dataflow.Plain(func(x int) int { return x }))
	_, err := dataflow.New("typo", decide("genrate"), generate)
	fmt.Println(err)
	g := dataflow.Must(dataflow.New("typo", decide("generate"), generate))
	_, err = g.Run(context.Background(), dataflow.Values{"x": 1})
	fmt.Println(err, errors.Is(err, fermata.ErrInvalidRoute))
	// Output:
	// dataflow "typo":
	//   node "decide": target "genrate": it leads nowhere: there is no node "genrate"; did you mean "generate"?
	// run run, task decide#1: gate "decide" chose "genrate"; it declares "generate"; did you mean "generate"? true
}

// Of the two targets of a branch one runs, so both may write the same value.
func ExampleBranch() {
	label := func(text string) func(int) string { return func(int) string { return text } }
	positive := dataflow.Unary("positive", "x", "label", dataflow.Plain(label("positive")))
	negative := dataflow.Unary("negative", "x", "label", dataflow.Plain(label("negative")))
	sign := dataflow.Branch("check_sign", func(_ node.Context, in struct{ X int }) (bool, error) { return in.X > 0, nil },
		positive, "negative") // a node, or its name
	g := dataflow.Must(dataflow.New("sign", sign, positive, negative))
	for _, x := range []int{3, -3} {
		res, err := g.Run(context.Background(), dataflow.Values{"x": x})
		fmt.Println(res.Outputs["label"], err)
	}
	// Output:
	// positive <nil>
	// negative <nil>
}

// The prompt and the answer are what the program says they are.
type (
	approvalPrompt struct{ Message, Draft string }
	approval       struct{ Choice, Edited string }
)

// An interrupt asks: the run pauses, for as long as it takes, and the answer is a value like any other.
func ExampleInterrupt() {
	type drafted struct{ Draft string }
	type decided struct{ UserDecision approval }
	prompt := dataflow.Func("create_approval_prompt", "approval_prompt", func(_ node.Context, in drafted) (approvalPrompt, error) {
		return approvalPrompt{Message: "Please review this draft.", Draft: in.Draft}, nil
	})
	ask := dataflow.Interrupt[approvalPrompt, approval]("approval", "approval_prompt", "user_decision")
	finalize := dataflow.Func("finalize", "final_content", func(_ node.Context, in drafted) (string, error) {
		return "APPROVED: " + in.Draft, nil
	})
	edit := dataflow.Func("apply_edit", "final_content", func(_ node.Context, in decided) (string, error) {
		return "EDITED: " + in.UserDecision.Edited, nil
	})
	route := dataflow.Route("route_decision", func(_ node.Context, in decided) (string, error) {
		switch in.UserDecision.Choice {
		case "approve":
			return "finalize", nil
		case "edit":
			return "apply_edit", nil
		}
		return dataflow.End, nil
	}, "finalize", "apply_edit", dataflow.End)
	g := dataflow.Must(dataflow.New("approve", prompt, ask, route, finalize, edit))

	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	run, err := g.Start(ctx, rt, dataflow.Values{"draft": "Initial content."})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := run.Wait(ctx)
	asked, _ := dataflow.Question[approvalPrompt](res.Pause)
	fmt.Println(res.Status, res.Pause.Name, asked.Message, err)

	err = run.Answer(ctx, approval{Choice: "edit", Edited: "Better content."})
	res, _ = run.Wait(ctx)
	fmt.Println(res.Status, res.Outputs["final_content"], err)

	// Where nobody can wait, the graph is refused before anything runs; a handler answers instead.
	_, err = g.Call(ctx, dataflow.Values{"draft": "Initial content."})
	fmt.Println(errors.Is(err, dataflow.ErrIncompatibleRunner))
	auto := dataflow.Must(g.With(dataflow.Handle("approval", func(_ node.Context, p approvalPrompt) (approval, error) {
		return approval{Choice: "approve"}, nil
	})))
	res, err = auto.Call(ctx, dataflow.Values{"draft": "Initial content."})
	fmt.Println(res.Outputs["final_content"], err)
	// Output:
	// paused approval Please review this draft. <nil>
	// completed EDITED: Better content. <nil>
	// true
	// APPROVED: Initial content. <nil>
}

// Events say what happens as it happens, a question among it; the answer is given by whoever reads them.
func ExampleRun_Events() {
	draft := dataflow.Unary("write", "topic", "draft", dataflow.Plain(func(topic string) string { return "All about " + topic + "." }))
	ask := dataflow.Interrupt[string, bool]("approval", "draft", "approved")
	publish := dataflow.Func("publish", "published", func(_ node.Context, in struct {
		Draft    string
		Approved bool
	},
	) (string, error) {
		return fmt.Sprintf("%s (%v)", in.Draft, in.Approved), nil
	})
	g := dataflow.Must(dataflow.New("paper", draft, ask, publish))
	ctx := context.Background()
	rt, _ := fermata.New(fermata.Options{})
	defer rt.Close()
	run, err := g.Start(ctx, rt, dataflow.Values{"topic": "bees"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for event, err := range run.Events(ctx, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch event.Type() {
		case "node.finished":
			fmt.Printf("%s -> %s\n", event.Entry.Node, event.Entry.Value)
		case "interrupt":
			fmt.Println("asked at", event.Entry.Node)
			if err := run.Answer(ctx, true); err != nil {
				fmt.Println(err)
			}
		}
	}
	res, err := run.Wait(ctx)
	fmt.Println(res.Outputs["published"], err)
	// Output:
	// write -> {"draft":"All about bees."}
	// asked at approval
	// approval -> {"approved":true}
	// publish -> {"published":"All about bees. (true)"}
	// All about bees. (true) <nil>
}

// A node that reads what it writes accumulates: it is not started again by its own write (law D2). The first value is the
// run's.
func Example_accumulator() {
	type said struct {
		Messages   []string
		NewMessage string
	}
	add := dataflow.Func("add_message", "messages", func(_ node.Context, in said) ([]string, error) {
		return append(in.Messages, in.NewMessage), nil
	})
	g := dataflow.Must(dataflow.New("chat", add))
	res, err := g.Run(context.Background(), dataflow.Values{"messages": []string{"hi"}, "new_message": "there"})
	fmt.Println(res.Outputs, err)
	// Output: map[messages:[hi there]] <nil>
}

// Edges follow from the names: raw -> clean -> embed -> classify.
func Example_pipeline() {
	clean := dataflow.Unary("clean", "raw", "cleaned", dataflow.Plain(strings.TrimSpace))
	embed := dataflow.Unary("embed", "cleaned", "embedded", dataflow.Plain(func(s string) []float64 { return []float64{float64(len(s))} }))
	classify := dataflow.Unary("classify", "embedded", "result", dataflow.Plain(func(v []float64) string {
		if v[0] > 3 {
			return "long"
		}
		return "short"
	}))
	g := dataflow.Must(dataflow.New("pipeline", clean, embed, classify))
	res, err := g.Run(context.Background(), dataflow.Values{"raw": "  hello "})
	fmt.Println(res.Outputs, err)
	// Output: map[cleaned:hello embedded:[5] result:long] <nil>
}

// A gate closes a loop: the body runs, then the gate decides whether it runs again (law D12). The feedback of the first round
// is its default.
func Example_cycle() {
	type brief struct {
		Prompt   string
		Feedback string `default:"none"`
	}
	type judged struct {
		Score    float64
		Feedback string
	}
	generate := dataflow.Func("generate", "draft", func(_ node.Context, in brief) (string, error) {
		return fmt.Sprintf("%s, with %s", in.Prompt, in.Feedback), nil
	})
	evaluate := dataflow.Node("evaluate", func(_ node.Context, in struct{ Draft string }) (judged, error) {
		return judged{Score: float64(len(in.Draft)) / 40, Feedback: "more than " + in.Draft}, nil
	})
	gate := dataflow.Route("quality_gate", func(_ node.Context, in struct {
		Score     float64
		Threshold float64 `default:"0.9"`
	},
	) (string, error) {
		if in.Score >= in.Threshold {
			return dataflow.End, nil
		}
		return "generate", nil
	}, "generate", dataflow.End)
	g := dataflow.Must(dataflow.New("refine", generate, evaluate, gate))
	res, err := g.Run(context.Background(), dataflow.Values{"prompt": "a poem"})
	fmt.Println(res.Outputs["draft"], err)
	loop := g.Describe().Loops[0]
	fmt.Println("each round begins with", loop.Head, "and goes through", loop.Nodes)
	// Output:
	// a poem, with more than a poem, with none <nil>
	// each round begins with generate and goes through [generate evaluate quality_gate]
}

// Chunks are events as they come; the whole text is stored once, as what the node wrote.
func ExampleStream() {
	generate := dataflow.Stream("generate", "response", func(_ node.Context, in struct{ Prompt string }) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for word := range strings.FieldsSeq(in.Prompt) {
				if !yield(strings.ToUpper(word)+" ", nil) {
					return
				}
			}
		}
	}, dataflow.Join())
	g := dataflow.Must(dataflow.New("speak", generate))
	ctx := context.Background()
	rt, _ := fermata.New(fermata.Options{})
	defer rt.Close()
	run, err := g.Start(ctx, rt, dataflow.Values{"prompt": "hold until told"}, fermata.WithDurability(fermata.None))
	if err != nil {
		fmt.Println(err)
		return
	}
	for event, err := range run.Events(ctx, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if event.Type() == "text.delta" {
			fmt.Printf("%q\n", event.Entry.To)
		}
	}
	res, err := run.Wait(ctx)
	fmt.Printf("%q %v\n", res.Outputs["response"], err)
	// Output:
	// "HOLD "
	// "UNTIL "
	// "TOLD "
	// "HOLD UNTIL TOLD " <nil>
}

// A graph is a node of another one, and runs once for each item of a list.
func ExampleGraph_Map() {
	length := dataflow.Unary("measure", "text", "length", dataflow.Plain(func(s string) int { return len(s) }))
	measure := dataflow.Must(dataflow.New("measure", length))
	sum := dataflow.Unary("sum", "length", "total", dataflow.Plain(func(all []int) int {
		total := 0
		for _, n := range all {
			total += n
		}
		return total
	}))
	g := dataflow.Must(dataflow.New("measure_all", measure.Map("each", []string{"text"}), sum))
	res, err := g.Run(context.Background(), dataflow.Values{"text": []string{"one", "three", "eleven"}})
	fmt.Println(res.Outputs, err)
	// Output: map[length:[3 5 6] total:14] <nil>
}

// A run is told at once everything that is wrong with what it is given.
func ExampleGraph_Input() {
	type query struct {
		Text string
		TopK int `default:"5"`
	}
	search := dataflow.Func("search", "docs", func(_ node.Context, in query) ([]string, error) { return nil, nil })
	g := dataflow.Must(dataflow.New("rag", search))
	_, err := g.Input(dataflow.Values{"txt": "holds", "top_k": 3, "docs": []string{}})
	fmt.Println(err)
	_, err = g.Input(dataflow.Values{"text": "holds", "top_k": "three"})
	fmt.Println(err)
	// Output:
	// input "text" is missing: expected a value of type string, which node "search" needs; found "txt" instead
	// input "docs": node "search" writes it; to give it to a run, let the run begin behind that node (see Entry)
	// input "txt": no node reads it; did you mean "text"?
	// input "top_k": expected int, found string: the types differ
}
