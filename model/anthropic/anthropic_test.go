package anthropic_test

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
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/anthropic"
	"github.com/fermata-go/fermata/model/modeltest"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

const key = "sk-ant-test-0123456789abcdef"

// newModel is a model at a URL, with a key in the environment.
func newModel(t *testing.T, url string, o anthropic.Options) model.Model {
	t.Helper()
	t.Setenv("ANTHROPIC_API_KEY", key)
	o.BaseURL = url
	if o.Model == "" {
		o.Model = "claude-sonnet-4-5"
	}
	m, err := anthropic.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// answering is a model whose service answers so.
func answering(t *testing.T, a modeltest.Answer) model.Model {
	t.Helper()
	return newModel(t, modeltest.Serve(t, a).URL, anthropic.Options{})
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
			model.ErrRateLimited: refusal(429, `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit"}}`),
			model.ErrUnavailable: refusal(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
			model.ErrInvalid:     refusal(400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages: Field required"}}`),
			model.ErrTooLong: refusal(400, `{"type":"error","error":{"type":"invalid_request_error",`+
				`"message":"prompt is too long: 205014 tokens > 200000 maximum"}}`),
		},
	})
}

// Each recorded stream makes these chunks, whole and byte by byte.
func TestStreams(t *testing.T) {
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
	for name, want := range map[string][]model.Chunk{
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

// Reasoning comes back to Anthropic as it came from there.
func TestReasoningRoundTrip(t *testing.T) {
	m := answering(t, file(t, "reasoning"))
	reply, err := model.Collect(m.Generate(t.Context(), model.Ask("What is it?")))
	if err != nil {
		t.Fatal(err)
	}
	r := sent(t, anthropic.Options{}, &model.Request{Messages: []model.Message{model.Says(model.User, "What is it?"), reply.Message()}})
	var got struct {
		Messages []struct{ Content json.RawMessage } `json:"messages"`
	}
	if err := json.Unmarshal(r.Body, &got); err != nil {
		t.Fatal(err)
	}
	want := `[{"signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk=","thinking":"Smoke, then.","type":"thinking"},` +
		`{"data":"EmwKAhgBEgy3va3pzix/LafPsn4a","type":"redacted_thinking"},` +
		`{"data":"EmwKAhgBEgy8899999999999","type":"redacted_thinking"},{"text":"Fire.","type":"text"}]`
	if diff := cmp.Diff(want, string(got.Messages[1].Content)); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}

// A reply is whole when the service says so, though the connection stays open.
func TestEndBeforeConnection(t *testing.T) {
	gone := make(chan struct{})
	a := file(t, "text")
	a.Again, a.Gone = []byte("event: ping\ndata: {\"type\":\"ping\"}\n\n"), gone
	reply, err := model.Collect(answering(t, a).Generate(t.Context(), model.Ask("What is it?")))
	if err != nil || reply.Text() != modeltest.Says {
		t.Errorf("it said %q, %v", reply.Text(), err)
	}
	<-gone
}

// The SDK makes no spans, whatever the program does with OpenTelemetry: a run has its own.
func TestNoSpans(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	before := otel.GetTracerProvider()
	otel.SetTracerProvider(trace.NewTracerProvider(trace.WithSpanProcessor(spans)))
	t.Cleanup(func() { otel.SetTracerProvider(before) })
	if _, err := replay(t, file(t, "text")); err != nil {
		t.Fatal(err)
	}
	if n := len(spans.Started()); n > 0 {
		t.Errorf("there are %d spans, the first is %q", n, spans.Started()[0].Name())
	}
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
		{"no_reason", false, model.ErrUnavailable, "ended before the reply did"},
		{"bad_json", false, model.ErrMalformed, `invalid character '\n' in string literal`},
		{"odd_finish", false, model.ErrMalformed, `the reply ended for the reason "bored"; expected end_turn, stop_sequence, tool_use, max_tokens or refusal`},
		{"overloaded", false, model.ErrUnavailable, "gave up in the middle of the reply: Overloaded"},
		{"limited", false, model.ErrRateLimited, "gave up in the middle of the reply: Too many requests with [key]"},
	} {
		t.Run(fmt.Sprintf("%s,cut=%v", test.file, test.cut), func(t *testing.T) {
			a := file(t, test.file)
			a.Cut = test.cut
			got, err := replay(t, a)
			if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("it failed with %v\nwant the kind %q, and it says %q", err, test.kind, test.says)
			}
			if len(got) < 2 || got[0].Usage == nil || got[1].Text == "" {
				t.Errorf("what came before is not there: %+v", got)
			}
		})
	}
}

