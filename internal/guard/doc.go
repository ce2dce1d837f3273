// Package guard calls code of users, and turns a panic or a lost goroutine into an error (law N7). It decides nothing
// about the run.
//
//	err := guard.Call(func() error { return observe(run) })
package guard
