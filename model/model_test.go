package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
)

// chunks is a stream that ends with an error, or well.
func chunks(err error, all ...model.Chunk) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for _, c := range all {
			if !yield(c, nil) {
				return
			}
		}
		if err != nil {
			yield(model.Chunk{}, err)
		}
	}
}

func call(index int, id, name, arguments string) model.Chunk {
	return model.Chunk{Call: &model.CallChunk{Index: index, ID: id, Name: name, Arguments: arguments}}
}

var errLine = errors.New("the line is dead")

func TestCollect(t *testing.T) {
	stop := model.Chunk{Finish: model.FinishStop}
	tests := map[string]struct {
		in   iter.Seq2[model.Chunk, error]
		want model.Response
		err  string
		kind error
	}{
		"text in pieces": {
			in: chunks(nil, model.Chunk{Text: "a ", Model: "m-1"}, model.Chunk{Text: "b"}, stop),
			want: model.Response{
				Parts: []model.Part{{Text: "a b"}}, Finish: model.FinishStop, Model: "m-1",
			},
		},
		"nothing at all": {in: chunks(nil, stop), want: model.Response{Finish: model.FinishStop}},
		"parts in their order, reasoning cut at its signatures, calls that cross": {
			in: chunks(nil,
				model.Chunk{Reasoning: "so"}, model.Chunk{Reasoning: " it"}, model.Chunk{Signature: "s1"}, model.Chunk{Reasoning: "on"},
				model.Chunk{Text: "I look."}, call(0, "c1", "find", `{"q":`), call(1, "c2", "now", ""), call(0, "", "", `"x"}`),
				model.Chunk{Finish: model.FinishCalls}),
			want: model.Response{
				Parts: []model.Part{
					{Kind: model.ReasoningPart, Text: "so it", Signature: "s1"},
					{Kind: model.ReasoningPart, Text: "on"},
					{Text: "I look."},
					{Kind: model.CallPart, Call: &model.ToolCall{ID: "c1", Name: "find", Arguments: json.RawMessage(`{"q":"x"}`)}},
					{Kind: model.CallPart, Call: &model.ToolCall{ID: "c2", Name: "now", Arguments: json.RawMessage(`{}`)}},
				},
				Finish: model.FinishCalls,
			},
		},
		"the last usage holds": {
			in:   chunks(nil, model.Chunk{Usage: &model.Usage{Input: 3}}, model.Chunk{Usage: &model.Usage{Input: 3, Output: 5}}, stop),
			want: model.Response{Finish: model.FinishStop, Usage: model.Usage{Input: 3, Output: 5}},
		},
		"broken off": {
			in:   chunks(errLine, model.Chunk{Text: "a"}, model.Chunk{Usage: &model.Usage{Input: 3}}),
			want: model.Response{Parts: []model.Part{{Text: "a"}}, Usage: model.Usage{Input: 3}},
			err:  "the line is dead", kind: errLine,
		},
		"without an end": {
			in: chunks(nil, model.Chunk{Text: "a"}), want: model.Response{Parts: []model.Part{{Text: "a"}}},
			err: "the model's reply is malformed: the reply ended without saying why", kind: model.ErrMalformed,
		},
		"cut off": {
			in:   chunks(nil, call(0, "c", "find", `{"q`), model.Chunk{Finish: model.FinishTruncated}),
			want: model.Response{Finish: model.FinishTruncated},
			err:  "the model's reply was cut off", kind: model.ErrTruncated,
		},
		"refused": {
			in:   chunks(nil, model.Chunk{Text: "I will not.\nNever."}, model.Chunk{Finish: model.FinishRefused}),
			want: model.Response{Parts: []model.Part{{Text: "I will not.\nNever."}}, Finish: model.FinishRefused},
			err:  "the model refused to answer: I will not.", kind: model.ErrRefused,
		},
		"arguments that are no JSON": {
			in:   chunks(nil, call(0, "c", "find", `{q: 1}`), model.Chunk{Finish: model.FinishCalls}),
			want: model.Response{Finish: model.FinishCalls},
			err:  `the model's reply is malformed: the arguments of its call of "find" are not JSON: {q: 1}`, kind: model.ErrMalformed,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := model.Collect(tt.in)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if diff := cmp.Diff(tt.err, text); diff != "" || tt.kind != nil && !errors.Is(err, tt.kind) {
				t.Errorf("the error is %v; (-want +got):\n%s", err, diff)
			}
			if len(got.Parts) == 0 {
				got.Parts = nil
			}
			if diff := cmp.Diff(tt.want, *got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A reply that is taken apart and put together again is the same, and survives JSON on the way.
func TestResponseRoundTrip(t *testing.T) {
	want := model.Response{
		Parts: []model.Part{
			{Kind: model.ReasoningPart, Text: "so", Signature: "s"},
			{Text: "I look."},
			{Kind: model.CallPart, Call: &model.ToolCall{ID: "c1", Name: "find", Arguments: json.RawMessage(`{"q":"x"}`)}},
			{Kind: model.CallPart, Call: &model.ToolCall{ID: "c2", Name: "now", Arguments: json.RawMessage(`{}`)}},
		},
		Finish: model.FinishCalls, Model: "m-1", Usage: model.Usage{Input: 1, Output: 2, Cached: 1, Reasoning: 1, Cost: 4, Priced: true},
	}
	data, err := json.Marshal(&want)
	if err != nil {
		t.Fatal(err)
	}
	var read model.Response
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	got, err := model.Collect(read.Chunks())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]model.ToolCall{*want.Parts[2].Call, *want.Parts[3].Call}, got.Calls()); diff != "" || got.Text() != "I look." {
		t.Errorf("the text is %q, the calls (-want +got):\n%s", got.Text(), diff)
	}
	said := got.Message()
	if diff := cmp.Diff(model.Message{Role: model.Assistant, Parts: want.Parts}, said); diff != "" {
		t.Errorf("as a message (-want +got):\n%s", diff)
	}
}

func TestChunksStopWhenNobodyListens(t *testing.T) {
	r := model.Response{Parts: []model.Part{{Text: "a"}, {Text: "b"}}, Finish: model.FinishStop}
	for most := range 4 {
		n := 0
		for _, err := range r.Chunks() {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n > most {
				break
			}
		}
		if n != most+1 {
			t.Errorf("%d chunks came, want %d", n, most+1)
		}
	}
}

func TestErrorsSayAll(t *testing.T) {
	tests := map[string]error{
		"the model's provider was asked too often: 5 a minute (again in 2s)": &model.Error{Kind: model.ErrRateLimited, Message: "5 a minute", RetryAfter: 2 * time.Second},
		"the model's provider is not available: the line is dead":            &model.Error{Kind: model.ErrUnavailable, Err: errLine},
		"the request is longer than the model can read":                      model.ErrTooLong,
		"the model's provider does not take the request":                     &model.Error{Kind: model.ErrInvalid},
		"odd: the line is dead":                                              &model.Error{Message: "odd", Err: errLine},
		"the model failed: strange":                                          model.Kind("strange"),
	}
	for want, err := range tests {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
		known, ok := errors.AsType[*model.Error](err)
		if !ok {
			continue
		}
		if known.Kind != "" && !errors.Is(err, known.Kind) || known.Err != nil && !errors.Is(err, known.Err) {
			t.Errorf("%v is not its kind or its cause", err)
		}
		if errors.Is(err, model.ErrRefused) {
			t.Errorf("%v is of another kind, too", err)
		}
	}
}

func TestPrices(t *testing.T) {
	p := model.Prices{Input: model.Dollars(3), Output: model.Dollars(15), Cached: model.Dollars(0.3)}
	tests := []struct {
		prices model.Prices
		usage  model.Usage
		want   int64
	}{
		{p, model.Usage{}, 0},
		{p, model.Usage{Input: 1_000_000}, 3_000_000},
		{p, model.Usage{Input: 1000, Cached: 900, Output: 100, Reasoning: 50}, 300 + 270 + 1500},
		{model.Prices{Input: model.Dollars(3)}, model.Usage{Input: 10, Cached: 10}, 30}, // no price of its own for cached ones
		{model.Prices{Input: model.Dollars(0.05)}, model.Usage{Input: 10}, 1},           // half a micro-dollar is one
		{model.Prices{Input: model.Dollars(0.04)}, model.Usage{Input: 10}, 0},
		{p, model.Usage{Input: 5, Cached: 50, Output: -7}, 2}, // no more is cached than was read
	}
	for _, tt := range tests {
		if got := tt.prices.Cost(tt.usage); got != tt.want {
			t.Errorf("%+v of %+v costs %d, want %d", tt.usage, tt.prices, got, tt.want)
		}
	}
}

// Prices are added where the model does not know better.
func TestPriced(t *testing.T) {
	own := model.Usage{Input: 1, Cost: 7, Priced: true}
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{{Text: "one two"}, {Usage: &own}}})
	p := model.Priced(m, model.Prices{Input: 1e6, Output: 1e7})
	var got []model.Usage
	for range 2 {
		r, err := model.Collect(p.Generate(t.Context(), model.Ask("and now")))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Usage)
	}
	if diff := cmp.Diff([]model.Usage{{Input: 2, Output: 2, Cost: 22, Priced: true}, own}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, err := range p.Generate(t.Context(), model.Ask("who listens?")) {
		if err == nil {
			t.Error("the script has no third reply")
		}
		break
	}
}

