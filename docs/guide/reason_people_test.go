package guide_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/providers"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/patch"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/server"
)

// [guide: reason asking]

// Which is what the model may ask, and Chosen what a person answers.
type Which struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices" jsonschema:"two or three"`
}

// Chosen is the answer.
type Chosen struct {
	Choice string `json:"choice"`
}

func clarify(ctx node.Context, q Inquiry) (Inquiry, error) {
	var err error
	q.Ticket, err = node.Reason[Ticket](ctx, node.Reasoning{
		Prompt:    q.Letter,
		Interrupt: node.AskPerson[Which, Chosen](node.Role("clerk")),
	})
	return q, err
}

// [guide: end]

// unsure is a model that asks before it answers.
func unsure() *scripted.Model {
	return scripted.New(scripted.Script{Replies: []scripted.Reply{
		scripted.Calls("ask_person", `{"question":"Which order is meant?","choices":["A-17","A-71"]}`),
		{Text: `{"topic":"delivery","urgent":false,"orders":["A-71"]}`},
	}})
}

func Example_reasonAsks() {
	ctx := context.Background()
	m := unsure()
	// [guide: reason asks]
	clarifying := graph.Of("clarify", clarify).MustCompile()
	rt, err := fermata.New(fermata.Options{Services: []any{m}}) // with a Store, the run survives the process
	check(err)
	run, err := clarifying.Start(ctx, rt, Inquiry{Letter: "Where is my order?"})
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	q := res.Interrupts[0]
	fmt.Println(res.Status, q.Role, string(q.Request))

	err = rt.Answer(ctx, q.ID, map[string]string{"chioce": "A-71"}, fermata.AsRole("clerk"))
	fmt.Println(errors.Is(err, fermata.ErrInvalid)) // the question stays open
	check(rt.Answer(ctx, q.ID, Chosen{"A-71"}, fermata.AsRole("clerk")))
	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.State.Ticket.Orders, "after", res.Usage.Calls, "calls of the model")
	// [guide: end]
	check(rt.Close())

	// Output:
	// paused clerk {"question":"Which order is meant?","choices":["A-17","A-71"]}
	// true
	// [A-71] after 2 calls of the model
}

// [guide: reason payment]

// Payment is money that goes back.
type Payment struct {
	Order  string `json:"order"`
	Amount int    `json:"amount" jsonschema:"in euros"`
}

func payBack(_ node.Context, in Payment) (string, error) {
	return fmt.Sprintf("paid back %d for %s", in.Amount, in.Order), nil
}

// [guide: end]

// paying is a graph with a tool that a person approves.
func paying() *graph.Graph[string] {
	// [guide: reason approval]
	refund, err := node.NewTool("refund", "Pays money back.", payBack)
	check(err)
	refund.Once = true // after a crash in the middle it is not repeated (law J5)
	refund.Approval = &node.Approval{
		When: func(call model.ToolCall) bool { // small sums are nobody's business
			var in Payment
			return json.Unmarshal(call.Arguments, &in) != nil || in.Amount > 5
		},
		Ask: []node.AskOption{node.Role("manager"), node.Prompt("Pay this back?")},
	}
	// [guide: end]
	return graph.Of("paying", func(ctx node.Context, letter string) (string, error) {
		return node.Reason[string](ctx, node.Reasoning{Prompt: letter, Tools: []node.Tool{refund}})
	}).MustCompile()
}

func Example_reasonApproval() {
	ctx := context.Background()
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{
		scripted.Calls("refund", `{"order":"A-17","amount":40}`, "refund", `{"order":"A-71","amount":9}`), {Text: "Done."},
	}})
	rt := runtime(m)
	run, err := paying().Start(ctx, rt, "My lamps are broken: A-17 and A-71.")
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	// [guide: reason verdicts]
	for _, q := range res.Interrupts {
		fmt.Println(q.Kind, q.Prompt, string(q.Request))
	}
	check(rt.AnswerAll(ctx, map[string]any{
		res.Interrupts[0].ID: node.Verdict{Action: node.Edit, Arguments: json.RawMessage(`{"order":"A-17","amount":20}`)},
		res.Interrupts[1].ID: node.Verdict{Action: node.Deny, Reason: "it was a present"},
	}, fermata.AsRole("manager")))
	_, err = run.Wait(ctx)
	check(err)
	for _, part := range m.Requests()[1].Messages[2].Parts { // what the model was told
		fmt.Println(part.Result.Text)
	}
	// [guide: end]
	check(rt.Close())

	// Output:
	// approval Pay this back? {"tool":"refund","description":"Pays money back.","arguments":{"order":"A-17","amount":40}}
	// approval Pay this back? {"tool":"refund","description":"Pays money back.","arguments":{"order":"A-71","amount":9}}
	// (A person changed the arguments to {"order":"A-17","amount":20})
	// paid back 20 for A-17
	// A person did not allow this call. The reason: it was a present
}

