package remote

import (
	"bytes"
	"fmt"
	"io"

	"github.com/fermata-go/fermata/model"
)

// What a stream may have: an event is held as a whole, and what all of them say is held until the reply is over.
const (
	mostOfAnEvent = 16 * mebibyte
	mostOfAStream = 256 * mebibyte
	mebibyte      = 1 << 20
)

// bounded is the body of a stream of events that ends with an error where it has more than a reply can have: a service
// that has gone wrong would fill the memory.
type bounded struct {
	io.ReadCloser
	host  string
	all   int // bytes that were read
	event int // of them, since the last event ended
	line  int // of them, in the line that goes on, without carriage returns
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.all += n
	b.count(p[:n])
	switch {
	case b.event > mostOfAnEvent:
		return n, b.tooMuch("an event", mostOfAnEvent)
	case b.all > mostOfAStream:
		return n, b.tooMuch("a reply", mostOfAStream)
	}
	return n, err
}

// count goes on counting what is between empty lines.
func (b *bounded) count(p []byte) {
	for {
		end := bytes.IndexByte(p, '\n')
		piece := p
		if end >= 0 {
			piece = p[:end]
		}
		b.event += len(piece)
		b.line += len(bytes.TrimRight(piece, "\r"))
		if end < 0 {
			return
		}
		if b.line == 0 {
			b.event = 0
		}
		b.line, p = 0, p[end+1:]
	}
}

func (b *bounded) tooMuch(what string, most int) error {
	return &model.Error{
		Kind: model.ErrMalformed, Message: fmt.Sprintf("the stream from %s has %s of more than %d MiB", b.host, what, most/mebibyte),
	}
}
