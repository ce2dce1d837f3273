package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// resultText returns the text of a result for a model: its texts and one line for each part that is not text. Structured
// content is used if there are no texts.
func resultText(result *sdk.CallToolResult) string {
	var parts []string
	texts := false
	for _, content := range result.Content {
		text, isText := describe(content)
		texts = texts || isText
		parts = append(parts, text)
	}
	if !texts {
		if data := structured(result); data != nil {
			parts = append(parts, string(data))
		}
	}
	return strings.Join(parts, "\n")
}

// structured is the structured content as JSON, with the digits that the server has given; nil for none. It comes as a
// text, see exact.
func structured(result *sdk.CallToolResult) json.RawMessage {
	var data bytes.Buffer
	if text, ok := result.StructuredContent.(string); ok && json.Compact(&data, []byte(text)) == nil {
		return data.Bytes()
	}
	if result.StructuredContent == nil {
		return nil
	}
	read, _ := json.Marshal(result.StructuredContent) //nolint:errchkjson // it was read from JSON
	return read
}

// describe is one part of a result as text; isText says that it was text to begin with.
func describe(content sdk.Content) (text string, isText bool) {
	switch c := content.(type) {
	case *sdk.TextContent:
		return c.Text, true
	case *sdk.ImageContent:
		return fmt.Sprintf("[image, %s, %d bytes]", kind(c.MIMEType), len(c.Data)), false
	case *sdk.AudioContent:
		return fmt.Sprintf("[audio, %s, %d bytes]", kind(c.MIMEType), len(c.Data)), false
	case *sdk.ResourceLink:
		return fmt.Sprintf("[link to %s, %s: %s]", cmp.Or(c.Title, c.Name), kind(c.MIMEType), c.URI), false
	case *sdk.EmbeddedResource:
		switch r := c.Resource; {
		case r == nil:
			return "[empty resource]", false
		case r.Blob != nil:
			return fmt.Sprintf("[resource %s, %s, %d bytes]", r.URI, kind(r.MIMEType), len(r.Blob)), false
		default:
			return fmt.Sprintf("[resource %s]\n%s", r.URI, r.Text), true
		}
	}
	return fmt.Sprintf("[%T]", content), false
}

func kind(mimeType string) string { return cmp.Or(mimeType, "of unknown type") }

// shorten cuts a text that is longer than limit bytes, and says so at its end: a model that does not know would take a
// part for the whole.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s\n[cut here: these are the first %d of %d bytes]", text[:end], end, len(text))
}
