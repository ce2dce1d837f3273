// Package block packs many entries of a journal into few bytes. A [journal.Compactor] keeps compacted entries in this
// form. A block stands where frames stood, and says by its first byte that it is none; a version that knows no blocks
// takes it for a frame of a later format, which is journal.ErrNewer.
//
//	var p block.Packer
//	data, err := p.Append(nil, entries)
//
//	var r block.Reader
//	entries, err = r.Decode(nil, data, run) // of a frame or of a block
//
// [Pages] and [Compactor] are what stores have in common that keep blocks: reading a journal from a seq on, and packing
// it while others write and read. The package does no I/O, and knows no store.
package block
