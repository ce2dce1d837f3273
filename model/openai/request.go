package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/internal/remote"
)

// chatRequest is a request for a streamed chat completion.
type chatRequest struct {
	Messages            []message       `json:"messages,omitempty"`
	Model               string          `json:"model"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
	Stop                []string        `json:"stop,omitempty"`
	StreamOptions       streamOptions   `json:"stream_options"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	ToolChoice          string          `json:"tool_choice,omitempty"`
	Tools               []tool          `json:"tools,omitempty"`
	Stream              bool            `json:"stream"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// message is one of the conversation. Its content is a string or a list of contentPart.
type message struct {
	Content    any        `json:"content,omitempty"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	Role       string     `json:"role"`
}

// contentPart has the field of its type.
type contentPart struct {
	Text       string      `json:"text,omitempty"`
	ImageURL   *imageURL   `json:"image_url,omitempty"`
	InputAudio *inputAudio `json:"input_audio,omitempty"`
	File       *file       `json:"file,omitempty"`
	Type       string      `json:"type"`
}

type imageURL struct {
	URL string `json:"url"`
}

type inputAudio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

type file struct {
	FileData string `json:"file_data"`
	Filename string `json:"filename"`
}

type toolCall struct {
	ID       string           `json:"id"`
	Function toolCallFunction `json:"function"`
	Type     string           `json:"type"`
}

type toolCallFunction struct {
	Arguments string `json:"arguments"`
	Name      string `json:"name"`
}

type tool struct {
	Function function `json:"function"`
	Type     string   `json:"type"`
}

// function is what a tool does. Its schema goes as it came: a model fills properties in the order in which it reads them.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

