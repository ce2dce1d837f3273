package model_test

import (
	"context"
	"iter"
	"testing"

	"github.com/fermata-go/fermata/model"
)

// What stands around a model costs little for each chunk: here are a hundred and two of them.
func BenchmarkWrapped(b *testing.B) {
	said := make([]model.Chunk, 100, 102)
	for i := range said {
		said[i].Text = "word "
	}
	said = append(said, model.Chunk{Usage: &model.Usage{Input: 1, Output: 100}}, model.Chunk{Finish: model.FinishStop})
	bare := model.Func(func(context.Context, *model.Request) iter.Seq2[model.Chunk, error] { return chunks(nil, said...) })
	priced := model.Priced(bare, model.Prices{Input: 1, Output: 1})
	for name, m := range map[string]model.Model{
		"nothing":  bare,
		"Budgeted": model.Budgeted(priced, &model.Budget{Cost: 1e15}),
		"Limited":  model.Limited(bare, model.NewLimiter(model.Rate{Concurrent: 1000})),
		"Retrying": model.Retrying(bare, model.RetryPolicy{}),
		"all": model.Retrying(model.Limited(model.Budgeted(priced, &model.Budget{Cost: 1e15}),
			model.NewLimiter(model.Rate{Concurrent: 1000})), model.RetryPolicy{}),
	} {
		b.Run(name, func(b *testing.B) {
			req := model.Ask("How?")
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range m.Generate(b.Context(), req) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
