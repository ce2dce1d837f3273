package memory

import (
	"slices"
	"sync"

	"github.com/fermata-go/fermata/journal"
)

// Sizes of what a run grows by: small at first, because most runs are short.
const (
	firstChunk = 12
	lastChunk  = 512
	firstArena = 256
	lastArena  = 16 << 10
)

// run is one journal. Entries below n never change, so a reader needs the lock only to learn where the end is.
type run struct {
	mu     sync.Mutex         // of all but index
	gone   bool               // deleted, or never created
	n      uint64             // how many entries there are
	chunks [][]journal.Entry  // whole chunks; those from n on are still to be written
	first  [1][]journal.Entry // the memory of chunks until there are several
	free   int                // entries left in the last chunk
	arena  []byte             // values are copied into its spare capacity
	check  journal.Checkpoint // the last one; Seq 0 for none

	index projections // under Store.mu
}

// append copies the entries to the end of the journal.
func (r *run) append(entries []journal.Entry) {
	for len(entries) > 0 {
		if r.free == 0 {
			size := firstChunk
			if k := len(r.chunks); k > 0 {
				size = min(2*len(r.chunks[k-1]), lastChunk)
			}
			if r.chunks == nil {
				r.chunks = r.first[:0]
			}
			r.chunks, r.free = append(r.chunks, make([]journal.Entry, size)), size
		}
		last := r.chunks[len(r.chunks)-1]
		to := last[len(last)-r.free:]
		done := copy(to, entries)
		for i := range to[:done] {
			to[i].Value = r.keep(to[i].Value)
			to[i].Body = r.keep(to[i].Body)
		}
		r.free -= done
		r.n += uint64(done)
		entries = entries[done:]
	}
}

// keep copies b into the run's own memory.
func (r *run) keep(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	if cap(r.arena)-len(r.arena) < len(b) {
		if len(b) >= lastArena/4 {
			return slices.Clone(b)
		}
		r.arena = make([]byte, 0, max(min(2*cap(r.arena), lastArena), firstArena, 2*len(b)))
	}
	from := len(r.arena)
	r.arena = append(r.arena, b...)
	return r.arena[from:len(r.arena):len(r.arena)]
}

// snapshot is the journal as it is now: the first n entries of chunks.
func (r *run) snapshot() (chunks [][]journal.Entry, n uint64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.chunks, r.n, !r.gone && r.n > 0
}
