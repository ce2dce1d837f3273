package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/jsontext"
)

// Describe names a YAML value for a message.
func Describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "the boolean " + n.Value
	case "!!int", "!!float":
		return "the number " + n.Value
	}
	return fmt.Sprintf("the text %s", Quote(n.Value))
}

// Quote shortens a text for a message.
func Quote(s string) string {
	const shown = 60
	if r := []rune(s); len(r) > shown {
		return strconv.Quote(string(r[:shown]) + "…")
	}
	return strconv.Quote(s)
}

// JSON turns a tree into a JSON value: map[string]any, []any, string, bool, json.Number or nil.
func JSON(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := JSON(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			m[n.Content[i].Value] = v
		}
		return m, nil
	case yaml.SequenceNode:
		l := make([]any, len(n.Content))
		for i, c := range n.Content {
			v, err := JSON(c)
			if err != nil {
				return nil, err
			}
			l[i] = v
		}
		return l, nil
	}
	return scalarOf(n)
}

// Text is the value of a node as JSON, like JSON, with the members of its mappings in written order.
func Text(n *yaml.Node) (json.RawMessage, error) {
	var b bytes.Buffer
	err := write(&b, n)
	return b.Bytes(), err
}

func write(b *bytes.Buffer, n *yaml.Node) error {
	open, end := byte('['), byte(']')
	switch n.Kind {
	case yaml.MappingNode:
		open, end = '{', '}'
	case yaml.SequenceNode:
	default:
		v, err := JSON(n)
		if err != nil {
			return err
		}
		data, err := json.Marshal(v)
		b.Write(data)
		return err
	}
	b.WriteByte(open)
	for i, c := range n.Content {
		key := n.Kind == yaml.MappingNode && i%2 == 0
		if i > 0 && (key || n.Kind == yaml.SequenceNode) {
			b.WriteByte(',')
		}
		if key {
			name, err := json.Marshal(c.Value)
			if err != nil {
				return err
			}
			b.Write(name)
			b.WriteByte(':')
			continue
		}
		if err := write(b, c); err != nil {
			return err
		}
	}
	b.WriteByte(end)
	return nil
}

func scalarOf(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int", "!!float":
		return numberOf(n)
	}
	return n.Value, nil
}

// octal matches a number that begins with 0: YAML 1.1 reads it as octal, YAML 1.2 as decimal.
var octal = regexp.MustCompile(`^[-+]?0[0_]*([1-7][0-7_]+)$`)

// numberOf keeps the text of a number that JSON writes alike; 0x1F and 1_000 become what YAML takes them for.
func numberOf(n *yaml.Node) (json.Number, error) {
	if json.Valid([]byte(n.Value)) {
		return json.Number(n.Value), nil
	}
	if m := octal.FindStringSubmatch(n.Value); m != nil {
		return "", fmt.Errorf("ambiguous leading zero in %s: write %s or 0o%s (octal), or put it in quotes for a text", n.Value, m[1], m[1])
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return "", fmt.Errorf("the number %s cannot be read", Quote(n.Value))
	}
	if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return "", fmt.Errorf("the number %s has no form in JSON", n.Value)
	}
	data, err := json.Marshal(v)
	if err != nil || len(data) == 0 || data[0] == '"' {
		return "", fmt.Errorf("the number %s cannot be read", Quote(n.Value))
	}
	return json.Number(data), nil
}

// Decode reads one JSON value and keeps the text of its numbers.
func Decode(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("something follows the JSON value; expected one value and nothing else")
	}
	return v, nil
}

// Encode writes a value compactly, without escaping HTML.
func Encode(v any) ([]byte, error) { return jsontext.Encode(v) }
