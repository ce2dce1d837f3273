package modeltest

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"testing"
)

// Answer is what a [Server] answers.
type Answer struct {
	Status int         // defaults to 200
	Header http.Header // beside Content-Type, which is text/event-stream where it is not set
	Body   []byte
	Drip   bool // one byte at a time
	Cut    bool // the connection breaks behind the body, in place of ending
	// Again is said over and over behind the body, until nobody listens any more. Then Gone is closed, if there is one.
	Again []byte
	Gone  chan<- struct{}
}

// File is an answer with the content of a file, which may be cut, dripped or given a status.
func File(t testing.TB, path string) Answer {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Answer{Body: data}
}

// Request is what a [Server] was asked.
type Request struct {
	Method string
	Path   string
	Header http.Header
	Body   []byte
}

// Server is a service that answers everything alike, on this machine. It ends with the test.
type Server struct {
	URL string

	answer   Answer
	mu       sync.Mutex
	requests []Request
}

// Serve starts a server.
func Serve(t testing.TB, a Answer) *Server {
	t.Helper()
	s := &Server{answer: a}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Requests are what it was asked, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP notes the request and answers it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body})
	s.mu.Unlock()

	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	maps.Copy(w.Header(), s.answer.Header)
	if s.answer.Status != 0 {
		w.WriteHeader(s.answer.Status)
	}
	say(w, s.answer.Body, s.answer.Drip)
	for s.answer.Again != nil && r.Context().Err() == nil {
		say(w, s.answer.Again, false)
	}
	if s.answer.Gone != nil {
		close(s.answer.Gone)
	}
	if s.answer.Cut {
		panic(http.ErrAbortHandler)
	}
}

// say writes at once. Nobody listening is noticed by the request's context.
func say(w http.ResponseWriter, data []byte, drip bool) {
	step := max(len(data), 1)
	if drip {
		step = 1
	}
	for piece := range slices.Chunk(data, step) {
		_, _ = w.Write(piece)
		_ = http.NewResponseController(w).Flush()
	}
}
