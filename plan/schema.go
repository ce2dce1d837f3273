package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// schemaFault says why a document is not a JSON Schema, as far as its outermost form shows: that is an object or a
// boolean. Package schema compiles it.
func schemaFault(doc []byte) string {
	value, err := readJSON(doc)
	if err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return fmt.Sprintf("is not JSON, from byte %d: %s", syntax.Offset, err)
		}
		return "is not JSON: " + err.Error()
	}
	switch value.(type) {
	case map[string]any, bool:
		return ""
	}
	return fmt.Sprintf("is %s; expected an object or a boolean", kindOf(value))
}

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	}
	return "an array"
}

// readJSON reads one document and keeps its numbers as they are written.
func readJSON(doc []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	var value any
	if err := decodeOne(decoder, &value); err != nil {
		return nil, err
	}
	return value, nil
}

// decodeOne reads the only document.
func decodeOne(decoder *json.Decoder, into any) error {
	if err := decoder.Decode(into); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("it ends too early")
		}
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the document")
	}
	return nil
}

// schemaDigest identifies what a schema demands: 16 hexadecimal digits, which do not depend on its prose, its layout
// or the order of its keys. A missing schema has none.
func schemaDigest(doc []byte) string {
	if len(doc) == 0 {
		return ""
	}
	value, err := readJSON(doc)
	if err != nil {
		return "" // a checked plan has none such
	}
	data, err := json.Marshal(bareSchema(value))
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// Keywords of JSON Schema by what they hold. All others hold plain values.
var (
	proseKeywords  = []string{"$comment", "description", "examples", "title"}
	setKeywords    = []string{"enum", "required", "type"} // arrays whose order has no meaning
	nestedKeywords = []string{                            // a schema, or an array of schemas
		"additionalItems", "additionalProperties", "allOf", "anyOf", "contains", "contentSchema", "else", "if", "items",
		"not", "oneOf", "prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
	}
	namedKeywords = []string{ // an object of schemas; its keys are names and not keywords
		"$defs", "definitions", "dependentSchemas", "patternProperties", "properties",
	}
)

// bareSchema takes the prose out of a schema.
func bareSchema(value any) any {
	switch value := value.(type) {
	case []any:
		bare := make([]any, len(value))
		for i := range value {
			bare[i] = bareSchema(value[i])
		}
		return bare
	case map[string]any:
		bare := make(map[string]any, len(value))
		for key, held := range value {
			if !slices.Contains(proseKeywords, key) {
				bare[key] = bareKeyword(key, held)
			}
		}
		return bare
	}
	return value
}

func bareKeyword(key string, held any) any {
	switch {
	case slices.Contains(nestedKeywords, key):
		return bareSchema(held)
	case slices.Contains(namedKeywords, key):
		named, ok := held.(map[string]any)
		if !ok {
			return held
		}
		bare := make(map[string]any, len(named))
		for name, schema := range named {
			bare[name] = bareSchema(schema)
		}
		return bare
	case slices.Contains(setKeywords, key):
		return sortedSet(held)
	}
	return held
}

// sortedSet sorts an array by the JSON of its members.
func sortedSet(held any) any {
	members, ok := held.([]any)
	if !ok {
		return held
	}
	texts := make([]string, len(members))
	for i, m := range members {
		text, err := json.Marshal(m)
		if err != nil {
			return held
		}
		texts[i] = string(text)
	}
	slices.Sort(texts)
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = json.RawMessage(text)
	}
	return values
}
