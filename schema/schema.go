package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fermata-go/fermata/internal/canonical"
)

// Schema is a compiled JSON Schema. It is immutable and safe for concurrent use.
type Schema struct {
	doc      json.RawMessage
	id       string
	named    Identity // the parts that were set
	compiled *jsonschema.Schema
	strict   func() *jsonschema.Schema // allows what Normalize does; compiled itself where that is as strict
	quick    *shape                    // accepts most good values at once; nil when the schema is not of the simple kind
	typ      reflect.Type              // what the schema was derived from, or nil
	trial    bool                      // a value must be tried on typ even where quick accepts it
	places   func() map[string]*jsonschema.Schema
	outline  func() *outline // for values that are still arriving
}

// derived holds the schemas of types: a type never changes, so its schema is made once in a program.
var derived sync.Map // reflect.Type -> *Schema

// For derives the schema of values of type T as encoding/json writes them. The result is cached.
//
// Members come from json tags, embedded structs are flattened, and no other members are allowed. A member is required
// unless its tag says omitempty or omitzero or it is reached through an embedded pointer. Null is allowed for a
// pointer, and for a slice or map where encoding/json writes a nil one. A description comes from a tag
// `jsonschema:"…"`. Integers are bounded by their type. Types that contain themselves become definitions. The values of
// a string, an integer or a number, or those of the items of a slice, may be listed in a tag `enum:"low,medium,high"`,
// and those of a type in a method with a value receiver, func (Level) SchemaEnum() []Level. A type with
// MarshalJSON may hold anything, one with MarshalText any string, unless it is known better (time.Time, json.Number,
// big.Int); interfaces and json.RawMessage hold anything.
//
// A type that has no JSON form is an error that names its Go path: "Ticket.Done: a channel has no JSON form". So is an
// enum that is empty, that lists a value twice, or one that the type cannot hold.
func For[T any]() (*Schema, error) { return Of(reflect.TypeFor[T]()) }

// Of is For with a type that is known only at run time.
func Of(t reflect.Type) (*Schema, error) {
	if t == nil {
		return nil, errors.New("schema: expected a type, found nil")
	}
	if s, ok := derived.Load(t); ok {
		return s.(*Schema), nil
	}
	doc, trial, err := derive(t)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	s, err := compile(doc, true)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	s.typ, s.trial = t, trial
	if s.named, err = identityOf(t); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	kept, _ := derived.LoadOrStore(t, s)
	return kept.(*Schema), nil
}

// Parse compiles a JSON Schema document: draft 2020-12, unless its $schema names an older draft. Formats are checked,
// not only noted. A document that is no schema gives an *Error whose paths lead into the document. References reach
// only into the document itself (and the published meta-schemas): nothing is ever loaded.
func Parse(doc []byte) (*Schema, error) {
	s, err := compile(doc, false)
	if err != nil {
		return nil, fmt.Errorf("invalid schema: %w", err)
	}
	return s, nil
}

// JSON is the schema's document, compact. It is shared: do not change it.
func (s *Schema) JSON() json.RawMessage { return s.doc }

// ID is a digest of the document, "sha256:" and 32 hexadecimal digits. Documents that differ only in space and in the
// order of members have the same.
func (s *Schema) ID() string { return s.id }

// Check checks a JSON value and returns an *Error with every problem.
func (s *Schema) Check(value []byte) error {
	if s.quick != nil && s.quick.accepts(value) {
		if s.trial {
			return s.try(value)
		}
		return nil
	}
	return s.explain(value)
}

// Decode checks a JSON value and decodes it into what into points to. Numbers in an interface become json.Number, so
// that none is rounded. Errors are *Error.
func (s *Schema) Decode(value []byte, into any) error {
	if err := s.Check(value); err != nil {
		return err
	}
	return decode(value, into)
}

// try decodes the value into a new value of the type that the schema was derived from.
func (s *Schema) try(value []byte) error {
	return decode(value, reflect.New(s.typ).Interface())
}

func decode(value []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	err := d.Decode(into)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			canonical.Read(into)
			return nil
		}
		err = errors.New("expected one JSON value, found more behind it")
	}
	p := Problem{Message: err.Error()}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field != "" {
			p.Path = pointer(strings.Split(wrong.Field, "."))
		}
		p.Message = fmt.Sprintf("expected what fits Go's %s, found %s", wrong.Type, wrong.Value)
	}
	return &Error{Problems: []Problem{p}}
}

// digest is the same for all spellings of a document that differ only in space and the order of members.
func digest(doc any) string {
	canonical, err := json.Marshal(doc)
	if err != nil {
		panic(fmt.Sprintf("schema: a decoded document does not encode: %v", err)) // cannot be: it came from JSON
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:16])
}
