package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/modeltest"
	"github.com/fermata-go/fermata/model/openai"
)

// rich is a request with everything in it.
func rich() *model.Request {
	cool := 0.2
	return &model.Request{
		System: "Be brief.",
		Messages: []model.Message{
			{Role: model.User, Parts: []model.Part{
				{Text: "What is this, "},
				{Text: "and how is the weather?"},
				{Kind: model.MediaPart, Media: &model.Media{Type: "image/png", Data: []byte("\x89PNG")}},
				{Kind: model.MediaPart, Media: &model.Media{Type: "image/jpeg", URL: "https://example.com/printer.jpg"}},
				{Kind: model.MediaPart, Media: &model.Media{Type: "audio/mpeg", Data: []byte("ID3")}},
				{Kind: model.MediaPart, Media: &model.Media{Type: "application/pdf", Data: []byte("%PDF")}},
			}},
			{Role: model.Assistant, Parts: []model.Part{
				{Kind: model.ReasoningPart, Text: "A printer, I think.", Signature: "of somebody else"},
				{Text: "A printer. Let me see."},
				{Kind: model.CallPart, Call: &model.ToolCall{ID: "call_1", Name: "weather", Arguments: json.RawMessage(`{"city":"Porto"}`)}},
				{Kind: model.CallPart, Call: &model.ToolCall{ID: "call_2", Name: "now"}},
			}},
			{Role: model.User, Parts: []model.Part{
				{Text: "Be quick."},
				{Kind: model.ResultPart, Result: &model.ToolResult{ID: "call_1", Text: "no such city", Failed: true}},
				{Kind: model.ResultPart, Result: &model.ToolResult{ID: "call_2", Text: "noon"}},
			}},
		},
		Tools: []model.Tool{
			{
				Name: "weather", Description: "The weather of a city.",
				Input: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","maximum":9007199254740993}},"required":["city"]}`),
			},
			{Name: "now"},
		},
		ToolChoice:  model.ToolAny,
		Output:      json.RawMessage(`{"title":"Weather, today","type":"object","properties":{"why":{"type":"string"},"answer":{"type":"string","enum":["sun","rain"]}},"required":["why","answer"],"additionalProperties":false}`),
		MaxTokens:   500,
		Temperature: &cool,
		Stop:        []string{"END", "STOP"},
		Key:         "run_1/ask#0",
	}
}

// sent is the request that the service got.
func sent(t *testing.T, o openai.Options, req *model.Request) modeltest.Request {
	t.Helper()
	if o.Model == "" {
		o.Model = wire.Model
	}
	return wire.Sent(t, func(url string) (model.Model, error) {
		o.BaseURL = url + "/v1"
		return openai.New(o)
	}, req)
}

func TestRequest(t *testing.T) {
	got := sent(t, openai.Options{Effort: "low"}, rich())
	golden.JSON(t, "testdata/request.json", got.Body)
	header := map[string]string{
		"path": got.Path, "key": got.Header.Get("Authorization"), "idempotency": got.Header.Get("Idempotency-Key"),
	}
	want := map[string]string{"path": "/v1/chat/completions", "key": "Bearer " + modeltest.WireKey, "idempotency": ""}
	if diff := cmp.Diff(want, header); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// OpenAI's own service is asked in newer words than others, and is given an idempotency key.
func TestOwnService(t *testing.T) {
	t.Setenv("OPENAI_ORG_ID", "org-1")
	t.Setenv("OPENAI_PROJECT_ID", "proj_1")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: 1")
	server := modeltest.Serve(t, wire.File(t, "text"))
	// The client leads what is meant for OpenAI to the server.
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		to := r.Clone(r.Context())
		to.URL.Scheme, to.URL.Host = "http", strings.TrimPrefix(server.URL, "http://")
		to.Header.Set("X-Meant", r.URL.String())
		return http.DefaultTransport.RoundTrip(to)
	})}
	t.Setenv("OPENAI_API_KEY", modeltest.WireKey)
	m, err := openai.New(openai.Options{HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = model.Collect(m.Generate(t.Context(), &model.Request{Model: "gpt-5-mini", MaxTokens: 7, Key: "run_1/ask#0"})); err != nil {
		t.Fatal(err)
	}
	r := server.Requests()[0]
	golden.JSON(t, "testdata/request_own.json", r.Body)
	got := make(map[string]string)
	for _, name := range []string{"X-Meant", "Idempotency-Key", "Openai-Organization", "Openai-Project", "X-Secret"} {
		got[name] = r.Header.Get(name)
	}
	want := map[string]string{
		"X-Meant":             "https://api.openai.com/v1/chat/completions",
		"Idempotency-Key":     "e77fa7363b287bbd8215652c88609b5a6f6fcac9e973fa88e01f8f8e32178a17",
		"Openai-Organization": "org-1",
		"Openai-Project":      "proj_1",
		"X-Secret":            "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

// A schema is kept to strictly where OpenAI can, loosely where it cannot, and is told where its root is no object.
func TestOutput(t *testing.T) {
	for name, test := range map[string]struct {
		schema string
		o      openai.Options
		want   string
	}{
		"strict": {
			schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"],"additionalProperties":false,"$defs":{"A":{"type":["integer","null"],"minimum":1}}}`,
			want:   `{"json_schema":{"name":"answer","strict":true,"schema":SCHEMA},"type":"json_schema"}`,
		},
		"optional": {
			schema: `{"title":"¿Qué?","type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}`,
			want:   `{"json_schema":{"name":"Qu","strict":false,"schema":SCHEMA},"type":"json_schema"}`,
		},
		"list": {schema: `{"type":"array","items":{"type":"string"}}`},
		"told": {schema: `{"type":"object","properties":{},"additionalProperties":false}`, o: openai.Options{SchemaAsText: true}},
	} {
		t.Run(name, func(t *testing.T) {
			r := sent(t, test.o, &model.Request{System: "Be brief.", Messages: model.Ask("?").Messages, Output: json.RawMessage(test.schema)})
			var got struct {
				Format   json.RawMessage `json:"response_format"`
				Messages []struct {
					Role, Content string
				} `json:"messages"`
			}
			if err := json.Unmarshal(r.Body, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(test.want, "SCHEMA", test.schema), string(got.Format)); diff != "" {
				t.Errorf("response_format (-want +got):\n%s", diff)
			}
			system := "Be brief."
			if test.want == "" {
				system += "\n\nAnswer with JSON alone, without any words or fences around it. It must fit this JSON Schema:\n" + test.schema
			}
			if got.Messages[0].Role != "system" || got.Messages[0].Content != system {
				t.Errorf("the system text is %+v, want %q", got.Messages[0], system)
			}
		})
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
