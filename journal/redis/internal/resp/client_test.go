package resp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is one of a server in the process. The number is of the connections that it made.
func client(t *testing.T, c Config) (*Client, *miniredis.Miniredis, *atomic.Int32) {
	t.Helper()
	server := miniredis.RunT(t)
	c.Network, c.Addr = "tcp", server.Addr()
	var made atomic.Int32
	c.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		made.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	client := NewClient(c)
	t.Cleanup(func() { _ = client.Close() })
	return client, server, &made
}

func TestDo(t *testing.T) {
	c, _, made := client(t, Config{})
	for range 3 {
		if got, err := c.Do(t.Context(), "SET", "a", 7); got != "OK" || err != nil {
			t.Errorf("%v, %v", got, err)
		}
	}
	if got, err := c.Do(t.Context(), "GET", "none"); got != nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	_, err := c.Do(t.Context(), "LPUSH", "a", "x")
	if said, ok := errors.AsType[Error](err); !ok || said[:9] != "WRONGTYPE" {
		t.Errorf("%v", err)
	}
	replies, err := c.Pipeline(t.Context(), []any{"GET", "a"}, []any{"LPUSH", "a", "x"}, []any{"GET", "a"})
	if err != nil || len(replies) != 3 || replies[0] != "7" || replies[2] != "7" {
		t.Errorf("%v, %v", replies, err)
	}
	if _, err := FirstError(replies, err); err == nil {
		t.Error("the second is no error")
	}
	script := NewScript(`return {KEYS[1], ARGV[1], redis.call("GET", KEYS[1])}`)
	for range 2 {
		got, err := Strings(script.Run(t.Context(), c, []string{"a"}, "b"))
		if diff := cmp.Diff([]string{"a", "b", "7"}, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	if n := made.Load(); n != 1 {
		t.Errorf("%d connections were made, want one", n)
	}
}

// No more connections are in use than PoolSize says, and who waits for one too long is told.
func TestPool(t *testing.T) {
	c, server, made := client(t, Config{PoolSize: 2, PoolTimeout: 20 * time.Millisecond})
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			for {
				if _, err := c.Do(t.Context(), "PING"); err == nil {
					return
				}
			}
		})
	}
	group.Wait()
	if n := made.Load(); n > 2 {
		t.Errorf("%d connections were made", n)
	}
	one, err := c.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	two, err := c.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const late = "no connection of 2 became free within 20ms (pool_size, pool_timeout)"
	if _, err := c.Do(t.Context(), "PING"); err == nil || err.Error() != late {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Do(ctx, "PING"); !errors.Is(err, context.Canceled) && (err == nil || err.Error() != late) {
		t.Errorf("got %v", err)
	}
	c.give(one, nil)
	c.give(two, nil)

	server.Close() // both connections end
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(t.Context(), "PING"); err == nil {
		t.Error("a connection that the server has closed answers")
	}
	if _, err := c.Do(t.Context(), "PING"); err != nil {
		t.Errorf("the other one was not dropped: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Do(t.Context(), "PING"); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// A server that says nothing is waited for no longer than the context or the timeout says.
func TestTimeouts(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0") // nobody accepts: the machine does
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := NewClient(Config{Network: "tcp", Addr: l.Addr().String(), ReadTimeout: 20 * time.Millisecond})
	defer c.Close()
	if _, err := c.Do(t.Context(), "PING"); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	c = NewClient(Config{Network: "tcp", Addr: l.Addr().String(), ReadTimeout: -1})
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Do(ctx, "PING"); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// A new connection is of the user, the database and the name, or is none.
func TestGreeting(t *testing.T) {
	c, server, _ := client(t, Config{User: "me", Password: "word", DB: 3, ClientName: "test"})
	server.RequireUserAuth("me", "word")
	if _, err := c.Do(t.Context(), "SET", "a", "b"); err != nil {
		t.Fatal(err)
	}
	if got, err := server.DB(3).Get("a"); got != "b" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	server.RequireUserAuth("me", "another")
	other := NewClient(c.config)
	defer other.Close()
	if _, err := other.Do(t.Context(), "PING"); err == nil || err.Error()[:9] != "WRONGPASS" {
		t.Errorf("got %v", err)
	}
}

// A subscription that breaks comes back, and says that something may have been missed.
func TestSubscription(t *testing.T) {
	c, server, _ := client(t, Config{})
	s, err := c.Subscribe(t.Context(), "news")
	if err != nil {
		t.Fatal(err)
	}
	hear := func() Sign {
		t.Helper()
		select {
		case sign := <-s.Signs():
			return sign
		case <-time.After(2 * time.Minute):
			t.Fatal("nothing is heard")
			return Sign{}
		}
	}
	for i := range 3 {
		server.Publish("news", fmt.Sprint(i))
		if got := hear(); got != (Sign{Payload: fmt.Sprint(i)}) {
			t.Errorf("heard %+v", got)
		}
	}
	server.Close()
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	if got := hear(); got != (Sign{Again: true}) {
		t.Errorf("heard %+v", got)
	}
	server.Publish("news", "b")
	if got := hear(); got != (Sign{Payload: "b"}) {
		t.Errorf("heard %+v", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, ok := <-s.Signs(); ok {
		t.Error("more is heard")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Subscribe(t.Context(), "news"); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}
