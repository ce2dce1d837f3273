package history

import (
	"errors"
	"fmt"
	"maps"

	"github.com/fermata-go/fermata/journal"
)

// unfolding rebuilds the values of an imported run in bounded memory (law J6). A value is kept while later
// entries have deltas of it; the last delta changes it in place.
type unfolding struct {
	last  []uint64                     // by index of an entry: the last entry with a delta of its value, 0 for none
	docs  map[uint64]*journal.Document // by seq
	most  int64                        // limit of memory beside the texts, in bytes
	left  int64                        // of most, in bytes
	since int64                        // left at the last measurement
}

// unfolding returns an unfolding of all values.
func (in *importer) unfolding() *unfolding {
	u := unfolding{
		last: make([]uint64, len(in.entries)), docs: make(map[uint64]*journal.Document), most: in.most, left: in.most, since: in.most,
	}
	for i := range in.entries {
		if e := &in.entries[i]; e.Flags&journal.FlagBase != 0 && e.Base >= 1 && e.Base < e.Seq {
			u.last[e.Base-1] = e.Seq
		}
	}
	return &u
}

// unfold checks that every delta has a base and applies to it.
func (in *importer) unfold() error {
	u := in.unfolding()
	for i := range in.entries {
		if err := u.next(&in.entries[i]); err != nil {
			in.line, in.wrong = i+2, uint64(i)+1 // after the header
			if errors.Is(err, journal.ErrTooLarge) {
				return fmt.Errorf("%w: more than %d bytes; set ImportOptions.MaxBytes to take in more", err, in.most)
			}
			return corruptf("%w", err)
		}
	}
	return nil
}

func (u *unfolding) next(e *journal.Entry) error {
	if !e.HasValue() || !e.Kind.CarriesState() {
		return nil
	}
	if e.Flags&journal.FlagBase == 0 {
		doc, err := journal.ParseDocument(e.Value)
		if err != nil {
			return fmt.Errorf("its value: %w", err)
		}
		u.keep(e.Seq, doc)
		return nil
	}
	doc := u.docs[e.Base]
	if doc == nil {
		return fmt.Errorf("%s has a delta of the value of entry %d, and there is no value before it there", e.Kind, e.Base)
	}
	if u.last[e.Base-1] == e.Seq {
		delete(u.docs, e.Base)
	} else {
		doc = doc.Clone()
	}
	if len(e.Value) > 0 {
		if err := u.apply(doc, e.Value); err != nil {
			return fmt.Errorf("its delta of the value of entry %d: %w", e.Base, err)
		}
	}
	u.keep(e.Seq, doc)
	return nil
}

func (u *unfolding) keep(seq uint64, doc *journal.Document) {
	if u.last[seq-1] != 0 {
		u.docs[seq] = doc
	}
}

// apply applies a delta and counts its memory. Freed memory is not counted until a new measurement, after much
// use.
func (u *unfolding) apply(doc *journal.Document, delta []byte) error {
	if u.since-u.left > u.most/4 && u.left < u.most/2 {
		u.docs[0] = doc
		u.left = u.most - journal.Footprint(maps.Values(u.docs))
		delete(u.docs, 0)
		u.since = u.left
	}
	return doc.ApplyWithin(delta, &u.left)
}
