package providers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/providers"
)

const secret = "sk-very-secret-0123456789"

// environment sets the variables that matter, and no others of them.
func environment(t *testing.T, set map[string]string) {
	t.Helper()
	for _, name := range []string{
		"OPENAI_API_KEY", "OPENAI_API_KEY_FILE", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID",
		"ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY_FILE", "ANTHROPIC_BASE_URL", "OLLAMA_HOST", "FERMATA_MODEL",
	} {
		t.Setenv(name, set[name])
	}
}

// service is a server that says which model it was asked for, where, and with which key.
func service(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model string `json:"model"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		text, err := json.Marshal(fmt.Sprintf("%s for %s with %q", r.URL.Path, body.Model, r.Header.Get("Authorization")+r.Header.Get("X-Api-Key")))
		if err != nil {
			t.Error(err)
		}
		events := `data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"content":TEXT},"finish_reason":"stop"}]}

data: [DONE]

`
		if strings.HasSuffix(r.URL.Path, "/messages") {
			events = `event: message_start
data: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":TEXT}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}

event: message_stop
data: {"type":"message_stop"}

`
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if _, err := io.WriteString(w, strings.Replace(events, "TEXT", string(text), 1)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// says is what the model of that name says, or why not.
func says(t *testing.T, set model.Set, name string) string {
	t.Helper()
	m, err := set.Find(name)
	if err != nil {
		return "not found: " + err.Error()
	}
	r, err := model.Collect(m.Generate(t.Context(), model.Ask("?")))
	if err != nil {
		if !errors.Is(err, model.ErrNoModel) {
			return "of another kind: " + err.Error()
		}
		return err.Error()
	}
	return r.Text()
}

// With keys, all providers are there, each with its own.
func TestFromEnv(t *testing.T) {
	s := service(t)
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("sk-ant\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	environment(t, map[string]string{
		"OPENAI_API_KEY": secret, "OPENAI_BASE_URL": s.URL + "/v1", "ANTHROPIC_API_KEY_FILE": file, "ANTHROPIC_BASE_URL": s.URL,
		"OLLAMA_HOST": s.Listener.Addr().String(), "FERMATA_MODEL": "ollama:qwen3:8b",
	})
	set, err := providers.FromEnv(providers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"anthropic", "default", "ollama", "openai"}, slices.Sorted(maps.Keys(set))); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	var got []string
	for _, name := range []string{"openai:gpt-5", "anthropic:claude-sonnet-4-5", "ollama:llama3", ""} {
		got = append(got, says(t, set, name))
	}
	want := []string{
		`/v1/chat/completions for gpt-5 with "Bearer ` + secret + `"`, `/v1/messages for claude-sonnet-4-5 with "sk-ant"`,
		`/v1/chat/completions for llama3 with ""`, `/v1/chat/completions for qwen3:8b with ""`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Without keys, whoever asks is told what to set; and a key is never shown.
func TestFromEnvWithoutKeys(t *testing.T) {
	environment(t, map[string]string{
		"OPENAI_API_KEY": secret + "\nand another", "ANTHROPIC_BASE_URL": "https://api.anthropic.com", "OLLAMA_HOST": "http://me:" + secret + "@gpu",
	})
	set, err := providers.FromEnv(providers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for name := range set {
		got[name] = says(t, set, name+":m")
		if strings.Contains(got[name], secret) {
			t.Errorf("%s shows a secret", name)
		}
	}
	want := map[string]string{
		"openai": "no such model: openai cannot be used: the model's provider does not take the request: the text of the variable OPENAI_API_KEY is not a key: " +
			"expected a single word, and it has a blank, a line break or a letter beyond ASCII in the middle",
		"anthropic": "no such model: anthropic has no key: set ANTHROPIC_API_KEY, or ANTHROPIC_API_KEY_FILE to the path of a file that has it",
		"ollama":    `no such model: ollama cannot be used: OLLAMA_HOST is no host; expected one like "127.0.0.1:11434" or "http://gpu:11434"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The model for whoever names none is looked at at once.
