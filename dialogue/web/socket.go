package web

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
)

// most is how many messages of a WebSocket wait while one is answered.
const most = 16

// socket is a WebSocket over which a conversation is held. One goroutine receives all that is read, all that is said and
// the outcomes of messages, and it alone writes. No wait is without a bound: a client that does not read is cut off.
//
// One struct: all of it belongs to that goroutine.
type socket struct {
	h       *handler        // that serves it
	request *http.Request   // that it began with
	conn    *websocket.Conn // written to by one goroutine alone
	id      string          // of the conversation

	read    chan []byte   // what the client sends
	told    chan event    // what the conversation tells it
	jobs    chan *message // messages, one at a time
	results chan outcome  // what came of them
	ended   chan error    // nil: the conversation is over
	waiting []*message    // what is to be said
	working bool          // a message is being answered, or its outcome held back
	held    *outcome      // an outcome that waits for what was said before it
	seen    uint64        // the seq of the last thing that was told
	over    bool          // the conversation is, and all of it was told
	bye     *reason       // why the connection is closed; nil for no reason
	check   *time.Ticker  // at which it is asked whether the client may still listen
}

// reason is what a connection is closed with.
type reason struct {
	code websocket.StatusCode
	text string
}

// outcome is what came of a message.
type outcome struct {
	event event
	after uint64 // it is told after the thing of this seq, the last that was said in answer
	bye   *reason
}

// result is the data of the event reply.
type result struct {
	To string `json:"to,omitempty"` // the message's id
	state
}

// failure is the data of the event error.
type failure struct {
	To     string `json:"to,omitempty"`
	Status int    `json:"status"` // as POST would have it
	*refusal
}

// connect serves a WebSocket.
func (h *handler) connect(w http.ResponseWriter, r *http.Request, id string, _ bool) {
	if !h.guard.Connects(w, r) {
		return
	}
	after, no := h.after(r, id)
	if no != nil {
		refuse(w, no)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // the origin was checked above
	if err != nil {
		return // it has been answered
	}
	conn.SetReadLimit(bodyLimit)
	s := &socket{
		h: h, request: r, conn: conn, id: id, seen: after,
		read: make(chan []byte), told: make(chan event), jobs: make(chan *message), results: make(chan outcome, 1), ended: make(chan error, 1),
	}
	s.check = time.NewTicker(h.o.Recheck)
	defer s.check.Stop()
	// The request's context is done when the server is, and not when the client goes.
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	go s.receive(ctx, stop)
	go s.ping(ctx, stop)
	go func() { s.ended <- h.follow(ctx, id, after, s.told) }()
	go s.answer(r.Context())
	s.hold(ctx)
	s.close()
	s.finish()
}

// receive reads what the client sends, also what keeps the connection alive.
func (s *socket) receive(ctx context.Context, stop context.CancelFunc) {
	defer stop()
	for {
		kind, data, err := s.conn.Read(context.WithoutCancel(ctx)) // which goes on until the connection is closed, with a reason
		if err != nil {
			return // the client has gone, or has sent more than it may, and was told
		}
		if kind != websocket.MessageText {
			_ = s.conn.Close(websocket.StatusUnsupportedData, "expected messages of text")
			return
		}
		select {
		case s.read <- data:
		case <-ctx.Done():
			return
		}
	}
}

// ping finds out whether the client is still there.
func (s *socket) ping(ctx context.Context, stop context.CancelFunc) {
	defer stop()
	for {
		select {
		case <-time.After(s.h.o.Heartbeat):
		case <-ctx.Done():
			return
		}
		waits, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.h.o.WriteTimeout)
		err := s.conn.Ping(waits)
		cancel()
		if err != nil {
			return
		}
	}
}

