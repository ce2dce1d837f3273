package runtype

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
	"github.com/fermata-go/fermata/internal/label"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Options configure a Runtime. The zero value works: runs are kept in memory.
type Options struct {
	// Store keeps the journals. Defaults to a store in memory, which the runtime then owns and closes.
	Store journal.Store
	// Logger gets the log for operators: runs at level info, tasks at level debug, each event once (law N4).
	// Lines have the attributes run, task and attempt. Defaults to discarding it.
	Logger *slog.Logger
	// Observer makes traces and metrics of runs. Defaults to none, which costs nothing.
	Observer Observer
	// Services are found by node code with node.Service, by their type or by an interface that exactly one
	// implements.
	Services []any
	// Plans finds the plan of a run that this runtime has not started itself, when a timer is due or an answer
	// arrives. Without it such runs wait for Resume. A panic counts as an error (law N7).
	Plans func(ctx context.Context, run RunInfo) (*plan.Plan, error)
	// Name names this process in the journal as owner of runs. A name with control characters is CodeInvalid
	// (law H9). Defaults to "".
	Name string
	// Lease is how long this runtime owns its runs after its last sign of life (law J10). It renews the lease
	// three times as often, with one write for all its runs. It needs a store that is a journal.Leaser. Less than a
	// second is CodeInvalid, unless Clock is set: with less, slow moments of a store make runs blocked.
	// Defaults to DefaultLease. Negative turns leases off: other processes may take its runs at any time.
	Lease time.Duration
	// Clock tells the time. Defaults to the store's if that is a journal.Clock, else to the machine's (law
	// J12).
	Clock Clock
	// Pools are the limits that nodes name with plan.Node.Pool, by name. A plan that names an unknown pool is
	// refused.
	Pools map[string]Pool
	// Cache keeps the outcomes of nodes that have a plan.Cache. Defaults to one in memory with
	// DefaultCacheEntries. NewStoreCache makes one that outlives the process.
	Cache Cache
	// MaxValue limits the JSON of one value, in bytes: a state, an output, a step's result, a question, an
	// answer, a model's reply. A larger one is refused where it is made, with node.ErrNotStorable and the path
	// of the large part (law N8). Defaults to 64 MiB. A store may take less in one append: for Redis, set 16
	// MiB.
	MaxValue int
	// Sequential, for Evaluate alone, runs one task after the other on the caller's goroutine, including
	// branches and items.
	Sequential bool

	processClock ProcessClock // for tests; nil for the process's own
}

// ValueLimit returns MaxValue or its default.
func ValueLimit(o *Options) int {
	if o.MaxValue > 0 {
		return o.MaxValue
	}
	return canonical.MostBytes
}

// WithProcessClock returns options with a test's clock of the process: time of day and time passed.
func WithProcessClock(o Options, c ProcessClock) Options {
	o.processClock = c
	return o
}

// ProcessClockOf returns the clock that a test has set; nil for the process's own.
func ProcessClockOf(o *Options) ProcessClock { return o.processClock }

// Clock is the source of a runtime's time. fermatatest has one that a test moves.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f on a goroutine of its own after d, unless stop is called first.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// Durability says when a run's journal entries are stored (law J2).
type Durability = journal.Durability

// The durabilities of a run.
const (
	Sync  = journal.Sync  // each entry is stored before anything follows from it
	Async = journal.Async // entries are stored in order, within the store's bound
	None  = journal.None  // nothing is stored: the run ends with the process, and cannot wait for people
)

// StartOption changes how one run is started.
type StartOption func(*StartOptions)

// StartOptions holds the settings made by StartOption functions.
//
// One struct: each field is an option of one call, and they are checked together.
type StartOptions struct {
	ID         string            // of the run; "" for a new one
	Named      bool              // the caller gave the id
	Durability Durability        // defaults to Sync
	Definition string            // digest of the plan's text; "" for none
	By         string            // who started the run; "" for nobody named
	Labels     map[string]string // that the run is found by
	Queued     bool              // leave the run to a worker
	InQueue    bool              // the caller gave the queue
	Attach     bool              // continue the run that has the id already
	Messages   []Posted          // that the run finds at its start
	Until      time.Time         // when the run expires; the zero time for never
	Within     time.Duration     // after which the run expires; 0 for never
	Schedule   string            // that the run is an occurrence of; "" for none
	Breaks     Breaks            // where the run is held by itself
	Debounce   Debouncing        // of starts with one key, the last one's input begins

	journal.Turn // which worker takes the run, and when
}

