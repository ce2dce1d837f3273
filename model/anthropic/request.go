package anthropic

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"mime"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/internal/remote"
)

// params are the request in the service's words.
func (p *provider) params(req *model.Request) (sdk.MessageNewParams, error) {
	var none sdk.MessageNewParams
	name := cmp.Or(req.Model, p.options.Model)
	if name == "" {
		return none, remote.Invalid("no model is named: expected one in Options.Model or in Request.Model, like \"claude-sonnet-4-5\"")
	}
	params := sdk.MessageNewParams{
		Model:         name,
		MaxTokens:     int64(cmp.Or(req.MaxTokens, p.options.MaxTokens, DefaultMaxTokens+max(p.options.Thinking, 0))),
		StopSequences: req.Stop,
		OutputConfig:  sdk.OutputConfigParam{Effort: sdk.OutputConfigEffort(p.options.Effort)},
		Thinking:      thinking(p.options.Thinking),
	}
	if req.Temperature != nil {
		params.Temperature = sdk.Float(*req.Temperature)
	}
	system := req.System
	if len(req.Output) > 0 {
		if promised.Take(req.Output) && !p.options.SchemaAsText {
			// As it is: the SDK's own form sorts the properties, and a model fills them in the order in which it reads them.
			format, _ := json.Marshal(outputFormat{Type: "json_schema", Schema: req.Output}) //nolint:errchkjson // Take has decoded it
			params.OutputConfig.Format = param.Override[sdk.JSONOutputFormatParam](json.RawMessage(format))
		} else {
			system = remote.Instruct(system, req.Output)
		}
	}
	if system != "" {
		params.System = []sdk.TextBlockParam{{Text: system}}
	}
	for i := range req.Messages {
		m, err := message(i, &req.Messages[i])
		if err != nil {
			return none, err
		}
		if len(m.Content) > 0 {
			params.Messages = append(params.Messages, m)
		}
	}
	var err error
	if params.Tools, err = tools(req.Tools); err != nil {
		return none, err
	}
	params.ToolChoice, err = toolChoice(req)
	return params, err
}

type outputFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// promised is what Anthropic takes of JSON Schema for answers that it promises.
var promised = remote.Rules{
	Keywords: []string{"default"},
	Formats:  []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
}

func thinking(budget int) sdk.ThinkingConfigParamUnion {
	switch {
	case budget == Adaptive:
		return sdk.ThinkingConfigParamUnion{OfAdaptive: &sdk.ThinkingConfigAdaptiveParam{}}
	case budget > 0:
		return sdk.ThinkingConfigParamOfEnabled(int64(budget))
	}
	return sdk.ThinkingConfigParamUnion{}
}

// message is a message in the service's words. Results of tools come first, where it wants them.
func message(at int, m *model.Message) (sdk.MessageParam, error) {
	var role sdk.MessageParamRole
	switch m.Role {
	case model.User:
		role = sdk.MessageParamRoleUser
	case model.Assistant:
		role = sdk.MessageParamRoleAssistant
	default:
		return sdk.MessageParam{}, remote.Invalid("message %d is said by %q; expected %q or %q", at, m.Role, model.User, model.Assistant)
	}
	var results, others []sdk.ContentBlockParamUnion
	for i := range m.Parts {
		block, err := block(at, i, m.Role, &m.Parts[i])
		switch {
		case err != nil:
			return sdk.MessageParam{}, err
		case block == nil:
		case block.OfToolResult != nil:
			results = append(results, *block)
		default:
			others = append(others, *block)
		}
	}
	return sdk.MessageParam{Role: role, Content: slices.Concat(results, others)}, nil
}

