package openai_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/modeltest"
	"github.com/fermata-go/fermata/model/openai"
)

// A request has the model and the texts; vectors come in any order, and other answers are errors of a known kind that have no key.
func TestEmbedder(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret-of-a-test")
	for name, tt := range map[string]struct {
		status int
		answer string
		want   [][]float32
		kind   model.Kind
	}{
		"in another order":   {200, `{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0.5]}]}`, [][]float32{{1, 0.5}, {0, 1}}, ""},
		"one is missing":     {200, `{"data":[{"index":0,"embedding":[1,0]}]}`, nil, model.ErrMalformed},
		"one twice":          {200, `{"data":[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}]}`, nil, model.ErrMalformed},
		"another length":     {200, `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1]}]}`, nil, model.ErrMalformed},
		"no place":           {200, `{"data":[{"index":7,"embedding":[1,0]}]}`, nil, model.ErrMalformed},
		"a page":             {200, `<html>hello</html>`, nil, model.ErrMalformed},
		"too many requests":  {429, `{"error":{"message":"slow down, sk-secret-of-a-test"}}`, nil, model.ErrRateLimited},
		"trouble":            {503, ``, nil, model.ErrUnavailable},
		"not the right key":  {401, `{"error":{"message":"wrong key sk-secret-of-a-test"}}`, nil, model.ErrInvalid},
		"more than expected": {200, `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,1]},{"index":2,"embedding":[1,1]}]}`, nil, model.ErrMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			var asked map[string]any
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if err := json.Unmarshal(body, &asked); err != nil || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer sk-secret-of-a-test" {
					t.Errorf("%s %s %v", r.URL.Path, body, r.Header)
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.answer)
			}))
			defer s.Close()
			e, err := openai.NewEmbedder(openai.EmbedderOptions{Service: openai.Options{Model: "m", BaseURL: s.URL + "/v1"}, Dimensions: 2})
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.Embed(t.Context(), []string{"one", "two"})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			failed, _ := errors.AsType[*model.Error](err)
			if (err == nil) != (tt.kind == "") || failed != nil && failed.Kind != tt.kind || err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error is %v, want the kind %q", err, tt.kind)
			}
			if diff := cmp.Diff(map[string]any{"model": "m", "input": []any{"one", "two"}, "encoding_format": "float", "dimensions": 2.0}, asked); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := openai.NewEmbedder(openai.EmbedderOptions{}); !errors.Is(err, model.ErrInvalid) {
		t.Errorf("without a model: %v", err)
	}
}

// The embedder passes the tests of all embedders.
func TestEmbedderConforms(t *testing.T) {
	at := func(t *testing.T, url string) modeltest.Embedder {
		e, err := openai.NewEmbedder(openai.EmbedderOptions{Service: openai.Options{Model: "m", BaseURL: url, NoKey: true}})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	modeltest.TestEmbedder(t, func(t *testing.T) modeltest.Embedder {
		const five = `{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]},{"index":2,"embedding":[1,0]},{"index":4,"embedding":[1,1]},{"index":3,"embedding":[1,1]}]}`
		return at(t, modeltest.Serve(t, modeltest.Answer{Body: []byte(five)}).URL)
	}, func(t *testing.T) modeltest.Embedder {
		return at(t, modeltest.Serve(t, modeltest.Answer{Again: []byte(" ")}).URL)
	})
}
