package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// talk is a model that says its replies by how far the conversation is, and counts which of them it was asked for.
// So it says the same after a crash.
type talk struct {
	mu      sync.Mutex
	replies map[string][]scripted.Reply // by the first words of the conversation
	asked   map[string]int              // "plan 2": the second reply about the plan
	last    map[string]model.Request
}

func newTalk(replies map[string][]scripted.Reply) *talk {
	return &talk{replies: replies, asked: make(map[string]int), last: make(map[string]model.Request)}
}

func (m *talk) Generate(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	topic, _, _ := strings.Cut(req.Messages[0].Text(), " ")
	turn := 1
	for i := range req.Messages {
		if req.Messages[i].Role == model.Assistant {
			turn++
		}
	}
	key := fmt.Sprintf("%s %d", topic, turn)
	m.mu.Lock()
	m.asked[key]++
	m.last[key] = *req
	m.mu.Unlock()
	if turn > len(m.replies[topic]) {
		return func(yield func(model.Chunk, error) bool) {
			yield(model.Chunk{}, fmt.Errorf("nobody expected %s", key))
		}
	}
	return scripted.New(scripted.Script{Replies: []scripted.Reply{m.replies[topic][turn-1]}}).Generate(ctx, req)
}

func (m *talk) counts() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.asked)
}

func replies(text string) scripted.Reply { return scripted.Reply{Text: text} }

// wants is a reply with calls of tools: names and arguments in turn.
func wants(namesAndArguments ...string) scripted.Reply {
	var r scripted.Reply
	for i := 0; i < len(namesAndArguments); i += 2 {
		r.Calls = append(r.Calls, model.ToolCall{
			ID: fmt.Sprintf("call_%d", i/2+1), Name: namesAndArguments[i], Arguments: json.RawMessage(namesAndArguments[i+1]),
		})
	}
	return r
}

type trip struct {
	City string `json:"city"`
	Days int    `json:"days"`
}

type choice struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices"`
}

type chosen struct {
	Choice string `json:"choice"`
}

var mayAsk = node.AskPerson[choice, chosen]()

// A reasoning gives a checked value of its type.
func TestN8_ReasonGivesACheckedValue(t *testing.T) {
	m := newTalk(map[string][]scripted.Reply{"plan": {replies(`Here it is: {"city":"Rome", "days":3} Enjoy!`)}})
	rt, _ := withModels(t, model.Model(m))
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		got, err := node.Reason[trip](ctx, node.Reasoning{Prompt: "plan a trip", System: "be brief"})
		s.Text, s.N = got.City, got.Days
		return s, err
	}), state{})
	res := ends(t, run, fermata.Completed)
	if diff := cmp.Diff(state{Text: "Rome", N: 3}, res.State); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	req := m.last["plan 1"]
	if req.System != "be brief" || !strings.Contains(string(req.Output), `"days"`) {
		t.Errorf("the model was asked %+v", req)
	}
}

// What does not fit is shown to the model with what is wrong, and the last of it is an error with the output.
func TestN8_ReasonShowsTheModelWhatIsWrong(t *testing.T) {
	m := newTalk(map[string][]scripted.Reply{
		"plan": {replies(`{"city":"Rome","days":"three"}`), replies(`{"city":"Rome","days":3}`)},
		"fail": {replies(`no idea`), replies(`{}`), replies(`{"city":1,"days":1}`)},
	})
	rt, _ := withModels(t, model.Model(m))
	reason := func(prompt string) graph.Func[state] {
		return func(ctx node.Context, s state) (state, error) {
			got, err := node.Reason[trip](ctx, node.Reasoning{Prompt: prompt})
			s.N = got.Days
			return s, err
		}
	}
	res := ends(t, start(t, rt, single(reason("plan a trip")), state{}), fermata.Completed)
	if res.State.N != 3 {
		t.Errorf("the answer is %+v", res.State)
	}
	second := m.last["plan 2"]
	if got := second.Prompt(); !strings.Contains(got, `/days: expected an integer, found the string "three"`) {
		t.Errorf("the model was told: %s", got)
	}
	failed := ends(t, start(t, rt, single(reason("fail at it")), state{}), fermata.Failed)
	var output *node.OutputError
	if !errors.As(failed.Err, &output) || output.Repairs != 2 || output.Output != `{"city":1,"days":1}` || !errors.Is(failed.Err, node.ErrOutput) {
		t.Errorf("the error is %v", failed.Err)
	}
}

