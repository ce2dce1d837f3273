package web_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/fermata-go/fermata/dialogue/web"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal/memory"
)

// TestN7_WhoDecidesMayNotReturn has the functions of a program panic and end their goroutine that say who may speak: the
// request is refused, a socket that is open is closed, whose goroutines ask them, and the process serves on.
func TestN7_WhoDecidesMayNotReturn(t *testing.T) {
	for how, leave := range lawtest.Leavings {
		t.Run(how, func(t *testing.T) {
			var armed atomic.Value
			armed.Store("")
			does := func(what string) {
				if armed.Load() == what {
					leave()
				}
			}
			h := build(t, memory.New(), shop(t, func(string) {}), web.Options{
				Recheck:   time.Hour,
				Authorize: func(r *http.Request, id string) (bool, error) { does("Authorize"); return own(r, id) },
				Open:      func(*http.Request) (string, map[string]any, error) { does("Open"); return "ada", nil, nil },
				Desk:      func(*http.Request) error { does("Desk"); return nil },
				Review:    func(*http.Request) error { does("Review"); return nil },
			})
			h.open(t, "ada")
			c := connect(t, h.url+"ada", "ada", "")
			c.say("1", "order something")
			c.until("reply")
			for _, ask := range [][3]string{
				{"Authorize", "GET", "/conversations/ada"},
				{"Open", "POST", "/conversations"},
				{"Authorize", "POST", "/conversations"},
				{"Desk", "GET", "/conversations"},
				{"Review", "GET", "/review"},
				{"Review", "GET", "/review/ada"},
			} {
				armed.Store(ask[0])
				url := h.http.URL + ask[2]
				if res := request(t, ask[1], url, "ada", ""); res.StatusCode != http.StatusInternalServerError {
					t.Errorf("%v: %s", ask, res.Status)
				}
				if armed.Store(""); request(t, ask[1], url, "ada", "").StatusCode >= 300 {
					t.Errorf("%v: it is refused for ever", ask)
				}
			}
			armed.Store("Authorize")
			c.say("2", "tea")
			c.until("error")
			if code, _ := c.closed(); code != websocket.StatusPolicyViolation {
				t.Errorf("the socket is closed with %v", code)
			}
			armed.Store("")
			connect(t, h.url+"ada", "ada", "")
		})
	}
}