func Example_reasonOutcome() {
	ctx := context.Background()
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{
		scripted.Calls("refund", `{"order":"A-17","amount":4}`), {Text: "Done."},
	}})
	rt := runtime(m)
	// [guide: reason outcome]
	refund, err := node.NewTool("refund", "Pays money back.", func(_ node.Context, _ Payment) (string, error) {
		return "", fmt.Errorf("the bank took longer than 10s: %w", node.ErrOutcomeUnknown) // it may have paid
	})
	check(err)
	refund.Once = true
	desk := graph.Of("desk", func(ctx node.Context, letter string) (string, error) {
		return node.Reason[string](ctx, node.Reasoning{
			Prompt: letter, Tools: []node.Tool{refund},
			Interrupt: &node.Asking{Ask: []node.AskOption{node.Role("clerk")}},
		})
	}).MustCompile()
	run, err := desk.Start(ctx, rt, "My lamp is broken: A-17.")
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	q := res.Interrupts[0]
	fmt.Println(q.Kind, q.Role, q.Prompt, q.Options)
	check(rt.Answer(ctx, q.ID, node.OutcomeDone, fermata.AsRole("clerk")))
	_, err = run.Wait(ctx)
	check(err)
	fmt.Println(m.Requests()[1].Messages[2].Parts[0].Result.Text) // what the model was told
	// [guide: end]
	check(rt.Close())

	// Output:
	// outcome clerk Was refund done? The call was begun, and its outcome is lost. [done not done]
	// A person says that this call was made. What it returned is not known. Do not make it again.
}

func Example_reasonReadme() {
	ctx := context.Background()
	// [guide: reason readme]
	refund, err := node.NewTool("refund", "Pays an order back.", payBack)
	check(err)
	refund.Approval = &node.Approval{Ask: []node.AskOption{node.Role("manager")}} // approves, edits or denies a call

	sort := func(ctx node.Context, q Inquiry) (Inquiry, error) {
		var err error
		q.Ticket, err = node.Reason[Ticket](ctx, node.Reasoning{ // checked against the schema of Ticket
			Prompt:    q.Letter,
			Tools:     []node.Tool{refund},
			Interrupt: node.AskPerson[Which, Chosen](), // what the model may ask, and what is answered
			Stream:    node.StreamPatch,                // shown while it is made
		})
		return q, err
	}
	// [guide: end]
	q, err := graph.Of("sort", sort).MustCompile().Run(ctx, Inquiry{Letter: "Thanks!"}, scripted.Texts(`{"topic":"other","urgent":false,"orders":[]}`))
	check(err)
	fmt.Println(q.Ticket.Topic)

	// Output: other
}

func Example_reasonTwo() {
	ctx := context.Background()
	// [guide: reason two]
	notice := graph.Of("notice", func(ctx node.Context, topic string) (string, error) {
		draft, err := node.Reason[string](ctx, node.Reasoning{ID: "draft", Prompt: "A notice: " + topic})
		if err != nil {
			return topic, err
		}
		return node.Reason[string](ctx, node.Reasoning{
			ID: "critique", System: "Ask what is missing, and write it anew.", Prompt: draft,
			Interrupt: &node.Asking{Required: true}, // any text, any answer; it may not answer without
		})
	}).MustCompile()
	// [guide: end]
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{
		{Text: "The kitchen is closed."},
		scripted.Calls("ask_person", `{"request":"Until when?"}`),
		{Text: "The kitchen is closed until Friday."},
	}})
	// [guide: reason two run]
	rt := runtime(m)
	run, err := notice.Start(ctx, rt, "the kitchen")
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	fmt.Println(res.Interrupts[0].Prompt, m.Answered())
	check(rt.Answer(ctx, res.Interrupts[0].ID, "Friday"))
	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.State, m.Answered()) // the draft was not written again
	// [guide: end]
	check(rt.Close())

	// Output:
	// Until when? 2
	// The kitchen is closed until Friday. 3
}

