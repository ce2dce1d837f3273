package plan

import (
	"encoding/json"
	"time"

	"github.com/fermata-go/fermata/node"
)

// KindDataflow is the Definition.Kind of plans whose nodes record named values, and not one state.
const KindDataflow = "dataflow"

// Kind says what a node is for. Drawings and traces show it; the engine runs all kinds alike.
type Kind string

// The kinds of nodes.
const (
	Task   Kind = "task"
	Router Kind = "router" // only chooses
	Human  Kind = "human"  // asks a person
	Sub    Kind = "subgraph"
)

// EdgeKind says when an edge is taken.
type EdgeKind string

// The kinds of edges.
const (
	Plain    EdgeKind = "plain"    // always, after success
	Choice   EdgeKind = "choice"   // when the node's Route names it
	Failure  EdgeKind = "failure"  // after failure: the only one, or the one that the node's Catch names
	Deadline EdgeKind = "deadline" // when a deadline that routes names it
	Undo     EdgeKind = "undo"     // to the node that undoes its tasks, or its steps, where the run ends without success (law F10)
	Data     EdgeKind = "data"     // of a dataflow: carries the value that its label names (law D1)
)

// Edge leads from a node to a node, or to node.End or node.Stop.
type Edge struct {
	From  string   `json:"from"`            // name of a node
	To    string   `json:"to"`              // name of a node, node.End or node.Stop
	Kind  EdgeKind `json:"kind"`            // when it is taken
	Label string   `json:"label,omitempty"` // for drawings: the condition, the value
}

// Limits of tasks.
const (
	DefaultTasks = 10_000 // of a plan with a loop that sets none; see [Limits]
	Unlimited    = -1     // no limit, also with a loop
)

// DefaultConcurrency is how many tasks of a dataflow are at work at once unless it says otherwise.
const DefaultConcurrency = 256

// Limits bound a run; reaching one fails it (law F4). Zero fields do not limit, but for Tasks in a plan with a loop.
type Limits struct {
	// Tasks is how many tasks may start, in the run with all its subgraphs and maps. 0 is no limit in a plan without a
	// loop. In one with a loop it is [DefaultTasks] since the run last waited, where each item of a map counts its own.
	// [Unlimited] is no limit.
	Tasks int           `json:"tasks,omitempty"`
	Time  time.Duration `json:"time,omitempty"` // how long it may be running; waiting for people does not count

	// Within is how long after its start a run may last, waiting included: then it expires (law F9). A start may give an
	// earlier time.
	Within time.Duration `json:"within,omitempty"`

	// Tokens and Cost bound what its calls of models take, those of attempts that failed among them. A call's tokens
	// are known when it is over: the last one may take more than was left. Then no model is asked any more, what runs
	// may end, and no further task starts.
	Tokens int64 `json:"tokens,omitempty"` // read and said, in all
	Cost   int64 `json:"cost,omitempty"`   // micro-dollars; a call without a known cost reaches any limit of cost
}

// Node is a node of a plan. Fields that a node does not need stay zero.
//
// One struct: it is what authors fill in, and its JSON has no nesting.
type Node struct {
	Name    string `json:"name"`              // unique in its graph
	Kind    Kind   `json:"kind"`              // for drawings and checks
	Doc     string `json:"doc,omitempty"`     // for people; "" for none
	Version string `json:"version,omitempty"` // declared by the author; part of the fingerprint
	// Presentation is for drawings and editors: any JSON object, or nil. Drawings show its label beside the
	// name. They use its color: a name of CSS, or # and 3 or 6 hexadecimal digits. Other members are for
	// editors.
	Presentation json.RawMessage `json:"presentation,omitempty"`

	Retry   Retry         `json:"retry,omitzero"`    // after failed attempts
	Timeout time.Duration `json:"timeout,omitempty"` // of one attempt; 0 for none
	Idle    time.Duration `json:"idle,omitempty"`    // how long an attempt may be silent, see node.Heartbeat; 0 for ever
	Pool    string        `json:"pool,omitempty"`    // name of a limit of the runtime's that its function runs within; "" for none
	// PoolKey returns the key under which a task with a value is in Pool: the limits of the pool are those of each key. It
	// only reads the value, may be called again, and returns at most 255 bytes of text. Nil is one key for all.
	PoolKey func(value any) (string, error) `json:"-"`
	Cache   *Cache                          `json:"cache,omitempty"` // how its outcomes are used again; nil for never

	// Pure says that the node's functions have no effect except their result and calls of their context. They
	// may be called again after a crash. A pure node's outcome is stored with what follows, before the next
	// effect, so several in a row cost as much as one. An effect outside of the context's steps comes after
	// [node.Sync].
	Pure bool `json:"-"`

	Run   node.Func      `json:"-"` // nil passes the value on
	Route node.RouteFunc `json:"-"` // non-nil makes the node a gate: it chooses one of its Choice edges
	// RouteMany makes the node a gate that chooses several of its Choice edges, each of which begins a branch.
	RouteMany node.RouteManyFunc `json:"-"`
	Catch     node.CatchFunc     `json:"-"` // chooses among its Failure edges; needed only when there is more than one

	Undoes UndoOf `json:"undoes,omitempty"` // of a node that only Undo edges lead to: what it undoes (law F10); "" for others
	// Unfinished lets a node that undoes tasks also undo those that began and recorded no outcome: they failed for good, or were at
	// work or waited when the run ended. It is given the value that the task was given.
	Unfinished bool `json:"unfinished,omitempty"`

	Join  Join      `json:"join,omitempty"` // what it does where branches meet (law G3)
	Merge MergeFunc `json:"-"`              // how its branches are merged; nil takes the plan's way

	Sub *Plan                                `json:"sub,omitempty"` // a subgraph: Run is nil
	In  func(value any) (any, error)         `json:"-"`             // the subgraph's input; nil hands over a copy of the value
	Out func(value, result any) (any, error) `json:"-"`             // what travels on; nil takes the subgraph's result
	Map *Map                                 `json:"-"`             // runs the subgraph once for each item; In and Out are nil

	Flow *Flow `json:"-"` // its part in a dataflow; nil in other plans
}