// The model asks a person; the question is durable, both sides are checked, and no call is made again.
func TestJ5_ReasonAsksAPerson(t *testing.T) {
	m := newTalk(map[string][]scripted.Reply{"plan": {
		wants("ask_person", `{"question":"Where to?"}`), // not a request: nobody sees it
		wants("ask_person", `{"question":"Where to?","choices":["Rome","Oslo"]}`),
		replies(`{"city":"Oslo","days":2}`),
	}})
	rt, _ := withModels(t, model.Model(m))
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		got, err := node.Reason[trip](ctx, node.Reasoning{Prompt: "plan a trip", Interrupt: mayAsk})
		s.Text = got.City
		return s, err
	}), state{})
	q := question(t, run)
	if string(q.Request) != `{"question":"Where to?","choices":["Rome","Oslo"]}` {
		t.Errorf("the person sees %s", q.Request)
	}
	if err := rt.Answer(t.Context(), q.ID, map[string]any{"choise": "Oslo"}); !errors.Is(err, fermata.ErrInvalid) {
		t.Errorf("a bad answer: %v", err)
	}
	answer(t, rt, q.ID, chosen{"Oslo"})
	if res := ends(t, run, fermata.Completed); res.State.Text != "Oslo" {
		t.Errorf("the result is %+v", res.State)
	}
	if diff := cmp.Diff(map[string]int{"plan 1": 1, "plan 2": 1, "plan 3": 1}, m.counts()); diff != "" {
		t.Errorf("calls of the model (-want +got):\n%s", diff)
	}
	third := m.last["plan 3"]
	last := third.Messages[len(third.Messages)-1]
	if diff := cmp.Diff([]model.Part{{Kind: model.ResultPart, Result: &model.ToolResult{ID: "call_1", Text: `{"choice":"Oslo"}`}}}, last.Parts); diff != "" {
		t.Errorf("the model was told (-want +got):\n%s", diff)
	}
}

// desk is a set of tools that note what they do.
type desk struct {
	mu   sync.Mutex
	done map[string]int
}

func (d *desk) does(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done[what]++
}

func (d *desk) counts() map[string]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.done)
}

type place struct {
	City string `json:"city"`
}

