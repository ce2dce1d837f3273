package anthropic_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/anthropic"
	"github.com/fermata-go/fermata/model/modeltest"
)

// wire is what the service says, and what comes of it.
var wire = modeltest.Wire{
	Open: func(p modeltest.Place) (model.Model, error) {
		return anthropic.New(anthropic.Options{
			Model: p.Model, BaseURL: p.BaseURL, KeyEnv: p.KeyEnv, KeyFile: p.KeyFile, NoKey: p.NoKey, HTTPClient: p.Client, Idle: p.Idle,
		})
	},
	Name:        "Anthropic",
	Env:         "ANTHROPIC",
	Path:        "/v1/messages",
	Model:       "claude-sonnet-4-5",
	Auth:        func(key string) (name, value string) { return "X-Api-Key", key },
	Streams:     "testdata",
	Ping:        "event: ping\ndata: {\"type\":\"ping\"}\n\n",
	Chunks:      chunksOfStreams(),
	CutAtTheEnd: []string{"cut_at_the_end"},
	Broken: []modeltest.BrokenStream{
		{Name: "cut", Cut: true, Kind: model.ErrUnavailable, Says: "unexpected EOF"},
		{Name: "cut", Kind: model.ErrUnavailable, Says: "ended before the reply did"},
		{Name: "no_finish", Kind: model.ErrUnavailable, Says: "ended before the reply did"},
		{Name: "no_reason", Kind: model.ErrUnavailable, Says: "ended before the reply did"},
		{Name: "bad_json", Kind: model.ErrMalformed, Says: "unexpected end of JSON input"},
		{Name: "odd_finish", Kind: model.ErrMalformed, Says: `the reply ended for the reason "bored"; expected end_turn, stop_sequence, tool_use, max_tokens or refusal`},
		{Name: "overloaded", Kind: model.ErrUnavailable, Says: "gave up in the middle of the reply: Overloaded"},
		{Name: "limited", Kind: model.ErrRateLimited, Says: "gave up in the middle of the reply: Too many requests with [key]"},
	},
	Refusals: refusals(),
	Fails: map[model.Kind]modeltest.Answer{
		model.ErrRateLimited: {Status: 429, Header: asJSON, Body: []byte(`{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit"}}`)},
		model.ErrUnavailable: {Status: 529, Header: asJSON, Body: []byte(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)},
		model.ErrInvalid:     {Status: 400, Header: asJSON, Body: []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"messages: Field required"}}`)},
		model.ErrTooLong: {Status: 400, Header: asJSON, Body: []byte(`{"type":"error","error":{"type":"invalid_request_error",` +
			`"message":"prompt is too long: 205014 tokens > 200000 maximum"}}`)},
	},
	Invalid: invalidRequests(),
}

var asJSON = http.Header{"Content-Type": {"application/json"}}

func TestWire(t *testing.T) { modeltest.TestWire(t, wire) }

func FuzzStream(f *testing.F) { modeltest.FuzzWire(f, wire) }

// chunksOfStreams are the chunks of each recorded stream.
func chunksOfStreams() map[string][]model.Chunk {
	const id = "claude-sonnet-4-5-20250929"
	start := func(input, output, cached int64) model.Chunk {
		return model.Chunk{Model: id, Usage: &model.Usage{Input: input, Output: output, Cached: cached}}
	}
	took := func(input, output, cached, reasoning int64) model.Chunk {
		return model.Chunk{Usage: &model.Usage{Input: input, Output: output, Cached: cached, Reasoning: reasoning}}
	}
	call := func(i int, id, name, arguments string) model.Chunk {
		return model.Chunk{Call: &model.CallChunk{Index: i, ID: id, Name: name, Arguments: arguments}}
	}
	return map[string][]model.Chunk{
		"text": {
			start(1236, 1, 1024),
			{Text: "The printer"},
			{Text: " is on fire."},
			took(1236, 8, 1024, 0),
			{Finish: model.FinishStop},
		},
		"calls": {
			start(472, 2, 0),
			{Text: "Let me look."},
			call(0, "toolu_01T1x1fJ34qAmk2tNTrN7Up6", "weather", ""),
			call(0, "", "", `{"city":"Por`),
			call(0, "", "", `to","days":2}`),
			call(1, "toolu_01PzSmj8kf5JAtQ1cMKhPBEy", "weather", ""),
			call(1, "", "", `{"city":"Évora",`),
			call(1, "", "", `"days":1}`),
			took(472, 89, 0, 0),
			{Finish: model.FinishCalls},
		},
		"calls_at_once": {
			start(40, 2, 0),
			call(0, "toolu_a", "now", ""),
			call(1, "toolu_b", "weather", `{"city": "Porto"}`),
			took(40, 12, 0, 0),
			{Finish: model.FinishCalls},
		},
		"reasoning": {
			start(30, 3, 0),
			{Reasoning: "Smoke, "},
			{Reasoning: "then."},
			{Signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk="},
			{Signature: "redacted_thinking:EmwKAhgBEgy3va3pzix/LafPsn4a"},
			{Signature: "redacted_thinking:EmwKAhgBEgy8899999999999"},
			{Text: "Fire."},
			took(30, 50, 0, 42),
			{Finish: model.FinishStop},
		},
		"structured": {
			start(120, 1, 0),
			{Text: `{"label":"`},
			{Text: `fire","ur`},
			{Text: `gent":true}`},
			took(120, 9, 0, 0),
			{Finish: model.FinishStop},
		},
		"stop_sequence":  {start(10, 1, 0), {Text: "Fire"}, took(10, 2, 0, 0), {Finish: model.FinishStop}},
		"refused":        {start(30, 1, 0), {Text: "It asks for a weapon."}, took(30, 1, 0, 0), {Finish: model.FinishRefused}},
		"refused_midway": {start(30, 1, 0), {Text: "First, take"}, took(30, 4, 0, 0), {Finish: model.FinishRefused}},
		"truncated":      {start(30, 1, 0), {Text: "The printer is"}, took(30, 4, 0, 0), {Finish: model.FinishTruncated}},
		"window_full":    {start(199990, 1, 0), {Text: "The printer is"}, took(199990, 4, 0, 0), {Finish: model.FinishTruncated}},
		"paused":         {start(30, 1, 0), {Text: "One moment."}, took(30, 4, 0, 0), {Finish: model.FinishTruncated}},
		"unknown_events": {start(30, 1, 0), {Text: "Fire."}, took(30, 4, 0, 0), {Finish: model.FinishStop}},
		"cut_at_the_end": {start(30, 1, 0), {Text: "Fire."}, took(30, 2, 0, 0), {Finish: model.FinishStop}},
	}
}

