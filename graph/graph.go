package graph

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

// Places that are not nodes.
const (
	Start = "\x00start" // where a run begins
	End   = node.End    // ends a path. It is not the string "END", which a node may have as its name (law F6)
	Stop  = node.Stop   // ends the run and its other branches
)

// END ends a path.
//
// Deprecated: use End.
const END = End

// Func is a node: a function from state to state. When it returns an error, the state it returned with it is what
// travels over the node's failure edge; a zero state stands for the node's input (law F1).
type Func[S any] func(ctx node.Context, state S) (S, error)

// RouteFunc chooses the next node: one of the declared targets, End or Stop (law F7).
type RouteFunc[S any] func(ctx node.Context, state S) (string, error)

// RouteManyFunc chooses what comes next: one or several of the declared targets, End and Stop. Each of several begins a
// branch with a state of its own (law G2); one that is named twice begins one. Choosing none is an error: choose End.
type RouteManyFunc[S any] func(ctx node.Context, state S) ([]string, error)

// CatchFunc chooses the target of a failure: a declared target, End or Stop, or "" to fail the run.
type CatchFunc[S any] func(ctx node.Context, state S, cause error) (string, error)

// Builder collects nodes and edges. Its methods may be called in any order; Compile checks all of it, the state's type
// included: what can be kept of it, and the rules by which fields are merged, which their tags declare
// (`merge:"append|edit|union|sum|max|min|first|last"`, law G4; see the package comment).
type Builder[S any] struct {
	def      plan.Definition
	index    map[string]int
	routes   map[string]node.RouteFunc
	many     map[string]node.RouteManyFunc
	catches  map[string]node.CatchFunc
	filters  map[string][]filter
	poolKeys map[string]func(value any) (string, error)
	options  [][]NodeOption // of each node
	defaults []NodeOption
	shared   bool
	problems []error
}

// New begins a graph over states of type S.
func New[S any](name string) *Builder[S] {
	return &Builder[S]{
		def:     plan.Definition{Name: name, Kind: "graph"},
		index:   make(map[string]int),
		routes:  make(map[string]node.RouteFunc),
		many:    make(map[string]node.RouteManyFunc),
		catches: make(map[string]node.CatchFunc),
		filters: make(map[string][]filter),

		poolKeys: make(map[string]func(any) (string, error)),
	}
}

// NodeOption is a policy of one node.
type NodeOption func(*plan.Node)

// Retry tries a node up to attempts times, with an exponential backoff (law F1). The backoff starts at first (0: 100ms)
// and never exceeds a minute.
func Retry(attempts int, first time.Duration) NodeOption {
	return func(n *plan.Node) { n.Retry.Attempts, n.Retry.Backoff = attempts, first }
}

// RetryIf decides which errors are worth another attempt of [Retry]. Without Retry it is never asked. Nor is it asked
// about errors that are marked with node.Terminal or node.RetryAfter. Of an error that a node.Step failed with, it gets
// the text and those marks: an error that it is to find by errors.Is does not come through a step.
func RetryIf(retryable func(error) bool) NodeOption {
	return func(n *plan.Node) { n.Retry.Retryable = retryable }
}

// Jitter lengthens each wait before another attempt by up to this share of it, from 0 to 1. Tasks that failed together
// then do not retry together.
func Jitter(share float64) NodeOption { return func(n *plan.Node) { n.Retry.Jitter = share } }

// Pool puts a node into a pool of fermata.Options.Pools, by name. Its function runs within the pool's limits, which all
// nodes of that pool share in all runs. Without a runtime, in Graph.Run, nothing is limited. See [Builder.PoolKey] for limits
// of each customer.
func Pool(name string) NodeOption { return func(n *plan.Node) { n.Pool = name } }

// Cache lets a node reuse the outcome that it had for an equal state, also in another run (law D13). The version stands
// for everything else that the outcome depends on: the code, a prompt, a model. See plan.Cache; without a runtime, in
// Graph.Run, nothing is kept. A ttl is deprecated: use [CacheFor].
func Cache(version string, ttl ...time.Duration) NodeOption {
	if len(ttl) > 0 {
		return CacheFor(version, ttl[0])
	}
	return CacheFor(version, 0)
}

// CacheFor is [Cache] with a lifetime: outcomes older than ttl are not reused. A ttl of 0 is no limit.
func CacheFor(version string, ttl time.Duration) NodeOption {
	return func(n *plan.Node) { n.Cache = &plan.Cache{Version: version, TTL: ttl} }
}

