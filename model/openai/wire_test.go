package openai_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/modeltest"
	"github.com/fermata-go/fermata/model/openai"
)

// wire is what the service says, and what comes of it.
var wire = modeltest.Wire{
	Open: func(p modeltest.Place) (model.Model, error) {
		return openai.New(openai.Options{
			Model: p.Model, BaseURL: p.BaseURL, KeyEnv: p.KeyEnv, KeyFile: p.KeyFile, NoKey: p.NoKey, HTTPClient: p.Client, Idle: p.Idle,
		})
	},
	Name:        "OpenAI",
	Env:         "OPENAI",
	Path:        "/chat/completions",
	Model:       "gpt-5",
	Auth:        func(key string) (name, value string) { return "Authorization", "Bearer " + key },
	Streams:     "testdata",
	Ping:        ": keep-alive\n\n",
	Chunks:      chunksOfStreams(),
	CutAtTheEnd: []string{"cut_at_the_end"},
	Broken: []modeltest.BrokenStream{
		{Name: "cut", Cut: true, Kind: model.ErrUnavailable, Says: "unexpected EOF"},
		{Name: "cut", Kind: model.ErrUnavailable, Says: "ended before the reply did"},
		{Name: "no_finish", Kind: model.ErrUnavailable, Says: "ended before the reply did"},
		{Name: "bad_json", Kind: model.ErrMalformed, Says: "unexpected end of JSON input"},
		{Name: "odd_finish", Kind: model.ErrMalformed, Says: `the reply ended for the reason "bored"; expected stop, tool_calls, length or content_filter`},
		{Name: "gave_up", Kind: model.ErrUnavailable, Says: "the service ended the reply with error"},
		{Name: "error_event", Kind: model.ErrUnavailable, Says: "gave up in the middle of the reply: The server had an error while"},
		{Name: "error_event_limit", Kind: model.ErrRateLimited, Says: "Provider returned error for [key]"},
	},
	Refusals: refusals(),
	Fails: map[model.Kind]modeltest.Answer{
		model.ErrRateLimited: {Status: 429, Header: asJSON, Body: []byte(`{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}`)},
		model.ErrUnavailable: {Status: 500, Header: asJSON, Body: []byte(`{"error":{"message":"The server had an error","type":"server_error"}}`)},
		model.ErrInvalid:     {Status: 400, Header: asJSON, Body: []byte(`{"error":{"message":"Unknown parameter","type":"invalid_request_error"}}`)},
		model.ErrTooLong: {Status: 400, Header: asJSON, Body: []byte(`{"error":{"message":"This model's maximum context length is 400000 tokens.",` +
			`"type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`)},
	},
	Invalid: invalidRequests(),
}

var asJSON = http.Header{"Content-Type": {"application/json"}}

func TestWire(t *testing.T) { modeltest.TestWire(t, wire) }

func FuzzStream(f *testing.F) { modeltest.FuzzWire(f, wire) }

