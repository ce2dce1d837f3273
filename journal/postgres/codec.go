package postgres

import (
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/journal"
)

// interruptVersion is the first byte of a stored interrupt.
const interruptVersion = 1

// stored is an interrupt as JSON, with what is JSON itself as bytes: it comes back as it was, whatever it is.
type stored struct {
	journal.Interrupt
	Request        []byte `json:"input,omitempty"`
	RequestSchema  []byte `json:"requestSchema,omitempty"`
	ResponseSchema []byte `json:"responseSchema,omitempty"`
	Answer         []byte `json:"answer,omitempty"`
}

func encodeInterrupt(in *journal.Interrupt) ([]byte, error) {
	data, err := json.Marshal(stored{*in, in.Request, in.RequestSchema, in.ResponseSchema, in.Answer})
	if err != nil {
		return nil, fmt.Errorf("interrupt %s: %w", in.ID, err)
	}
	return append([]byte{interruptVersion}, data...), nil
}

// decodeInterrupt reads what encodeInterrupt wrote for the interrupt of that id.
func decodeInterrupt(id string, data []byte) (journal.Interrupt, error) {
	switch {
	case len(data) == 0:
		return journal.Interrupt{}, fmt.Errorf("%w: interrupt %s is empty", journal.ErrCorrupt, id)
	case data[0] > interruptVersion:
		return journal.Interrupt{}, fmt.Errorf("%w: interrupt %s has format %d, this version reads up to %d", journal.ErrNewer, id, data[0], interruptVersion)
	case data[0] == 0:
		return journal.Interrupt{}, fmt.Errorf("%w: interrupt %s has format 0, which does not exist", journal.ErrCorrupt, id)
	}
	var s stored
	if err := json.Unmarshal(data[1:], &s); err != nil {
		return journal.Interrupt{}, fmt.Errorf("%w: interrupt %s: %w", journal.ErrCorrupt, id, err)
	}
	if s.ID != id {
		return journal.Interrupt{}, fmt.Errorf("%w: interrupt %s says that it is %q", journal.ErrCorrupt, id, s.ID)
	}
	in := s.Interrupt
	in.Request, in.RequestSchema, in.ResponseSchema, in.Answer = s.Request, s.RequestSchema, s.ResponseSchema, s.Answer
	return in, nil
}
