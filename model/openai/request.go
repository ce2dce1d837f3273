package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"mime"
	"regexp"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/internal/remote"
)

// params are the request in the service's words.
func (p *provider) params(req *model.Request) (sdk.ChatCompletionNewParams, error) {
	var none sdk.ChatCompletionNewParams
	name, err := p.name(req)
	if err != nil {
		return none, err
	}
	params := sdk.ChatCompletionNewParams{
		Model:           name,
		ReasoningEffort: shared.ReasoningEffort(p.options.Effort),
		StreamOptions:   sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)},
		Stop:            sdk.ChatCompletionNewParamsStopUnion{OfStringArray: req.Stop},
	}
	switch {
	case req.MaxTokens > 0 && p.own:
		params.MaxCompletionTokens = sdk.Int(int64(req.MaxTokens))
	case req.MaxTokens > 0:
		params.MaxTokens = sdk.Int(int64(req.MaxTokens))
	}
	if req.Temperature != nil {
		params.Temperature = sdk.Float(*req.Temperature)
	}
	system := req.System
	if len(req.Output) > 0 {
		if format, ok := outputFormat(req.Output); ok && !p.options.SchemaAsText {
			params.ResponseFormat.OfJSONSchema = format
		} else {
			system = remote.Instruct(system, req.Output)
		}
	}
	if system != "" {
		params.Messages = append(params.Messages, sdk.SystemMessage(system))
	}
	for i := range req.Messages {
		said, err := messages(i, &req.Messages[i])
		if err != nil {
			return none, err
		}
		params.Messages = append(params.Messages, said...)
	}
	if params.Tools, err = tools(req.Tools); err != nil {
		return none, err
	}
	params.ToolChoice, err = toolChoice(req)
	return params, err
}

// messages makes one message into those of the service: results of tools are messages of their own there, and come
// right behind the calls.
func messages(at int, m *model.Message) ([]sdk.ChatCompletionMessageParamUnion, error) {
	switch m.Role {
	case model.User:
		return userMessages(at, m.Parts)
	case model.Assistant:
		return assistantMessage(at, m.Parts)
	}
	return nil, remote.Invalid("message %d is said by %q; expected %q or %q", at, m.Role, model.User, model.Assistant)
}

func userMessages(at int, parts []model.Part) ([]sdk.ChatCompletionMessageParamUnion, error) {
	var said []sdk.ChatCompletionMessageParamUnion
	var content []sdk.ChatCompletionContentPartUnionParam
	var text strings.Builder
	texts := true
	for i := range parts {
		switch p := &parts[i]; {
		case p.Kind == model.TextPart:
			if p.Text != "" {
				text.WriteString(p.Text)
				content = append(content, sdk.TextContentPart(p.Text))
			}
		case p.Kind == model.ReasoningPart:
		case p.Kind == model.ResultPart && p.Result != nil:
			said = append(said, sdk.ToolMessage(resultText(p.Result), p.Result.ID))
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
		said = append(said, sdk.UserMessage(text.String()))
	case len(content) > 0:
		said = append(said, sdk.UserMessage(content))
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

func assistantMessage(at int, parts []model.Part) ([]sdk.ChatCompletionMessageParamUnion, error) {
	var text strings.Builder
	var m sdk.ChatCompletionAssistantMessageParam
	for i := range parts {
		switch p := &parts[i]; {
		case p.Kind == model.TextPart:
			text.WriteString(p.Text)
		case p.Kind == model.ReasoningPart: // it cannot be said again
		case p.Kind == model.CallPart && p.Call != nil:
			m.ToolCalls = append(m.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
				OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
					ID: p.Call.ID,
					Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{
						Name: p.Call.Name, Arguments: cmp.Or(string(p.Call.Arguments), "{}"),
					},
				},
			})
		default:
			return nil, badPart(at, i, p, "the model")
		}
	}
	if text.Len() == 0 && len(m.ToolCalls) == 0 {
		return nil, nil
	}
	if text.Len() > 0 {
		m.Content.OfString = sdk.String(text.String())
	}
	return []sdk.ChatCompletionMessageParamUnion{{OfAssistant: &m}}, nil
}

func badPart(at, i int, p *model.Part, who string) error {
	return remote.Invalid("part %d of message %d is of the kind %q, which %s cannot say, or has not the field of its kind", i, at, p.Kind, who)
}

// media is a picture by its address or its bytes, and everything else by its bytes.
func media(at, i int, m *model.Media) (sdk.ChatCompletionContentPartUnionParam, error) {
	kind, _, err := mime.ParseMediaType(m.Type)
	if err != nil {
		kind = m.Type
	}
	encoded := base64.StdEncoding.EncodeToString(m.Data)
	data := "data:" + kind + ";base64," + encoded
	switch {
	case strings.HasPrefix(kind, "image/"):
		if m.URL != "" {
			data = m.URL
		}
		return sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: data}), nil
	case len(m.Data) == 0:
		return sdk.ChatCompletionContentPartUnionParam{}, remote.Invalid(
			"part %d of message %d is media of the type %q without data; only pictures can be given by a URL", i, at, m.Type)
	case kind == "audio/wav" || kind == "audio/x-wav" || kind == "audio/wave":
		return sdk.InputAudioContentPart(sdk.ChatCompletionContentPartInputAudioInputAudioParam{Data: encoded, Format: "wav"}), nil
	case kind == "audio/mpeg" || kind == "audio/mp3":
		return sdk.InputAudioContentPart(sdk.ChatCompletionContentPartInputAudioInputAudioParam{Data: encoded, Format: "mp3"}), nil
	case kind == "application/pdf":
		return sdk.FileContentPart(sdk.ChatCompletionContentPartFileFileParam{
			FileData: sdk.String(data), Filename: sdk.String("document.pdf"),
		}), nil
	}
	return sdk.ChatCompletionContentPartUnionParam{}, remote.Invalid(
		"part %d of message %d is media of the type %q; expected a picture, audio/wav, audio/mpeg or application/pdf", i, at, m.Type)
}

