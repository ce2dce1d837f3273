// Package model defines the interface of a language model: [Request] in, [Chunk]s of the reply out.
//
//	type Model interface {
//		Generate(ctx context.Context, req *Request) iter.Seq2[Chunk, error]
//	}
//
// A provider implements it, [Collect] joins the chunks to a [Response], and node.LLM calls it from within a node and
// records the result. A conversation consists of messages, and messages of parts, so that text, pictures, calls of
// tools and their results need no second interface. A [Usage] holds the tokens of a reply; [Priced] adds the cost, from
// a list of [Prices]. Several models of a program are a [Set], in which "openai:gpt-5" means a model of a provider.
//
// A wrapper around a model is a model, too. Wrappers are nested like this, from the inside out:
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
