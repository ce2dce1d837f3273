package anthropic_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/anthropic"
)

// The zero options are Anthropic's own service, and read the key from ANTHROPIC_API_KEY.
func ExampleNew() {
	// This one is on this machine, wants no key, and says what is in a file.
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		http.ServeFile(w, r, "testdata/reasoning.sse")
	}))
	defer service.Close()

	m, err := anthropic.New(anthropic.Options{Model: "claude-sonnet-4-5", BaseURL: service.URL, NoKey: true, Thinking: 2048})
	if err != nil {
		fmt.Println(err)
		return
	}
	for chunk, err := range m.Generate(context.Background(), model.Ask("What is it?")) {
		switch {
		case err != nil:
			fmt.Println(err)
		case chunk.Reasoning != "":
			fmt.Printf("(%s)\n", chunk.Reasoning)
		case chunk.Text != "":
			fmt.Println(chunk.Text)
		case chunk.Finish != "":
			fmt.Println(chunk.Finish)
		}
	}
	// Output:
	// (Smoke, )
	// (then.)
	// Fire.
	// stop
}
