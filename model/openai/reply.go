package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/internal/remote"
)

// chatEvent is a piece of a chat completion.
type chatEvent struct {
	ID      remote.Text     `json:"id"`
	Model   remote.Text     `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type choice struct {
	Index        remote.Number `json:"index"`
	Delta        delta         `json:"delta"`
	FinishReason remote.Text   `json:"finish_reason"`
}

// delta is what is added to the reply. Services beside OpenAI's have their reasoning in a field of one name or the other.
type delta struct {
	Content          json.RawMessage `json:"content"`
	ReasoningContent string          `json:"reasoning_content"`
	Reasoning        string          `json:"reasoning"`
	Refusal          remote.Text     `json:"refusal"`
	ToolCalls        []callDelta     `json:"tool_calls"`
}

type callDelta struct {
	Index    remote.Number `json:"index"`
	ID       remote.Text   `json:"id"`
	Function struct {
		Name      remote.Text `json:"name"`
		Arguments remote.Text `json:"arguments"`
	} `json:"function"`
}

// reader makes chunks of the events of a stream.
type reader struct {
	model   string
	calls   []call                // in the order in which they began
	at      map[remote.Number]int // index that the service gives a call -> its place in calls
	refused bool
	reason  string // why the reply ended, in the service's words
	over    bool   // the service said that this was all
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
func (r *reader) Read(e remote.Event, to []model.Chunk) ([]model.Chunk, error) {
	switch {
	case len(e.Data) == 0:
		return to, nil
	case bytes.HasPrefix(e.Data, []byte("[DONE]")):
		r.over = true
		return to, nil
	}
	var event chatEvent
	if err := remote.Decode(e.Data, &event); err != nil {
		return to, err
	}
	if len(event.Error) > 0 && !bytes.Equal(event.Error, []byte("null")) {
		return to, remote.ErrGaveUp
	}
	if name := string(event.Model); name != "" && name != r.model {
		r.model = name
		to = append(to, model.Chunk{Model: name})
	}
	for i := range event.Choices {
		if event.Choices[i].Index == 0 { // one was asked for
			to = r.choice(string(event.ID), &event.Choices[i], to)
		}
	}
	var used usage
	if remote.DecodeObject(event.Usage, &used) {
		to = append(to, model.Chunk{Usage: used.model()})
	}
	return to, nil
}

func (r *reader) choice(id string, c *choice, to []model.Chunk) []model.Chunk {
	r.reason = cmp.Or(string(c.FinishReason), r.reason)
	if thought := cmp.Or(c.Delta.ReasoningContent, c.Delta.Reasoning); thought != "" {
		to = append(to, model.Chunk{Reasoning: thought})
	}
	to = content(c.Delta.Content, to)
	if text := string(c.Delta.Refusal); text != "" {
		r.refused = true
		to = append(to, model.Chunk{Text: text})
	}
	for i := range c.Delta.ToolCalls {
		if piece, ok := r.call(id, &c.Delta.ToolCalls[i]); ok {
			to = append(to, model.Chunk{Call: piece})
		}
	}
	return to
}

// content is the text, or where there is a list of parts in its place, as of Mistral's models that reason, what is in
// those.
func content(raw json.RawMessage, to []model.Chunk) []model.Chunk {
	type part struct {
		Text     string
		Thinking []struct{ Text string }
	}
	var parts []part
	if !bytes.HasPrefix(raw, []byte("[")) || json.Unmarshal(raw, &parts) != nil {
		var text remote.Text
		if len(raw) > 0 && text.UnmarshalJSON(raw) == nil {
			parts = []part{{Text: string(text)}}
		}
	}
	for _, p := range parts {
		for _, thought := range p.Thinking {
			if thought.Text != "" {
				to = append(to, model.Chunk{Reasoning: thought.Text})
			}
		}
		if p.Text != "" {
			to = append(to, model.Chunk{Text: p.Text})
		}
	}
	return to
}

// call makes a piece of a call. Services differ: some say the id and the name with every piece, some say the same index
// for all calls, and some say no id. Where they do both, the next call begins when the name is said again behind whole
// arguments.
func (r *reader) call(reply string, d *callDelta) (*model.CallChunk, bool) {
	if r.at == nil {
		r.at = make(map[remote.Number]int)
	}
	id, name := string(d.ID), string(d.Function.Name)
	i, begun := r.at[d.Index]
	piece := &model.CallChunk{Arguments: string(d.Function.Arguments)}
	if !begun || id != "" && id != r.calls[i].id || name != "" && r.calls[i].whole() {
		i = len(r.calls)
		r.at[d.Index] = i
		piece.ID = cmp.Or(id, fmt.Sprintf("%s-%d", reply, i))
		r.calls = append(r.calls, call{id: piece.ID, anonymous: id == ""})
	}
	piece.Index = i
	c := &r.calls[i]
	if !c.named && name != "" {
		piece.Name, c.named = name, true
	}
	if c.anonymous {
		c.arguments = append(c.arguments, piece.Arguments...)
	}
	return piece, piece.ID != "" || piece.Name != "" || piece.Arguments != ""
}

// usage is what the reply took, in tokens.
type usage struct {
	Prompt     remote.Number `json:"prompt_tokens"`
	Completion remote.Number `json:"completion_tokens"`
	Total      remote.Number `json:"total_tokens"`
	Details    struct {
		Cached remote.Number `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning remote.Number `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// model is the usage in our words. Some services, as those of xAI and Google, leave the reasoning out of what was said,
// and have it in the total alone.
func (u *usage) model() *model.Usage {
	return &model.Usage{
		Input:     int64(u.Prompt),
		Output:    int64(max(u.Completion, u.Total-u.Prompt)),
		Cached:    int64(u.Details.Cached),
		Reasoning: int64(u.CompletionDetails.Reasoning),
	}
}

// Over implements remote.Reader.
func (r *reader) Over() bool { return r.over }

// Reason implements remote.Reader.
func (r *reader) Reason() string { return r.reason }

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
