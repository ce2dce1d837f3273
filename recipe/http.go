package recipe

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/node"
)

// keyHeader carries the idempotency key.
const keyHeader = "Idempotency-Key"

// maxRedirects is how often a service may send on to another address of its own.
const maxRedirects = 5

// errElsewhere says that a service sends on to another place.
var errElsewhere = errors.New("the service sends on to another host, and what is sent to one is not sent to another")

// client makes requests that may be made again.
var client = &http.Client{CheckRedirect: staying}

// onceClient makes requests that must not be made twice. net/http itself repeats a request with an idempotency key when a
// connection that it has used before breaks; on a new connection it does not.
var onceClient = &http.Client{CheckRedirect: staying, Transport: freshConnections()}

func freshConnections() http.RoundTripper {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport // the program's own
	}
	fresh := base.Clone()
	fresh.DisableKeepAlives = true
	return fresh
}

// staying follows a redirect only to the same scheme and host: the headers may hold secrets.
func staying(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if req.URL.Scheme != first.Scheme || req.URL.Host != first.Host {
		return errElsewhere
	}
	if len(via) > maxRedirects {
		return fmt.Errorf("the service sends on more than %d times", maxRedirects)
	}
	return nil
}

// httpKind are agents that call web services.
var httpKind = &agentKind{
	name: "http", does: "calls a web service",
	keys:    []string{"input", "output", "method", "url", "headers", "timeout_seconds", "at_most_once", "retry"},
	outside: true, tool: true, read: readHTTP,
}

// httpAgent calls a web service.
type httpAgent struct {
	*agent
	endpoint
	method string   // one of httpMethods
	retry  *retries // after which answers, and when, it is called again
}

// httpMethods are the methods that an agent may use.
var httpMethods = []string{"POST", "GET", "PUT", "PATCH", "DELETE"}

// defaultHTTPTimeout is how long a web service may take where the recipe does not say.
const defaultHTTPTimeout = 30 * time.Second

func readHTTP(a *agent, o *document.Object) work {
	w := &httpAgent{agent: a, method: o.Choice("method", httpMethods...)}
	w.url = o.NeedText("url", "an address such as https://example.org/hook")
	w.headers = o.Texts("headers")
	a.timeout = cmp.Or(o.Seconds(), defaultHTTPTimeout)
	a.once = o.Flag("at_most_once")
	w.retry = readRetries(o)
	return w
}

func (a *httpAgent) retryPolicy() *retries { return a.retry }

// caller gives a model that calls the service its refusals as failures like any other: they end the attempts of a node, and no
// reasoning.
func (a *httpAgent) caller(_ *checked, n *step) caller {
	if n != nil {
		return a.request
	}
	return func(ctx node.Context, args map[string]any) (any, error) {
		out, err := a.request(ctx, args)
		if errors.Is(err, node.ErrTerminal) {
			err = errors.New(err.Error())
		}
		return out, err
	}
}

// request calls the service: the arguments as JSON, or in the query of a GET.
func (a *httpAgent) request(ctx node.Context, args map[string]any) (any, error) {
	address := *a.address
	var body []byte
	if a.method == http.MethodGet {
		query := address.Query()
		for _, name := range expression.Keys(args) {
			query.Set(name, expression.Text(args[name]))
		}
		address.RawQuery = query.Encode()
	} else {
		var err error
		if body, err = document.Encode(args); err != nil {
			return nil, definite{err}
		}
	}
	return a.outside(ctx, stepHTTP, func(ctx node.Context) (outcome, error) {
		return a.send(ctx, &address, body)
	})
}

// send makes the request once. A request that was given to a connection may have been received: what goes wrong from then
// on leaves its outcome open, see unsettled.
func (a *httpAgent) send(ctx context.Context, address *url.URL, body []byte) (outcome, error) {
	timed, stop := context.WithTimeout(ctx, a.timeout)
	defer stop()
	var sent atomic.Bool
	traced := httptrace.WithClientTrace(timed, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	req, err := http.NewRequestWithContext(traced, a.method, address.String(), bytes.NewReader(body))
	if err != nil {
		return outcome{}, a.failed(err.Error())
	}
	a.fill(req, body, node.IdempotencyKey(ctx))
	by := client
	if a.once {
		by = onceClient
	}
	resp, err := by.Do(req)
	switch {
	case errors.Is(err, errElsewhere): // an answer, which leads where nothing was sent
		return outcome{}, a.failed(a.netText(ctx, timed, err))
	case err != nil && sent.Load():
		return outcome{}, a.lost(a.netText(ctx, timed, err))
	case err != nil:
		return outcome{}, a.failed(a.netText(ctx, timed, err))
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxOutput+1))
	switch {
	case err != nil:
		return outcome{}, a.lost(a.netText(ctx, timed, err))
	case resp.StatusCode >= http.StatusMultipleChoices:
		return outcome{}, a.refused(resp, data)
	case len(data) > maxOutput:
		return outcome{}, a.lost(fmt.Sprintf("the answer has more than %d bytes", maxOutput))
	}
	return a.answer(resp, data)
}

