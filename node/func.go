package node

// Func is a node's function with its types erased. It receives the value of a token, may change it, and returns the
// value that travels on.
type Func func(ctx Context, in any) (out any, err error)

// RouteFunc chooses where a token goes after its node: the name of a declared target, [End] or [Stop].
type RouteFunc func(ctx Context, value any) (target string, err error)

// RouteManyFunc chooses one or more declared targets, [End] or [Stop] for a token after its node. With several, each
// begins a branch.
type RouteManyFunc func(ctx Context, value any) (targets []string, err error)

// CatchFunc chooses the target of a token whose node failed: a declared node, [End] or [Stop]. It returns "" to fail
// the run. The cause is never nil.
type CatchFunc func(ctx Context, value any, cause error) (target string, err error)

// Targets that are not nodes. They cannot be names of nodes, so a node may well be called "END" (law F6).
const (
	End  = "\x00end"  // ends a path
	Stop = "\x00stop" // ends the run
)
