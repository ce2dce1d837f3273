package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
)

func ask(t *testing.T, m model.Model, req *model.Request) (*model.Response, error) {
	t.Helper()
	return model.Collect(m.Generate(t.Context(), req))
}

// Rules come first, then the list, then the function.
func TestTheOrderOfAScript(t *testing.T) {
	m := scripted.New(scripted.Script{
		Name: "m-1",
		Rules: []scripted.Rule{
			{Contains: "weather", Reply: scripted.Reply{Text: "rain"}},
			{When: func(r *model.Request) bool { return r.System == "be rude" }, Reply: scripted.Reply{Text: "no"}},
			{Contains: "song", When: func(r *model.Request) bool { return r.MaxTokens > 0 }, Reply: scripted.Reply{Text: "la"}},
		},
		Replies: []scripted.Reply{{Text: "first"}, {Text: "second"}},
		Func:    func(r *model.Request) (scripted.Reply, error) { return scripted.Reply{Text: "echo " + r.Prompt()}, nil },
	})
	rude := model.Ask("a song")
	rude.System = "be rude"
	short := model.Ask("a song")
	short.MaxTokens = 1
	var got []string
	for _, req := range []*model.Request{
		model.Ask("a"), model.Ask("the weather?"), rude, short, model.Ask("a song"), model.Ask("b"), model.Ask("the weather!"),
	} {
		r, err := ask(t, m, req)
		got = append(got, fmt.Sprint(r.Model, " ", r.Text(), " ", err))
	}
	want := []string{
		"m-1 first <nil>", "m-1 rain <nil>", "m-1 no <nil>", "m-1 la <nil>", "m-1 second <nil>", "m-1 echo b <nil>", "m-1 rain <nil>",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := len(m.Requests()); got != 7 {
		t.Errorf("it remembers %d requests", got)
	}
}

func TestCalls(t *testing.T) {
	r, err := ask(t, scripted.New(scripted.Script{Replies: []scripted.Reply{
		scripted.Calls("track", `{"order":"A-17"}`, "stop", `{}`),
	}}), model.Ask("a"))
	if err != nil {
		t.Fatal(err)
	}
	want := []model.ToolCall{
		{ID: "1", Name: "track", Arguments: json.RawMessage(`{"order":"A-17"}`)},
		{ID: "2", Name: "stop", Arguments: json.RawMessage(`{}`)},
	}
	if diff := cmp.Diff(want, r.Calls()); diff != "" || r.Finish != model.FinishCalls {
		t.Errorf("finish %q, (-want +got):\n%s", r.Finish, diff)
	}
	for _, odd := range [][]string{nil, {"track"}, {"track", `{}`, "stop"}} {
		_, err := ask(t, scripted.New(scripted.Script{Replies: []scripted.Reply{scripted.Calls(odd...)}}), model.Ask("a"))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", odd)) {
			t.Errorf("%q: found the error %v, expected one that shows them", odd, err)
		}
	}
}