// answer says one message after the other. Those that have come are said, even when the client has gone.
func (s *socket) answer(ctx context.Context) {
	for m := range s.jobs {
		agent, no := s.h.may(s.request, s.id)
		if no != nil {
			s.results <- outcome{event: failed(m.ID, no), bye: &reason{websocket.StatusPolicyViolation, no.Text}}
			continue
		}
		out, no := s.h.say(ctx, s.id, agent, m)
		if no != nil {
			s.results <- outcome{event: failed(m.ID, no)}
			continue
		}
		s.results <- outcome{event: event{Event: eventReply, Data: result{m.ID, stateOf(&out)}}, after: out.Last}
	}
}

func failed(to string, no *refusal) event {
	return event{Event: eventError, Data: failure{to, no.Status, no}}
}

// hold writes to the client until there is nothing more to be said, or nobody to say it to.
func (s *socket) hold(ctx context.Context) {
	for {
		if s.held != nil && (s.seen >= s.held.after || s.over) {
			if !s.write(ctx, s.held.event) {
				return
			}
			s.bye, s.held, s.working = s.held.bye, nil, false
		}
		if s.bye != nil {
			return
		}
		if s.over && !s.working && len(s.waiting) == 0 {
			s.write(ctx, event{Event: eventEnd, Data: struct{}{}})
			s.bye = &reason{websocket.StatusNormalClosure, dialogue.ErrClosed.Error()}
			return
		}
		if !s.next(ctx) {
			return
		}
	}
}

// next takes in the next thing that happens.
func (s *socket) next(ctx context.Context) bool {
	var jobs chan<- *message
	var first *message
	if !s.working && len(s.waiting) > 0 {
		jobs, first = s.jobs, s.waiting[0]
	}
	select {
	case e := <-s.told:
		if !s.h.mayHear(s.request, s.id, &e) {
			return s.lose()
		}
		s.seen = max(s.seen, e.ID)
		return s.write(ctx, e)
	case <-s.check.C:
		if _, no := s.h.may(s.request, s.id); no != nil {
			return s.lose()
		}
	case data := <-s.read:
		return s.take(ctx, data)
	case jobs <- first:
		s.waiting, s.working = s.waiting[1:], true
	case o := <-s.results:
		s.held = &o
	case err := <-s.ended:
		if err == nil {
			s.over = true
			return true
		}
		s.bye = &reason{websocket.StatusInternalError, "an internal error"}
		if no := s.h.explain(ctx, s.id, err); no.Code == string(fermata.CodeStopped) {
			s.bye = &reason{websocket.StatusGoingAway, no.Text}
		}
		return false
	case <-ctx.Done():
		return false
	}
	return true
}

// lose ends a connection whose client may not listen any more.
func (s *socket) lose() bool {
	s.bye = &reason{websocket.StatusPolicyViolation, "not allowed"}
	return false
}

// take takes a message of the client in.
func (s *socket) take(ctx context.Context, data []byte) bool {
	m := new(message)
	no := m.read(data)
	if no == nil && len(s.waiting) >= most {
		no = &refusal{http.StatusTooManyRequests, "too many messages wait; it was not taken", string(fermata.CodeLimit)}
	}
	if no != nil {
		return s.write(ctx, failed(m.ID, no))
	}
	s.waiting = append(s.waiting, m)
	return true
}

// write gives the client an event; false where it is gone or does not read.
func (s *socket) write(ctx context.Context, e event) bool {
	data, err := json.Marshal(e)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.h.o.WriteTimeout)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, data) == nil
}

// close closes the connection, with a reason where there is one.
func (s *socket) close() {
	if s.bye == nil && s.request.Context().Err() != nil {
		s.bye = &reason{websocket.StatusGoingAway, "the server is shutting down"}
	}
	if s.bye != nil {
		_ = s.conn.Close(s.bye.code, s.bye.text) // who has gone does not need to know
	}
	_ = s.conn.CloseNow()
}

// finish says what had come before the connection was closed.
func (s *socket) finish() {
	defer close(s.jobs)
	if s.working && s.held == nil {
		<-s.results
	}
	for _, m := range s.waiting {
		s.jobs <- m
		<-s.results
	}
}
