package main

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// proxy is the network between the workers and the database.
type proxy struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	refuses bool
	stalled chan struct{} // closed when data flows again; nil while it does
	open    map[net.Conn]bool
}

func newProxy(ctx context.Context, target string) (*proxy, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: l, target: target, open: make(map[net.Conn]bool)}
	go p.serve(ctx)
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) serve(ctx context.Context) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.connect(ctx, client)
	}
}

func (p *proxy) connect(ctx context.Context, client net.Conn) {
	p.mu.Lock()
	refuses := p.refuses
	p.mu.Unlock()
	if refuses {
		reset(client)
		return
	}
	server, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.target)
	if err != nil {
		reset(client)
		return
	}
	p.mu.Lock()
	p.open[client], p.open[server] = true, true
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.pump(server, client) })
	both.Go(func() { p.pump(client, server) })
	both.Wait()
	p.mu.Lock()
	delete(p.open, client)
	delete(p.open, server)
	p.mu.Unlock()
}

// pump carries data one way until either side is closed. While the network is stalled, nothing arrives.
func (p *proxy) pump(to, from net.Conn) {
	defer to.Close()   //nolint:errcheck // the other side may have closed it
	defer from.Close() //nolint:errcheck // likewise
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		p.mu.Lock()
		stalled := p.stalled
		p.mu.Unlock()
		if stalled != nil {
			<-stalled
		}
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			if err != io.EOF { //nolint:errorlint // Read returns it as it is
				reset(to)
			}
			return
		}
	}
}

// cut resets all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		reset(c)
	}
}

// refuse lets no new connection in for a while.
func (p *proxy) refuse(refuses bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = refuses
}

// stall holds all data up for a while.
func (p *proxy) stall(ctx context.Context, d time.Duration) {
	over := make(chan struct{})
	p.mu.Lock()
	p.stalled = over
	p.mu.Unlock()
	wait(ctx, d)
	p.mu.Lock()
	p.stalled = nil
	p.mu.Unlock()
	close(over)
}

func (p *proxy) close() {
	_ = p.listener.Close()
	p.cut()
}

// reset closes a connection without a farewell.
func reset(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}

// wait waits for a time, or until ctx is done.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
