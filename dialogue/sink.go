package dialogue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// Delivery is something that was said in a conversation. Seq orders what is said in one, and grows.
type Delivery struct {
	Conversation string `json:"conversation"`
	Seq          uint64 `json:"seq"`
	Said         Said   `json:"said"`
}

// Key identifies a delivery that may come twice: "conversation/seq".
func (d *Delivery) Key() string { return fmt.Sprintf("%s/%d", d.Conversation, d.Seq) }

// Sink takes what is said to users: a WebSocket, a stream of events, a buffer, a terminal. The deliveries of one
// conversation come in order, one at a time; those of different ones at the same time. A sink that panics, or ends its
// goroutine, has not taken a delivery (law N7).
type Sink interface {
	Deliver(ctx context.Context, d Delivery) error
}

// Listen yields all that is said in a conversation after a seq, until it is over or ctx is done. Where the runtime
// is closed before, it yields fermata.ErrClosed. A listener that comes back with the last seq that it has seen misses and
// repeats nothing.
func (c *Conversations) Listen(ctx context.Context, id string, after uint64) iter.Seq2[Delivery, error] {
	return c.said(ctx, id, after, true, nil)
}

// Said yields all that was said in a conversation after a seq, up to now. A reader that keeps the seq of the last one
// and comes back with it misses and repeats nothing.
func (c *Conversations) Said(ctx context.Context, id string, after uint64) iter.Seq2[Delivery, error] {
	return c.said(ctx, id, after, false, nil)
}

// said yields what was said after a seq, and tells stream, which may be nil, of the pieces in between.
func (c *Conversations) said(ctx context.Context, id string, after uint64, follow bool, stream func(Piece)) iter.Seq2[Delivery, error] {
	return func(yield func(Delivery, error) bool) {
		var failed error
		found := streamed{dialogue: c.dialogue}
		for e, err := range c.rt.Events(ctx, id, after, follow) {
			if err != nil {
				failed = err
				break
			}
			if !isSaid(&e) {
				found.tell(&e, stream)
				continue
			}
			d, err := delivery(&e)
			if !yield(d, err) || err != nil {
				return
			}
		}
		if failed == nil && follow && ctx.Err() == nil {
			failed = c.ended(ctx, id)
		}
		if errors.Is(failed, journal.ErrClosed) {
			failed = closed(id)
		}
		if failed != nil {
			yield(Delivery{}, failed)
		}
	}
}

// ended says why there is nothing more to hear; nil where the conversation is over.
func (c *Conversations) ended(ctx context.Context, id string) error {
	info, err := c.rt.Info(context.WithoutCancel(ctx), id)
	if err == nil && !info.Ended() {
		return closed(id)
	}
	return err
}

// closed says that the runtime was closed before the conversation was over.
func closed(id string) error {
	return &fermata.Error{Code: fermata.CodeStopped, Run: id, Err: fermata.ErrClosed}
}

// saidIn is what was said in answer to a message, by its turn, and the seq of the last of it.
func (c *Conversations) saidIn(ctx context.Context, id string, turn int) (all []Said, last uint64, err error) {
	for d, err := range c.said(ctx, id, 0, false, nil) {
		if err != nil {
			return nil, 0, err
		}
		if d.Said.Turn > turn {
			break
		}
		if d.Said.Turn == turn {
			all, last = append(all, d.Said), d.Seq
		}
	}
	return all, last, nil
}

// isSaid reports whether an event is something that is said to the user.
func isSaid(e *fermata.Event) bool { return e.Sub == 0 && e.Type() == node.EventMessage }

func delivery(e *fermata.Event) (Delivery, error) {
	d := Delivery{Conversation: e.Run, Seq: e.Seq()}
	data, err := e.Data()
	if err == nil {
		err = json.Unmarshal(data, &d.Said)
	}
	if err != nil {
		err = fmt.Errorf("conversation %s: what was said at seq %d cannot be read: %w", d.Conversation, d.Seq, err)
	}
	return d, err
}

// How long Follow waits before it delivers again what a sink has not taken.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = time.Minute
)

// Follow delivers to a sink everything that is said in a conversation after a seq, unasked things too. It returns when
// the conversation is over, or when ctx is done, with its error. A delivery that the sink does not take is repeated,
// after a pause that doubles up to a minute, and nothing behind it before: so each delivery comes at least once, and in
// order. A program that keeps the seq of the last one that was taken, and follows on from there after a crash, misses
// none; a Delivery's Key tells one that comes again. A Streamer receives pieces in between. The conversation does not
// wait for the sink (law E3).
func (c *Conversations) Follow(ctx context.Context, id string, after uint64, sink Sink) error {
	for d, err := range c.said(ctx, id, after, true, streamTo(ctx, sink)) {
		if err != nil {
			return err
		}
		for pause := firstPause; deliver(ctx, sink, d) != nil; pause = min(2*pause, longestPause) {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return ctx.Err()
}

// streamTo tells a sink of pieces; nil for one that does not want them.
func streamTo(ctx context.Context, sink Sink) func(Piece) {
	s, ok := sink.(Streamer)
	if !ok {
		return nil
	}
	return func(p Piece) { _ = fault.Call("Streamer.Stream", func() error { s.Stream(ctx, p); return nil }) } // a piece that is not taken is lost
}

// deliver is Deliver of a sink. One that panics, or ends its goroutine, has not taken the delivery (law N7).
func deliver(ctx context.Context, sink Sink, d Delivery) error {
	return fault.Call("Sink.Deliver", func() error { return sink.Deliver(ctx, d) })
}

// turn is where a reader of what is said in answer to one message stands: between the answer of the gate that took it,
// and the next one.
type turn struct {
	gate  string // the interrupt that took the message; "" for the beginning of a conversation
	after uint64 // the last event that was read
	open  bool   // the message was seen
	over  bool   // the next one was
	again int    // the message had come before: its turn then
}

// moves takes an event in; false where the turn is over.
func (t *turn) moves(e *fermata.Event) (bool, error) {
	ofGate := strings.HasPrefix(e.Task(), gateNode+"#")
	switch kind := e.Entry.Kind; {
	case ofGate && kind == journal.InterruptResolved && t.open:
		t.over = true
		return false, nil
	case ofGate && kind == journal.InterruptResolved:
		t.open = e.Entry.Op == t.gate
	case ofGate && kind == journal.InterruptOpened && t.open:
		var asked struct{ Input Waiting }
		data, err := e.Data()
		if err == nil {
			err = json.Unmarshal(data, &asked)
		}
		if err != nil {
			return false, fmt.Errorf("conversation %s: what is asked at seq %d cannot be read: %w", e.Run, e.Seq(), err)
		}
		t.again = asked.Input.Again
	}
	t.after = e.Seq()
	return true, nil
}

// read gives on what is said in a turn, and the pieces in between, and notes how far it has come.
func (c *Conversations) read(ctx context.Context, id string, t *turn, follow bool, take func(Delivery), stream func(Piece)) error {
	if t.over {
		return nil
	}
	found := streamed{dialogue: c.dialogue}
	for e, err := range c.rt.Events(ctx, id, t.after, follow) {
		if err != nil {
			return err
		}
		if t.open {
			found.tell(&e, stream)
		}
		if e.Sub > 0 {
			continue
		}
		if on, err := t.moves(&e); !on {
			return err
		}
		if !t.open || !isSaid(&e) {
			continue
		}
		d, err := delivery(&e)
		if err != nil {
			return err
		}
		take(d)
	}
	return nil
}
