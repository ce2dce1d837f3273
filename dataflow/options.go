package dataflow

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
)

// NodeOption changes a node: its policies, and what its values are called.
type NodeOption func(*NodeDef)

// Retry tries a node up to attempts times, with an exponential backoff (law F1). The backoff starts at first (0: 100ms)
// and never exceeds a minute.
func Retry(attempts int, first time.Duration) NodeOption {
	return func(d *NodeDef) { d.node.Retry.Attempts, d.node.Retry.Backoff = attempts, first }
}

// RetryIf says which errors are worth another of the attempts that [Retry] allows.
func RetryIf(retryable func(error) bool) NodeOption {
	return func(d *NodeDef) { d.node.Retry.Retryable = retryable }
}

// Timeout limits each attempt of a node; it fails with fermata.ErrTimeout.
func Timeout(t time.Duration) NodeOption { return func(d *NodeDef) { d.node.Timeout = t } }

// Idle limits how long an attempt of a node may be silent; it fails with fermata.ErrIdle (law N11). Signs of life are
// [node.Heartbeat], every other call of the node's context, and whatever a model sends.
func Idle(t time.Duration) NodeOption { return func(d *NodeDef) { d.node.Idle = t } }

// Pool puts a node into a pool of the runtime's, fermata.Options.Pools.
func Pool(name string) NodeOption { return func(d *NodeDef) { d.node.Pool = name } }

// PoolKey says under which key a node is in its [Pool]. The pool's limits are those of each key, such as 4 tasks at once for
// each customer. The function only reads the node's inputs, whose type it takes. It may be called again, and returns at most 255
// bytes of text without control characters; another key fails the attempt.
func PoolKey[In any](key func(in In) string) NodeOption {
	return func(d *NodeDef) {
		if of := reflect.TypeFor[In](); key == nil || d.in.typ == nil || of.Kind() != reflect.Struct || !d.in.typ.ConvertibleTo(of) {
			d.errs = append(d.errs, fmt.Errorf("its PoolKey takes %s, expected a function of its inputs, %v", of, d.in.typ))
			return
		}
		d.node.PoolKey = func(v any) (string, error) { return key(*value.As[In](v)), nil }
	}
}

// Cache lets a node reuse the outcome that it had for equal inputs, also in another run (law D13). The version stands
// for everything else that the outcome depends on: the code, a prompt, a model. A cached gate repeats its decision.
func Cache(version string) NodeOption { return CacheFor(version, 0) }

// CacheFor is [Cache] with a lifetime: outcomes older than ttl are not reused. A ttl of 0 is no limit.
func CacheFor(version string, ttl time.Duration) NodeOption {
	return func(d *NodeDef) {
		d.node.Cache, d.never = &plan.Cache{Version: version, TTL: ttl}, true
	}
}

// NoCache keeps a node out of [CacheAll].
func NoCache() NodeOption { return func(d *NodeDef) { d.node.Cache, d.never = nil, true } }

// Version declares the version of a node's code; it is part of the plan's fingerprint (law J8).
func Version(v string) NodeOption { return func(d *NodeDef) { d.node.Version = v } }

// Doc describes a node in drawings.
func Doc(text string) NodeOption { return func(d *NodeDef) { d.node.Doc = text } }

// Fallback is what a gate chooses when its function chooses "", or nothing.
func Fallback[T Target](target T) NodeOption {
	to := targetName(target)
	return func(d *NodeDef) {
		route, many := d.route, d.many
		if route == nil && many == nil {
			d.errs = append(d.errs, errors.New("it has a fallback and is no gate"))
			return
		}
		found := false
		for _, t := range d.targets {
			found = found || t == to
		}
		if !found {
			d.targets = append(slices.Clip(d.targets), to)
			if d.labels != nil {
				d.labels = append(slices.Clip(d.labels), "")
			}
		}
		if route != nil {
			d.route = func(ctx node.Context, v any) (string, error) {
				choice, err := route(ctx, v)
				if choice == "" && err == nil {
					choice = to
				}
				return choice, err
			}
		}
		if many != nil {
			d.many = func(ctx node.Context, v any) ([]string, error) {
				choices, err := many(ctx, v)
				if len(choices) == 0 && err == nil {
					choices = []string{to}
				}
				return choices, err
			}
		}
	}
}

