package modeltest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/model"
)

// checkFailure is about an error of a kind that says something, and has no key in it.
func checkFailure(t testing.TB, err error, kind model.Kind, says string) {
	t.Helper()
	if _, known := errors.AsType[*model.Error](err); !known || !errors.Is(err, kind) || !strings.Contains(err.Error(), says) {
		t.Errorf("it failed with %v\nwant the kind %q, and that it says %q", err, kind, says)
	}
	if err != nil && strings.Contains(err.Error(), WireKey) {
		t.Errorf("the key is in the error %v", err)
	}
}

// serve answers requests with a function, until the test ends.
func serve(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else nobody notices that the client has gone
		w.Header().Set("Content-Type", "text/event-stream")
		answer(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// roundTrip makes the requests of a client in a function.
type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// noConnection: a connection that cannot be made, or takes too long for the client, may be better the next time. It is
// no reason for the caller to think that its own time is over.
func (w Wire) noConnection(t *testing.T) {
	header, want := w.Auth("[key]")
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("no route with %s: %w", r.Header.Get(header), context.DeadlineExceeded)
	})}
	_, err := Chunks(t.Context(), w.model(t, Place{BaseURL: "https://models.example/v1", Client: client}), model.Ask("?"))
	checkFailure(t, err, model.ErrUnavailable, "no route with "+want+": context deadline exceeded")
	if errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v is taken for the end of the caller's time", err)
	}
}

// keysStayHidden: whatever is printed, logged or encoded, there is no key in it.
func (w Wire) keysStayHidden(t *testing.T) {
	m := w.model(t, Place{BaseURL: "https://models.example/v1"})
	var log bytes.Buffer
	for _, m := range []model.Model{m, model.Priced(m, model.Prices{Input: 1})} {
		slog.New(slog.NewJSONHandler(&log, nil)).Info("made", "model", m)
		slog.New(slog.NewTextHandler(&log, nil)).Info("made", "model", m)
		encoded, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{fmt.Sprint(m), fmt.Sprintf("%v %+v %#v %s %q", m, m, m, m, m), log.String(), string(encoded)} {
			if strings.Contains(text, WireKey) {
				t.Errorf("the key is in %s", text)
			}
		}
	}
}

