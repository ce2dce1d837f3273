package web_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/web"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
)

// pipes is a network of connections that hold nothing: what is not read is not written.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.dialled:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { close(p.closed); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	mine, theirs := net.Pipe()
	select {
	case p.dialled <- theirs:
		return mine, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestE3_AClientThatDoesNotReadIsCutOff connects clients that go silent, one that is told things and one that is not. Each is
// cut off in time, and the conversation goes on for those that read.
func TestE3_AClientThatDoesNotReadIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const heartbeat, timeout = time.Minute, 10 * time.Second
		rt, err := fermata.New(fermata.Options{})
		if err != nil {
			t.Fatal(err)
		}
		talks := dialogue.NewConversations(rt, shop(t, func(string) {}), dialogue.ConversationOptions{})
		served := make(chan time.Duration, 9) // how long each request took
		handler := web.New(talks, web.Options{Authorize: own, Heartbeat: heartbeat, WriteTimeout: timeout})
		network := &pipes{dialled: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{ReadHeaderTimeout: time.Hour, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			handler.ServeHTTP(w, r)
			served <- time.Since(began)
		})}
		go func() { _ = server.Serve(network) }()
		transport := &http.Transport{DialContext: network.dial}
		connect := func(user string) *websocket.Conn {
			if _, _, err := talks.Open(t.Context(), user, nil); err != nil {
				t.Fatal(err)
			}
			conn, _, err := websocket.Dial(t.Context(), "http://127.0.0.1/conversations/"+user+"/socket", &websocket.DialOptions{
				HTTPClient: &http.Client{Transport: transport}, HTTPHeader: http.Header{"User": {user}},
			})
			if err != nil {
				t.Fatal(err)
			}
			return conn
		}
		deaf := connect("ada")
		for i := range 3 {
			if _, err := talks.Send(t.Context(), "ada", dialogue.Message{Text: fmt.Sprint("number ", i)}); err != nil {
				t.Fatal(err)
			}
		}
		if took := <-served; took != timeout {
			t.Errorf("a client that does not read what it is told is cut off after %v, want %v", took, timeout)
		}
		dead := connect("bob")
		if took := <-served; took != heartbeat+min(timeout, 5*time.Second) {
			t.Errorf("a client that does not answer is cut off after %v", took)
		}
		alive := connect("eve")
		reading := make(chan error)
		go func() {
			_, _, err := alive.Read(t.Context())
			reading <- err
		}()
		time.Sleep(10 * heartbeat)
		select {
		case took := <-served:
			t.Errorf("a client that answers is cut off after %v", took)
		default:
		}
		if _, err := talks.Send(t.Context(), "eve", dialogue.Message{Text: "order something"}); err != nil {
			t.Fatal(err)
		}
		if err := <-reading; err != nil {
			t.Error(err)
		}
		for _, conn := range []*websocket.Conn{deaf, dead, alive} {
			_ = conn.CloseNow()
		}
		<-served
		transport.CloseIdleConnections()
		_ = server.Close()
		_ = rt.Close()
	})
}

// noticed is a store that says when something was stored, before whoever stores it is told.
type noticed struct {
	journal.Store
	notice atomic.Pointer[func()]
}

func (n *noticed) Append(ctx context.Context, b journal.Batch) error {
	err := n.Store.Append(ctx, b)
	if f := n.notice.Swap(nil); f != nil {
		(*f)()
	}
	return err
}

