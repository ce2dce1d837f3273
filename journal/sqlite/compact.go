package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/block"
)

// blockWeight is how much of a journal one block holds: enough to pack well, and little enough that reading from a seq
// in its middle stays cheap.
const blockWeight = 256 << 10

// giveBackPages is how many free pages are given back to the file system at a time. Others write in between.
const giveBackPages = 256

// maxMoves is how often Compact begins again because somebody else packs the same run.
const maxMoves = 10

// errMoved says that rows are not as they were when they were read: somebody else has packed them.
var errMoved = errors.New("the entries are being compacted elsewhere")

// Compact implements [journal.Compactor]. Each block replaces its rows in a transaction of its own, and stands where
// the last of them stood: who knows that row as the end of the run's chain goes on behind it, and who reads meanwhile
// sees the rows or the block. The pages that become free are given back to the file system.
//
// Files of versions that made no compact files do not shrink; their free pages are used for what is written next.
// SQLite's VACUUM shrinks them, when nobody has them open.
func (s *Store) Compact(ctx context.Context, run string) (journal.Compaction, error) {
	p := packing{store: s, run: run, packer: s.packer()}
	defer s.packers.Put(p.packer)
	err := ctx.Err()
	switch {
	case err != nil:
	case s.options.ReadOnly:
		err = s.readOnly()
	default:
		err = p.all(ctx)
	}
	if err == nil && p.written {
		err = s.giveBack(ctx)
	}
	if err != nil {
		return journal.Compaction{}, s.fail("compact", run, p.seq, err)
	}
	return p.result, nil
}

// packer is one that has been used before, if there is one: making one takes longer than packing a short run.
func (s *Store) packer() *block.Packer {
	if p, ok := s.packers.Get().(*block.Packer); ok {
		return p
	}
	return new(block.Packer)
}

// link is a row of a run's chain.
type link struct {
	row   int64
	last  uint64
	size  int64
	block bool
}

// packing is the work of one Compact.
type packing struct {
	store   *Store
	run     string
	id      int64  // the run's number
	seq     uint64 // of the entry that is looked at
	links   []link // the chain, the first one first
	reader  block.Reader
	packer  *block.Packer
	written bool
	result  journal.Compaction
}

// all packs the run, again when somebody else does so, too.
func (p *packing) all(ctx context.Context) error {
	for moves := 0; ; moves++ {
		err := p.store.reading(ctx, p.follow)
		if err != nil {
			return err
		}
		total := int64(0)
		for _, l := range p.links {
			total += l.size
		}
		if moves == 0 {
			p.result = journal.Compaction{Before: total, Entries: int(p.links[len(p.links)-1].last)}
		}
		if err = p.chain(ctx); !errors.Is(err, errMoved) {
			p.result.After = total - p.result.After
			return err
		}
		if moves == maxMoves {
			return fmt.Errorf("%w: %w", journal.ErrConflict, errMoved)
		}
		p.result.After = 0
	}
}

// follow reads the chain.
func (p *packing) follow(c *conn) error {
	p.links = p.links[:0]
	return c.snapshot(func() error {
		id, end, err := endNow(c, p.run)
		if err != nil {
			return err
		}
		p.id = id
		err = c.each(func(row []driver.Value) error {
			r := rowScanner{row: row}
			l := link{row: column[int64](&r), last: uint64(column[int64](&r)), size: column[int64](&r)}
			l.block = block.Is(column[[]byte](&r))
			p.links = append(p.links, l)
			return r.err
		}, readLinks, end.row, int64(0))
		slices.Reverse(p.links)
		if err == nil && (len(p.links) == 0 || p.links[len(p.links)-1].last != end.seq) {
			return fmt.Errorf("%w: the entries up to seq %d are missing", journal.ErrCorrupt, end.seq)
		}
		return err
	})
}

// chain packs what is behind the last full block. Rows come together in the same way whether they are packed already
// or not, so a run that is packed stays as it is, and result.After gets the bytes that were saved.
func (p *packing) chain(ctx context.Context) error {
	from := slices.IndexFunc(p.links, func(l link) bool { return !l.block })
	if from < 0 {
		return nil
	}
	from = max(0, from-1) // the block before may have room
	var entries []journal.Entry
	weight := 0
	for i := from; i < len(p.links); i++ {
		p.seq = p.after(i) + 1
		had := len(entries)
		var err error
		if entries, err = p.read(ctx, entries, i); err != nil {
			return err
		}
		more := block.Weight(entries[had:])
		if had > 0 && weight+more > blockWeight {
			if err := p.pack(ctx, from, i, entries[:had]); err != nil {
				return err
			}
			entries = slices.Clone(entries[had:])
			from, weight = i, 0
		}
		weight += more
	}
	if err := p.pack(ctx, from, len(p.links), entries); err != nil {
		return err
	}
	p.seq = 0
	return nil
}

