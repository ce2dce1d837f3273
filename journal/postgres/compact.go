package postgres

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/block"
)

// blockWeight is how much of a journal one block holds: enough to pack well, and little enough that reading from a seq
// in its middle stays cheap.
const blockWeight = 256 << 10

// maxMoves is how often Compact begins again because somebody else packs the same run.
const maxMoves = 10

// errMoved says that rows are not as they were when they were read: somebody else has packed them.
var errMoved = errors.New("the entries are being compacted elsewhere")

// Compact implements [journal.Compactor]. Each block replaces its rows in a transaction of its own, which holds up
// appends to the run for that moment, and stands where the last of them stood: who reads meanwhile sees the rows or
// the block. The server gives the space to what is written next, when it has vacuumed.
func (s *Store) Compact(ctx context.Context, run string) (journal.Compaction, error) {
	p := packing{store: s, run: run, packer: s.packer()}
	defer s.packers.Put(p.packer)
	var err error
	if s.options.ReadOnly && !s.closed() {
		err = journal.ErrReadOnly
	} else {
		err = p.all(ctx)
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

// link is a row of a run's journal.
type link struct {
	last  uint64
	size  int64
	block bool
}

// packing is the work of one Compact.
type packing struct {
	store  *Store
	run    string
	id     int64  // the run's number
	seq    uint64 // of the entry that is looked at
	links  []link // the journal, the first row first
	reader block.Reader
	packer *block.Packer
	result journal.Compaction
}

// all packs the run, again when somebody else does so, too.
func (p *packing) all(ctx context.Context) error {
	for moves := 0; ; moves++ {
		if err := p.store.with(ctx, func(c *pgx.Conn) error { return p.follow(ctx, c) }); err != nil {
			return err
		}
		total := int64(0)
		for _, l := range p.links {
			total += l.size
		}
		if moves == 0 {
			p.result = journal.Compaction{Before: total, Entries: int(p.links[len(p.links)-1].last)}
		}
		err := p.pieces(ctx)
		if !errors.Is(err, errMoved) {
			p.result.After = total - p.result.After
			return err
		}
		if moves == maxMoves {
			return fmt.Errorf("%w: %w", journal.ErrConflict, errMoved)
		}
		p.result.After = 0
	}
}

// follow finds the rows.
func (p *packing) follow(ctx context.Context, c *pgx.Conn) error {
	id, head, err := p.store.find(ctx, c, p.run)
	if err != nil {
		return err
	}
	p.id = id
	rows, err := c.Query(ctx, p.store.sql.readLinks, id)
	if err != nil {
		return err
	}
	p.links, err = pgx.AppendRows(p.links[:0], rows, func(r pgx.CollectableRow) (l link, err error) {
		var last int64
		var first []byte
		err = r.Scan(&last, &l.size, &first)
		l.last, l.block = uint64(last), block.Is(first)
		return l, err
	})
	if err == nil && (len(p.links) == 0 || p.links[len(p.links)-1].last < head) {
		if again, _, err := p.store.find(ctx, c, p.run); err != nil || again != id {
			return errors.Join(err, errMoved) // deleted in between
		}
		return fmt.Errorf("%w: the entries up to seq %d are missing", journal.ErrCorrupt, head)
	}
	return err
}

// pieces packs what is behind the last full block. Rows come together in the same way whether they are packed already
// or not, so a run that is packed stays as it is, and result.After gets the bytes that were saved.
func (p *packing) pieces(ctx context.Context) error {
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
	err := p.store.with(ctx, func(c *pgx.Conn) error {
		err := c.QueryRow(ctx, p.store.sql.readFrame, p.id, int64(p.links[i].last)).Scan(&data)
		if errors.Is(err, pgx.ErrNoRows) {
			return errMoved
		}
		return err
	})
	if err != nil {
		return nil, err
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
	err = p.store.with(ctx, func(c *pgx.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error { return p.replace(ctx, tx, p.after(from), group, data) })
	})
	if err == nil {
		p.result.After += size - int64(len(data))
	}
	return err
}

// replace puts a block in the place of rows that follow one another behind a seq. Whoever else packs or deletes the run
// waits for its lock, and sees what was done.
func (p *packing) replace(ctx context.Context, tx pgx.Tx, after uint64, rows []link, data []byte) error {
	sql, last := &p.store.sql, int64(rows[len(rows)-1].last)
	locked, err := tx.Exec(ctx, sql.lockNumber, p.id)
	if err != nil {
		return err
	}
	found := int64(1)
	if after > 0 {
		if err := tx.QueryRow(ctx, sql.findLink, p.id, int64(after)).Scan(&found); err != nil {
			return err
		}
	}
	deleted, err := tx.Exec(ctx, sql.deletePacked, p.id, int64(after), last)
	if err != nil {
		return err
	}
	updated, err := tx.Exec(ctx, sql.putPacked, p.id, last, data)
	if err == nil && (locked.RowsAffected() != 1 || found != 1 || deleted.RowsAffected() != int64(len(rows)-1) || updated.RowsAffected() != 1) {
		err = errMoved
	}
	return err
}
