package openai_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/openai"
)

// A service on this machine wants no key. For OpenAI's own, the zero options read it from OPENAI_API_KEY.
func ExampleNew() {
	// This one says what is in a file. Ollama's would be at http://127.0.0.1:11434/v1.
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		http.ServeFile(w, r, "testdata/text.sse")
	}))
	defer service.Close()

	m, err := openai.New(openai.Options{
		Model:   "gpt-5",
		BaseURL: service.URL + "/v1",
		NoKey:   true,
		Prices:  model.Prices{Input: model.Dollars(1.25), Cached: model.Dollars(0.125), Output: model.Dollars(10)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, err := model.Collect(m.Generate(context.Background(), model.Ask("What is it?")))
	fmt.Println(reply.Text(), err)
	fmt.Println(reply.Model, reply.Usage.Input, "tokens in,", reply.Usage.Output, "out,", reply.Usage.Cost, "micro-dollars")
	// Output:
	// The printer is on fire. <nil>
	// gpt-5-2025-08-07 1234 tokens in, 70 out, 1091 micro-dollars
}
