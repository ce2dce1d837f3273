package anthropic_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/anthropic"
)

// FuzzStream: whatever a service streams, the reply ends once, by a finish or by an error of a kind, without the key.
func FuzzStream(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.sse"))
	if err != nil || len(files) == 0 {
		f.Fatal("there are no recorded streams", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, false)
		f.Add(data[:len(data)*2/3], true)
	}
	f.Setenv("ANTHROPIC_API_KEY", key)
	f.Fuzz(func(t *testing.T, data []byte, cut bool) {
		client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			var body io.Reader = bytes.NewReader(data)
			if cut {
				body = io.MultiReader(body, broken{})
			}
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(body), Request: r}, nil
		})}
		m, err := anthropic.New(anthropic.Options{Model: "claude-sonnet-4-5", HTTPClient: client})
		if err != nil {
			t.Fatal(err)
		}
		got, err := chunks(t.Context(), m, model.Ask("?"))
		finishes := 0
		for i := range got {
			if got[i].Finish != "" {
				finishes++
			}
		}
		failed, known := errors.AsType[*model.Error](err)
		switch {
		case err == nil && (finishes != 1 || got[len(got)-1].Finish == ""):
			t.Errorf("it ended %d times: %+v", finishes, got)
		case err != nil && (finishes != 0 || !known || failed.Kind == "" || strings.Contains(err.Error(), key)):
			t.Errorf("it ended %d times, and failed with %v", finishes, err)
		}
	})
}

// broken is a connection that breaks.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
