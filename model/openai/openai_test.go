package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/modeltest"
	"github.com/fermata-go/fermata/model/openai"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

const key = "sk-test-0123456789abcdef"

// newModel is a model at a URL, with a key in the environment.
func newModel(t *testing.T, url string, o openai.Options) model.Model {
	t.Helper()
	t.Setenv("OPENAI_API_KEY", key)
	o.BaseURL = url
	if o.Model == "" {
		o.Model = "gpt-5"
	}
	m, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// answering is a model whose service answers so.
func answering(t *testing.T, a modeltest.Answer) model.Model {
	t.Helper()
	return newModel(t, modeltest.Serve(t, a).URL+"/v1", openai.Options{})
}

func file(t *testing.T, name string) modeltest.Answer {
	t.Helper()
	return modeltest.File(t, filepath.Join("testdata", name+".sse"))
}

// replay are the chunks that come of a recorded stream, and the error.
func replay(t *testing.T, a modeltest.Answer) ([]model.Chunk, error) {
	t.Helper()
	return chunks(t.Context(), answering(t, a), model.Ask("What is it?"))
}

func chunks(ctx context.Context, m model.Model, req *model.Request) ([]model.Chunk, error) {
	var list []model.Chunk
	for chunk, err := range m.Generate(ctx, req) {
		if err != nil {
			return list, err
		}
		list = append(list, chunk)
	}
	return list, nil
}

func TestSuite(t *testing.T) {
	refusal := func(status int, body string) func(t *testing.T) model.Model {
		return func(t *testing.T) model.Model {
			return answering(t, modeltest.Answer{Status: status, Body: []byte(body), Header: http.Header{"Content-Type": {"application/json"}}})
		}
	}
	stream := func(name string) func(t *testing.T) model.Model {
		return func(t *testing.T) model.Model { return answering(t, file(t, name)) }
	}
	modeltest.Test(t, modeltest.Provider{
		Text:  stream("text"),
		Calls: stream("calls"),
		Endless: func(t *testing.T) (model.Model, <-chan struct{}) {
			gone := make(chan struct{})
			a := file(t, "endless_head")
			a.Again, a.Gone = file(t, "endless_more").Body, gone
			return answering(t, a), gone
		},
		Fails: map[model.Kind]func(t *testing.T) model.Model{
			model.ErrTruncated:   stream("truncated"),
			model.ErrRefused:     stream("refused"),
			model.ErrMalformed:   stream("bad_json"),
			model.ErrRateLimited: refusal(429, `{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}`),
			model.ErrUnavailable: refusal(500, `{"error":{"message":"The server had an error","type":"server_error"}}`),
			model.ErrInvalid:     refusal(400, `{"error":{"message":"Unknown parameter","type":"invalid_request_error"}}`),
			model.ErrTooLong: refusal(400, `{"error":{"message":"This model's maximum context length is 400000 tokens.",`+
				`"type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`),
		},
	})
}

// Each recorded stream makes these chunks, whole and byte by byte.
func TestStreams(t *testing.T) {
	const gpt = "gpt-5-2025-08-07"
	call := func(i int, id, name, arguments string) model.Chunk {
		return model.Chunk{Call: &model.CallChunk{Index: i, ID: id, Name: name, Arguments: arguments}}
	}
	took := func(input, output, cached, reasoning int64) model.Chunk {
		return model.Chunk{Usage: &model.Usage{Input: input, Output: output, Cached: cached, Reasoning: reasoning}}
	}
	for name, want := range map[string][]model.Chunk{
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
	} {
		t.Run(name, func(t *testing.T) {
			for _, drip := range []bool{false, true} {
				a := file(t, name)
				a.Drip = drip
				a.Cut = name == "cut_at_the_end"
				got, err := replay(t, a)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("chunks (dripping: %v; -want +got):\n%s", drip, diff)
				}
			}
		})
	}
}

