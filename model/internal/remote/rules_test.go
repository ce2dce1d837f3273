package remote_test

import (
	"encoding/json"
	"testing"

	"github.com/fermata-go/fermata/model/internal/remote"
)

func TestRules(t *testing.T) {
	full := remote.Rules{Keywords: []string{"minimum"}, Formats: []string{"date"}, Required: true, Recursive: true, Depth: 4}
	tree := remote.Rules{}
	for _, test := range []struct {
		name   string
		rules  remote.Rules
		schema string
		want   bool
	}{
		{"empty object", full, `{"type":"object","additionalProperties":false}`, true},
		{"annotations", full, `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"T","description":"d","type":"object","properties":{},"additionalProperties":false}`, true},
		{"no JSON", full, `{"type"`, false},
		{"true", full, `true`, false},
		{"list", full, `{"type":"array","items":{"type":"string"}}`, false},
		{"choice", full, `{"type":"object","anyOf":[{"type":"object"}],"additionalProperties":false}`, false},
		{"open", full, `{"type":"object","properties":{}}`, false},
		{"map", full, `{"type":"object","additionalProperties":{"type":"string"}}`, false},
		{"open within", full, inObject(`{"type":"object","properties":{}}`), false},
		{"optional", full, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, false},
		{"optional, allowed", tree, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, true},
		{"keyword", full, inObject(`{"type":"integer","minimum":1}`), true},
		{"no such keyword", full, inObject(`{"type":"integer","maximum":1}`), false},
		{"format", full, inObject(`{"type":"string","format":"date"}`), true},
		{"no such format", full, inObject(`{"type":"string","format":"iban"}`), false},
		{"nullable", full, inObject(`{"type":["string","null"]}`), true},
		{"choice within", full, inObject(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), true},
		{"bad choice", full, inObject(`{"anyOf":[{"type":"string"},{}]}`), false},
		{"no type", full, inObject(`{"enum":["a"]}`), false},
		{"enum", full, inObject(`{"type":"string","enum":["a",null]}`), true},
		{"enum of objects", full, inObject(`{"type":"string","enum":[{}]}`), false},
		{"const", full, inObject(`{"type":"string","const":"a"}`), true},
		{"items", full, inObject(`{"type":"array","items":{"type":"string"}}`), true},
		{"no items", full, inObject(`{"type":"array"}`), false},
		{"depth", full, inObject(inObject(inObject(`{"type":"string"}`))), true},
		{"too deep", full, inObject(inObject(inObject(inObject(`{"type":"string"}`)))), false},
		{"reference", tree, `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/A"}},"additionalProperties":false,"$defs":{"A":{"type":"string"}}}`, true},
		{"reference and more", tree, `{"type":"object","properties":{"a":{"$ref":"#/$defs/A","title":"x"}},"additionalProperties":false,"$defs":{"A":{"type":"string"}}}`, false},
		{"reference to nothing", tree, inObject(`{"$ref":"#/$defs/A"}`), false},
		{"reference elsewhere", tree, inObject(`{"$ref":"https://example.com/schema"}`), false},
		{"bad definition", tree, `{"type":"object","additionalProperties":false,"$defs":{"A":{"oneOf":[]}}}`, false},
		{"recursive", full, `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"],"additionalProperties":false,"$defs":{"A":{"type":["array","null"],"items":{"$ref":"#/$defs/A"}}}}`, true},
		{"recursive, not allowed", tree, `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"],"additionalProperties":false,"$defs":{"A":{"type":["array","null"],"items":{"$ref":"#/$defs/A"}}}}`, false},
		{"root in itself", full, inObject(`{"$ref":"#"}`), true},
		{"root in itself, not allowed", tree, inObject(`{"$ref":"#"}`), false},
	} {
		if got := test.rules.Take(json.RawMessage(test.schema)); got != test.want {
			t.Errorf("%s: %v, want %v: %s", test.name, got, test.want, test.schema)
		}
	}
}

func inObject(property string) string {
	return `{"type":"object","properties":{"a":` + property + `},"required":["a"],"additionalProperties":false}`
}

// FuzzRules: no schema makes the walk fail or go on for ever.
func FuzzRules(f *testing.F) {
	f.Add(inObject(`{"$ref":"#"}`))
	f.Add(`{"type":"object","additionalProperties":false,"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}}}`)
	f.Fuzz(func(t *testing.T, schema string) {
		strict := remote.Rules{Required: true}.Take(json.RawMessage(schema))
		loose := remote.Rules{Recursive: true}.Take(json.RawMessage(schema))
		if strict && !loose {
			t.Errorf("the stricter rules take %s, and the looser do not", schema)
		}
	})
}