// Timeout limits each attempt of a node. The attempt's context is cancelled; it fails with fermata.ErrTimeout, and is
// tried again where [Retry] allows it; what the function returns later is dropped (law N11). Time that is spent waiting for people, timers or a pool does not count.
func Timeout(d time.Duration) NodeOption { return func(n *plan.Node) { n.Timeout = d } }

// Idle limits how long an attempt of a node may be silent. It fails with fermata.ErrIdle, and else as with [Timeout] (law
// N11). Signs of life are [node.Heartbeat], every other call of the node's context, and whatever a model sends.
func Idle(d time.Duration) NodeOption { return func(n *plan.Node) { n.Idle = d } }

// Pure says that a node only calculates: it has no effect but its result and its context's calls. A crash can repeat
// its function. Its outcome is stored together with the entries that follow, before the next effect (law J2), so a
// chain of pure nodes costs one write. An effect that is in no step needs node.Sync before it, or a node that is not
// pure.
func Pure() NodeOption { return func(n *plan.Node) { n.Pure = true } }

// Version declares the version of a node's code; it is part of the plan's fingerprint (law J8).
func Version(v string) NodeOption { return func(n *plan.Node) { n.Version = v } }

// Doc describes a node in drawings.
func Doc(text string) NodeOption { return func(n *plan.Node) { n.Doc = text } }

// Human marks a node as one that asks people, for drawings.
func Human() NodeOption { return func(n *plan.Node) { n.Kind = plan.Human } }

// Version declares the version of the whole graph.
func (b *Builder[S]) Version(v string) *Builder[S] {
	b.def.Version = v
	return b
}

// Limits bound every run of the graph; reaching one fails the run (law F4). A graph with a loop that sets no limit of tasks
// may start plan.DefaultTasks while its run never waits; plan.Unlimited is no limit. A node finds what is left in
// node.Context.Info.
func (b *Builder[S]) Limits(l plan.Limits) *Builder[S] {
	b.def.Limits = l
	return b
}

// Node adds a node.
func (b *Builder[S]) Node(name string, f Func[S], opts ...NodeOption) *Builder[S] {
	if f == nil {
		b.problem("node %q has no function", name)
		return b
	}
	n := plan.Node{Name: name, Kind: plan.Task, Run: func(ctx node.Context, in any) (any, error) {
		cell := in.(*S) //nolint:forcetypeassert // the codec makes nothing else
		out, err := f(ctx, *cell)
		if err != nil {
			return onError(cell, out, err)
		}
		*cell = out
		return cell, nil
	}}
	return b.add(n, opts)
}

// onError keeps the state that came with an error, in the cell of the one that was given, unless it is the zero value.
func onError[S any](cell *S, out S, err error) (any, error) {
	given := *cell
	if *cell = out; reflect.ValueOf(cell).Elem().IsZero() {
		*cell = given
		return nil, err
	}
	return cell, err
}

func (b *Builder[S]) add(n plan.Node, opts []NodeOption) *Builder[S] {
	b.options = append(b.options, opts)
	if _, twice := b.index[n.Name]; !twice {
		b.index[n.Name] = len(b.def.Nodes)
	}
	b.def.Nodes = append(b.def.Nodes, n)
	return b
}

// Sub adds a graph over the same state as a node. Its tasks are journaled under the node's name, its questions bubble
// up with that path, and what finished inside is never run again (law G6).
func (b *Builder[S]) Sub(name string, child *Graph[S], opts ...NodeOption) *Builder[S] {
	if child == nil {
		b.problem("subgraph %q is nil", name)
		return b
	}
	return b.add(plan.Node{Name: name, Kind: plan.Sub, Sub: child.plan}, opts)
}

// SubOf adds a graph over another state as a node. in makes the child's input, and out puts the child's result into the
// parent's state. Both are pure functions: they may be called again after a crash.
func SubOf[S, C any](
	b *Builder[S], name string, child *Graph[C], in func(S) (C, error), out func(S, C) (S, error), opts ...NodeOption,
) *Builder[S] {
	if child == nil || in == nil || out == nil {
		b.problem("subgraph %q: a graph and both mappings are needed", name)
		return b
	}
	return b.add(plan.Node{
		Name: name, Kind: plan.Sub, Sub: child.plan,
		In: func(v any) (any, error) {
			c, err := in(*v.(*S)) //nolint:forcetypeassert // the codec makes nothing else
			return &c, err
		},
		Out: func(v, result any) (any, error) {
			s, err := out(*v.(*S), *result.(*C)) //nolint:forcetypeassert // the codecs make nothing else
			return &s, err
		},
	}, opts)
}

