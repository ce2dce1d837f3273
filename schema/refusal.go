package schema

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fermata-go/fermata/internal/nearest"
)

// refusal says in an *Error why the library did not take a document.
func refusal(err error, doc any) *Error {
	if e, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if invalid, ok := errors.AsType[*jsonschema.ValidationError](e.Err); ok {
			return invalidPart(invalid, doc, placeOf(e.URL))
		}
	}
	if e, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		path, ref := findReference(doc, func(to string) bool { return withoutFragment(to) == e.URL })
		return one(path, "%q is outside of this document, and other documents are never loaded; "+
			`put the schema under $defs and refer to it as "#/$defs/NAME"`, ref)
	}
	if e, ok := errors.AsType[*jsonschema.JSONPointerNotFoundError](err); ok {
		return notFound(doc, e.URL)
	}
	if e, ok := errors.AsType[*jsonschema.AnchorNotFoundError](err); ok {
		path, ref := findReference(doc, sameAs(e.Reference))
		return one(path, "nothing in this document has the anchor %q", ref)
	}
	if e, ok := errors.AsType[*jsonschema.InvalidRegexError](err); ok {
		return one(placeOf(e.URL), "expected a regular expression, found %q: %v", e.Regex, e.Err)
	}
	return one("", "%s", strings.ReplaceAll(err.Error(), home, ""))
}

// invalidPart tells where the part of the document at base breaks the rules for schemas.
func invalidPart(invalid *jsonschema.ValidationError, doc any, base string) *Error {
	part, _ := lookUp(doc, tokens(base))
	problems := (&explainer{value: part}).problems(invalid)
	for i := range problems {
		problems[i].Path = base + problems[i].Path
	}
	return newError(problems)
}

// notFound reports a reference to a place that the document does not have.
func notFound(doc any, address string) *Error {
	path, ref := findReference(doc, sameAs(address))
	want := tokens(placeOf(address))
	for n, token := range want { // how far the reference leads
		if _, ok := lookUp(doc, want[:n+1]); ok {
			continue
		}
		if parent, _ := lookUp(doc, want[:n]); parent != nil {
			if object, ok := parent.(map[string]any); ok {
				return one(path, "%q leads nowhere: there is no %q at %q%s",
					ref, token, pointer(want[:n]), nearest.Hint(token, sortedKeys(object)))
			}
		}
		break
	}
	return one(path, "%q leads nowhere", ref)
}

// lookUp follows a JSON pointer.
func lookUp(v any, path []string) (any, bool) {
	for _, token := range path {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[token]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// findReference finds the first reference (or $schema) whose address is the one sought, for the library tells only
// where it leads. It returns the pointer of the keyword, and what is written there.
func findReference(doc any, sought func(address string) bool) (path, ref string) {
	var search func(v any, base string, at []string) bool
	search = func(v any, base string, at []string) bool {
		object, _ := v.(map[string]any)
		if id, ok := object["$id"].(string); ok {
			base = resolve(base, id)
		}
		for _, token := range children(v) {
			inner, _ := lookUp(v, []string{token})
			if text, ok := inner.(string); ok && object != nil && isReference(token) && sought(resolve(base, text)) {
				path, ref = pointer(append(at, token)), text
				return true
			}
			if search(inner, base, append(at, token)) {
				return true
			}
		}
		return false
	}
	search(doc, home, nil)
	return path, ref
}

func isReference(keyword string) bool {
	return keyword == "$ref" || keyword == "$dynamicRef" || keyword == "$recursiveRef" || keyword == "$schema"
}

// sameAs compares addresses however they are escaped.
func sameAs(address string) func(string) bool {
	plain := func(s string) string {
		if u, err := url.PathUnescape(s); err == nil {
			return u
		}
		return s
	}
	return func(other string) bool { return plain(other) == plain(address) }
}

func withoutFragment(address string) string {
	before, _, _ := strings.Cut(address, "#")
	return before
}

func resolve(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	r, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	return b.ResolveReference(r).String()
}

// placeOf is the JSON pointer of a location that the library gives as an address.
func placeOf(location string) string {
	_, fragment, _ := strings.Cut(location, "#")
	if plain, err := url.PathUnescape(fragment); err == nil {
		return plain
	}
	return fragment
}
