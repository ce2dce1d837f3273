package scripted_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
)

var find = model.ToolCall{ID: "c1", Name: "find", Arguments: json.RawMessage(`{"q":"x"}`)}

// all is what came of a request, chunk by chunk.
func all(ctx context.Context, m model.Model, req *model.Request) (said []model.Chunk, failed error) {
	for c, err := range m.Generate(ctx, req) {
		if err != nil {
			return said, err
		}
		said = append(said, c)
	}
	return said, nil
}

// keyed is a request with what a transcript does not hold.
func keyed(prompt string) *model.Request {
	req := model.Ask(prompt)
	req.Key = "run_1/a#1"
	return req
}

// What is written down, to the letter.
func TestRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := model.Usage{Input: 3, Output: 2, Cost: 4, Priced: true}
		m := scripted.New(scripted.Script{
			Name: "m-1",
			Replies: []scripted.Reply{
				{Reasoning: "so", Text: "I look", Calls: []model.ToolCall{find}, Usage: &slow},
				{Text: "half", Err: &model.Error{Kind: model.ErrRateLimited, Message: "slow down", RetryAfter: 2 * time.Second}},
				{Err: fmt.Errorf("the wire: %w", model.ErrUnavailable)},
				{Err: errors.New("odd")},
			},
		})
		var out bytes.Buffer
		r := scripted.Record(delayed(m, 1500*time.Microsecond), &out)
		req := keyed("find x")
		req.Tools = []model.Tool{{Name: "find", Input: json.RawMessage(`{"type": "object"}`)}}
		for _, req := range []*model.Request{req, keyed("2"), keyed("3"), keyed("4")} {
			_, _ = all(t.Context(), r, req) // what comes through is another test's
		}
		want := `{"fermata":"transcript","version":1}
{"digest":"…","request":{"messages":[{"role":"user","parts":[{"text":"find x"}]}],"tools":[{"name":"find","input":{"type":"object"}}]},` +
			`"reply":[{"at":1500,"reasoning":"so"},{"at":3000,"text":"I "},{"at":4500,"text":"look"},` +
			`{"at":6000,"call":{"index":0,"id":"c1","name":"find"}},{"at":7500,"call":{"index":0,"arguments":"{\"q\":\"x\"}"}},` +
			`{"at":9000,"usage":{"in":3,"out":2,"cost":4,"priced":true},"model":"m-1"},{"at":10500,"finish":"calls"}]}
{"digest":"…","request":{"messages":[{"role":"user","parts":[{"text":"2"}]}]},"reply":[{"at":1500,"text":"half"}],` +
			`"error":{"kind":"rate_limited","message":"slow down","retryAfter":2000000}}
{"digest":"…","request":{"messages":[{"role":"user","parts":[{"text":"3"}]}]},"reply":[],` +
			`"error":{"kind":"unavailable","text":"the wire: the model's provider is not available"}}
{"digest":"…","request":{"messages":[{"role":"user","parts":[{"text":"4"}]}]},"reply":[],"error":{"text":"odd"}}
`
		if diff := cmp.Diff(want, withoutDigests(out.String())); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// delayed is a model each of whose chunks takes so long.
func delayed(m model.Model, each time.Duration) model.Model {
	return model.Func(func(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
		return func(yield func(model.Chunk, error) bool) {
			for c, err := range m.Generate(ctx, req) {
				time.Sleep(each)
				if !yield(c, err) {
					return
				}
			}
		}
	})
}

func withoutDigests(text string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, `"digest":"`)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		_, text, _ = strings.Cut(after, `"`)
		b.WriteString(`"digest":"…"`)
	}
}

