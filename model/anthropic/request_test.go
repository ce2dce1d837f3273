package anthropic_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/anthropic"
	"github.com/fermata-go/fermata/model/modeltest"
)

// rich is a request with everything in it.
func rich() *model.Request {
	cool := 0.2
	return &model.Request{
		Model:  "claude-opus-4-1",
		System: "Be brief.",
		Messages: []model.Message{
			{Role: model.User, Parts: []model.Part{
				{Text: "What is this, and how is the weather?"},
				{Text: ""},
				{Kind: model.MediaPart, Media: &model.Media{Type: "image/png", Data: []byte("\x89PNG")}},
				{Kind: model.MediaPart, Media: &model.Media{Type: "image/jpeg", URL: "https://example.com/printer.jpg"}},
				{Kind: model.MediaPart, Media: &model.Media{Type: "application/pdf", Data: []byte("%PDF")}},
				{Kind: model.MediaPart, Media: &model.Media{Type: "application/pdf", URL: "https://example.com/manual.pdf"}},
				{Kind: model.MediaPart, Media: &model.Media{Type: "text/plain; charset=utf-8", Data: []byte("turn it on")}},
			}},
			{Role: model.Assistant, Parts: []model.Part{
				{Kind: model.ReasoningPart, Text: "A printer, I think.", Signature: "c2lnbmVk"},
				{Kind: model.ReasoningPart, Signature: "redacted_thinking:aGlkZGVu"},
				{Kind: model.ReasoningPart, Text: "of another model"},
				{Text: "A printer. Let me see."},
				{Kind: model.CallPart, Call: &model.ToolCall{ID: "toolu_1", Name: "weather", Arguments: json.RawMessage(`{"z":1,"city":"Porto","id":9007199254740993}`)}},
				{Kind: model.CallPart, Call: &model.ToolCall{ID: "toolu_2", Name: "now"}},
			}},
			{Role: model.Assistant, Parts: []model.Part{{Kind: model.ReasoningPart, Text: "nothing of this can be said"}}},
			{Role: model.User, Parts: []model.Part{
				{Text: "Be quick."},
				{Kind: model.ResultPart, Result: &model.ToolResult{ID: "toolu_1", Text: "no such city", Failed: true}},
				{Kind: model.ResultPart, Result: &model.ToolResult{ID: "toolu_2"}},
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
		Output:      json.RawMessage(`{"type":"object","properties":{"why":{"type":"string"},"answer":{"type":"string","enum":["sun","rain"]}},"required":["why","answer"],"additionalProperties":false}`),
		MaxTokens:   500,
		Temperature: &cool,
		Stop:        []string{"END", "STOP"},
		Key:         "run_1/ask#0",
	}
}

// sent is the request that the service got.
func sent(t *testing.T, o anthropic.Options, req *model.Request) modeltest.Request {
	t.Helper()
	if o.Model == "" {
		o.Model = wire.Model
	}
	return wire.Sent(t, func(url string) (model.Model, error) {
		o.BaseURL = url
		return anthropic.New(o)
	}, req)
}

func TestRequest(t *testing.T) {
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Secret: 1")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "another")
	got := sent(t, anthropic.Options{Effort: "low"}, rich())
	golden.JSON(t, "testdata/request.json", got.Body)
	header := map[string]string{"path": got.Path}
	for _, name := range []string{"X-Api-Key", "Authorization", "Anthropic-Version", "X-Secret", "Idempotency-Key"} {
		header[name] = got.Header.Get(name)
	}
	want := map[string]string{
		"path": "/v1/messages", "X-Api-Key": modeltest.WireKey, "Authorization": "", "Anthropic-Version": "2023-06-01", "X-Secret": "", "Idempotency-Key": "",
	}
	if diff := cmp.Diff(want, header); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// The least request, by options.
func TestOptions(t *testing.T) {
	const least = `"messages":[{"content":[{"text":"?","type":"text"}],"role":"user"}],"model":"claude-sonnet-4-5"`
	for name, test := range map[string]struct {
		o    anthropic.Options
		req  model.Request
		want string
	}{
		"none":     {want: `{"max_tokens":16384,` + least + `,"stream":true}`},
		"tokens":   {o: anthropic.Options{MaxTokens: 99}, want: `{"max_tokens":99,` + least + `,"stream":true}`},
		"thinking": {o: anthropic.Options{Thinking: 2048}, want: `{"max_tokens":18432,` + least + `,"thinking":{"budget_tokens":2048,"type":"enabled"},"stream":true}`},
		"adaptive": {o: anthropic.Options{Thinking: anthropic.Adaptive}, want: `{"max_tokens":16384,` + least + `,"thinking":{"type":"adaptive"},"stream":true}`},
		"no calls": {
			req:  model.Request{ToolChoice: model.ToolNone, Tools: []model.Tool{{Name: "now"}}},
			want: `{"max_tokens":16384,` + least + `,"tool_choice":{"type":"none"},"tools":[{"name":"now","input_schema":{"type":"object","properties":{}}}],"stream":true}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.req.Messages = model.Ask("?").Messages
			if diff := cmp.Diff(test.want, string(sent(t, test.o, &test.req).Body)); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
	for _, o := range []anthropic.Options{{MaxTokens: -1}, {Thinking: -2}} {
		o.NoKey = true
		if _, err := anthropic.New(o); !errors.Is(err, model.ErrInvalid) {
			t.Errorf("with %+v: %v, want that it is invalid", o, err)
		}
	}
}

// What a model said that is blank, and what a tool returned that is, would be refused when it is said again.
func TestBlankTextsAreNotSaid(t *testing.T) {
	req := &model.Request{Messages: []model.Message{
		model.Says(model.User, "What time is it?"),
		{Role: model.Assistant, Parts: []model.Part{
			{Text: "\n\n"},
			{Kind: model.CallPart, Call: &model.ToolCall{ID: "toolu_1", Name: "now", Arguments: json.RawMessage("{}")}},
		}},
		{Role: model.User, Parts: []model.Part{{Kind: model.ResultPart, Result: &model.ToolResult{ID: "toolu_1", Text: " \n"}}}},
	}}
	var got struct{ Messages json.RawMessage }
	if err := json.Unmarshal(sent(t, anthropic.Options{}, req).Body, &got); err != nil {
		t.Fatal(err)
	}
	want := `[{"content":[{"text":"What time is it?","type":"text"}],"role":"user"},` +
		`{"content":[{"id":"toolu_1","input":{},"name":"now","type":"tool_use"}],"role":"assistant"},` +
		`{"content":[{"tool_use_id":"toolu_1","type":"tool_result"}],"role":"user"}]`
	if diff := cmp.Diff(want, string(got.Messages)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// Schemas that Anthropic does not take are told.
func TestOutput(t *testing.T) {
	for name, test := range map[string]struct {
		schema string
		told   bool
		o      anthropic.Options
	}{
		"plain":     {schema: `{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}`},
		"range":     {schema: `{"type":"object","properties":{"a":{"type":"integer","minimum":1}},"additionalProperties":false}`, told: true},
		"open":      {schema: `{"type":"object","properties":{"a":{"type":"integer"}}}`, told: true},
		"recursive": {schema: `{"type":"object","properties":{"a":{"$ref":"#"}},"additionalProperties":false}`, told: true},
		"wanted":    {schema: `{"type":"object","properties":{},"additionalProperties":false}`, o: anthropic.Options{SchemaAsText: true}, told: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := sent(t, test.o, &model.Request{Messages: model.Ask("?").Messages, Output: json.RawMessage(test.schema)})
			var got struct {
				Config json.RawMessage `json:"output_config"`
				System []struct{ Text string }
			}
			if err := json.Unmarshal(r.Body, &got); err != nil {
				t.Fatal(err)
			}
			told := len(got.System) == 1 && strings.HasSuffix(got.System[0].Text, test.schema)
			want := `{"format":{"type":"json_schema","schema":` + test.schema + `}}`
			if test.told {
				want = ""
			}
			if diff := cmp.Diff(want, string(got.Config)); diff != "" || told != test.told {
				t.Errorf("told: %v; output_config (-want +got):\n%s", told, diff)
			}
		})
	}
}
