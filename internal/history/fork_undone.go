package history

import (
	"github.com/fermata-go/fermata/journal"
)

// notUndone refuses a fork that would build on what its run has undone since (law F10).
func (f *fork) notUndone(at uint64, whole []bool) error {
	first, of, undone := at+1, "", uint64(0)
	for i := range f.entries {
		e := &f.entries[i]
		if e.Kind != journal.NodeStarted || len(e.Body) == 0 {
			continue
		}
		var body journal.BeginBody
		if err := read(e, func(b *journal.BeginBody) { body = *b }); err != nil {
			return f.s.ReplayError(f.from, e.Seq, err)
		}
		if body.Undo != "" && e.Base < first {
			first, of, undone = e.Base, body.Undo, e.Seq
		}
	}
	if of == "" {
		return nil
	}
	for first--; first > 1 && !whole[first-1]; first-- { // where it is done again
	}
	return f.invalid("at seq %d, %s is done, and the run has undone it at seq %d; fork at seq %d or before, and it is done again",
		at, of, undone, first)
}
