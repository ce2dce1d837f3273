package redis

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis/internal/resp"
)

// Size of a page, the part of a journal that is read at once. Between pages the server owes a reader nothing, so one
// that takes its time is in nobody's way.
const (
	pageFrames = 256
	pageBytes  = 4 << 20
)

// page reads a journal page by page.
type page struct {
	store   *Store
	run     string
	born    string // tells the run from one of the same id that was made later; "" before the first page
	head    uint64 // where the journal ended when the first page was read
	last    uint64 // seq of the last entry read, or that before the first
	started bool   // last was read
	frames  []string
	decoder journal.Decoder
	entries []journal.Entry
}

// Read implements [journal.Store]. The entries are those that were there when the iteration began.
func (s *Store) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		p := page{store: s, run: run, last: after}
		for p.born == "" || p.last < p.head {
			if err := p.fetch(ctx); err != nil {
				yield(journal.Entry{}, s.fail("read", run, p.seq(), err))
				return
			}
			for _, f := range p.frames {
				if p.last >= p.head {
					return
				}
				entries, err := p.decode(f)
				if err != nil {
					yield(journal.Entry{}, s.fail("read", run, p.last+1, err))
					return
				}
				for i := range entries {
					if err := ctx.Err(); err != nil {
						yield(journal.Entry{}, s.fail("read", run, entries[i].Seq, err))
						return
					}
					if !yield(entries[i], nil) {
						return
					}
				}
			}
		}
	}
}

// seq is the seq that is read next, 0 as long as the run has not been found.
func (p *page) seq() uint64 {
	if p.born == "" {
		return 0
	}
	return p.last + 1
}

// fetch reads the next frames.
func (p *page) fetch(ctx context.Context) error {
	keys := []string{p.store.runKey(p.run, ""), p.store.runKey(p.run, frames)}
	var said []string
	_, err := p.store.call(ctx, func() (err error) {
		said, err = resp.Strings(p.store.scripts.read.Run(ctx, p.store.client, keys, decimal(p.last), pageFrames, pageBytes))
		return err
	})
	switch {
	case err != nil:
		return err
	case len(said) == 1 && said[0] == "NONE":
		return journal.ErrNotFound
	case len(said) < 3 || said[0] != "OK":
		return fmt.Errorf("%w: a part of the run is missing", journal.ErrCorrupt)
	}
	head, err := strconv.ParseUint(said[1], 10, 64)
	switch {
	case err != nil || head == 0:
		return fmt.Errorf("%w: the head is %q", journal.ErrCorrupt, said[1])
	case p.born == "":
		p.born, p.head, p.last = said[2], head, min(p.last, head)
	case p.born != said[2]:
		return journal.ErrNotFound // deleted meanwhile, and another run has its id
	}
	if p.frames = said[3:]; len(p.frames) == 0 && p.last < p.head {
		return fmt.Errorf("%w: the entries after seq %d are missing", journal.ErrCorrupt, p.last)
	}
	return nil
}

// decode decodes a frame, which must follow on what was read before.
func (p *page) decode(f string) (entries []journal.Entry, err error) {
	if p.entries, err = p.decoder.Decode(p.entries[:0], []byte(f), p.run); err != nil {
		if at, ok := errors.AsType[*journal.StoreError](err); ok {
			err = at.Err
		}
		return nil, err
	}
	first, last := p.entries[0].Seq, p.entries[len(p.entries)-1].Seq
	if first > p.last+1 || last <= p.last || first <= p.last && p.started || last > p.head {
		return nil, fmt.Errorf("%w: expected seq %d, found seq %d to %d", journal.ErrCorrupt, p.last+1, first, last)
	}
	entries = p.entries[p.last+1-first:]
	p.last, p.started = last, true
	return entries, nil
}

// Checkpoint implements [journal.Store].
func (s *Store) Checkpoint(ctx context.Context, run string) (journal.Checkpoint, error) {
	var found []any
	_, err := s.call(ctx, func() (err error) {
		found, err = resp.List(s.client.Do(ctx, "HMGET", s.runKey(run, ""), "checkSeq", "checkData"))
		return err
	})
	var c journal.Checkpoint
	if err == nil && len(found) == 2 {
		seq, one := found[0].(string)
		data, two := found[1].(string)
		switch {
		case !one && !two:
			return c, nil
		case one && two:
			c.Data = []byte(data)
			if c.Seq, err = strconv.ParseUint(seq, 10, 64); err == nil {
				return c, nil
			}
		}
		err = fmt.Errorf("%w: the checkpoint has the seq %q", journal.ErrCorrupt, seq)
	}
	return journal.Checkpoint{}, s.fail("checkpoint", run, 0, err)
}

// Heads implements [journal.HeadReader].
func (s *Store) Heads(ctx context.Context, runs []string) (map[string]uint64, error) {
	heads := make(map[string]uint64, len(runs))
	for some := range slices.Chunk(runs, listPage) {
		if err := s.heads(ctx, some, heads); err != nil {
			return nil, s.fail("heads", "", 0, err)
		}
	}
	return heads, nil
}

func (s *Store) heads(ctx context.Context, runs []string, heads map[string]uint64) error {
	commands := make([][]any, len(runs))
	for i, run := range runs {
		commands[i] = []any{"HGET", s.runKey(run, ""), "head"}
	}
	var answers []any
	_, err := s.call(ctx, func() (err error) {
		answers, err = resp.FirstError(s.client.Pipeline(ctx, commands...))
		return err
	})
	for i, a := range answers {
		if head, found := a.(string); found && err == nil {
			if heads[runs[i]], err = strconv.ParseUint(head, 10, 64); err != nil {
				err = fmt.Errorf("%w: the head of run %s is %q", journal.ErrCorrupt, runs[i], head)
			}
		}
	}
	return err
}

// listPage is how many members of an index are looked at together.
const listPage = 256

// walk calls visit with pages of the members that begin with a prefix, from the lowest or from the highest, until it
// says that it has enough.
func (s *Store) walk(ctx context.Context, key, prefix string, backward bool, visit func(members []string) (enough bool, err error)) error {
	// No member has 0xff behind a prefix: a digit of a place follows.
	return s.walkFrom(ctx, key, "["+prefix, "("+prefix+"\xff", backward, visit)
}

// walkFrom is walk of the members between two bounds, as the server writes them.
func (s *Store) walkFrom(ctx context.Context, key, low, high string, backward bool, visit func(members []string) (enough bool, err error)) error {
	for {
		var members []string
		_, err := s.call(ctx, func() (err error) {
			command := []any{"ZRANGE", key, low, high, "BYLEX", "LIMIT", 0, listPage}
			if backward {
				command = []any{"ZRANGE", key, high, low, "BYLEX", "REV", "LIMIT", 0, listPage}
			}
			members, err = resp.Strings(s.client.Do(ctx, command...))
			return err
		})
		if err != nil || len(members) == 0 {
			return err
		}
		if enough, err := visit(members); err != nil || enough || len(members) < listPage {
			return err
		}
		if backward {
			high = "(" + members[len(members)-1]
		} else {
			low = "(" + members[len(members)-1]
		}
	}
}

// gone is why something that an index names was not found: it was deleted meanwhile, nil, or is lost.
func (s *Store) gone(ctx context.Context, key, member string) error {
	var there bool
	_, err := s.call(ctx, func() (err error) {
		_, there, err = resp.Text(s.client.Do(ctx, "ZSCORE", key, member))
		return err
	})
	if there {
		return fmt.Errorf("%w: what %s names as %q is missing", journal.ErrCorrupt, key, member)
	}
	return err
}
