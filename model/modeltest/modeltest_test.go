package modeltest_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/modeltest"
	"github.com/fermata-go/fermata/model/scripted"
)

// A scripted model passes the suite, as any other does.
func TestScripted(t *testing.T) {
	reply := func(r scripted.Reply) func(t *testing.T) model.Model {
		return func(*testing.T) model.Model { return scripted.New(scripted.Script{Rules: []scripted.Rule{{Reply: r}}}) }
	}
	calls := modeltest.Wanted()
	for i := range calls {
		calls[i].ID = string(rune('a' + i))
	}
	fails := make(map[model.Kind]func(t *testing.T) model.Model)
	for _, kind := range []model.Kind{model.ErrRateLimited, model.ErrInvalid} {
		fails[kind] = reply(scripted.Reply{Err: &model.Error{Kind: kind}})
	}
	fails[model.ErrTruncated] = reply(scripted.Reply{Text: "no", Finish: model.FinishTruncated})
	modeltest.Test(t, modeltest.Provider{
		Text:  reply(scripted.Reply{Text: modeltest.Says}),
		Calls: reply(scripted.Reply{Calls: calls}),
		Endless: func(*testing.T) (model.Model, <-chan struct{}) {
			gone := make(chan struct{})
			return endless(gone), gone
		},
		Fails: fails,
	})
}

// endless says the same until nobody listens.
func endless(gone chan<- struct{}) model.Model {
	return model.Func(func(ctx context.Context, _ *model.Request) iter.Seq2[model.Chunk, error] {
		return func(yield func(model.Chunk, error) bool) {
			defer close(gone)
			for ctx.Err() == nil {
				if !yield(model.Chunk{Text: "and on "}, nil) {
					return
				}
			}
			yield(model.Chunk{}, ctx.Err())
		}
	})
}

// A server says what it is to say, and remembers what it was asked.
func TestServer(t *testing.T) {
	for name, test := range map[string]struct {
		answer modeltest.Answer
		status int
		kind   string
		err    error
	}{
		"whole":  {modeltest.Answer{Body: []byte("data: 1\n\n")}, 200, "text/event-stream; charset=utf-8", nil},
		"drip":   {modeltest.Answer{Body: []byte("data: 1\n\n"), Drip: true}, 200, "text/event-stream; charset=utf-8", nil},
		"cut":    {modeltest.Answer{Body: []byte("data: 1\n\n"), Cut: true}, 200, "text/event-stream; charset=utf-8", io.ErrUnexpectedEOF},
		"status": {modeltest.Answer{Body: []byte("data: 1\n\n"), Status: 418, Header: http.Header{"Content-Type": {"text/plain"}}}, 418, "text/plain", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Serve(t, test.answer)
			resp, err := http.Post(s.URL+"/v1", "text/plain", strings.NewReader("hello"))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if string(body) != "data: 1\n\n" || !errors.Is(err, test.err) || resp.StatusCode != test.status || resp.Header.Get("Content-Type") != test.kind {
				t.Errorf("it said %d %q %q, %v", resp.StatusCode, resp.Header.Get("Content-Type"), body, err)
			}
			got := s.Requests()
			for i := range got {
				got[i].Header = nil
			}
			if diff := cmp.Diff([]modeltest.Request{{Method: "POST", Path: "/v1", Body: []byte("hello")}}, got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFile(t *testing.T) {
	got := modeltest.File(t, filepath.Join("..", "openai", "testdata", "endless_head.sse"))
	if !strings.HasPrefix(string(got.Body), "data: {") {
		t.Errorf("the file begins with %.20q", got.Body)
	}
}
