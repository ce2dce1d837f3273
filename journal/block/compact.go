package block

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/fermata-go/fermata/journal"
)

// blockWeight is how much of a journal one block holds: enough to pack well, and little enough that reading from a seq
// in its middle stays cheap.
const blockWeight = 256 << 10

// maxMoves is how often Compact begins again because somebody else packs the same run.
const maxMoves = 10

// ErrMoved says that rows have changed since they were listed: another process has packed them.
var ErrMoved = errors.New("the entries are being compacted elsewhere")

// Row is a row in which a store keeps a part of a run's journal.
type Row struct {
	ID    int64  // what the store calls it, if that is of use to it
	Last  uint64 // seq of its last entry
	Size  int64  // of its data, in bytes
	Block bool   // what Is says of its data
}

// Rows are the rows of one run's journal, in a store that can be compacted.
type Rows interface {
	// List is all of them, the first one first. There is at least one. It is ErrMoved where they change while they are
	// listed.
	List(ctx context.Context) ([]Row, error)
	// Data is what one of them holds. It is ErrMoved where there is no such row any more.
	Data(ctx context.Context, row Row) ([]byte, error)
	// Replace replaces adjacent rows by a block. They follow the row behind, which is the zero Row if they are the
	// first ones. It returns ErrMoved, and changes nothing, if one of these rows is missing.
	Replace(ctx context.Context, behind Row, rows []Row, data []byte) error
}

// Compactor packs the rows of runs into blocks. The zero value is ready, and safe for concurrent use.
type Compactor struct {
	packers sync.Pool // of *Packer: making one takes longer than packing a short run
}

// Compact packs a run, and tries again if another process packs it, too. An error comes with the seq of the entry that
// was read, 0 if it was none. It is journal.ErrConflict if others do not leave the run alone.
func (c *Compactor) Compact(ctx context.Context, run string, rows Rows) (result journal.Compaction, seq uint64, err error) {
	packer, ok := c.packers.Get().(*Packer)
	if !ok {
		packer = new(Packer)
	}
	defer c.packers.Put(packer)
	p := packing{run: run, rows: rows, packer: packer}
	if err := p.all(ctx); err != nil {
		return journal.Compaction{}, p.seq, err
	}
	return p.result, 0, nil
}

// packing is the work of one Compact.
type packing struct {
	run    string             // its id
	rows   Rows               // those of the run in the store
	seq    uint64             // of the entry that is looked at
	list   []Row              // the rows as they were listed
	saved  int64              // bytes
	reader Reader             // of rows
	packer *Packer            // of blocks
	result journal.Compaction // so far
}

func (p *packing) all(ctx context.Context) error {
	for moves := 0; ; moves++ {
		err := p.once(ctx, moves == 0)
		if !errors.Is(err, ErrMoved) {
			return err
		}
		if moves == maxMoves {
			return fmt.Errorf("%w: %w", journal.ErrConflict, ErrMoved)
		}
	}
}

// once packs the run as it stands.
func (p *packing) once(ctx context.Context, first bool) (err error) {
	if p.list, err = p.rows.List(ctx); err != nil {
		return err
	}
	total := int64(0)
	for _, row := range p.list {
		total += row.Size
	}
	if first {
		p.result = journal.Compaction{Before: total, Entries: int(p.list[len(p.list)-1].Last)}
	}
	p.saved = 0
	err = p.pieces(ctx)
	p.result.After = total - p.saved
	return err
}

// pieces packs what is behind the last full block. Rows come together in the same way whether they are packed already
// or not, so a run that is packed stays as it is.
func (p *packing) pieces(ctx context.Context) error {
	from := slices.IndexFunc(p.list, func(row Row) bool { return !row.Block })
	if from < 0 {
		return nil
	}
	from = max(0, from-1) // the block before may have room
	var entries []journal.Entry
	weight := 0
	for i := from; i < len(p.list); i++ {
		p.seq = p.behind(i).Last + 1
		had := len(entries)
		var err error
		if entries, err = p.read(ctx, entries, i); err != nil {
			return err
		}
		more := Weight(entries[had:])
		if had > 0 && weight+more > blockWeight {
			if err := p.pack(ctx, from, i, entries[:had]); err != nil {
				return err
			}
			entries = slices.Clone(entries[had:])
			from, weight = i, 0
		}
		weight += more
	}
	return p.pack(ctx, from, len(p.list), entries)
}

// behind is the row behind which a row stands, the zero Row for the first one.
func (p *packing) behind(i int) Row {
	if i == 0 {
		return Row{}
	}
	return p.list[i-1]
}

// read appends the entries of a row.
func (p *packing) read(ctx context.Context, entries []journal.Entry, i int) ([]journal.Entry, error) {
	data, err := p.rows.Data(ctx, p.list[i])
	if err != nil {
		return nil, err
	}
	had := len(entries)
	if entries, err = p.reader.Decode(entries, data, p.run); err != nil {
		return nil, cause(err)
	}
	found := entries[had:]
	if first, last := found[0].Seq, found[len(found)-1].Seq; first != p.seq || last != p.list[i].Last {
		if Is(data) {
			return nil, ErrMoved
		}
		return nil, fmt.Errorf("%w: expected seqs %d to %d, found %d to %d", journal.ErrCorrupt, p.seq, p.list[i].Last, first, last)
	}
	return entries, nil
}

// pack puts rows into one block, if that is of use.
func (p *packing) pack(ctx context.Context, from, to int, entries []journal.Entry) error {
	group := p.list[from:to]
	size, packed := int64(0), true
	for _, row := range group {
		size += row.Size
		packed = packed && row.Block
	}
	if packed || Weight(entries) > Most {
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
		return cause(err)
	}
	if !reflect.DeepEqual(entries, again) {
		return fmt.Errorf("%w: the block does not hold what was put into it", journal.ErrCorrupt)
	}
	if err := p.rows.Replace(ctx, p.behind(from), group, data); err != nil {
		return err
	}
	p.saved += size - int64(len(data))
	return nil
}