// Gate reports whether the node chooses what follows it.
func (n *Node) Gate() bool { return n.Route != nil || n.RouteMany != nil }

// Codec is how a plan's values are kept. Values are erased; only the codec and the author's functions know the type.
type Codec interface {
	// Encode gives the whole value as JSON: equal values give equal bytes, or a cache does not find them (law D13).
	Encode(value any) ([]byte, error)
	// Decode makes a value of its own from JSON.
	Decode(data []byte) (any, error)
	// Copy makes a deep copy (law N9).
	Copy(value any) (any, error)
	// Delta compares value with snapshot, which must be what an earlier Delta (or Decode) returned and is used up by
	// the call. It gives what changed as a delta (see journal.Diff), empty for nothing, and a new snapshot that
	// shares nothing with value that could be changed in place.
	Delta(snapshot, value any) (delta []byte, next any, err error)
	// Merge merges the values of concurrent branches (law G4); see MergeFunc.
	Merge(base any, branches []any) (any, error)
}

// Definition describes a plan. An author's package fills it in, and New compiles it.
//
// One struct: it is what authors fill in, and most fields are independent of the others.
type Definition struct {
	Name    string   // of the plan
	Version string   // declared by the author; part of the fingerprint
	Kind    string   // the author's package: graph, recipe, KindDataflow
	Entry   []string // where tokens start; more than one is a fork
	Nodes   []Node   // in declared order
	Edges   []Edge   // in declared order
	Limits  Limits   // of each run
	State   Codec    // of the values that travel
	Input   []byte   // JSON Schema of the run's input; nil for any
	Output  []byte   // JSON Schema of its result; nil for any
	Doc     string   // for people; "" for none
	// Presentation says how the plan is shown: any JSON object, or nil. It is for editors.
	Presentation json.RawMessage

	// Takes checks the states of a run that is resumed on this plan (law J8). It reports a state that lacks values which
	// the nodes from its place on read. Nil accepts all that State keeps. It may be called concurrently.
	Takes func(all []Standing) *Misfit

	// Labels returns the labels of a run that starts with an input (law J13). Those that the start gives count before them. It
	// owns its argument, and may be called concurrently. Nil for none. It is not part of the fingerprint.
	Labels func(input any) (map[string]string, error)
	// Queue names the queue whose workers take the plan's runs (law J16); "" for the default one. A start may name another. It
	// is no part of the plan's fingerprint.
	Queue string

	// Pools are shared pools that nodes of the plan name, by name: all processes on a store share them, for all plans that
	// name them (law J20). A runtime's own pool of that name counts before one of these, and the pool of a plan before one
	// of its subgraphs. They are no part of the plan's fingerprint.
	Pools map[string]Pool

	// Renamed maps names of earlier plans to names of this one. A run of such a plan is migrated when it is resumed (law
	// J8). Names that the run's plan does not have are ignored. Nil for none. It is not part of the fingerprint.
	Renamed *Migration

	// Merge says how concurrent branches are merged, at joins and where they end; nil leaves it to State (law G4).
	Merge MergeFunc
	// FailFast stops the tasks that are running when another one has failed the run, or the subgraph that this plan is. By default they finish, and their
	// outcomes are kept (law F2).
	FailFast bool
	// Concurrency is how many tasks of a dataflow may be at work at once; see [Dataflow]. 0 is [DefaultConcurrency]. It is not part
	// of the fingerprint, and other plans have none: what they fork, and the limits of their maps, say it.
	Concurrency int

	// Dataflow makes the plan a dataflow: its nodes wait for values, not for tokens. Wire makes it, from the Nodes with
	// their Flow and the choice edges; New adds the edges that follow. Entry is left as it was given to Wire.
	Dataflow *Dataflow

	// Finish turns the last value into the run's result, after the last task; nil keeps the value. It fails the run
	// when it returns an error.
	Finish func(value any) (any, error)
}

// Plan is a compiled workflow. It is immutable: any number of runs and runtimes may share it.
type Plan struct {
	def         Definition     // as it was compiled
	flat        []Flat         // nodes of the plan and its subgraphs
	index       map[string]int // by path: index in flat
	pools       pools          // that nodes name
	fingerprint string         // digest of outline
	outline     []byte         // see Outline
	entries     []int          // indexes of the first nodes in flat
	inside      []int          // indexes of the top-level nodes in flat
	joins       *Joins         // of the top level
	looped      bool           // it, or a subgraph of it, has a loop
	undoes      bool           // see Undoes
}