// slowly holds a model's reply before its end until the channel is closed: an example that prints what it sees on the
// way must not be overtaken.
func slowly(m model.Model, end <-chan struct{}) model.Model {
	return model.Func(func(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
		return func(yield func(model.Chunk, error) bool) {
			for chunk, err := range m.Generate(ctx, req) {
				if chunk.Finish != "" {
					<-end
				}
				if !yield(chunk, err) {
					return
				}
			}
		}
	})
}

// [guide: reason stream]

// watch renders a value whenever more of it is there.
func watch(ctx context.Context, run *graph.Run[Inquiry], render func(value json.RawMessage)) error {
	shown := patch.New()
	for ev, err := range run.Events(ctx, 0) {
		if err != nil {
			return err
		}
		if ev.Type() == "structured-data.invalidated" {
			render(nil) // it was not the answer yet; the first patch of another takes its place
		}
		if ev.Type() != "structured-data" {
			continue
		}
		var data struct {
			Mode  string          `json:"mode"`
			Patch patch.Patch     `json:"patch"`
			Data  json.RawMessage `json:"data"` // the whole value, once it is final
		}
		body, err := ev.Data()
		if err := errors.Join(err, json.Unmarshal(body, &data)); err != nil {
			return err
		}
		switch data.Mode {
		case node.DataPatch:
			if err := shown.Apply(data.Patch); err != nil {
				return err
			}
			render(shown.JSON())
		case node.DataFinal:
			render(data.Data)
		}
	}
	return nil
}

// [guide: end]

func TestWatchForgetsWhatWasNoAnswer(t *testing.T) {
	inquiry := ticketOf(node.Reasoning{Stream: node.StreamPatch})
	rt := runtime(scripted.Texts(
		`{"topic":"delivery","urgent":true,"orders":17}`,
		`{"topic":"delivery","urgent":false,"orders":[]}`,
	))
	run, err := inquiry.Start(t.Context(), rt, Inquiry{Letter: "Where is A-17?"})
	check(err)
	var ends []string
	check(watch(t.Context(), run, func(value json.RawMessage) {
		if value == nil {
			ends = append(ends, "forgotten")
		} else if strings.Contains(string(value), "false") && strings.Contains(string(value), "[]") {
			ends = append(ends, string(value))
		}
	}))
	check(rt.Close())
	want := []string{"forgotten", `{"topic":"delivery","urgent":false,"orders":[]}`}
	if diff := cmp.Diff(want, slices.Compact(ends)); diff != "" {
		t.Error(diff)
	}
}

func Example_reasonStream() {
	ctx := context.Background()
	shown := make(chan struct{})
	end := sync.OnceFunc(func() { close(shown) })
	rt := runtime(slowly(scripted.Texts(`{"topic": "delivery", "urgent": true, "orders": ["A-17"]}`), shown))
	var last json.RawMessage
	draw := func(value json.RawMessage) {
		if last = value; strings.Contains(string(value), "A-17") {
			end()
		}
	}
	// [guide: reason streamed]
	inquiry := ticketOf(node.Reasoning{Stream: node.StreamPatch}) // as read above, and with a Stream
	run, err := inquiry.Start(ctx, rt, Inquiry{Letter: "Where is A-17?"})
	check(err)
	check(watch(ctx, run, draw))
	fmt.Println(string(last))
	// [guide: end]
	check(rt.Close())

	// Output: {"topic":"delivery","urgent":true,"orders":["A-17"]}
}

func Example_reasonBrowser() {
	ctx := context.Background()
	rt := runtime(unsure())
	run, err := graph.Of("clarify", clarify).MustCompile().Start(ctx, rt, Inquiry{Letter: "Where is my order?"}, fermata.WithID("run_1"))
	check(err)
	_, err = run.Wait(ctx)
	check(err)
	// [guide: reason server]
	handler := server.New(rt, server.Options{}) // an http.Handler: bind it to 127.0.0.1, or set Authorize
	// [guide: end]
	desk := httptest.NewServer(handler)
	// [guide: reason inbox]
	res, err := http.Get(desk.URL + "/interrupts?role=clerk")
	check(err)
	var inbox struct {
		Interrupts []struct{ RequestID, Prompt, Task string }
	}
	check(json.NewDecoder(res.Body).Decode(&inbox))
	check(res.Body.Close())
	answer := `{"value": {"choice": "A-71"}, "by": "Kay", "role": "clerk"}`
	res, err = http.Post(desk.URL+"/interrupts/"+inbox.Interrupts[0].RequestID+"/answer", "application/json", strings.NewReader(answer))
	check(err)
	check(res.Body.Close())
	fmt.Println(inbox.Interrupts[0].Task, res.Status)
	done, err := run.Wait(ctx) // the handler drives it on
	check(err)
	fmt.Println(done.Status)
	// [guide: end]
	desk.Close()
	check(rt.Close())

	// Output:
	// clarify#1 200 OK
	// completed
}

