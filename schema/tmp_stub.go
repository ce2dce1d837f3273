package schema

import (
	"encoding/json"

	"github.com/fermata-go/fermata/patch"
)

type Delta struct {
	Patch   patch.Patch
	Refused []Problem
}
type Stream struct {
	s   *Schema
	buf []byte
	ok  bool
}

func (s *Schema) Stream() *Stream { return &Stream{s: s} }
func (st *Stream) Write(c string) (Delta, error) {
	st.buf = append(st.buf, c...)
	if json.Valid(st.buf) && !st.ok {
		st.ok = true
		return Delta{Patch: patch.Patch{{Op: "add", Value: append([]byte(nil), st.buf...)}}}, nil
	}
	return Delta{}, nil
}
func (st *Stream) Close() (Delta, error)            { return Delta{}, nil }
func (st *Stream) JSON() json.RawMessage            { return st.buf }
func (s *Schema) CheckPartial(v []byte) error       { return nil }

