package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

const (
	benchStreams = 1000
	benchChunks  = 1000
	benchChunk   = "tokens "
)

// BenchmarkSSE streams the text of 1,000 runs at once, 1,000 chunks each, to as many clients on this machine, and
// beside it the same bytes from a handler that does nothing but write them, chunk by chunk. One op is all of it. Clients
// count what they get: nothing is lost. Reported are
//
//	ns/chunk         until the last client has all
//	engine-ns/chunk  until the last run has ended, of fermata
//	B/stream         what the last collection of garbage before that found in use, stacks included, clients too
func BenchmarkSSE(b *testing.B) {
	frames := benchFrames(b)
	b.Run("fermata", func(b *testing.B) {
		rt, err := fermata.New(fermata.Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer rt.Close()
		benchSSE(b, frames, server.New(rt, server.Options{}), func() *race { return fermataRace(b, rt) })
	})
	b.Run("net-http", func(b *testing.B) {
		r := &race{}
		benchSSE(b, frames, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			control := http.NewResponseController(w)
			for i, frame := range frames {
				if i == 3 { // as runs do: after retry and the first two events
					r.ready.Done()
					<-r.begin
				}
				if _, err := w.Write(frame); err != nil {
					return
				}
				if err := control.Flush(); err != nil {
					return
				}
			}
		}), func() *race {
			*r = race{begin: make(chan struct{}), path: func(int) string { return "/" }, ended: func() {}}
			r.ready.Add(benchStreams)
			return r
		})
	})
}

// race is what happens between a start and an end.
type race struct {
	ready sync.WaitGroup // of the writers
	begin chan struct{}
	path  func(i int) string
	ended func() // waits until nothing is left to be written
}

// fermataRace starts runs that wait for the start before they write.
func fermataRace(b *testing.B, rt *fermata.Runtime) *race {
	r := &race{begin: make(chan struct{})}
	g := benchGraph(func() { r.ready.Done(); <-r.begin })
	r.ready.Add(benchStreams)
	runs := make([]*graph.Run[draft], benchStreams)
	for i := range runs {
		var err error
		if runs[i], err = g.Start(b.Context(), rt, draft{}); err != nil {
			b.Fatal(err)
		}
	}
	r.path = func(i int) string { return "/runs/" + runs[i].ID() + "/events" }
	r.ended = func() {
		for _, run := range runs {
			ends(b, run, fermata.Completed)
		}
	}
	return r
}

func benchGraph(begin func()) *graph.Graph[draft] {
	return graph.New[draft]("bench").Node("write", func(ctx node.Context, d draft) (draft, error) {
		begin()
		s, err := node.Stream(ctx, "answer")
		for i := 0; i < benchChunks && err == nil; i++ {
			err = s.Write(benchChunk)
		}
		if err != nil {
			return d, err
		}
		return d, s.Close()
	}).Edge(graph.Start, "write").MustCompile()
}

// benchFrames is what the stream of such a run consists of.
func benchFrames(b *testing.B) [][]byte {
	w := newWorld(b, fermata.Options{}, server.Options{})
	begin := make(chan struct{})
	run := w.start(b, benchGraph(func() { <-begin }), fermata.WithID("run_01a1ffba-c993-74bc-bb12-d1e48b2d22ae"))
	r := w.read(b, "/runs/"+run.ID()+"/events")
	read := func() []byte {
		var frame []byte
		for {
			line, err := r.lines.ReadBytes('\n')
			if err != nil {
				b.Fatal(err)
			}
			if frame = append(frame, line...); len(line) == 1 {
				return frame
			}
		}
	}
	frames := [][]byte{read(), read(), read()}
	close(begin)
	for !bytes.HasPrefix(frames[len(frames)-1], []byte("event: end")) {
		frames = append(frames, read())
	}
	if want := 1 + 6 + benchChunks + 1; len(frames) != want {
		b.Fatalf("a stream has %d frames, want retry, 6 stored events, %d chunks and the end", len(frames), benchChunks)
	}
	return frames
}

// benchSSE lets clients read what a handler streams.
func benchSSE(b *testing.B, frames [][]byte, handler http.Handler, prepare func() *race) {
	var want int
	for _, frame := range frames {
		want += bytes.Count(frame, []byte("\n"))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	front := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = front.Serve(listener) }()
	defer front.Close()
	transport := &http.Transport{MaxIdleConnsPerHost: benchStreams, DisableCompression: true}
	defer transport.CloseIdleConnections()
	var engine time.Duration
	var inUse uint64
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		runtime.GC()
		before := liveBytes()
		r := prepare()
		var clients sync.WaitGroup
		attached := make(chan struct{}, benchStreams)
		for i := range benchStreams {
			url := "http://" + listener.Addr().String() + r.path(i)
			clients.Go(func() {
				if got := benchClient(b.Context(), transport, url, attached); got != want {
					b.Errorf("client %d has %d lines of %d", i, got, want)
				}
			})
		}
		r.ready.Wait()
		for range benchStreams {
			<-attached
		}
		b.StartTimer()
		began := time.Now()
		close(r.begin)
		r.ended()
		engine += time.Since(began)
		inUse = max(inUse, liveBytes()-before)
		clients.Wait()
	}
	chunks := float64(b.N) * benchStreams * benchChunks
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/chunks, "ns/chunk")
	b.ReportMetric(float64(engine.Nanoseconds())/chunks, "engine-ns/chunk")
	b.ReportMetric(float64(inUse)/benchStreams, "B/stream")
	b.ReportMetric(0, "ns/op")
}

// liveBytes is what the last collection of garbage found in use, and the stacks.
func liveBytes() uint64 {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64()
}

// benchClient counts the lines of a stream. It says when it has the first events.
func benchClient(ctx context.Context, transport *http.Transport, url string, attached chan<- struct{}) int {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return -1
	}
	res, err := transport.RoundTrip(r)
	if err != nil {
		fmt.Println(err)
		return -1
	}
	defer res.Body.Close()
	lines, buffer := 0, make([]byte, 4<<10)
	for {
		n, err := res.Body.Read(buffer)
		lines += bytes.Count(buffer[:n], []byte("\n"))
		if attached != nil && lines >= 2+3+3 {
			attached <- struct{}{}
			attached = nil
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				return -1
			}
			return lines
		}
	}
}
