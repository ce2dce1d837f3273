package web_test

import (
	"bufio"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/web"
	"github.com/fermata-go/fermata/journal/memory"
)

// A client that may not listen any more is told nothing more, over a stream and over a WebSocket: neither what is said
// next, nor that nothing is.
func TestH8_WhoMayNotListenAnyMoreIsToldNothing(t *testing.T) {
	for _, tt := range []struct {
		name    string
		recheck time.Duration
		speaks  bool
	}{
		{"something is said", time.Hour, true},
		{"nothing is said", 5 * time.Millisecond, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var gone atomic.Bool
			h := build(t, memory.New(), shop(t, func(string) {}), web.Options{
				Recheck: tt.recheck,
				Authorize: func(r *http.Request, conversation string) (bool, error) {
					if gone.Load() && r.Header.Get("User") == "ada" {
						return false, errors.New("void")
					}
					return own(r, conversation)
				},
			})
			h.open(t, "ada")
			c := connect(t, h.url+"ada", "ada", "")
			c.say("1", "order something")
			c.until("reply")
			stream := bufio.NewScanner(request(t, http.MethodGet, h.url+"ada/messages", "ada", "").Body)
			for stream.Scan() && !strings.Contains(stream.Text(), "What?") {
			}
			heard := len(c.said)
			gone.Store(true)
			if tt.speaks {
				if _, err := h.talks.Send(t.Context(), "ada", dialogue.Message{ID: "2", Text: "SECRETINK"}); err != nil {
					t.Fatal(err)
				}
			}
			if code, why := c.closed(); code != websocket.StatusPolicyViolation || why != "not allowed" || len(c.said) != heard {
				t.Errorf("the socket: %v %q, said was %q", code, why, c.said[heard:])
			}
			for stream.Scan() {
				if strings.Contains(stream.Text(), "SECRETINK") {
					t.Errorf("the stream tells: %s", stream.Text())
				}
			}
		})
	}
}
