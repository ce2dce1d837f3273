package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/server"
)

// Without Authorize, a name that is not known may be a stranger's that was pointed at this machine.
func TestHostsThatAreNotKnownAreRefused(t *testing.T) {
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	open := server.New(rt, server.Options{Hosts: []string{"desk.example.com"}})
	guarded := server.New(rt, server.Options{Authorize: func(*http.Request) (server.Person, error) { return server.Person{}, nil }})
	tests := []struct {
		host    string
		handler http.Handler
		want    int
	}{
		{"127.0.0.1:8080", open, http.StatusOK},
		{"[::1]:8080", open, http.StatusOK},
		{"[::1]", open, http.StatusOK},
		{"localhost", open, http.StatusOK},
		{"desk.example.com:443", open, http.StatusOK},
		{"evil.example.com", open, http.StatusForbidden},
		{"localhost.evil.example.com:80", open, http.StatusForbidden},
		{"", open, http.StatusForbidden},
		{"evil.example.com", guarded, http.StatusOK},
	}
	for _, tt := range tests {
		r := httptest.NewRequest(http.MethodGet, "/interrupts", nil)
		r.Host = tt.host
		w := httptest.NewRecorder()
		tt.handler.ServeHTTP(w, r)
		if w.Code != tt.want {
			t.Errorf("host %q: %d, want %d", tt.host, w.Code, tt.want)
		}
	}
}
