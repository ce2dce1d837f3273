package remote

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/fermata-go/fermata/model"
)

// Limits of a stream: a service that has gone wrong would fill the memory. An event is held as a whole, and the
// content of all events is held until the reply is over.
const (
	maxEvent  = 16 * mebibyte
	maxStream = 256 * mebibyte
	mebibyte  = 1 << 20
)

// Event is an event of a stream: server-sent events, text/event-stream.
type Event struct {
	Name string // of the lines that begin with "event:", "" for none
	Data []byte // of the lines that begin with "data:", joined by line breaks; valid until the next event
}

// Stream reads events. Lines end with LF or CRLF.
type Stream struct {
	lines *bufio.Reader
	host  string
	data  []byte // of the event that goes on
	long  []byte // of a line that the buffer of lines does not hold
	begun bool   // the first line was read
	read  int    // bytes of the whole stream
	event int    // bytes since the last empty line, without line breaks
}

// NewStream reads the events of a body. The host is for errors.
func NewStream(body io.Reader, host string) *Stream {
	return &Stream{lines: bufio.NewReaderSize(body, 16<<10), host: host}
}

// Next reads the next event that has data or a name. The error is io.EOF at the end of the stream, also behind half an
// event; and a [model.ErrMalformed] where the stream is longer than a reply can be.
func (s *Stream) Next() (Event, error) {
	var e Event
	s.data = s.data[:0]
	for {
		line, err := s.line()
		if err != nil {
			return Event{}, err
		}
		if len(line) == 0 {
			if e.Name == "" && len(s.data) == 0 {
				continue
			}
			e.Data = bytes.TrimSuffix(s.data, []byte("\n"))
			return e, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) { // a comment has the name ""
		case "event":
			e.Name = string(value)
		case "data":
			s.data = append(append(s.data, value...), '\n')
		}
	}
}

// line reads a line without its end. It is valid until the next one.
func (s *Stream) line() ([]byte, error) {
	line, err := s.piece()
	if errors.Is(err, bufio.ErrBufferFull) {
		s.long = append(s.long[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = s.piece()
			s.long = append(s.long, line...)
		}
		line = s.long
	}
	if err != nil {
		return nil, err
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if !s.begun {
		s.begun = true
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	if len(line) == 0 {
		s.event = 0
	}
	return line, nil
}

// piece reads a line, or as much of it as the buffer holds: then the error is bufio.ErrBufferFull.
func (s *Stream) piece() ([]byte, error) {
	piece, err := s.lines.ReadSlice('\n')
	s.read += len(piece)
	s.event += len(bytes.TrimRight(piece, "\r\n"))
	switch {
	case s.event > maxEvent:
		return nil, s.tooLong("an event", maxEvent)
	case s.read > maxStream:
		return nil, s.tooLong("a reply", maxStream)
	}
	return piece, err
}

func (s *Stream) tooLong(what string, most int) error {
	return &model.Error{
		Kind: model.ErrMalformed, Message: fmt.Sprintf("the stream from %s has %s of more than %d MiB", s.host, what, most/mebibyte),
	}
}
