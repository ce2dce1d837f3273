package node

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/schema"
)

// Tool is something that a model may call while it reasons. [NewTool] makes one of a Go function.
type Tool struct {
	Name        string          // letters, digits, '_' and '-', at most 64 of them
	Description string          // for the model: what the tool does, and when to call it
	Input       json.RawMessage // JSON Schema of the arguments, which are an object; nil for a tool without arguments

	// Call does it, and returns what the model is told. The arguments have passed Input. The context is that of a step:
	// what is done with it is recorded, and asks people and models as any node does. An error is told to the model, which
	// may try something else, unless it is marked [Terminal]: then it ends the reasoning.
	Call func(ctx Context, arguments json.RawMessage) (string, error)

	// Once says that the call must not happen twice (see [AtMostOnce]), whatever a server says of it. Where its outcome is
	// lost, by a crash or as Call returns ErrOutcomeUnknown or a deadline's error, a person is asked what has happened
	// ([KindOutcome]) if the reasoning has an Approval or Interrupt, by their roles; else the reasoning ends with
	// [ErrOutcomeUnknown].
	Once bool
	// Approval has a person look at calls before they are made; nil for no approval.
	Approval *Approval

	input *schema.Schema // Input, where it is compiled already
}

// Approval is which calls of tools a person has to look at first, and how that person is asked. They approve the call,
// edit its arguments, or deny it with a reason, which the model is told: a [Verdict].
type Approval struct {
	When func(call model.ToolCall) bool // which calls; nil for all. It must say the same whenever it is asked
	Ask  []AskOption                    // who is asked, for how long: Role, Prompt, Within, OrDefault, …
}

// NewTool makes a tool of a function. The schema of its arguments is that of In, which encodes as an object; a string
// that it returns is told to the model as it is, and anything else as JSON. It fails where the name is none, and where
// In has no schema, or one that is not of an object.
func NewTool[In, Out any](name, description string, call func(ctx Context, in In) (Out, error)) (Tool, error) {
	if !toolName.MatchString(name) {
		return Tool{}, badName(name)
	}
	input, err := schema.For[In]()
	if err != nil {
		return Tool{}, fmt.Errorf("tool %q: arguments: %w", name, err)
	}
	if !ofObject(input.JSON()) {
		if input, err = neverNull(input); err != nil {
			return Tool{}, fmt.Errorf("tool %q: arguments: expected a struct or a map, found %s", name, reflect.TypeFor[In]())
		}
	}
	t := Tool{
		Name: name, Description: description, Input: input.JSON(), input: input,
		Call: func(ctx Context, arguments json.RawMessage) (string, error) {
			var in In
			if err := input.Decode(arguments, &in); err != nil {
				return "", err
			}
			out, err := call(ctx, in)
			if err != nil {
				return "", err
			}
			if text, ok := any(out).(string); ok {
				return text, nil
			}
			data, err := ctx.encode(out)
			if err != nil {
				return "", fmt.Errorf("%w: %w", ErrNotStorable, err)
			}
			return string(data), nil
		},
	}
	return t, nil
}

// neverNull is the schema of the objects that a schema allows beside null, as that of a map does. It fails where there
// are none.
func neverNull(s *schema.Schema) (*schema.Schema, error) {
	var members map[string]json.RawMessage
	var kinds []string
	if err := json.Unmarshal(s.JSON(), &members); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(members["type"], &kinds); err != nil {
		return nil, err
	}
	if !slices.Contains(kinds, "object") {
		return nil, fmt.Errorf("its values are %v", kinds)
	}
	members["type"] = json.RawMessage(`"object"`)
	doc, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return schema.Parse(doc)
}
