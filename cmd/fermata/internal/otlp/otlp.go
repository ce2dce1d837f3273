package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/protobuf/encoding/protowire"
)

// How a collector that is busy is asked again.
const (
	firstWait  = 5 * time.Second
	longest    = 30 * time.Second
	maxElapsed = time.Minute
)

// maxAnswer is how many bytes are read of what a collector answers.
const maxAnswer = 1 << 20

// Exporter sends spans to a collector.
type Exporter struct {
	config *config
	http   *http.Client
	stop   context.CancelFunc
	stops  context.Context //nolint:containedctx // it ends with Shutdown
}

var _ sdktrace.SpanExporter = (*Exporter)(nil)

// New is an exporter as the environment says. It sends nothing yet.
func New(getenv func(string) string) (*Exporter, error) {
	config, err := environment(getenv).config()
	if err != nil {
		return nil, err
	}
	c := &Exporter{config: config, http: &http.Client{Timeout: config.timeout}}
	if transport, ok := http.DefaultTransport.(*http.Transport); ok && config.tls != nil {
		transport = transport.Clone()
		transport.TLSClientConfig = config.tls
		c.http.Transport = transport
	}
	c.stops, c.stop = context.WithCancel(context.Background())
	return c, nil
}

// Shutdown implements trace.SpanExporter. It ends what is being sent.
func (e *Exporter) Shutdown(context.Context) error {
	e.stop()
	e.http.CloseIdleConnections()
	return nil
}

// ExportSpans implements trace.SpanExporter. A collector that is busy is asked again for up to a minute.
func (e *Exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body := []byte(encodeSpans(spans))
	if e.config.gzip {
		var err error
		if body, err = pack(body); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.stops, cancel)()
	begun, wait := time.Now(), firstWait
	for {
		after, err := e.send(ctx, body)
		if _, busy := errors.AsType[*busyError](err); !busy {
			return err
		}
		pause := max(after, wait/2+rand.N(wait)) //nolint:gosec // nobody gains from guessing a wait
		if time.Since(begun)+pause > maxElapsed {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
		wait = min(wait*3/2, longest)
	}
}

// busyError is of a collector that may be asked again.
type busyError struct{ err error }

func (e *busyError) Error() string { return e.err.Error() }
func (e *busyError) Unwrap() error { return e.err }

// send sends a request, and says when a busy collector wants to be asked again.
func (e *Exporter) send(ctx context.Context, body []byte) (after time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.config.url.String(), bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header = e.config.header.Clone()
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "fermata")
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	if e.config.gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := e.http.Do(req)
	if err != nil {
		if timeout, ok := errors.AsType[interface {
			error
			Timeout() bool
		}](err); ok && timeout.Timeout() && ctx.Err() == nil {
			return 0, &busyError{err}
		}
		return 0, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return 0, err
	}
	if resp.StatusCode/100 == 2 {
		if resp.Header.Get("Content-Type") == "application/x-protobuf" {
			return 0, partly(answer)
		}
		return 0, nil
	}
	err = fmt.Errorf("%s answered %s: %s", e.config.url.Host, resp.Status, firstLine(string(answer)))
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return retryAfter(resp.Header.Get("Retry-After")), &busyError{err}
	}
	return 0, err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line == "" {
		return "(empty)"
	}
	return line[:min(len(line), 500)]
}

func retryAfter(text string) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(min(max(seconds, 0), 3600)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

func pack(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// partly is the error for an answer that says that some spans were not taken: field 1 is a message with their number as
// field 1 and the reason as field 2.
func partly(answer []byte) error {
	success, ok := field(answer, 1)
	if !ok {
		return nil
	}
	reason, _ := field(success, 2)
	number, _ := field(success, 1)
	rejected, _ := protowire.ConsumeVarint(number)
	if rejected == 0 && len(reason) == 0 {
		return nil
	}
	return fmt.Errorf("the collector did not take %d spans: %s", rejected, firstLine(string(reason)))
}

// field is the last value of a field of a message: the bytes of a string or a message, or a number as it is encoded.
func field(message []byte, want protowire.Number) (value []byte, found bool) {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return value, found
		}
		message = message[n:]
		size := protowire.ConsumeFieldValue(number, kind, message)
		if size < 0 {
			return value, found
		}
		if number == want {
			value, found = message[:size], true
			if kind == protowire.BytesType {
				value, _ = protowire.ConsumeBytes(value)
			}
		}
		message = message[size:]
	}
	return value, found
}
