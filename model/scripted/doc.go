// Package scripted is a model whose replies are written down beforehand: for tests and demonstrations. It is as
// deterministic as its script, costs nothing, and remembers what it was asked.
//
//	m := scripted.New(scripted.Script{
//		Rules:   []scripted.Rule{{Contains: "summarise", Reply: scripted.Reply{Text: "It is short."}}},
//		Replies: []scripted.Reply{{Text: "first"}, {Err: &model.Error{Kind: model.ErrRateLimited}}},
//	})
//
// [Calls] is a reply that calls tools. A script that has nothing to say to a request is an error that shows the request
// and the script.
//
// The replies of another model can be such a script, too: [Record] writes it down, and [Replay] says it again. Nothing
// here asks a model by itself.
package scripted
