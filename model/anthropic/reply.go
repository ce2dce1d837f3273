package anthropic

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/internal/remote"
)

// streamEvent is an event of a message that is streamed, with the fields of its type.
type streamEvent struct {
	Type    remote.Text   `json:"type"`
	Index   remote.Number `json:"index"`
	Message struct {
		Model remote.Text `json:"model"`
		Usage usage       `json:"usage"`
	} `json:"message"`
	ContentBlock contentBlock    `json:"content_block"`
	Delta        blockDelta      `json:"delta"`
	Usage        json.RawMessage `json:"usage"`
}

// contentBlock is the start of a block.
type contentBlock struct {
	Type      remote.Text     `json:"type"`
	Text      remote.Text     `json:"text"`
	Thinking  remote.Text     `json:"thinking"`
	Signature remote.Text     `json:"signature"`
	Data      remote.Text     `json:"data"`
	ID        remote.Text     `json:"id"`
	Name      remote.Text     `json:"name"`
	Input     json.RawMessage `json:"input"`
}

// blockDelta is what is added to a block or, without a type, to the message.
type blockDelta struct {
	Type        remote.Text `json:"type"`
	Text        remote.Text `json:"text"`
	Thinking    remote.Text `json:"thinking"`
	Signature   remote.Text `json:"signature"`
	PartialJSON remote.Text `json:"partial_json"`
	StopReason  remote.Text `json:"stop_reason"`
	StopDetails struct {
		Explanation remote.Text `json:"explanation"`
	} `json:"stop_details"`
}

// usage is what the message took until now, in tokens.
type usage struct {
	Input         remote.Number `json:"input_tokens"`
	CacheCreation remote.Number `json:"cache_creation_input_tokens"`
	CacheRead     remote.Number `json:"cache_read_input_tokens"`
	Output        remote.Number `json:"output_tokens"`
	Details       struct {
		Thinking remote.Number `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// redacted is how the signature of reasoning begins that Anthropic has redacted. Behind it is what Anthropic wants back.
const redacted = "redacted_thinking:"

// reader makes chunks of the events of a stream.
type reader struct {
	usage     model.Usage
	input     usage                 // the counts of what was read, as last heard of
	signature string                // of the block of reasoning that goes on
	calls     map[remote.Number]int // index of a block that is a call -> index of the call
	spoken    bool                  // there was a text
	reason    string
	stopped   bool // the service said that this was all
}

// Read implements remote.Reader. Events without a name are none of this protocol.
func (r *reader) Read(e remote.Event, to []model.Chunk) ([]model.Chunk, error) {
	switch {
	case e.Name == "error":
		return to, remote.ErrGaveUp
	case e.Name == "", e.Name == "ping", len(e.Data) == 0:
		return to, nil
	}
	var event streamEvent
	if err := remote.Decode(e.Data, &event); err != nil {
		return to, err
	}
	switch event.Type {
	case "message_start":
		u := &event.Message.Usage
		r.input = *u
		to = append(to, model.Chunk{Model: string(event.Message.Model), Usage: r.took(u)})
	case "content_block_start":
		to = r.begin(event.Index, &event.ContentBlock, to)
	case "content_block_delta":
		to = r.more(event.Index, &event.Delta, to)
	case "content_block_stop":
		if r.signature != "" {
			to = append(to, model.Chunk{Signature: r.signature})
			r.signature = ""
		}
	case "message_delta":
		to = r.delta(&event, to)
	case "message_stop":
		r.stopped = true
	}
	return to, nil
}

// begin is the start of a block. Blocks of tools that run at Anthropic are not for us: nobody asks for them.
func (r *reader) begin(index remote.Number, block *contentBlock, to []model.Chunk) []model.Chunk {
	switch block.Type {
	case "text":
		return r.text(block.Text, to)
	case "thinking":
		r.signature = string(block.Signature)
		return thought(block.Thinking, to)
	case "redacted_thinking":
		r.signature = redacted + string(block.Data)
	case "tool_use":
		if r.calls == nil {
			r.calls = make(map[remote.Number]int)
		}
		i := len(r.calls)
		r.calls[index] = i
		call := &model.CallChunk{Index: i, ID: string(block.ID), Name: string(block.Name)}
		if input := string(block.Input); input != "{}" && input != "null" {
			call.Arguments = input // all at once, in place of pieces
		}
		return append(to, model.Chunk{Call: call})
	}
	return to
}

// more is a piece of a block. A signature is kept until it is whole: what follows a signed part is another part.
func (r *reader) more(index remote.Number, delta *blockDelta, to []model.Chunk) []model.Chunk {
	switch delta.Type {
	case "text_delta":
		return r.text(delta.Text, to)
	case "thinking_delta":
		return thought(delta.Thinking, to)
	case "signature_delta":
		r.signature += string(delta.Signature)
	case "input_json_delta":
		if i, ok := r.calls[index]; ok && delta.PartialJSON != "" {
			to = append(to, model.Chunk{Call: &model.CallChunk{Index: i, Arguments: string(delta.PartialJSON)}})
		}
	}
	return to
}

func (r *reader) text(text remote.Text, to []model.Chunk) []model.Chunk {
	if text == "" {
		return to
	}
	r.spoken = true
	return append(to, model.Chunk{Text: string(text)})
}

func thought(text remote.Text, to []model.Chunk) []model.Chunk {
	if text == "" {
		return to
	}
	return append(to, model.Chunk{Reasoning: string(text)})
}

// delta is the end of a message: why, and what it took. The explanation of a refusal is said where nothing else was.
func (r *reader) delta(event *streamEvent, to []model.Chunk) []model.Chunk {
	r.reason = cmp.Or(string(event.Delta.StopReason), r.reason)
	if r.reason == "refusal" && !r.spoken {
		to = r.text(event.Delta.StopDetails.Explanation, to)
	}
	var u usage
	if !remote.DecodeObject(event.Usage, &u) {
		return to
	}
	r.input.Input = max(r.input.Input, u.Input)
	r.input.CacheCreation = max(r.input.CacheCreation, u.CacheCreation)
	r.input.CacheRead = max(r.input.CacheRead, u.CacheRead)
	return append(to, model.Chunk{Usage: r.took(&u)})
}

// took is the usage until now. All counts are of the whole reply, and some events leave some of them out.
func (r *reader) took(u *usage) *model.Usage {
	r.usage = model.Usage{
		Input:     int64(r.input.Input + r.input.CacheCreation + r.input.CacheRead),
		Cached:    int64(r.input.CacheRead),
		Output:    max(r.usage.Output, int64(u.Output)),
		Reasoning: max(r.usage.Reasoning, int64(u.Details.Thinking)),
	}
	sum := r.usage
	return &sum
}

// Over implements remote.Reader.
func (r *reader) Over() bool { return r.stopped }

// Reason implements remote.Reader.
func (r *reader) Reason() string { return r.reason }

// Finish implements remote.Reader.
func (r *reader) Finish() (model.Finish, error) {
	switch r.reason {
	case "end_turn", "stop_sequence":
		return model.FinishStop, nil
	case "tool_use":
		return model.FinishCalls, nil
	case "max_tokens", "model_context_window_exceeded",
		"pause_turn": // of tools that run at Anthropic; the reply is not whole
		return model.FinishTruncated, nil
	case "refusal":
		return model.FinishRefused, nil
	}
	return "", &model.Error{
		Kind:    model.ErrMalformed,
		Message: fmt.Sprintf("the reply ended for the reason %q; expected end_turn, stop_sequence, tool_use, max_tokens or refusal", r.reason),
	}
}