// function is a tool. It is encoded here since the SDK's form of it sorts the schema's properties, and a model fills
// them in the order in which it reads them.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

func tools(list []model.Tool) ([]sdk.ChatCompletionToolUnionParam, error) {
	var tools []sdk.ChatCompletionToolUnionParam
	for _, t := range list {
		f := function{Name: t.Name, Description: t.Description, Parameters: t.Input}
		if len(f.Parameters) == 0 {
			f.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		data, err := json.Marshal(f)
		if err != nil {
			return nil, remote.Invalid("the input schema of the tool %q is not JSON: %v", t.Name, err)
		}
		tools = append(tools, sdk.ChatCompletionFunctionTool(param.Override[shared.FunctionDefinitionParam](json.RawMessage(data))))
	}
	return tools, nil
}

func toolChoice(req *model.Request) (sdk.ChatCompletionToolChoiceOptionUnionParam, error) {
	var choice sdk.ChatCompletionToolChoiceOptionUnionParam
	switch {
	case req.ToolChoice == model.ToolAuto:
	case req.ToolChoice == model.ToolNone:
		if len(req.Tools) > 0 {
			choice.OfAuto = sdk.String("none")
		}
	case req.ToolChoice != model.ToolAny:
		return choice, remote.Invalid("the tool choice is %q; expected %q, %q or %q", req.ToolChoice, model.ToolAuto, model.ToolAny, model.ToolNone)
	case len(req.Tools) == 0:
		return choice, remote.Invalid("the model has to call a tool, and the request has none")
	default:
		choice.OfAuto = sdk.String("required")
	}
	return choice, nil
}

// odd are the letters that the name of a schema may not have.
var odd = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// outputFormat has the service keep its answer to a schema: strictly where the schema lets it. Schemas whose root is no
// object are not for it.
func outputFormat(schema json.RawMessage) (*shared.ResponseFormatJSONSchemaParam, bool) {
	var root struct {
		Type  any    `json:"type"`
		Title string `json:"title"`
	}
	if json.Unmarshal(schema, &root) != nil || root.Type != "object" {
		return nil, false
	}
	name := strings.Trim(odd.ReplaceAllString(root.Title, "_"), "_")
	name = cmp.Or(name[:min(len(name), 64)], "answer")
	return &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
		Name: name, Schema: schema, Strict: sdk.Bool(strict.Take(schema)),
	}}, true
}

// strict is what OpenAI takes of JSON Schema for answers that it promises.
var strict = remote.Rules{
	Keywords: []string{"pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"},
	Formats:  []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
	Required: true, Recursive: true, Depth: 10,
}