// StartOptionsOf applies the options in order.
func StartOptionsOf(opts []StartOption) StartOptions {
	if len(opts) == 0 {
		return StartOptions{}
	}
	o := new(StartOptions)
	for _, opt := range opts {
		opt(o)
	}
	return *o
}

// WithID sets the run's id; starting it a second time is a conflict. Defaults to a new "run_…".
// An empty id is refused: with a new one, two starts that should be one would be two runs.
func WithID(id string) StartOption { return func(o *StartOptions) { o.ID, o.Named = id, true } }

// longestID limits a run's id, in bytes. Ids are part of addresses, file names and store keys.
const longestID = 512

// Check refuses names with control characters (law H9) and labels that a run cannot have (law J13).
func (o *StartOptions) Check(limit int) error {
	if len(o.ID) > longestID {
		return &Error{Code: CodeInvalid, Err: fmt.Errorf("the run's id has %d bytes; expected %d at most", len(o.ID), longestID)}
	}
	err := errors.Join(printable.Check("the run's id", o.ID), printable.Check("who starts the run", o.By), o.checkTurn(), o.checkDebounce())
	if o.Schedule != "" {
		err = errors.Join(err, label.Check(ScheduleLabel, o.Schedule))
	}
	if o.Within < 0 {
		err = errors.Join(err, fmt.Errorf("the run expires %s after its start; expected a time that is not negative, or 0 for never", o.Within))
	}
	if len(o.Labels) > 0 {
		err = errors.Join(checkLabels(o.Labels, limit), err)
	}
	if err != nil {
		return &Error{Code: CodeInvalid, Err: err}
	}
	return nil
}

// checkLabels refuses labels that a run cannot have (law J13). Values are escaped where they are shown.
func checkLabels(labels map[string]string, limit int) (err error) {
	if over := canonical.Measure(reflect.ValueOf(labels), limit); over != nil {
		return fmt.Errorf("labels: %w", NotStorable(over)) // law N8
	}
	if n := len(labels); n > journal.MaxLabels {
		err = fmt.Errorf("%d labels; a run has %d at most", n, journal.MaxLabels)
	}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		err = errors.Join(err, label.Given(key, labels[key]))
	}
	return err
}

// WithDurability sets the run's durability. Defaults to Sync.
func WithDurability(d Durability) StartOption { return func(o *StartOptions) { o.Durability = d } }

// WithDefinition records the digest of the text that the plan was made from. See Runtime.SaveDefinition.
func WithDefinition(digest string) StartOption {
	return func(o *StartOptions) { o.Definition = digest }
}

// StartedBy records who started the run.
func StartedBy(name string) StartOption { return func(o *StartOptions) { o.By = name } }

// Until sets the run's deadline: at that time it expires, whatever it waits for (law F9).
func Until(t time.Time) StartOption { return func(o *StartOptions) { o.Until = t } }

// Within sets the run's deadline to a time after its start, by the store's clock (law F9).
func Within(d time.Duration) StartOption { return func(o *StartOptions) { o.Within = d } }

// ScheduleLabel is the label of runs that a schedule starts: its name.
const ScheduleLabel = label.Own + "schedule"

// OfSchedule labels the run as an occurrence of a schedule.
func OfSchedule(name string) StartOption { return func(o *StartOptions) { o.Schedule = name } }

// SetDeadline notes the deadline of a run that starts now, if it has one (law F9). It is the earliest of those of its start
// and its plan. One of its start that has passed is refused.
func (o *StartOptions) SetDeadline(body *journal.StartedBody, now int64, limits plan.Limits) error {
	if t := o.Until.UnixMicro(); !o.Until.IsZero() && t <= now {
		return PastDeadline(t, now)
	}
	var until int64
	for _, d := range []time.Duration{o.Within, limits.Within} {
		if d > 0 && (until == 0 || now+d.Microseconds() < until) {
			until = now + d.Microseconds()
		}
	}
	if t := o.Until.UnixMicro(); !o.Until.IsZero() && (until == 0 || t < until) {
		until = t
	}
	if until != 0 {
		body.Until, body.Within = until, max(until-now, 0)
	}
	return nil
}

