package resp

import (
	"context"
	"sync"
	"time"
)

const (
	// pingTime is how long a subscription hears nothing before it asks whether the server is there.
	pingTime = 3 * time.Second
	// firstPause and lastPause are between the attempts to subscribe again.
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// Sign is what a subscription hears.
type Sign struct {
	Again   bool   // there is a subscription again, and what was published meanwhile is lost
	Payload string // what was published
}

// Subscription hears what is published on a channel of the server.
type Subscription struct {
	client  *Client
	channel string
	signs   chan Sign
	done    chan struct{}

	mu     sync.Mutex
	cn     *conn
	closed bool
}

// Subscribe returns when the server has said that there is a subscription. It is outside of the pool.
func (c *Client) Subscribe(ctx context.Context, channel string) (*Subscription, error) {
	s := &Subscription{client: c, channel: channel, signs: make(chan Sign, 100), done: make(chan struct{})}
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	go s.run() //nolint:gosec // it lives as long as the subscription, not as the call
	return s, nil
}

// Signs is closed behind the subscription.
func (s *Subscription) Signs() <-chan Sign { return s.signs }

// Close ends the subscription.
func (s *Subscription) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.closed = true
	close(s.done)
	return s.cn.Close()
}

// connect makes a connection that subscribes.
func (s *Subscription) connect(ctx context.Context) error {
	s.client.mu.Lock()
	closed := s.client.closed
	s.client.mu.Unlock()
	if closed {
		return ErrClosed
	}
	cn, err := s.client.dial(ctx)
	if err != nil {
		return err
	}
	_, err = FirstError(cn.exchange(ctx, [][]any{{"SUBSCRIBE", s.channel}}, s.client.config))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.closed {
		err = ErrClosed
	}
	if err != nil {
		_ = cn.Close()
		return err
	}
	s.cn = cn
	return nil
}

// run hears until the subscription or the client is closed, over one connection after the other.
func (s *Subscription) run() {
	defer close(s.signs)
	pause := firstPause
	for {
		if s.hear() {
			pause = firstPause
		}
		_ = s.cn.Close()
		for {
			select {
			case <-s.done:
				return
			case <-s.client.done:
				return
			case <-time.After(pause):
			}
			pause = min(2*pause, lastPause)
			if s.connect(context.Background()) == nil {
				break
			}
		}
		if !s.say(Sign{Again: true}) {
			return
		}
	}
}

// hear passes on what comes over a connection until it breaks, and reports whether anything came. A server that says
// nothing is asked, and is gone when it says nothing again.
func (s *Subscription) hear() (some bool) {
	ping, _ := appendCommand(nil, []any{"PING"}) // it is a string
	asked := false
	for {
		if s.cn.SetReadDeadline(time.Now().Add(pingTime)) != nil {
			return some
		}
		if _, err := s.cn.replies.Peek(1); err != nil {
			if timeout, ok := err.(interface{ Timeout() bool }); !ok || !timeout.Timeout() || asked {
				return some
			}
			asked = true
			if s.cn.SetWriteDeadline(time.Now().Add(pingTime)) != nil {
				return some
			}
			if _, err := s.cn.Write(ping); err != nil {
				return some
			}
			continue
		}
		reply, err := readReply(s.cn.replies, 0)
		if err != nil {
			return some
		}
		some, asked = true, false
		if list, ok := reply.([]any); ok && len(list) == 3 && list[0] == "message" {
			if payload, ok := list[2].(string); ok && !s.say(Sign{Payload: payload}) {
				return some
			}
		}
	}
}

// say passes a sign on, unless the subscription or the client is closed.
func (s *Subscription) say(sign Sign) bool {
	select {
	case s.signs <- sign:
		return true
	case <-s.done:
	case <-s.client.done:
	}
	return false
}
