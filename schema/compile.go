package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bounds of what is taken for a schema. Compiling takes time quadratic in the number of subschemas.
const (
	maxDocument = 1 << 20 // bytes
	maxDepth    = 200     // of nested values
)

// home is the address that documents are compiled under, so that a relative reference has something to be relative
// to. Nothing is there.
const home = "schema:///document"

var errNeverLoaded = errors.New("other documents are never loaded")

// noLoader refuses every address.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errNeverLoaded }

// compile makes a schema of a document. Its errors are *Error with paths in the document.
func compile(text []byte, derived bool) (s *Schema, err error) {
	doc, err := readDocument(text)
	if err != nil {
		return nil, err
	}
	compiled, err := build(doc, derived)
	if err != nil {
		return nil, refusal(err, doc)
	}
	if loop := selfReference(compiled); loop != nil {
		return nil, one(placeOf(loop.Location), "the schema refers to itself without end: "+
			"a reference back must be below a property or an item")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, one("", "%v", err)
	}
	s = &Schema{doc: compact.Bytes(), id: digest(doc), named: identityIn(doc), compiled: compiled}
	s.places = sync.OnceValue(func() map[string]*jsonschema.Schema { return placesOf(compiled) })
	s.strict = sync.OnceValue(func() *jsonschema.Schema {
		if derived {
			return compiled
		}
		doc, _ := parse(s.doc) // again: what was parsed is not kept
		strict, err := build(doc, true)
		if err != nil { // cannot be: what it asks for beyond is no matter of the document's form
			return compiled
		}
		return strict
	})
	s.quick = newShape(compiled)
	s.outline = sync.OnceValue(func() *outline { return newOutline(compiled) })
	return s, nil
}

// readDocument parses a text that is of a size to be a schema.
func readDocument(text []byte) (any, error) {
	if len(text) > maxDocument {
		return nil, one("", "expected at most %d bytes, found %d", maxDocument, len(text))
	}
	doc, problem := parse(text)
	if problem != nil {
		return nil, &Error{[]Problem{*problem}}
	}
	if path, deep := tooDeep(doc, maxDepth); deep {
		return nil, one(path, "expected at most %d levels of nesting, found more", maxDepth)
	}
	return doc, nil
}

func one(path, format string, args ...any) *Error {
	return &Error{[]Problem{{path, fmt.Sprintf(format, args...)}}}
}

// build compiles a document with the library. It guards against panics, because documents come from anywhere and the
// library's code is not ours. A strict schema allows only texts that Go reads (see Normalize).
func build(doc any, strict bool) (s *jsonschema.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the schema compiler failed: %v", r)
		}
	}()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if strict {
		c.AssertContent() // base64 in a []byte
		c.RegisterFormat(goTime)
	}
	c.UseLoader(noLoader{})
	if err := c.AddResource(home, doc); err != nil {
		return nil, err
	}
	s, err = c.Compile(home)
	if err != nil {
		return nil, err
	}
	for _, at := range placesOf(s) {
		ownNames(at)
	}
	return s, nil
}

// parse decodes JSON, keeping numbers as they are written, and refuses numbers whose exact value would take more
// memory than the text.
func parse(text []byte) (any, *Problem) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			if path, n, ok := hugeNumber(v, nil); ok {
				return nil, &Problem{path, "expected a number of ordinary size, found " + shorten(n)}
			}
			return v, nil
		}
		if err == nil {
			err = errors.New("more behind the value")
		}
	}
	return nil, &Problem{Message: "expected JSON: " + notJSON(text, err, d.InputOffset())}
}

// notJSON tells where a text stops being JSON.
func notJSON(text []byte, err error, offset int64) string {
	if len(bytes.TrimSpace(text)) == 0 {
		return "found nothing"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "the text ends in the middle"
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset - 1
	}
	before := text[:min(max(offset, 0), int64(len(text)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("line %d, column %d: %v", line, column, err)
}

// hugeNumber finds a number that has no place in a program and would be written out in full to be compared.
func hugeNumber(v any, path []string) (where, number string, found bool) {
	if n, ok := v.(json.Number); ok {
		return pointer(path), n.String(), huge(n.String())
	}
	for _, token := range children(v) {
		inner, _ := lookUp(v, []string{token})
		if where, number, found = hugeNumber(inner, append(path, token)); found {
			return where, number, true
		}
	}
	return "", "", false
}

func huge(number string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	if len(mantissa) > 400 {
		return true
	}
	if exponent == "" {
		return false
	}
	n, err := strconv.Atoi(exponent)
	return err != nil || n > 400 || n < -400
}

// tooDeep finds a place below the given number of levels.
func tooDeep(v any, levels int) (path string, deep bool) {
	if levels == 0 {
		return "", true
	}
	for _, token := range children(v) {
		inner, _ := lookUp(v, []string{token})
		if path, deep = tooDeep(inner, levels-1); deep {
			return pointer([]string{token}) + path, true
		}
	}
	return "", false
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
