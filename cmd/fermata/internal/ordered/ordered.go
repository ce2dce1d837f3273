// Package ordered reads JSON and keeps the order of its members. People want to see the fields of a form, or the
// results of an agent, in the order in which they were written.
package ordered

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fermata-go/fermata/internal/jsontext"
)

// Value is a JSON value: one of [Object], [Array], string, json.Number, bool and nil.
type Value = any

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

// Object is a JSON object in the order in which it was written. Where a name comes twice the last value counts, in
// the first one's place.
type Object []Member

// Array is a JSON array.
type Array []Value

// Get finds a member's value, nil where there is none.
func (o Object) Get(name string) Value {
	if i := o.find(name); i >= 0 {
		return o[i].Value
	}
	return nil
}

//go:noinline // called in many places, for the weight of the command (ADR 060)
func (o Object) find(name string) int {
	return slices.IndexFunc(o, func(m Member) bool { return m.Name == name })
}

// Has reports whether the object has the member.
func (o Object) Has(name string) bool { return o.find(name) >= 0 }

// Set changes a member's value, or appends it.
func (o Object) Set(name string, value Value) Object {
	if i := o.find(name); i >= 0 {
		o[i].Value = value
		return o
	}
	return append(o, Member{Name: name, Value: value})
}

// MarshalJSON writes the object in its order.
func (o Object) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			text = append(text, ',')
		}
		name, err := jsontext.Encode(m.Name)
		if err != nil {
			return nil, err
		}
		value, err := jsontext.Encode(m.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		text = append(append(append(text, name...), ':'), value...)
	}
	return append(text, '}'), nil
}

// Encode writes a value as compact JSON.
func Encode(v Value) ([]byte, error) { return jsontext.Encode(v) }

// maxDepth bounds how deep values nest, as encoding/json does.
const maxDepth = 10000

// Decode reads one JSON value. Anything after it is an error.
func Decode(data []byte) (Value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decode(d, 0)
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("expected one JSON value, found more after offset %d", d.InputOffset())
	}
	return v, nil
}

func decode(d *json.Decoder, depth int) (Value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("the JSON nests deeper than %d", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return decodeObject(d, depth)
	case json.Delim('['):
		array := Array{}
		for d.More() {
			item, err := decode(d, depth+1)
			if err != nil {
				return nil, err
			}
			array = append(array, item)
		}
		_, err = d.Token()
		return array, err
	}
	return token, nil
}

func decodeObject(d *json.Decoder, depth int) (Value, error) {
	object := Object{}
	seen := map[string]int{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := token.(string)
		if !ok {
			return nil, fmt.Errorf("expected the name of a member, found %v", token)
		}
		value, err := decode(d, depth+1)
		if err != nil {
			return nil, err
		}
		if at, twice := seen[name]; twice {
			object[at].Value = value
			continue
		}
		seen[name] = len(object)
		object = append(object, Member{Name: name, Value: value})
	}
	_, err := d.Token()
	return object, err
}
