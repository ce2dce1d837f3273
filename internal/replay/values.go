package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/journal"
)

// Values are recorded values, by the seqs of their entries. The zero value holds none.
type Values struct {
	links map[uint64]link // by the seq of the entry that has the value
}

// link is one recorded value in its chain of deltas.
type link struct {
	base  uint64 // the entry with the value that it is a delta of
	delta bool   // data is one
	data  []byte // the delta, or the whole value as JSON
}

// Note keeps an entry's value.
func (v *Values) Note(e *journal.Entry) {
	if !e.HasValue() || !e.Kind.CarriesState() {
		return
	}
	v.put(e.Seq, link{base: e.Base, delta: e.Flags&journal.FlagBase != 0, data: e.Value})
}

func (v *Values) put(seq uint64, l link) {
	if v.links == nil {
		v.links = make(map[uint64]link)
	}
	v.links[seq] = l
}

// Clear forgets all values.
func (v *Values) Clear() { v.links = nil }

var (
	errNotJSON   = errors.New("the value is not valid JSON")
	errNoValue   = errors.New("there is no value at this entry")
	errLaterBase = errors.New("the value is a delta of a later one")
)

// damaged says that the value of an entry cannot be read (law J6).
func damaged(seq uint64, err error) error {
	return &journal.StoreError{Op: "replay", Seq: seq, Err: fmt.Errorf("%w: %w", journal.ErrCorrupt, err)}
}

// Whole is a recorded value as JSON.
func (v *Values) Whole(ref uint64) ([]byte, error) {
	var seqs []uint64
	at := ref
	for ; ; at = v.links[at].base {
		l, ok := v.links[at]
		switch {
		case !ok:
			return nil, damaged(at, errNoValue)
		case l.delta && l.base >= at:
			return nil, damaged(at, errLaterBase)
		}
		if !l.delta {
			break
		}
		seqs = append(seqs, at)
	}
	whole := v.links[at].data
	if len(seqs) == 0 {
		if !json.Valid(whole) {
			return nil, damaged(at, errNotJSON)
		}
		return whole, nil
	}
	doc, err := journal.ParseDocument(whole)
	if err != nil {
		return nil, damaged(at, err)
	}
	for _, seq := range slices.Backward(seqs) {
		delta := v.links[seq].data
		if len(delta) == 0 {
			continue
		}
		if err := doc.Apply(delta); err != nil {
			return nil, damaged(seq, err)
		}
	}
	return doc.JSON(), nil
}
