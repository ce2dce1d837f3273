package memory

import (
	"encoding/binary"
	"slices"
	"sort"
	"sync"

	"github.com/fermata-go/fermata/journal"
)

// Sizes of what a run grows by, in bytes: small at first, because most runs are short. A reader that begins in the middle of a
// chunk passes over what is before.
const (
	firstChunk = 1 << 10
	lastChunk  = 4 << 10
	largeValue = 1 << 10 // from how many bytes on a value is kept by itself
)

// run is one journal. Entries below n never change, so a reader needs the lock only to learn where the end is.
type run struct {
	mu     sync.Mutex         // of all but index
	gone   bool               // deleted, or never created
	n      uint64             // how many entries there are
	at     int64              // time of the last one
	chunks []chunk            // the entries, packed: see packed
	first  [1]chunk           // the memory of chunks until there are several
	used   int                // bytes of the last chunk
	large  [][]byte           // large values and bodies
	check  journal.Checkpoint // the last one; Seq 0 for none

	index projections // under Store.mu
}

// chunk is a part of a journal.
type chunk struct {
	before uint64 // seq of the entry before its first
	at     int64  // the time of that
	data   []byte // of a fixed length: what is behind the last entry is still to be written
}

// append copies the entries to the end of the journal.
func (r *run) append(entries []journal.Entry) {
	for i := range entries {
		e := &entries[i]
		if most := packedSize(e); len(r.chunks) == 0 || len(r.chunks[len(r.chunks)-1].data)-r.used < most {
			r.grow(most)
		}
		data := r.chunks[len(r.chunks)-1].data
		r.used = len(r.pack(data[:r.used], e))
		r.n, r.at = r.n+1, e.At
	}
}

// grow adds a chunk with room for so many bytes.
func (r *run) grow(most int) {
	size := firstChunk
	if k := len(r.chunks); k > 0 {
		size = min(2*len(r.chunks[k-1].data), lastChunk)
	} else {
		r.chunks = r.first[:0]
	}
	r.chunks, r.used = append(r.chunks, chunk{r.n, r.at, make([]byte, max(size, most))}), 0
}

// packedSize is how many bytes pack needs at most.
func packedSize(e *journal.Entry) int {
	size := 2 + 9*binary.MaxVarintLen64 + len(e.Node) + len(e.Op) + len(e.To)
	if len(e.Value) < largeValue {
		size += len(e.Value)
	}
	if len(e.Body) < largeValue {
		size += len(e.Body)
	}
	return size
}

// pack appends an entry to dst, which has room for it. Its seq is known from its place, and its time follows that of the one
// before. In this form a thousand entries are a few things for the collector of garbage, and none of them has to be looked at.
func (r *run) pack(dst []byte, e *journal.Entry) []byte {
	dst = append(dst, byte(e.Kind), e.Flags)
	dst = binary.AppendUvarint(dst, uint64(e.Attempt))
	dst = binary.AppendUvarint(dst, uint64(e.Visit))
	dst = binary.AppendVarint(dst, e.At-r.at)
	dst = binary.AppendUvarint(dst, e.Base)
	for _, s := range [...]string{e.Node, e.Op, e.To} {
		dst = append(binary.AppendUvarint(dst, uint64(len(s))), s...)
	}
	return r.packBytes(r.packBytes(dst, e.Value), e.Body)
}

// packBytes appends a value or a body, or where it is if it is large.
func (r *run) packBytes(dst, b []byte) []byte {
	if len(b) < largeValue {
		return append(binary.AppendUvarint(dst, uint64(len(b))<<1), b...)
	}
	r.large = append(r.large, slices.Clone(b))
	return binary.AppendUvarint(dst, uint64(len(r.large)-1)<<1|1)
}

// reader unpacks the entries of a journal as it was when the reader was made.
type reader struct {
	chunks []chunk
	large  [][]byte
	n      uint64 // how many entries there are
	seq    uint64 // of the last one that was passed
	at     int64  // its time
	data   []byte // what follows it in its chunk
	nodes  [4]string
	turn   uint8 // which of nodes was put in last
}

// reader is at the entry with the seq given. ok is false where there is no journal.
func (r *run) reader(after uint64) (d reader, ok bool) {
	r.mu.Lock()
	d = reader{chunks: r.chunks, large: r.large, n: r.n}
	ok = !r.gone && r.n > 0
	r.mu.Unlock()
	if !ok || after >= d.n {
		d.seq = d.n
		return d, ok
	}
	at := sort.Search(len(d.chunks), func(i int) bool { return d.chunks[i].before > after }) - 1
	d.chunks = d.chunks[at:]
	d.open()
	for d.seq < after {
		d.next(nil)
	}
	return d, true
}

// open begins the next chunk.
func (d *reader) open() {
	c := &d.chunks[0]
	d.seq, d.at, d.data = c.before, c.at, c.data
}

// next unpacks the next entry, or passes over it if e is nil. There has to be one.
func (d *reader) next(e *journal.Entry) {
	if len(d.chunks) > 1 && d.chunks[1].before == d.seq {
		d.chunks = d.chunks[1:]
		d.open()
	}
	var skipped journal.Entry
	passes := e == nil
	if passes {
		e = &skipped
	}
	e.Kind, e.Flags = journal.Kind(d.data[0]), d.data[1]
	d.data = d.data[2:]
	e.Attempt, e.Visit = uint16(d.uvarint()), uint32(d.uvarint())
	step, size := binary.Varint(d.data)
	d.data = d.data[size:]
	d.seq, d.at = d.seq+1, d.at+step
	e.Seq, e.At, e.Base = d.seq, d.at, d.uvarint()
	node, op, to := d.take(d.uvarint()), d.take(d.uvarint()), d.take(d.uvarint())
	value, body := d.bytes(), d.bytes()
	if !passes {
		e.Node, e.Op, e.To = d.node(node), string(op), d.node(to)
		e.Value, e.Body = cloned(value), cloned(body)
	}
}

func (d *reader) uvarint() uint64 {
	n, size := binary.Uvarint(d.data)
	d.data = d.data[size:]
	return n
}

func (d *reader) take(n uint64) []byte {
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

func (d *reader) bytes() []byte {
	n := d.uvarint()
	if n&1 != 0 {
		return d.large[n>>1]
	}
	return d.take(n >> 1)
}

// node is a path of a node as a string. Many entries in a row have one of a few.
func (d *reader) node(b []byte) string {
	for _, s := range d.nodes {
		if s == string(b) {
			return s
		}
	}
	d.turn = (d.turn + 1) % uint8(len(d.nodes))
	d.nodes[d.turn] = string(b)
	return d.nodes[d.turn]
}

// cloned is a copy, nil for nothing.
func cloned(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return slices.Clone(b)
}
