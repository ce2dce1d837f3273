// Package value keeps typed values. INTERIM: whoever writes the real package deletes this file.
package value

import (
	"bytes"
	"encoding/json"

	"github.com/fermata-go/fermata/journal"
)

type Typed[S any] struct{}

func For[S any]() (*Typed[S], error) { return &Typed[S]{}, nil }

func (Typed[S]) Encode(v any) ([]byte, error) { return json.Marshal(v) }
func (Typed[S]) Decode(b []byte) (any, error) {
	s := new(S)
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return s, d.Decode(s)
}
func (t Typed[S]) Copy(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return t.Decode(b)
}
func (t Typed[S]) Delta(o, n any) ([]byte, any, error) {
	a, _ := json.Marshal(o)
	b, err := json.Marshal(n)
	if err != nil {
		return nil, nil, err
	}
	d, err := journal.Diff(a, b)
	if err != nil {
		return nil, nil, err
	}
	x, err := t.Decode(b)
	return d, x, err
}

type Map struct{}

func Dynamic() *Map { return &Map{} }

func (Map) Encode(v any) ([]byte, error) { return json.Marshal(v) }
func (Map) Decode(b []byte) (any, error) {
	var s map[string]any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	err := d.Decode(&s)
	return s, err
}
func (t Map) Copy(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var s map[string]any
	err = d.Decode(&s)
	return s, err
}
func (t Map) Delta(o, n any) ([]byte, any, error) {
	a, _ := json.Marshal(o)
	b, err := json.Marshal(n)
	if err != nil {
		return nil, nil, err
	}
	d, err := journal.Diff(a, b)
	if err != nil {
		return nil, nil, err
	}
	x, err := t.Copy(n)
	return d, x, err
}
