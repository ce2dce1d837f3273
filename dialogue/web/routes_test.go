package web_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue/web"
	"github.com/fermata-go/fermata/journal/memory"
)

// asked are the routes that the test below asks. A new one needs a place here.
var asked = []string{
	"POST /conversations", "GET /conversations", "GET /conversations/{id}", "POST /conversations/{id}/messages",
	"GET /conversations/{id}/messages", "GET /conversations/{id}/socket",
	"POST /conversations/{id}/events",
	"GET /review", "GET /review/{id}",
}

// Every route refuses a stranger, and somebody with another conversation, whether the conversation is there or not, and
// by whatever method.
func TestH8_NoRouteServesAStranger(t *testing.T) {
	h := build(t, memory.New(), shop(t, func(string) {}), web.Options{
		Open: func(r *http.Request) (string, map[string]any, error) { return "ada", nil, nil }, // and Authorize decides
		Desk: func(*http.Request) error { return errors.New("no") }, Review: reviewer,
	})
	h.open(t, "ada", "bob")
	for _, pattern := range web.Routes() {
		if !slices.Contains(asked, pattern) {
			t.Errorf("the route %s has no place in this test: who may use it?", pattern)
		}
		_, path, _ := strings.Cut(pattern, " ")
		for _, user := range []string{"", "bob"} {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
				ask := func(id string) (int, string) {
					url := strings.TrimSuffix(h.url, "/conversations/") + strings.ReplaceAll(path, "{id}", id)
					res := request(t, method, url, user, `{"text":"hello","from":"agent","done":true,"commands":[{"type":"handoff"}]}`)
					data, err := io.ReadAll(res.Body)
					if err != nil {
						t.Fatal(err)
					}
					return res.StatusCode, strings.ReplaceAll(string(data), id, "ID")
				}
				status, reply := ask("ada")
				never, expected := ask("nobody-knows")
				if status < 400 || status != never || reply != expected {
					t.Errorf("%q: %s %s: %d %s, and for what never was %d %s", user, method, path, status, reply, never, expected)
				}
			}
		}
	}
	if standing, err := h.talks.Standing(t.Context(), "ada"); err != nil || standing.Handoff {
		t.Errorf("something has happened: %+v %v", standing, err)
	}
}
