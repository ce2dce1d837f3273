package recipe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

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

// client follows a redirect only to the same scheme and host: the headers may hold secrets.
var client = &http.Client{
	CheckRedirect: func(req *http.Request, via []*http.Request) error {
		first := via[0].URL
		if req.URL.Scheme != first.Scheme || req.URL.Host != first.Host {
			return errElsewhere
		}
		if len(via) > maxRedirects {
			return fmt.Errorf("the service sends on more than %d times", maxRedirects)
		}
		return nil
	},
}

// request calls a web service: the arguments as JSON, or in the query of a GET.
func (a *agent) request(ctx node.Context, args map[string]any) (any, error) {
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

// send makes the request once.
func (a *agent) send(ctx context.Context, address *url.URL, body []byte) (outcome, error) {
	timed, stop := context.WithTimeout(ctx, a.timeout)
	defer stop()
	req, err := http.NewRequestWithContext(timed, a.method, address.String(), bytes.NewReader(body))
	if err != nil {
		return outcome{}, a.fault(err.Error(), "")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	} else {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	req.Header.Set("Accept", "application/json, text/plain;q=0.9, */*;q=0.1")
	req.Header.Set(keyHeader, node.IdempotencyKey(ctx))
	for _, h := range a.header {
		req.Header.Set(h.name, h.value)
		if strings.EqualFold(h.name, "Host") {
			req.Host = h.value
		}
	}
	resp, err := client.Do(req)
	if err != nil {
		return outcome{}, a.netFault(ctx, timed, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxOutput+1))
	switch {
	case err != nil:
		return outcome{}, a.netFault(ctx, timed, err)
	case len(data) > maxOutput:
		return outcome{}, a.fault(fmt.Sprintf("the answer has more than %d bytes", maxOutput), "")
	case resp.StatusCode >= http.StatusMultipleChoices:
		return outcome{}, a.fault("the service answered "+resp.Status+a.bodyText(data), "")
	}
	return a.answer(resp, data)
}

// netFault is a failure on the way, without the address: it may hold secrets, and the recipe has it.
func (a *agent) netFault(ctx, timed context.Context, err error) error {
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err
	}
	switch {
	case ctx.Err() != nil:
		return a.fault(ctx.Err().Error(), "")
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		return a.fault(fmt.Sprintf("the service took longer than timeout_seconds (%s)", a.timeout), "")
	}
	return a.fault(fmt.Sprintf("%s %s: %v", a.method, a.address.Host, err), "")
}

// bodyText is the first part of an answer, for an error.
func (a *agent) bodyText(data []byte) string {
	text := a.firstPart(bytes.TrimSpace(data))
	if text == "" {
		return ""
	}
	return ": " + text
}

// answer reads a good answer: JSON where the service says so, else text.
func (a *agent) answer(resp *http.Response, data []byte) (outcome, error) {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		kind = ""
	}
	if kind == "application/json" || strings.HasSuffix(kind, "+json") {
		output, err := a.parse(data, "answer")
		if err != nil {
			return outcome{}, a.fault(err.Error(), "")
		}
		return outcome{Output: output}, nil
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return outcome{}, nil
	}
	text, err := document.Encode(strings.ToValidUTF8(string(data), "\uFFFD"))
	if err != nil {
		return outcome{}, a.fault(err.Error(), "")
	}
	return outcome{Output: text}, nil
}
