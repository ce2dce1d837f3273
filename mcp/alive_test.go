package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/node"
)

// A server that is gone is found so within 2 s. The margin is for the test's own work.
const (
	soon   = 2 * time.Second
	margin = 400 * time.Millisecond
)

// place is an address at which servers come and go.
type place struct {
	t       *testing.T
	address string
	calls   atomic.Int32
	began   chan struct{} // a slow call has begun
	slow    time.Duration
	single  sync.Mutex // held by whatever is at work, where the server does one thing at a time
	alone   bool

	server *httptest.Server
	tools  *sdk.Server
	silent net.Listener
	died   chan struct{} // closed when the server is gone
}

// newPlace is on a loopback address of its own, where there are many: nobody else gets its port while its server is gone.
func newPlace(t *testing.T) *place {
	l, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), rand.IntN(255), 1+rand.IntN(254)))
	if err != nil { // of a system that has one
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, address: l.Addr().String(), began: make(chan struct{}, 10), slow: time.Hour}
	p.serve(l)
	t.Cleanup(p.vanish)
	return p
}

func (p *place) url() string { return "http://" + p.address }

// serve begins a server, whose streams can be resumed as long as it lives.
func (p *place) serve(l net.Listener) {
	died := make(chan struct{})
	p.died = died
	p.tools = sdk.NewServer(&sdk.Implementation{Name: "place", Version: "1"}, nil)
	tool := func(name string, do func(ctx context.Context)) {
		p.tools.AddTool(&sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}},
			func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				p.calls.Add(1)
				do(ctx)
				return texts("well"), nil
			})
	}
	tool("quick", func(context.Context) {})
	tool("slow", func(ctx context.Context) {
		p.began <- struct{}{}
		select {
		case <-ctx.Done():
		case <-died:
		case <-time.After(p.slow):
		}
	})
	server := p.tools
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{EventStore: sdk.NewMemoryEventStore(nil)})
	p.server = &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.alone {
			p.single.Lock()
			defer p.single.Unlock()
		}
		handler.ServeHTTP(w, r)
	})}}
	p.server.Start()
}

// vanish ends whatever is there, as the end of a process does.
func (p *place) vanish() {
	if p.silent != nil {
		_ = p.silent.Close()
	}
	if p.server == nil {
		return
	}
	_ = p.server.Listener.Close()
	p.server.CloseClientConnections()
	close(p.died)
	endSessions(p.tools)
	p.server.Close()
	p.server, p.silent = nil, nil
}

func (p *place) listen() net.Listener {
	l, err := net.Listen("tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	return l
}

// mute puts somebody there who accepts and never answers.
func (p *place) mute() {
	p.vanish()
	p.silent = p.listen()
	go func(l net.Listener) {
		var all []net.Conn
		for {
			c, err := l.Accept()
			if err != nil {
				break
			}
			all = append(all, c)
		}
		for _, c := range all {
			_ = c.Close()
		}
	}(p.silent)
}

// back is a new server at the same address, which knows no session.
func (p *place) back() {
	if p.silent != nil {
		_ = p.silent.Close()
		p.silent = nil
	}
	p.serve(p.listen())
}

// within checks that do takes as long as limit at most. A busy machine may not run this process for a while, in which its
// timers are late: such pauses do not count (see awake).
func within(t *testing.T, limit time.Duration, do func() error) error {
	t.Helper()
	took := awake()
	began := time.Now()
	err := do()
	counted := took()
	t.Logf("after %v, of which %v count: %v", time.Since(began).Round(time.Millisecond), counted.Round(time.Millisecond), err)
	if counted > limit+margin {
		t.Errorf("it took %v, expected at most %v", counted, limit)
	}
	return err
}

// awake measures how long this process has run until took is called: of each pause between two ticks it counts as much as
// is usual, and not what the machine has added.
func awake() (took func() time.Duration) {
	const tick, usual = 5 * time.Millisecond, 10 * time.Millisecond
	stop, counted := make(chan struct{}), make(chan time.Duration)
	go func() {
		var all time.Duration
		for last, ended := time.Now(), false; ; {
			select {
			case <-stop:
				ended = true
			case <-time.After(tick):
			}
			now := time.Now()
			all += min(now.Sub(last), usual)
			last = now
			if ended {
				counted <- all
				return
			}
		}
	}()
	return func() time.Duration {
		close(stop)
		return <-counted
	}
}

func TestAlive_connecting(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]func(p *place){"refused": (*place).vanish, "silent": (*place).mute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			gone(p)
			err := within(t, soon, func() error {
				_, err := mcp.Connect(t.Context(), mcp.Server{URL: p.url()})
				return err
			})
			if !errors.Is(err, mcp.ErrLost) {
				t.Errorf("got %v", err)
			}
			p.back()
			if _, err := connect(t, mcp.Server{URL: p.url()}).Call(t.Context(), "quick", nil); err != nil {
				t.Errorf("when it has come back: %v", err)
			}
		})
	}
}