// PastDeadline refuses a deadline that is not ahead; the times are in microseconds.
func PastDeadline(until, now int64) error {
	show := func(at int64) string { return time.UnixMicro(at).UTC().Format(time.RFC3339) }
	return fmt.Errorf("the deadline %s has passed: by the store's clock it is %s; expected a later time", show(until), show(now))
}

// RetryOptions configure a retry.
type RetryOptions struct {
	Until  time.Time     // a new deadline; the zero time for none
	Within time.Duration // likewise, from now; 0 for none
	By     string        // who retries; "" for the runtime's own name
}

// RetryOption configures a retry.
type RetryOption func(*RetryOptions)

// RetryUntil gives the run a new deadline (law F9).
func RetryUntil(t time.Time) RetryOption { return func(o *RetryOptions) { o.Until = t } }

// RetryWithin gives the run a new deadline, from now on by the store's clock (law F9).
func RetryWithin(d time.Duration) RetryOption { return func(o *RetryOptions) { o.Within = d } }

// RetriedBy records who retries the run, or migrates it.
func RetriedBy(name string) RetryOption { return func(o *RetryOptions) { o.By = name } }

// WhoRetries returns who retries, "" for nobody named.
func WhoRetries(opts []RetryOption) string {
	var o RetryOptions
	for _, opt := range opts {
		opt(&o)
	}
	return o.By
}

// Deadline returns the new deadline of a retry, the earliest, in microseconds; 0 for none.
func Deadline(opts []RetryOption, now int64) (until int64) {
	var o RetryOptions
	for _, opt := range opts {
		opt(&o)
	}
	if !o.Until.IsZero() {
		until = max(o.Until.UnixMicro(), 1)
	}
	if d := now + o.Within.Microseconds(); o.Within != 0 && (until == 0 || d < until) {
		until = d
	}
	return until
}

// WithLabels gives the run labels, beside those that it has been given before (law J13).
func WithLabels(labels map[string]string) StartOption {
	return func(o *StartOptions) {
		for key, value := range labels {
			WithLabel(key, value)(o)
		}
	}
}

// WithLabel gives the run a label; an empty value gives none (law J13).
func WithLabel(key, value string) StartOption {
	return func(o *StartOptions) {
		labels := maps.Clone(o.Labels)
		if labels == nil {
			labels = make(map[string]string)
		}
		labels[key] = value
		o.Labels = labels
	}
}

// Queued stores the run and leaves it to a worker. See Runtime.Work.
func Queued() StartOption { return func(o *StartOptions) { o.Queued = true } }

// InQueue stores the run and leaves it to the workers of a queue (law J16).
func InQueue(name string) StartOption {
	return func(o *StartOptions) { o.Queued, o.InQueue, o.Queue = true, true, journal.QueueNamed(name) }
}

// Priority sets how soon workers take the run (law J16).
func Priority(n int) StartOption { return func(o *StartOptions) { o.Priority = n } }

// NotBefore stores the run and leaves it to workers, from a time on (law J16).
func NotBefore(t time.Time) StartOption {
	return func(o *StartOptions) {
		if o.Queued = true; !t.IsZero() {
			o.NotBefore = max(t.UnixMicro(), 1)
		}
	}
}

// Dedup has the run hold a key until it ends (law J17).
func Dedup(key string) StartOption { return func(o *StartOptions) { o.Turn.Dedup = key } }

// longestKey limits deduplication keys, in bytes.
const longestKey = 255

// checkTurn refuses turns that no run can have.
func (o *StartOptions) checkTurn() error {
	if n := o.Priority; n != int(int32(n)) {
		return fmt.Errorf("priority %d: expected one of 32 bits", n)
	}
	if n := len(o.Turn.Dedup); n > longestKey {
		return fmt.Errorf("the deduplication key has %d bytes; expected %d at most", n, longestKey)
	}
	return errors.Join(journal.CheckQueue(o.Queue), printable.Check("the deduplication key", o.Turn.Dedup))
}

// Attach continues the run that has the id already, if it is of the same plan.
func Attach() StartOption { return func(o *StartOptions) { o.Attach = true } }

// AnswerOption says who answers, and how.
type AnswerOption func(*AnswerOptions)

