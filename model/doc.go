// Package model is what Fermata means by a language model: one method that is given a [Request] and yields the reply
// in [Chunk]s.
//
//	type Model interface {
//		Generate(ctx context.Context, req *Request) iter.Seq2[Chunk, error]
//	}
//
// A provider implements it, [Collect] joins the chunks to a [Response], and node.LLM calls it from within a node and
// records what came of it. What is said is made of messages, and messages of parts, so that text, pictures, calls of
// tools and their results need no second interface. What a reply took is a [Usage]; [Priced] adds what that costs,
// from a list of [Prices]. Several models of a program are a [Set], in which "openai:gpt-5" means a model of a provider.
//
// What stands around a model is a model, too, and is put together like this, from the inside out:
//
//	m = model.Priced(m, prices)                // says what replies cost
//	m = model.Budgeted(m, budget)              // until so much is spent
//	m = model.Limited(m, limiter)              // no more at a time than the key allows
//	m = model.Retrying(m, model.RetryPolicy{}) // again, while nothing was shown
//
// The package calls nobody by itself: it holds no provider, no key and no network. [model/scripted] has a model for
// tests and demonstrations, whose replies are written down beforehand.
//
// [model/scripted]: https://pkg.go.dev/github.com/fermata-go/fermata/model/scripted
package model
