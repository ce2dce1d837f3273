package remote

import (
	"encoding/json"
	"mime"

	"github.com/fermata-go/fermata/model"
)

// Instruct adds to a system text that the answer must fit a schema. It is for services that cannot promise it.
func Instruct(system string, schema json.RawMessage) string {
	if system != "" {
		system += "\n\n"
	}
	return system + "Answer with JSON alone, without any words or fences around it. It must fit this JSON Schema:\n" + string(schema)
}

// InputSchema is the schema of a tool's arguments, also of one without any.
func InputSchema(t *model.Tool) (json.RawMessage, error) {
	if len(t.Input) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`), nil
	}
	if _, err := json.Marshal(t.Input); err != nil {
		return nil, invalid("the input schema of the tool %q is not JSON: %v", t.Name, err)
	}
	return t.Input, nil
}

// ToolChoice returns a request's choice in the service's words for none and any, or "".
func ToolChoice(req *model.Request, none, anyOf string) (string, error) {
	switch {
	case req.ToolChoice == model.ToolAuto, req.ToolChoice == model.ToolNone && len(req.Tools) == 0:
		return "", nil
	case req.ToolChoice == model.ToolNone:
		return none, nil
	case req.ToolChoice != model.ToolAny:
		return "", invalid("the tool choice is %q; expected %q, %q or %q", req.ToolChoice, model.ToolAuto, model.ToolAny, model.ToolNone)
	case len(req.Tools) == 0:
		return "", invalid("the model has to call a tool, and the request has none")
	}
	return anyOf, nil
}

// MediaType is the type of a medium without its parameters: "text/plain".
func MediaType(m *model.Media) string {
	kind, _, err := mime.ParseMediaType(m.Type)
	if err != nil {
		return m.Type
	}
	return kind
}