// chunksOfStreams are the chunks of each recorded stream.
func chunksOfStreams() map[string][]model.Chunk {
	const gpt = "gpt-5-2025-08-07"
	call := func(i int, id, name, arguments string) model.Chunk {
		return model.Chunk{Call: &model.CallChunk{Index: i, ID: id, Name: name, Arguments: arguments}}
	}
	took := func(input, output, cached, reasoning int64) model.Chunk {
		return model.Chunk{Usage: &model.Usage{Input: input, Output: output, Cached: cached, Reasoning: reasoning}}
	}
	return map[string][]model.Chunk{
		"text": {
			{Model: gpt},
			{Text: "The printer"},
			{Text: " is on fire."},
			took(1234, 70, 1024, 64),
			{Finish: model.FinishStop},
		},
		"calls": {
			{Model: gpt},
			call(0, "call_Gz1PorTo", "weather", ""),
			call(0, "", "", `{"city":"Por`),
			call(0, "", "", `to","days":2}`),
			call(1, "call_Hk2EvOra", "weather", ""),
			call(1, "", "", `{"city":"Évora",`),
			call(1, "", "", `"days":1}`),
			took(88, 41, 0, 0),
			{Finish: model.FinishCalls},
		},
		"calls_of_others": {
			{Model: "llama3.3"},
			call(0, "call_a", "weather", `{"city":"Porto","days":2}`),
			call(1, "call_b", "weather", `{"city":"Évora",`),
			call(1, "", "", `"days":1}`),
			call(2, "chatcmpl-517-2", "now", `{}`),
			took(60, 30, 0, 0),
			{Finish: model.FinishCalls},
		},
		"reasoning": {
			{Model: "deepseek-reasoner"},
			{Reasoning: "Smoke, "},
			{Reasoning: "then."},
			{Text: "Fire."},
			took(9, 12, 0, 10),
			{Finish: model.FinishStop},
		},
		"reasoning_named_otherwise": {
			{Model: "openai/gpt-oss-120b"},
			{Reasoning: "Hm."},
			{Text: "Fire."},
			{Finish: model.FinishStop},
		},
		"structured": {
			{Model: gpt},
			{Text: `{"label":"`},
			{Text: `fire","ur`},
			{Text: `gent":true}`},
			took(120, 9, 0, 0),
			{Finish: model.FinishStop},
		},
		"refused": {
			{Model: gpt},
			{Text: "I'm sorry, "},
			{Text: "I can't help with that."},
			took(30, 11, 0, 0),
			{Finish: model.FinishRefused},
		},
		"filtered":       {{Model: gpt}, {Text: "Once"}, took(30, 1, 0, 0), {Finish: model.FinishRefused}},
		"truncated":      {{Model: gpt}, {Text: "The printer is"}, took(30, 4, 0, 0), {Finish: model.FinishTruncated}},
		"unknown_events": {{Model: gpt}, {Text: "Fi"}, {Text: "re."}, {Finish: model.FinishStop}},
		"cut_at_the_end": {{Model: gpt}, {Text: "Fire."}, {Finish: model.FinishStop}},
	}
}

