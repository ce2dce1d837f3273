package remote_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model/internal/remote"
)

// event is a remote.Event that is kept.
type event struct{ Name, Data string }

func events(t testing.TB, body io.Reader) ([]event, error) {
	t.Helper()
	var list []event
	stream := remote.NewStream(body, "api.acme.example")
	for {
		e, err := stream.Next()
		if err != nil {
			return list, err
		}
		list = append(list, event{e.Name, string(e.Data)})
	}
}

func TestEvents(t *testing.T) {
	long := strings.Repeat("long ", 10_000)
	for name, test := range map[string]struct {
		body string
		want []event
	}{
		"empty":             {"", nil},
		"one":               {"data: 1\n\n", []event{{"", "1"}}},
		"without a space":   {"data:1\n\n", []event{{"", "1"}}},
		"two spaces":        {"data:  1\n\n", []event{{"", " 1"}}},
		"CRLF":              {"event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", []event{{"a", "1"}, {"", "2"}}},
		"byte order mark":   {"\ufeffdata: 1\n\ndata: 2\n\n", []event{{"", "1"}, {"", "2"}}},
		"several lines":     {"data: 1\ndata: 2\ndata\n\n", []event{{"", "1\n2\n"}}},
		"the last name":     {"event: a\nevent: b\ndata: 1\n\n", []event{{"b", "1"}}},
		"comments":          {": hello\n\n:\ndata: 1\n:\n\n", []event{{"", "1"}}},
		"other fields":      {"id: 7\nretry: 3\nDATA: 0\ndata: 1\n\n", []event{{"", "1"}}},
		"a name alone":      {"event: ping\n\ndata: 1\n\n", []event{{"ping", ""}, {"", "1"}}},
		"empty lines":       {"\n\n\r\n\ndata: 1\n\n\n\n", []event{{"", "1"}}},
		"half an event":     {"data: 1\n\ndata: 2\n", []event{{"", "1"}}},
		"half a line":       {"data: 1\n\ndata: 2", []event{{"", "1"}}},
		"invalid UTF-8":     {"data: \xff\xfe\n\n", []event{{"", "\xff\xfe"}}},
		"NUL":               {"data: \x00\n\n", []event{{"", "\x00"}}},
		"beyond the buffer": {"data: " + long + "\ndata: " + long + "\n\ndata: 1\n\n", []event{{"", long + "\n" + long}, {"", "1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, body := range []io.Reader{strings.NewReader(test.body), iotest.OneByteReader(strings.NewReader(test.body))} {
				got, err := events(t, body)
				if diff := cmp.Diff(test.want, got); diff != "" || !errors.Is(err, io.EOF) {
					t.Errorf("%v; events (-want +got):\n%s", err, diff)
				}
			}
		})
	}
}

// An error of the body is the stream's.
func TestBrokenBody(t *testing.T) {
	broken := errors.New("broken")
	got, err := events(t, io.MultiReader(strings.NewReader("data: 1\n\ndata: 2"), iotest.ErrReader(broken)))
	if diff := cmp.Diff([]event{{"", "1"}}, got); diff != "" || !errors.Is(err, broken) {
		t.Errorf("%v; events (-want +got):\n%s", err, diff)
	}
}

// FuzzEvents: events are those that a reading of the whole text gives, however it is cut into pieces.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: a\ndata: 1\n\n: c\n\ndata: 2\r\n\r\ndata"))
	f.Add([]byte("\ufeffdata\n\ndata:\n\nevent\n\n"))
	f.Add([]byte("data: " + strings.Repeat("x", 20_000) + "\r\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		want := simply(string(data))
		for _, body := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data)), iotest.DataErrReader(bytes.NewReader(data))} {
			got, err := events(t, body)
			if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, io.EOF) {
				t.Errorf("%v; events (-want +got):\n%s", err, diff)
			}
		}
	})
}

// simply reads the events of a text, line by line.
func simply(text string) []event {
	var list []event
	var name string
	var data []string
	lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	for _, line := range lines[:len(lines)-1] {
		line = strings.TrimSuffix(line, "\r")
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if name != "" || data != nil {
				list = append(list, event{name, strings.Join(data, "\n")})
			}
			name, data = "", nil
		case field == "event":
			name = value
		case field == "data":
			data = append(data, value)
		}
	}
	return list
}
