package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/mcp"
)

// web is a server over HTTP whose sessions a test can forget, and that notes what it is sent.
type web struct {
	*httptest.Server
	hooks hooks

	mu       sync.Mutex
	handler  http.Handler
	servers  []*sdk.Server
	requests []http.Header
	status   int // answers everything with this status, if it is not 0
}

func newWeb(t testing.TB) *web {
	w := &web{hooks: hooks{waiting: make(chan struct{}), cancelled: make(chan struct{})}}
	w.forget()
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.requests = append(w.requests, r.Header.Clone())
		handler, status := w.handler, w.status
		w.mu.Unlock()
		if status != 0 {
			http.Error(rw, "no: "+r.Header.Get("Authorization"), status)
			return
		}
		handler.ServeHTTP(rw, r)
	}))
	t.Cleanup(func() {
		w.Close()
		for _, server := range w.servers {
			endSessions(server)
		}
	})
	return w
}

// endSessions ends those that no client has ended.
func endSessions(server *sdk.Server) {
	for session := range server.Sessions() {
		_ = session.Close()
	}
}

// forget makes the server one that has never been spoken to.
func (w *web) forget() {
	server := newServer(w.hooks)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.servers = append(w.servers, server)
	w.handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
}

func (w *web) answer(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status = status
}

func (w *web) sent(name string) map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make(map[string]bool)
	for _, header := range w.requests {
		all[header.Get(name)] = true
	}
	return all
}

func TestHTTP(t *testing.T) {
	w := newWeb(t)
	t.Setenv("FERMATA_MCP_KEY", "sesame-open-42")
	t.Setenv("FERMATA_MCP_TENANT", "tenant-0815")
	c := connect(t, mcp.Server{
		URL: w.URL, TokenEnv: "FERMATA_MCP_KEY",
		Header: map[string]string{"X-Plain": "plain"}, HeaderEnv: map[string]string{"X-Tenant": "FERMATA_MCP_TENANT"},
	})
	add := only(t, c, "add")
	if out, err := use(t, add, `{"a":3,"b":4}`); err != nil || out != "7\ndone" {
		t.Errorf("got %q, %v", out, err)
	}
	for name, want := range map[string]string{"Authorization": "Bearer sesame-open-42", "X-Plain": "plain", "X-Tenant": "tenant-0815"} {
		if sent := w.sent(name); !sent[want] || len(sent) != 1 {
			t.Errorf("%s was sent as %v, expected %s alone", name, sent, want)
		}
	}
}

// A session that the server has forgotten is begun anew, and the call that found out is made then: it had not happened.
func TestHTTP_sessionExpires(t *testing.T) {
	w := newWeb(t)
	c := connect(t, mcp.Server{URL: w.URL})
	structured := only(t, c, "structured") // not one that may be repeated
	for range 3 {
		w.forget()
		if out, err := use(t, structured, `{}`); err != nil || out != `{"a":"x","b":1}` {
			t.Errorf("got %q, %v", out, err)
		}
	}
}

// A server that is away is lost, and found when it is there again. What it says is quoted, but for what is secret.
func TestHTTP_lost(t *testing.T) {
	w := newWeb(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("sesame-open-42\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := connect(t, mcp.Server{URL: w.URL + "/mcp?apikey=hidden-key", TokenFile: token})
	structured := only(t, c, "structured")
	for _, status := range []int{http.StatusUnauthorized, http.StatusInternalServerError, http.StatusBadGateway} {
		w.answer(status)
		_, err := use(t, structured, `{}`)
		if !errors.Is(err, mcp.ErrLost) || strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "hidden-key") {
			t.Errorf("status %d: got %v", status, err)
		}
		w.answer(0)
		if out, err := use(t, structured, `{}`); err != nil || out != `{"a":"x","b":1}` {
			t.Errorf("after status %d: got %q, %v", status, out, err)
		}
	}
	w.CloseClientConnections()
	if out, err := use(t, only(t, c, "add"), `{"a":1,"b":1}`); err != nil || out != "2\ndone" {
		t.Errorf("after the connections were cut: %q, %v", out, err)
	}
	w.Close()
	for range 2 {
		if _, err := use(t, structured, `{}`); !errors.Is(err, mcp.ErrLost) || strings.Contains(err.Error(), "hidden-key") {
			t.Errorf("without a server: %v", err)
		}
	}
}

// What is secret in an address or a header is hidden also where only a part of it is said, and the session is, too.
func TestHTTP_partsOfSecrets(t *testing.T) {
	w := newWeb(t)
	t.Setenv("FERMATA_MCP_KEY", "Basic c2VzYW1l")
	address := strings.Replace(w.URL, "http://", "http://user-7f3a9:p%40ssw0rd@", 1) + "/s/0a1b2c3d4e5f/mcp"
	c := connect(t, mcp.Server{URL: address, HeaderEnv: map[string]string{"Authorization": "FERMATA_MCP_KEY"}})
	structured := only(t, c, "structured")
	w.answer(http.StatusBadGateway)
	_, err := use(t, structured, `{}`)
	if !errors.Is(err, mcp.ErrLost) {
		t.Errorf("got %v", err)
	}
	w.Close()
	_, gone := use(t, structured, `{}`)
	if !errors.Is(gone, mcp.ErrLost) || !strings.Contains(gone.Error(), "/s/[secret]/mcp cannot be reached") {
		t.Errorf("got %v", gone)
	}
	text := err.Error() + gone.Error()
	for _, secret := range []string{"c2VzYW1l", "user-7f3a9", "p%40ssw0rd", "p@ssw0rd", "0a1b2c3d4e5f"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in %s", secret, text)
		}
	}
}

