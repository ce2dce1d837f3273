package interrupt

import (
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/journal"
)

// stored is an interrupt as JSON, with what is JSON itself as bytes: a json.RawMessage would lose its white space, and
// could not be what is no JSON.
type stored struct {
	journal.Interrupt
	Request        []byte `json:"input,omitempty"`
	RequestSchema  []byte `json:"requestSchema,omitempty"`
	ResponseSchema []byte `json:"responseSchema,omitempty"`
	Answer         []byte `json:"answer,omitempty"`
}

// Encode is the stored form of an interrupt (law J9: every version reads it).
func Encode(in *journal.Interrupt) ([]byte, error) {
	data, err := json.Marshal(stored{*in, in.Request, in.RequestSchema, in.ResponseSchema, in.Answer})
	if err != nil {
		return nil, fmt.Errorf("interrupt %s: %w", in.ID, err)
	}
	return data, nil
}

// Decode reads what Encode wrote for the interrupt of that id. Other data, and another
// interrupt, is journal.ErrCorrupt.
func Decode(id string, data []byte) (journal.Interrupt, error) {
	var s stored
	if err := json.Unmarshal(data, &s); err != nil {
		return journal.Interrupt{}, fmt.Errorf("%w: interrupt %s: %w", journal.ErrCorrupt, id, err)
	}
	if s.ID != id {
		return journal.Interrupt{}, fmt.Errorf("%w: interrupt %s says that it is %q", journal.ErrCorrupt, id, s.ID)
	}
	in := s.Interrupt
	in.Request, in.RequestSchema, in.ResponseSchema, in.Answer = s.Request, s.RequestSchema, s.ResponseSchema, s.Answer
	return in, nil
}
