package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/node"
)

// Errors that calls return, to be found with errors.Is.
var (
	// ErrLost reports that the server could not be reached or was lost during the call. It is unknown whether the call
	// has happened. The next call connects again.
	ErrLost = fault.Sentinel("mcp.lost", "the connection to the MCP server is lost")
	// ErrClosed says that the client was used after Close.
	ErrClosed = fault.Sentinel("mcp.closed", "the MCP client is closed")
)

// ToolError is what a tool says has gone wrong. The model is told its text.
type ToolError struct {
	Tool    string // as the server calls it
	Message string
}

func (e *ToolError) Error() string { return e.Message }

// Client is a connection to an MCP server. It is safe for concurrent use. The next call restores a lost connection,
// once: a call that finds no server fails with [ErrLost].
type Client struct {
	server Server
	turn   chan struct{} // holds one token, for the goroutine that makes or drops connections

	link   *link // nil where there is none
	closed bool
	ending sync.WaitGroup // of links that are dropped

	mu    sync.Mutex
	known map[string]known // tools that were handed out, by the name that they have here
}

// known is what is known of a tool.
type known struct {
	Annotations
	name string // as the server calls it
}

// link is one connection.
type link struct {
	way
	session *sdk.ClientSession
	gone    chan struct{} // closed when the session has ended
}

// Connect starts the server, or reaches it, and shakes hands with it. Ctx is for that alone: the connection stays until
// Close.
//
// It fails with [ErrLost] where there is no server, quoting what a program wrote to its standard error before it died.
func Connect(ctx context.Context, server Server) (*Client, error) {
	server, err := server.check()
	if err != nil {
		return nil, err
	}
	c := &Client{server: server, turn: make(chan struct{}, 1), known: make(map[string]known)}
	c.turn <- struct{}{}
	if _, err := c.live(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// Close ends the connection, and the program if there is one. It closes the program's input, signals it if it does not
// end within the server's Grace, and then kills it. Calls that are under way fail. A second Close does nothing.
func (c *Client) Close() error {
	<-c.turn
	l := c.link
	c.link, c.closed = nil, true
	c.turn <- struct{}{}
	if l != nil {
		l.end(c.server.Grace)
	}
	c.ending.Wait()
	return nil
}

// end gives up a connection and all that it holds. How a program ended is of no interest to who ends it.
func (l *link) end(grace time.Duration) {
	if l.pulse != nil { // a server that is gone does not take leave
		defer time.AfterFunc(grace, l.pulse.drop).Stop()
	}
	_ = l.session.Close()
	if l.client != nil {
		l.client.CloseIdleConnections()
	}
	<-l.gone
}

// live is the present connection, or a new one where that is lost.
func (c *Client) live(ctx context.Context) (*link, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.turn:
	}
	defer func() { c.turn <- struct{}{} }()
	if c.closed {
		return nil, ErrClosed
	}
	if c.link != nil {
		select {
		case <-c.link.gone:
			c.drop(c.link)
		default:
			return c.link, nil
		}
	}
	l, err := c.connect(ctx)
	c.link = l
	return l, err
}

func (c *Client) connect(ctx context.Context) (*link, error) {
	w, err := c.server.way()
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeoutCause(ctx, c.server.Within, fmt.Errorf("no answer within %s", c.server.Within))
	defer cancel()
	defer w.dropWith(within)() // also those that the SDK makes in its own time
	client := sdk.NewClient(&sdk.Implementation{Name: "fermata", Version: "1"}, &sdk.ClientOptions{
		Capabilities:   &sdk.ClientCapabilities{},
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
	})
	session, err := client.Connect(within, w.transport, nil)
	if err != nil {
		if w.client != nil {
			w.client.CloseIdleConnections()
		}
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("mcp server %s: %w", c.server.Name, ctx.Err())
		case within.Err() != nil:
			err = context.Cause(within)
		}
		return nil, c.lost(w, "cannot be reached", err)
	}
	w.secrets.add(session.ID()) // who has it can speak in our place
	l := &link{way: w, session: session, gone: make(chan struct{})}
	go func() {
		defer close(l.gone)
		_ = session.Wait()
	}()
	return l, nil
}

