package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// The data of a checkpoint is
//
//	format    1 byte: 1
//	last      4 bytes, little endian: the mark of the entry at the checkpoint's seq
//	machine   its length, and the snapshot of the machine
//	values    how many, and of each its seq, its length and the whole value as JSON: those that the run refers to
//	check     4 bytes, little endian: CRC-32C of all before
//
// Numbers are uvarints.
const checkpointFormat = 1

// ErrCheckpoint says that a checkpoint cannot be used. It is damaged, of another version or another plan, or of another
// journal. The journal is read whole then (law J6).
var ErrCheckpoint = errors.New("the checkpoint cannot be used")

func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// Checkpoint is the run so far, for a store. It is as large as what is open in the run, with its values.
func (r *Run) Checkpoint() (journal.Checkpoint, error) {
	snapshot, err := r.machine.Snapshot()
	if err != nil {
		return journal.Checkpoint{}, err
	}
	if r.last.Seq > 0 {
		r.mark = mark(&r.last)
	}
	data := binary.LittleEndian.AppendUint32([]byte{checkpointFormat}, r.mark)
	data = append(binary.AppendUvarint(data, uint64(len(snapshot))), snapshot...)
	refs := slices.Sorted(slices.Values(r.machine.Refs()))
	data = binary.AppendUvarint(data, uint64(len(refs)))
	for _, ref := range refs {
		value, err := r.Whole(ref)
		if err != nil {
			return journal.Checkpoint{}, err
		}
		data = binary.AppendUvarint(data, ref)
		data = append(binary.AppendUvarint(data, uint64(len(value))), value...)
	}
	return journal.Checkpoint{Seq: r.machine.Head(), Data: binary.LittleEndian.AppendUint32(data, checksum(data))}, nil
}

// Restore is the run at a checkpoint. Errors are ErrCheckpoint.
func Restore(p *plan.Plan, c journal.Checkpoint) (*Run, error) {
	r := &Run{plan: p, at: c.Seq}
	if err := r.restore(c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	return r, nil
}

func (r *Run) restore(c journal.Checkpoint) (err error) {
	body := len(c.Data) - crc32.Size
	switch {
	case body < 1+crc32.Size:
		return fmt.Errorf("%d bytes", len(c.Data))
	case checksum(c.Data[:body]) != binary.LittleEndian.Uint32(c.Data[body:]):
		return errors.New("its check does not fit")
	case c.Data[0] != checkpointFormat:
		return fmt.Errorf("format %d, this version reads %d", c.Data[0], checkpointFormat)
	}
	r.mark = binary.LittleEndian.Uint32(c.Data[1:])
	parts := parts{left: c.Data[1+crc32.Size : body]}
	if r.machine, err = machine.Restore(r.plan, parts.bytes()); err != nil {
		return err
	}
	for n := parts.number(); n > 0 && !parts.short; n-- {
		ref := parts.number()
		r.put(ref, link{data: parts.bytes()})
	}
	switch {
	case parts.short:
		return errors.New("it ends too early")
	case len(parts.left) > 0:
		return fmt.Errorf("%d bytes after its end", len(parts.left))
	case r.machine.Head() != c.Seq:
		return fmt.Errorf("it is of entry %d, and the store says %d", r.machine.Head(), c.Seq)
	}
	for _, ref := range r.machine.Refs() {
		if _, ok := r.links[ref]; !ok {
			return fmt.Errorf("it is without the value of entry %d", ref)
		}
	}
	return nil
}

// parts reads data from its beginning.
type parts struct {
	left  []byte // that were not read
	short bool   // there was less than expected
}

func (p *parts) number() uint64 {
	n, size := binary.Uvarint(p.left)
	if size <= 0 {
		p.left, p.short = nil, true
		return 0
	}
	p.left = p.left[size:]
	return n
}

func (p *parts) bytes() []byte {
	n := p.number()
	if n > uint64(len(p.left)) {
		p.left, p.short = nil, true
		return nil
	}
	b := p.left[:n:n]
	p.left = p.left[n:]
	return b
}
