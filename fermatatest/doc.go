// Package fermatatest helps to test nodes and plans, of any author. Its tools say which law of docs/semantics.md was
// broken, at which task, and how to see it again.
//
// [NewContext] gives a node function what an engine would give it, and keeps what it did: a node is tested as what it
// is, a function.
//
//	c := fermatatest.NewContext(t).Answer("approve", true)
//	out, err := fermatatest.Run(c, review, Ticket{Draft: "…"})
//	c.Replay() // run it again on what was recorded: nothing happens twice
//
// [Crash] runs a plan and stops the engine before and after everything that it stores, starts it again, and checks
// the same result, every step recorded once, no finished task run again, no event lost or repeated.
//
//	answers := fermatatest.Answers(map[string][]any{"review": {true}})
//	fermatatest.Crash(t, triage.Plan(), func() any { return &Ticket{Text: "…"} }, answers)
//
// [Schedules] runs a plan in many orders in which what is concurrent may finish, and checks that they make no
// difference. It finds what nodes share behind the state's back, and merges that look at who came first; it shows the
// two orders, shrunk, and the first task that differs.
//
//	fermatatest.Schedules(t, triage.Plan(), func() any { return &Ticket{Text: "…"} }, answers, fermatatest.WithCrashes())
//
// [Golden] compares what a run did with a transcript in testdata, which does not depend on timing; FERMATA_UPDATE=1
// writes it.
//
//	fermatatest.Golden(t, rt, triage.Plan(), run.ID())
//
// [Recorded] is a model that says what a real one has said to the same requests before, from a file in testdata;
// FERMATA_UPDATE=1 asks the real one and writes it.
//
// [Clock] is a clock that stands still until it is told to go on.
//
// The package makes no engine of its own: nodes run on a small host in memory that keeps the contract of nodehost.Host,
// plans run on the engine itself.
package fermatatest
