package document

import (
	"bytes"
	"compress/gzip"
	"io"
)

// Unpacked returns what a file holds that was embedded compressed. It panics for another file, which no build has.
func Unpacked(packed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic("document: an embedded file is broken: " + err.Error())
	}
	data, err := io.ReadAll(r)
	if err != nil {
		panic("document: an embedded file is broken: " + err.Error())
	}
	return data
}
