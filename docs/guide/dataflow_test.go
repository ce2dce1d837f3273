package guide_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/node"
)

// [guide: flow functions]

func topicOf(letter string) string {
	if strings.Contains(letter, "parcel") {
		return "delivery"
	}
	return "other"
}

// Wanted is what lookUp is given.
type Wanted struct {
	Topic string
	TopK  int `default:"2"`
}

func lookUp(_ node.Context, in Wanted) ([]string, error) {
	shelf := map[string][]string{
		"delivery": {"Parcels take three days.", "Lost ones are sent again.", "We ship on Sundays, too."},
		"other":    {"We read every letter."},
	}
	found := shelf[in.Topic]
	return found[:min(in.TopK, len(found))], nil
}

// Brief is what write is given.
type Brief struct {
	Letter   string
	Passages []string
}

func write(_ node.Context, in Brief) (string, error) {
	return fmt.Sprintf("You wrote %q. %s", in.Letter, strings.Join(in.Passages, " ")), nil
}

// [guide: end]

func Example_flowFunctions() {
	// [guide: flow called]
	found, err := lookUp(node.Context{}, Wanted{Topic: topicOf("Where is my parcel?"), TopK: 1})
	fmt.Println(found, err)
	// [guide: end]

	// Output: [Parcels take three days.] <nil>
}

func Example_flow() {
	// [guide: flow]
	desk, err := dataflow.New(
		"desk",
		dataflow.Unary("classify", "letter", "topic", dataflow.Plain(topicOf)),
		dataflow.Func("look_up", "passages", lookUp),
		dataflow.Func("write", "reply", write),
	)
	check(err)
	d := desk.Describe()
	for _, in := range d.Inputs {
		fmt.Println("needs", in.Name, in.Type, "optional:", in.Optional)
	}
	for _, out := range d.Outputs {
		fmt.Println("brings", out.Name, out.Type)
	}
	// [guide: end]

	// Output:
	// needs letter string optional: false
	// needs top_k int optional: true
	// brings topic string
	// brings passages []string
	// brings reply string
}

// desk is the graph of the first chapters.
func desk() *dataflow.Graph {
	return dataflow.Must(dataflow.New(
		"desk",
		dataflow.Unary("classify", "letter", "topic", dataflow.Plain(topicOf)),
		dataflow.Func("look_up", "passages", lookUp),
		dataflow.Func("write", "reply", write),
	))
}

func Example_flowRun() {
	ctx := context.Background()
	desk := desk()
	// [guide: flow run]
	res, err := desk.Call(ctx, dataflow.Values{"letter": "Where is my parcel?", "top_k": 1})
	check(err)
	fmt.Println(res.Outputs["reply"])

	res, err = desk.Run(ctx, dataflow.Values{"letter": "Hello!"})
	check(err)
	passages, err := dataflow.Get[[]string](res.Outputs, "passages")
	check(err)
	fmt.Println(len(passages), "found:", passages[0])
	// [guide: end]

	// Output:
	// You wrote "Where is my parcel?". Parcels take three days.
	// 1 found: We read every letter.
}

func Example_flowProblems() {
	// [guide: flow problems]
	sign := func(_ node.Context, in struct{ Reply []string }) (string, error) {
		return in.Reply[0] + " Yours, the desk", nil
	}
	_, err := dataflow.New(
		"desk",
		dataflow.Func("write", "reply", write),
		dataflow.Func("sign", "signed", sign),
		dataflow.Bind(dataflow.Values{"passage": []string{"We read every letter."}}),
	)
	fmt.Println(err)

	isShort := func(_ node.Context, in Brief) (bool, error) { return len(in.Letter) < 80, nil }
	_, err = dataflow.New(
		"desk",
		dataflow.Branch("short", isShort, "wirte", dataflow.End),
		dataflow.Func("write", "reply", write),
	)
	fmt.Println(err)
	// [guide: end]

	// Output:
	// dataflow "desk":
	//   node "sign": it reads "reply" as []string, and node "write" writes it as string
	//   a value is bound to "passage", and no node reads it; did you mean "passages"?
	// dataflow "desk":
	//   node "short": target "wirte": it leads nowhere: there is no node "wirte"; did you mean "write"?
}