// A reply comes in the pieces of a stream, and what it took is counted in words.
func TestWhatAReplyIsMadeOf(t *testing.T) {
	find := model.ToolCall{ID: "c1", Name: "find", Arguments: json.RawMessage(`{"q": "x y"}`)}
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{{Reasoning: "let me look", Text: "I look", Calls: []model.ToolCall{find}}}})
	req := &model.Request{
		System: "be brief", Messages: []model.Message{
			model.Says(model.User, "find x y for me"),
			{Role: model.Assistant, Parts: []model.Part{{Kind: model.CallPart, Call: &find}}},
			{Role: model.User, Parts: []model.Part{{Kind: model.ResultPart, Result: &model.ToolResult{ID: "c1", Text: "not found"}}}},
		},
	}
	var got []string
	for c, err := range m.Generate(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var set map[string]any
		if err := json.Unmarshal(data, &set); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"Reasoning", "Text", "Call", "Usage", "Finish"} {
			if v := set[name]; v != nil && v != "" {
				text, _ := json.Marshal(v) //nolint:errchkjson // it was JSON before
				got = append(got, name+" "+string(text))
			}
		}
	}
	want := []string{
		`Reasoning "let "`, `Reasoning "me "`, `Reasoning "look"`, `Text "I "`, `Text "look"`,
		`Call {"Arguments":"","ID":"c1","Index":0,"Name":"find"}`,
		`Call {"Arguments":"{\"q\": ","ID":"","Index":0,"Name":""}`,
		`Call {"Arguments":"\"x ","ID":"","Index":0,"Name":""}`,
		`Call {"Arguments":"y\"}","ID":"","Index":0,"Name":""}`,
		`Usage {"in":13,"out":9}`, `Finish "calls"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRepliesThatFail(t *testing.T) {
	broken := errors.New("broken")
	m := scripted.New(scripted.Script{
		Replies: []scripted.Reply{
			{Text: "half", Err: &model.Error{Kind: model.ErrUnavailable}, Usage: &model.Usage{Input: 7}},
			{Err: broken},
			{Text: "cut", Finish: model.FinishTruncated},
			{Chunks: []model.Chunk{{Text: "raw"}, {Model: "other"}}, Finish: model.FinishStop},
		},
		Func: func(*model.Request) (scripted.Reply, error) { return scripted.Reply{}, broken },
	})
	var got []string
	for range 5 {
		r, err := ask(t, m, model.Ask("?"))
		got = append(got, fmt.Sprintf("%s|%d|%v|%t", r.Text(), r.Usage.Input, err, errors.Is(err, broken)))
	}
	want := []string{
		"half|7|the model's provider is not available|false", "|0|broken|true", "cut|1|the model's reply was cut off|false",
		"raw|1|<nil>|false", "|0|broken|true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A script without a reply shows the request, and why nothing fits it.
func TestAScriptThatHasNothingToSay(t *testing.T) {
	m := scripted.New(scripted.Script{
		Rules: []scripted.Rule{
			{Contains: "weather"}, {When: func(*model.Request) bool { return false }},
		},
		Replies: []scripted.Reply{{Text: "one"}},
	})
	req := &model.Request{
		System: "be brief", Messages: []model.Message{model.Says(model.User, "sing\na song"), {Role: model.Assistant, Parts: []model.Part{
			{Kind: model.CallPart, Call: &model.ToolCall{Name: "sing", Arguments: json.RawMessage(`{}`)}},
		}}},
		Tools: []model.Tool{{Name: "sing"}},
	}
	if _, err := ask(t, m, req); err != nil {
		t.Fatal(err)
	}
	_, err := ask(t, m, req)
	want := `the script has no reply to request 2: its list of 1 has been said, and no rule fits ("weather", "" and a function); the request is
  system: be brief
  user: sing
    a song
  assistant (call): sing {}
  tool: sing`
	if !errors.Is(err, scripted.ErrNoReply) || err.Error() != want {
		t.Errorf("the error is\n%v\nwant\n%s", err, want)
	}
	_, err = ask(t, scripted.New(scripted.Script{}), model.Ask("?"))
	if want := "the script has no reply to request 1: it is empty; the request is\n  user: ?"; err == nil || err.Error() != want {
		t.Errorf("the error is\n%v\nwant\n%s", err, want)
	}
}

func TestACancelledRequestIsGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var heard strings.Builder
	var failed error
	for c, err := range scripted.Texts("one two three").Generate(ctx, model.Ask("?")) {
		heard.WriteString(c.Text)
		failed = err
		cancel()
	}
	if heard.String() != "one " || !errors.Is(failed, context.Canceled) {
		t.Errorf("%q, %v", heard.String(), failed)
	}
}

// What it remembers is what it was asked, though the conversation goes on in the same request.
func TestRequestsAreKept(t *testing.T) {
	m := scripted.Texts("one", "two")
	req := model.Ask("a")
	for range 2 {
		r, err := ask(t, m, req)
		if err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, r.Message())
	}
	var got []int
	for _, r := range m.Requests() {
		got = append(got, len(r.Messages))
	}
	if diff := cmp.Diff([]int{1, 2}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Many may ask at once: each reply of the list is said once.
func TestManyAsk(t *testing.T) {
	var texts []string
	for i := range 50 {
		texts = append(texts, fmt.Sprint(i))
	}
	m := scripted.Texts(texts...)
	var mu sync.Mutex
	said := make(map[string]int)
	var wg sync.WaitGroup
	for range texts {
		wg.Go(func() {
			r, err := ask(t, m, model.Ask("?"))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			said[r.Text()]++
		})
	}
	wg.Wait()
	if len(said) != len(texts) || len(m.Requests()) != len(texts) {
		t.Errorf("%d different replies to %d requests", len(said), len(m.Requests()))
	}
}

func Example() {
	m := scripted.New(scripted.Script{
		Rules:   []scripted.Rule{{Contains: "capital of France", Reply: scripted.Reply{Text: "Paris."}}},
		Replies: []scripted.Reply{{Text: "I do not know."}},
	})
	for _, prompt := range []string{"What is the capital of France?", "And of the moon?"} {
		reply, err := model.Collect(m.Generate(context.Background(), model.Ask(prompt)))
		fmt.Println(reply.Text(), reply.Usage.Input, "words asked,", reply.Usage.Output, "said", err)
	}
	// Output:
	// Paris. 6 words asked, 1 said <nil>
	// I do not know. 4 words asked, 4 said <nil>
}

// Answered counts what came to its end, and nothing that was cut or that failed.
func TestAnswered(t *testing.T) {
	m := scripted.New(scripted.Script{Func: func(r *model.Request) (scripted.Reply, error) {
		switch r.Prompt() {
		case "fails":
			return scripted.Reply{Text: "one two", Err: model.ErrUnavailable}, nil
		case "has none":
			return scripted.Reply{}, errors.New("none")
		}
		return scripted.Reply{Text: "one two"}, nil // four chunks, with the usage and the finish
	}})
	cancelledAt := func(n int) func() {
		return func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for _, err := range m.Generate(ctx, model.Ask("?")) {
				if n--; n == 0 || err != nil {
					cancel()
				}
			}
		}
	}
	stoppedAt := func(n int) func() {
		return func() {
			for _, err := range m.Generate(t.Context(), model.Ask("?")) {
				if n--; n == 0 || err != nil {
					break
				}
			}
		}
	}
	asked := func(prompt string) func() {
		return func() { _, _ = ask(t, m, model.Ask(prompt)) } // counted below, whatever it was
	}
	tests := []struct {
		name string
		ask  func()
		want int // added
	}{
		{"a whole reply", asked("?"), 1},
		{"a failure in the middle", asked("fails"), 0},
		{"no reply", asked("has none"), 0},
		{"cancelled at the first chunk", cancelledAt(1), 0},
		{"cancelled at the last but one", cancelledAt(3), 0},
		{"cancelled when all was said", cancelledAt(4), 1},
		{"stopped at the first chunk", stoppedAt(1), 0},
		{"stopped at the last", stoppedAt(4), 0},
		{"another whole reply", asked("?"), 1},
	}
	for _, tt := range tests {
		before := m.Answered()
		tt.ask()
		if got := m.Answered() - before; got != tt.want {
			t.Errorf("%s: %d more are answered, want %d", tt.name, got, tt.want)
		}
	}
}

// Every cuts finer or coarser than words, and never a character.
func TestEvery(t *testing.T) {
	for every, want := range map[int][]string{
		-1: {"one ", "für ", "日本"},
		1:  {"o", "n", "e", " ", "f", "ü", "r", " ", "日", "本"},
		4:  {"one ", "für", " 日", "本"},
		5:  {"one f", "ür ", "日", "本"},
		99: {"one für 日本"},
	} {
		reply := scripted.Reply{Reasoning: "one für 日本", Text: "one für 日本", Every: every}
		m := scripted.New(scripted.Script{Replies: []scripted.Reply{reply}})
		var text, reasoning []string
		for c, err := range m.Generate(t.Context(), model.Ask("?")) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Text != "" {
				text = append(text, c.Text)
			}
			if c.Reasoning != "" {
				reasoning = append(reasoning, c.Reasoning)
			}
		}
		if diff := cmp.Diff([][]string{want, want}, [][]string{text, reasoning}); diff != "" {
			t.Errorf("every %d (-want +got):\n%s", every, diff)
		}
	}
}

// However it is cut, it is the same reply, and no piece is larger than it may be.
func TestEveryJoined(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		arguments, err := json.Marshal(rapid.String().Draw(r, "arguments"))
		if err != nil {
			r.Fatal(err)
		}
		reply := scripted.Reply{Text: rapid.String().Draw(r, "text"), Calls: []model.ToolCall{{ID: "c", Name: "f", Arguments: arguments}}}
		every := rapid.IntRange(0, 9).Draw(r, "every")
		finer := reply
		finer.Every = every
		m := scripted.New(scripted.Script{Replies: []scripted.Reply{reply, finer}})
		var replies []*model.Response
		for range 2 {
			got, err := model.Collect(m.Generate(t.Context(), model.Ask("?")))
			if err != nil {
				r.Fatal(err)
			}
			replies = append(replies, got)
		}
		if diff := cmp.Diff(replies[0], replies[1]); diff != "" {
			r.Fatalf("(-words +finer):\n%s", diff)
		}
		for c, err := range scripted.New(scripted.Script{Replies: []scripted.Reply{finer}}).Generate(t.Context(), model.Ask("?")) {
			if err != nil {
				r.Fatal(err)
			}
			pieces := []string{c.Text}
			if c.Call != nil {
				pieces = append(pieces, c.Call.Arguments)
			}
			for _, p := range pieces {
				if !utf8.ValidString(p) || every > 0 && len(p) > every && utf8.RuneCountInString(p) > 1 {
					r.Fatalf("a piece is %q, of %d bytes at most", p, every)
				}
			}
		}
	})
}