// Edge leads from a node to the next one. From Start it says where a run begins, unless [Builder.Route] chooses it; to End it ends the path, as a node
// without edges does. Several targets, of one call or of several, are a fork: each begins a branch, with a copy of the
// state that no other branch sees (law G2). Where branches meet, a node says how: see [Each] and [All].
func (b *Builder[S]) Edge(from string, to ...string) *Builder[S] {
	if len(to) == 0 {
		b.problem("edge from %q: it leads nowhere; name the node that comes next, or End", from)
	}
	for _, to := range to {
		switch {
		case from == Start:
			b.def.Entry = append(b.def.Entry, to)
		case to == Start:
			b.problem("edge %q -> Start: the run starts there and does not come back; name the node", from)
		default:
			b.def.Edges = append(b.def.Edges, plan.Edge{From: from, To: to, Kind: plan.Plain})
		}
	}
	return b
}

func (b *Builder[S]) edges(from string, kind plan.EdgeKind, targets []string) *Builder[S] {
	for _, to := range targets {
		b.def.Edges = append(b.def.Edges, plan.Edge{From: from, To: to, Kind: kind})
	}
	return b
}

// OnDeadline declares where a question of the node may send its run at the deadline; see node.OrRoute.
func (b *Builder[S]) OnDeadline(from, to string) *Builder[S] {
	return b.edges(from, plan.Deadline, []string{to})
}

func (b *Builder[S]) problem(format string, args ...any) {
	b.problems = append(b.problems, fmt.Errorf("graph %q: "+format, append([]any{b.def.Name}, args...)...))
}

// Compile checks the graph and reports every problem that can be found before a run (law G7).
func (b *Builder[S]) Compile() (*Graph[S], error) {
	problems := slices.Clone(b.problems)
	if _, gate := b.index[startGate]; gate && len(b.def.Entry) > 1 {
		problems = append(problems, fmt.Errorf("graph %q: Start has a route and an edge; expected one of them: RouteMany chooses several targets", b.def.Name))
	}
	def := b.def
	def.Nodes = b.configured()
	for _, from := range slices.Sorted(maps.Keys(b.routes)) {
		if i, ok := b.index[from]; ok {
			def.Nodes[i].Route = b.routes[from]
		}
	}
	for _, from := range slices.Sorted(maps.Keys(b.many)) {
		if i, ok := b.index[from]; ok {
			def.Nodes[i].RouteMany = b.many[from]
		}
	}
	for _, from := range slices.Sorted(maps.Keys(b.filters)) {
		if i, ok := b.index[from]; ok && (len(b.filters[from]) > 1 || b.filters[from][0].match != nil) {
			if b.catches[from] != nil {
				problems = append(problems, fmt.Errorf("graph %q: node %q has a Catch and other error edges; let the Catch choose all targets", b.def.Name, from))
			}
			def.Nodes[i].Catch = catchBy(b.filters[from])
		}
	}
	for _, from := range slices.Sorted(maps.Keys(b.catches)) {
		if i, ok := b.index[from]; ok {
			def.Nodes[i].Catch = b.catches[from]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.poolKeys)) {
		if i, ok := b.index[name]; ok {
			def.Nodes[i].PoolKey = b.poolKeys[name]
		} else {
			problems = append(problems, fmt.Errorf("graph %q: PoolKey is about node %q, which the graph does not have; it has %q", b.def.Name, name, slices.Sorted(maps.Keys(b.index))))
		}
	}
	def.State = noCodec{}
	if codec, err := value.For[S](); err != nil {
		problems = append(problems, fmt.Errorf("graph %q: the state: %w", b.def.Name, err))
	} else {
		if b.shared {
			codec = codec.Sharing()
		}
		def.State = codec
	}
	if s, err := schema.For[S](); err == nil {
		def.Output = s.JSON()
	}
	p, err := plan.New(def)
	if err != nil {
		problems = append(problems, err)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return &Graph[S]{plan: p}, nil
}

// noCodec stands in for the codec of a state that cannot be kept, so that the rest of the graph is checked all the same.
type noCodec struct{ plan.Codec }

// MustCompile is Compile for graphs that are known to be right; it panics otherwise.
func (b *Builder[S]) MustCompile() *Graph[S] {
	g, err := b.Compile()
	if err != nil {
		panic(err)
	}
	return g
}