// block is a part in the service's words, nil for one that cannot be said or says nothing.
func block(at, i int, role model.Role, p *model.Part) (*sdk.ContentBlockParamUnion, error) {
	var b sdk.ContentBlockParamUnion
	switch {
	case p.Kind == model.TextPart:
		if blank(p.Text) {
			return nil, nil //nolint:nilnil // see above
		}
		b = sdk.NewTextBlock(p.Text)
	case p.Kind == model.ReasoningPart:
		data, hidden := strings.CutPrefix(p.Signature, redacted)
		switch {
		case role != model.Assistant || p.Signature == "":
			return nil, nil //nolint:nilnil // see above
		case hidden:
			b = sdk.NewRedactedThinkingBlock(data)
		default:
			b = sdk.NewThinkingBlock(p.Signature, p.Text)
		}
	case p.Kind == model.CallPart && p.Call != nil && role == model.Assistant:
		arguments := json.RawMessage(cmp.Or(string(p.Call.Arguments), "{}"))
		if !json.Valid(arguments) {
			return nil, remote.Invalid("the arguments of the call in part %d of message %d are not JSON", i, at)
		}
		b = sdk.NewToolUseBlock(p.Call.ID, arguments, p.Call.Name)
	case p.Kind == model.ResultPart && p.Result != nil && role == model.User:
		b.OfToolResult = result(p.Result)
	case p.Kind == model.MediaPart && p.Media != nil && role == model.User:
		return media(at, i, p.Media)
	default:
		return nil, remote.Invalid("part %d of message %d is of the kind %q, which the role %q cannot say, or has not the field of its kind",
			i, at, p.Kind, role)
	}
	return &b, nil
}

// blank is whether there is nothing in a text to be read. Anthropic refuses such texts, also those that its own models
// said: a line break before they call a tool.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

func result(r *model.ToolResult) *sdk.ToolResultBlockParam {
	b := &sdk.ToolResultBlockParam{ToolUseID: r.ID}
	if !blank(r.Text) { // a blank text is refused, and no text is not
		b.Content = []sdk.ToolResultBlockParamContentUnion{{OfText: &sdk.TextBlockParam{Text: r.Text}}}
	}
	if r.Failed {
		b.IsError = sdk.Bool(true)
	}
	return b
}

// pictures are the types of pictures that Anthropic's models can see.
var pictures = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

func media(at, i int, m *model.Media) (*sdk.ContentBlockParamUnion, error) {
	kind, _, err := mime.ParseMediaType(m.Type)
	if err != nil {
		kind = m.Type
	}
	encoded := base64.StdEncoding.EncodeToString(m.Data)
	var b sdk.ContentBlockParamUnion
	switch {
	case strings.HasPrefix(kind, "image/") && m.URL != "":
		b = sdk.NewImageBlock(sdk.URLImageSourceParam{URL: m.URL})
	case slices.Contains(pictures, kind):
		b = sdk.NewImageBlockBase64(kind, encoded)
	case kind == "application/pdf" && m.URL != "":
		b = sdk.NewDocumentBlock(sdk.URLPDFSourceParam{URL: m.URL})
	case kind == "application/pdf":
		b = sdk.NewDocumentBlock(sdk.Base64PDFSourceParam{Data: encoded})
	case strings.HasPrefix(kind, "text/") && len(m.Data) > 0:
		b = sdk.NewDocumentBlock(sdk.PlainTextSourceParam{Data: string(m.Data)})
	default:
		return nil, remote.Invalid("part %d of message %d is media of the type %q; expected %s, application/pdf or the data of a text",
			i, at, m.Type, strings.Join(pictures, ", "))
	}
	return &b, nil
}

// tool is a tool. It is encoded here for the order of the schema's properties, see params.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

func tools(list []model.Tool) ([]sdk.ToolUnionParam, error) {
	var tools []sdk.ToolUnionParam
	for _, t := range list {
		wanted := tool{Name: t.Name, Description: t.Description, InputSchema: t.Input}
		if len(wanted.InputSchema) == 0 {
			wanted.InputSchema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		data, err := json.Marshal(wanted)
		if err != nil {
			return nil, remote.Invalid("the input schema of the tool %q is not JSON: %v", t.Name, err)
		}
		encoded := param.Override[sdk.ToolParam](json.RawMessage(data))
		tools = append(tools, sdk.ToolUnionParam{OfTool: &encoded})
	}
	return tools, nil
}

func toolChoice(req *model.Request) (sdk.ToolChoiceUnionParam, error) {
	var choice sdk.ToolChoiceUnionParam
	switch {
	case req.ToolChoice == model.ToolAuto:
	case req.ToolChoice == model.ToolNone:
		if len(req.Tools) > 0 {
			choice.OfNone = &sdk.ToolChoiceNoneParam{}
		}
	case req.ToolChoice != model.ToolAny:
		return choice, remote.Invalid("the tool choice is %q; expected %q, %q or %q", req.ToolChoice, model.ToolAuto, model.ToolAny, model.ToolNone)
	case len(req.Tools) == 0:
		return choice, remote.Invalid("the model has to call a tool, and the request has none")
	default:
		choice.OfAny = &sdk.ToolChoiceAnyParam{}
	}
	return choice, nil
}