// after is the last seq before a link.
func (p *packing) after(i int) uint64 {
	if i == 0 {
		return 0
	}
	return p.links[i-1].last
}

// read appends the entries of a link.
func (p *packing) read(ctx context.Context, entries []journal.Entry, i int) ([]journal.Entry, error) {
	var data []byte
	err := p.store.reading(ctx, func(c *conn) error {
		return c.each(func(row []driver.Value) error {
			r := rowScanner{row: row[1:]}
			data = column[[]byte](&r)
			return r.err
		}, readFrame, p.links[i].row)
	})
	switch {
	case err != nil:
		return nil, err
	case data == nil:
		return nil, errMoved
	}
	had := len(entries)
	if entries, err = p.reader.Decode(entries, data, p.run); err != nil {
		return nil, inner(err)
	}
	found := entries[had:]
	if first, last := found[0].Seq, found[len(found)-1].Seq; first != p.after(i)+1 || last != p.links[i].last {
		if block.Is(data) {
			return nil, errMoved
		}
		return nil, fmt.Errorf("%w: expected seqs %d to %d, found %d to %d", journal.ErrCorrupt, p.after(i)+1, p.links[i].last, first, last)
	}
	return entries, nil
}

// pack puts links into one block, if that is of use.
func (p *packing) pack(ctx context.Context, from, to int, entries []journal.Entry) error {
	group := p.links[from:to]
	size, packed := int64(0), true
	for _, l := range group {
		size += l.size
		packed = packed && l.block
	}
	if packed || block.Weight(entries) > block.Most {
		return nil
	}
	data, err := p.packer.Append(nil, entries)
	if err != nil {
		return err
	}
	if len(group) == 1 && int64(len(data)) >= size {
		return nil
	}
	again, err := p.reader.Decode(nil, data, p.run) // before anything is deleted
	if err != nil {
		return inner(err)
	}
	if !reflect.DeepEqual(entries, again) {
		return fmt.Errorf("%w: the block does not hold what was put into it", journal.ErrCorrupt)
	}
	before := link{}
	if from > 0 {
		before = p.links[from-1]
	}
	err = p.store.exclusive(ctx, func(w *writer) error { return w.replace(p.id, before, group, data) })
	if err == nil {
		p.written = true
		p.result.After += size - int64(len(data))
	}
	return err
}

// replace puts a block in the place of rows that follow one another behind a link of the chain.
func (w *writer) replace(run int64, before link, rows []link, data []byte) error {
	last := rows[len(rows)-1]
	return w.transaction(func() error {
		back := int64(0)
		if before.row > 0 {
			back = last.row - before.row
			if _, found, err := w.conn.one(findLink, before.row, run, int64(before.last)); err != nil || !found {
				return errors.Join(err, errMoved)
			}
		}
		deleted, err := w.changed(deletePacked, last.row, int64(before.last))
		if err != nil {
			return err
		}
		updated, err := w.changed(putPacked, last.row, run, int64(last.last), back, data)
		if err == nil && (updated != 1 || deleted != int64(len(rows)-1)) {
			err = errMoved
		}
		return err
	})
}

// changed is how many rows a statement changes.
func (w *writer) changed(q query, args ...driver.Value) (int64, error) {
	res, err := w.conn.exec(q, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// giveBack shrinks the file by its free pages.
func (s *Store) giveBack(ctx context.Context) error {
	for before := int64(-1); ; {
		var free int64
		err := s.exclusive(ctx, func(w *writer) error {
			var err error
			if free, _, err = w.conn.one(freePages); err != nil || free == 0 || free == before {
				return err
			}
			return w.conn.each(func([]driver.Value) error { return nil }, vacuum)
		})
		if err != nil || free == 0 || free == before {
			return err
		}
		before = free
	}
}

// endNow is the number of a run and the end of its chain as they are in the file at this moment; errors are
// journal.ErrNotFound and those of reading. What the tail knows may be of another moment than what is read next.
func endNow(c *conn, run string) (id int64, end place, err error) {
	id, found, err := c.one(findRun, run)
	if err == nil && !found {
		err = journal.ErrNotFound
	}
	if err != nil {
		return 0, place{}, err
	}
	err = c.each(func(row []driver.Value) error {
		r := rowScanner{row: row}
		end.row, end.seq = column[int64](&r), uint64(column[int64](&r))
		return r.err
	}, readEnd, id)
	return id, end, err
}

// inner is what is in a *journal.StoreError: the caller says where.
func inner(err error) error {
	if at, ok := errors.AsType[*journal.StoreError](err); ok {
		return at.Err
	}
	return err
}
