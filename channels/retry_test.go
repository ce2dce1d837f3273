package channels_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/fermata-go/fermata/channels"
	"github.com/fermata-go/fermata/channels/channeltest"
)

// TestWhatPasses tells failures that pass from refusals, and reads how long the provider wants to be left alone.
func TestWhatPasses(t *testing.T) {
	soon := time.Now().Add(30 * time.Second).UTC().Format(http.TimeFormat)
	for _, c := range []struct {
		status      int
		after       string
		permanent   bool
		least, most time.Duration
	}{
		{status: 302, permanent: true},
		{status: 400, permanent: true},
		{status: 403, permanent: true},
		{status: 404, permanent: true},
		{status: 422, permanent: true},
		{status: 401},
		{status: 408},
		{status: 425},
		{status: 429},
		{status: 500},
		{status: 502},
		{status: 503},
		{status: 504},
		{status: 429, after: "7", least: 7 * time.Second, most: 7 * time.Second},
		{status: 503, after: soon, least: 20 * time.Second, most: 30 * time.Second},
		{status: 503, after: "Tue, 24 Nov 2020 10:00:00 GMT"},
		{status: 503, after: "-1"},
		{status: 503, after: "later"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", c.after)
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(c.status)
		}))
		_, err := channels.PostJSON(t.Context(), channels.DefaultClient(), s.URL, "", "x")
		s.Close()
		why, ok := errors.AsType[*channels.SendError](err)
		if !ok || why.Permanent != c.permanent || why.Unknown || why.RetryAfter < c.least || why.RetryAfter > c.most {
			t.Errorf("%d, Retry-After %q: %+v", c.status, c.after, why)
		}
	}
}

// TestAnAnswerIsGivenUp leaves out an answer that the provider does not take for too long, and sends the next one.
func TestAnAnswerIsGivenUp(t *testing.T) {
	taken := make(chan string, 9)
	desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Text string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Text == "What?" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		taken <- in.Text
	}))
	t.Cleanup(desk.Close)
	ch := &Desk{Secret: "s", API: desk.URL, Client: channels.DefaultClient()}
	h := channeltest.Open(t, channeltest.Stores(t)["memory"](), channeltest.Shop(t, &channeltest.Purchases{}), ch, func(p *channeltest.Process) {
		p.GiveUp = 20 * time.Millisecond
	})
	h.Post(deskSays("1", "order something"))
	h.Post(deskSays("2", "tea"))
	select {
	case got := <-taken:
		if got != "Order tea?\n1. yes\n2. no" {
			t.Errorf("%q was sent", got)
		}
	case <-time.After(time.Minute):
		t.Error("the second answer is not sent")
	}
}
