package mcp_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-go/fermata/mcp"
)

// Whoever asks for the same server gets the same connection, also when all ask at once; another server is another one.
func TestPool(t *testing.T) {
	server := program(t, "serves")
	var pool mcp.Pool
	found := make([]*mcp.Client, 8)
	var group sync.WaitGroup
	for i := range found {
		group.Go(func() {
			c, err := pool.Client(t.Context(), server)
			if err != nil {
				t.Error(err)
			}
			found[i] = c
		})
	}
	group.Wait()
	for _, c := range found {
		if c != found[0] {
			t.Error("there are several connections to one server")
		}
	}
	server.Env = append(server.Env, "OTHER=1")
	if c, err := pool.Client(t.Context(), server); err != nil || c == found[0] {
		t.Errorf("another server has the same connection, or none: %v", err)
	}
	for range 2 {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := pool.Client(t.Context(), server); !errors.Is(err, mcp.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := found[0].Tools(t.Context()); !errors.Is(err, mcp.ErrClosed) {
		t.Errorf("a client after Close: %v", err)
	}
}

// A server that could not be reached is tried again.
func TestPool_failure(t *testing.T) {
	var pool mcp.Pool
	defer pool.Close()
	for range 2 {
		if _, err := pool.Client(t.Context(), mcp.Server{Name: "none", Command: []string{"./there-is-no-such-program"}}); !errors.Is(err, mcp.ErrLost) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := pool.Client(t.Context(), mcp.Server{}); err == nil {
		t.Error("a server without a command and a URL is taken")
	}
}

// What is called by who is no model is found by either of its names, is not cut, and comes as it was structured.
func TestCall(t *testing.T) {
	server := program(t, "serves")
	server.Prefix, server.MaxOutput = "t_", 10
	c := connect(t, server)
	for _, name := range []string{"structured", "t_structured"} {
		got, err := c.Call(t.Context(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := &mcp.Result{Text: `{"a":"x","b":1}`, Structured: json.RawMessage(`{"a":"x","b":1}`)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	if got, err := c.Call(t.Context(), "huge", nil); err != nil || len(got.Text) != 2<<20 || got.Structured != nil {
		t.Errorf("a long text: %v", err)
	}
	_, err := c.Call(t.Context(), "fail", nil)
	if failed, ok := errors.AsType[*mcp.ToolError](err); !ok || failed.Tool != "fail" {
		t.Errorf("got %v", err)
	}
	if _, err := c.Call(t.Context(), "ad", nil); err == nil || err.Error() != `mcp server tester has no tool "ad"; did you mean "add"?` {
		t.Errorf("got %v", err)
	}
}

// Numbers come with the digits that the server has said, for models and for who is none.
func TestCall_numbersKeepTheirDigits(t *testing.T) {
	w, plain := newWeb(t), newServer(hooks{})
	answers := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return plain }, &sdk.StreamableHTTPOptions{JSONResponse: true}))
	t.Cleanup(func() {
		answers.Close()
		endSessions(plain)
	})
	for name, server := range map[string]mcp.Server{"a program": program(t, "serves"), "events": {URL: w.URL}, "an answer": {URL: answers.URL}} {
		c := connect(t, server)
		for tool, want := range map[string]*mcp.Result{
			"numbers":       {Text: digits},
			"numbers apart": {Text: digits, Structured: json.RawMessage(digits)}, // as no float64 has them
			"numbers twice": {Text: manyDigits, Structured: json.RawMessage(manyDigits)},
		} {
			got, err := c.Call(t.Context(), tool, nil)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s, %s: %v (-want +got)\n%s", name, tool, err, diff)
			}
			if told, err := use(t, only(t, c, tool), "{}"); err != nil || told != want.Text {
				t.Errorf("%s, %s: the model is told %q, %v", name, tool, told, err)
			}
		}
		arguments := `{"a":9007199254740993,"b":0.10,"huge":1e400}`
		got, err := c.Call(t.Context(), "echo", json.RawMessage(arguments))
		if err != nil || got.Text != arguments {
			t.Errorf("%s: the server is given %+v, %v", name, got, err)
		}
	}
}