// RenameInput lets a node read another value: what it calls from is what the graph calls to.
func RenameInput(from, to string) NodeOption {
	return func(d *NodeDef) { d.in = d.rename(d.in, "input", from, to) }
}

// RenameOutput lets a node write another value: what it calls from is what the graph calls to.
func RenameOutput(from, to string) NodeOption {
	return func(d *NodeDef) { d.out = d.rename(d.out, "output", from, to) }
}

// Rename gives a node another name.
func Rename(name string) NodeOption { return func(d *NodeDef) { d.node.Name = name } }

func (d *NodeDef) rename(s shape, what, from, to string) shape {
	i := s.find(from)
	if i < 0 {
		d.errs = append(d.errs, fmt.Errorf("it has no %s %q to be renamed%s", what, from, hint(from, s.names())))
		return s
	}
	if fault := nameFault(to); fault != "" {
		d.errs = append(d.errs, fmt.Errorf("the name %q of a value %s", to, fault))
	}
	s.ports = append([]port(nil), s.ports...)
	s.ports[i].name = to
	return s
}

// Option changes a graph.
type Option func(*builder)

func (o Option) addTo(b *builder) { o(b) }

// Limits bound every run of the graph; reaching one fails the run (law F4). A graph with a loop that sets no limit of tasks
// may start plan.DefaultTasks while its run never waits; plan.Unlimited is no limit.
func Limits(l plan.Limits) Option { return func(b *builder) { b.limits = l } }

// GraphVersion declares the version of the whole graph.
func GraphVersion(v string) Option { return func(b *builder) { b.version = v } }

// Bind gives inputs values that stand in for those that a run is not given. They come before defaults (law D10).
func Bind(v Values) Option {
	return func(b *builder) {
		if b.bound == nil {
			b.bound = make(Values)
		}
		maps.Copy(b.bound, v)
	}
}

// Select limits the graph's outputs to these values and omits the nodes that they do not need.
func Select(outputs ...string) Option { return func(b *builder) { b.selected = outputs } }

// Local keeps values inside of the graph: they are neither inputs nor outputs of it. It is for what a loop counts or collects
// for itself; each run of the graph, and each visit of a node that it is, begins with the default.
func Local(names ...string) Option { return func(b *builder) { b.local = append(b.local, names...) } }

// Entry lets runs start at these nodes (law D10). Earlier nodes do not run, and the run provides their outputs. In a
// loop, an entry that a gate chooses is where its rounds begin (law D4).
func Entry(nodes ...string) Option { return func(b *builder) { b.entry = nodes } }

// CacheAll caches every node that does not say otherwise, gates aside, under one version; see [Cache].
func CacheAll(version string) Option { return func(b *builder) { b.cacheAll = version } }

// Immutable promises that no node changes its inputs in place. Lists, maps and pointed-to values are then shared and
// not copied.
func Immutable() Option { return func(b *builder) { b.immutable = true } }

// FailFast stops the tasks that are at work when another one has failed the run (law F2). In a graph that is a node, it stops
// those inside it when the node has failed.
func FailFast() Option { return func(b *builder) { b.failFast = true } }

// Concurrency lets at most n tasks of the graph be at work at once. 0, the default, is plan.DefaultConcurrency. Further ones begin
// as these end, in declared order. A task that waits for people, messages, a time or another attempt counts no more (law H3), so
// it may be n and those whose waits are over. Graphs that are nodes count as one task each, and the tasks inside have the limit of
// their own graph; the items of a map have [Limit] beside it. The limit is of each run; that of a process is a [Pool].
func Concurrency(n int) Option { return func(b *builder) { b.atOnce = n } }
