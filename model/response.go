package model

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// Finish says why a reply ended.
type Finish string

// Why a reply ends.
const (
	FinishStop      Finish = "stop"      // the model has said what it had to say
	FinishCalls     Finish = "calls"     // it wants tools called
	FinishTruncated Finish = "truncated" // it was cut off at the most tokens it may have
	FinishRefused   Finish = "refused"   // the model, or a filter of its provider, refused
)

// Chunk is a piece of a reply. Any of its fields may be set, and most chunks set one.
type Chunk struct {
	Text      string     // more of the answer
	Reasoning string     // more of what the model shows of its reasoning
	Signature string     // of the reasoning so far, see Part
	Call      *CallChunk // more of a call of a tool
	Usage     *Usage     // what the reply took so far; the last one holds
	Model     string     // which model replies, as its provider names it
	Finish    Finish     // the reply ends here, and why
}

// CallChunk is a piece of a call of a tool. Pieces with the same Index are one call; their texts are joined.
type CallChunk struct {
	Index     int
	ID        string // once, with the first piece
	Name      string // once, with the first piece
	Arguments string // more of the JSON
}

// Response is a whole reply.
type Response struct {
	Parts  []Part `json:"parts,omitempty"` // text, reasoning and calls, in the order in which they began
	Finish Finish `json:"finish,omitempty"`
	Model  string `json:"model,omitempty"` // as its provider names it
	Usage  Usage  `json:"usage,omitzero"`
}

// Text is the answer, without reasoning.
func (r *Response) Text() string { return textOf(r.Parts) }

// Calls are the calls of tools that the model wants made.
func (r *Response) Calls() []ToolCall {
	var calls []ToolCall
	for i := range r.Parts {
		if r.Parts[i].Kind == CallPart && r.Parts[i].Call != nil {
			calls = append(calls, *r.Parts[i].Call)
		}
	}
	return calls
}

// Message is the reply as a message, for the next request of a conversation.
func (r *Response) Message() Message { return Message{Role: Assistant, Parts: slices.Clone(r.Parts)} }

// Collect joins the chunks of a reply. The response is never nil: with an error it is what had come until then, and
// what that took. Besides the model's own errors there are [ErrTruncated] and [ErrRefused], after the finish; and
// [ErrMalformed] for a reply that ends without a finish, or has a call whose arguments are no JSON.
func Collect(chunks iter.Seq2[Chunk, error]) (*Response, error) {
	c := collector{calls: make(map[int]int)}
	for chunk, err := range chunks {
		if err != nil {
			return c.response(), err
		}
		c.add(&chunk)
	}
	r := c.response()
	switch {
	case r.Finish == "":
		return r, &Error{Kind: ErrMalformed, Message: "the reply ended without saying why"}
	case r.Finish == FinishTruncated:
		return r, &Error{Kind: ErrTruncated}
	case r.Finish == FinishRefused:
		return r, &Error{Kind: ErrRefused, Message: firstLine(r.Text())}
	}
	return r, c.broken
}

// collector puts a response together.
type collector struct {
	Response
	texts  [][]byte    // of the parts, in the same places
	calls  map[int]int // index of a call -> its part
	broken error
}

func (c *collector) add(chunk *Chunk) {
	if chunk.Reasoning != "" || chunk.Signature != "" {
		i := c.last(ReasoningPart)
		c.texts[i] = append(c.texts[i], chunk.Reasoning...)
		c.Parts[i].Signature += chunk.Signature
	}
	if chunk.Text != "" {
		i := c.last(TextPart)
		c.texts[i] = append(c.texts[i], chunk.Text...)
	}
	if call := chunk.Call; call != nil {
		i, ok := c.calls[call.Index]
		if !ok {
			i = c.part(Part{Kind: CallPart, Call: &ToolCall{}})
			c.calls[call.Index] = i
		}
		c.Parts[i].Call.ID += call.ID
		c.Parts[i].Call.Name += call.Name
		c.texts[i] = append(c.texts[i], call.Arguments...)
	}
	if chunk.Usage != nil {
		c.Usage = *chunk.Usage
	}
	if chunk.Model != "" {
		c.Model = chunk.Model
	}
	if chunk.Finish != "" {
		c.Finish = chunk.Finish
	}
}

// last is the last part, if it is of that kind and not yet signed, or else a new one.
func (c *collector) last(kind PartKind) int {
	if i := len(c.Parts) - 1; i >= 0 && c.Parts[i].Kind == kind && c.Parts[i].Signature == "" {
		return i
	}
	return c.part(Part{Kind: kind})
}

func (c *collector) part(p Part) int {
	c.Parts, c.texts = append(c.Parts, p), append(c.texts, nil)
	return len(c.Parts) - 1
}

// response fills the texts in. Calls that are not whole are left out: nobody can make them.
func (c *collector) response() *Response {
	kept := c.Parts[:0]
	for i := range c.Parts {
		p, text := c.Parts[i], string(c.texts[i])
		if p.Kind != CallPart {
			p.Text = text
			kept = append(kept, p)
			continue
		}
		if text == "" {
			text = "{}"
		}
		if !json.Valid([]byte(text)) {
			c.broken = &Error{Kind: ErrMalformed, Message: "the arguments of its call of " + quote(p.Call.Name) + " are not JSON: " + firstLine(text)}
			continue
		}
		p.Call.Arguments = json.RawMessage(text)
		kept = append(kept, p)
	}
	c.Parts = kept
	return &c.Response
}

// firstLine is enough of a text for an error.
func firstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	if short := []rune(text); len(short) > 200 {
		return string(short[:200]) + "…"
	}
	return text
}

// Chunks yields a whole reply in pieces: each part at once, then the usage, then the finish. Collect of it is the
// reply again. Models that do not stream are made with it.
func (r *Response) Chunks() iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		calls := 0
		for i := range r.Parts {
			p := &r.Parts[i]
			var c Chunk
			switch p.Kind {
			case TextPart:
				c.Text = p.Text
			case ReasoningPart:
				c.Reasoning, c.Signature = p.Text, p.Signature
			case CallPart:
				c.Call = &CallChunk{Index: calls, ID: p.Call.ID, Name: p.Call.Name, Arguments: string(p.Call.Arguments)}
				calls++
			case ResultPart, MediaPart:
				continue // models say neither
			}
			if !yield(c, nil) {
				return
			}
		}
		usage := r.Usage
		if yield(Chunk{Usage: &usage, Model: r.Model}, nil) {
			yield(Chunk{Finish: r.Finish}, nil)
		}
	}
}