// refusals are the service's answers without a reply: errors of a kind, with what it says, and with when to ask again.
func refusals() map[string]modeltest.Refusal {
	headers := func(more ...string) http.Header {
		h := http.Header{"Content-Type": {"application/json"}, "Date": {"Sat, 21 Nov 2026 16:00:00 GMT"}}
		for i := 0; i < len(more); i += 2 {
			h[more[i]] = []string{more[i+1]}
		}
		return h
	}
	said := func(kind, message string) []byte {
		return fmt.Appendf(nil, `{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}`, kind, message)
	}
	return map[string]modeltest.Refusal{
		"limit, seconds": {
			Answer: modeltest.Answer{Status: 429, Header: headers("Retry-After", "7"), Body: said("rate_limit_error", "This request would exceed your rate limit.")},
			Want: model.Error{
				Kind: model.ErrRateLimited, RetryAfter: 7 * time.Second,
				Message: "HOST answered 429 Too Many Requests: This request would exceed your rate limit.",
			},
		},
		"limit, resets": {
			Answer: modeltest.Answer{Status: 429, Header: headers(
				"Anthropic-Ratelimit-Requests-Remaining", "49", "Anthropic-Ratelimit-Requests-Reset", "2026-11-21T18:00:00Z",
				"Anthropic-Ratelimit-Input-Tokens-Remaining", "0", "Anthropic-Ratelimit-Input-Tokens-Reset", "2026-11-21T16:00:42Z")},
			Want: model.Error{Kind: model.ErrRateLimited, RetryAfter: 42 * time.Second, Message: "HOST answered 429 Too Many Requests"},
		},
		"overloaded": {
			Answer: modeltest.Answer{Status: 529, Header: headers("Retry-After", "Sat, 21 Nov 2026 16:00:05 GMT"), Body: said("overloaded_error", "Overloaded")},
			Want:   model.Error{Kind: model.ErrUnavailable, RetryAfter: 5 * time.Second, Message: "HOST answered 529: Overloaded"},
		},
		"key": {
			Answer: modeltest.Answer{Status: 401, Header: headers(), Body: said("authentication_error", "invalid x-api-key "+modeltest.WireKey)},
			Want: model.Error{
				Kind:    model.ErrInvalid,
				Message: "HOST answered 401 Unauthorized: invalid x-api-key [key]; the key is from the variable ANTHROPIC_API_KEY",
			},
		},
		"large": {
			Answer: modeltest.Answer{Status: 413, Header: headers(), Body: said("request_too_large", "Request exceeds the maximum size")},
			Want:   model.Error{Kind: model.ErrTooLong, Message: "HOST answered 413 Request Entity Too Large: Request exceeds the maximum size"},
		},
		"together": {
			Answer: modeltest.Answer{Status: 400, Header: headers(), Body: said("invalid_request_error",
				"input length and `max_tokens` exceed context limit: 199000 + 16384 > 200000")},
			Want: model.Error{
				Kind:    model.ErrTooLong,
				Message: "HOST answered 400 Bad Request: input length and `max_tokens` exceed context limit: 199000 + 16384 > 200000",
			},
		},
		"unknown model": {
			Answer: modeltest.Answer{Status: 404, Header: headers(), Body: said("not_found_error", "model: claude-sonnet-4-5")},
			Want:   model.Error{Kind: model.ErrInvalid, Message: "HOST answered 404 Not Found: model: claude-sonnet-4-5"},
		},
		"moved": {
			Answer: modeltest.Answer{Status: 308, Header: http.Header{"Location": {"https://elsewhere.example/v1?token=" + modeltest.WireKey}}},
			Want:   model.Error{Kind: model.ErrInvalid, Message: "the base URL of Anthropic leads elsewhere, to https://elsewhere.example; name the place itself"},
		},
	}
}