// A server that answers without an end does not fill the memory.
func TestHTTP_endless(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		piece := []byte(strings.Repeat(" ", 1<<20))
		for r.Context().Err() == nil {
			if _, err := rw.Write(piece); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	_, err := mcp.Connect(t.Context(), mcp.Server{URL: server.URL, Within: time.Minute})
	if !errors.Is(err, mcp.ErrLost) || !strings.Contains(err.Error(), "the answer has more than 16777216 bytes") {
		t.Errorf("got %v", err)
	}
}

// A server that has more tools with each page is not asked for ever.
func TestHTTP_endlessTools(t *testing.T) {
	w := newWeb(t)
	page := &sdk.ListToolsResult{NextCursor: "more"}
	for range 1000 {
		page.Tools = append(page.Tools, &sdk.Tool{Name: "again", InputSchema: map[string]any{"type": "object"}})
	}
	w.servers[0].AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method == "tools/list" {
				return page, nil
			}
			return next(ctx, method, req)
		}
	})
	_, err := connect(t, mcp.Server{Name: "web", URL: w.URL}).Tools(t.Context())
	if want := "mcp server web: expected at most 10000 tools, found more"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A token is read anew for each connection.
func TestHTTP_tokenIsRenewed(t *testing.T) {
	w := newWeb(t)
	t.Setenv("FERMATA_MCP_KEY", "first-token")
	c := connect(t, mcp.Server{URL: w.URL, TokenEnv: "FERMATA_MCP_KEY"})
	add := only(t, c, "add")
	t.Setenv("FERMATA_MCP_KEY", "second-token")
	w.answer(http.StatusUnauthorized)
	if _, err := use(t, add, `{"a":1,"b":1}`); !errors.Is(err, mcp.ErrLost) {
		t.Errorf("got %v", err)
	}
	w.answer(0)
	if _, err := use(t, add, `{"a":1,"b":1}`); err != nil || !w.sent("Authorization")["Bearer second-token"] {
		t.Errorf("got %v; sent %v", err, w.sent("Authorization"))
	}
}

// Who is sent elsewhere does not go there: neither with the token, nor with what a tool is called with and the session.
// Another path of the same server is fine.
func TestHTTP_redirected(t *testing.T) {
	elsewhere, w := newWeb(t), newWeb(t)
	to := elsewhere.URL
	from := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(rw, r, "/here", http.StatusPermanentRedirect)
		case "/here":
			w.Config.Handler.ServeHTTP(rw, r)
		case "/round":
			http.Redirect(rw, r, "/round", http.StatusTemporaryRedirect)
		default:
			http.Redirect(rw, r, to, http.StatusTemporaryRedirect)
		}
	}))
	defer from.Close()
	t.Setenv("FERMATA_MCP_KEY", "sesame-open-42")
	server := mcp.Server{Name: "web", URL: from.URL, Within: time.Minute, TokenEnv: "FERMATA_MCP_KEY", Header: map[string]string{"X-Key": "secret-too"}}
	for path, want := range map[string]string{
		"":       "the URL leads elsewhere, to " + to + "; name the place itself",
		"/round": "the URL leads on more than 10 times",
	} {
		server.URL = from.URL + path
		if _, err := mcp.Connect(t.Context(), server); !errors.Is(err, mcp.ErrLost) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v\nwant %s", path, err, want)
		}
	}
	if sent := elsewhere.sent("X-Key"); len(sent) > 0 {
		t.Errorf("requests went elsewhere: %v", sent)
	}
	server.URL = from.URL + "/moved"
	if out, err := use(t, only(t, connect(t, server), "add"), `{"a":3,"b":4}`); err != nil || out != "7\ndone" || !w.sent("X-Key")["secret-too"] {
		t.Errorf("got %q, %v; sent %v", out, err, w.sent("X-Key"))
	}
}

