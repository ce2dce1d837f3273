// Package fermatatest helps to test nodes and plans.
//
// [NewContext] gives a node function what an engine would give it, and keeps what it did: a node is tested as what it
// is, a function.
//
//	c := fermatatest.NewContext(t).Answer("approve", true)
//	out, err := fermatatest.Run(c, review, Ticket{Draft: "…"})
//	c.Replay() // run it again on what was recorded: nothing happens twice
//
// [Crash] runs a plan and stops the engine before and after everything that it stores, starts it again, and checks
// that the laws of docs/semantics.md hold: the same result, every step recorded once, no finished task run again, no
// event lost or repeated.
//
//	fermatatest.Crash(t, triage.Plan(), func() any { return &Ticket{Text: "…"} },
//		fermatatest.Answers(map[string][]any{"review": {true}}))
//
// [Clock] is a clock that stands still until it is told to go on.
//
// The package makes no engine of its own: nodes run on a small host in memory that keeps the contract of node.Host,
// plans run on the engine itself.
package fermatatest
