package question

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/schema"
)

// Schemas compiles schemas of questions and inputs, and caches them.
type Schemas struct {
	mu    sync.Mutex                // guards known
	known map[string]*schema.Schema // by document
}

// mostSchemas is the size of the cache. A full cache is emptied.
const mostSchemas = 1024

// Schema compiles a schema document, or returns it from the cache.
func (s *Schemas) Schema(doc []byte) (*schema.Schema, error) {
	s.mu.Lock()
	known := s.known[string(doc)]
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	made, err := schema.Parse(doc)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= mostSchemas {
		s.known = make(map[string]*schema.Schema)
	}
	s.known[string(doc)] = made
	return made, nil
}

// Taken checks an answer against its question's schema and returns its stored form. JSON Schema allows texts
// that the node could not read (law H2).
func (s *Schemas) Taken(doc, answer []byte) (json.RawMessage, error) {
	if len(doc) == 0 {
		doc = []byte("{}")
	}
	compiled, err := s.Schema(doc)
	if err != nil {
		return nil, err
	}
	return compiled.Normalize(answer)
}

// CheckRecorded checks an answer from a journal, which older programs stored as it was given.
func (s *Schemas) CheckRecorded(q *journal.Interrupt, answer []byte) error {
	if len(q.ResponseSchema) == 0 {
		return nil
	}
	compiled, err := s.Schema(q.ResponseSchema)
	if err != nil {
		return err
	}
	return compiled.Check(answer)
}

// SameJSON reports whether two JSON texts hold the same value: 1 and 1.0 are the same.
func SameJSON(a, b []byte) bool {
	x, errX := Exact(a)
	y, errY := Exact(b)
	return errX == nil && errY == nil && sameValue(x, y)
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && canonical.SameNumber(a.String(), b.String())
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameValue)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, sameValue)
	}
	return a == b // strings, booleans and null
}

// Exact decodes JSON and keeps the spelling of numbers.
func Exact(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
