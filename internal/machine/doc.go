// Package machine decides what happens in a run. It is a fold: a plan and journal entries in, tasks to start and
// entries to append out (law J1). It has no I/O, no clock, no randomness and no goroutines; the execution
// provides those, and keeps one order (law J2):
//
//	m.Finish(…)            // what came from outside: an outcome, an answer, a timer (the inputs)
//	work := m.Next(at)     // the entries that follow, and the tasks that may start once they are stored
//	append(work.Append)    // first
//	start(work.Start)      // then
//
// An input never changes the machine's state by itself. It makes entries, and only [Machine.Apply] of an entry
// changes anything, so that a machine which has read a journal is the machine that wrote it.
//
// Values are not the machine's business: a token refers to its value by the seq of the entry that recorded it.
package machine