// What was recorded is said again, to the chunk, and fails again, of the same kind and in the same words.
func TestReplay(t *testing.T) {
	script := scripted.Script{
		Name: "m-1",
		Replies: []scripted.Reply{
			{Reasoning: "so", Text: "I look", Calls: []model.ToolCall{find}},
			{Text: "half", Err: &model.Error{Kind: model.ErrRateLimited, Message: "slow down", RetryAfter: 2 * time.Second}},
			{Err: fmt.Errorf("the wire: %w", &model.Error{Kind: model.ErrUnavailable, RetryAfter: time.Second})},
			{Err: model.ErrTooLong},
			{Err: errors.New("odd")},
			{Text: "cut", Finish: model.FinishTruncated},
			{Chunks: []model.Chunk{{Reasoning: "so", Signature: "s"}, {Text: "<&>\u2028"}}},
		},
	}
	type outcome struct {
		Said       []model.Chunk
		Err        string
		Kind       model.Kind
		RetryAfter time.Duration
	}
	ask := func(m model.Model, prompt string) outcome {
		said, err := all(t.Context(), m, keyed(prompt))
		o := outcome{Said: said, Err: fmt.Sprint(err)}
		o.Kind, _ = errors.AsType[model.Kind](err)
		if known, ok := errors.AsType[*model.Error](err); ok {
			o.RetryAfter = known.RetryAfter
		}
		return o
	}
	var out bytes.Buffer
	r := scripted.Record(scripted.New(script), &out)
	var want, got []outcome
	for i := range script.Replies {
		want = append(want, ask(r, fmt.Sprint(i)))
	}
	m, err := scripted.Replay(&out)
	if err != nil {
		t.Fatal(err)
	}
	for i := range slices.Backward(script.Replies) { // in any order
		got = slices.Insert(got, 0, ask(m, fmt.Sprint(i)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if m.Answered() != 3 || len(m.Requests()) != 7 {
		t.Errorf("%d answered of %d requests", m.Answered(), len(m.Requests()))
	}
}

// Where the same was asked several times, the replies come in their order, and the last one from then on.
func TestReplayOfTheSameRequest(t *testing.T) {
	var out bytes.Buffer
	r := scripted.Record(scripted.New(scripted.Script{Replies: []scripted.Reply{{Err: model.ErrUnavailable}, {Text: "well"}, {Text: "other"}}}), &out)
	for _, prompt := range []string{"again", "again", "else"} {
		_, _ = all(t.Context(), r, model.Ask(prompt)) // recorded, whatever it was
	}
	m, err := scripted.Replay(&out)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, prompt := range []string{"again", "else", "again", "again", "else"} {
		reply, err := ask(t, m, model.Ask(prompt))
		got = append(got, fmt.Sprint(reply.Text(), " ", err))
	}
	want := []string{" the model's provider is not available", "other <nil>", "well <nil>", "well <nil>", "other <nil>"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// At once, or at a speed; a ctx that is done ends the waiting.
func TestReplaySpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		if _, err := all(t.Context(), scripted.Record(delayed(scripted.Texts("one two"), time.Second), &out), model.Ask("?")); err != nil {
			t.Fatal(err)
		}
		transcript, err := scripted.ReadTranscript(&out)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, speed := range []float64{0, 1, 2, 0.5} {
			m, begun := scripted.New(scripted.Script{Transcript: transcript, Speed: speed}), time.Now()
			text := fmt.Sprint(speed, ":")
			for _, err := range m.Generate(t.Context(), model.Ask("?")) {
				text += fmt.Sprint(" ", time.Since(begun), " ", err)
			}
			got = append(got, text)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		begun := time.Now()
		said, err := all(ctx, scripted.New(scripted.Script{Transcript: transcript, Speed: 1}), model.Ask("?"))
		got = append(got, fmt.Sprint(len(said), " ", err, " after ", time.Since(begun)))
		want := []string{
			"0: 0s <nil> 0s <nil> 0s <nil> 0s <nil>", "1: 1s <nil> 2s <nil> 3s <nil> 4s <nil>",
			"2: 500ms <nil> 1s <nil> 1.5s <nil> 2s <nil>", "0.5: 2s <nil> 4s <nil> 6s <nil> 8s <nil>",
			"1 context deadline exceeded after 1.5s",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// An exchange that is given up is not recorded; one whose finish was heard is.
func TestRecordOfWhatIsGivenUp(t *testing.T) {
	var out bytes.Buffer
	r := scripted.Record(scripted.Texts("one two", "one two", "one two"), &out)
	for _, err := range r.Generate(t.Context(), model.Ask("stopped")) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var cut error
	for _, err := range r.Generate(ctx, model.Ask("cancelled")) {
		cut = err
		cancel()
	}
	if !errors.Is(cut, context.Canceled) {
		t.Errorf("the reply ends with %v", cut)
	}
	for c, err := range r.Generate(t.Context(), model.Ask("finished")) {
		if err != nil || c.Finish != "" {
			break
		}
	}
	if n := strings.Count(out.String(), "\n"); n != 2 || !strings.Contains(out.String(), "finished") {
		t.Errorf("recorded is\n%s", &out)
	}
}

// Many at the same time leave whole lines, each of which can be replayed.
func TestRecordManyAtOnce(t *testing.T) {
	var out bytes.Buffer
	r := scripted.Record(scripted.Func(func(p string) (string, error) { return "re: " + p, nil }), &out)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if _, err := all(t.Context(), r, model.Ask(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	m, err := scripted.Replay(&out)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		if reply, err := ask(t, m, model.Ask(fmt.Sprint(i))); err != nil || reply.Text() != fmt.Sprint("re: ", i) {
			t.Errorf("%d: %q, %v", i, reply.Text(), err)
		}
	}
}

// brokenAfter is a writer that takes so many writes.
type brokenAfter struct{ writes int }

var errFull = errors.New("the disk is full")

func (w *brokenAfter) Write(p []byte) (int, error) {
	if w.writes--; w.writes < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// What cannot be recorded fails: nobody shall trust in a recording that is not there.
func TestRecordThatCannotBeWritten(t *testing.T) {
	const full = "recording what a model said: the disk is full"
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{{Text: "one"}, {Text: "two"}, {Text: "never said"}}})
	r := scripted.Record(m, &brokenAfter{writes: 1})
	var got []string
	for range 3 {
		said, err := all(t.Context(), r, model.Ask("?"))
		got = append(got, fmt.Sprint(len(said), " ", err))
	}
	if diff := cmp.Diff([]string{"3 <nil>", "3 " + full, "0 " + full}, got); diff != "" || len(m.Requests()) != 2 {
		t.Errorf("%d requests; (-want +got):\n%s", len(m.Requests()), diff)
	}
	m = scripted.New(scripted.Script{Replies: []scripted.Reply{{Err: model.ErrRefused}}})
	_, err := all(t.Context(), scripted.Record(m, &brokenAfter{}), model.Ask("?"))
	if !errors.Is(err, model.ErrRefused) || !errors.Is(err, errFull) {
		t.Errorf("the error is %v", err)
	}
	bad := &model.Request{Output: json.RawMessage(`{`)}
	if _, err := all(t.Context(), scripted.Record(m, &bytes.Buffer{}), bad); !errors.Is(err, model.ErrInvalid) {
		t.Errorf("a request without a JSON form: %v", err)
	}
}

// Whatever is asked and said, it is found again and said again.
func TestRecordAndReplay(t *testing.T) {
	chunk := rapid.Custom(func(r *rapid.T) model.Chunk {
		c := model.Chunk{
			Text: rapid.String().Draw(r, "text"), Reasoning: rapid.String().Draw(r, "reasoning"),
			Signature: rapid.SampledFrom([]string{"", "s"}).Draw(r, "signature"), Model: rapid.String().Draw(r, "model"),
		}
		if rapid.Bool().Draw(r, "calls") {
			c.Call = &model.CallChunk{Index: rapid.Int().Draw(r, "index"), ID: rapid.String().Draw(r, "id"), Arguments: rapid.String().Draw(r, "arguments")}
		}
		if rapid.Bool().Draw(r, "takes") {
			c.Usage = &model.Usage{Input: rapid.Int64().Draw(r, "in"), Cost: rapid.Int64().Draw(r, "cost")}
		}
		return c
	})
	request := rapid.Custom(func(r *rapid.T) *model.Request {
		any8 := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }) // not always UTF-8
		req := &model.Request{System: any8.Draw(r, "system"), Key: rapid.String().Draw(r, "key")}
		for range rapid.IntRange(0, 3).Draw(r, "messages") {
			req.Messages = append(req.Messages, model.Says(model.User, any8.Draw(r, "says")))
		}
		req.Output = rapid.SampledFrom([]json.RawMessage{nil, []byte(`{"b" : 1.0, "a":"<\u00e9>"}`), []byte(`"\ud800"`), []byte("null")}).Draw(r, "output")
		return req
	})
	rapid.Check(t, func(r *rapid.T) {
		said, req := rapid.SliceOf(chunk).Draw(r, "said"), request.Draw(r, "request")
		var out bytes.Buffer
		m := scripted.New(scripted.Script{Replies: []scripted.Reply{{Chunks: said}}})
		want, err := all(t.Context(), scripted.Record(m, &out), req)
		if err != nil {
			r.Fatal(err)
		}
		again, err := scripted.Replay(&out)
		if err != nil {
			r.Fatal(err)
		}
		req.Key = "another"
		got, err := all(t.Context(), again, req)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			r.Fatalf("%v, (-want +got):\n%s", err, diff)
		}
	})
}
