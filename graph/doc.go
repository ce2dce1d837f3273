// Package graph is for typed state graphs. Nodes are functions from a state to a state, and edges connect them.
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
// Where branches of a fork come together, their states are merged against the state at the fork, in declared order (law
// G4). A field that one branch changed is taken. For a field that several may change, a tag chooses the merge rule;
// without one they are a plan.MergeConflictError, even if they wrote the same:
//
//	type Report struct {
//		Title   string            // one branch may change it
//		Sources []string          `merge:"append"` // what each branch added, in declared order
//		Open    []string          `merge:"edit"`   // as append, and one branch may change or remove what was there
//		Topics  map[string]string `merge:"union"`  // member by member; lists are taken as sets
//		Tokens  int               `merge:"sum"`    // what all of them added
//		Due     time.Time         `merge:"min"`    // or max: of numbers, strings and times
//		Chosen  Proposal          `merge:"first"`  // or last: of the branches that changed it
//	}
//
// Structs without a rule are merged field by field, also behind pointers; lists and maps without one are one field. A
// rule that does not exist or does not fit its field is an error of Compile.
//
// [Builder.Edge] with several targets is a fork, [All] and [Each] say how branches meet, [Map] runs a graph for each item
// of a list. docs/README.md leads to the tutorial.
//
// A compiled graph runs in the caller's goroutine with [Graph.Run], or durably on a fermata.Runtime with
// [Graph.Start].
package graph
