package modeltest

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata/model"
)

// pipes is a network within the process: its clock is that of the bubble of a test.
type pipes struct {
	opened chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.opened:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error { p.once.Do(func() { close(p.closed) }); return nil }

// Addr implements net.Listener.
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial opens a connection to who accepts.
func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.opened <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed: // a transport dials on for the next request
		return nil, net.ErrClosed
	}
}

// silent is what a service on a network of pipes comes to by the bubble's clock: the reply, and how long it took.
func (w Wire) silent(t *testing.T, idle time.Duration, answer http.HandlerFunc) (reply *model.Response, took time.Duration, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{opened: make(chan net.Conn), closed: make(chan struct{})}
		var serving sync.WaitGroup // the server and its connections: each is counted before the one that counts it ends
		defer serving.Wait()
		server := &http.Server{ //nolint:gosec // its only client is the test
			Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // else nobody notices that the client has gone
				answer(rw, r)
			}),
			ConnState: func(_ net.Conn, now http.ConnState) {
				switch now {
				case http.StateNew:
					serving.Add(1)
				case http.StateClosed:
					serving.Done()
				default:
				}
			},
		}
		serving.Go(func() { _ = server.Serve(l) }) // it ends by Close
		defer func() { _ = server.Close() }()
		client := &http.Client{Transport: &http.Transport{DialContext: l.dial}}
		defer client.CloseIdleConnections()
		begun := time.Now()
		m := w.open(t, Place{BaseURL: "http://models.example", NoKey: true, Idle: idle, Client: client})
		reply, err = model.Collect(m.Generate(t.Context(), model.Ask("?")))
		took = time.Since(begun)
	})
	return reply, took, err
}

// silentServices: a service that falls silent, before its headers or behind any event of a reply, is given up, unless
// it had said all.
func (w Wire) silentServices(t *testing.T) {
	const idle = 3 * time.Second
	all := bytes.SplitAfter(w.File(t, "text").Body, []byte("\n\n"))
	for stall := -1; stall <= len(all); stall++ {
		t.Run(strconv.Itoa(stall), func(t *testing.T) {
			r, took, err := w.silent(t, idle, func(rw http.ResponseWriter, r *http.Request) {
				if stall >= 0 {
					rw.Header().Set("Content-Type", "text/event-stream")
					say(rw, bytes.Join(all[:stall], nil), false)
				}
				<-r.Context().Done()
			})
			switch {
			case err == nil && took == 0 && r.Finish != "" && r.Text() == Says && stall > len(all)/2:
			case err == nil || took != idle:
				t.Errorf("after %s: %+v, %v", took, r, err)
			default:
				checkFailure(t, err, model.ErrUnavailable, "models.example has sent nothing for 3s")
			}
			if stall == len(all) && err != nil {
				t.Errorf("the reply was whole: %v", err)
			}
		})
	}
}

// signsOfLife: comments keep a connection, but not for ever; and a reply that trickles is none that is silent.
func (w Wire) signsOfLife(t *testing.T) {
	const idle = 3 * time.Second
	all := bytes.SplitAfter(w.File(t, "text").Body, []byte("\n\n"))
	t.Run("trickle", func(t *testing.T) {
		r, _, err := w.silent(t, idle, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/event-stream")
			for _, event := range all {
				time.Sleep(idle - 1)
				say(rw, []byte(": still here\n\n"), false)
				time.Sleep(idle - 1)
				say(rw, event, false)
			}
		})
		if err != nil || r.Text() != Says {
			t.Errorf("a slow reply: %v", err)
		}
	})
	for name, ping := range map[string]string{"comments": ": ping\n\n", "pings": w.Ping} {
		t.Run(name, func(t *testing.T) {
			_, took, err := w.silent(t, idle, func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Content-Type", "text/event-stream")
				for r.Context().Err() == nil {
					say(rw, []byte(ping), false)
					time.Sleep(idle - 1)
				}
			})
			checkFailure(t, err, model.ErrUnavailable, "has sent no part of the reply for 30s")
			if took != 10*idle {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// connectionsThatNeverOpen are given up, too.
func (w Wire) connectionsThatNeverOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{opened: make(chan net.Conn), closed: make(chan struct{})}
		defer func() { _ = l.Close() }()
		m := w.open(t, Place{BaseURL: "http://models.example", NoKey: true, Client: &http.Client{Transport: &http.Transport{DialContext: l.dial}}})
		begun := time.Now()
		_, err := Chunks(t.Context(), m, model.Ask("?"))
		checkFailure(t, err, model.ErrUnavailable, "models.example has sent nothing for 1m0s")
		if took := time.Since(begun); took != time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}
