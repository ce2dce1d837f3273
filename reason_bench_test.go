package fermata_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
)

// instantly is a model without a network: what remains is what the engine takes.
func instantly(reply func(req *model.Request) []model.Chunk) model.Func {
	return func(_ context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
		return func(yield func(model.Chunk, error) bool) {
			for _, c := range reply(req) {
				if !yield(c, nil) {
					return
				}
			}
		}
	}
}

type report struct {
	Title    string   `json:"title"`
	Sections []string `json:"sections"`
}

// reportChunks is a report of some 100 KB in chunks of 20 bytes.
func reportChunks() (text string, chunks []model.Chunk) {
	var b strings.Builder
	b.WriteString(`{"title":"A long one","sections":[`)
	for i := range 100 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%s"`, strings.Repeat("a word or two ", 72))
	}
	b.WriteString(`]}`)
	text = b.String()
	for i := 0; i < len(text); i += 20 {
		chunks = append(chunks, model.Chunk{Text: text[i:min(i+20, len(text))]})
	}
	return text, append(chunks, model.Chunk{Finish: model.FinishStop})
}

// BenchmarkReason is a run with one reasoning: an answer at once, one after a tool was called, and one of 100 KB that is
// streamed in chunks of 20 bytes to nobody and to a reader; beside it the parsing and checking of that text alone.
func BenchmarkReason(b *testing.B) {
	stop := model.Chunk{Finish: model.FinishStop}
	plain := instantly(func(*model.Request) []model.Chunk {
		return []model.Chunk{{Text: `{"city":"Rome","days":3}`}, stop}
	})
	run := func(b *testing.B, m model.Model, read bool, f func(ctx node.Context, s state) (state, error)) {
		b.Helper()
		rt, err := fermata.New(fermata.Options{Store: memory.New(), Services: []any{m}})
		if err != nil {
			b.Fatal(err)
		}
		defer rt.Close()
		g := single(f)
		b.ReportAllocs()
		for b.Loop() {
			r, err := g.Start(b.Context(), rt, state{})
			if err != nil {
				b.Fatal(err)
			}
			if read {
				for _, err := range rt.Events(b.Context(), r.ID(), 0, true) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			if res, err := r.Wait(b.Context()); err != nil || res.Status != fermata.Completed {
				b.Fatal(res.Status, res.Err, err)
			}
		}
	}
	b.Run("answer", func(b *testing.B) {
		run(b, plain, false, func(ctx node.Context, s state) (state, error) {
			_, err := node.Reason[trip](ctx, node.Reasoning{Prompt: "plan"})
			return s, err
		})
	})
	tool := newDesk().tool(b, "weather")
	calls := instantly(func(req *model.Request) []model.Chunk {
		if len(req.Messages) == 1 {
			return []model.Chunk{{Call: &model.CallChunk{ID: "c", Name: "weather", Arguments: `{"city":"Rome"}`}}, {Finish: model.FinishCalls}}
		}
		return []model.Chunk{{Text: `{"city":"Rome","days":3}`}, stop}
	})
	b.Run("tool", func(b *testing.B) {
		run(b, calls, false, func(ctx node.Context, s state) (state, error) {
			_, err := node.Reason[trip](ctx, node.Reasoning{Prompt: "plan", Tools: []node.Tool{tool}})
			return s, err
		})
	})
	text, chunks := reportChunks()
	long := instantly(func(*model.Request) []model.Chunk { return chunks })
	for name, read := range map[string]bool{"stream to nobody": false, "stream to a reader": true} {
		b.Run(name, func(b *testing.B) {
			run(b, long, read, func(ctx node.Context, s state) (state, error) {
				_, err := node.Reason[report](ctx, node.Reasoning{Prompt: "write", Stream: node.StreamPatch})
				return s, err
			})
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(chunks)-1), "ns/chunk")
		})
	}
	b.Run("parse and check alone", func(b *testing.B) {
		s, err := schema.For[report]()
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			st := s.Stream()
			for i := range chunks {
				if _, err := st.Write(chunks[i].Text); err != nil {
					b.Fatal(err)
				}
			}
			if err := s.Check([]byte(text)); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(chunks)-1), "ns/chunk")
	})
}
