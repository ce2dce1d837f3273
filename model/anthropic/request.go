package anthropic

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/internal/remote"
)

// messagesRequest is a request for a streamed message.
type messagesRequest struct {
	MaxTokens     int          `json:"max_tokens"`
	Messages      []message    `json:"messages,omitempty"`
	Model         string       `json:"model"`
	Temperature   *float64     `json:"temperature,omitempty"`
	OutputConfig  outputConfig `json:"output_config,omitzero"`
	StopSequences []string     `json:"stop_sequences,omitempty"`
	System        []block      `json:"system,omitempty"`
	Thinking      thinking     `json:"thinking,omitzero"`
	ToolChoice    toolChoice   `json:"tool_choice,omitzero"`
	Tools         []tool       `json:"tools,omitempty"`
	Stream        bool         `json:"stream"`
}

type outputConfig struct {
	Effort string        `json:"effort,omitempty"`
	Format *outputFormat `json:"format,omitempty"`
}

type outputFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

type thinking struct {
	BudgetTokens int    `json:"budget_tokens,omitempty"`
	Type         string `json:"type"`
}

type toolChoice struct {
	Type string `json:"type"`
}

// tool is a tool. Its schema goes as it came: a model fills properties in the order in which it reads them.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type message struct {
	Content []block `json:"content"`
	Role    string  `json:"role"`
}

// block is a part of a message. It has the fields of its type; Thinking of the type "thinking" may be empty.
type block struct {
	ToolUseID string          `json:"tool_use_id,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Content   []block         `json:"content,omitempty"`
	Data      string          `json:"data,omitempty"`
	ID        string          `json:"id,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	Name      string          `json:"name,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Text      string          `json:"text,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"`
	Source    *source         `json:"source,omitempty"`
	Type      string          `json:"type"`
}

// source is where a picture or a document is from.
type source struct {
	Data      string `json:"data,omitempty"`
	MediaType string `json:"media_type,omitempty"`
	URL       string `json:"url,omitempty"`
	Type      string `json:"type"`
}

// body is the request in the service's words.
func (p *provider) body(req *model.Request) (*messagesRequest, error) {
	body := &messagesRequest{
		Model:         cmp.Or(req.Model, p.options.Model),
		MaxTokens:     cmp.Or(req.MaxTokens, p.options.MaxTokens, DefaultMaxTokens+max(p.options.Thinking, 0)),
		Temperature:   req.Temperature,
		OutputConfig:  outputConfig{Effort: p.options.Effort},
		StopSequences: req.Stop,
		Stream:        true,
	}
	if body.Model == "" {
		return nil, remote.Invalid("no model is named: expected one in Options.Model or in Request.Model, like \"claude-sonnet-4-5\"")
	}
	switch budget := p.options.Thinking; {
	case budget == Adaptive:
		body.Thinking.Type = "adaptive"
	case budget > 0:
		body.Thinking = thinking{Type: "enabled", BudgetTokens: budget}
	}
	system := req.System
	if len(req.Output) > 0 {
		if promised.Take(req.Output) && !p.options.SchemaAsText {
			body.OutputConfig.Format = &outputFormat{Type: "json_schema", Schema: req.Output}
		} else {
			system = remote.Instruct(system, req.Output)
		}
	}
	if system != "" {
		body.System = []block{{Type: "text", Text: system}}
	}
	for i := range req.Messages {
		m, err := said(i, &req.Messages[i])
		if err != nil {
			return nil, err
		}
		if len(m.Content) > 0 {
			body.Messages = append(body.Messages, m)
		}
	}
	for i := range req.Tools {
		schema, err := remote.InputSchema(&req.Tools[i])
		if err != nil {
			return nil, err
		}
		body.Tools = append(body.Tools, tool{Name: req.Tools[i].Name, Description: req.Tools[i].Description, InputSchema: schema})
	}
	var err error
	body.ToolChoice.Type, err = remote.ToolChoice(req, "none", "any")
	return body, err
}

