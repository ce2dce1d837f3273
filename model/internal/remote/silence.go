package remote

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/fermata-go/fermata/model"
)

// How long a service may be silent where the options do not say.
const (
	// DefaultIdle limits the time without a sign of life: a connection, an answer, or a byte of it.
	DefaultIdle = time.Minute
	// patience is how many times as long a reply may go on with signs of life alone: comments and pings.
	patience = 10
)

// watch ends a request whose service has fallen silent. It counts only while something is waited for.
type watch struct {
	idle, part *time.Timer
	within     time.Duration
	sign       func() // tells the caller that the service is alive
}

// watched is the ctx of a request that ends when its service says nothing for that long. A within below 0 is for ever.
func watched(ctx context.Context, host string, within time.Duration) (context.Context, *watch, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := func() { cancel(nil) }
	if within < 0 {
		return ctx, nil, stop
	}
	if within == 0 {
		within = DefaultIdle
	}
	silent := func(what string, d time.Duration) *time.Timer {
		return time.AfterFunc(d, func() {
			cancel(&model.Error{Kind: model.ErrUnavailable, Message: fmt.Sprintf("%s %s for %s", host, what, d)})
		})
	}
	w := &watch{
		within: within, sign: func() { model.SignOfLife(ctx) }, idle: silent("has sent nothing", within), part: silent("has sent no part of the reply", patience*within),
	}
	return ctx, w, func() { w.pause(); stop() }
}

// alive notes that something has come.
func (w *watch) alive() {
	if w != nil {
		w.idle.Reset(w.within)
		w.sign()
	}
}

// pause stops the clock while nobody waits for the service.
func (w *watch) pause() {
	if w != nil {
		w.idle.Stop()
		w.part.Stop()
	}
}

// goOn starts it anew behind a part of the reply, or goes on with it where an event had none.
func (w *watch) goOn(said bool) {
	if w == nil {
		return
	}
	w.idle.Reset(w.within)
	if said {
		w.part.Reset(patience * w.within)
	}
}

// lively is a body whose bytes are signs of life.
type lively struct {
	io.ReadCloser
	watch *watch
}

// Read implements io.Reader.
func (l lively) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if n > 0 {
		l.watch.alive()
	}
	return n, err
}

// aliveBody makes an answer and its bytes count as signs of life.
func (w *watch) aliveBody(body io.ReadCloser) io.ReadCloser {
	if w == nil {
		return body
	}
	w.alive()
	return lively{body, w}
}
