package dialogue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
)

// SinkFunc is a function that is a sink.
type SinkFunc func(ctx context.Context, d Delivery) error

// Deliver implements Sink.
func (f SinkFunc) Deliver(ctx context.Context, d Delivery) error { return f(ctx, d) }

// ErrFull says that a Buffered sink holds as much of a conversation as it may.
var ErrFull = errors.New("the buffer is full")

// Buffered keeps what is said until it is fetched, for tests and for clients that poll. The zero value works, and it
// may be used from several goroutines.
type Buffered struct {
	// Most is how many deliveries of one conversation it holds; more are ErrFull. Defaults to 1000.
	Most int

	mu   sync.Mutex
	held map[string][]Delivery
}

// Deliver implements Sink.
func (b *Buffered) Deliver(_ context.Context, d Delivery) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	most := b.Most
	if most <= 0 {
		most = 1000
	}
	if n := len(b.held[d.Conversation]); n >= most {
		return fmt.Errorf("conversation %s: %w: %d deliveries", d.Conversation, ErrFull, n)
	}
	if b.held == nil {
		b.held = make(map[string][]Delivery)
	}
	b.held[d.Conversation] = append(b.held[d.Conversation], d)
	return nil
}

// Take is what was said in a conversation since it was called last, in order. It is held no more.
func (b *Buffered) Take(conversation string) []Delivery {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.held[conversation]
	delete(b.held, conversation)
	return all
}

// Webhook posts each delivery as JSON, {"conversation","seq","said"}. The Key is the header Idempotency-Key. A
// response without a status of 2xx is an error: Follow posts it again.
type Webhook struct {
	URL    string
	Header http.Header // added to each request: who asks
	// Client makes the requests. Defaults to one that waits half a minute and follows no redirection.
	Client *http.Client
}

// Deliver implements Sink.
func (w *Webhook) Deliver(ctx context.Context, d Delivery) error {
	body, err := json.Marshal(d)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	for name, values := range w.Header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", d.Key())
	client := w.Client
	if client == nil {
		client = &http.Client{
			Timeout:       30 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	res, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection serves the next one
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("webhook: delivery %s: expected a status of 2xx, found %s", d.Key(), res.Status)
	}
	return nil
}

// Console writes what is said for people to read: a line for each, with its quick replies behind it. It may be used from
// several goroutines. NewConsole makes one.
type Console struct {
	mu    sync.Mutex
	w     io.Writer
	plain bool
}

// NewConsole writes to w. Texts are bold and quick replies dim, unless NO_COLOR is set or w is no terminal.
func NewConsole(w io.Writer) *Console {
	c := &Console{w: w, plain: true}
	if f, ok := w.(*os.File); ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		info, err := f.Stat()
		c.plain = err != nil || info.Mode()&os.ModeCharDevice == 0
	}
	return c
}

// Deliver implements Sink.
func (c *Console) Deliver(_ context.Context, d Delivery) error {
	var line strings.Builder
	if d.Said.By == byAgent {
		line.WriteString("(" + byAgent + ") ")
	}
	line.WriteString(c.styled("1", printable(d.Said.Prompt)))
	if len(d.Said.Options) > 0 {
		line.WriteString("  " + c.styled("2", "["+printable(strings.Join(d.Said.Options, " | "))+"]"))
	}
	line.WriteByte('\n')
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := io.WriteString(c.w, line.String())
	return err
}

func (c *Console) styled(style, text string) string {
	if c.plain || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// printable leaves out what would command a terminal: what is said may hold what users have said.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}
