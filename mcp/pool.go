package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync"
)

// Pool holds one connection for each server, made at its first use and ended by Close. It is safe for concurrent use.
// The zero value works.
type Pool struct {
	mu      sync.Mutex
	closed  bool
	entries map[[sha256.Size]byte]*entry
}

// entry is a connection, or the place of one that is being made.
type entry struct {
	turn   chan struct{} // holds one token, for the goroutine that connects
	client *Client
}

// Client returns the connection to a server: the existing one, or a new one. It is the pool's, and not the caller's to
// close. Two servers are the same when all that is said of them is. A server that cannot be reached is tried again when
// it is asked for again.
//
// It fails as [Connect] does, and with [ErrClosed] after Close.
func (p *Pool) Client(ctx context.Context, server Server) (*Client, error) {
	e, err := p.entry(server)
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-e.turn:
	}
	defer func() { e.turn <- struct{}{} }()
	if e.client != nil {
		return e.client, nil
	}
	made, err := Connect(ctx, server)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	closed := p.closed
	if !closed {
		e.client = made
	}
	p.mu.Unlock()
	if closed { // while it was being made
		return nil, errors.Join(ErrClosed, made.Close())
	}
	return made, nil
}

func (p *Pool) entry(server Server) (*entry, error) {
	type plain Server // without Format, and without LogValue
	data, err := json.Marshal(plain(server))
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(data)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	e := p.entries[key]
	if e == nil {
		e = &entry{turn: make(chan struct{}, 1)}
		e.turn <- struct{}{}
		if p.entries == nil {
			p.entries = make(map[[sha256.Size]byte]*entry)
		}
		p.entries[key] = e
	}
	return e, nil
}

// Close ends all connections at once, each as [Client.Close] does, and waits for them. A second Close does nothing.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	var clients []*Client
	for _, e := range p.entries {
		if e.client != nil {
			clients = append(clients, e.client)
		}
	}
	p.entries = nil
	p.mu.Unlock()
	failed := make([]error, len(clients))
	var group sync.WaitGroup
	for i, c := range clients {
		group.Go(func() { failed[i] = c.Close() })
	}
	group.Wait()
	return errors.Join(failed...)
}
