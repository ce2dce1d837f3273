// Package place decides who has the places of a pool that processes share (law J20). It is a pure function over a value
// that all of them see: it has no store, no clock and no goroutine.
//
//	next := ledger.Assign(part, limits, now, lives)
package place