func Example_flowInputs() {
	ctx := context.Background()
	desk := desk()
	// [guide: flow inputs]
	_, err := desk.Call(ctx, dataflow.Values{"leter": "Hello!", "topic": "delivery"})
	fmt.Println(err)
	_, err = desk.Call(ctx, dataflow.Values{"letter": "Hello!", "top_k": "all"})
	fmt.Println(err)
	fmt.Println(errors.Is(err, dataflow.ErrInput))
	// [guide: end]

	// Output:
	// input "letter" is missing: expected a value of type string, which node "classify" and "write" need; found "leter" instead
	// input "leter": no node reads it; did you mean "letter"?
	// input "topic": node "classify" writes it; to give it to a run, let the run begin behind that node (see Entry)
	// input "top_k": expected int, found string: the types differ
	// true
}

func Example_flowMisspelt() {
	ctx := context.Background()
	// [guide: flow misspelt]
	count := func(_ node.Context, in struct{ Pasages []string }) (int, error) { return len(in.Pasages), nil }
	g := dataflow.Must(dataflow.New(
		"desk",
		dataflow.Func("look_up", "passages", lookUp),
		dataflow.Func("count", "n", count),
	))
	_, err := g.Call(ctx, dataflow.Values{"topic": "delivery"})
	fmt.Println(err)
	// [guide: end]

	// Output: input "pasages" is missing: expected a value of type []string, which node "count" needs; no node writes it, did that one mean "passages", which "look_up" writes?
}

func Example_flowValues() {
	ctx := context.Background()
	// [guide: flow values]
	// Found is two values, "passages" and "scores".
	type Found struct {
		Passages []string
		Scores   []float64
	}

	// Facts reads both, one that has a default, and one that may be missing.
	type Facts struct {
		Passages  []string
		Scores    []float64
		Threshold float64 `default:"0.5"`
		Sender    string  `json:"from,omitempty"` // called "from"
	}
	find := dataflow.Node("find", func(_ node.Context, in struct{ Letter string }) (Found, error) {
		return Found{[]string{"It is on its way.", "It rains."}, []float64{0.9, 0.2}}, nil
	})
	answer := dataflow.Func("answer", "reply", func(_ node.Context, in Facts) (string, error) {
		reply := "Dear " + cmp.Or(in.Sender, "reader") + "!"
		for i, p := range in.Passages {
			if in.Scores[i] >= in.Threshold {
				reply += " " + p
			}
		}
		return reply, nil
	})
	g := dataflow.Must(dataflow.New("desk", answer, find)) // in any order
	for _, given := range []dataflow.Values{
		{"letter": "Where is it?"},
		{"letter": "Where is it?", "from": "Ann", "threshold": 0.1},
	} {
		res, err := g.Call(ctx, given)
		check(err)
		fmt.Println(res.Outputs["reply"])
	}
	// [guide: end]

	// Output:
	// Dear reader! It is on its way.
	// Dear Ann! It is on its way. It rains.
}

func Example_flowReadme() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	// [guide: flow readme]
	desk, err := dataflow.New(
		"desk",
		dataflow.Func("compose", "reply", compose),                    // reads "letter" and "advice", writes "reply"
		dataflow.Node("judge", judge),                                 // reads "reply", writes "score" and "advice"
		dataflow.Branch("good", isGood, "edit", "compose"),            // reads "score"; not good: once more, with the advice
		dataflow.Interrupt[string, bool]("edit", "reply", "approved"), // shows "reply" to a person
	)
	check(err)
	run, err := desk.Start(ctx, rt, dataflow.Values{"letter": "Where is my parcel?"})
	check(err)
	res, err := run.Wait(ctx)
	// [guide: end]
	check(err)
	fmt.Println(res.Status, string(res.Pause.Value))
	check(run.Answer(ctx, true))
	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.Outputs["approved"])

	// Output:
	// paused "answer kindly and briefly: Where is my parcel?"
	// true
}
