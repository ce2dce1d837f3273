package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// A frame is the stored form of the entries of one batch (law J9):
//
//	format   1 byte: 1
//	count    uvarint, at least 1
//	first    uvarint: seq of the first entry; the others follow without a gap
//	entries  see below
//	check    4 bytes, little endian: CRC-32C of all before
//
// and an entry is
//
//	kind     1 byte
//	mask     uvarint: which fields follow, in the order of the has… bits
//	fields
//
// A number is an uvarint. At is the zigzag difference to the entry before (the first: to 0), Base is the zigzag
// distance back from the entry's seq. Visit and Attempt are left out where they are what most entries have: 1 with a
// Node, 0 without. A string is 0, its length and its bytes; or n, for the frame's n-th such string. Value and Body
// are their length and their bytes; a Body with hasShort has bytes in it that stand for frequent text, see shorts.
const formatVersion = 1

const (
	hasNode uint64 = 1 << iota
	hasAt
	hasBase
	hasValue
	hasFlags
	hasOp
	hasBody
	hasTo
	hasVisit
	hasAttempt
	hasShort
	hasEnd // the first bit without a meaning
)

// checkSize is how long a frame's check is.
const checkSize = 4

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) } // made once, by package crc32

// AppendEntries appends a frame with the entries to dst. Their seqs must follow one another, as those of a batch do
// (see Batch.Validate); only the first one is stored.
func AppendEntries(dst []byte, entries []Entry) []byte {
	from := len(dst)
	dst = append(dst, formatVersion)
	dst = binary.AppendUvarint(dst, uint64(len(entries)))
	if len(entries) > 0 {
		dst = binary.AppendUvarint(dst, entries[0].Seq)
	}
	var names [16]string // strings that the frame has had; more than these are written out
	known := names[:0]
	var at int64
	for i := range entries {
		dst, known = appendEntry(dst, &entries[i], at, known)
		at = entries[i].At
	}
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[from:], castagnoli()))
}

// usual is what Visit and Attempt are where the frame does not say.
func usual(node string) uint64 {
	if node == "" {
		return 0
	}
	return 1
}

func mask(e *Entry, at int64) (m uint64) {
	set := func(bit uint64, has bool) {
		if has {
			m |= bit
		}
	}
	set(hasNode, e.Node != "")
	set(hasAt, e.At != at)
	set(hasBase, e.Base != 0)
	set(hasValue, len(e.Value) > 0)
	set(hasFlags, e.Flags != 0)
	set(hasOp, e.Op != "")
	set(hasBody, len(e.Body) > 0)
	set(hasShort, canShorten(e.Body))
	set(hasTo, e.To != "")
	set(hasVisit, uint64(e.Visit) != usual(e.Node))
	set(hasAttempt, uint64(e.Attempt) != usual(e.Node))
	return m
}

func appendEntry(dst []byte, e *Entry, at int64, known []string) ([]byte, []string) {
	m := mask(e, at)
	dst = append(dst, byte(e.Kind))
	dst = binary.AppendUvarint(dst, m)
	if m&hasNode != 0 {
		dst, known = appendString(dst, e.Node, known)
	}
	if m&hasAt != 0 {
		dst = binary.AppendVarint(dst, e.At-at)
	}
	if m&hasBase != 0 {
		dst = binary.AppendVarint(dst, int64(e.Seq-e.Base))
	}
	if m&hasValue != 0 {
		dst = binary.AppendUvarint(dst, uint64(len(e.Value)))
		dst = append(dst, e.Value...)
	}
	if m&hasFlags != 0 {
		dst = append(dst, e.Flags)
	}
	if m&hasOp != 0 {
		dst, known = appendString(dst, e.Op, known)
	}
	if m&hasBody != 0 {
		dst = appendBody(dst, e.Body, m&hasShort != 0)
	}
	if m&hasTo != 0 {
		dst, known = appendString(dst, e.To, known)
	}
	if m&hasVisit != 0 {
		dst = binary.AppendUvarint(dst, uint64(e.Visit))
	}
	if m&hasAttempt != 0 {
		dst = binary.AppendUvarint(dst, uint64(e.Attempt))
	}
	return dst, known
}

func appendString(dst []byte, s string, known []string) ([]byte, []string) {
	for i, k := range known {
		if k == s {
			return binary.AppendUvarint(dst, uint64(i)+1), known
		}
	}
	if len(known) < cap(known) {
		known = append(known, s)
	}
	dst = append(dst, 0)
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...), known
}

// DecodeEntries is the inverse of [AppendEntries]. The entries' Value and Body may be parts of data, each with no spare
// capacity. Data that is damaged is an ErrCorrupt, data of a later version an ErrNewer; the *StoreError around it
// names the run, and the seq where that much could be read.
func DecodeEntries(data []byte, run string) ([]Entry, error) {
	var d Decoder
	return d.Decode(nil, data, run)
}

// Decoder decodes frame after frame of one journal.
//
// It keeps strings that come again, such as the names of nodes, once. The zero value is ready; it is not safe for
// concurrent use.
type Decoder struct {
	known map[string]string
	frame
}

// frame is what is left of the frame being decoded.
type frame struct {
	data  []byte
	names []string
	seq   uint64
	err   error
}

// maxKnown bounds the strings that a decoder keeps.
const maxKnown = 1024

// Decode appends the entries of a frame to dst, see DecodeEntries. On an error dst is returned as it was.
func (d *Decoder) Decode(dst []Entry, data []byte, run string) ([]Entry, error) {
	from := len(dst)
	d.frame = frame{names: d.names[:0]}
	dst = d.decode(dst, data)
	if d.err == nil {
		return dst, nil
	}
	clear(dst[from:])
	return dst[:from], &StoreError{Op: "decode", Run: run, Seq: d.seq, Err: d.err}
}