type responseFormat struct {
	JSONSchema jsonSchema `json:"json_schema"`
	Type       string     `json:"type"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

// body is the request in the service's words.
func (p *provider) body(req *model.Request) (*chatRequest, error) {
	body := &chatRequest{
		Model:           cmp.Or(req.Model, p.options.Model),
		Temperature:     req.Temperature,
		ReasoningEffort: p.options.Effort,
		Stop:            req.Stop,
		StreamOptions:   streamOptions{IncludeUsage: true},
		Stream:          true,
	}
	if body.Model == "" {
		return nil, remote.Invalid("no model is named: expected one in Options.Model or in Request.Model, like \"gpt-5\"")
	}
	if p.own {
		body.MaxCompletionTokens = max(req.MaxTokens, 0)
	} else {
		body.MaxTokens = max(req.MaxTokens, 0)
	}
	system := req.System
	if len(req.Output) > 0 {
		if format := outputFormat(req.Output); format != nil && !p.options.SchemaAsText {
			body.ResponseFormat = format
		} else {
			system = remote.Instruct(system, req.Output)
		}
	}
	if system != "" {
		body.Messages = append(body.Messages, message{Role: "system", Content: system})
	}
	for i := range req.Messages {
		said, err := messages(i, &req.Messages[i])
		if err != nil {
			return nil, err
		}
		body.Messages = append(body.Messages, said...)
	}
	for i := range req.Tools {
		schema, err := remote.InputSchema(&req.Tools[i])
		if err != nil {
			return nil, err
		}
		f := function{Name: req.Tools[i].Name, Description: req.Tools[i].Description, Parameters: schema}
		body.Tools = append(body.Tools, tool{Type: "function", Function: f})
	}
	var err error
	body.ToolChoice, err = remote.ToolChoice(req, "none", "required")
	return body, err
}

// messages makes one message into those of the service: results of tools are messages of their own there, and come
// right behind the calls.
func messages(at int, m *model.Message) ([]message, error) {
	switch m.Role {
	case model.User:
		return userMessages(at, m.Parts)
	case model.Assistant:
		return assistantMessage(at, m.Parts)
	}
	return nil, remote.Invalid("message %d is said by %q; expected %q or %q", at, m.Role, model.User, model.Assistant)
}

func userMessages(at int, parts []model.Part) ([]message, error) {
	var said []message
	var content []contentPart
	var text strings.Builder
	texts := true
	for i := range parts {
		switch p := &parts[i]; {
		case p.Kind == model.TextPart:
			if p.Text != "" {
				text.WriteString(p.Text)
				content = append(content, contentPart{Type: "text", Text: p.Text})
			}
		case p.Kind == model.ReasoningPart:
		case p.Kind == model.ResultPart && p.Result != nil:
			said = append(said, message{Role: "tool", Content: resultText(p.Result), ToolCallID: p.Result.ID})
		case p.Kind == model.MediaPart && p.Media != nil:
			part, err := media(at, i, p.Media)
			if err != nil {
				return nil, err
			}
			content, texts = append(content, part), false
		default:
			return nil, badPart(at, i, p, "the user")
		}
	}
	switch {
	case texts && len(content) > 0: // the form that all services know
		said = append(said, message{Role: "user", Content: text.String()})
	case len(content) > 0:
		said = append(said, message{Role: "user", Content: content})
	}
	return said, nil
}

// resultText says what came of a call. There is no field for a failure.
func resultText(r *model.ToolResult) string {
	if r.Failed {
		return "error: " + r.Text
	}
	return r.Text
}

func assistantMessage(at int, parts []model.Part) ([]message, error) {
	var text strings.Builder
	m := message{Role: "assistant"}
	for i := range parts {
		switch p := &parts[i]; {
		case p.Kind == model.TextPart:
			text.WriteString(p.Text)
		case p.Kind == model.ReasoningPart: // it cannot be said again
		case p.Kind == model.CallPart && p.Call != nil:
			call := toolCallFunction{Name: p.Call.Name, Arguments: cmp.Or(string(p.Call.Arguments), "{}")}
			m.ToolCalls = append(m.ToolCalls, toolCall{Type: "function", ID: p.Call.ID, Function: call})
		default:
			return nil, badPart(at, i, p, "the model")
		}
	}
	if text.Len() > 0 {
		m.Content = text.String()
	}
	if m.Content == nil && len(m.ToolCalls) == 0 {
		return nil, nil
	}
	return []message{m}, nil
}

func badPart(at, i int, p *model.Part, who string) error {
	return remote.Invalid("part %d of message %d is of the kind %q, which %s cannot say, or has not the field of its kind", i, at, p.Kind, who)
}

// media is a picture by its address or its bytes, and everything else by its bytes.
func media(at, i int, m *model.Media) (contentPart, error) {
	kind := remote.MediaType(m)
	encoded := base64.StdEncoding.EncodeToString(m.Data)
	data := "data:" + kind + ";base64," + encoded
	switch {
	case strings.HasPrefix(kind, "image/"):
		return contentPart{Type: "image_url", ImageURL: &imageURL{URL: cmp.Or(m.URL, data)}}, nil
	case len(m.Data) == 0:
		return contentPart{}, remote.Invalid(
			"part %d of message %d is media of the type %q without data; only pictures can be given by a URL", i, at, m.Type)
	case kind == "audio/wav" || kind == "audio/x-wav" || kind == "audio/wave":
		return contentPart{Type: "input_audio", InputAudio: &inputAudio{Data: encoded, Format: "wav"}}, nil
	case kind == "audio/mpeg" || kind == "audio/mp3":
		return contentPart{Type: "input_audio", InputAudio: &inputAudio{Data: encoded, Format: "mp3"}}, nil
	case kind == "application/pdf":
		return contentPart{Type: "file", File: &file{FileData: data, Filename: "document.pdf"}}, nil
	}
	return contentPart{}, remote.Invalid(
		"part %d of message %d is media of the type %q; expected a picture, audio/wav, audio/mpeg or application/pdf", i, at, m.Type)
}

// odd are the letters that the name of a schema may not have.
var odd = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// outputFormat has the service keep its answer to a schema: strictly where the schema lets it. It is nil for a schema
// whose root is no object.
func outputFormat(schema json.RawMessage) *responseFormat {
	var root struct {
		Type  any    `json:"type"`
		Title string `json:"title"`
	}
	if json.Unmarshal(schema, &root) != nil || root.Type != "object" {
		return nil
	}
	name := strings.Trim(odd.ReplaceAllString(root.Title, "_"), "_")
	name = cmp.Or(name[:min(len(name), 64)], "answer")
	return &responseFormat{Type: "json_schema", JSONSchema: jsonSchema{Name: name, Schema: schema, Strict: strict.Take(schema)}}
}

// strict is what OpenAI takes of JSON Schema for answers that it promises.
var strict = remote.Rules{
	Keywords: []string{"pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"},
	Formats:  []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
	Required: true, Recursive: true, Depth: 10,
}