func Example_reasonDraft() {
	ctx := context.Background()
	// [guide: reason draft]
	count := graph.Of("count", func(ctx node.Context, orders []string) ([]string, error) {
		d, err := node.NewDraft[Ticket](ctx, "ticket")
		if err != nil {
			return orders, err
		}
		t := Ticket{Topic: "other"}
		for _, order := range orders {
			t.Orders = append(t.Orders, order)
			if err := d.Show(t); err != nil { // a patch of what is new
				return orders, err
			}
		}
		return orders, d.Finish(t) // checked in full, and stored
	}).MustCompile()
	_, err := count.Run(ctx, []string{"A-17", "A-71"})
	check(err)
	// [guide: end]

	t := printed{}
	// [guide: reason structured]
	c := fermatatest.NewContext(t) // of your test
	err = c.Do(func(ctx node.Context) error {
		return node.Structured(ctx, "ticket", Ticket{Topic: "other"}) // at once
	})
	check(err)
	for _, d := range c.Shown() {
		fmt.Println(d.DataType, d.Mode, d.SchemaID, string(d.Value))
	}
	// [guide: end]

	// Output: ticket final Ticket {"topic":"other","urgent":false,"orders":null}
}

func Example_reasonLimits() {
	ctx := context.Background()
	// [guide: reason limits]
	tracking, err := node.NewTool("track", "Finds a parcel.", track)
	check(err)
	desk := graph.Of("desk", func(ctx node.Context, letter string) (string, error) {
		return node.Reason[string](ctx, node.Reasoning{
			Prompt: letter, Tools: []node.Tool{tracking},
			Limits: node.Limits{Turns: 3, Tokens: 20_000, Cost: model.Dollars(0.05)},
		})
	}).Limits(plan.Limits{Cost: model.Dollars(1)}).MustCompile() // of the whole run
	// [guide: end]
	looking := scripted.New(scripted.Script{Func: func(*model.Request) (scripted.Reply, error) {
		return scripted.Calls("track", `{"order":"A-17"}`), nil
	}})
	// [guide: reason limits used]
	m := model.Priced(looking, model.Prices{Input: model.Dollars(3), Output: model.Dollars(15)}) // a million tokens
	_, err = desk.Run(ctx, "Where is A-17?", m)
	var limit *node.LimitError
	fmt.Println(errors.As(err, &limit), err)
	// [guide: end]

	// Output: true run run, task desk#1: the reasoning's limit of turns (3) was reached
}

func Example_reasonFailures() {
	ctx := context.Background()
	tracking, err := node.NewTool("track", "Finds a parcel.", track)
	check(err)
	// [guide: reason failures]
	desk := graph.Of("desk", func(ctx node.Context, letter string) (string, error) {
		return node.Reason[string](ctx, node.Reasoning{Prompt: letter, Tools: []node.Tool{tracking}})
	}, graph.Retry(3, time.Millisecond)).MustCompile()
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{
		scripted.Calls("track", `{"order":"A-17"}`),
		{Err: &model.Error{Kind: model.ErrRateLimited}}, // the first attempt of the node ends here
		{Text: "It is in Lyon."},
	}})
	reply, err := desk.Run(ctx, "Where is A-17?", m)
	check(err)
	fmt.Println(reply, len(m.Requests()), "requests")
	// [guide: end]

	// Output: It is in Lyon. 3 requests
}

func Example_reasonModels() {
	ctx := context.Background()
	m := scripted.Texts("quick", "thorough")
	// [guide: reason models]
	both := graph.Of("both", func(ctx node.Context, text string) (string, error) {
		first, err := node.Reason[string](ctx, node.Reasoning{Prompt: text}) // the one called "default"
		if err != nil {
			return text, err
		}
		second, err := node.Reason[string](ctx, node.Reasoning{Prompt: text, Model: "careful"})
		return first + ", " + second, err
	}).MustCompile()
	said, err := both.Run(ctx, "Is it late?", model.Set{model.Default: m, "careful": m})
	check(err)
	fmt.Println(said)
	// [guide: end]

	// Output: quick, thorough
}

