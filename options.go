package fermata

import (
	"time"

	"github.com/fermata-go/fermata/internal/fleet"
	"github.com/fermata-go/fermata/internal/policy"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// DefaultTakeovers is the default of WorkOptions.Takeovers. After as many takeovers, a run is set aside.
const DefaultTakeovers = runtype.DefaultTakeovers

// Cache keeps outcomes of nodes that have a plan.Cache (law D13). Its methods may be called from several
// goroutines. It may return expired outcomes: the runtime checks their age by its own Clock. An error is logged
// and costs a call of the node, but fails no run. A panic fails the attempt (law N7). Neither side changes a
// value.
//
//	type Cache interface {
//	    // Get returns a value; ok is false for a miss.
//	    Get(ctx context.Context, key string) (value []byte, ok bool, err error)
//	    // Put stores a value, replacing an earlier one.
//	    Put(ctx context.Context, key string, value []byte, ttl time.Duration) error
//	}
type Cache = runtype.Cache

// DefaultLease is the default of Options.Lease.
const DefaultLease = runtype.DefaultLease

// Options configure a Runtime. The zero value works: runs are kept in memory.
//
//	type Options struct {
//	    // Store keeps the journals.
//	    Store journal.Store
//	    // Logger gets the log for operators.
//	    Logger *slog.Logger
//	    // Observer makes traces and metrics of runs.
//	    Observer Observer
//	    // Services are found by node code with node.Service, by their type or by an interface that exactly one implements.
//	    Services []any
//	    // Plans finds the plan of a run that this runtime has not started itself, when a timer is due or an answer arrives.
//	    Plans func(ctx context.Context, run RunInfo) (*plan.Plan, error)
//	    // Name names this process in the journal as owner of runs.
//	    Name string
//	    // Lease is how long this runtime owns its runs after its last sign of life (law J10).
//	    Lease time.Duration
//	    // Clock tells the time.
//	    Clock Clock
//	    // Pools are the limits that nodes name with plan.Node.Pool, by name.
//	    Pools map[string]Pool
//	    // Cache keeps the outcomes of nodes that have a plan.Cache.
//	    Cache Cache
//	    // MaxValue limits the JSON of one value, in bytes.
//	    MaxValue int
//	    // Sequential, for Evaluate alone, runs one task after the other on the caller's goroutine, including branches and items.
//	    Sequential bool
//	}
type Options = runtype.Options

// Clock is the source of a runtime's time. fermatatest has one that a test moves.
//
//	type Clock interface {
//	    Now() time.Time
//	    // AfterFunc calls f on a goroutine of its own after d, unless stop is called first.
//	    AfterFunc(d time.Duration, f func()) (stop func() bool)
//	}
type Clock = runtype.Clock

// StartOption changes how one run is started.
type StartOption = runtype.StartOption

// WithID sets the run's id; starting it a second time is a conflict, or see Attach. Defaults to a new "run_…". An empty id is
// refused: with a new one, two starts that should be one would be two runs.
func WithID(id string) StartOption { return runtype.WithID(id) }

// WithDurability sets the run's durability. Defaults to Sync.
func WithDurability(d Durability) StartOption { return runtype.WithDurability(d) }

// WithDefinition records the digest of the text that the plan was made from. See Runtime.SaveDefinition.
func WithDefinition(digest string) StartOption { return runtype.WithDefinition(digest) }

// StartedBy records who started the run.
func StartedBy(name string) StartOption { return runtype.StartedBy(name) }

// WithLabel gives the run a label, by which it is found (law J13).
//
// Runtime.FindRuns and `fermata runs ls --label` find it. An empty value gives none. A key has 1 to 63 letters a to z, digits and _ . -, begins with a letter and not with
// "fermata."; a value has at most 255 bytes; a run has 16 labels at most. Anything else fails the start with
// CodeInvalid. Nodes set labels with node.Label.
func WithLabel(key, value string) StartOption { return runtype.WithLabel(key, value) }

// WithLabels gives the run several labels, see WithLabel.
func WithLabels(labels map[string]string) StartOption { return runtype.WithLabels(labels) }

// Until sets the run's deadline (law F9).
//
// At that time, by the store's clock, the run expires, whatever it waits for: its error is ErrExpired with a *LimitError
// in it. Its questions are withdrawn, and what its tasks have finished is kept. Of several deadlines, the earliest counts:
// see Within and plan.Limits.Within. A retry or a fork of a run whose deadline has passed gets as long again.
func Until(t time.Time) StartOption { return runtype.Until(t) }

// Within sets the run's deadline to a time after its start, by the store's clock: see Until. 0 is none.
func Within(d time.Duration) StartOption { return runtype.Within(d) }

// Breaks are the breakpoints of a run: nodes at whose visits it is held (law J19). The nodes are named by their paths, as
// "review", or "inner/review" in a subgraph.
//
//	type Breaks struct {
//	    Before []string // paths of nodes; the run is held before each of their visits
//	    After  []string // paths of nodes; the run is held behind each of their visits
//	}
type Breaks = runtype.Breaks

// BreakBefore holds the run before each visit of some nodes (law J19).
//
// The run is paused there, once each visit, and Result.Hold names the task that begins next. [Runtime.ReleaseRun] lets it go on. A
// node that the plan does not have is CodeInvalid. A run that is not stored has no breakpoints.
func BreakBefore(nodes ...string) StartOption { return runtype.BreakBefore(nodes...) }

// BreakAfter holds the run behind each visit of some nodes, before anything follows from it. See BreakBefore.
func BreakAfter(nodes ...string) StartOption { return runtype.BreakAfter(nodes...) }

// ResumeOption changes how a run is resumed.
type ResumeOption = runtype.ResumeOption

// WithBreaks gives a run that is resumed other breakpoints (law J19). They replace those that it has; the zero value gives none.
func WithBreaks(b Breaks) ResumeOption { return runtype.WithBreaks(b) }

// Queued stores the run and leaves it to a worker. See Runtime.Work.
func Queued() StartOption { return runtype.Queued() }

// InQueue stores the run and leaves it to the workers of a queue (law J16).
//
// They are those whose WorkOptions.Queues name it, and those that name none. Others also leave its timers and answers alone.
// The default queue, of runs that name none, is called "default". A name has at most 255 bytes without commas and spaces.
func InQueue(name string) StartOption { return runtype.InQueue(name) }

// Priority sets how soon workers take the run: the highest first, then the oldest (law J16). Defaults to 0.
func Priority(n int) StartOption { return runtype.Priority(n) }

// RetryOption configures [Runtime.Retry].
type RetryOption = runtype.RetryOption

// RetryUntil gives a run that is retried a new deadline (law F9). One that has passed is CodeInvalid.
func RetryUntil(t time.Time) RetryOption { return runtype.RetryUntil(t) }

// RetryWithin gives a run that is retried a new deadline, d from now by the store's clock (law F9).
func RetryWithin(d time.Duration) RetryOption { return runtype.RetryWithin(d) }

// RetriedBy records who retries the run, or migrates it. Defaults to the name of the runtime ([Options].Name).
func RetriedBy(name string) RetryOption { return runtype.RetriedBy(name) }

// NotBefore stores the run, and no worker takes it before t, by the store's time (laws J12 and J16). A run that is resumed
// by the program does not wait for it.
func NotBefore(t time.Time) StartOption { return runtype.NotBefore(t) }

// Dedup has the run hold a key until it ends, which no other open run of the store holds (law J17).
//
// Starting another run with the key meanwhile is a *DuplicateError, or see Attach. A run that is retried or forked holds it
// no more. A key has at most 255 bytes. It is one for all plans: let it begin with the plan's name where they should differ.
func Dedup(key string) StartOption { return runtype.Dedup(key) }

// Debounce lets the last of several starts with a key begin, some time after it (law J21).
//
// The first start queues a run for workers, which holds the key as by [Dedup] until it begins. Later starts replace its input, its labels and
// its deadline, and return the same run: [Run.Replaced] tells. It begins wait after the last start, and most after the first one at
// the latest; 0 is no limit. Once it has begun or is blocked, and for another version of the plan, the next start queues a run of its own. A
// run that waits with the key, of another plan or of a start with Dedup, is a conflict. WithID, NotBefore, messages and Attach cannot be given
// with it, and it needs a store that is a journal.Leaser: CodeInvalid.
func Debounce(key string, wait, most time.Duration) StartOption {
	return runtype.Debounce(key, wait, most)
}

// Attach returns the run that has the id already, or holds the key of Dedup, if there is one. It is continued as by Resume,
// or followed where another process executes it or it waits for a worker, and one that has ended is left as it is. The
// input and the other options are for a new run alone. A run of another plan is a conflict. Without WithID and Dedup, Start
// fails with CodeInvalid.
func Attach() StartOption { return runtype.Attach() }

// AnswerOption says who answers, and how.
type AnswerOption = runtype.AnswerOption

// AsPerson names the person who answers; it is recorded. A string is the person's id or name, a [Person] also has a
// display name.
func AsPerson[P string | Person](p P) AnswerOption { return runtype.AsPerson(p) }

// AsRole names the roles that the person has. An interrupt that requires another role refuses the answer (law H2).
func AsRole(roles ...string) AnswerOption { return runtype.AsRole(roles...) }

// As names the person who answers.
//
// Deprecated: use AsPerson.
func As(name string) AnswerOption { return AsPerson(name) }

// InRole names the roles that the person has.
//
// Deprecated: use AsRole.
func InRole(roles ...string) AnswerOption { return AsRole(roles...) }

// WithToken presents the interrupt's resume token; a wrong one is refused (law H5).
func WithToken(token string) AnswerOption { return runtype.WithToken(token) }

// WithNote says why, for the record. It is kept beside the answer, claim or release, and is no part of the value. The
// same answer given again does not change it.
func WithNote(note string) AnswerOption { return runtype.WithNote(note) }

// Hold only records the answer: this runtime does not resume the run.
func Hold() AnswerOption { return runtype.Hold() }

// Person is a person who acts on runs. The ID is their identity: it is recorded and compared, by [SamePerson].
// The Name is only displayed.
//
//	type Person struct {
//	    ID   string // their identity
//	    Name string // for display; defaults to the ID
//	}
type Person = runtype.Person

// Assignment names who is asked from now on, and why.
//
//	type Assignment struct {
//	    Person string // id of the one person who may answer; "" for anyone in the role
//	    Name   string // for display, if it is not Person
//	    Role   string // that the question asks for
//	    Note   string // why; for the record
//	}
type Assignment = runtype.Assignment

// Pool is a limit that nodes share by its name, in all runs of a runtime. A node waits for its place before its
// function is called, first come, first served. The wait counts for the run's time limit, but not for the
// node's timeout. The place is released when the function returns, also to wait for a person or a timer; the
// next pass takes a place again. A function that goes on after its timeout keeps its place until it returns.
//
//	type Pool struct {
//	    Concurrent int           // how many functions may run at the same time
//	    Every      time.Duration // average interval between starts
//	    Burst      int           // how many may start at once after a pause
//	    // Shared makes it one pool of all processes on the store, for all that name it (law J20).
//	    Shared bool
//	}
type Pool = runtype.Pool

// Place is a task that has a place in a shared pool, or waits for one (law J20).
//
//	type Place struct {
//	    Pool     string    // the pool
//	    Key      string    // of the part of the pool; "" for a pool without keys
//	    Run      string    // the run of the task
//	    Task     string    // the task, such as "charge#1"
//	    Driver   string    // the process that executes it
//	    Priority int       // of the run
//	    Since    time.Time // when it began to wait
//	    Got      time.Time // when it got its place; the zero time while it waits
//	    Ahead    int       // how many tasks are to get a place before it
//	}
type Place = runtype.Place

// DefaultCacheEntries is the default size of a cache in memory, in outcomes.
const DefaultCacheEntries = policy.DefaultCacheEntries

// NewMemoryCache returns a cache in memory that keeps the most recently used outcomes. With 0 entries it keeps
// DefaultCacheEntries.
func NewMemoryCache(entries int) Cache { return policy.NewMemoryCache(entries) }

// StoreCache is a cache in a journal.Store: outcomes outlive the process, and processes share them.
//
//	// Get implements Cache.
//	func (*StoreCache) Get(ctx context.Context, key string) ([]byte, bool, error)
//
//	// Prune removes expired outcomes, and returns how many.
//	func (*StoreCache) Prune(ctx context.Context) (removed int, err error)
//
//	// Put implements Cache.
//	func (*StoreCache) Put(ctx context.Context, key string, value []byte, ttl time.Duration) error
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
//
//	type WorkOptions struct {
//	    // Concurrency is how many runs are executed before no more are taken.
//	    Concurrency int
//	    // Queues are those whose runs are taken, "default" being that of runs that name none (law J16).
//	    Queues []string
//	    // Every is the interval of queries for runs without an owner, beside notifications.
//	    Every time.Duration
//	    // Takeovers is how often a run is taken over from lost processes without progress before it is set aside.
//	    Takeovers int
//	    // Took is called for every taken run before it is executed.
//	    Took func(run RunInfo)
//	    // Rested is called when an executed run comes to rest.
//	    Rested func(r Result)
//	}
type WorkOptions = fleet.WorkOptions
