package remote_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/internal/remote"
)

const secret = "sk-test-0123456789abcdef"

func open(t testing.TB, o remote.Options) *remote.Service {
	t.Helper()
	s, err := remote.Open(remote.Provider{Name: "Acme", Env: "ACME", URL: "https://api.acme.example/v1", KeyHeader: "Authorization", KeyPrefix: "Bearer "}, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOpen(t *testing.T) {
	t.Setenv("ACME_API_KEY", secret)
	got := make(map[string][2]string)
	for _, base := range []string{"", "http://[::1]:8080", "https://x.example/a/b//"} {
		s := open(t, remote.Options{BaseURL: base})
		got[base] = [2]string{s.URL, s.Host}
	}
	want := map[string][2]string{
		"":                        {"https://api.acme.example/v1/", "api.acme.example"},
		"http://[::1]:8080":       {"http://[::1]:8080/", "[::1]:8080"},
		"https://x.example/a/b//": {"https://x.example/a/b/", "x.example"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
}

// Only services on this machine do without a key by themselves.
func TestLoopback(t *testing.T) {
	for base, without := range map[string]bool{
		"http://localhost:11434/v1":   true,
		"http://models.localhost/v1":  true,
		"http://127.0.0.2/v1":         true,
		"http://[::1]:1/v1":           true,
		"http://localhost.example/v1": false,
		"http://127.0.0.1.example/v1": false,
		"http://192.168.0.7:8000/v1":  false,
	} {
		_, err := remote.Open(remote.Provider{Name: "Acme", Env: "ACME", URL: "https://acme.example"}, remote.Options{BaseURL: base})
		if (err == nil) != without {
			t.Errorf("%s: %v; want that it needs no key: %v", base, err, without)
		}
	}
}

// A key does not print, in whatever it is.
func TestKey(t *testing.T) {
	t.Setenv("ACME_API_KEY", secret)
	k := open(t, remote.Options{}).Key
	type inside struct{ key remote.Key }
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("made", "key", k, "inside", inside{k})
	encoded, err := json.Marshal(map[string]any{"key": k})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		fmt.Sprintf("%v %+v %#v %s %q %x %d", k, k, k, k, k, k, k), fmt.Sprintf("%v %+v %#v", inside{k}, &inside{k}, []any{inside{k}}),
		log.String(), string(encoded),
	} {
		if strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) {
			t.Errorf("the key is in %s", text)
		}
	}
	if got := k.Secret() + " from " + k.From() + " prints " + k.String(); got != secret+" from the variable ACME_API_KEY prints [key]" {
		t.Errorf("got %s", got)
	}
	var none remote.Key
	if got := none.Secret() + none.From() + none.String() + none.Scrub(""); got != "" {
		t.Errorf("no key is %q", got)
	}
}

func TestScrub(t *testing.T) {
	t.Setenv("ACME_API_KEY", secret)
	k := open(t, remote.Options{}).Key
	for text, want := range map[string]string{
		"provided: " + secret + ". Look":         "provided: [key]. Look",
		"Bearer " + secret + secret:              "Bearer [key][key]",
		"provided: sk-test*****cdef. Look":       "provided: [key]. Look",
		"provided: sk-t**********************.":  "provided: [key].",
		"provided: \"**********cdef\"":           "provided: \"[key]\"",
		"some **bold** words, and *** of others": "some **bold** words, and *** of others",
		"sk-other****cdef is not it":             "sk-other****cdef is not it",
	} {
		if got := k.Scrub(text); got != want {
			t.Errorf("%q is scrubbed to %q, want %q", text, got, want)
		}
	}
}

// reader is of a protocol whose events are texts, "end" the last of them.
type reader struct{ over bool }

func (r *reader) Read(e remote.Event, to []model.Chunk) ([]model.Chunk, error) {
	if string(e.Data) == "gave up" {
		return to, remote.ErrGaveUp
	}
	r.over = string(e.Data) == "end"
	return append(to, model.Chunk{Text: string(e.Data)}), nil
}

func (r *reader) Over() bool                    { return r.over }
func (r *reader) Reason() string                { return map[bool]string{true: "end"}[r.over] }
func (r *reader) Finish() (model.Finish, error) { return model.FinishStop, nil }

// reply is what comes of an answer.
func reply(t testing.TB, o remote.Options, a *http.Response) (*model.Response, error) {
	t.Helper()
	o.HTTPClient = &http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
		a.Request = req
		return a, nil
	})}
	s := open(t, o)
	return model.Collect(s.Generate(t.Context(), func() (remote.Request, remote.Reader, error) {
		return remote.Request{Path: "ask", Body: "?"}, new(reader), nil
	}))
}

