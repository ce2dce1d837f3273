package dialogue

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/schema"
)

// schema is what a slot's values fit.
func (s Slot) schema() (json.RawMessage, error) {
	k := s.Type.kind()
	doc := k.document(s)
	if len(s.Schema) > 0 {
		if k.is().schema {
			doc = s.Schema
		} else {
			doc = map[string]any{"allOf": []any{doc, s.Schema}}
		}
	}
	if s.Optional {
		doc = map[string]any{"anyOf": []any{doc, map[string]any{"type": "null"}}}
	}
	return json.Marshal(doc)
}

// member is the schema at a path of members in another one, as far as it says; nil for anything. found is false where the
// path leads nowhere, and sure where the schema says that the member is there.
func member(s *schema.Schema, path string) (doc json.RawMessage, sure, found bool) {
	if s == nil {
		return nil, true, true
	}
	if doc = s.JSON(); path == "" {
		return doc, true, true
	}
	sure = true
	for name := range strings.SplitSeq(path, ".") {
		var at struct {
			Type                 any
			Properties           map[string]json.RawMessage
			Required             []string
			AdditionalProperties *bool
		}
		if err := json.Unmarshal(doc, &at); err != nil || at.Properties == nil && at.Type == nil {
			return nil, sure, true // it says nothing of members
		}
		next, ok := at.Properties[name]
		if !ok {
			open := at.AdditionalProperties == nil || *at.AdditionalProperties
			return nil, sure, at.Properties == nil && at.Type == "object" && open
		}
		sure = sure && slices.Contains(at.Required, name)
		doc = next
	}
	return doc, sure, true
}
