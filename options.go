package fermata

import (
	"github.com/fermata-go/fermata/internal/fleet"
	"github.com/fermata-go/fermata/internal/policy"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// DefaultTakeovers is the default of WorkOptions.Takeovers: how often a run is taken over before it is set
// aside.
const DefaultTakeovers = runtype.DefaultTakeovers

// Cache keeps outcomes of nodes that have a plan.Cache (law D13). Its methods may be called from several
// goroutines. It may return expired outcomes: the runtime checks their age by its own Clock. An error is logged
// and costs a call of the node, but fails no run. A panic fails the attempt (law N7). Neither side changes a
// value.
type Cache = runtype.Cache

// DefaultLease is the default of Options.Lease.
const DefaultLease = runtype.DefaultLease

// Options configure a Runtime. The zero value works: runs are kept in memory.
type Options = runtype.Options

// Clock is the source of a runtime's time. fermatatest has one that a test moves.
type Clock = runtype.Clock

// StartOption changes how one run is started.
type StartOption = runtype.StartOption

// WithID sets the run's id; starting it a second time is a conflict. Defaults to a new "run_…".
func WithID(id string) StartOption { return runtype.WithID(id) }

// WithDurability sets the run's durability. Defaults to Sync.
func WithDurability(d Durability) StartOption { return runtype.WithDurability(d) }

// WithDefinition records the digest of the text that the plan was made from. See Runtime.SaveDefinition.
func WithDefinition(digest string) StartOption { return runtype.WithDefinition(digest) }

// StartedBy records who started the run.
func StartedBy(name string) StartOption { return runtype.StartedBy(name) }

// WithLabels records labels of the caller's with the run.
func WithLabels(labels map[string]string) StartOption { return runtype.WithLabels(labels) }

// Queued stores the run and leaves it to a worker. See Runtime.Work.
func Queued() StartOption { return runtype.Queued() }

// AnswerOption says who answers, and how.
type AnswerOption = runtype.AnswerOption

// As names the person who answers, by id or name; it is recorded. [AsPerson] also sets a display name.
func As(name string) AnswerOption { return runtype.As(name) }

// InRole names the roles that the person is in. An interrupt that requires another role refuses the answer (law
// H2).
func InRole(roles ...string) AnswerOption { return runtype.InRole(roles...) }

// WithToken presents the interrupt's resume token; a wrong one is refused (law H5).
func WithToken(token string) AnswerOption { return runtype.WithToken(token) }

// Hold only records the answer: this runtime does not resume the run.
func Hold() AnswerOption { return runtype.Hold() }

// Person is a person who acts on runs. The ID is their identity: it is recorded and compared, by [SamePerson].
// The Name is only displayed.
type Person = runtype.Person

// AsPerson is [As] with a display name.
func AsPerson(p Person) AnswerOption { return runtype.AsPerson(p) }

// Assignment names who is asked from now on, and why.
type Assignment = runtype.Assignment

// Pool is a limit that nodes share by its name, in all runs of a runtime. A node waits for its place before its
// function is called, first come, first served. The wait counts for the run's time limit, but not for the
// node's timeout. The place is released when the function returns, also to wait for a person or a timer; the
// next pass takes a place again. A function that goes on after its timeout keeps its place until it returns.
type Pool = runtype.Pool

// DefaultCacheEntries is the default size of a cache in memory, in outcomes.
const DefaultCacheEntries = policy.DefaultCacheEntries

// NewMemoryCache returns a cache in memory that keeps the most recently used outcomes (0: DefaultCacheEntries).
func NewMemoryCache(entries int) Cache { return policy.NewMemoryCache(entries) }

// StoreCache is a cache in a journal.Store: outcomes outlive the process, and processes share them.
type StoreCache = policy.StoreCache

// NewStoreCache returns a cache in a store. Each outcome is a journal of its own, which no listing of runs
// shows. The clock decides about expiry; it should be the runtime's. Nil is the system's.
func NewStoreCache(store journal.Store, clock Clock) *StoreCache {
	return policy.NewStoreCache(store, clock)
}

// SamePerson reports whether two ids or names belong to one person. Answers, claims and assignments all use
// this rule (laws H2, H6 and H7). It compares by Unicode's NFKC_Casefold, without invisible characters. Case,
// the dot of an i and the amount of white space do not matter. Letters that only look alike differ. A blank
// name is nobody's, so it equals no other.
func SamePerson(a, b string) bool { return question.SamePerson(a, b) }

// WorkOptions configure Work. The zero value works.
type WorkOptions = fleet.WorkOptions
