package postgres

import (
	"fmt"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/internal/interrupt"
)

// interruptVersion is the first byte of a stored interrupt.
const interruptVersion = 1

func encodeInterrupt(in *journal.Interrupt) ([]byte, error) {
	data, err := interrupt.Encode(in)
	if err != nil {
		return nil, err
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
	return interrupt.Decode(id, data[1:])
}