// Whoever gives up a call has the server give it up.
func TestHTTP_cancelled(t *testing.T) {
	w := newWeb(t)
	wait := only(t, connect(t, mcp.Server{URL: w.URL}), "wait")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-w.hooks.waiting
		cancel()
	}()
	_, err := wait.Call(fermatatest.NewContext(t).Begin().WithContext(ctx), []byte(`{}`))
	if !errors.Is(err, context.Canceled) || errors.Is(err, mcp.ErrLost) {
		t.Errorf("got %v", err)
	}
	<-w.hooks.cancelled
}

// Whatever prints or logs a server or its client, there is nothing secret in it.
func TestServer_prints(t *testing.T) {
	w := newWeb(t)
	server := mcp.Server{URL: strings.Replace(w.URL, "//", "//me-1:pass-2@", 1) + "/mcp?key=key-3", Header: map[string]string{"X-Key": "header-4"}}
	c := connect(t, server)
	var log strings.Builder
	for _, logger := range []*slog.Logger{slog.New(slog.NewTextHandler(&log, nil)), slog.New(slog.NewJSONHandler(&log, nil))} {
		logger.Info("made", "server", server, "client", c)
	}
	text := fmt.Sprintf("%v %+v %#v %s %q, %v %+v %#v\n", server, server, server, server, &server, c, c, c) + log.String()
	for _, secret := range []string{"me-1", "pass-2", "key-3", "header-4"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in %s", secret, text)
		}
	}
	if name := "MCP server " + w.URL + "/mcp"; fmt.Sprint(server) != name || fmt.Sprint(c) != name || !strings.Contains(log.String(), `server="`+name+`"`) {
		t.Errorf("expected %s in %s", name, text)
	}
	for _, server := range []mcp.Server{{Name: "files", URL: w.URL}, {Command: []string{"files", "--token=x"}}, {}, {URL: "http://x\x7f"}} {
		if text := fmt.Sprint(server); text != "MCP server files" && text != "MCP server without a name" {
			t.Errorf("got %q", text)
		}
	}
}

func TestServer_refused(t *testing.T) {
	command := []string{"true"}
	tests := []struct {
		server mcp.Server
		want   string
	}{
		{mcp.Server{}, `mcp: expected a server with a Command or a URL, found neither`},
		{mcp.Server{Command: command, URL: "http://x.example"}, `mcp: expected a server with a Command or a URL, found both`},
		{mcp.Server{Command: command, TokenEnv: "X"}, `mcp: headers and tokens are for a server with a URL; hand secrets to a Command in Env`},
		{mcp.Server{URL: "http://x.example", Env: []string{"X"}}, `mcp: Dir and Env are for a server with a Command`},
		{mcp.Server{URL: "http://x.example", TokenEnv: "X", TokenFile: "y"}, `mcp: expected a token from TokenEnv or from TokenFile, found both`},
		{mcp.Server{URL: "x.example/mcp?key=secret"}, `mcp: expected a URL such as "http://127.0.0.1:8080/mcp", found another form`},
		{mcp.Server{URL: "http://x.example/mcp?key=secret", TokenEnv: "FERMATA_MCP_UNSET"}, `mcp server http://x.example/mcp: the environment variable FERMATA_MCP_UNSET is not set`},
		{mcp.Server{URL: "http://x.example", HeaderEnv: map[string]string{"A": "FERMATA_MCP_UNSET"}}, `mcp server http://x.example: the environment variable FERMATA_MCP_UNSET is not set`},
		{mcp.Server{URL: "http://x.example", TokenFile: "testdata/none"}, `mcp server http://x.example: its token: open testdata/none: no such file or directory`},
		{mcp.Server{URL: "http://x.example", TokenFile: "http_test.go"}, `mcp server http://x.example: expected one line with a token in http_test.go, found another text`},
	}
	for _, tt := range tests {
		if _, err := mcp.Connect(t.Context(), tt.server); err == nil || err.Error() != tt.want {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
}