// refusals are the service's answers without a reply: errors of a kind, with what it says, and with when to ask again.
func refusals() map[string]modeltest.Refusal {
	const date = "Sat, 21 Nov 2026 16:00:00 GMT"
	json := func(more ...string) http.Header {
		h := http.Header{"Content-Type": {"application/json"}, "Date": {date}}
		for i := 0; i < len(more); i += 2 {
			h[more[i]] = []string{more[i+1]}
		}
		return h
	}
	const limit = `{"error":{"message":"Rate limit reached for gpt-5 on requests per min (RPM)","type":"requests","param":null,"code":"rate_limit_exceeded"}}`
	return map[string]modeltest.Refusal{
		"limit, seconds": {
			Answer: modeltest.Answer{Status: 429, Body: []byte(limit), Header: json("Retry-After", "20")},
			Want: model.Error{
				Kind: model.ErrRateLimited, RetryAfter: 20 * time.Second,
				Message: "HOST answered 429 Too Many Requests: Rate limit reached for gpt-5 on requests per min (RPM)",
			},
		},
		"limit, date": {
			Answer: modeltest.Answer{Status: 429, Header: json("Retry-After", "Sat, 21 Nov 2026 16:01:30 GMT")},
			Want:   model.Error{Kind: model.ErrRateLimited, RetryAfter: 90 * time.Second, Message: "HOST answered 429 Too Many Requests"},
		},
		"limit, resets": {
			Answer: modeltest.Answer{Status: 429, Header: json("X-Ratelimit-Remaining-Requests", "12", "X-Ratelimit-Reset-Requests", "10h",
				"X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "6m0s")},
			Want: model.Error{Kind: model.ErrRateLimited, RetryAfter: 6 * time.Minute, Message: "HOST answered 429 Too Many Requests"},
		},
		"down": {
			Answer: modeltest.Answer{Status: 503, Body: []byte("<html>Service Unavailable</html>"), Header: http.Header{
				"Content-Type": {"text/html"}, "Retry-After-Ms": {"1500"},
			}},
			Want: model.Error{Kind: model.ErrUnavailable, RetryAfter: 1500 * time.Millisecond, Message: "HOST answered 503 Service Unavailable"},
		},
		"key": {
			Answer: modeltest.Answer{Status: 401, Header: json(), Body: []byte(`{"error":{"message":"Incorrect API key provided: ` + modeltest.WireKey +
				`. You can find your API key at https://platform.openai.com.","type":"invalid_request_error","code":"invalid_api_key"}}`)},
			Want: model.Error{Kind: model.ErrInvalid, Message: "HOST answered 401 Unauthorized: Incorrect API key provided: [key]. " +
				"You can find your API key at https://platform.openai.com.; the key is from the variable OPENAI_API_KEY"},
		},
		"masked key": {
			Answer: modeltest.Answer{Status: 401, Header: json(), Body: []byte(`{"error":{"message":"Incorrect API key provided: sk-test-********cdef."}}`)},
			Want: model.Error{Kind: model.ErrInvalid, Message: "HOST answered 401 Unauthorized: Incorrect API key provided: [key].; " +
				"the key is from the variable OPENAI_API_KEY"},
		},
		"text": {
			Answer: modeltest.Answer{Status: 404, Header: json(), Body: []byte(`{"error":"model 'gpt-5' not found"}`)},
			Want:   model.Error{Kind: model.ErrInvalid, Message: "HOST answered 404 Not Found: model 'gpt-5' not found"},
		},
		"nowhere": {
			Answer: modeltest.Answer{Status: 404, Body: []byte("404 page not found")},
			Want:   model.Error{Kind: model.ErrInvalid, Message: "HOST answered 404 Not Found; is the base URL right?"},
		},
		"page": {
			Answer: modeltest.Answer{Body: []byte("<html>Welcome</html>"), Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}},
			Want:   model.Error{Kind: model.ErrMalformed, Message: "HOST answered with text/html in place of a stream of events; is the base URL right?"},
		},
		"moved": {
			Answer: modeltest.Answer{Status: 307, Header: http.Header{"Location": {"https://elsewhere.example/v1?token=" + modeltest.WireKey}}},
			Want:   model.Error{Kind: model.ErrInvalid, Message: "the base URL of OpenAI leads elsewhere, to https://elsewhere.example; name the place itself"},
		},
		"filter": {
			Answer: modeltest.Answer{Status: 400, Header: json(), Body: []byte(`{"error":{"message":"The prompt was filtered","code":"content_filter"}}`)},
			Want:   model.Error{Kind: model.ErrRefused, Message: "HOST answered 400 Bad Request: The prompt was filtered"},
		},
	}
}

// invalidRequests are those that cannot be put in the words of the service.
func invalidRequests() map[string]*model.Request {
	says := func(role model.Role, p model.Part) *model.Request {
		return &model.Request{Model: "m", Messages: []model.Message{model.Says(model.User, "?"), {Role: role, Parts: []model.Part{{Text: "."}, p}}}}
	}
	return map[string]*model.Request{
		`no model is named: expected one in Options.Model or in Request.Model, like "gpt-5"`:                                                   {},
		`message 1 is said by "system"; expected "user" or "assistant"`:                                                                        says("system", model.Part{}),
		`part 1 of message 1 is of the kind "call", which the user cannot say, or has not the field of its kind`:                               says(model.User, model.Part{Kind: model.CallPart}),
		`part 1 of message 1 is of the kind "media", which the model cannot say, or has not the field of its kind`:                             says(model.Assistant, model.Part{Kind: model.MediaPart, Media: &model.Media{}}),
		`part 1 of message 1 is media of the type "video/mp4"; expected a picture, audio/wav, audio/mpeg or application/pdf`:                   says(model.User, model.Part{Kind: model.MediaPart, Media: &model.Media{Type: "video/mp4", Data: []byte("v")}}),
		`part 1 of message 1 is media of the type "application/pdf" without data; only pictures can be given by a URL`:                         says(model.User, model.Part{Kind: model.MediaPart, Media: &model.Media{Type: "application/pdf", URL: "https://x"}}),
		`the tool choice is "some"; expected "", "any" or "none"`:                                                                              {Model: "m", ToolChoice: "some"},
		`the model has to call a tool, and the request has none`:                                                                               {Model: "m", ToolChoice: model.ToolAny},
		`the input schema of the tool "t" is not JSON: json: error calling MarshalJSON for type json.RawMessage: unexpected end of JSON input`: {Model: "m", Tools: []model.Tool{{Name: "t", Input: json.RawMessage(`{`)}}},
	}
}