// What services say that others say differently.
func TestServicesThatDiffer(t *testing.T) {
	call := func(i int, id, name, arguments string) model.Chunk {
		return model.Chunk{Call: &model.CallChunk{Index: i, ID: id, Name: name, Arguments: arguments}}
	}
	calls := func(list string) string {
		return `{"id":"c","choices":[{"delta":{"content":null,"tool_calls":[` + list + `]}}]}`
	}
	stop := func(reason string) string {
		return `{"id":"c","choices":[{"delta":{"tool_calls":null},"finish_reason":"` + reason + `"}]}`
	}
	for name, test := range map[string]struct {
		events []string
		want   []model.Chunk
	}{
		"calls at once without ids, at the same index": {
			[]string{calls(`{"function":{"name":"now","arguments":"{}"}},{"function":{"name":"now","arguments":"{}"}}`), stop("stop")},
			[]model.Chunk{call(0, "c-0", "now", "{}"), call(1, "c-1", "now", "{}"), {Finish: model.FinishCalls}},
		},
		"a call in pieces without an id, whose name is said again": {
			[]string{
				calls(`{"index":0,"id":"","function":{"name":"say","arguments":""}}`), calls(`{"index":0,"function":{"name":"say","arguments":"{\"a\":"}}`),
				calls(`{"index":0,"function":{"name":"say","arguments":"1}"}}`), calls(`{"index":0,"function":{"name":"now"}}`), stop("tool_calls"),
			},
			[]model.Chunk{
				call(0, "c-0", "say", ""), call(0, "", "", `{"a":`), call(0, "", "", "1}"), call(1, "c-1", "now", ""), {Finish: model.FinishCalls},
			},
		},
		"arguments that are no text": {
			[]string{calls(`{"index":0,"id":"x","function":{"name":"say","arguments":{"a":1}}}`), stop("stop")},
			[]model.Chunk{call(0, "x", "say", `{"a":1}`), {Finish: model.FinishCalls}},
		},
		"a list of parts": {
			[]string{
				`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}]}}]}`,
				`{"choices":[{"delta":{"content":[{"type":"text","text":"Paper"},{"type":"reference","reference_ids":[1]}]}}]}`,
				`{"choices":[{"delta":{"content":"[1]"}}]}`, stop("stop"),
			},
			[]model.Chunk{{Reasoning: "Hm."}, {Text: "Paper"}, {Text: "[1]"}, {Finish: model.FinishStop}},
		},
		"reasoning beside the output": {
			[]string{
				stop("end_turn"),
				`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":45,"completion_tokens_details":{"reasoning_tokens":30}}}`,
			},
			[]model.Chunk{{Usage: &model.Usage{Input: 10, Output: 35, Reasoning: 30}}, {Finish: model.FinishStop}},
		},
		"no total": {
			[]string{stop("max_tokens"), `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}}`},
			[]model.Chunk{{Usage: &model.Usage{Input: 10, Output: 5}}, {Finish: model.FinishTruncated}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			body := "data: " + strings.Join(append(test.events, "[DONE]"), "\n\ndata: ") + "\n\n"
			got, err := replay(t, modeltest.Answer{Body: []byte(body)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("chunks (-want +got):\n%s", diff)
			}
		})
	}
}

// A reply is whole when the service says so, though the connection stays open.
func TestEndBeforeConnection(t *testing.T) {
	gone := make(chan struct{})
	a := file(t, "text")
	a.Again, a.Gone = []byte(": keep-alive\n\n"), gone
	reply, err := model.Collect(answering(t, a).Generate(t.Context(), model.Ask("What is it?")))
	if err != nil || reply.Text() != modeltest.Says {
		t.Errorf("it said %q, %v", reply.Text(), err)
	}
	<-gone
}

// Streams that break say so, behind what had come.
func TestBrokenStreams(t *testing.T) {
	for _, test := range []struct {
		file string
		cut  bool
		kind model.Kind
		says string
	}{
		{"cut", true, model.ErrUnavailable, "unexpected EOF"},
		{"cut", false, model.ErrUnavailable, "ended before the reply did"},
		{"no_finish", false, model.ErrUnavailable, "ended before the reply did"},
		{"bad_json", false, model.ErrMalformed, "invalid character '\\n' in string literal"},
		{"odd_finish", false, model.ErrMalformed, `the reply ended for the reason "bored"; expected stop, tool_calls, length or content_filter`},
		{"gave_up", false, model.ErrUnavailable, "the service ended the reply with error"},
		{"error_event", false, model.ErrUnavailable, "gave up in the middle of the reply: The server had an error while"},
		{"error_event_limit", false, model.ErrRateLimited, "Provider returned error for [key]"},
	} {
		t.Run(fmt.Sprintf("%s,cut=%v", test.file, test.cut), func(t *testing.T) {
			a := file(t, test.file)
			a.Cut = test.cut
			got, err := replay(t, a)
			if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("it failed with %v\nwant the kind %q, and it says %q", err, test.kind, test.says)
			}
			if len(got) < 2 || got[1].Text == "" {
				t.Errorf("what came before is not there: %+v", got)
			}
		})
	}
}