// answer is the error that comes of an answer.
func answer(t testing.TB, o remote.Options, status int, header http.Header, body string) *model.Error {
	t.Helper()
	r, err := reply(t, o, &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))})
	failed, ok := errors.AsType[*model.Error](err)
	if !ok || len(r.Parts) > 0 {
		t.Fatalf("%d %q is let through: %v", status, body, err)
	}
	return failed
}

// Services say what is wrong in many ways.
func TestKinds(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		kind   model.Kind
		says   string
	}{
		{400, `{"error":{"message":"no"}}`, model.ErrInvalid, "400 Bad Request: no"},
		{400, `[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT"}}]`, model.ErrInvalid, "400 Bad Request: API key not valid"},
		{400, `{"object":"error","message":"This model's maximum context length is 8192 tokens","code":400}`, model.ErrTooLong, "length is 8192 tokens"},
		{400, `{"error":{"code":400,"message":"the request exceeds","type":"exceed_context_size_error"}}`, model.ErrTooLong, "the request exceeds"},
		{422, `{"detail":[{"loc":["body"],"msg":"field required"}]}`, model.ErrInvalid, `422 Unprocessable Entity: [{"loc":["body"],"msg":"field required"}]`},
		{400, `{"detail":"bad"}`, model.ErrInvalid, "400 Bad Request: bad"},
		{402, `{"error":{"message":"no credit"}}`, model.ErrInvalid, "no credit"},
		{403, ``, model.ErrInvalid, "403 Forbidden; no key was sent"},
		{404, ``, model.ErrInvalid, "404 Not Found; is the base URL right?"},
		{408, ``, model.ErrUnavailable, "408 Request Timeout"},
		{409, `{"error":null,"message":"busy"}`, model.ErrUnavailable, "409 Conflict: busy"},
		{429, `{"error":"slow down, maximum context length"}`, model.ErrRateLimited, "429 Too Many Requests: slow down"},
		{429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, model.ErrInvalid, "exceeded your current quota"},
		{429, `{"error":{"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED"}}`, model.ErrRateLimited, "exceeded your current quota"},
		{500, `{"error":{"message":"context window"}}`, model.ErrUnavailable, "500 Internal Server Error: context window"},
		{502, `<html>`, model.ErrUnavailable, "502 Bad Gateway"},
		{200, `{"error":{"message":"model is loading","code":503}}`, model.ErrUnavailable, "200 OK: model is loading"},
		{200, `{"choices":[]}`, model.ErrMalformed, "application/json in place of a stream"},
		{400, `{"error":{"message":"` + strings.Repeat("long ", 1000) + `"}}`, model.ErrInvalid, "long lo…"},
	} {
		got := answer(t, remote.Options{NoKey: true}, test.status, http.Header{"Content-Type": {"application/json"}}, test.body)
		if got.Kind != test.kind || !strings.Contains(got.Message, test.says) || strings.Contains(got.Message, "\n") || got.Err != nil {
			t.Errorf("%d %.100s\nis %q: %s\nwant %q: …%s", test.status, test.body, got.Kind, got.Message, test.kind, test.says)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	const date = "Sat, 21 Nov 2026 16:00:00 GMT"
	for _, test := range []struct {
		header http.Header
		want   time.Duration
	}{
		{http.Header{}, 0},
		{http.Header{"Retry-After": {"2"}}, 2 * time.Second},
		{http.Header{"Retry-After": {"0.25"}}, 250 * time.Millisecond},
		{http.Header{"Retry-After": {"-3"}}, 0},
		{http.Header{"Retry-After": {"NaN"}}, 0},
		{http.Header{"Retry-After": {"soon"}}, 0},
		{http.Header{"Retry-After": {"1e300"}}, 365 * 24 * time.Hour},
		{http.Header{"Retry-After": {"Sat, 21 Nov 2026 16:00:03 GMT"}, "Date": {date}}, 3 * time.Second},
		{http.Header{"Retry-After": {"Sat, 21 Nov 2026 15:00:00 GMT"}, "Date": {date}}, 0},
		{http.Header{"Retry-After": {"9"}, "Retry-After-Ms": {"8500"}}, 8500 * time.Millisecond},
		{http.Header{"X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Requests": {"1s"}, "X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"20ms"}}, time.Second},
		{http.Header{"X-Ratelimit-Remaining-Requests": {"1"}, "X-Ratelimit-Reset-Requests": {"1s"}}, 0},
		{http.Header{"Anthropic-Ratelimit-Tokens-Remaining": {"0"}, "Anthropic-Ratelimit-Tokens-Reset": {"2026-11-21T16:00:01Z"}, "Date": {date}}, time.Second},
		{http.Header{"Anthropic-Ratelimit-Tokens-Remaining": {"0"}, "Anthropic-Ratelimit-Tokens-Reset": {"2026-11-21T15:00:01Z"}, "Date": {date}}, 0},
	} {
		if got := answer(t, remote.Options{NoKey: true}, 429, test.header, "").RetryAfter; got != test.want {
			t.Errorf("%v: again in %v, want %v", test.header, got, test.want)
		}
	}
}

// FuzzAnswers: whatever a service answers, an error of a kind comes of it, on one line and without the key.
func FuzzAnswers(f *testing.F) {
	f.Add(400, `{"error":{"message":"no `+secret+`"}}`, "1")
	f.Add(429, `[{"error":"`+secret+`"}]`, "Sat, 21 Nov 2026 16:00:00 GMT")
	f.Add(200, `{"detail":["sk-test***"]}`, "1e9")
	f.Setenv("ACME_API_KEY", secret)
	f.Fuzz(func(t *testing.T, status int, body, after string) {
		got := answer(t, remote.Options{}, status, http.Header{"Content-Type": {"application/json"}, "Retry-After": {after}}, body)
		if got.Kind == "" || got.RetryAfter < 0 || strings.Contains(got.Error(), secret) || strings.ContainsAny(got.Message, "\r\n") {
			t.Errorf("%d %q is %q", status, body, got)
		}
	})
}

// A stream that never ends, or never ends an event, does not fill the memory.
func TestStreamsAreBounded(t *testing.T) {
	const mebibyte = 1 << 20
	for name, test := range map[string]struct {
		again string
		most  int
		want  string
	}{
		"one line":          {strings.Repeat("x", 1000), 16 * mebibyte, "the stream from api.acme.example has an event of more than 16 MiB"},
		"one event":         {"data: x\r\n", 16 * mebibyte, "the stream from api.acme.example has an event of more than 16 MiB"},
		"one comment":       {": x\n", 16 * mebibyte, "the stream from api.acme.example has an event of more than 16 MiB"},
		"events, with LF":   {"data: " + strings.Repeat("x", 999) + "\n\n", 256 * mebibyte, "the stream from api.acme.example has a reply of more than 256 MiB"},
		"events, with CRLF": {"data: " + strings.Repeat("x", 999) + "\r\n\r\n", 256 * mebibyte, "the stream from api.acme.example has a reply of more than 256 MiB"},
	} {
		body := &endless{again: test.again}
		stream := remote.NewStream(body, "api.acme.example")
		var err error
		for err == nil {
			_, err = stream.Next()
		}
		want := &model.Error{Kind: model.ErrMalformed, Message: test.want}
		if diff := cmp.Diff(error(want), err); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if body.read < test.most || body.read > test.most*3/2 {
			t.Errorf("%s: it ended after %d bytes", name, body.read)
		}
	}
}

// endless says the same again and again.
type endless struct {
	again    string
	at, read int
}

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	for rest := p; len(rest) > 0; {
		n := copy(rest, e.again[e.at:])
		rest, e.at = rest[n:], (e.at+n)%len(e.again)
	}
	return len(p), nil
}

// A service that repeats the key in the address to which it redirects does not get it into an error.
func TestRedirectsHideTheKey(t *testing.T) {
	t.Setenv("ACME_API_KEY", secret)
	header := http.Header{"Location": {"https://" + secret + ".example/?key=" + secret}}
	want := &model.Error{
		Kind: model.ErrInvalid, Message: "the base URL of Acme leads elsewhere, to https://[key].example; name the place itself",
	}
	if diff := cmp.Diff(want, answer(t, remote.Options{}, http.StatusFound, header, "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A request that is no JSON is not made.
func TestRequestsThatAreNoJSON(t *testing.T) {
	s := open(t, remote.Options{NoKey: true})
	_, err := model.Collect(s.Generate(t.Context(), func() (remote.Request, remote.Reader, error) {
		return remote.Request{Body: math.NaN()}, new(reader), nil
	}))
	want := &model.Error{Kind: model.ErrInvalid, Message: "the request cannot be encoded: json: unsupported value: NaN"}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
