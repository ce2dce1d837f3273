// Package guard calls code of users that may panic or end its goroutine, and turns either into an error (law N7). It
// decides nothing about the run.
//
//	err := guard.Call(func() error { return observe(run) })
package guard