// TestF3_ATurnIsCarriedThroughWithoutItsClient sends a message whose client is gone when it has just been taken: what it
// leads to is said to whoever listens, without another message.
func TestF3_ATurnIsCarriedThroughWithoutItsClient(t *testing.T) {
	posted := make(chan context.Context, 1)
	store := &noticed{Store: memory.New()}
	h := build(t, store, shop(t, func(string) {}), web.Options{Authorize: func(r *http.Request, conversation string) (bool, error) {
		if r.Method == http.MethodPost {
			posted <- r.Context()
		}
		return own(r, conversation)
	}})
	h.open(t, "ada")
	listener := connect(t, h.url+"ada", "ada", "")
	say := func(text string, gone func(leave func())) {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		notice := func() { gone(leave) }
		store.notice.Store(&notice)
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+"ada/messages", strings.NewReader(`{"text":"`+text+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("User", "ada")
		res, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = res.Body.Close()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the client is gone, and gets %v", err)
		}
	}
	for i, text := range order("tea") {
		say(text, func(leave func()) {
			leave()
			<-(<-posted).Done() // the server knows
		})
		for len(listener.said) < i+1 {
			if _, err := listener.read(); err != nil {
				t.Fatal(err, listener.said)
			}
		}
	}
}

// TestConversationsAreOpenedByWhoMay opens conversations over HTTP, and looks how they stand.
func TestConversationsAreOpenedByWhoMay(t *testing.T) {
	h := build(t, nil, shop(t, func(string) {}), web.Options{Open: func(r *http.Request) (string, map[string]any, error) {
		if r.Header.Get("User") == "" {
			return "", nil, errors.New("nobody")
		}
		return r.Header.Get("Conversation"), nil, nil
	}})
	at := strings.TrimSuffix(h.url, "/")
	tests := []struct {
		name, user, conversation string
		status                   int
		text                     string
	}{
		{"a new one", "ada", "ada", http.StatusCreated, `{"conversation":"ada","created":true,"said":[],"seq":`},
		{"one that there is", "ada", "ada", http.StatusOK, `{"conversation":"ada","created":false,"said":[],"seq":`},
		{"somebody else's", "bob", "ada", http.StatusForbidden, `{"error":"not allowed","code":"forbidden"}`},
		{"nobody", "", "ada", http.StatusForbidden, `{"error":"not allowed","code":"forbidden"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := request(t, http.MethodPost, at, tt.user, "", "Conversation", tt.conversation)
			if text := all(t, res); res.StatusCode != tt.status || !strings.HasPrefix(text, tt.text) {
				t.Errorf("%d: %s", res.StatusCode, text)
			}
		})
	}
	post(t, h.url+"ada", "ada", `{"text":"order something"}`)
	res := request(t, http.MethodGet, h.url+"ada", "ada", "")
	if text := all(t, res); res.StatusCode != http.StatusOK || !strings.Contains(text, `"prompt":"What?"`) {
		t.Errorf("how it stands: %d %s", res.StatusCode, text)
	}
	if res := request(t, http.MethodGet, h.url+"bob", "bob", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("how one stands that there is not: %d", res.StatusCode)
	}
	closed := httptest.NewRecorder()
	web.New(nil, web.Options{}).ServeHTTP(closed, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/conversations", nil))
	if closed.Code != http.StatusForbidden {
		t.Errorf("without Open: %d", closed.Code)
	}
}

// TestABeginningTellsTheGreeting begins a conversation twice, as a client does that has lost the answer, and later once more: the
// greeting comes back each time, and what was said since does not.
func TestABeginningTellsTheGreeting(t *testing.T) {
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "kiosk", Settings: dialogue.Settings{Greeting: "Good morning."},
		Flows: []dialogue.Flow{{Name: "open", Trigger: []string{"open up"}, Steps: []dialogue.Step{{ID: "say", Type: dialogue.InformStep, Message: "We open at 8."}}}},
	}, dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := build(t, nil, d, web.Options{Open: func(*http.Request) (string, map[string]any, error) { return "ada", nil, nil }})
	begin := func() string { return all(t, request(t, http.MethodPost, strings.TrimSuffix(h.url, "/"), "ada", "")) }
	for i, created := range []string{"true", "false", "false"} {
		got := begin()
		if !strings.HasPrefix(got, `{"conversation":"ada","created":`+created+`,"said":[{`) || strings.Count(got, `"prompt"`) != 1 || !strings.Contains(got, "Good morning.") {
			t.Errorf("beginning %d: %s", i+1, got)
		}
		if i == 1 {
			post(t, h.url+"ada", "ada", `{"text":"open up"}`)
		}
	}
}
