package fermata

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Options configure a Runtime. The zero value works: runs are kept in memory.
type Options struct {
	// Store keeps the journals. Defaults to a store in memory, which the runtime then owns and closes.
	Store journal.Store
	// Logger gets what operators want to know: at level info what happens to runs, at level debug what happens to
	// tasks, each line once (law N4), with the attributes run, task and attempt. Defaults to discarding it.
	Logger *slog.Logger
	// Observer makes traces and metrics of runs. Defaults to none, which costs nothing.
	Observer Observer
	// Services are found by node code with node.Service, by their type (or an interface that exactly one has).
	Services []any
	// Plans finds the plan of a run that this runtime has not started itself: when a timer of an old run is due, or an
	// answer wakes it. Without it such runs wait for Resume. A panic of it is an error of it (law N7).
	Plans func(ctx context.Context, run RunInfo) (*plan.Plan, error)
	// Name says who drives, in the journal. One that would act on a terminal is CodeInvalid (law H9). Defaults to "".
	Name string
	// Lease is how long others leave the runs alone that this runtime drives, once it does not say any more that it
	// lives (law J10); it says so three times as often, with one write for all its runs. It needs a store that is a
	// journal.Leaser. Defaults to DefaultLease; negative for none: then others may take its runs at any time.
	Lease time.Duration
	// Clock tells the time. Defaults to the store's where that is a journal.Clock, and else to the machine's (law J12).
	Clock Clock
	// Pools are the limits that nodes name with plan.Node.Pool, by name. A plan that names another one is refused.
	Pools map[string]Pool
	// Cache keeps the outcomes of nodes that have a plan.Cache. Defaults to one in memory of the last
	// DefaultCacheEntries; see NewStoreCache for one that outlives the process.
	Cache Cache
	// MaxValue is how much JSON one value may take, in bytes: a state, an output, the result of a step, a question or an answer, a
	// reply of a model. One that takes more is refused where it is made, with node.ErrNotStorable and the path of what is so
	// large (law N8). Defaults to 64 MiB. A store may take less in one append:
	// for Redis, set 16 MiB.
	MaxValue int
	// Sequential, for Evaluate alone, runs one task after the other in the caller's goroutine, branches and items too.
	Sequential bool

	processClock processClock // nil: that of the process; of tests, one that is wrong
}

// maxValue is MaxValue, or what it defaults to.
func (o *Options) maxValue() int {
	if o.MaxValue > 0 {
		return o.MaxValue
	}
	return canonical.MostBytes
}

// Clock is where the runtime gets the time from. fermatatest has one that stands still.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in a goroutine of its own once d has passed, unless stop is called before.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// Durability says what a run's journal is worth (law J2).
type Durability = journal.Durability

// The durabilities of a run.
const (
	Sync  = journal.Sync  // every fact is stored before anything follows from it
	Async = journal.Async // facts are stored in order, within the store's bound
	None  = journal.None  // nothing is stored: the run ends with the process, and cannot wait for people
)

// StartOption changes how one run is started.
type StartOption func(*startOptions)

type startOptions struct {
	id         string
	durability Durability
	definition string
	by         string
	labels     map[string]string
	queued     bool
}

// WithID gives the run an id of the caller's; starting it a second time is a conflict. Defaults to a new "run_…".
func WithID(id string) StartOption { return func(o *startOptions) { o.id = id } }

// longestID is how long the id of a run may be: it is part of addresses, names of files and keys of stores.
const longestID = 512

// check refuses names that would act on a terminal, in a log or in a drawing that shows them (law H9), and labels that are too
// large (law N8).
func (o *startOptions) check(limit int) error {
	if over := canonical.Measure(reflect.ValueOf(o.labels), limit); over != nil {
		return &Error{Code: CodeInvalid, Err: fmt.Errorf("labels: %w", notStorable(over))}
	}
	if len(o.id) > longestID {
		return &Error{Code: CodeInvalid, Err: fmt.Errorf("the run's id has %d bytes; expected %d at most", len(o.id), longestID)}
	}
	err := errors.Join(printable.Check("the run's id", o.id), printable.Check("who starts the run", o.by))
	for _, name := range slices.Sorted(maps.Keys(o.labels)) {
		err = errors.Join(err, printable.Check("the name of a label", name)) // values are escaped where they are shown
	}
	if err != nil {
		return &Error{Code: CodeInvalid, Err: err}
	}
	return nil
}

// WithDurability sets the run's durability. Defaults to Sync.
func WithDurability(d Durability) StartOption { return func(o *startOptions) { o.durability = d } }

// WithDefinition records the digest of the text that the plan was made from; see Runtime.SaveDefinition.
func WithDefinition(digest string) StartOption {
	return func(o *startOptions) { o.definition = digest }
}

// StartedBy records who started the run.
func StartedBy(name string) StartOption { return func(o *startOptions) { o.by = name } }

// WithLabels records labels of the caller's with the run.
func WithLabels(labels map[string]string) StartOption {
	return func(o *startOptions) { o.labels = labels }
}

// Queued stores the run and does not drive it: that is left to a worker, see Runtime.Work.
func Queued() StartOption { return func(o *startOptions) { o.queued = true } }

// AnswerOption says who answers, and how.
type AnswerOption func(*answerOptions)

type answerOptions struct {
	by    string
	name  string // what they are called, where that is not by
	roles []string
	token string
	hold  bool
}

func optionsOf(opts []AnswerOption, first ...AnswerOption) (o answerOptions) {
	for _, opt := range first {
		opt(&o)
	}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// roleFor is the role in which a question is answered: the one that it asks for.
func (o *answerOptions) roleFor(q *journal.Interrupt) string {
	switch {
	case q.Role != "":
		return q.Role
	case len(o.roles) == 1:
		return o.roles[0]
	}
	return ""
}

// As says who answers, by their id or name; it is recorded. See [AsPerson] for people who are called otherwise.
func As(name string) AnswerOption { return func(o *answerOptions) { o.by, o.name = name, "" } }

// InRole says in which role, or in which roles; an interrupt that requires a role refuses others (law H2).
func InRole(roles ...string) AnswerOption { return func(o *answerOptions) { o.roles = roles } }

// WithToken presents the interrupt's resume token; a wrong one is refused (law H5).
func WithToken(token string) AnswerOption { return func(o *answerOptions) { o.token = token } }

// Hold only records the answer: this runtime does not drive the run on.
func Hold() AnswerOption { return func(o *answerOptions) { o.hold = true } }
