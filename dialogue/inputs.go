package dialogue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Inputs is the JSON Schema of what a conversation is begun with (see Begin). It is an object with the values of the context, in
// their order in the definition. A dialogue without a context takes any object.
func (d *Dialogue) Inputs() json.RawMessage {
	if d.def.Context == nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	members, required := make([]string, 0, len(d.context)), []string{}
	for _, sl := range d.context {
		member, err := sl.input()
		if err != nil {
			member = []byte("true") // its value is checked where a conversation begins
		}
		name := quoted(sl.name)
		members = append(members, name+":"+string(member))
		if !sl.Optional && sl.Initial == nil {
			required = append(required, name)
		}
	}
	return fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`,
		strings.Join(members, ","), strings.Join(required, ","))
}

// quoted is a text as JSON has it.
func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		return `""` // no text fails
	}
	return string(data)
}

// input is the schema of a value of the context: with its description, and the value that it has otherwise.
func (s *slot) input() ([]byte, error) {
	given := s.Slot
	given.Optional = false // it is left out, and never null
	doc, err := given.schema()
	if err != nil {
		return nil, err
	}
	members := make(map[string]any)
	if !bytes.Equal(doc, []byte("true")) {
		if err := json.Unmarshal(doc, &members); err != nil {
			return nil, err
		}
	}
	if s.Description != "" {
		members["description"] = s.Description
	}
	if s.Initial != nil && !s.Private {
		members["default"] = s.initial
	}
	return json.Marshal(members)
}
