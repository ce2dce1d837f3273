package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fermata-go/fermata/internal/jsontext"
)

// mostShown is how many alternatives a message lists.
const mostShown = 12

// oneOf joins what was expected: "a", `"a" or "b"`, "a, b or c". What is said twice is said once.
func oneOf(all []string) string {
	var texts []string
	for _, t := range all {
		if !slices.Contains(texts, t) {
			texts = append(texts, t)
		}
	}
	switch n := len(texts); {
	case n == 0:
		return "nothing"
	case n == 1:
		return texts[0]
	case n > mostShown:
		return fmt.Sprintf("%s or %d others", strings.Join(texts[:mostShown], ", "), n-mostShown)
	default:
		return strings.Join(texts[:n-1], ", ") + " or " + texts[n-1]
	}
}

func quoteAll(names []string) []string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = show(n)
	}
	return quoted
}

func showAll(values []any) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = show(v)
	}
	return texts
}

func withArticles(types []string) []string {
	texts := make([]string, len(types))
	for i, t := range types {
		texts[i] = withArticle(t)
	}
	return texts
}

func withArticle(noun string) string {
	switch {
	case noun == "null":
		return noun
	case strings.ContainsAny(noun[:1], "aeiou"):
		return "an " + noun
	default:
		return "a " + noun
	}
}

// found names a value and its kind.
func found(v any) string {
	switch v := v.(type) {
	case string:
		return "the string " + show(v)
	case json.Number:
		return "the number " + show(v)
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	}
	return show(v)
}

// show is a value as JSON, cut where it is long.
func show(v any) string {
	text, err := jsontext.Encode(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return shorten(string(text))
}

const longestShown = 80 // bytes

func shorten(s string) string {
	if len(s) <= longestShown {
		return s
	}
	end := longestShown - 10
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:end], len(s))
}

// formatName is what a format stands for, with an example where the form is easily missed.
func formatName(format string) string {
	switch format {
	case "date-time":
		return `a date and time such as "2026-01-31T09:30:00Z"`
	case "date":
		return `a date such as "2026-01-31"`
	case "time":
		return `a time such as "09:30:00Z"`
	case "duration":
		return `a duration such as "P3DT12H"`
	case "email":
		return "an e-mail address"
	case "uri", "iri":
		return `an address such as "https://example.com/x"`
	case "uuid":
		return "a UUID"
	case "regex":
		return "a regular expression"
	case "ipv4", "ipv6":
		return "an " + format + " address"
	}
	return withArticle(format)
}

// describe says in a few words what a schema asks for; "" when it asks for nothing that can be said so.
func describe(s *jsonschema.Schema) string {
	for hops := 0; s != nil && s.Ref != nil && hops < 10; hops++ {
		s = s.Ref
	}
	switch {
	case s == nil:
		return ""
	case s.Const != nil:
		return show(*s.Const)
	case s.Enum != nil:
		return oneOf(showAll(s.Enum.Values))
	case s.Format != nil:
		return formatName(s.Format.Name)
	case s.Types != nil && !s.Types.IsEmpty():
		return oneOf(withArticles(s.Types.ToStrings()))
	case len(s.AnyOf) > 0:
		return describeEither(s.AnyOf)
	case len(s.OneOf) > 0:
		return describeEither(s.OneOf)
	}
	return ""
}

func describeEither(alternatives []*jsonschema.Schema) string {
	var texts []string
	for _, a := range alternatives {
		if a.AnyOf != nil || a.OneOf != nil {
			return ""
		}
		text := describe(a)
		if text == "" {
			return ""
		}
		texts = append(texts, text)
	}
	return oneOf(texts)
}
