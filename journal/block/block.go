package block

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/fermata-go/fermata/journal"
)

// A block is the stored form of entries that follow one another (law J9):
//
//	format   1 byte: 2. A frame begins with another
//	codec    1 byte: how data is packed. 0: as it is, 1: zstd
//	first    uvarint: seq of the first entry
//	count    uvarint: how many entries, at least 1
//	size     uvarint: how long data is when it is unpacked
//	data     frames (see package journal), each behind its length as an uvarint
//	check    4 bytes, little endian: CRC-32C of all before
const (
	format    = 2
	codecNone = 0
	codecZstd = 1
	checkSize = 4
)

// Most is the largest weight of entries that a block takes, in bytes.
const Most = 32 << 20

const (
	// maxSize bounds data that is unpacked, whatever a block says: a damaged one costs no more memory.
	maxSize = 2*Most + 1<<20
	// frameWeight is about how much a frame within a block holds. A reader is given each in a slice of its own, so an
	// entry that is kept does not keep the whole block.
	frameWeight = 8 << 10
	// entryWeight is what an entry weighs without its text.
	entryWeight = 48
)

// Weight is about how many bytes the entries take before they are packed. It does not depend on how they are stored.
func Weight(entries []journal.Entry) int {
	n := 0
	for i := range entries {
		e := &entries[i]
		n += entryWeight + len(e.Node) + len(e.Op) + len(e.To) + len(e.Value) + len(e.Body)
	}
	return n
}

// Is reports whether data is a block, and not a frame.
func Is(data []byte) bool { return len(data) > 0 && data[0] == format }

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) } // made once, by package crc32

// Packer makes blocks. The zero value is ready; it is not safe for concurrent use.
type Packer struct {
	encoder    *zstd.Encoder // made for the first block
	raw, frame []byte        // room for the frames of a block, and for one of them
}

// Append appends a block with the entries to dst. Their seqs must follow one another, and together they must weigh no
// more than Most.
func (p *Packer) Append(dst []byte, entries []journal.Entry) ([]byte, error) {
	if weight := Weight(entries); len(entries) == 0 || weight > Most {
		return nil, fmt.Errorf("a block of %d entries that weigh %d bytes: expected 1 or more, and at most %d bytes", len(entries), weight, Most)
	}
	if p.encoder == nil {
		var err error
		p.encoder, err = zstd.NewWriter(
			nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
			zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true),
		)
		if err != nil {
			return nil, err
		}
	}
	p.raw = p.raw[:0]
	for rest := entries; len(rest) > 0; {
		n := 1
		for weight := Weight(rest[:1]); n < len(rest) && weight < frameWeight; n++ {
			weight += Weight(rest[n : n+1])
		}
		p.frame = journal.AppendEntries(p.frame[:0], rest[:n])
		p.raw = binary.AppendUvarint(p.raw, uint64(len(p.frame)))
		p.raw = append(p.raw, p.frame...)
		rest = rest[n:]
	}
	from := len(dst)
	dst = append(dst, format, codecZstd)
	for _, n := range []uint64{entries[0].Seq, uint64(len(entries)), uint64(len(p.raw))} {
		dst = binary.AppendUvarint(dst, n)
	}
	head := len(dst)
	if dst = p.encoder.EncodeAll(p.raw, dst); len(dst)-head >= len(p.raw) {
		dst = append(dst[:head], p.raw...)
		dst[from+1] = codecNone
	}
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[from:], castagnoli())), nil
}

// Reader decodes what stores keep of a journal, frames and blocks. The zero value is ready; it is not safe for
// concurrent use.
type Reader struct {
	frames  journal.Decoder
	decoder *zstd.Decoder // made for the first block
	raw     []byte        // room for the frames of a block
}

