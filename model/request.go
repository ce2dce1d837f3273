package model

import (
	"encoding/json"
	"strings"
)

// Request is what a model is asked. Its zero fields leave the choice to the model.
type Request struct {
	// Model names the model at its provider, where a provider has several. Defaults to the one it was made for.
	Model    string    `json:"model,omitempty"`
	System   string    `json:"system,omitempty"` // how the model is to behave
	Messages []Message `json:"messages"`         // what was said so far, the oldest first

	Tools      []Tool     `json:"tools,omitempty"` // what the model may call
	ToolChoice ToolChoice `json:"toolChoice,omitempty"`
	// Output is the JSON Schema that the answer must fit; nil for any text. A model that cannot promise it tries.
	Output json.RawMessage `json:"output,omitempty"`

	MaxTokens   int      `json:"maxTokens,omitempty"`   // of the reply; a longer one is cut off, which is ErrTruncated
	Temperature *float64 `json:"temperature,omitempty"` // 0 for always the likeliest word
	Stop        []string `json:"stop,omitempty"`        // texts that end the reply

	// Key is the same for every try of the same call (law J5), for providers that know such keys. It is no part of
	// what is asked.
	Key string `json:"-"`
}

// ToolChoice says whether a model has to call tools. To have it call a certain one, offer no other.
type ToolChoice string

// The choices.
const (
	ToolAuto ToolChoice = ""     // as the model likes
	ToolAny  ToolChoice = "any"  // at least one of them
	ToolNone ToolChoice = "none" // none, though calls of them may be in the messages
)

// Tool is what a model may call.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"` // for the model: what it does, and when to call it
	Input       json.RawMessage `json:"input,omitempty"`       // JSON Schema of its arguments; nil for none
}

// Role says who says something.
type Role string

// The roles.
const (
	User      Role = "user" // people and programs, the results of tools among them
	Assistant Role = "assistant"
)

// Message is something that was said.
type Message struct {
	Role  Role   `json:"role"`
	Parts []Part `json:"parts"`
}

// PartKind says what a part is.
type PartKind string

// The kinds of parts, and the field that they use.
const (
	TextPart      PartKind = ""          // Text
	ReasoningPart PartKind = "reasoning" // Text, Signature
	CallPart      PartKind = "call"      // Call
	ResultPart    PartKind = "result"    // Result
	MediaPart     PartKind = "media"     // Media
)

// Part is a piece of a message. Which fields it has is said by its kind; the zero kind is text.
type Part struct {
	Kind      PartKind    `json:"kind,omitempty"`
	Text      string      `json:"text,omitempty"`
	Signature string      `json:"signature,omitempty"` // of reasoning: proves to its provider whose it is
	Call      *ToolCall   `json:"call,omitempty"`
	Result    *ToolResult `json:"result,omitempty"`
	Media     *Media      `json:"media,omitempty"`
}

// ToolCall is a call of a tool that a model wants made.
type ToolCall struct {
	ID        string          `json:"id"` // pairs it with its result
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // JSON; not yet checked against the tool's schema
}

// ToolResult is what came of a call.
type ToolResult struct {
	ID     string `json:"id"` // of the call
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"` // Text says why
}

// Media is a picture, a recording or a document: its bytes, or where they are.
type Media struct {
	Type string `json:"type"` // MIME type, "image/png"
	Data []byte `json:"data,omitempty"`
	URL  string `json:"url,omitempty"`
}

// Says is a message of text.
func Says(role Role, text string) Message {
	return Message{Role: role, Parts: []Part{{Text: text}}}
}

// Ask is a request with a single message of the user's.
func Ask(prompt string) *Request { return &Request{Messages: []Message{Says(User, prompt)}} }

// Text is the message's text, its parts joined, without reasoning.
func (m *Message) Text() string { return textOf(m.Parts) }

// Prompt is the text of the last message that the user said, "" for none.
func (r *Request) Prompt() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == User {
			return r.Messages[i].Text()
		}
	}
	return ""
}

func textOf(parts []Part) string {
	var b strings.Builder
	for i := range parts {
		if parts[i].Kind == TextPart {
			b.WriteString(parts[i].Text)
		}
	}
	return b.String()
}
