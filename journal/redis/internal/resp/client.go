package resp

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// Client is a pool of connections to a server. Its methods may be called by several goroutines at once.
type Client struct {
	config Config
	slots  chan struct{} // one for each connection in use
	done   chan struct{} // closed when the client is

	mu     sync.Mutex
	idle   []*conn // the last is the one that was used last
	closed bool
}

// NewClient is a client of a server. It makes no connection yet.
func NewClient(c Config) *Client {
	c = c.filled()
	return &Client{config: c, slots: make(chan struct{}, c.PoolSize), done: make(chan struct{})}
}

// conn is a connection. It is used by one goroutine at a time.
type conn struct {
	net.Conn
	replies    *bufio.Reader
	request    []byte // memory for the next one
	made, used time.Time
}

// Close closes the connections that nobody uses; the others are closed behind their command.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	c.closed = true
	close(c.done)
	c.drop()
	return nil
}

// drop closes the connections that nobody uses. It is called with the lock.
func (c *Client) drop() {
	for _, idle := range c.idle {
		_ = idle.Close()
	}
	c.idle = nil
}

// Do sends a command and gives its reply: a string, an int64, a list of replies, or nil. A refusal of the server is
// an [Error]. Any other error is of the connection, and the command may have run or not.
func (c *Client) Do(ctx context.Context, args ...any) (any, error) {
	replies, err := c.Pipeline(ctx, args)
	if err != nil {
		return nil, err
	}
	if said, ok := replies[0].(Error); ok {
		return nil, said
	}
	return replies[0], nil
}

// Pipeline sends commands together and gives their replies, of which each may be an [Error]. The error is of the
// connection.
func (c *Client) Pipeline(ctx context.Context, commands ...[]any) (replies []any, err error) {
	cn, err := c.take(ctx)
	if err != nil {
		return nil, err
	}
	replies, err = cn.exchange(ctx, commands, c.config)
	c.give(cn, err)
	return replies, err
}

// FirstError is the first error among replies, or err itself. It takes what Client.Pipeline returns.
func FirstError(replies []any, err error) ([]any, error) {
	for _, r := range replies {
		if said, ok := r.(Error); ok && err == nil {
			return replies, said
		}
	}
	return replies, err
}

// exchange sends commands and reads their replies.
func (cn *conn) exchange(ctx context.Context, commands [][]any, c Config) (_ []any, err error) {
	request := cn.request[:0]
	for _, args := range commands {
		if request, err = appendCommand(request, args); err != nil {
			return nil, err
		}
	}
	if cap(request) <= maxLine { // a large one is not kept
		cn.request = request
	}
	if err := cn.SetWriteDeadline(deadline(ctx, c.WriteTimeout)); err != nil {
		return nil, err
	}
	if _, err := cn.Write(request); err != nil {
		return nil, err
	}
	replies := make([]any, len(commands))
	for i := range replies {
		if err := cn.SetReadDeadline(deadline(ctx, c.ReadTimeout)); err != nil {
			return nil, err
		}
		var err error
		if replies[i], err = readReply(cn.replies, 0); err != nil {
			return nil, err
		}
	}
	return replies, nil
}

// deadline is that of ctx or the end of a timeout, whichever comes first; the zero time for none.
func deadline(ctx context.Context, timeout time.Duration) time.Time {
	end, ok := ctx.Deadline()
	if timeout > 0 {
		if by := time.Now().Add(timeout); !ok || by.Before(end) {
			end = by
		}
	}
	return end
}

// take gives a connection, one that is there or a new one, as soon as there may be one more.
func (c *Client) take(ctx context.Context) (*conn, error) {
	select {
	case c.slots <- struct{}{}:
	default:
		if err := c.wait(ctx); err != nil {
			return nil, err
		}
	}
	cn, err := c.kept()
	if cn == nil && err == nil {
		cn, err = c.dial(ctx)
	}
	if err != nil {
		<-c.slots
		return nil, err
	}
	return cn, nil
}

// wait waits for a connection that somebody gives back.
func (c *Client) wait(ctx context.Context) error {
	var late <-chan time.Time
	if c.config.PoolTimeout > 0 {
		timer := time.NewTimer(c.config.PoolTimeout)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case c.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
		return ErrClosed
	case <-late:
		return fmt.Errorf("no connection of %d became free within %s (pool_size, pool_timeout)", c.config.PoolSize, c.config.PoolTimeout)
	}
}

// kept is a connection that is there, nil for none.
func (c *Client) kept() (*conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	for len(c.idle) > 0 {
		last := len(c.idle) - 1
		cn := c.idle[last]
		c.idle = c.idle[:last]
		if !c.old(cn) {
			return cn, nil
		}
		_ = cn.Close()
	}
	return nil, nil //nolint:nilnil // see above
}

func (c *Client) old(cn *conn) bool {
	now := time.Now()
	return c.config.IdleTime > 0 && now.Sub(cn.used) > c.config.IdleTime || c.config.Lifetime > 0 && now.Sub(cn.made) > c.config.Lifetime
}

// give takes a connection back. One that broke is closed, and so are those that nobody used meanwhile: what breaks one
// is most often the end of the server, and each of them would cost a call its attempt.
func (c *Client) give(cn *conn, err error) {
	defer func() { <-c.slots }()
	cn.used = time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
		_ = cn.Close()
		c.drop()
	case c.closed || cn.replies.Buffered() > 0 || len(c.idle) >= c.config.MaxIdle:
		_ = cn.Close()
	default:
		c.idle = append(c.idle, cn)
	}
}

// dial makes a connection and says who it is of.
func (c *Client) dial(ctx context.Context) (*conn, error) {
	if c.config.DialTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.config.DialTimeout)
		defer cancel()
	}
	raw, err := c.config.Dialer(ctx, c.config.Network, c.config.Addr)
	if err != nil {
		return nil, err
	}
	if c.config.TLS != nil {
		secured := tls.Client(raw, c.config.TLS)
		if err := secured.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, raw.Close())
		}
		raw = secured
	}
	cn := &conn{Conn: raw, replies: bufio.NewReaderSize(raw, maxLine), made: time.Now()}
	if err := c.greet(ctx, cn); err != nil {
		_ = cn.Close()
		return nil, err
	}
	return cn, nil
}

// greet has a new connection be of the user, the database and the name.
func (c *Client) greet(ctx context.Context, cn *conn) error {
	var commands [][]any
	switch {
	case c.config.User != "":
		commands = append(commands, []any{"AUTH", c.config.User, c.config.Password})
	case c.config.Password != "":
		commands = append(commands, []any{"AUTH", c.config.Password})
	}
	if c.config.DB != 0 {
		commands = append(commands, []any{"SELECT", c.config.DB})
	}
	if c.config.ClientName != "" {
		commands = append(commands, []any{"CLIENT", "SETNAME", c.config.ClientName})
	}
	if len(commands) == 0 {
		return nil
	}
	_, err := FirstError(cn.exchange(ctx, commands, c.config))
	return err
}