// forget drops a connection that a call found lost, unless another call was faster.
func (c *Client) forget(l *link) {
	<-c.turn
	defer func() { c.turn <- struct{}{} }()
	if c.link == l {
		c.link = nil
		c.drop(l)
	}
}

// drop ends a connection without waiting for it.
func (c *Client) drop(l *link) { c.ending.Go(func() { l.end(c.server.Grace) }) }

// lost is an error about a connection. It holds texts alone, from which the secrets are taken.
func (c *Client) lost(w way, what string, cause error) error {
	text := w.secrets.scrub(cause.Error())
	if w.stderr != nil {
		if said := w.stderr.text(); said != "" {
			text += "; it wrote: " + w.secrets.scrub(said)
		}
	}
	return fmt.Errorf("%w: %s %s: %s", ErrLost, c.server.Name, what, text)
}

// codeNotSent is the code that the SDK gives to what went wrong on the way to a server, beside those of servers.
const codeNotSent = -32005

// lostCall is an error of a call that must not happen twice and may have happened: its outcome is unknown (law J5).
type lostCall struct{ error }

func (e lostCall) Unwrap() error { return e.error }

// Is reports whether target is ErrOutcomeUnknown.
func (e lostCall) Is(target error) bool { return target == node.ErrOutcomeUnknown }

// manner is how often a call may be made.
type manner int

const (
	repeatable manner = iota // again where a connection was lost: it only asks, or a second call changes nothing
	single                   // again only where the server says that it has done nothing
	once                     // never again (node.MustNotRepeat): where it may have happened, its outcome is unknown
)

// call makes a call over the present connection. A connection that is gone before the call is restored. So is one whose
// session the server has forgotten, which it says before it does anything, and one that is lost during a call that may
// be repeated; then the call is made again, once. Where the call must not happen twice, the server is asked whether it
// is there first, and the call is sent once: a connection that is lost then leaves node.ErrOutcomeUnknown.
func call[T any](ctx context.Context, c *Client, how manner, do func(ctx context.Context, l *link) (T, error)) (T, error) {
	var zero T
	for try := 1; ; try++ {
		l, err := c.live(ctx)
		if err != nil {
			return zero, err
		}
		var out T
		var s sending
		if err = l.greet(ctx, how); err == nil {
			guarded, done := l.guard(ctx, &s)
			if out, err = do(guarded, l); err != nil && guarded.Err() != nil {
				err = context.Cause(guarded)
			}
			done()
		}
		if err == nil {
			return out, nil
		}
		open, ends := c.ends(ctx, l, err)
		unknown := open && how == once && s.sent()
		again := try == 1 && (how == repeatable || !s.sent())
		switch {
		case ends != nil:
		case errors.Is(err, errSilent):
			ends = c.lost(l.way, "was lost before the call", err)
			c.forget(l)
		case unknown || !again:
			ends = c.lost(l.way, "was lost during the call, which may have happened or not", err)
			c.forget(l)
		default:
			c.forget(l)
			continue
		}
		if unknown {
			ends = lostCall{ends}
		}
		return zero, ends
	}
}

// ends is what a failure means for who calls, nil where the connection is lost; open says that the call may have happened,
// if it was sent.
func (c *Client) ends(ctx context.Context, l *link, failed error) (open bool, ends error) {
	var refused *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return true, fmt.Errorf("mcp server %s: %w", c.server.Name, ctx.Err())
	case errors.As(failed, &refused) && refused.Code != codeNotSent && !errors.Is(failed, sdk.ErrConnectionClosed):
		ends = fmt.Errorf("mcp server %s refuses: %s", c.server.Name, l.secrets.scrub(refused.Message))
		return refused.Code == jsonrpc.CodeInternalError, ends
	}
	return true, nil
}