// Decode appends the entries of a frame or a block to dst. Their Value and Body may be parts of data, but never keep
// a whole block in memory. Errors are those of [journal.DecodeEntries]; dst is then returned as it was.
func (r *Reader) Decode(dst []journal.Entry, data []byte, run string) ([]journal.Entry, error) {
	if !Is(data) {
		return r.frames.Decode(dst, data, run)
	}
	from := len(dst)
	b, err := open(data)
	if err == nil {
		dst, err = r.decode(dst, b, run)
	}
	if err != nil {
		clear(dst[from:])
		return dst[:from], &journal.StoreError{Op: "decode", Run: run, Seq: b.first + uint64(len(dst)-from), Err: err}
	}
	return dst, nil
}

// header is a block whose check is right.
type header struct {
	codec              byte
	first, count, size uint64
	data               []byte
}

func corrupt(text string, args ...any) error {
	return fmt.Errorf("%w: %s", journal.ErrCorrupt, fmt.Sprintf(text, args...))
}

// open looks at all of a block but its data.
func open(data []byte) (h header, err error) {
	if len(data) < 2+3+checkSize {
		return h, corrupt("a block of %d bytes", len(data))
	}
	body, check := data[:len(data)-checkSize], binary.LittleEndian.Uint32(data[len(data)-checkSize:])
	if sum := crc32.Checksum(body, castagnoli()); sum != check {
		return h, corrupt("the block's check is %08x, expected %08x", sum, check)
	}
	h.codec, h.data = body[1], body[2:]
	for _, n := range []*uint64{&h.first, &h.count, &h.size} {
		v, size := binary.Uvarint(h.data)
		if size <= 0 {
			return header{}, corrupt("the block ends too early")
		}
		*n, h.data = v, h.data[size:]
	}
	switch {
	case h.codec > codecZstd:
		return h, fmt.Errorf("%w: a block with codec %d, this version reads up to %d", journal.ErrNewer, h.codec, codecZstd)
	case h.size > maxSize:
		return h, corrupt("a block of %d bytes unpacked, expected at most %d", h.size, maxSize)
	case h.first == 0 || h.count == 0 || h.count > h.size/2: // an entry takes two bytes at least
		return h, corrupt("a block of %d entries from seq %d in %d bytes", h.count, h.first, h.size)
	}
	return h, nil
}

// unpack is a block's frames, until the next call.
func (r *Reader) unpack(h header) (raw []byte, err error) {
	raw = h.data
	if h.codec == codecZstd {
		if r.decoder == nil {
			r.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxSize))
			if err != nil {
				return nil, err
			}
		}
		r.raw = slices.Grow(r.raw[:0], int(h.size))
		if raw, err = r.decoder.DecodeAll(h.data, r.raw); err != nil {
			return nil, corrupt("unpacking the block: %v", err)
		}
		if r.raw = raw; cap(raw) > 4<<20 {
			r.raw = nil // a large value's, and the next block is unlikely to have one
		}
	}
	if uint64(len(raw)) != h.size {
		return nil, corrupt("a block of %d bytes unpacked, expected %d", len(raw), h.size)
	}
	return raw, nil
}

func (r *Reader) decode(dst []journal.Entry, h header, run string) ([]journal.Entry, error) {
	raw, err := r.unpack(h)
	if err != nil {
		return dst, err
	}
	from := len(dst)
	dst = slices.Grow(dst, int(h.count))
	for len(raw) > 0 {
		n, size := binary.Uvarint(raw)
		if size <= 0 || n > uint64(len(raw)-size) {
			return dst, corrupt("a frame within the block ends too early")
		}
		next := h.first + uint64(len(dst)-from)
		if dst, err = r.frames.Decode(dst, slices.Clone(raw[size:size+int(n)]), run); err != nil {
			return dst, cause(err)
		}
		if found := dst[from+int(next-h.first)].Seq; found != next {
			return dst, corrupt("within the block, expected seq %d, found seq %d", next, found)
		}
		raw = raw[size+int(n):]
	}
	if found := uint64(len(dst) - from); found != h.count {
		return dst, corrupt("the block has %d entries, expected %d", found, h.count)
	}
	return dst, nil
}

// cause is what is in a *journal.StoreError: whoever returns it says where.
func cause(err error) error {
	if at, ok := err.(*journal.StoreError); ok { //nolint:errorlint // what Decoder returns, never wrapped
		return at.Err
	}
	return err
}
