// Package fermata runs plans: graphs of code, models and people. A plan may wait for days, lose its process halfway and
// still finish exactly once.
//
// A [Runtime] runs plans and keeps their journals in a store. Four packages make plans and offer typed APIs over the
// same calls: graph (state graphs in Go), dataflow (functions with named inputs, in Go), recipe (YAML) and dialogue
// (conversations, in YAML or Go).
//
//	rt, err := fermata.New(fermata.Options{Store: sqlite.MustOpen("triage.db")})
//	run, err := rt.Start(ctx, p, input)
//	res, err := run.Wait(ctx) // res.Status == fermata.Paused: somebody is asked
//	err = rt.Answer(ctx, res.Interrupts[0].ID, "approve")
//	res, err = run.Wait(ctx) // res.Status == fermata.Completed
//
// The runtime owns all goroutines, clocks and timers. A pure fold over the journal (package internal/machine, law J1)
// decides the next tasks; the runtime appends that decision before it acts on it (law J2).
package fermata
