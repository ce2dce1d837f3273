package crypt

import (
	"bytes"
	"encoding/binary"

	"github.com/fermata-go/fermata/journal"
)

// A sealed entry has its Op, To, Value and Body in one frame, which is its Value. All else is clear, and part of the place.
func entryPlace(run string, e *journal.Entry) place {
	p := append(make(place, 0, 64+len(run)+len(e.Node)), ofEntry).text(run, e.Node)
	return p.number(e.Seq, uint64(e.At), uint64(e.Kind), uint64(e.Flags), uint64(e.Attempt), uint64(e.Visit), e.Base)
}

// sealEntry returns the entry as the store gets it.
func (r *ring) sealEntry(run string, e *journal.Entry) (journal.Entry, error) {
	plain := make([]byte, 0, len(e.Op)+len(e.To)+len(e.Value)+len(e.Body)+3*binary.MaxVarintLen32)
	plain = place(plain).text(e.Op, e.To)
	plain = append(binary.AppendUvarint(plain, uint64(len(e.Value))), e.Value...)
	plain = append(plain, e.Body...)
	frame, err := r.seal(run, entryPlace(run, e), plain)
	sealed := *e
	sealed.Op, sealed.To, sealed.Value, sealed.Body = "", "", frame, nil
	return sealed, err
}

// openEntry opens an entry of the store.
func (r *ring) openEntry(run string, e *journal.Entry) error {
	if r.keys.AcceptClear && !isFrame(e.Value) {
		return nil
	}
	plain, err := r.open(run, entryPlace(run, e), e.Value)
	if err != nil {
		return err
	}
	if e.Op != "" || e.To != "" || len(e.Body) > 0 {
		return corrupt("a sealed entry with clear fields")
	}
	var parts [3][]byte
	for i := range parts {
		n, size := binary.Uvarint(plain)
		if size <= 0 || n > uint64(len(plain)-size) {
			return corrupt("a sealed entry ends too early")
		}
		plain = plain[size:]
		parts[i], plain = plain[:n:n], plain[n:]
	}
	e.Op, e.To, e.Value, e.Body = string(parts[0]), string(parts[1]), none(parts[2]), none(plain)
	return nil
}

// none is b, and nil where it is empty, as stores return it.
func none(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

// A sealed checkpoint is the prefix of sealed texts and a frame: what checkpoints of other kinds begin with is not known.
func checkpointPlace(run string, seq uint64) place {
	return place{ofCheckpoint}.text(run).number(seq)
}

func (r *ring) sealCheckpoint(run string, c *journal.Checkpoint) (*journal.Checkpoint, error) {
	frame, err := r.seal(run, checkpointPlace(run, c.Seq), c.Data)
	return &journal.Checkpoint{Seq: c.Seq, Data: append([]byte(textPrefix), frame...)}, err
}

func (r *ring) openCheckpoint(run string, c *journal.Checkpoint) (err error) {
	frame, sealed := bytes.CutPrefix(c.Data, []byte(textPrefix))
	switch {
	case c.Seq == 0, !sealed && r.keys.AcceptClear:
		return nil
	case !sealed:
		return errClear
	}
	c.Data, err = r.open(run, checkpointPlace(run, c.Seq), frame)
	return err
}
