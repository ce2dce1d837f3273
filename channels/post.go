package channels

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// longestAnswer bounds what is read of a provider's response.
const longestAnswer = 1 << 20

// DefaultClient makes the requests of channels without a client of their own. It waits 30 seconds and follows no
// redirection, which would take the token of a bot elsewhere.
func DefaultClient() *http.Client {
	return &http.Client{
		Timeout:       30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// PostJSON posts v to an address, as Post does, with a bearer token unless that is "".
func PostJSON(ctx context.Context, client *http.Client, address, token string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, &SendError{Reason: "the address of the provider is not one", Permanent: true} // it may hold a token
	}
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return Post(ctx, client, r)
}

// Post makes a request to a provider and returns the body of its response. Every failure is a *SendError: a status of
// 3xx or 4xx is permanent, other than 401, 408, 425 and 429. 401 is not, since a token that expired is replaced one day. The
// text of an error holds neither the address, which may contain a token, nor the response.
func Post(ctx context.Context, client *http.Client, r *http.Request) ([]byte, error) {
	var connected atomic.Bool // part of the request may have gone out
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	res, err := client.Do(r.WithContext(ctx)) //nolint:gosec // the address is the operator's
	if err != nil {
		if ue, ok := errors.AsType[*url.Error](err); ok {
			err = ue.Err // the rest of it is the address
		}
		return nil, &SendError{Reason: "no response: " + err.Error(), Unknown: connected.Load()}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, longestAnswer))
	if err != nil {
		return nil, &SendError{Reason: "the response was cut off", Unknown: true}
	}
	if res.StatusCode/100 == 2 {
		return body, nil
	}
	permanent := res.StatusCode/100 == 4 || res.StatusCode/100 == 3
	switch res.StatusCode {
	case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		permanent = false
	}
	return body, &SendError{
		Reason: fmt.Sprintf("status %d", res.StatusCode), Permanent: permanent,
		RetryAfter: retryAfter(res.Header.Get("Retry-After"), time.Now()),
	}
}

// retryAfter reads the header Retry-After: seconds, or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if sec, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(sec) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// Split cuts a text into parts of at most so many UTF-16 units, which is how providers count. It cuts behind a line or a
// word if it can.
func Split(text string, most int) []string {
	var parts []string
	for {
		units, end, word, line := 0, 0, 0, 0
		for i, r := range text {
			if units += max(utf16.RuneLen(r), 1); units > most {
				break
			}
			end = i + utf8.RuneLen(r)
			if r == utf8.RuneError {
				_, size := utf8.DecodeRuneInString(text[i:])
				end = i + size
			}
			switch {
			case r == '\n':
				line = end
			case unicode.IsSpace(r):
				word = end
			}
		}
		switch {
		case end == len(text) || end == 0:
			return append(parts, text)
		case line > end/2:
			end = line
		case word > end/2:
			end = word
		}
		parts, text = append(parts, text[:end]), text[end:]
	}
}
