package resp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Error is an error that the server replies: a code in capitals, and what it says.
type Error string

func (e Error) Error() string { return string(e) }

// ErrClosed is that a client is closed.
var ErrClosed = errors.New("the client is closed")

// errProtocol is a reply that is not one of the protocol. Its connection is of no more use.
var errProtocol = errors.New("the server's reply is not one of the Redis protocol")

// Limits of what a server may reply, so that a foreign or a broken one does not fill the memory.
const (
	maxBulk  = 512 << 20 // Redis has the same limit
	maxArray = 16 << 20
	maxDepth = 8
	maxLine  = 64 << 10
)

// appendCommand appends a command: its name and its arguments, which are strings, []byte, int, int64 or uint64.
func appendCommand(b []byte, args []any) ([]byte, error) {
	b = append(strconv.AppendInt(append(b, '*'), int64(len(args)), 10), "\r\n"...)
	for _, arg := range args {
		switch v := arg.(type) {
		case string:
			b = appendBulk(b, v)
		case []byte:
			b = appendBulk(b, v)
		case int:
			b = appendBulk(b, strconv.Itoa(v))
		case int64:
			b = appendBulk(b, strconv.FormatInt(v, 10))
		case uint64:
			b = appendBulk(b, strconv.FormatUint(v, 10))
		default:
			return nil, fmt.Errorf("an argument of %v is a %T; expected a string, []byte or an integer", args[0], arg)
		}
	}
	return b, nil
}

func appendBulk[T string | []byte](b []byte, v T) []byte {
	b = append(strconv.AppendInt(append(b, '$'), int64(len(v)), 10), "\r\n"...)
	return append(append(b, v...), "\r\n"...)
}

// readReply reads a reply: a string, an int64, nil, an Error or a list of replies. The error is of the connection.
func readReply(r *bufio.Reader, depth int) (any, error) {
	line, err := readLine(r)
	if err != nil {
		return nil, err
	}
	if len(line) == 0 || depth > maxDepth {
		return nil, errProtocol
	}
	text := string(line[1:])
	switch line[0] {
	case '+':
		return text, nil
	case '-':
		return Error(text), nil
	case ':':
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, errProtocol
		}
		return n, nil
	case '$':
		return readBulk(r, text)
	case '*':
		return readArray(r, text, depth)
	}
	return nil, errProtocol
}

// readLine reads a line without its end. It is valid until the next read.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, errProtocol
	case err != nil:
		return nil, err
	case len(line) < 2 || line[len(line)-2] != '\r':
		return nil, errProtocol
	}
	return line[:len(line)-2], nil
}

// readSize reads the size of a bulk string or an array: -1 for nil.
func readSize(text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < -1 || n > most {
		return 0, errProtocol
	}
	return n, nil
}

func readBulk(r *bufio.Reader, text string) (any, error) {
	n, err := readSize(text, maxBulk)
	if err != nil || n < 0 {
		return nil, err
	}
	var data []byte
	if n+2 <= r.Size() {
		data, err = r.Peek(n + 2)
	} else if data, err = io.ReadAll(io.LimitReader(r, int64(n+2))); err == nil && len(data) < n+2 {
		err = io.ErrUnexpectedEOF // as long as it is not there, it takes no memory
	}
	if err != nil {
		return nil, err
	}
	if string(data[n:]) != "\r\n" {
		return nil, errProtocol
	}
	bulk := string(data[:n])
	if n+2 <= r.Size() {
		_, err = r.Discard(n + 2)
	}
	return bulk, err
}

func readArray(r *bufio.Reader, text string, depth int) (any, error) {
	n, err := readSize(text, maxArray)
	if err != nil || n < 0 {
		return nil, err
	}
	list := make([]any, 0, min(n, 1024))
	for range n {
		v, err := readReply(r, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// Strings is a reply that is a list of strings. It takes what Client.Do returns.
func Strings(reply any, err error) ([]string, error) {
	list, err := List(reply, err)
	texts := make([]string, len(list))
	for i, v := range list {
		text, ok := v.(string)
		if !ok {
			return nil, unexpected("a list of strings", v)
		}
		texts[i] = text
	}
	return texts, err
}

// List is a reply that is a list.
func List(reply any, err error) ([]any, error) {
	list, ok := reply.([]any)
	if err == nil && !ok {
		err = unexpected("a list", reply)
	}
	return list, err
}

// Int is a reply that is an integer.
func Int(reply any, err error) (int64, error) {
	n, ok := reply.(int64)
	if err == nil && !ok {
		err = unexpected("an integer", reply)
	}
	return n, err
}

// Text is a reply that is a string, and whether there is one.
func Text(reply any, err error) (text string, found bool, _ error) {
	text, found = reply.(string)
	if err == nil && !found && reply != nil {
		err = unexpected("a string", reply)
	}
	return text, found, err
}

func unexpected(want string, got any) error {
	if said, ok := got.(Error); ok {
		return said
	}
	return fmt.Errorf("the server replied with %T; expected %s", got, want)
}