func TestFromEnvDefault(t *testing.T) {
	s := service(t)
	const noKey = "no such model: anthropic has no key: set ANTHROPIC_API_KEY, or ANTHROPIC_API_KEY_FILE to the path of a file that has it"
	tests := map[string]struct{ variable, option, want string }{
		"none":                 {"", "", "not found: no such model: the set has anthropic, ollama, openai; name one of them, or call one default"},
		"by the variable":      {"openai:gpt-5", "", `/v1/chat/completions for gpt-5 with "Bearer ` + secret + `"`},
		"by the option":        {"anthropic:x", "openai:gpt-5-mini", `/v1/chat/completions for gpt-5-mini with "Bearer ` + secret + `"`},
		"without a key":        {"anthropic:claude-sonnet-4-5", "", "the variable FERMATA_MODEL: " + noKey},
		"an option without it": {"", "anthropic:claude-sonnet-4-5", "Options.Model: " + noKey},
		"a slip": {
			"opneai:gpt-5", "", `the variable FERMATA_MODEL: no such model: none is called "opneai:gpt-5"; the set has anthropic, ollama, openai; did you mean "openai:gpt-5"?`,
		},
		"without a provider": {"gpt-5", "", `no such model: the variable FERMATA_MODEL is "gpt-5"; expected a provider and its model, like "openai:gpt-5"`},
		"without a model":    {"", "openai", `no such model: Options.Model is "openai"; expected a provider and its model, like "openai:gpt-5"`},
		"an empty model":     {"", "openai:", `Options.Model: no such model: none is called "openai:"; the set has anthropic, ollama, openai; say which of its models: "openai:…"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			environment(t, map[string]string{"OPENAI_API_KEY": secret, "OPENAI_BASE_URL": s.URL + "/v1", "FERMATA_MODEL": tt.variable})
			set, err := providers.FromEnv(providers.Options{Model: tt.option})
			if err != nil && (!errors.Is(err, model.ErrNoModel) || set != nil) {
				t.Errorf("%v, with %v", err, set)
			}
			got := fmt.Sprint(err)
			if err == nil {
				got = says(t, set, "")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is put around a provider is around all its models, and around those alone that can be used.
func TestFromEnvWrap(t *testing.T) {
	environment(t, map[string]string{"OPENAI_API_KEY": secret, "FERMATA_MODEL": "openai:gpt-5"})
	var wrapped []string
	set, err := providers.FromEnv(providers.Options{Wrap: func(provider string, _ model.Model) model.Model {
		wrapped = append(wrapped, provider)
		return model.Func(func(_ context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
			r := model.Response{Parts: []model.Part{{Text: "instead of " + provider + " " + req.Model}}, Finish: model.FinishStop}
			return r.Chunks()
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{says(t, set, ""), says(t, set, "openai:gpt-5-mini"), says(t, set, "ollama:x")}
	if diff := cmp.Diff([]string{"instead of openai gpt-5", "instead of openai gpt-5-mini", "instead of ollama x"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"openai", "ollama"}, wrapped); diff != "" {
		t.Errorf("wrapped (-want +got):\n%s", diff)
	}
}

func ExampleFromEnv() {
	models, err := providers.FromEnv(providers.Options{Model: "ollama:qwen3"})
	if err != nil {
		fmt.Println(err)
	}
	_, err = models.Find("ollma:qwen3")
	fmt.Println(err)
	// Output: no such model: none is called "ollma:qwen3"; the set has anthropic, default, ollama, openai; did you mean "ollama:qwen3"?
}

// An embedder is found by its name, with the key of its provider, and else says which one to set.
func TestEmbedder(t *testing.T) {
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, `{"data":[{"index":0,"embedding":[%d]}]}`, len(body))
	}))
	defer answers.Close()
	environment(t, map[string]string{"OPENAI_API_KEY": secret, "OPENAI_BASE_URL": answers.URL, "OLLAMA_HOST": answers.URL})
	for _, name := range []string{"openai:text-embedding-3-small", "ollama:nomic-embed-text:v1"} {
		e, err := providers.Embedder(name)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := e.Embed(t.Context(), []string{"hello"}); err != nil || len(v) != 1 || len(v[0]) != 1 {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
	environment(t, nil)
	for name, want := range map[string]string{"openai:m": "OPENAI_API_KEY", "openai": "openai:text-embedding-3-small", "anthropic:m": "expected a provider", "": "expected a provider"} {
		if _, err := providers.Embedder(name); !errors.Is(err, model.ErrNoModel) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, and expected %q in it", name, err, want)
		}
	}
}
