package resp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestCommands(t *testing.T) {
	got, err := appendCommand(nil, []any{"SET", "é", []byte("\r\n"), 7, int64(-1), uint64(1 << 63)})
	want := "*6\r\n$3\r\nSET\r\n$2\r\né\r\n$2\r\n\r\n\r\n$1\r\n7\r\n$2\r\n-1\r\n$19\r\n9223372036854775808\r\n"
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := appendCommand(nil, []any{"SET", 1.5}); err == nil || err.Error() != "an argument of SET is a float64; expected a string, []byte or an integer" {
		t.Errorf("a float: %v", err)
	}
}

func TestReplies(t *testing.T) {
	long := strings.Repeat("long", 30_000)
	for text, want := range map[string]any{
		"+OK\r\n":                              "OK",
		"-ERR no\r\n":                          Error("ERR no"),
		":-7\r\n":                              int64(-7),
		"$0\r\n\r\n":                           "",
		"$4\r\na\r\nb\r\n":                     "a\r\nb",
		"$-1\r\n":                              nil,
		"*-1\r\n":                              nil,
		"*0\r\n":                               []any{},
		"*3\r\n$-1\r\n*1\r\n:1\r\n-ERR no\r\n": []any{nil, []any{int64(1)}, Error("ERR no")},
		"$120000\r\n" + long + "\r\n":          long,
		"*2\r\n$120000\r\n" + long + "\r\n:1\r\n": []any{long, int64(1)},
	} {
		for _, body := range []io.Reader{strings.NewReader(text + "+next\r\n"), iotest.OneByteReader(strings.NewReader(text + "+next\r\n"))} {
			r := bufio.NewReaderSize(body, maxLine)
			got, err := readReply(r, 0)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%.40q: %v (-want +got):\n%s", text, err, diff)
			}
			if next, err := readReply(r, 0); next != "next" || err != nil {
				t.Errorf("%.40q: the reply behind it is %v, %v", text, next, err)
			}
		}
	}
}

// A server that is none of Redis, or breaks, is an error and takes no memory for what it only announces.
func TestRepliesThatAreNone(t *testing.T) {
	for text, want := range map[string]error{
		"":                                 io.EOF,
		"+OK":                              io.EOF,
		"HTTP/1.1 400 Bad Request\r\n":     errProtocol,
		"+OK\n":                            errProtocol,
		"\r\n":                             errProtocol,
		":x\r\n":                           errProtocol,
		"$-2\r\n":                          errProtocol,
		"$536870913\r\n":                   errProtocol,
		"$536870912\r\nshort":              io.ErrUnexpectedEOF,
		"$2\r\nabc\r\n":                    errProtocol,
		"$2\r\na":                          io.EOF,
		"*99999999\r\n":                    errProtocol,
		"*16777216\r\n:1\r\n":              io.EOF,
		strings.Repeat("*1\r\n", 100):      errProtocol,
		"+" + strings.Repeat("x", maxLine): errProtocol,
	} {
		if got, err := readReply(bufio.NewReaderSize(strings.NewReader(text), maxLine), 0); !errors.Is(err, want) {
			t.Errorf("%.40q is read as %v, %v; want %v", text, got, err, want)
		}
	}
}

// What a reply is taken for says what it is, and the server's errors pass.
func TestReplyTypes(t *testing.T) {
	refused := Error("WRONGTYPE no")
	_, strings1 := Strings([]any{"a", int64(1)}, nil)
	_, strings2 := Strings([]any{"a", refused}, nil)
	_, list := List("a", nil)
	_, number := Int(refused, nil)
	_, _, text := Text(int64(1), nil)
	for want, err := range map[string]error{
		"the server replied with int64; expected a list of strings": strings1,
		"WRONGTYPE no": strings2, "the server replied with string; expected a list": list, "the server replied with int64; expected a string": text,
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if !errors.Is(number, refused) {
		t.Errorf("got %v", number)
	}
	if text, found, err := Text(nil, nil); text != "" || found || err != nil {
		t.Errorf("nil is the text %q, %v, %v", text, found, err)
	}
}

// FuzzReply: no bytes make the reader fail otherwise than by an error, and pieces read as the whole does.
func FuzzReply(f *testing.F) {
	f.Add([]byte("*3\r\n$-1\r\n*1\r\n:1\r\n-ERR no\r\n"))
	f.Add([]byte("$5\r\nhello\r\n+OK\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		one, errOne := readReply(bufio.NewReaderSize(bytes.NewReader(data), maxLine), 0)
		two, errTwo := readReply(bufio.NewReaderSize(iotest.OneByteReader(bytes.NewReader(data)), maxLine), 0)
		if diff := cmp.Diff(one, two); diff != "" || (errOne == nil) != (errTwo == nil) {
			t.Errorf("%v, %v (-whole +pieces):\n%s", errOne, errTwo, diff)
		}
	})
}

// Addresses are read as other clients read them, with their options.
func TestParseURL(t *testing.T) {
	type place struct {
		Network, Addr, User, Password, Name string
		DB, Size                            int
		TLS                                 bool
	}
	for text, want := range map[string]place{
		"redis://":                              {Network: "tcp", Addr: "localhost:6379"},
		"redis://:word@[::1]/3":                 {Network: "tcp", Addr: "[::1]:6379", Password: "word", DB: 3},
		"redis://me:w%2Frd@h:1/?db=2":           {Network: "tcp", Addr: "h:1", User: "me", Password: "w/rd", DB: 2},
		"rediss://h?pool_size=4&client_name=me": {Network: "tcp", Addr: "h:6379", TLS: true, Size: 4, Name: "me"},
		"unix://me:word@/run/s?db=1&protocol=3": {Network: "unix", Addr: "/run/s", User: "me", Password: "word", DB: 1},
	} {
		c, err := ParseURL(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := place{c.Network, c.Addr, c.User, c.Password, c.ClientName, c.DB, c.PoolSize, c.TLS != nil}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for text, want := range map[string]string{
		"redis://h/secret":               "the path is not the number of a database",
		"redis://h/0/1":                  "the path is not the number of a database",
		"unix://":                        "no path of a socket",
		"http://h":                       "not the address of a Redis server",
		"redis://h?pool=1":               "unknown option: pool",
		"redis://h?skip_verify=true":     "unknown option: skip_verify",
		"redis://h?pool_size=secret":     "the option pool_size has a value that is not one",
		"redis://h?read_timeout=secret":  "the option read_timeout has a value that is not one",
		"rediss://h?skip_verify=perhaps": "the option skip_verify has a value that is not one",
	} {
		if _, err := ParseURL(text); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
