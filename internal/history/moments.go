package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

// Moment is one entry of a run's history with its whole values. Traces are made of moments.
type Moment struct {
	Entry journal.Entry   // the entry
	Input json.RawMessage // NodeStarted: the task's input, merged if branches meet
	Value json.RawMessage // entries that record a state: the state
}

// History yields a run's entries up to now, each with its values as whole JSON. It reads the journal twice. It
// keeps a value only as long as a later entry refers to it.
func (h *History) History(ctx context.Context, id string) iter.Seq2[Moment, error] {
	return func(yield func(Moment, error) bool) {
		last, head, err := h.lastUses(ctx, id)
		if err != nil {
			yield(Moment{}, h.StoreError(id, err))
			return
		}
		docs := make(map[uint64]*journal.Document)
		for e, err := range h.Store.Read(ctx, id, 0) {
			if err != nil {
				yield(Moment{}, h.StoreError(id, err))
				return
			}
			if e.Seq > head {
				return
			}
			m := Moment{Entry: e}
			if err := m.fill(docs); err != nil {
				yield(Moment{}, h.ReplayError(id, e.Seq, err))
				return
			}
			if last != nil {
				for _, seq := range [...]uint64{e.Seq, e.Base} {
					if last[seq] <= e.Seq {
						delete(docs, seq)
					}
				}
			}
			if !yield(m, nil) {
				return
			}
		}
	}
}

// lastUses returns the last entry that refers to each value, and the head of the journal. A damaged journal
// counts up to the damage.
func (h *History) lastUses(ctx context.Context, id string) (last map[uint64]uint64, head uint64, err error) {
	last = make(map[uint64]uint64)
	for e, err := range h.Store.Read(ctx, id, 0) {
		switch {
		case errors.Is(err, journal.ErrCorrupt), errors.Is(err, journal.ErrNewer):
			return nil, math.MaxUint64, nil
		case err != nil:
			return nil, 0, err
		}
		if head = e.Seq; e.Base != 0 && e.Base < e.Seq {
			last[e.Base] = e.Seq
		}
	}
	return last, head, nil
}

func (m *Moment) fill(docs map[uint64]*journal.Document) error {
	e := &m.Entry
	if e.Kind == journal.NodeStarted && !e.HasValue() {
		if doc := docs[e.Base]; doc != nil {
			m.Input = doc.JSON()
		}
		return nil
	}
	if err := m.fillValue(docs); err != nil || e.Kind != journal.NodeStarted {
		return err
	}
	m.Input = m.Value // the merged branches
	return nil
}

func (m *Moment) fillValue(docs map[uint64]*journal.Document) error {
	e := &m.Entry
	if !e.HasValue() || !e.Kind.CarriesState() {
		return nil
	}
	if e.Flags&journal.FlagBase == 0 {
		doc, err := journal.ParseDocument(e.Value)
		if err != nil {
			return storage.Damaged(e.Seq, err)
		}
		docs[e.Seq], m.Value = doc, e.Value
		return nil
	}
	base := docs[e.Base]
	if base == nil {
		return fmt.Errorf("%w: there is no value at seq %d", journal.ErrCorrupt, e.Base)
	}
	doc := base.Clone()
	if len(e.Value) > 0 {
		if err := doc.Apply(e.Value); err != nil {
			return storage.Damaged(e.Seq, err)
		}
	}
	docs[e.Seq], m.Value = doc, doc.JSON()
	return nil
}
