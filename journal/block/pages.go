package block

import (
	"fmt"

	"github.com/fermata-go/fermata/journal"
)

// Pages reads the journal of one run page by page; between pages it holds nothing of the store. The zero value, with the
// run and where to begin, is ready. It is not safe for concurrent use.
type Pages struct {
	// Run is whose journal it is.
	Run string
	// Last is the seq of the last entry that was read, or that before the first.
	Last uint64
	// Head is where the journal ended when it was first looked at: the entries behind it are not read.
	Head uint64
	// Found says that Head is known.
	Found bool
	// Frames are the frames and blocks of the page that was fetched last: what comes behind Last, which may begin in the
	// middle of a block.
	Frames [][]byte

	started bool // Last was read
	reader  Reader
	entries []journal.Entry
}

// Yield yields the entries of the fetched page, up to Head. It reports whether there are more to fetch. An error is
// [journal.ErrCorrupt] or [journal.ErrNewer] of what was fetched; Seq then says where.
func (p *Pages) Yield(yield func(journal.Entry, error) bool) (more bool, err error) {
	for _, f := range p.Frames {
		if p.Last >= p.Head {
			return false, nil
		}
		entries, err := p.decode(f)
		if err != nil {
			return false, err
		}
		for i := range entries {
			if !yield(entries[i], nil) {
				return false, nil
			}
		}
	}
	return p.Last < p.Head, nil
}

// Seq is the seq that is read next, 0 as long as the run has not been found.
func (p *Pages) Seq() uint64 {
	if !p.Found {
		return 0
	}
	return p.Last + 1
}

// decode decodes a frame or a block, which must follow on what was read before. Of a block it may be a later part: of
// one that was packed meanwhile, or that ends behind the head.
func (p *Pages) decode(f []byte) (entries []journal.Entry, err error) {
	if p.entries, err = p.reader.Decode(p.entries[:0], f, p.Run); err != nil {
		return nil, cause(err)
	}
	first, last := p.entries[0].Seq, p.entries[len(p.entries)-1].Seq
	if first > p.Last+1 || last <= p.Last || first <= p.Last && p.started && !Is(f) {
		return nil, fmt.Errorf("%w: expected seq %d, found seq %d", journal.ErrCorrupt, p.Last+1, first)
	}
	entries = p.entries[p.Last+1-first : min(last, p.Head)+1-first]
	p.Last, p.started = last, true
	return entries, nil
}
