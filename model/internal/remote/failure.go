package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-go/fermata/model"
)

// problem is what a service says about a failure.
type problem struct {
	kind, code, message string
	status              int // that it says itself, or 200
}

// readProblem finds what services say in the forms in which they say it: an object with an "error" that is a text or
// has a message, type and code; the same in a list; or a "message" or "detail" at the top.
func readProblem(body []byte) problem {
	p := problem{status: http.StatusOK}
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	type words struct {
		Message any `json:"message"`
		Detail  any `json:"detail"`
		Type    any `json:"type"`
		Code    any `json:"code"`
	}
	var outer struct {
		words
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return p
	}
	said := outer.words
	if len(outer.Error) > 0 && !bytes.Equal(outer.Error, []byte("null")) {
		said = words{}
		if json.Unmarshal(outer.Error, &said.Message) == nil {
			if _, isText := said.Message.(string); !isText {
				said.Message = nil
				_ = json.Unmarshal(outer.Error, &said) // it is JSON, and whatever fits is of use
			}
		}
	}
	p.message, p.kind, p.code = wording(said.Message), wording(said.Type), wording(said.Code)
	if p.message == "" {
		p.message = wording(said.Detail)
	}
	if status, err := strconv.Atoi(p.code); err == nil && status >= 400 && status < 600 {
		p.status = status
	}
	return p
}

// wording is a text, or the JSON of what is none.
func wording(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	data, _ := json.Marshal(v) //nolint:errchkjson // it was decoded from JSON
	return string(data)
}

// tooLong are the words in which services say that a request is longer than the model can read.
var tooLong = []string{
	"context_length", "context_size", "request_too_large", "prompt is too long", "maximum context length",
	"context length", "context limit", "context window", "input is too long", "too many input tokens",
}

// outOfQuota is what OpenAI says, with the status of a rate limit, where nothing is paid for any more: asking again does
// not help.
const outOfQuota = "insufficient_quota"

// says is whether the problem has one of the words.
func (p *problem) says(words ...string) bool {
	text := strings.ToLower(p.kind + "\n" + p.code + "\n" + p.message)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// kindOf is the kind of a failure by the status of an answer, and within a stream, whose status is 200, by its words.
func kindOf(status int, p *problem) model.Kind {
	switch status {
	case http.StatusOK, http.StatusBadRequest, http.StatusUnprocessableEntity:
		switch {
		case p.code == "content_filter" || p.code == "content_policy_violation":
			return model.ErrRefused
		case p.says(tooLong...):
			return model.ErrTooLong
		}
	case http.StatusRequestEntityTooLarge:
		return model.ErrTooLong
	case http.StatusTooManyRequests:
		if p.kind == outOfQuota || p.code == outOfQuota {
			return model.ErrInvalid
		}
		return model.ErrRateLimited
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return model.ErrUnavailable
	}
	switch {
	case status >= 500:
		return model.ErrUnavailable
	case status != http.StatusOK:
		return model.ErrInvalid
	}
	for _, kind := range []string{p.kind, p.code} {
		switch kind {
		case "rate_limit_error", "rate_limit_exceeded":
			return model.ErrRateLimited
		case outOfQuota, "invalid_request_error", "authentication_error", "permission_error", "not_found_error", "billing_error":
			return model.ErrInvalid
		}
	}
	return model.ErrUnavailable
}

// malformed is whether an error of a stream is about what was in it.
func malformed(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, other := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || other
}

// retryAfter is when a service wants to be asked again, 0 where it does not say: by Retry-After in its forms, or else
// by when those of its limits that are used up are filled again.
func retryAfter(h http.Header) time.Duration {
	now, err := http.ParseTime(h.Get("Date")) // the service's clock may not be ours
	if err != nil {
		now = time.Now()
	}
	if wait := inUnits(h.Get("Retry-After-Ms"), time.Millisecond); wait > 0 {
		return wait
	}
	after := h.Get("Retry-After")
	if wait := inUnits(after, time.Second); wait > 0 {
		return wait
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(at.Sub(now), 0)
	}
	var longest time.Duration
	for _, limit := range []struct{ remaining, reset string }{
		{"X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"},
		{"X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens"},
		{"Anthropic-Ratelimit-Requests-Remaining", "Anthropic-Ratelimit-Requests-Reset"},
		{"Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Reset"},
		{"Anthropic-Ratelimit-Input-Tokens-Remaining", "Anthropic-Ratelimit-Input-Tokens-Reset"},
		{"Anthropic-Ratelimit-Output-Tokens-Remaining", "Anthropic-Ratelimit-Output-Tokens-Reset"},
	} {
		if h.Get(limit.remaining) != "0" {
			continue
		}
		reset := h.Get(limit.reset)
		if wait, err := time.ParseDuration(reset); err == nil {
			longest = max(longest, wait)
		} else if at, err := time.Parse(time.RFC3339, reset); err == nil {
			longest = max(longest, at.Sub(now))
		}
	}
	return longest
}

// inUnits is a number of units, 0 for no number.
func inUnits(text string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || n <= 0 {
		return 0
	}
	const longest = 365 * 24 * time.Hour // beyond it, a duration may not hold the number
	if n >= float64(longest/unit) {
		return longest
	}
	return time.Duration(n * float64(unit))
}