// The service's answers without a reply are errors of a kind, with what it says, and with when to ask again.
func TestRefusals(t *testing.T) {
	const date = "Sat, 21 Nov 2026 16:00:00 GMT"
	json := func(more ...string) http.Header {
		h := http.Header{"Content-Type": {"application/json"}, "Date": {date}}
		for i := 0; i < len(more); i += 2 {
			h[more[i]] = []string{more[i+1]}
		}
		return h
	}
	const limit = `{"error":{"message":"Rate limit reached for gpt-5 on requests per min (RPM)","type":"requests","param":null,"code":"rate_limit_exceeded"}}`
	for name, test := range map[string]struct {
		answer modeltest.Answer
		want   model.Error
	}{
		"limit, seconds": {
			modeltest.Answer{Status: 429, Body: []byte(limit), Header: json("Retry-After", "20")},
			model.Error{
				Kind: model.ErrRateLimited, RetryAfter: 20 * time.Second,
				Message: "HOST answered 429 Too Many Requests: Rate limit reached for gpt-5 on requests per min (RPM)",
			},
		},
		"limit, date": {
			modeltest.Answer{Status: 429, Header: json("Retry-After", "Sat, 21 Nov 2026 16:01:30 GMT")},
			model.Error{Kind: model.ErrRateLimited, RetryAfter: 90 * time.Second, Message: "HOST answered 429 Too Many Requests"},
		},
		"limit, resets": {
			modeltest.Answer{Status: 429, Header: json("X-Ratelimit-Remaining-Requests", "12", "X-Ratelimit-Reset-Requests", "10h",
				"X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "6m0s")},
			model.Error{Kind: model.ErrRateLimited, RetryAfter: 6 * time.Minute, Message: "HOST answered 429 Too Many Requests"},
		},
		"down": {
			modeltest.Answer{Status: 503, Body: []byte("<html>Service Unavailable</html>"), Header: http.Header{
				"Content-Type": {"text/html"}, "Retry-After-Ms": {"1500"},
			}},
			model.Error{Kind: model.ErrUnavailable, RetryAfter: 1500 * time.Millisecond, Message: "HOST answered 503 Service Unavailable"},
		},
		"key": {
			modeltest.Answer{Status: 401, Header: json(), Body: []byte(`{"error":{"message":"Incorrect API key provided: ` + key +
				`. You can find your API key at https://platform.openai.com.","type":"invalid_request_error","code":"invalid_api_key"}}`)},
			model.Error{Kind: model.ErrInvalid, Message: "HOST answered 401 Unauthorized: Incorrect API key provided: [key]. " +
				"You can find your API key at https://platform.openai.com.; the key is from the variable OPENAI_API_KEY"},
		},
		"masked key": {
			modeltest.Answer{Status: 401, Header: json(), Body: []byte(`{"error":{"message":"Incorrect API key provided: sk-test-********cdef."}}`)},
			model.Error{Kind: model.ErrInvalid, Message: "HOST answered 401 Unauthorized: Incorrect API key provided: [key].; " +
				"the key is from the variable OPENAI_API_KEY"},
		},
		"text": {
			modeltest.Answer{Status: 404, Header: json(), Body: []byte(`{"error":"model 'gpt-5' not found"}`)},
			model.Error{Kind: model.ErrInvalid, Message: "HOST answered 404 Not Found: model 'gpt-5' not found"},
		},
		"nowhere": {
			modeltest.Answer{Status: 404, Body: []byte("404 page not found")},
			model.Error{Kind: model.ErrInvalid, Message: "HOST answered 404 Not Found; is the base URL right?"},
		},
		"page": {
			modeltest.Answer{Body: []byte("<html>Welcome</html>"), Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}},
			model.Error{Kind: model.ErrMalformed, Message: "HOST answered with text/html in place of a stream of events; is the base URL right?"},
		},
		"moved": {
			modeltest.Answer{Status: 307, Header: http.Header{"Location": {"https://elsewhere.example/v1?token=" + key}}},
			model.Error{Kind: model.ErrInvalid, Message: "the base URL of OpenAI leads elsewhere, to https://elsewhere.example; name the place itself"},
		},
		"filter": {
			modeltest.Answer{Status: 400, Header: json(), Body: []byte(`{"error":{"message":"The prompt was filtered","code":"content_filter"}}`)},
			model.Error{Kind: model.ErrRefused, Message: "HOST answered 400 Bad Request: The prompt was filtered"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := modeltest.Serve(t, test.answer)
			got, err := chunks(t.Context(), newModel(t, server.URL, openai.Options{}), model.Ask("?"))
			failed, ok := errors.AsType[*model.Error](err)
			if !ok || len(got) != 0 {
				t.Fatalf("it said %+v and failed with %v, want a *model.Error alone", got, err)
			}
			test.want.Message = strings.ReplaceAll(test.want.Message, "HOST", strings.TrimPrefix(server.URL, "http://"))
			if diff := cmp.Diff(&test.want, failed); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if n := len(server.Requests()); n != 1 {
				t.Errorf("it asked %d times, want once", n)
			}
		})
	}
}

// A connection that cannot be made, or takes too long for the client, may be better the next time. It is no reason for
// the caller to think that its own time is over.
func TestNoConnection(t *testing.T) {
	broken := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("no route with %s: %w", r.Header.Get("Authorization"), context.DeadlineExceeded)
	})}
	_, err := chunks(t.Context(), newModel(t, "https://models.example/v1", openai.Options{HTTPClient: broken}), model.Ask("?"))
	if !errors.Is(err, model.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) ||
		!strings.HasSuffix(err.Error(), "no route with Bearer [key]: context deadline exceeded") {
		t.Errorf("it failed with %v, want that there is no route, and no key", err)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Whatever is printed, logged or encoded, there is no key in it.
func TestKeysStayHidden(t *testing.T) {
	m := newModel(t, "https://models.example/v1", openai.Options{Prices: model.Prices{Input: 1}})
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("made", "model", m)
	slog.New(slog.NewTextHandler(&log, nil)).Info("made", "model", m)
	encoded, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(m), fmt.Sprintf("%v %+v %#v %s %q", m, m, m, m, m), log.String(), string(encoded)} {
		if strings.Contains(text, key) {
			t.Errorf("the key is in %s", text)
		}
	}
}

// golden compares with a file, which -update writes.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, got, "", "  "); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	pretty.WriteByte('\n')
	if *update {
		if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), pretty.String()); diff != "" {
		t.Errorf("%s (-want +got; -update writes it):\n%s", path, diff)
	}
}

// A key that does not work does not get out, wherever the service repeats it.
func TestScrubbed(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		before := rapid.StringMatching(`[a-zA-Z":{}\[\] .-]{0,40}`).Draw(r, "before")
		after := rapid.String().Draw(r, "after")
		body, err := json.Marshal(map[string]any{"error": map[string]any{"message": before + key + after}})
		if err != nil {
			r.Fatal(err)
		}
		_, err = replay(t, modeltest.Answer{Status: 400 + rapid.IntRange(0, 150).Draw(r, "status"), Body: body})
		if err == nil || strings.Contains(err.Error(), key) {
			r.Fatalf("the error is %v", err)
		}
	})
}
