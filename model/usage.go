package model

import (
	"context"
	"iter"
	"math"
)

// Usage is what a reply took.
type Usage struct {
	Input     int64 `json:"in,omitempty"`        // tokens that were read, the cached ones among them
	Output    int64 `json:"out,omitempty"`       // tokens that were said, those of the reasoning among them
	Cached    int64 `json:"cached,omitempty"`    // of Input: those that the provider had read before
	Reasoning int64 `json:"reasoning,omitempty"` // of Output: those of the reasoning
	Cost      int64 `json:"cost,omitempty"`      // micro-dollars; see Priced
	Priced    bool  `json:"priced,omitempty"`    // whether the cost is known: without it, Cost is 0 and means nothing
}

// Prices are what a model costs: micro-dollars for each million tokens. $3 a million is Dollars(3).
type Prices struct {
	Input  int64
	Output int64
	Cached int64 // of tokens that the provider had read before; 0 for the price of the others
}

// Dollars is an amount of dollars in micro-dollars, rounded to the nearest.
func Dollars(amount float64) int64 { return int64(math.Round(amount * 1e6)) }

// Cost is what the usage costs by these prices: micro-dollars, rounded to the nearest.
func (p Prices) Cost(u Usage) int64 {
	u = u.Sound()
	cached := p.Cached
	if cached == 0 {
		cached = p.Input
	}
	const million = 1_000_000
	return ((u.Input-u.Cached)*p.Input + u.Cached*cached + u.Output*p.Output + million/2) / million
}

// Priced is a model whose replies say what they cost, where it did not say so itself.
func Priced(m Model, p Prices) Model { return priced{m, p} }

type priced struct {
	Model
	prices Prices
}

// Generate implements Model.
func (m priced) Generate(ctx context.Context, req *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for chunk, err := range m.Model.Generate(ctx, req) {
			if u := chunk.Usage; u != nil && !u.Priced {
				with := *u
				with.Cost, with.Priced = m.prices.Cost(*u), true
				chunk.Usage = &with
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// What a reply can take at most, so that no sum and no price of it overflows.
const (
	mostTokens = 1 << 32
	mostCost   = 1 << 50
)

// Sound returns the usage without amounts that no model can have meant. Such amounts are below zero, or beyond four
// thousand million tokens or a thousand million dollars.
func (u Usage) Sound() Usage {
	u.Input, u.Output = min(max(u.Input, 0), mostTokens), min(max(u.Output, 0), mostTokens)
	u.Cost = min(max(u.Cost, 0), mostCost)
	u.Cached, u.Reasoning = min(max(u.Cached, 0), u.Input), min(max(u.Reasoning, 0), u.Output)
	return u
}
