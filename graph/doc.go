// Package graph is for typed state graphs: nodes are functions from a state to a state, and edges say which node
// comes next.
//
//	g := graph.New[Ticket]("triage")
//	g.Node("classify", classify)
//	g.Node("review", review)
//	g.Node("close", closeTicket)
//	g.Edge(graph.Start, "classify")
//	g.Route("classify", byLabel, "review", "close")
//	g.Edge("review", "close")
//	triage, err := g.Compile()
//
// The state is any type that survives encoding/json. It travels by value: a node owns what it is given, and changing
// it in place changes nothing that anybody else sees (law N9). Wrong names, dead ends and loops without a way out are
// errors of Compile, all of them at once; a function of the wrong type does not compile in Go.
//
// A compiled graph runs in the caller's goroutine with [Graph.Run], or durably on a fermata.Runtime with
// [Graph.Start].
package graph
