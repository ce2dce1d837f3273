package channels_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/channels"
	"github.com/fermata-go/fermata/channels/channeltest"
)

// atMostOnce sets Options.AtMostOnce.
func atMostOnce(on bool) func(*channeltest.Process) {
	return func(p *channeltest.Process) { p.AtMostOnce = on }
}

// TestAnAnswerIsSentAtMostOnce has the provider end a connection, of which nobody knows what it means. A failure that is known is
// waited for in any case.
func TestAnAnswerIsSentAtMostOnce(t *testing.T) {
	for once, want := range map[bool][]string{true: {"Order tea?\n1. yes\n2. no"}, false: {"What?", "Order tea?\n1. yes\n2. no"}} {
		p := &channeltest.Provider{}
		p.Plan(channeltest.Verdict{Silent: true}, channeltest.Verdict{Status: http.StatusTooManyRequests})
		h := channeltest.Open(t, channeltest.Stores(t)["memory"](), channeltest.Shop(t, &channeltest.Purchases{}), newDesk(t, p), atMostOnce(once))
		h.Post(deskSays("1", "order something"))
		h.Post(deskSays("2", "tea"))
		var got []string
		for _, s := range p.Until(t, want[len(want)-1], 1) {
			got = append(got, s.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("at most once: %v: %s", once, diff)
		}
		if _, tries := p.Sent(); tries != 2+len(want) {
			t.Errorf("at most once: %v: %d tries", once, tries)
		}
	}
}

// TestAProcessEndsWhileItSends stops a process in the middle of sending. The next one sends the answer again unless it may not.
func TestAProcessEndsWhileItSends(t *testing.T) {
	for once, want := range map[bool]int{true: 1, false: 2} {
		var mu sync.Mutex
		var got []string
		hangs, hanging := make(chan struct{}), true
		desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var in struct{ Text string }
			_ = json.NewDecoder(r.Body).Decode(&in)
			mu.Lock()
			got = append(got, in.Text)
			stuck := hanging
			hanging = false
			mu.Unlock()
			if stuck {
				close(hangs)
				<-r.Context().Done()
			}
		}))
		t.Cleanup(desk.Close)
		ch := &Desk{Secret: "s", API: desk.URL, Client: channels.DefaultClient()}
		store, shop := channeltest.Stores(t)["memory"](), channeltest.Shop(t, &channeltest.Purchases{})
		h := channeltest.Open(t, store, shop, ch, atMostOnce(once))
		h.Post(deskSays("1", "order something"))
		<-hangs
		h.Stop()
		h = channeltest.Open(t, store, shop, ch, atMostOnce(once))
		h.Post(deskSays("2", "tea"))
		count := func(text string) (n int) {
			mu.Lock()
			defer mu.Unlock()
			for _, g := range got {
				if strings.HasPrefix(g, text) {
					n++
				}
			}
			return n
		}
		for range 10000 {
			if count("Order tea?") > 0 {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		if n := count("What?"); n != want || count("Order tea?") != 1 {
			t.Errorf("at most once: %v: the question was sent %d times, expected %d; the next one %d times", once, n, want, count("Order tea?"))
		}
	}
}

// lines are the lines of a log.
type lines struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(line)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// panicky is a channel that panics with the text of its first message.
type panicky struct {
	*Desk
	panics sync.Once
}

func (p *panicky) Send(ctx context.Context, o *channels.Outgoing) error {
	p.panics.Do(func() { panic(o.Text) })
	return p.Desk.Send(ctx, o)
}

// TestLogsHoldNoTexts reads what is logged of requests that cannot be read, of a channel that panics and of failures.
func TestLogsHoldNoTexts(t *testing.T) {
	var log lines
	p := &channeltest.Provider{}
	p.Plan(channeltest.Verdict{Silent: true}, channeltest.Verdict{Status: http.StatusInternalServerError}, channeltest.Verdict{Status: http.StatusForbidden})
	ch := &panicky{Desk: newDesk(t, p).(*Desk)} //nolint:forcetypeassert // it is
	h := channeltest.Open(t, channeltest.Stores(t)["memory"](), channeltest.Shop(t, &channeltest.Purchases{}), ch, func(p *channeltest.Process) {
		p.Logger = slog.New(slog.NewTextHandler(&log, nil))
	})
	for _, body := range []string{`{"user": 4111111111111111}`, `{"text": "4111 1111`, `4111111111111111`, `["4111"]`, `{"user":"ada","text":"4111"}`} {
		if status := h.Post(deskSigned([]byte(body))); status != http.StatusBadRequest {
			t.Errorf("%s: status %d", body, status)
		}
	}
	form := channels.Request{Body: []byte("a=%41%1&b=%zz4111")}
	if _, err := form.ReadForm(); err == nil || strings.Contains(err.Error(), "%") {
		t.Errorf("%v", err)
	}
	h.Post(deskSays("1", "order something"))
	h.Post(deskSays("2", "4111 1111"))
	p.Until(t, "Order 4111 1111?\n1. yes\n2. no", 1)
	text := log.String()
	for _, secret := range []string{"4111", "What?", "order", "Order", "Bearer"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is logged:\n%s", secret, text)
		}
	}
	if n := strings.Count(text, "\n"); n < 9 {
		t.Errorf("only %d lines are logged: %s", n, text)
	}
	for _, where := range []string{"found a JSON number in User", "which ends at byte 19", "found a JSON array in the place of the whole"} {
		if !strings.Contains(text, where) {
			t.Errorf("it is not logged that %s:\n%s", where, text)
		}
	}
}
