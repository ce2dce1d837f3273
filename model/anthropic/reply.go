package anthropic

import (
	"cmp"
	"errors"
	"fmt"
	"iter"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/fermata-go/fermata/model"
)

// redacted is how the signature of reasoning begins that Anthropic has redacted. Behind it is what Anthropic wants back.
const redacted = "redacted_thinking:"

// reader makes chunks of the events of a stream.
type reader struct {
	usage     model.Usage
	input     tokens        // what was read, as last heard of
	signature string        // of the block of reasoning that goes on
	calls     map[int64]int // index of a block that is a call -> index of the call
	spoken    bool          // there was a text
	reason    sdk.StopReason
	stopped   bool // the service said that this was all
}

// tokens are what was read: those that were in no cache, those that were put in one, and those that were found in one.
type tokens struct{ fresh, cached, found int64 }

// Read implements remote.Reader.
func (r *reader) Read(event *sdk.MessageStreamEventUnion) iter.Seq[model.Chunk] {
	return func(yield func(model.Chunk) bool) {
		switch event.Type {
		case "message_start":
			u := &event.Message.Usage
			r.input = tokens{u.InputTokens, u.CacheCreationInputTokens, u.CacheReadInputTokens}
			yield(model.Chunk{Model: event.Message.Model, Usage: r.took(u.OutputTokens, u.OutputTokensDetails.ThinkingTokens)})
		case "content_block_start":
			if c, ok := r.begin(event.Index, &event.ContentBlock); ok {
				yield(c)
			}
		case "content_block_delta":
			if c, ok := r.more(event.Index, &event.Delta); ok {
				yield(c)
			}
		case "content_block_stop":
			if r.signature != "" {
				signature := r.signature
				r.signature = ""
				yield(model.Chunk{Signature: signature})
			}
		case "message_delta":
			r.delta(event, yield)
		case "message_stop":
			r.stopped = true
		}
	}
}

// begin is the start of a block. Blocks of tools that run at Anthropic are not for us: nobody asks for them.
func (r *reader) begin(index int64, block *sdk.ContentBlockStartEventContentBlockUnion) (model.Chunk, bool) {
	switch block.Type {
	case "text":
		r.spoken = r.spoken || block.Text != ""
		return model.Chunk{Text: block.Text}, block.Text != ""
	case "thinking":
		r.signature = block.Signature
		return model.Chunk{Reasoning: block.Thinking}, block.Thinking != ""
	case "redacted_thinking":
		r.signature = redacted + block.Data
	case "tool_use":
		if r.calls == nil {
			r.calls = make(map[int64]int)
		}
		i := len(r.calls)
		r.calls[index] = i
		call := &model.CallChunk{Index: i, ID: block.ID, Name: block.Name}
		if input := block.JSON.Input.Raw(); input != "{}" && input != "null" {
			call.Arguments = input // all at once, in place of pieces
		}
		return model.Chunk{Call: call}, true
	}
	return model.Chunk{}, false
}

// more is a piece of a block. A signature is kept until it is whole: what follows a signed part is another part.
func (r *reader) more(index int64, delta *sdk.MessageStreamEventUnionDelta) (model.Chunk, bool) {
	switch delta.Type {
	case "text_delta":
		r.spoken = r.spoken || delta.Text != ""
		return model.Chunk{Text: delta.Text}, delta.Text != ""
	case "thinking_delta":
		return model.Chunk{Reasoning: delta.Thinking}, delta.Thinking != ""
	case "signature_delta":
		r.signature += delta.Signature
	case "input_json_delta":
		if i, ok := r.calls[index]; ok && delta.PartialJSON != "" {
			return model.Chunk{Call: &model.CallChunk{Index: i, Arguments: delta.PartialJSON}}, true
		}
	}
	return model.Chunk{}, false
}

// delta is the end of a message: why, and what it took. The explanation of a refusal is said where nothing else was.
func (r *reader) delta(event *sdk.MessageStreamEventUnion, yield func(model.Chunk) bool) {
	r.reason = cmp.Or(event.Delta.StopReason, r.reason)
	if text := event.Delta.StopDetails.Explanation; text != "" && r.reason == sdk.StopReasonRefusal && !r.spoken {
		r.spoken = true
		if !yield(model.Chunk{Text: text}) {
			return
		}
	}
	u := &event.Usage
	if !event.JSON.Usage.Valid() {
		return
	}
	r.input = tokens{
		max(r.input.fresh, u.InputTokens), max(r.input.cached, u.CacheCreationInputTokens), max(r.input.found, u.CacheReadInputTokens),
	}
	yield(model.Chunk{Usage: r.took(u.OutputTokens, u.OutputTokensDetails.ThinkingTokens)})
}

// took is the usage until now. All counts are of the whole reply, and some events leave some of them out.
func (r *reader) took(output, thinking int64) *model.Usage {
	r.usage = model.Usage{
		Input:     r.input.fresh + r.input.cached + r.input.found,
		Cached:    r.input.found,
		Output:    max(r.usage.Output, output),
		Reasoning: max(r.usage.Reasoning, thinking),
	}
	u := r.usage
	return &u
}

// Over implements remote.Reader.
func (r *reader) Over() bool { return r.stopped }

// Reason implements remote.Reader.
func (r *reader) Reason() string { return string(r.reason) }

// Said implements remote.Reader.
func (r *reader) Said(err error) ([]byte, bool) {
	if said, ok := errors.AsType[*sdk.Error](err); ok {
		return []byte(said.RawJSON()), true
	}
	return nil, false
}

// Finish implements remote.Reader.
func (r *reader) Finish() (model.Finish, error) {
	switch r.reason {
	case sdk.StopReasonEndTurn, sdk.StopReasonStopSequence:
		return model.FinishStop, nil
	case sdk.StopReasonToolUse:
		return model.FinishCalls, nil
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded,
		sdk.StopReasonPauseTurn: // of tools that run at Anthropic; the reply is not whole
		return model.FinishTruncated, nil
	case sdk.StopReasonRefusal:
		return model.FinishRefused, nil
	}
	return "", &model.Error{
		Kind:    model.ErrMalformed,
		Message: fmt.Sprintf("the reply ended for the reason %q; expected end_turn, stop_sequence, tool_use, max_tokens or refusal", r.reason),
	}
}