func TestSetFind(t *testing.T) {
	a, b := scripted.Texts(), scripted.Texts()
	tests := map[string]struct {
		set  model.Set
		name string
		want model.Model
		err  string
	}{
		"by name":                {model.Set{"a": a, "b": b}, "b", b, ""},
		"the default":            {model.Set{"a": a, model.Default: b}, "", b, ""},
		"the only one":           {model.Set{"a": a}, "", a, ""},
		"by the name default":    {model.Set{"a": a}, "default", nil, `no such model: none is called "default"; the set has a`},
		"which of them":          {model.Set{"a": a, "b": b}, "", nil, "no such model: the set has a, b; name one of them, or call one default"},
		"a slip":                 {model.Set{"quick": a, "slow": b}, "quikc", nil, `no such model: none is called "quikc"; the set has quick, slow; did you mean "quick"?`},
		"an empty set":           {nil, "a", nil, "no such model: the set of models is empty"},
		"a name without a model": {model.Set{"a": nil, "b": b}, "a", nil, `no such model: none is called "a"; the set has b`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := tt.set.Find(tt.name)
			if got != tt.want || (err == nil) != (tt.err == "") || err != nil && (err.Error() != tt.err || !errors.Is(err, model.ErrNoModel)) {
				t.Errorf("Find(%q) = %v, %v; want %v, %s", tt.name, got, err, tt.want, tt.err)
			}
		})
	}
}

func TestPromptIsWhatTheUserSaidLast(t *testing.T) {
	r := model.Request{System: "s", Messages: []model.Message{
		model.Says(model.User, "first"),
		{Role: model.User, Parts: []model.Part{{Text: "a "}, {Kind: model.MediaPart, Media: &model.Media{Type: "image/png"}}, {Text: "b"}}},
		model.Says(model.Assistant, "c"),
	}}
	if got := r.Prompt(); got != "a b" {
		t.Errorf("the prompt is %q", got)
	}
	if got := (&model.Request{}).Prompt(); got != "" {
		t.Errorf("the prompt of nothing is %q", got)
	}
}

func TestFunc(t *testing.T) {
	m := model.Func(func(_ context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
		r := model.Response{Parts: []model.Part{{Text: "you said " + req.Prompt()}}, Finish: model.FinishStop}
		return r.Chunks()
	})
	r, err := model.Collect(m.Generate(t.Context(), model.Ask("hello")))
	if err != nil || r.Text() != "you said hello" {
		t.Errorf("%q, %v", r.Text(), err)
	}
}
