package graph

import (
	"fmt"

	"github.com/fermata-go/fermata/plan"
)

// Each runs a node once for each arriving branch, with that branch's own state (law G3). The nodes after it belong to
// the branches, too: it runs once for each, up to an [All] node or to their ends.
func Each() NodeOption { return func(n *plan.Node) { n.Join = plan.Each } }

// All lets a node at which branches meet run once, when no more of them can come (law G3). It is given their states
// merged against the state at the fork, in the order in which the branches were declared: what one branch changed is
// taken; what several changed needs a rule, as a struct tag or by [MergeWith], or the node fails with a
// plan.MergeConflictError (law G4):
//
//	type Report struct {
//		Findings []string `merge:"append"` // base, then what each branch added
//		Open     []string `merge:"edit"`   // as append, and one branch may change or remove what was there
//		Tags     []string `merge:"union"`  // as a set; of a map, key by key
//		Cost     int      `merge:"sum"`    // base and what each branch added to it
//		Worst    int      `merge:"max"`    // or min
//		Title    string   `merge:"first"`  // or last: of the branches that changed it
//	}
//
// Where branches end without meeting, the run's result is merged in the same way.
func All() NodeOption { return func(n *plan.Node) { n.Join = plan.All } }

// MergeWith merges the branches at an [All] node by a function. The function receives the state at the fork and the
// states of the branches in declared order. It is pure: a crash can repeat it. It owns its arguments. S is the graph's
// state; with another type the node fails when branches meet.
func MergeWith[S any](merge func(base S, branches []S) (S, error)) NodeOption {
	return func(n *plan.Node) { n.Merge = erased(merge) }
}

func erased[S any](merge func(base S, branches []S) (S, error)) plan.MergeFunc {
	return func(base any, branches []any) (any, error) {
		from, ok := base.(*S)
		if !ok {
			return nil, fmt.Errorf("the merge is for states of type %T, and the graph's are %T", from, base)
		}
		states := make([]S, len(branches))
		for i, b := range branches {
			states[i] = *b.(*S) //nolint:forcetypeassert // of the type of the base
		}
		merged, err := merge(*from, states)
		return &merged, err
	}
}

// Merge merges branches by a function, wherever they join or end without a [MergeWith]. It takes the place of the tags
// and is pure: it may be called again after a crash. It owns its arguments (law N9).
func (b *Builder[S]) Merge(merge func(base S, branches []S) (S, error)) *Builder[S] {
	if merge == nil {
		b.problem("Merge has no function")
		return b
	}
	b.def.Merge = erased(merge)
	return b
}

// Immutable promises that no node changes the state's slices, maps and pointed-to values in place. Nodes assign fields
// and append, and make a new map or element to change one. Then branches share what none of them replaces, and a large
// state costs a run what changes of it. A node that breaks the promise changes what others see, and what it changed is
// not recorded; fermatatest finds it.
//
// Without the promise, which is the default, each node and branch has a deep copy of its own where another could see it
// (law N9).
func (b *Builder[S]) Immutable() *Builder[S] {
	b.shared = true
	return b
}

// FailFast cancels the running tasks when another one has failed the run. As a subgraph, the graph cancels those inside it
// when it has failed, and those of the other items in a map that keeps no failures. A retry runs them again. By
// default they finish, and their outcomes are kept (law F2).
func (b *Builder[S]) FailFast() *Builder[S] {
	b.def.FailFast = true
	return b
}