// invalidRequests are those that cannot be put in the words of the service.
func invalidRequests() map[string]*model.Request {
	says := func(role model.Role, p model.Part) *model.Request {
		return &model.Request{Model: "m", Messages: []model.Message{model.Says(model.User, "?"), {Role: role, Parts: []model.Part{{Text: "."}, p}}}}
	}
	return map[string]*model.Request{
		`no model is named: expected one in Options.Model or in Request.Model, like "claude-sonnet-4-5"`: {},
		`message 1 is said by "system"; expected "user" or "assistant"`:                                  says("system", model.Part{}),
		`part 1 of message 1 is of the kind "call", which the role "user" cannot say, or has not the field of its kind`: says(
			model.User, model.Part{Kind: model.CallPart, Call: &model.ToolCall{}}),
		`part 1 of message 1 is of the kind "result", which the role "user" cannot say, or has not the field of its kind`: says(
			model.User, model.Part{Kind: model.ResultPart}),
		`the arguments of the call in part 1 of message 1 are not JSON`: says(
			model.Assistant, model.Part{Kind: model.CallPart, Call: &model.ToolCall{Arguments: json.RawMessage("{")}}),
		`part 1 of message 1 is media of the type "video/mp4"; expected image/jpeg, image/png, image/gif, image/webp, application/pdf or the data of a text`: says(
			model.User, model.Part{Kind: model.MediaPart, Media: &model.Media{Type: "video/mp4", Data: []byte("v")}}),
		`the tool choice is "some"; expected "", "any" or "none"`: {Model: "m", ToolChoice: "some"},
		`the model has to call a tool, and the request has none`:  {Model: "m", ToolChoice: model.ToolAny},
	}
}
