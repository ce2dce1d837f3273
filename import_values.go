package fermata

import (
	"errors"
	"fmt"
	"maps"

	"github.com/fermata-go/fermata/journal"
)

// unfolding makes the values of an imported run, one after the other, in a bounded space (law J6). A value is kept for as
// long as a later entry has a delta of it, and is changed in place by the last one.
type unfolding struct {
	last  []uint64 // by the index of an entry: the last entry that has a delta of its value, 0 for none
	docs  map[uint64]*journal.Document
	most  int64 // what the values may take beside their texts
	left  int64
	since int64 // what was left when the space was measured last
}

// unfolding makes ready to unfold all values.
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

// unfold checks that what deltas change is there, and that it can be changed so.
func (in *importer) unfold() error {
	u := in.unfolding()
	for i := range in.entries {
		if err := u.next(&in.entries[i]); err != nil {
			in.line, in.wrong = i+2, uint64(i)+1 // behind the header
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

// apply counts what deltas take, and not what is given back: where that becomes much, it measures what is still there.
func (u *unfolding) apply(doc *journal.Document, delta []byte) error {
	if u.since-u.left > u.most/4 && u.left < u.most/2 {
		u.docs[0] = doc
		u.left = u.most - journal.Footprint(maps.Values(u.docs))
		delete(u.docs, 0)
		u.since = u.left
	}
	return doc.ApplyWithin(delta, &u.left)
}
