package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// structuredMember of a result is what the SDK reads into float64 and the like.
const structuredMember = "structuredContent"

// exact is a message of a server in whose result the structured content stands as a text: the SDK would read its numbers
// as float64, which has not all their digits and no place for 1e400. What is no such message stays as it is.
func exact(message []byte) []byte {
	var outer map[string]json.RawMessage
	if !bytes.Contains(message, []byte(structuredMember)) || json.Unmarshal(message, &outer) != nil {
		return message
	}
	outer["result"] = exactResult(outer["result"])
	if written, err := json.Marshal(outer); err == nil {
		return written
	}
	return message
}

// exactResult is the same for a result alone.
func exactResult(result json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(result, &members) != nil {
		return result
	}
	content := bytes.TrimSpace(members[structuredMember])
	if len(content) == 0 || string(content) == "null" {
		return result
	}
	text, err := json.Marshal(string(content))
	if err != nil {
		return result
	}
	members[structuredMember] = text
	if written, err := json.Marshal(members); err == nil {
		return written
	}
	return result
}

// exactTransport does it for a program.
type exactTransport struct{ sdk.Transport }

// Connect implements sdk.Transport.
func (t exactTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return exactConnection{c}, nil
}

type exactConnection struct{ sdk.Connection }

// Read implements sdk.Connection.
func (c exactConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Response); ok && bytes.Contains(r.Result, []byte(structuredMember)) {
		r.Result = exactResult(r.Result)
	}
	return m, err
}

// exactBody gives what a server says over HTTP: one message, or events with a message behind their "data:". A message
// in several such lines stays as it is.
type exactBody struct {
	io.ReadCloser
	events bool
	in     *bufio.Reader
	rest   []byte
	err    error
}

func newExactBody(of io.ReadCloser, events bool) *exactBody {
	return &exactBody{ReadCloser: of, events: events, in: bufio.NewReader(of)}
}

// Read implements io.Reader.
func (b *exactBody) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		if b.events {
			b.next()
		} else if b.rest, b.err = io.ReadAll(b.in); b.err == nil {
			b.rest, b.err = exact(b.rest), io.EOF
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// next reads a line. Of one that is too long for an answer a part is given as it is: who reads it refuses it.
func (b *exactBody) next() {
	var line []byte
	for {
		part, err := b.in.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			b.err = err
			break
		}
		if len(line) > mostOfAnAnswer {
			b.rest = line
			return
		}
	}
	message, event := bytes.CutPrefix(line, []byte("data:"))
	message = bytes.TrimSpace(message)
	b.rest = line
	if written := exact(message); !bytes.Equal(written, message) {
		b.rest = nil
		if event {
			b.rest = []byte("data: ")
		}
		b.rest = append(append(b.rest, written...), '\n')
	}
}