// without takes variables out of the environment, until what it returns is called.
func without(names ...string) (restore func()) {
	before := make(map[string]string)
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			before[name] = value
		}
		check(os.Unsetenv(name))
	}
	return func() {
		for name, value := range before {
			check(os.Setenv(name, value))
		}
	}
}

func Example_reasonProviders() {
	defer without("OPENAI_API_KEY", "OPENAI_API_KEY_FILE")()
	// [guide: reason providers]
	key := model.NewLimiter(model.Rate{Requests: 60, Tokens: 200_000, Concurrent: 4})
	budget := &model.Budget{Cost: model.Dollars(5)}
	_, err := providers.FromEnv(providers.Options{
		Model: "openai:gpt-5", // defaults to FERMATA_MODEL
		Wrap: func(provider string, m model.Model) model.Model {
			if provider == providers.OpenAI {
				m = model.Priced(m, model.Prices{Input: model.Dollars(1.25), Output: model.Dollars(10)})
				m = model.Limited(model.Budgeted(m, budget), key)
			}
			return model.Retrying(m, model.RetryPolicy{}) // four tries, while nothing was shown
		},
	})
	fmt.Println(err) // here is no key
	// [guide: end]

	// Output: Options.Model: no such model: openai has no key: set OPENAI_API_KEY, or OPENAI_API_KEY_FILE to the path of a file that has it
}

func Example_reasonRecord() {
	ctx := context.Background()
	real := scripted.Texts(`{"topic":"billing","urgent":false,"orders":[]}`)
	// [guide: reason record]
	inquiry := graph.Of("inquiry", read).MustCompile()
	var file bytes.Buffer // in testdata
	_, err := inquiry.Run(ctx, Inquiry{Letter: "I paid twice."}, scripted.Record(real, &file))
	check(err)

	replayed, err := scripted.Replay(&file)
	check(err)
	q, err := inquiry.Run(ctx, Inquiry{Letter: "I paid twice."}, replayed) // nobody is asked
	check(err)
	fmt.Println(q.Ticket.Topic)

	_, err = inquiry.Run(ctx, Inquiry{Letter: "I paid three times."}, replayed)
	fmt.Println(err)
	// [guide: end]

	// Output:
	// billing
	// run run, task inquiry#1: the script has no reply to request 2: its transcript does not have the request: the nearest of 1 is on line 2 and differs at /messages/0/parts/0/text: recorded "I paid twice.", asked "I paid three times."; the request is
	//   system: You sort the letters of a shop.
	//   user: I paid three times.
}

// [guide: reason test]

func TestClarifyAsksWhichOrder(t *testing.T) {
	c := fermatatest.NewContext(t).WithLLM(unsure()).Answer("ask_person", Chosen{"A-71"})
	q, err := fermatatest.Run(c, clarify, Inquiry{Letter: "Where is my order?"})
	if err != nil || q.Ticket.Orders[0] != "A-71" {
		t.Errorf("got %+v, %v", q, err)
	}
	if asked := c.Questions()[0]; asked.Role != "clerk" {
		t.Errorf("it asks a %q", asked.Role)
	}
	c.Replay() // on what is recorded, nobody is asked again
}

// [guide: end]

// [guide: reason crash]

func TestClarifySurvivesCrashes(t *testing.T) {
	m := scripted.New(scripted.Script{Func: func(r *model.Request) (scripted.Reply, error) {
		if len(r.Messages) == 1 { // by what it is asked, and not by how often: after a crash it says the same
			return scripted.Calls("ask_person", `{"question":"Which?","choices":["A-17"]}`), nil
		}
		return scripted.Reply{Text: `{"topic":"other","urgent":false,"orders":[]}`}, nil
	}})
	fermatatest.Crash(t, graph.Of("clarify", clarify).MustCompile().Plan(), func() any { return &Inquiry{Letter: "Hello?"} },
		fermatatest.Answers(map[string][]any{"clarify": {Chosen{"A-17"}}}),
		fermatatest.WithOptions(fermata.Options{Services: []any{model.Model(m)}}),
		fermatatest.Effects(func() map[string]int { return map[string]int{"answers of the model": m.Answered()} }))
}

// [guide: end]