// promised is what Anthropic takes of JSON Schema for answers that it promises.
var promised = remote.Rules{
	Keywords: []string{"default"},
	Formats:  []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
}

// said is a message in the service's words. Results of tools come first, where it wants them.
func said(at int, m *model.Message) (message, error) {
	if m.Role != model.User && m.Role != model.Assistant {
		return message{}, remote.Invalid("message %d is said by %q; expected %q or %q", at, m.Role, model.User, model.Assistant)
	}
	var results, others []block
	for i := range m.Parts {
		b, err := blockOf(at, i, m.Role, &m.Parts[i])
		switch {
		case err != nil:
			return message{}, err
		case b.Type == "tool_result":
			results = append(results, b)
		case b.Type != "":
			others = append(others, b)
		}
	}
	return message{Role: string(m.Role), Content: slices.Concat(results, others)}, nil
}

// blockOf is a part in the service's words, the zero block for one that cannot be said or says nothing.
func blockOf(at, i int, role model.Role, p *model.Part) (block, error) {
	switch {
	case p.Kind == model.TextPart:
		return textBlock(p.Text), nil
	case p.Kind == model.ReasoningPart:
		data, hidden := strings.CutPrefix(p.Signature, redacted)
		switch {
		case role != model.Assistant || p.Signature == "":
			return block{}, nil
		case hidden:
			return block{Type: "redacted_thinking", Data: data}, nil
		}
		return block{Type: "thinking", Signature: p.Signature, Thinking: &p.Text}, nil
	case p.Kind == model.CallPart && p.Call != nil && role == model.Assistant:
		arguments := json.RawMessage(cmp.Or(string(p.Call.Arguments), "{}"))
		if !json.Valid(arguments) {
			return block{}, remote.Invalid("the arguments of the call in part %d of message %d are not JSON", i, at)
		}
		return block{Type: "tool_use", ID: p.Call.ID, Name: p.Call.Name, Input: arguments}, nil
	case p.Kind == model.ResultPart && p.Result != nil && role == model.User:
		b := block{Type: "tool_result", ToolUseID: p.Result.ID, IsError: p.Result.Failed}
		if text := textBlock(p.Result.Text); text.Type != "" { // a blank text is refused, and no text is not
			b.Content = []block{text}
		}
		return b, nil
	case p.Kind == model.MediaPart && p.Media != nil && role == model.User:
		return media(at, i, p.Media)
	}
	return block{}, remote.Invalid("part %d of message %d is of the kind %q, which the role %q cannot say, or has not the field of its kind",
		i, at, p.Kind, role)
}

// textBlock is a text, the zero block where there is nothing in it to be read. Anthropic refuses such texts, also those
// that its own models said: a line break before they call a tool.
func textBlock(text string) block {
	if strings.TrimSpace(text) == "" {
		return block{}
	}
	return block{Type: "text", Text: text}
}

// pictures are the types of pictures that Anthropic's models can see.
var pictures = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

func media(at, i int, m *model.Media) (block, error) {
	kind := remote.MediaType(m)
	encoded := base64.StdEncoding.EncodeToString(m.Data)
	switch {
	case strings.HasPrefix(kind, "image/") && m.URL != "":
		return block{Type: "image", Source: &source{Type: "url", URL: m.URL}}, nil
	case slices.Contains(pictures, kind):
		return block{Type: "image", Source: &source{Type: "base64", MediaType: kind, Data: encoded}}, nil
	case kind == "application/pdf" && m.URL != "":
		return block{Type: "document", Source: &source{Type: "url", URL: m.URL}}, nil
	case kind == "application/pdf":
		return block{Type: "document", Source: &source{Type: "base64", MediaType: kind, Data: encoded}}, nil
	case strings.HasPrefix(kind, "text/") && len(m.Data) > 0:
		return block{Type: "document", Source: &source{Type: "text", MediaType: "text/plain", Data: string(m.Data)}}, nil
	}
	return block{}, remote.Invalid("part %d of message %d is media of the type %q; expected %s, application/pdf or the data of a text",
		i, at, m.Type, strings.Join(pictures, ", "))
}
