package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// How a server over HTTP is found to be gone. A server that is at work may be silent for as long as its tool takes, and
// one that does one thing at a time does not even answer a ping meanwhile: silence alone ends no call.
const (
	silence = time.Second     // without a byte from the server, a call asks whether it is there
	patient = 2 * time.Second // how long a server may take to answer before a call
	fresh   = 5 * time.Second // for so long after it was heard of, a server is not asked before a call
)

// errSilent says that a server did not answer before a call was sent.
var errSilent = fmt.Errorf("no answer within %s", patient)

// pulse is what is known of the life of a server over HTTP.
type pulse struct {
	heard atomic.Int64 // when it last said something, in nanoseconds of the process's clock
	busy  atomic.Int32 // how many calls are under way

	ctx  context.Context // of all requests
	drop func()          // ends them
}

func newPulse() *pulse {
	p := new(pulse)
	p.ctx, p.drop = context.WithCancel(context.Background())
	return p
}

// dropWith ends all requests when ctx is done, unless it is stopped before.
func (w *way) dropWith(ctx context.Context) (stop func() bool) {
	if w.pulse == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(ctx, w.pulse.drop)
}

// started is where the process's clock begins: it goes on steadily, whatever the time of day does.
var started = time.Now()

func (p *pulse) hear() { p.heard.Store(int64(time.Since(started))) }

func (p *pulse) silentFor() time.Duration { return time.Since(started) - time.Duration(p.heard.Load()) }

// greet asks a server whether it is there before a call: where the call must not happen twice, and over HTTP also where
// nothing was heard for a while; not where another call keeps it busy.
func (l *link) greet(ctx context.Context, how manner) error {
	switch {
	case l.client == nil && how != once:
		return nil
	case l.client == nil:
		return l.session.Ping(ctx, nil)
	case l.pulse.busy.Load() > 0 || how != once && l.pulse.silentFor() < fresh: // of a busy one, the other call finds out
		return nil
	}
	within, cancel := context.WithTimeoutCause(ctx, patient, errSilent)
	defer cancel()
	err := l.session.Ping(within, nil)
	if err != nil && context.Cause(within) == errSilent { //nolint:errorlint // the cause given above
		return errSilent
	}
	return err
}

// sending is what is known of a call on its way.
type sending struct {
	claimed   atomic.Bool // its request is made: others with its context only follow it
	connected atomic.Bool // it may have reached the server
	unknown   atomic.Bool // the server does not know the session, and has done nothing
}

// sent reports whether the call may have happened.
func (s *sending) sent() bool { return s.connected.Load() && !s.unknown.Load() }

type sendingKey struct{}

// sendingOf is the call that a request makes, nil for none.
func sendingOf(req *http.Request) *sending {
	s, ok := req.Context().Value(sendingKey{}).(*sending)
	if !ok || req.Method != http.MethodPost || !s.claimed.CompareAndSwap(false, true) {
		return nil
	}
	return s
}

// guard gives a call a context that ends when the server is found to be gone, and notes how the call is sent. The call is
// over with done.
func (l *link) guard(ctx context.Context, s *sending) (guarded context.Context, done func()) {
	if l.client == nil {
		s.connected.Store(true)
		return ctx, func() {}
	}
	until, cancel := context.WithCancelCause(ctx) // not guarded: a return sets that while listen reads
	l.pulse.busy.Add(1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.listen(until, cancel)
	}()
	return connecting(context.WithValue(until, sendingKey{}, s), &s.connected), func() {
		l.pulse.busy.Add(-1)
		cancel(nil)
		<-ended
	}
}

// connecting is a context whose requests note when they have a connection.
func connecting(ctx context.Context, has *atomic.Bool) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { has.Store(true) }})
}

// listen ends a call whose server is gone: it is asked whenever it has been silent, by whichever call comes to it
// first. A server that answers in any way, or at least accepts a connection, is alive.
func (l *link) listen(ctx context.Context, end context.CancelCauseFunc) {
	for missed := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(silence-l.pulse.silentFor(), silence/20)):
		}
		if l.pulse.silentFor() < silence {
			missed = 0
			continue
		}
		var reached atomic.Bool
		within, cancel := context.WithTimeout(ctx, silence)
		err := l.session.Ping(connecting(within, &reached), nil)
		slow := within.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, sdk.ErrSessionMissing) || errors.Is(err, sdk.ErrConnectionClosed):
		case err == nil || reached.Load():
			missed = 0
			l.pulse.hear()
			continue
		case slow && missed == 0: // it may only be far away
			missed++
			continue
		}
		end(fmt.Errorf("the server is gone: %w", err))
		return
	}
}