func (d *desk) tool(t testing.TB, name string) node.Tool {
	t.Helper()
	tool, err := node.NewTool(name, name+" something", func(ctx node.Context, in place) (string, error) {
		d.does(name + " " + in.City)
		if in.City == "Atlantis" {
			return "", errors.New("no such city")
		}
		return name + " of " + in.City, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func newDesk() *desk { return &desk{done: make(map[string]int)} }

// Calls of tools are steps, those of one reply are made together, and a person approves, edits or denies.
func TestJ5_ToolsAndApprovals(t *testing.T) {
	d := newDesk()
	m := newTalk(map[string][]scripted.Reply{"plan": {
		wants("weather", `{"city":"Rome"}`, "book", `{"city":"Rome"}`, "book", `{"city":"Oslo"}`, "weather", `{"city":"Atlantis"}`, "wether", `{}`),
		replies(`done`),
	}})
	rt, store := withModels(t, model.Model(m))
	weather, book := d.tool(t, "weather"), d.tool(t, "book")
	book.Approval = &node.Approval{Ask: []node.AskOption{node.Role("agent")}}
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		var err error
		s.Text, err = node.Reason[string](ctx, node.Reasoning{Prompt: "plan it", Tools: []node.Tool{weather, book}})
		return s, err
	}), state{})
	res := wait(t, run)
	if len(res.Interrupts) != 2 {
		t.Fatalf("open questions: %+v", res.Interrupts)
	}
	if diff := cmp.Diff(map[string]int{"weather Rome": 1, "weather Atlantis": 1}, d.counts()); diff != "" {
		t.Errorf("before the approvals (-want +got):\n%s", diff)
	}
	second := res.Interrupts[1]
	bad := node.Verdict{Action: node.Edit, Arguments: json.RawMessage(`{"town":"Bergen"}`)}
	if err := rt.Answer(t.Context(), second.ID, bad, fermata.AsRole("agent")); !errors.Is(err, fermata.ErrInvalid) {
		t.Errorf("arguments that do not fit the tool: %v", err)
	}
	answer(t, rt, second.ID, node.Verdict{Action: node.Edit, Arguments: json.RawMessage(`{"city":"Bergen"}`)}, fermata.AsRole("agent"))
	if res = wait(t, run); len(res.Interrupts) != 1 || d.counts()["book Bergen"] != 1 {
		t.Fatalf("after the first answer: %+v, %v", res.Interrupts, d.counts())
	}
	answer(t, rt, res.Interrupts[0].ID, node.Verdict{Action: node.Deny, Reason: "too dear"}, fermata.AsRole("agent"))
	ends(t, run, fermata.Completed)
	if diff := cmp.Diff(map[string]int{"weather Rome": 1, "weather Atlantis": 1, "book Bergen": 1}, d.counts()); diff != "" {
		t.Errorf("what the tools did (-want +got):\n%s", diff)
	}
	req := m.last["plan 2"]
	var told []string
	for _, p := range req.Messages[len(req.Messages)-1].Parts {
		told = append(told, fmt.Sprintf("%s %t %s", p.Result.ID, p.Result.Failed, p.Result.Text))
	}
	want := []string{
		"call_1 false weather of Rome",
		"call_2 true A person did not allow this call. The reason: too dear",
		"call_3 false (A person changed the arguments to {\"city\":\"Bergen\"})\nbook of Bergen",
		"call_4 true no such city",
		`call_5 true there is no tool "wether", only book, weather; did you mean "weather"?`,
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("the model was told (-want +got):\n%s", diff)
	}
	var events []string
	for _, e := range entries(t, store, run.ID()) {
		ev := fermata.Event{Run: run.ID(), Entry: e}
		if strings.HasPrefix(ev.Type(), "tool.") {
			data, err := ev.Data()
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, ev.Type()+" "+ev.OpID()+" "+string(data))
		}
	}
	if len(events) != 6 {
		t.Errorf("events of tools:\n%s", strings.Join(events, "\n"))
	}
}

// crashReason explores crashes of nodes that reason: every answered call happens once.
func crashReason(t *testing.T, m *talk, d *desk, answers fermatatest.CrashOption, g *graph.Graph[state]) {
	t.Helper()
	report := fermatatest.Crash(t, g.Plan(), func() any { return &state{} }, answers,
		fermatatest.WithOptions(fermata.Options{Services: []any{model.Model(m)}}),
		fermatatest.Effects(func() map[string]int {
			effects := m.counts()
			maps.Copy(effects, d.counts())
			return effects
		}))
	if report.Result.Status != fermata.Completed {
		t.Errorf("the run is %s: %v", report.Result.Status, report.Result.Err)
	}
	t.Logf("%d appends, %d crashes", len(report.Appends), report.Crashes)
}

func TestJ5_CrashTwoReasonsTheSecondAsks(t *testing.T) {
	t.Parallel()
	m := newTalk(map[string][]scripted.Reply{
		"first":  {replies(`{"city":"Rome","days":3}`)},
		"second": {wants("ask_person", `{"question":"Where to?","choices":["Oslo"]}`), replies(`{"city":"Oslo","days":1}`)},
	})
	g := single(func(ctx node.Context, s state) (state, error) {
		one, err := node.Reason[trip](ctx, node.Reasoning{ID: "one", Prompt: "first a plan", Stream: node.StreamPatch})
		if err != nil {
			return s, err
		}
		two, err := node.Reason[trip](ctx, node.Reasoning{ID: "two", Prompt: "second a plan", Interrupt: mayAsk, Stream: node.StreamSnapshot})
		s.Text, s.N = one.City+two.City, one.Days+two.Days
		return s, err
	})
	crashReason(t, m, newDesk(), fermatatest.Answers(map[string][]any{"a": {chosen{"Oslo"}}}), g)
}