// A server that is gone between two calls, or does not answer any more, fails the next call soon, or is found to be back.
func TestAlive_betweenCalls(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]func(p *place){"refused": (*place).vanish, "silent": (*place).mute} {
		for _, once := range []bool{false, true} {
			if name == "silent" && !once {
				continue // it is asked where nothing was heard of it for a while, which takes too long here
			}
			t.Run(name+map[bool]string{true: ", once"}[once], func(t *testing.T) {
				t.Parallel()
				p := newPlace(t)
				c := connect(t, mcp.Server{URL: p.url(), Within: soon}) // the default, see TestAlive_connecting
				call := func() error {
					if !once {
						_, err := c.Call(t.Context(), "quick", nil)
						return err
					}
					return fermatatest.NewContext(t).Do(func(ctx node.Context) error {
						_, err := node.Step(ctx, "call", func(ctx node.Context) (any, error) {
							_, err := c.Call(ctx, "quick", nil)
							return nil, err
						}, node.AtMostOnce())
						return err
					})
				}
				if err := call(); err != nil {
					t.Fatal(err)
				}
				gone(p)
				if err := within(t, soon, call); !errors.Is(err, mcp.ErrLost) || errors.Is(err, node.ErrOutcomeUnknown) {
					t.Errorf("got %v", err)
				}
				p.back()
				if err := call(); err != nil {
					t.Errorf("when it has come back: %v", err)
				}
				if n := p.calls.Load(); n != 2 {
					t.Errorf("%d calls have happened, expected 2", n)
				}
			})
		}
	}
}

// A server that dies in a call, whose session and stream it takes along, fails the call soon.
func TestAlive_inACall(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]func(p *place){"gone": (*place).vanish, "and back": func(p *place) { p.vanish(); p.back() }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			c := connect(t, mcp.Server{URL: p.url()})
			failed := make(chan error, 1)
			go func() {
				_, err := c.Call(t.Context(), "slow", nil)
				failed <- err
			}()
			<-p.began
			then(p)
			if err := within(t, soon, func() error { return <-failed }); !errors.Is(err, mcp.ErrLost) {
				t.Errorf("got %v", err)
			}
			if name == "gone" {
				p.back()
			}
			if _, err := c.Call(t.Context(), "quick", json.RawMessage(`{}`)); err != nil {
				t.Errorf("when it has come back: %v", err)
			}
			if n := p.calls.Load(); n != 2 {
				t.Errorf("%d calls have happened, expected 2: the one that was lost is not made again", n)
			}
		})
	}
}

// A tool that is silent for long is let be: one whose server answers beside it, and one whose server does nothing else.
func TestAlive_slow(t *testing.T) {
	t.Parallel()
	for name, alone := range map[string]bool{"answers": false, "does one thing at a time": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			c := connect(t, mcp.Server{URL: p.url()})
			if _, err := c.Tools(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.slow, p.alone = 5*time.Second, alone
			if made, err := c.Call(t.Context(), "slow", nil); err != nil || made.Text != "well" || p.calls.Load() != 1 {
				t.Errorf("%d calls, got %+v, %v", p.calls.Load(), made, err)
			}
		})
	}
}
