package node_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// again makes the call of a model in a first pass and in a replay, and checks that both return the same.
func again(t *testing.T, h *host, call func(ctx node.Context) (*node.Completion, error)) (*node.Completion, error) {
	t.Helper()
	got, err := call(h.next(t))
	h.calls = append(h.calls, "again")
	first := h.calls
	replayed, failed := call(h.next(t))
	if diff := cmp.Diff([]any{got, fmt.Sprintf("%T %v", err, err)}, []any{replayed, fmt.Sprintf("%T %v", failed, failed)}); diff != "" {
		t.Errorf("law J5: replayed, the call returns something else (-first +replayed):\n%s", diff)
	}
	for _, kind := range []error{model.ErrTruncated, model.ErrRefused, model.ErrRateLimited, model.ErrMalformed, model.ErrNoModel} {
		if errors.Is(err, kind) != errors.Is(failed, kind) {
			t.Errorf("law J5: replayed, the error is %v no more, or now", kind)
		}
	}
	h.calls = append(first, h.calls...)
	return got, err
}

func TestJ5_ACallOfAModelIsMadeOnce(t *testing.T) {
	h, m := newHost(), scripted.Texts("of course")
	h.services = []any{m}
	got, err := again(t, h, func(ctx node.Context) (*node.Completion, error) {
		return ctx.LLM().Complete(ctx, "would you?", node.System("be polite"))
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &node.Completion{
		Text: "of course", TokensIn: 4, TokensOut: 2,
		Response: model.Response{
			Parts: []model.Part{{Text: "of course"}}, Finish: model.FinishStop, Model: "scripted", Usage: model.Usage{Input: 4, Output: 2},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	calls := []string{
		"Begin model:llm#1",
		`Record model:llm#1 value={"parts":[{"text":"of course"}],"finish":"stop","model":"scripted"} failure=`,
		"again", "Begin model:llm#1",
	}
	if diff := cmp.Diff(calls, h.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	req := model.Ask("would you?")
	req.System, req.Key = "be polite", "run_1/in/a#2/model:llm#1"
	if diff := cmp.Diff([]model.Request{*req}, m.Requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// The request stays the caller's: what the call adds to it is its own.
func TestGenerateLeavesTheRequestAlone(t *testing.T) {
	h, m := newHost(), scripted.Texts("1")
	h.services = []any{model.Set{"sums": m}}
	req := &model.Request{System: "no words", Messages: []model.Message{model.Says(model.User, "2 - 1")}, MaxTokens: 5}
	ctx := h.next(t)
	if _, err := ctx.LLM("sums").Generate(ctx, req, node.System("you calculate"), node.CallID("sum")); err != nil {
		t.Fatal(err)
	}
	if req.System != "no words" || req.Key != "" {
		t.Errorf("the request became %+v", req)
	}
	sent := *req
	sent.System, sent.Key = "you calculate\n\nno words", "run_1/in/a#2/model:sum#1"
	if diff := cmp.Diff([]model.Request{sent}, m.Requests()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Failures are recorded with their kind, with what there is of a reply, and with what it took.
func TestJ5_WhatIsRecordedOfAFailure(t *testing.T) {
	took := &model.Usage{Input: 9, Output: -1, Cost: 3, Priced: true}
	tests := map[string]struct {
		reply    scripted.Reply
		recorded string
		usage    *model.Usage
		text     string // of the completion, "-" where there is none
		message  string
	}{
		"cut off": {
			scripted.Reply{Text: "half a", Finish: model.FinishTruncated, Usage: took},
			`value={"kind":"truncated","reply":{"parts":[{"text":"half a"}],"finish":"truncated","model":"scripted"}} failure=the model's reply was cut off`,
			&model.Usage{Input: 9, Cost: 3, Priced: true}, "half a", "the model's reply was cut off",
		},
		"rate": {
			scripted.Reply{Err: &model.Error{Kind: model.ErrRateLimited, Message: "slow", RetryAfter: 1500 * time.Millisecond}},
			`value={"kind":"rate_limited","message":"slow","retryAfterMs":1500} failure=the model's provider was asked too often: slow (again in 1.5s)`,
			nil, "-", "the model's provider was asked too often: slow (again in 1.5s)",
		},
		"a bare kind": {
			scripted.Reply{Err: model.ErrTooLong, Usage: took},
			`value={"kind":"too_long"} failure=the request is longer than the model can read`,
			&model.Usage{Input: 9, Cost: 3, Priced: true}, "-", "the request is longer than the model can read",
		},
		"no kind": {scripted.Reply{Err: errors.New("dead")}, "value= failure=dead", nil, "-", "dead"},
		"no text": {scripted.Reply{Err: silent{}}, "value= failure=node_test.silent", nil, "-", "node_test.silent"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h := newHost()
			h.services = []any{scripted.New(scripted.Script{Replies: []scripted.Reply{tt.reply}})}
			got, err := again(t, h, func(ctx node.Context) (*node.Completion, error) { return ctx.LLM().Complete(ctx, "?") })
			text := "-"
			if got != nil {
				text = got.Text
			}
			step, ok := errors.AsType[*node.StepError](err)
			if !ok || step.Step != "model:llm#1" {
				t.Fatalf("the error is %#v", err)
			}
			if diff := cmp.Diff([]string{tt.text, tt.message, "Record model:llm#1 " + tt.recorded}, []string{text, err.Error(), h.calls[1]}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.usage, h.ops["model:llm#1"].Usage); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
		})
	}
}

type silent struct{}

func (silent) Error() string { return "" }

// What is no outcome is not recorded: a cancelled call, a pass that is over, a store that fails.
func TestCallsOfModelsThatAreNoOutcome(t *testing.T) {
	t.Run("cancelled", func(t *testing.T) {
		h := newHost()
		ctx, cancel := context.WithCancel(t.Context())
		h.services = []any{scripted.Func(func(string) (string, error) { cancel(); return "", errors.New("hung up") })}
		_, err := node.LLM{}.Complete(h.next(t).WithContext(ctx), "?", node.Streamed())
		if err == nil || err.Error() != "hung up" || h.ops["model:llm#1"] != nil {
			t.Errorf("the error is %v, calls %q", err, h.calls)
		}
	})
	t.Run("over", func(t *testing.T) {
		h := newHost()
		ctx := h.next(t)
		h.services = []any{scripted.Func(func(string) (string, error) { h.next(t); return "a", nil })}
		if _, err := ctx.LLM().Complete(ctx, "?", node.Streamed()); !errors.Is(err, node.ErrTaskOver) || h.ops["model:llm#1"] != nil {
			t.Errorf("the error is %v, calls %q", err, h.calls)
		}
		if _, err := ctx.LLM().Complete(ctx, "?"); !errors.Is(err, node.ErrTaskOver) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("not stored", func(t *testing.T) {
		h := newHost()
		h.services = []any{scripted.Texts("a")}
		h.fail["Record"] = errStore
		ctx := h.next(t)
		if _, err := ctx.LLM().Complete(ctx, "?"); !errors.Is(err, errStore) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("a key", func(t *testing.T) {
		h := newHost()
		ctx := h.next(t)
		if _, err := ctx.LLM().Complete(ctx, "?", node.CallID("a\nb")); err == nil || !strings.Contains(err.Error(), "control character") {
			t.Errorf("the error is %v", err)
		}
	})
}

var errStore = errors.New("the disk is full")

// A recorded reply that cannot be read any more is an error, never an empty reply.
func TestJ6_ARecordThatDoesNotFit(t *testing.T) {
	for name, failure := range map[string]string{"reply": "", "failure": "dead"} {
		t.Run(name, func(t *testing.T) {
			h := newHost()
			h.ops["model:llm#1"] = &nodehost.Op{Kind: nodehost.KindModel, ID: "model:llm#1", Done: true, Value: []byte(`["x"]`), Failure: failure}
			ctx := h.next(t)
			got, err := ctx.LLM().Complete(ctx, "?")
			if got != nil || err == nil || !strings.Contains(err.Error(), "model:llm#1: the recorded value does not fit") {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

// Streamed shows text and reasoning as they come, as part of the call; both end with the reply.
func TestN4_StreamedShowsTheReply(t *testing.T) {
	h := newHost()
	h.services = []any{scripted.New(scripted.Script{Replies: []scripted.Reply{{Reasoning: "hm so", Text: "yes no"}}})}
	got, err := again(t, h, func(ctx node.Context) (*node.Completion, error) { return ctx.LLM().Complete(ctx, "?", node.Streamed()) })
	if err != nil || got.Text != "yes no" {
		t.Errorf("%v, %v", got, err)
	}
	want := []string{
		"Begin model:llm#1",
		"Begin stream:model:llm#1/reasoning#1", `Chunk stream:model:llm#1/reasoning#1 reasoning "hm " last=false`,
		`Chunk stream:model:llm#1/reasoning#1 reasoning "so" last=false`,
		"Begin stream:model:llm#1/answer#1", `Chunk stream:model:llm#1/answer#1 answer "yes " last=false`,
		`Chunk stream:model:llm#1/answer#1 answer "no" last=false`,
		`Chunk stream:model:llm#1/reasoning#1 reasoning "" last=true`, `Chunk stream:model:llm#1/answer#1 answer "" last=true`,
		`Record model:llm#1 value={"parts":[{"kind":"reasoning","text":"hm so"},{"text":"yes no"}],"finish":"stop","model":"scripted"} failure=`,
		"again", "Begin model:llm#1",
	}
	if diff := cmp.Diff(want, h.calls); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What the observers cannot be shown fails the call.
func TestAStreamThatFails(t *testing.T) {
	h := newHost()
	h.services = []any{scripted.Texts("a")}
	h.fail["Chunk"] = errStore
	ctx := h.next(t)
	if _, err := ctx.LLM().Complete(ctx, "?", node.Streamed()); err == nil || !strings.Contains(err.Error(), errStore.Error()) {
		t.Errorf("the error is %v", err)
	}
}

// encoding/json replaces what is not UTF-8: the first pass gets what a replay gets.
func TestJ5_TheFirstPassGetsWhatAReplayGets(t *testing.T) {
	h := newHost()
	h.services = []any{model.Func(func(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
		return func(yield func(model.Chunk, error) bool) {
			yield(model.Chunk{Text: "\xff", Finish: model.FinishStop}, nil)
		}
	})}
	ctx := h.next(t)
	got, err := ctx.LLM().Complete(ctx, "?")
	if err != nil || got.Text != "\ufffd" {
		t.Errorf("%q, %v", got.Text, err)
	}
}