// The service's answers without a reply are errors of a kind, with what it says, and with when to ask again.
func TestRefusals(t *testing.T) {
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
	for name, test := range map[string]struct {
		answer modeltest.Answer
		want   model.Error
	}{
		"limit, seconds": {
			modeltest.Answer{Status: 429, Header: headers("Retry-After", "7"), Body: said("rate_limit_error", "This request would exceed your rate limit.")},
			model.Error{
				Kind: model.ErrRateLimited, RetryAfter: 7 * time.Second,
				Message: "HOST answered 429 Too Many Requests: This request would exceed your rate limit.",
			},
		},
		"limit, resets": {
			modeltest.Answer{Status: 429, Header: headers(
				"Anthropic-Ratelimit-Requests-Remaining", "49", "Anthropic-Ratelimit-Requests-Reset", "2026-11-21T18:00:00Z",
				"Anthropic-Ratelimit-Input-Tokens-Remaining", "0", "Anthropic-Ratelimit-Input-Tokens-Reset", "2026-11-21T16:00:42Z")},
			model.Error{Kind: model.ErrRateLimited, RetryAfter: 42 * time.Second, Message: "HOST answered 429 Too Many Requests"},
		},
		"overloaded": {
			modeltest.Answer{Status: 529, Header: headers("Retry-After", "Sat, 21 Nov 2026 16:00:05 GMT"), Body: said("overloaded_error", "Overloaded")},
			model.Error{Kind: model.ErrUnavailable, RetryAfter: 5 * time.Second, Message: "HOST answered 529: Overloaded"},
		},
		"key": {
			modeltest.Answer{Status: 401, Header: headers(), Body: said("authentication_error", "invalid x-api-key "+key)},
			model.Error{
				Kind:    model.ErrInvalid,
				Message: "HOST answered 401 Unauthorized: invalid x-api-key [key]; the key is from the variable ANTHROPIC_API_KEY",
			},
		},
		"large": {
			modeltest.Answer{Status: 413, Header: headers(), Body: said("request_too_large", "Request exceeds the maximum size")},
			model.Error{Kind: model.ErrTooLong, Message: "HOST answered 413 Request Entity Too Large: Request exceeds the maximum size"},
		},
		"together": {
			modeltest.Answer{Status: 400, Header: headers(), Body: said("invalid_request_error",
				"input length and `max_tokens` exceed context limit: 199000 + 16384 > 200000")},
			model.Error{
				Kind:    model.ErrTooLong,
				Message: "HOST answered 400 Bad Request: input length and `max_tokens` exceed context limit: 199000 + 16384 > 200000",
			},
		},
		"unknown model": {
			modeltest.Answer{Status: 404, Header: headers(), Body: said("not_found_error", "model: claude-sonnet-4-5")},
			model.Error{Kind: model.ErrInvalid, Message: "HOST answered 404 Not Found: model: claude-sonnet-4-5"},
		},
		"moved": {
			modeltest.Answer{Status: 308, Header: http.Header{"Location": {"https://elsewhere.example/v1?token=" + key}}},
			model.Error{Kind: model.ErrInvalid, Message: "the base URL of Anthropic leads elsewhere, to https://elsewhere.example; name the place itself"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := modeltest.Serve(t, test.answer)
			got, err := chunks(t.Context(), newModel(t, server.URL, anthropic.Options{}), model.Ask("?"))
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
		return nil, fmt.Errorf("no route with %s: %w", r.Header.Get("X-Api-Key"), context.DeadlineExceeded)
	})}
	_, err := chunks(t.Context(), newModel(t, "https://models.example/v1", anthropic.Options{HTTPClient: broken}), model.Ask("?"))
	if !errors.Is(err, model.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) ||
		!strings.HasSuffix(err.Error(), "no route with [key]: context deadline exceeded") {
		t.Errorf("it failed with %v, want that there is no route, and no key", err)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Whatever is printed, logged or encoded, there is no key in it.
func TestKeysStayHidden(t *testing.T) {
	m := newModel(t, "https://models.example/v1", anthropic.Options{Prices: model.Prices{Input: 1}})
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
