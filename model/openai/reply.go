package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/fermata-go/fermata/model"
)

// reader makes chunks of the events of a stream.
type reader struct {
	model   string
	calls   []call        // in the order in which they began
	at      map[int64]int // index that the service gives a call -> its place in calls
	refused bool
	reason  string // why the reply ended, in the service's words
}

// call is what was said of a call so far.
type call struct {
	id        string
	named     bool
	anonymous bool   // the service gave it no id
	arguments []byte // of a call without an id
}

// whole says whether nothing can be added to the arguments of a call without an id.
func (c *call) whole() bool {
	return c.anonymous && bytes.HasSuffix(c.arguments, []byte("}")) && json.Valid(c.arguments)
}

// Read implements remote.Reader.
func (r *reader) Read(event *sdk.ChatCompletionChunk) iter.Seq[model.Chunk] {
	return func(yield func(model.Chunk) bool) {
		if event.Model != "" && event.Model != r.model {
			r.model = event.Model
			if !yield(model.Chunk{Model: event.Model}) {
				return
			}
		}
		for i := range event.Choices {
			if event.Choices[i].Index != 0 { // one was asked for
				continue
			}
			for chunk := range r.choice(event.ID, &event.Choices[i]) {
				if !yield(chunk) {
					return
				}
			}
		}
		if event.JSON.Usage.Valid() {
			yield(model.Chunk{Usage: usage(&event.Usage)})
		}
	}
}

func (r *reader) choice(id string, choice *sdk.ChatCompletionChunkChoice) iter.Seq[model.Chunk] {
	return func(yield func(model.Chunk) bool) {
		delta := &choice.Delta
		r.reason = cmp.Or(choice.FinishReason, r.reason)
		if thought := reasoning(delta); thought != "" && !yield(model.Chunk{Reasoning: thought}) {
			return
		}
		for chunk := range content(delta) {
			if !yield(chunk) {
				return
			}
		}
		if delta.Refusal != "" {
			r.refused = true
			if !yield(model.Chunk{Text: delta.Refusal}) {
				return
			}
		}
		for i := range delta.ToolCalls {
			if piece, ok := r.call(id, &delta.ToolCalls[i]); ok && !yield(model.Chunk{Call: piece}) {
				return
			}
		}
	}
}

// content is the text, or where there is a list of parts in its place, as of Mistral's models that reason, what is in
// those.
func content(delta *sdk.ChatCompletionChunkChoiceDelta) iter.Seq[model.Chunk] {
	return func(yield func(model.Chunk) bool) {
		type part struct {
			Text     string
			Thinking []struct{ Text string }
		}
		var parts []part
		if raw := delta.JSON.Content.Raw(); !strings.HasPrefix(raw, "[") || json.Unmarshal([]byte(raw), &parts) != nil {
			parts = []part{{Text: delta.Content}}
		}
		for _, p := range parts {
			for _, thought := range p.Thinking {
				if thought.Text != "" && !yield(model.Chunk{Reasoning: thought.Text}) {
					return
				}
			}
			if p.Text != "" && !yield(model.Chunk{Text: p.Text}) {
				return
			}
		}
	}
}

// reasoning is what services beside OpenAI's say of it, in a field of one name or the other.
func reasoning(delta *sdk.ChatCompletionChunkChoiceDelta) string {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		var text string
		if raw := delta.JSON.ExtraFields[name].Raw(); raw != "" && json.Unmarshal([]byte(raw), &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// call makes a piece of a call. Services differ: some say the id and the name with every piece, some say the same index
// for all calls, and some say no id. Where they do both, the next call begins when the name is said again behind whole
// arguments.
func (r *reader) call(reply string, delta *sdk.ChatCompletionChunkChoiceDeltaToolCall) (*model.CallChunk, bool) {
	if r.at == nil {
		r.at = make(map[int64]int)
	}
	i, begun := r.at[delta.Index]
	piece := &model.CallChunk{Arguments: delta.Function.Arguments}
	if !begun || delta.ID != "" && delta.ID != r.calls[i].id || delta.Function.Name != "" && r.calls[i].whole() {
		i = len(r.calls)
		r.at[delta.Index] = i
		piece.ID = cmp.Or(delta.ID, fmt.Sprintf("%s-%d", reply, i))
		r.calls = append(r.calls, call{id: piece.ID, anonymous: delta.ID == ""})
	}
	piece.Index = i
	c := &r.calls[i]
	if !c.named && delta.Function.Name != "" {
		piece.Name, c.named = delta.Function.Name, true
	}
	if c.anonymous {
		c.arguments = append(c.arguments, piece.Arguments...)
	}
	return piece, piece.ID != "" || piece.Name != "" || piece.Arguments != ""
}

// usage is what the reply took. Some services, as those of xAI and Google, leave the reasoning out of what was said, and
// have it in the total alone.
func usage(u *sdk.CompletionUsage) *model.Usage {
	return &model.Usage{
		Input:     u.PromptTokens,
		Output:    max(u.CompletionTokens, u.TotalTokens-u.PromptTokens),
		Cached:    u.PromptTokensDetails.CachedTokens,
		Reasoning: u.CompletionTokensDetails.ReasoningTokens,
	}
}

// Over implements remote.Reader: the SDK knows the end of a stream.
func (r *reader) Over() bool { return false }

// Reason implements remote.Reader.
func (r *reader) Reason() string { return r.reason }

// Said implements remote.Reader.
func (r *reader) Said(err error) ([]byte, bool) {
	if said, ok := errors.AsType[*ssestream.StreamError](err); ok {
		return said.Event.Data, true
	}
	return nil, false
}

// Finish implements remote.Reader.
func (r *reader) Finish() (model.Finish, error) {
	switch r.reason {
	case "stop", "eos", "eos_token", "stop_sequence", "end_turn":
		switch {
		case r.refused:
			return model.FinishRefused, nil
		case len(r.calls) > 0: // some services stop to call
			return model.FinishCalls, nil
		}
		return model.FinishStop, nil
	case "tool_calls", "function_call":
		return model.FinishCalls, nil
	case "length", "model_length", "max_tokens":
		return model.FinishTruncated, nil
	case "content_filter", "sensitive":
		return model.FinishRefused, nil
	case "error", "abort", "insufficient_system_resource", "network_error":
		return "", &model.Error{Kind: model.ErrUnavailable, Message: "the service ended the reply with " + r.reason}
	}
	return "", &model.Error{
		Kind:    model.ErrMalformed,
		Message: fmt.Sprintf("the reply ended for the reason %q; expected stop, tool_calls, length or content_filter", r.reason),
	}
}
