// Package dataflow makes plans of functions whose inputs and outputs have names. A node that reads "docs" follows the
// node that writes "docs" (laws D1 to D14).
//
//	type query struct {
//		Text string
//		TopK int `default:"5"`
//	}
//	type hits struct {
//		Docs   []string
//		Scores []float64
//	}
//	search := dataflow.Node("search", func(ctx node.Context, in query) (hits, error) { … })
//	answer := dataflow.Func("answer", "reply", func(ctx node.Context, in struct{ Docs []string }) (string, error) { … })
//	rag, err := dataflow.New("rag", search, answer)
//	res, err := rag.Run(ctx, dataflow.Values{"text": "…"})
//	reply, err := dataflow.Get[string](res.Outputs, "reply")
//
// The fields of a struct are its values: "TopK" is "top_k", or what a json tag says. A value that no node writes is an
// input of the run. A field can be missing
// that has a default tag (JSON, a duration, or a text as it is), that is a pointer, or whose json tag says omitempty or
// omitzero.
//
// A gate ([Route], [RouteMany], [Branch]) chooses which nodes run, and so closes loops: the body runs, then the gate chooses
// whether it runs again (law D12). Everything is checked when the graph is made: types, names, whether two nodes may write
// one value, where loops begin.
//
// The package makes plans and never runs them itself: what runs, waits, crashes and goes on is a plan like any other.
package dataflow
