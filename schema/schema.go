package schema

import "encoding/json"

// Schema is a compiled JSON Schema. It is immutable and safe for concurrent use.
type Schema struct {
	doc json.RawMessage
}

// For derives the schema of values of type T as encoding/json writes them. The result is cached.
func For[T any]() (*Schema, error) { panic("not written yet") }

// Parse compiles a JSON Schema document.
func Parse(doc []byte) (*Schema, error) { panic("not written yet") }

// JSON is the schema's document, compact.
func (s *Schema) JSON() json.RawMessage { return s.doc }

// ID is a digest of the document.
func (s *Schema) ID() string { panic("not written yet") }

// Check checks a JSON value and returns an *Error with every problem.
func (s *Schema) Check(value []byte) error { panic("not written yet") }