func TestJ5_CrashOneToolIsDoneAnotherAwaitsApproval(t *testing.T) {
	t.Parallel()
	d := newDesk()
	weather, book := d.tool(t, "weather"), d.tool(t, "book")
	book.Approval = &node.Approval{}
	m := newTalk(map[string][]scripted.Reply{"plan": {
		wants("weather", `{"city":"Rome"}`, "book", `{"city":"Rome"}`, "book", `{"city":"Oslo"}`), replies(`done`),
	}})
	g := single(func(ctx node.Context, s state) (state, error) {
		var err error
		s.Text, err = node.Reason[string](ctx, node.Reasoning{Prompt: "plan it", Tools: []node.Tool{weather, book}, Stream: node.StreamPatch})
		return s, err
	})
	verdicts := fermatatest.AnswerFunc(func(q fermata.Interrupt) any {
		if strings.Contains(string(q.Request), "Oslo") {
			return node.Verdict{Action: node.Deny}
		}
		return node.Verdict{Action: node.Approve}
	})
	crashReason(t, m, d, verdicts, g)
	if n := d.counts()["book Oslo"]; n != 0 {
		t.Errorf("what was denied was done %d times", n)
	}
}

func TestJ5_CrashReasonInALoop(t *testing.T) {
	t.Parallel()
	m := newTalk(map[string][]scripted.Reply{
		"round0": {wants("ask_person", `{"question":"Go on?","choices":[]}`), replies("a")},
		"round1": {wants("ask_person", `{"question":"Go on?","choices":[]}`), replies("b")},
		"round2": {replies("c")},
	})
	g := graph.New[state]("loop").Node("a", func(ctx node.Context, s state) (state, error) {
		text, err := node.Reason[string](ctx, node.Reasoning{Prompt: fmt.Sprintf("round%d of it", s.N), Interrupt: mayAsk})
		if err != nil {
			return s, err
		}
		s.Text, s.N = s.Text+text, s.N+1
		return s, nil
	}).Edge(graph.Start, "a").Route("a", func(_ node.Context, s state) (string, error) {
		if s.N < 3 {
			return "a", nil
		}
		return graph.End, nil
	}, "a", graph.End).MustCompile()
	crashReason(t, m, newDesk(), fermatatest.Answers(map[string][]any{"a": {chosen{"x"}, chosen{"y"}}}), g)
}

func TestJ5_CrashParallelReasons(t *testing.T) {
	t.Parallel()
	m := newTalk(map[string][]scripted.Reply{
		"left":  {wants("ask_person", `{"question":"Left?","choices":[]}`), replies(`{"city":"Rome","days":1}`)},
		"right": {wants("ask_person", `{"question":"Right?","choices":[]}`), replies(`{"city":"Oslo","days":2}`)},
	})
	branch := func(topic string) graph.Func[state] {
		return func(ctx node.Context, s state) (state, error) {
			got, err := node.Reason[trip](ctx, node.Reasoning{Prompt: topic + " it is", Interrupt: mayAsk, Stream: node.StreamPatch})
			if topic == "left" {
				s.Text = got.City
			} else {
				s.N = got.Days
			}
			return s, err
		}
	}
	g := graph.New[state]("both").
		Node("left", branch("left")).Node("right", branch("right")).Node("join", logged, graph.All()).
		Edge(graph.Start, "left").Edge(graph.Start, "right").Edge("left", "join").Edge("right", "join").MustCompile()
	crashReason(t, m, newDesk(), fermatatest.Answers(map[string][]any{"left": {chosen{"l"}}, "right": {chosen{"r"}}}), g)
}
