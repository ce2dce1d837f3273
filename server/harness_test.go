package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// soon is how long a test waits for what must come.
const soon = 2 * time.Minute

// draft is what the graphs of these tests carry.
type draft struct {
	Text     string
	Approved bool
}

// decision is an answer with a schema of some substance.
type decision struct {
	Approve bool   `json:"approve"`
	Note    string `json:"note,omitempty"`
}

// world is a runtime behind a handler, with its log.
type world struct {
	rt   *fermata.Runtime
	http *httptest.Server
	log  *lawtest.Log
}

func newWorld(t testing.TB, ro fermata.Options, so server.Options) *world {
	t.Helper()
	w := &world{log: &lawtest.Log{}}
	logger := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if ro.Store == nil {
		ro.Store = memory.New()
	}
	if ro.Logger = logger; so.Logger == nil {
		so.Logger = logger
	}
	var err error
	if w.rt, err = fermata.New(ro); err != nil {
		t.Fatal(err)
	}
	w.http = httptest.NewServer(server.New(w.rt, so))
	t.Cleanup(func() {
		if err := w.rt.Close(); err != nil {
			t.Error(err)
		}
		w.http.Close()
	})
	return w
}

func (w *world) start(t testing.TB, g *graph.Graph[draft], opts ...fermata.StartOption) *graph.Run[draft] {
	t.Helper()
	run, err := g.Start(t.Context(), w.rt, draft{}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// question waits until the run asks, and returns the id of what it asks.
func question(t testing.TB, run *graph.Run[draft]) string {
	t.Helper()
	res := ends(t, run, fermata.Paused)
	if len(res.Interrupts) != 1 {
		t.Fatalf("%d questions are open, want 1", len(res.Interrupts))
	}
	return res.Interrupts[0].ID
}

func ends(t testing.TB, run *graph.Run[draft], want fermata.Status) graph.Result[draft] {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	res, err := run.Wait(ctx)
	if err != nil || res.Status != want {
		t.Fatalf("the run is %q (%v, %v), want %q", res.Status, res.Err, err, want)
	}
	return res
}

// asks is a graph of one node that asks for a decision.
func asks(opts ...node.AskOption) *graph.Graph[draft] {
	return graph.New[draft]("asks").Node("ask", func(ctx node.Context, d draft) (draft, error) {
		is, err := node.Interrupt[decision](ctx, map[string]string{"draft": d.Text}, opts...)
		d.Approved = is.Approve
		return d, err
	}).Edge(graph.Start, "ask").MustCompile()
}

// request makes a request and returns its status and body.
func (w *world) request(t testing.TB, method, path, body string, header ...string) (int, string) {
	t.Helper()
	res := w.do(t, method, path, body, header...)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

func (w *world) do(t testing.TB, method, path, body string, header ...string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, w.http.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := w.http.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// seen is an event as a client of the stream sees it.
type seen struct {
	ID, Name string
	Envelope envelope
	Raw      string
}

type envelope struct {
	Seq  uint64 `json:"seq"`
	Sub  uint32 `json:"sub"`
	Type string `json:"type"`
	Data struct {
		SegmentID string `json:"segmentId"`
		Text      string `json:"text"`
		SoFar     bool   `json:"soFar"`
		RequestID string `json:"requestId"`
	} `json:"data"`
}

// reader reads a stream of server-sent events.
type reader struct {
	res   *http.Response
	lines *bufio.Reader
}

func (w *world) read(t testing.TB, path string, header ...string) *reader {
	t.Helper()
	res := w.do(t, http.MethodGet, path, "", header...)
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(res.Body)
		t.Fatalf("GET %s: %s: %s", path, res.Status, body)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return &reader{res: res, lines: bufio.NewReader(res.Body)}
}

// next is the next event; its Name is "end of stream" where there is none.
func (r *reader) next() (seen, error) {
	var s seen
	for {
		line, err := r.lines.ReadString('\n')
		if err != nil {
			s.Name = "end of stream"
			return s, nil //nolint:nilerr // a stream that breaks off has come to an end, too
		}
		line = strings.TrimSuffix(line, "\n")
		field, value, _ := strings.Cut(line, ": ")
		switch field {
		case "id":
			s.ID = value
		case "event":
			s.Name = value
		case "data":
			s.Raw = value
		case "":
			if s.Raw == "" { // the end of a comment, or of what is no event
				continue
			}
			if s.Name == "" {
				if err := json.Unmarshal([]byte(s.Raw), &s.Envelope); err != nil {
					return s, fmt.Errorf("%s: %w", s.Raw, err)
				}
			}
			return s, nil
		}
	}
}

// all are the events up to one that has a name, and that one.
func (r *reader) all(t testing.TB) []seen {
	t.Helper()
	var all []seen
	for {
		s, err := r.next()
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, s); s.Name != "" {
			return all
		}
	}
}

// folded is what a client makes of events: the stored ones, and the text of each segment as it was shown.
type folded struct {
	seqs  []uint64
	shown map[string]*strings.Builder // of open segments, and of ended ones as it was shown
	whole map[string]string           // as the end of the segment has it
}

func newFolded() *folded {
	return &folded{shown: make(map[string]*strings.Builder), whole: make(map[string]string)}
}

// add takes an event; it is an error where a segment was shown otherwise than it was.
func (f *folded) add(s seen) error {
	e := s.Envelope
	if e.Sub == 0 {
		f.seqs = append(f.seqs, e.Seq)
		if s.ID != fmt.Sprint(e.Seq) {
			return fmt.Errorf("event %d has the id %q", e.Seq, s.ID)
		}
	} else if s.ID != "" {
		return fmt.Errorf("transient event %d.%d has the id %q", e.Seq, e.Sub, s.ID)
	}
	id := e.Data.SegmentID
	switch e.Type {
	case "text.start":
		f.shown[id] = &strings.Builder{}
	case "text.delta":
		if e.Data.SoFar {
			f.shown[id] = &strings.Builder{}
		}
		f.shown[id].WriteString(e.Data.Text)
	case "text.end":
		f.whole[id] = e.Data.Text
		if got := f.shown[id].String(); !strings.HasPrefix(e.Data.Text, got) {
			return fmt.Errorf("segment %s was shown as %q, and is %q", id, got, e.Data.Text)
		}
	}
	return nil
}

// dense are the seqs from 1 to n.
func dense(n uint64) []uint64 {
	all := make([]uint64, n)
	for i := range all {
		all[i] = uint64(i) + 1
	}
	return all
}

func (w *world) head(t testing.TB, run string) uint64 {
	t.Helper()
	rows, err := w.rt.Runs(t.Context(), journal.RunFilter{ID: run})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d runs, error %v", len(rows), err)
	}
	return rows[0].Head
}

// failing is a store that cannot be read any more once it is broken.
type failing struct {
	journal.Store
	broken atomic.Bool
}

func (f *failing) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	if !f.broken.Load() {
		return f.Store.Read(ctx, run, after)
	}
	return func(yield func(journal.Entry, error) bool) {
		yield(journal.Entry{}, &journal.StoreError{Op: "read", Run: run, Err: errors.New("disk 7 is on fire")})
	}
}