// AnswerOptions holds the settings made by AnswerOption functions.
type AnswerOptions struct {
	By    string   // id of the person
	Name  string   // display name, if it is not By
	Roles []string // that the person is in
	Token string   // resume token; "" for none
	Note  string   // why, for the record
	Hold  bool     // do not resume the run
}

// OptionsOf applies the options in order, those of first before those of opts.
func OptionsOf(opts []AnswerOption, first ...AnswerOption) *AnswerOptions {
	o := new(AnswerOptions)
	for _, opt := range first {
		opt(o)
	}
	for _, opt := range opts {
		opt(o)
	}
	return o
}

// RoleFor returns the role in which a question is answered: the one that it asks for.
func (o *AnswerOptions) RoleFor(q *journal.Interrupt) string {
	switch {
	case q.Role != "":
		return q.Role
	case len(o.Roles) == 1:
		return o.Roles[0]
	}
	return ""
}

// AsRole names the roles that the person has. An interrupt that requires another role refuses the answer (law H2).
func AsRole(roles ...string) AnswerOption { return func(o *AnswerOptions) { o.Roles = roles } }

// WithToken presents the interrupt's resume token; a wrong one is refused (law H5).
func WithToken(token string) AnswerOption { return func(o *AnswerOptions) { o.Token = token } }

// WithNote says why, for the record. It is kept beside the answer, claim or release, and is no part of the value.
func WithNote(note string) AnswerOption { return func(o *AnswerOptions) { o.Note = note } }

// Hold only records the answer: this runtime does not resume the run.
func Hold() AnswerOption { return func(o *AnswerOptions) { o.Hold = true } }

// ProcessClock returns the time of day, which may be set, and the monotonic time that has passed.
type ProcessClock func() (wall time.Time, passed time.Duration)

// Cache keeps outcomes of nodes that have a plan.Cache (law D13). Its methods may be called from several
// goroutines. It may return expired outcomes: the runtime checks their age by its own Clock. An error is logged
// and costs a call of the node, but fails no run. A panic fails the attempt (law N7). Neither side changes a
// value.
type Cache interface {
	// Get returns a value; ok is false for a miss.
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	// Put stores a value, replacing an earlier one. It is not read after the ttl; 0 is for ever.
	Put(ctx context.Context, key string, value []byte, ttl time.Duration) error
}

// Pool is a limit that nodes share by its name, in all runs of a runtime. A node waits for its place before its
// function is called, first come, first served. The wait counts for the run's time limit, but not for the
// node's timeout. The place is released when the function returns, also to wait for a person or a timer; the
// next pass takes a place again. A function that goes on after its timeout keeps its place until it returns.
// A node with a key (plan.Node.PoolKey) is limited with the nodes that have the same key, and no others.
//
// Without Shared a pool limits one runtime: it is not stored, and other processes have pools of their own. The zero value
// limits nothing.
type Pool struct {
	Concurrent int           // how many functions may run at the same time. Defaults to no limit
	Every      time.Duration // average interval between starts: time.Second/50 is 50 a second. Defaults to no limit
	Burst      int           // how many may start at once after a pause. Defaults to 1
	// Shared makes it one pool of all processes on the store, for all that name it (law J20). Tasks wait in the order of
	// their runs' priorities, and of one priority first come, first served. Each place costs two writes of the store. It
	// needs leases, a store that is a journal.Leaser and a journal.Swapper, and a Concurrent of at most 1,000. All
	// processes should have the same limits: each heeds its own.
	Shared bool
}

// Place is a task that has a place in a shared pool, or waits for one (law J20).
type Place struct {
	Pool     string    `json:"pool"`               // the pool
	Key      string    `json:"key,omitempty"`      // of the part of the pool; "" for a pool without keys
	Run      string    `json:"run"`                // the run of the task
	Task     string    `json:"task"`               // the task, such as "charge#1"
	Driver   string    `json:"driver"`             // the process that executes it
	Priority int       `json:"priority,omitempty"` // of the run
	Since    time.Time `json:"since"`              // when it began to wait
	Got      time.Time `json:"got,omitzero"`       // when it got its place; the zero time while it waits
	Ahead    int       `json:"ahead,omitempty"`    // how many tasks are to get a place before it
}

// DefaultTakeovers is the default of WorkOptions.Takeovers. After as many takeovers, a run is set aside.
const DefaultTakeovers = 5