// keysAreScrubbed: a key that does not work does not get out, wherever the service repeats it, with any status.
func (w Wire) keysAreScrubbed(t *testing.T) {
	const letters = "abcXYZ019 \":{}[].-*é\n"
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same texts with each run
	text := func() string {
		return strings.Repeat(" ", random.IntN(3)) + strings.Map(func(rune) rune { return rune(letters[random.IntN(len(letters))]) }, strings.Repeat("x", random.IntN(40)))
	}
	for status := 400; status < 600; status++ {
		body, err := json.Marshal(map[string]any{"error": map[string]any{"message": text() + WireKey + text()}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Replay(t, Answer{Status: status, Body: body}); err == nil || strings.Contains(err.Error(), WireKey) {
			t.Errorf("%d %s: the error is %v", status, body, err)
		}
	}
}

// keysDoNotFollowRedirects: neither the key nor what is asked goes where a service sends it.
func (w Wire) keysDoNotFollowRedirects(t *testing.T) {
	elsewhere := Serve(t, w.File(t, "text"))
	for _, status := range []int{301, 302, 303, 307, 308} {
		m := w.Answering(t, Answer{Status: status, Header: http.Header{"Location": {elsewhere.URL + "/v1?token=" + WireKey}}})
		_, err := Chunks(t.Context(), m, model.Ask("?"))
		checkFailure(t, err, model.ErrInvalid, "the base URL of "+w.Name+" leads elsewhere, to "+elsewhere.URL+"; name the place itself")
	}
	if got := elsewhere.Requests(); len(got) > 0 {
		t.Errorf("it was asked there: %+v", got)
	}
}

// hostileServices: no answer fills the memory, is waited for without an end, or is taken for a reply that is none.
func (w Wire) hostileServices(t *testing.T) {
	text := w.File(t, "text").Body
	first, rest, _ := bytes.Cut(text, []byte("\n\n"))
	first = append(first, "\n\n"...)
	packed := pack(t, text)
	gigabyte := bytes.Repeat(pack(t, bytes.Repeat([]byte(": comment\n"), 1<<20/10)), 1<<10)
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		says   string // by Says, where there is no kind
		kind   model.Kind
	}{
		"packed, as it was asked for": {kind: "", answer: func(rw http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				t.Error("it does not ask for gzip")
			}
			rw.Header().Set("Content-Encoding", "gzip")
			say(rw, packed, false)
		}},
		"packed otherwise": {kind: model.ErrMalformed, says: "answered with the encoding br", answer: func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Encoding", "br")
			say(rw, packed, false)
		}},
		"packed, and is not": {kind: model.ErrUnavailable, says: "gzip: invalid header", answer: func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Encoding", "gzip")
			say(rw, text, false)
		}},
		"a page": {kind: model.ErrMalformed, says: "answered with text/html in place of a stream", answer: func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			say(rw, []byte("<html>Welcome</html>"), false)
		}},
		"a page that says it is a stream": {kind: model.ErrUnavailable, says: "ended before the reply did", answer: func(rw http.ResponseWriter, _ *http.Request) {
			say(rw, []byte("<html>\n<p>Welcome</p>\n\n</html>\n"), false)
		}},
		"nothing": {kind: model.ErrUnavailable, says: "ended before the reply did", answer: func(http.ResponseWriter, *http.Request) {}},
		"a line without an end": {kind: model.ErrMalformed, says: "has an event of more than 16 MiB", answer: func(rw http.ResponseWriter, r *http.Request) {
			say(rw, first, false)
			endlessly(rw, r, []byte(strings.Repeat("data: x", 10_000)))
		}},
		"an event without an end": {kind: model.ErrMalformed, says: "has an event of more than 16 MiB", answer: func(rw http.ResponseWriter, r *http.Request) {
			endlessly(rw, r, []byte(strings.Repeat("data: x\n", 10_000)))
		}},
		"a refusal without an end": {kind: model.ErrUnavailable, says: "answered 503 Service Unavailable", answer: func(rw http.ResponseWriter, r *http.Request) {
			rw.WriteHeader(http.StatusServiceUnavailable)
			endlessly(rw, r, []byte(strings.Repeat("x", 10_000)))
		}},
		"a refusal of a gigabyte, packed": {kind: model.ErrInvalid, says: "answered 400 Bad Request", answer: func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Encoding", "gzip")
			rw.WriteHeader(http.StatusBadRequest)
			say(rw, gigabyte, false)
		}},
		"a stream of a gigabyte, packed": {kind: model.ErrMalformed, says: "has an event of more than 16 MiB", answer: func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Encoding", "gzip")
			say(rw, gigabyte, false)
		}},
		"text that is no UTF-8": {says: "\ufffd", answer: func(rw http.ResponseWriter, _ *http.Request) {
			say(rw, bytes.ReplaceAll(text, []byte("The printer"), []byte("\xff\xfe")), false)
		}},
		"arguments that are no JSON": {kind: model.ErrMalformed, says: "the arguments of its call of \"weather\" are not JSON", answer: func(rw http.ResponseWriter, _ *http.Request) {
			say(rw, bytes.ReplaceAll(w.File(t, "calls").Body, []byte(`\"days\":2}`), []byte(`\"days\":2`)), false)
		}},
		"busy for a year": {kind: model.ErrRateLimited, says: "(again in 8760h0m0s)", answer: func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Retry-After", strconv.Itoa(366*24*3600))
			rw.WriteHeader(http.StatusTooManyRequests)
		}},
		"cut within an event": {kind: model.ErrUnavailable, says: "unexpected EOF", answer: func(rw http.ResponseWriter, _ *http.Request) {
			say(rw, first, false)
			say(rw, rest[:len(rest)/3], false)
			panic(http.ErrAbortHandler)
		}},
		"half an event at its end": {kind: model.ErrUnavailable, says: "ended before the reply did", answer: func(rw http.ResponseWriter, _ *http.Request) {
			say(rw, first[:len(first)-2], false)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := model.Collect(w.model(t, Place{BaseURL: serve(t, test.answer)}).Generate(t.Context(), model.Ask("?")))
			switch {
			case test.kind != "":
				checkFailure(t, err, test.kind, test.says)
			case err != nil || test.says != "" && !strings.Contains(r.Text(), test.says) || test.says == "" && r.Text() != Says:
				t.Errorf("it said %q, %v", r.Text(), err)
			}
		})
	}
}

// endlessly says the same until nobody listens.
func endlessly(w http.ResponseWriter, r *http.Request, again []byte) {
	for r.Context().Err() == nil {
		say(w, again, false)
	}
}

func pack(t *testing.T, data []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(data); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	return packed.Bytes()
}

// FuzzWire checks that any stream of a service ends the reply once, by a finish or by an error.
//
// The error is of a kind, and has no key in it.
func FuzzWire(f *testing.F, w Wire) {
	for name := range w.Chunks {
		data := w.File(f, name).Body
		f.Add(data, false)
		f.Add(data[:len(data)*2/3], true)
	}
	for _, b := range w.Broken {
		f.Add(w.File(f, b.Name).Body, b.Cut)
	}
	f.Setenv(w.Env+"_API_KEY", WireKey)
	f.Fuzz(func(t *testing.T, data []byte, cut bool) {
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			var body io.Reader = bytes.NewReader(data)
			if cut {
				body = io.MultiReader(body, brokenBody{})
			}
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(body), Request: r}, nil
		})}
		m, err := w.Open(Place{Model: w.Model, Client: client})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Chunks(t.Context(), m, model.Ask("?"))
		finishes := 0
		for i := range got {
			if got[i].Finish != "" {
				finishes++
			}
		}
		failed, known := errors.AsType[*model.Error](err)
		switch {
		case err == nil && (finishes != 1 || got[len(got)-1].Finish == ""):
			t.Errorf("it ended %d times: %+v", finishes, got)
		case err != nil && (finishes != 0 || !known || failed.Kind == "" || strings.Contains(err.Error(), WireKey)):
			t.Errorf("it ended %d times, and failed with %v", finishes, err)
		}
	})
}

// brokenBody is of a connection that breaks.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
