package openai_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	server := modeltest.Serve(t, file(t, "text"))
	if _, err := model.Collect(newModel(t, server.URL+"/v1", o).Generate(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	return server.Requests()[0]
}

func TestRequest(t *testing.T) {
	got := sent(t, openai.Options{Effort: "low"}, rich())
	golden(t, "request.json", got.Body)
	header := map[string]string{
		"path": got.Path, "key": got.Header.Get("Authorization"), "idempotency": got.Header.Get("Idempotency-Key"),
	}
	want := map[string]string{"path": "/v1/chat/completions", "key": "Bearer " + key, "idempotency": ""}
	if diff := cmp.Diff(want, header); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// OpenAI's own service is asked in newer words than others, and is given an idempotency key.
func TestOwnService(t *testing.T) {
	t.Setenv("OPENAI_ORG_ID", "org-1")
	t.Setenv("OPENAI_PROJECT_ID", "proj_1")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: 1")
	server := modeltest.Serve(t, file(t, "text"))
	// The client leads what is meant for OpenAI to the server.
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		to := r.Clone(r.Context())
		to.URL.Scheme, to.URL.Host = "http", strings.TrimPrefix(server.URL, "http://")
		to.Header.Set("X-Meant", r.URL.String())
		return http.DefaultTransport.RoundTrip(to)
	})}
	m := newModel(t, "", openai.Options{HTTPClient: client})
	if _, err := model.Collect(m.Generate(t.Context(), &model.Request{Model: "gpt-5-mini", MaxTokens: 7, Key: "run_1/ask#0"})); err != nil {
		t.Fatal(err)
	}
	r := server.Requests()[0]
	golden(t, "request_own.json", r.Body)
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

// What cannot be asked is not asked, and the error says where it is.
func TestInvalidRequests(t *testing.T) {
	says := func(role model.Role, p model.Part) *model.Request {
		return &model.Request{Model: "m", Messages: []model.Message{model.Says(model.User, "?"), {Role: role, Parts: []model.Part{{Text: "."}, p}}}}
	}
	for want, req := range map[string]*model.Request{
		`no model is named: expected one in Options.Model or in Request.Model, like "gpt-5"`:                                                   {},
		`message 1 is said by "system"; expected "user" or "assistant"`:                                                                        says("system", model.Part{}),
		`part 1 of message 1 is of the kind "call", which the user cannot say, or has not the field of its kind`:                               says(model.User, model.Part{Kind: model.CallPart}),
		`part 1 of message 1 is of the kind "media", which the model cannot say, or has not the field of its kind`:                             says(model.Assistant, model.Part{Kind: model.MediaPart, Media: &model.Media{}}),
		`part 1 of message 1 is media of the type "video/mp4"; expected a picture, audio/wav, audio/mpeg or application/pdf`:                   says(model.User, model.Part{Kind: model.MediaPart, Media: &model.Media{Type: "video/mp4", Data: []byte("v")}}),
		`part 1 of message 1 is media of the type "application/pdf" without data; only pictures can be given by a URL`:                         says(model.User, model.Part{Kind: model.MediaPart, Media: &model.Media{Type: "application/pdf", URL: "https://x"}}),
		`the tool choice is "some"; expected "", "any" or "none"`:                                                                              {Model: "m", ToolChoice: "some"},
		`the model has to call a tool, and the request has none`:                                                                               {Model: "m", ToolChoice: model.ToolAny},
		`the input schema of the tool "t" is not JSON: json: error calling MarshalJSON for type json.RawMessage: unexpected end of JSON input`: {Model: "m", Tools: []model.Tool{{Name: "t", Input: json.RawMessage(`{`)}}},
	} {
		m, err := openai.New(openai.Options{NoKey: true, BaseURL: "https://nowhere.invalid/v1"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := chunks(t.Context(), m, req)
		if len(got) > 0 || !errors.Is(err, model.ErrInvalid) || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// Where the key is from.
func TestKeys(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, empty, bad := write("good", "\n  in-a-file\r\n"), write("empty", " \n"), write("bad", "two\nlines")
	const away = "https://models.example/v1"
	for name, test := range map[string]struct {
		env  map[string]string
		o    openai.Options
		want string // what is sent
		err  string
	}{
		"variable":        {env: map[string]string{"OPENAI_API_KEY": " in-a-variable\n"}, want: "Bearer in-a-variable"},
		"variable, file":  {env: map[string]string{"OPENAI_API_KEY_FILE": good}, want: "Bearer in-a-file"},
		"other variable":  {env: map[string]string{"OPENAI_API_KEY": "a", "GROQ_KEY": "b"}, o: openai.Options{KeyEnv: "GROQ_KEY"}, want: "Bearer b"},
		"file":            {env: map[string]string{"OPENAI_API_KEY": "a"}, o: openai.Options{KeyFile: good}, want: "Bearer in-a-file"},
		"on this machine": {},
		"none wanted":     {env: map[string]string{"OPENAI_API_KEY": "a"}, o: openai.Options{NoKey: true}},
		"none": {o: openai.Options{BaseURL: away}, err: "there is no key for OpenAI at models.example: looked for the variable OPENAI_API_KEY, " +
			"and no file by the variable OPENAI_API_KEY_FILE; a service that wants no key needs NoKey"},
		"no file":     {o: openai.Options{KeyFile: filepath.Join(dir, "no")}, err: "the key cannot be read: open " + dir + "/no: no such file or directory"},
		"empty file":  {o: openai.Options{KeyFile: empty}, err: "no key is in the file " + empty + ": it is empty"},
		"lines":       {o: openai.Options{KeyFile: bad}, err: "what is in the file " + bad + " is no key: expected a single word, and it has a blank, a line break or a letter beyond ASCII in the middle"},
		"key in code": {o: openai.Options{KeyEnv: key}, err: "KeyEnv is not the name of a variable of the environment; a key itself is not written in code"},
		"no URL":      {o: openai.Options{BaseURL: "ht!tp://" + key}, err: "the base URL of OpenAI is not a URL: expected one like https://api.openai.com/v1/"},
		"password":    {o: openai.Options{BaseURL: "https://me:" + key + "@models.example"}, err: "the base URL of OpenAI at models.example has a user or a password in it; keys are read from a variable or a file"},
		"query":       {o: openai.Options{BaseURL: away + "?key=" + key}, err: "the base URL of OpenAI at models.example has a query or a fragment, which would get lost"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, name := range []string{"OPENAI_API_KEY", "OPENAI_API_KEY_FILE"} {
				t.Setenv(name, test.env[name])
			}
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			server := modeltest.Serve(t, file(t, "text"))
			t.Setenv("OPENAI_BASE_URL", server.URL+"/api/v1")
			m, err := openai.New(test.o)
			if test.err != "" {
				if !errors.Is(err, model.ErrInvalid) || !strings.HasSuffix(err.Error(), ": "+test.err) {
					t.Errorf("got %v\nwant %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := model.Collect(m.Generate(t.Context(), &model.Request{Model: "m"})); err != nil {
				t.Fatal(err)
			}
			if r := server.Requests()[0]; r.Header.Get("Authorization") != test.want || r.Path != "/api/v1/chat/completions" {
				t.Errorf("sent %q to %s, want %q", r.Header.Get("Authorization"), r.Path, test.want)
			}
		})
	}
}
