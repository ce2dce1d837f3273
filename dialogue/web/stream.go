package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/fermata-go/fermata/dialogue"
)

// event is what a client is told: over a stream with its name and id as server-sent events have them, over a WebSocket
// as it is.
type event struct {
	Event string `json:"event"`
	ID    uint64 `json:"id,omitempty"` // the seq to come back with
	Data  any    `json:"data"`
}

// Names of events.
const (
	eventMessage = "message" // something was said: a dialogue.Delivery
	eventPiece   = "piece"   // an action streams something: a dialogue.Piece
	eventReply   = "reply"   // of a WebSocket: what came of a message
	eventError   = "error"   // of a WebSocket: why a message was not taken
	eventEnd     = "end"     // the conversation is over
)

// after is where a reader wants to begin: behind an event that there is. One that comes back repeats its address, so the
// header counts more.
func (h *handler) after(r *http.Request, id string) (uint64, *refusal) {
	from := r.URL.Query().Get("after")
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		from = last
	}
	standing, err := h.talks.Standing(r.Context(), id)
	if err != nil {
		return 0, h.explain(r.Context(), id, err)
	}
	if from == "" {
		return 0, nil
	}
	after, err := strconv.ParseUint(from, 10, 64)
	switch {
	case err != nil:
		return 0, malformed(fmt.Sprintf("expected the seq of an event to begin after, found %q", from))
	case after > standing.Seq:
		return 0, malformed(fmt.Sprintf("there is no event %d yet: the last one is %d", after, standing.Seq))
	}
	return after, nil
}

// follow tells what is said in a conversation after a seq, until it is over: then it returns nil. One that a process has
// left in the middle of a turn goes on.
func (h *handler) follow(ctx context.Context, id string, after uint64, told chan<- event) error {
	if h.o.ReadOnly {
		return h.talks.Follow(ctx, id, after, teller(told))
	}
	go func() {
		if err := h.talks.Resume(ctx, id); err != nil && ctx.Err() == nil {
			h.explain(ctx, id, err) // which logs it
		}
	}()
	return h.talks.Follow(ctx, id, after, teller(told))
}

// teller is a sink that tells a client.
type teller chan<- event

// Deliver implements dialogue.Sink.
func (t teller) Deliver(ctx context.Context, d dialogue.Delivery) error {
	return t.tell(ctx, event{eventMessage, d.Seq, d})
}

// Stream implements dialogue.Streamer.
func (t teller) Stream(ctx context.Context, p dialogue.Piece) {
	_ = t.tell(ctx, event{Event: eventPiece, Data: p}) // who has gone misses nothing that counts
}

func (t teller) tell(ctx context.Context, e event) error {
	select {
	case t <- e:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// listen streams what is said.
func (h *handler) listen(w http.ResponseWriter, r *http.Request, id string, _ bool) {
	after, no := h.after(r, id)
	if no != nil {
		refuse(w, no)
		return
	}
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	told := make(chan event)
	ended := make(chan error, 1)
	go func() { ended <- h.follow(ctx, id, after, told) }()

	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	check := time.NewTicker(h.o.Recheck)
	defer check.Stop()
	s := &stream{w: w, control: http.NewResponseController(w), timeout: h.o.WriteTimeout}
	for ok := s.write(": hello\n\n"); ok; {
		select {
		case e := <-told:
			ok = h.mayHear(r, id, &e) && s.tell(e)
		case <-check.C:
			_, lost := h.may(r, id)
			ok = lost == nil
		case <-time.After(h.o.Heartbeat):
			ok = s.write(": still here\n\n")
		case err := <-ended:
			if err == nil {
				s.tell(event{Event: eventEnd, Data: struct{}{}})
			} else {
				h.explain(ctx, id, err) // which logs it; the client comes back
			}
			_ = s.control.SetWriteDeadline(time.Time{}) // the connection may serve another request
			return
		}
	}
}

// mayHear reports whether who listens may still be told something that was said (law H8).
func (h *handler) mayHear(r *http.Request, id string, e *event) bool {
	if e.Event != eventMessage {
		return true
	}
	_, no := h.may(r, id)
	return no == nil
}

// stream is what a client of server-sent events reads.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
}

func (s *stream) write(text string) bool {
	_ = s.control.SetWriteDeadline(time.Now().Add(s.timeout)) // a writer without deadlines is a test's
	_, err := io.WriteString(s.w, text)
	return err == nil && s.control.Flush() == nil
}

func (s *stream) tell(e event) bool {
	data, err := json.Marshal(e.Data)
	if err != nil {
		return false
	}
	head := ""
	if e.Event != eventMessage { // which is what events are that have no name
		head = "event: " + e.Event + "\n"
	}
	if e.ID > 0 {
		head += "id: " + strconv.FormatUint(e.ID, 10) + "\n"
	}
	return s.write(head + "data: " + string(data) + "\n\n")
}
