package server

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/fermata-go/fermata"
)

// The bytes that a stream holds for a client that does not read, and keeps for one that has read them.
const (
	mostPending = 32 << 10
	mostKept    = 16 << 10
)

// stream is the output to one client. Producers of events append them; a goroutine writes what is there whenever
// the client has taken what came before. So nothing waits for more to come, and a burst is one write.
type stream struct {
	w         http.ResponseWriter
	control   *http.ResponseController
	heartbeat time.Duration
	timeout   time.Duration
	done      <-chan struct{} // of the context of the stream
	give      context.CancelFunc

	mu      sync.Mutex
	pending []byte

	more    chan struct{} // there is something to write
	room    chan struct{} // what was pending has been taken
	quit    chan struct{} // nothing more comes
	written chan struct{} // the writing goroutine has ended
}

// newStream begins to write. The stream is given up, by calling give, when the client does not read.
func newStream(ctx context.Context, give context.CancelFunc, w http.ResponseWriter, o *Options) *stream {
	s := &stream{
		w: w, control: http.NewResponseController(w), heartbeat: o.Heartbeat, timeout: o.WriteTimeout,
		done: ctx.Done(), give: give,
		more: make(chan struct{}, 1), room: make(chan struct{}, 1), quit: make(chan struct{}), written: make(chan struct{}),
	}
	go s.write()
	return s
}

// event appends an event of the run.
func (s *stream) event(e *fermata.Event) error {
	s.mu.Lock()
	b, err := appendEvent(s.pending, e)
	return s.appended(b, err)
}

// text appends what is formed already.
func (s *stream) text(text string) {
	s.mu.Lock()
	_ = s.appended(append(s.pending, text...), nil)
}

// named appends an event of the stream itself.
func (s *stream) named(name string, what any) { s.text(named(name, what)) }

// appended takes what is pending now, unlocks, and waits while that is too much.
func (s *stream) appended(b []byte, err error) error {
	if err != nil {
		s.mu.Unlock()
		return err
	}
	first := len(s.pending) == 0
	s.pending = b
	full := len(b) >= mostPending
	if full {
		select {
		case <-s.room: // of an earlier time
		default:
		}
	}
	s.mu.Unlock()
	if first {
		select {
		case s.more <- struct{}{}:
		default: // the writer has taken what was pending without being called, and will look again
		}
	}
	if full {
		select {
		case <-s.room:
		case <-s.done:
		}
	}
	return nil
}

// close writes what is still pending and ends the stream. Nothing is appended after it.
func (s *stream) close() {
	close(s.quit)
	<-s.written
}

// write is the writing goroutine.
func (s *stream) write() {
	defer close(s.written)
	silence := time.NewTimer(s.heartbeat)
	defer silence.Stop()
	var batch []byte
	for over := false; !over; {
		silent := false
		select {
		case <-s.more:
			runtime.Gosched() // a producer that is about to append does so now
		case <-silence.C:
			silent = true
		case <-s.quit:
			over = true
		}
		batch = s.take(batch)
		if silent && len(batch) == 0 {
			batch = append(batch, ": still here\n\n"...)
		}
		if len(batch) > 0 && !s.send(batch) {
			s.give()
			return
		}
		silence.Reset(s.heartbeat)
	}
	_ = s.control.SetWriteDeadline(time.Time{}) // the connection may serve another request
}

// take returns what is pending, in exchange for what has been written.
func (s *stream) take(written []byte) []byte {
	if cap(written) > mostKept {
		written = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	batch := s.pending
	s.pending = written[:0]
	select {
	case s.room <- struct{}{}:
	default:
	}
	return batch
}

// send writes and flushes; false when the client is gone or does not read.
func (s *stream) send(batch []byte) bool {
	_ = s.control.SetWriteDeadline(time.Now().Add(s.timeout)) // a writer without deadlines is a test's
	if _, err := s.w.Write(batch); err != nil {
		return false
	}
	return s.control.Flush() == nil
}
