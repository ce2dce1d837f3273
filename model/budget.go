package model

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
)

// Budget is what a program may spend on models, in all and for as long as the process lives. Zero fields do not limit.
// Several models share one; it is safe for concurrent use, and is not to be copied once it is used.
type Budget struct {
	Tokens int64 // read and said
	Cost   int64 // micro-dollars; see Dollars

	mu        sync.Mutex
	used      Usage
	uncounted string // a model that did not say how many tokens a reply took, in words
	unpriced  string // a model that did not say what a reply costs, likewise
}

// Budgeted is a model that is asked as long as the budget lasts. When it is spent, requests fail with [ErrBudget].
//
// The cost of a reply is known only at its end, so replies that are in progress may take more than was left. Failed
// replies count. A reply that does not say how many tokens it took spends any budget of tokens, and one without a known
// cost ([Priced]) any budget of cost: the budget could not be kept. A reply that is given up, or breaks, before it said
// so counts as a quarter of the request's bytes, and costs nothing; one that fails before it says anything, as nothing.
func Budgeted(m Model, b *Budget) Model { return budgeted{m, b} }

type budgeted struct {
	Model
	budget *Budget
}

// Generate implements Model.
func (m budgeted) Generate(ctx context.Context, req *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if err := m.budget.Spent(); err != nil {
			yield(Chunk{}, err)
			return
		}
		b := bill{budget: m.budget, name: req.Model}
		defer func() { b.close(req) }()
		for chunk, err := range m.Model.Generate(ctx, req) {
			b.add(&chunk, err)
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// Used is what was spent so far. It is priced when all costs are known, and else is without those that are not.
func (b *Budget) Used() Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	used := b.used
	used.Priced = used != (Usage{}) && b.unpriced == ""
	return used
}

// Spend counts usage from elsewhere, such as before the process began. It counts tokens and cost, whether known or not.
func (b *Budget) Spend(u Usage) { b.replace(Usage{}, u.Sound()) }

// Spent returns the error that requests get now, or nil while the budget lasts. The error has the budget and the usage
// so far.
func (b *Budget) Spent() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var spent []string
	tokens := b.used.Input + b.used.Output
	switch {
	case b.Tokens > 0 && tokens >= b.Tokens:
		spent = append(spent, fmt.Sprintf("%d of %d tokens are used", tokens, b.Tokens))
	case b.Tokens > 0 && b.uncounted != "":
		spent = append(spent, fmt.Sprintf("%d tokens cannot be kept to: %s does not say how many a reply took", b.Tokens, b.uncounted))
	}
	switch {
	case b.Cost > 0 && b.used.Cost >= b.Cost:
		spent = append(spent, fmt.Sprintf("%s of %s are used", dollars(b.used.Cost), dollars(b.Cost)))
	case b.Cost > 0 && b.unpriced != "":
		spent = append(spent, fmt.Sprintf(
			"%s cannot be kept to: %s does not say what a reply costs; give it prices (model.Priced)", dollars(b.Cost), b.unpriced))
	}
	if spent == nil {
		return nil
	}
	return &Error{Kind: ErrBudget, Message: strings.Join(spent, ", ")}
}

// dollars is an amount as people read it: all that there is, and cents at least.
func dollars(micro int64) string {
	text := fmt.Sprintf("%d.%06d", micro/1e6, micro%1e6)
	whole, fraction, _ := strings.Cut(text, ".")
	return "$" + whole + "." + fraction[:2] + strings.TrimRight(fraction[2:], "0")
}

// bill is what a reply takes.
type bill struct {
	budget *Budget
	name   string // of the model
	known  Usage  // what it said last that it took, and is counted
	ended  bool   // with a finish
	shown  bool   // it said something
	failed bool
}

// add counts what a chunk says, at once: other requests see it.
func (b *bill) add(chunk *Chunk, err error) {
	if chunk.Model != "" {
		b.name = chunk.Model
	}
	b.ended = b.ended || chunk.Finish != ""
	b.shown = b.shown || chunk.shows()
	b.failed = b.failed || err != nil
	if chunk.Usage != nil {
		said := chunk.Usage.Sound()
		b.budget.replace(b.known, said)
		b.known = said
	}
}

// close notes what the reply did not say.
func (b *bill) close(req *Request) {
	tokens, name := b.known.Input+b.known.Output, "a model"
	if b.name != "" {
		name = quote(b.name)
	}
	budget := b.budget
	switch {
	case tokens == 0 && b.failed && !b.shown: // most likely it took nothing
	case tokens == 0 && !b.ended:
		budget.Spend(Usage{Input: guessTokens(req)})
	default:
		budget.mu.Lock()
		defer budget.mu.Unlock()
		if tokens == 0 {
			budget.uncounted = name
		}
		if !b.known.Priced {
			budget.unpriced = name
		}
	}
}

// replace counts one usage instead of another: of the usages of a reply, the last holds.
func (b *Budget) replace(old, with Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used = Usage{
		Input: b.used.Input - old.Input + with.Input, Output: b.used.Output - old.Output + with.Output,
		Cached: b.used.Cached - old.Cached + with.Cached, Reasoning: b.used.Reasoning - old.Reasoning + with.Reasoning,
		Cost: b.used.Cost - old.Cost + with.Cost,
	}
}