func (d *Decoder) decode(dst []Entry, data []byte) []Entry {
	switch {
	case len(data) == 0:
		d.fail("an empty frame")
		return dst
	case data[0] == 0:
		d.fail("format 0 does not exist")
		return dst
	case data[0] > formatVersion:
		d.err = fmt.Errorf("%w: frame format %d, this version reads up to %d", ErrNewer, data[0], formatVersion)
		return dst
	case len(data) < 1+checkSize:
		d.fail("a frame of %d bytes", len(data))
		return dst
	}
	body, check := data[:len(data)-checkSize], binary.LittleEndian.Uint32(data[len(data)-checkSize:])
	if sum := crc32.Checksum(body, castagnoli()); sum != check {
		d.fail("the frame's check is %08x, expected %08x", sum, check)
		return dst
	}
	d.data = body[1:]
	count := d.uvarint("count")
	first := d.uvarint("first seq")
	switch {
	case d.err != nil:
		return dst
	case count == 0 || count > uint64(len(d.data)/2): // an entry takes two bytes at least
		d.fail("%d entries in %d bytes", count, len(d.data))
		return dst
	case first == 0 || first-1 > math.MaxUint64-count:
		d.fail("first seq %d", first)
		return dst
	}
	dst = growEntries(dst, int(count))
	var at int64
	for i := range count {
		d.seq = first + i
		e := Entry{Seq: d.seq, At: at}
		if d.entry(&e); d.err != nil {
			return dst
		}
		at = e.At
		dst = append(dst, e)
	}
	if len(d.data) > 0 {
		d.fail("%d bytes after the last entry", len(d.data))
	}
	return dst
}

// growEntries makes room for n more, and for as many again where a reader appends frame after frame.
func growEntries(dst []Entry, n int) []Entry {
	if cap(dst)-len(dst) >= n {
		return dst
	}
	grown := make([]Entry, len(dst), max(len(dst)+n, 2*len(dst)))
	copy(grown, dst)
	return grown
}

func (d *Decoder) entry(e *Entry) {
	e.Kind = Kind(d.byte("kind"))
	m := d.uvarint("mask")
	switch {
	case d.err != nil:
		return
	case !storedKinds[e.Kind] || m >= hasEnd:
		d.err = fmt.Errorf("%w: an entry of kind %d with fields %#x", ErrNewer, uint8(e.Kind), m)
		return
	}
	if m&hasNode != 0 {
		e.Node = d.string("node")
	}
	if m&hasAt != 0 {
		e.At += d.varint("at")
	}
	if m&hasBase != 0 {
		e.Base = e.Seq - uint64(d.varint("base"))
	}
	if m&hasValue != 0 {
		e.Value = d.bytes("value")
	}
	if m&hasFlags != 0 {
		e.Flags = d.byte("flags")
	}
	if m&hasOp != 0 {
		e.Op = d.string("op")
	}
	if m&hasBody != 0 {
		e.Body = d.bytes("body")
	}
	if m&hasShort != 0 {
		e.Body = lengthen(e.Body)
	}
	if m&hasTo != 0 {
		e.To = d.string("to")
	}
	e.Visit, e.Attempt = uint32(usual(e.Node)), uint16(usual(e.Node))
	if m&hasVisit != 0 {
		e.Visit = uint32(d.number("visit", math.MaxUint32))
	}
	if m&hasAttempt != 0 {
		e.Attempt = uint16(d.number("attempt", math.MaxUint16))
	}
}

// fail records the first thing that is wrong.
func (d *Decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %w", ErrCorrupt, fmt.Errorf(format, args...))
	}
}

var errShort = errors.New("the frame ends too early")

func (d *Decoder) short(field string) { d.fail("%s: %w", field, errShort) }

func (d *Decoder) byte(field string) byte {
	if len(d.data) == 0 {
		d.short(field)
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return b
}

func (d *Decoder) uvarint(field string) uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.short(field)
		return 0
	}
	d.data = d.data[n:]
	return v
}

func (d *Decoder) varint(field string) int64 {
	v := d.uvarint(field)
	return int64(v>>1) ^ -int64(v&1)
}

func (d *Decoder) number(field string, most uint64) uint64 {
	v := d.uvarint(field)
	if v > most {
		d.fail("%s: %d is more than %d", field, v, most)
	}
	return v
}

// bytes is a length and as many bytes, which stay where they are.
func (d *Decoder) bytes(field string) []byte {
	n := d.uvarint(field)
	if n > uint64(len(d.data)) {
		d.short(field)
		return nil
	}
	if n == 0 {
		return nil
	}
	b := d.data[:n:n]
	d.data = d.data[n:]
	return b
}

func (d *Decoder) string(field string) string {
	ref := d.uvarint(field)
	if ref > 0 {
		if ref > uint64(len(d.names)) {
			d.fail("%s: string %d of %d", field, ref, len(d.names))
			return ""
		}
		return d.names[ref-1]
	}
	s := d.keep(d.bytes(field))
	d.names = append(d.names, s)
	return s
}

func (d *Decoder) keep(b []byte) string {
	if s, ok := d.known[string(b)]; ok {
		return s
	}
	if d.known == nil {
		d.known = make(map[string]string)
	}
	s := string(b)
	if len(d.known) < maxKnown && len(s) <= 64 {
		d.known[s] = s
	}
	return s
}