// fill says what is sent.
func (a *httpAgent) fill(req *http.Request, body []byte, key string) {
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	} else {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	req.Header.Set("Accept", "application/json, text/plain;q=0.9, */*;q=0.1")
	req.Header.Set(keyHeader, key)
	for _, h := range a.header {
		req.Header.Set(h.name, h.value)
		if strings.EqualFold(h.name, "Host") {
			req.Host = h.value
		}
	}
}

// refused is the error of an answer that is none of success. A service that fails (500 and above) may have failed after
// the effect; one that refuses, or says when to ask again, has not had it. Another attempt is made after the statuses that
// the agent's policy names, and not before the service wants it.
func (a *httpAgent) refused(resp *http.Response, data []byte) error {
	text := "the service answered " + resp.Status
	if said := a.excerpt(data); said != "" && said != resp.Status {
		text += ": " + said
	}
	wait, asked := retryAfter(resp)
	if resp.StatusCode >= http.StatusInternalServerError && resp.StatusCode != http.StatusNotImplemented && !asked && a.once {
		return a.lost(text)
	}
	switch longest := cmp.Or(a.retry.longest, longestAsked); {
	case !slices.Contains(a.retry.statuses, resp.StatusCode):
		return node.Terminal(a.failed(text))
	case asked && wait > longest:
		return node.Terminal(a.failed(fmt.Sprintf("%s; it asks to be left alone for %s, and the longest wait is %s (retry.max_seconds)",
			text, wait.Round(time.Second), longest)))
	case asked:
		return node.RetryAfter(a.failed(text), wait)
	}
	return a.failed(text)
}

// retryAfter is when a service that is busy wants to be asked again: in seconds or as a date of its own clock.
func retryAfter(resp *http.Response) (time.Duration, bool) {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	said := resp.Header.Get("Retry-After")
	if n, err := strconv.ParseUint(said, 10, 31); err == nil {
		return time.Duration(n) * time.Second, true
	}
	at, err := http.ParseTime(said)
	if err != nil {
		return 0, false
	}
	now, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(at.Sub(now), 0), true
}

// netText is a failure on the way, without the address: it may hold secrets.
func (a *httpAgent) netText(ctx, timed context.Context, err error) string {
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err().Error()
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		return fmt.Sprintf("the service took longer than timeout_seconds (%s)", a.timeout)
	}
	return err.Error()
}

// failed is the error of a request that had no effect, and lost of one that may have had it, see unsettled.
func (a *httpAgent) failed(message string) error { return a.fault(a.asked()+": "+message, "") }
func (a *httpAgent) lost(message string) error   { return a.unsettled(a.asked()+": "+message, "") }

// asked names the request in errors: method, host and path, without user and query. Variables of the environment stay as they are
// written; the path behind one that holds an address is not shown.
func (a *httpAgent) asked() string {
	path := a.address.EscapedPath()
	if strings.Contains(a.url.Text, "${") {
		host, written, _ := strings.Cut(strings.TrimPrefix(a.url.Text, a.address.Scheme+"://"), "/")
		if written, _, _ = strings.Cut(written, "?"); written != "" {
			written = "/" + written
		}
		if strings.Contains(host, "${") && written != path {
			written = "/…" + written
		}
		path = written
	}
	return a.method + " " + a.address.Host + path
}

// The parts of pages that are not read out.
var (
	pageTitle = regexp.MustCompile(`(?is)<title\b[^>]*>(.*?)</title>`)
	markup    = regexp.MustCompile(`(?is)<!--.*?-->|<script\b.*?</script>|<style\b.*?</style>|<[^>]*>`)
)

// excerpt is the first part of an answer that is none of success, in one line: of a page its title, or else its first words.
func (a *httpAgent) excerpt(data []byte) string {
	text := a.secrets.text(string(bytes.TrimSpace(data[:min(len(data), keptStderr)])))
	if strings.HasPrefix(text, "<") {
		if title := pageTitle.FindStringSubmatch(text); title != nil && strings.TrimSpace(title[1]) != "" {
			text = title[1]
		}
		text = html.UnescapeString(markup.ReplaceAllString(text, " "))
	}
	return a.firstPart([]byte(strings.Join(strings.Fields(text), " ")))
}

// answer reads a good answer: JSON where the service says so, else text.
func (a *httpAgent) answer(resp *http.Response, data []byte) (outcome, error) {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		kind = ""
	}
	if kind == "application/json" || strings.HasSuffix(kind, "+json") {
		output, err := a.parse(data, "answer")
		if err != nil {
			return outcome{}, a.lost(err.Error())
		}
		return outcome{Output: output}, nil
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return outcome{}, nil
	}
	text, err := document.Encode(strings.ToValidUTF8(string(data), "\uFFFD"))
	if err != nil {
		return outcome{}, a.lost(err.Error())
	}
	return outcome{Output: text}, nil
}
