package plan

import "errors"

// Join says what a node does where concurrent branches meet (law G3).
type Join string

// The joins. A node at which no branches meet needs none.
const (
	Each Join = "each" // the node fires once for each branch
	All  Join = "all"  // it fires once, with the branches merged, when no more of them can come
)

// MergeFunc merges the values of concurrent branches against the value at the fork (law G4). The branches are
// in declared order. It must not change or keep base; the branches' values are its own.
type MergeFunc func(base any, branches []any) (any, error)

// Map makes a subgraph run once for each item of a list (law G5). Its functions are pure: they may be called again
// after a crash.
type Map struct {
	// Split gives the items, each of them an input of the subgraph.
	Split func(value any) ([]any, error)
	// Gather puts the results, in the order of the items, into the value that travels on.
	Gather func(value any, results []Item) (any, error)
	// Limit is how many items may be at work at once; 0 does not limit.
	Limit int
	// Keep keeps failed items in their place among the results. By default a failed item fails the node, once the
	// items that are at work have ended.
	Keep bool
}

// Item is the outcome of one item of a map.
type Item struct {
	Value any   // the subgraph's result, nil where it failed
	Err   error // why it failed
}

// ErrMergeConflict says that branches could not be merged; a [MergeConflictError] says why (law G4).
var ErrMergeConflict = errors.New("branches do not merge")
