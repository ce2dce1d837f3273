package fermata

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/fermata-go/fermata/internal/fleet"
	"github.com/fermata-go/fermata/internal/history"
	"github.com/fermata-go/fermata/internal/inbox"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Runtime executes runs. It owns their goroutines and timers. One per process and store is enough for any
// number of runs. All methods may be called from several goroutines.
type Runtime struct {
	fleet   *fleet.Fleet     // executes the runs
	inbox   *inbox.Inbox     // takes answers
	history *history.History // reads, copies and deletes runs
}

// New returns a runtime. Close it when the program ends.
func New(o Options) (*Runtime, error) {
	f, err := fleet.New(o)
	if err != nil {
		return nil, err
	}
	return &Runtime{
		fleet:   f,
		inbox:   &inbox.Inbox{Storage: f.Storage, Schemas: f.Schemas, Waker: f, Leased: f.IsLeased()},
		history: &history.History{Env: f.States(), Live: f, Rehearsal: f.Rehearsal()},
	}, nil
}

// MustNew is New for programs that cannot go on without a runtime. It panics where New returns an error.
func MustNew(o Options) *Runtime {
	rt, err := New(o)
	if err != nil {
		panic(err)
	}
	return rt
}

// Start starts a run of p. The input is the value of the plan's first token, as the author's package erases it:
// *S for a graph of S, map[string]any for a recipe. The run owns it from here on.
func (rt *Runtime) Start(ctx context.Context, p *plan.Plan, input any, opts ...StartOption) (*Run, error) {
	return rt.fleet.Start(ctx, p, input, opts...)
}

// Resume continues a run that crashed, was stopped, or got what it waited for. A run that this runtime executes
// already is not executed twice; if it still waits, Wait says so. A run that another live process owns is
// refused with a *DrivenError (law J10). The plan must fit the run (law J8): either it has the recorded
// fingerprint, or every open task and token still has its place in it. Otherwise Resume fails with
// ErrPlanChanged and a diff of the plans.
func (rt *Runtime) Resume(ctx context.Context, id string, p *plan.Plan, opts ...ResumeOption) (*Run, error) {
	return rt.fleet.Resume(ctx, id, p, opts...)
}

// Replan is Resume on a changed plan, and records it: from here on the run is pinned to p. The definition is
// the digest of the text that p was made from, or "".
func (rt *Runtime) Replan(ctx context.Context, id string, p *plan.Plan, definition string) (*Run, error) {
	return rt.fleet.Replan(ctx, id, p, definition)
}

// Migrate is Replan for a plan with renamed nodes or values, or another state type (law J8). The migration maps
// the old names: open tasks and their questions, tokens, values and recorded steps follow it. It is recorded
// with all converted values in one append. A failed run is retried with it (law F2), with the options of a retry. A name that neither plan
// has is CodeInvalid. A value without a place despite the migration is ErrPlanChanged.
func (rt *Runtime) Migrate(ctx context.Context, id string, p *plan.Plan, m plan.Migration, definition string, opts ...RetryOption) (*Run, error) {
	return rt.fleet.Migrate(ctx, id, p, m, definition, opts...)
}

// Retry continues a failed run from the tasks that failed (law F2). It continues a blocked run with a new count of
// takeovers. Finished tasks stay finished (law J4). The plan must fit the run as in Resume; renames that it declares
// are applied (law J8). A run whose deadline has passed needs a new one, by [RetryUntil] or [RetryWithin]; without, the retry is
// refused with a [LateError] (law F9).
func (rt *Runtime) Retry(ctx context.Context, id string, p *plan.Plan, opts ...RetryOption) (*Run, error) {
	return rt.fleet.Retry(ctx, id, p, opts...)
}

// Now returns the time by which timers of runs are set (law J12). It is that of the store, unless Options.Clock is given.
func (rt *Runtime) Now() time.Time { return rt.fleet.Clock.Now() }

// Result returns the state of a run from the store. The plan gives the result its type; without one only Output
// is set.
func (rt *Runtime) Result(ctx context.Context, id string, p *plan.Plan) (Result, error) {
	return rt.fleet.States().Result(ctx, id, p)
}

// State returns the state of a run at its last entry as JSON, whatever its status (law J1).
// It is the state that a node of the run's own plan recorded last, or the input. While branches go on, it is that of the branch
// which recorded last. The state of a dataflow is an object with the last version of each named value, inputs included.
// It reads the run's journal; a pause computes nothing for it.
func (rt *Runtime) State(ctx context.Context, id string) (json.RawMessage, error) {
	return rt.fleet.States().RecordedState(ctx, id, 0)
}

// StateAt is [Runtime.State] when the entry with a seq was stored. Seq 0 is the end; one that the run does not
// have is CodeInvalid.
func (rt *Runtime) StateAt(ctx context.Context, at At) (json.RawMessage, error) {
	return rt.fleet.States().RecordedState(ctx, at.Run, at.Seq)
}

// Info returns the row of a run.
func (rt *Runtime) Info(ctx context.Context, id string) (RunInfo, error) {
	return rt.fleet.Storage.Info(ctx, id)
}

// Runs lists runs, newest first.
func (rt *Runtime) Runs(ctx context.Context, f journal.RunFilter) ([]RunInfo, error) {
	return rt.fleet.Storage.Runs(ctx, f)
}

// Events yields a run's events after the given seq. Stored events come in order and without a gap (law E1).
// With follow it goes on with new ones, including transient ones, until the run has ended or ctx is done.
func (rt *Runtime) Events(ctx context.Context, id string, after uint64, follow bool) iter.Seq2[Event, error] {
	return rt.fleet.Events(ctx, id, after, follow)
}

// SaveDefinition stores the text that a plan is made from, by its digest. So a run can be resumed without the
// file. Storing the same text again is no error.
func (rt *Runtime) SaveDefinition(ctx context.Context, kind string, text []byte) (digest string, err error) {
	return rt.fleet.Storage.SaveDefinition(ctx, kind, text)
}

// Definition returns a text by its digest.
func (rt *Runtime) Definition(ctx context.Context, digest string) (kind string, text []byte, err error) {
	return rt.fleet.Storage.Definition(ctx, digest)
}

// Places lists the places of a shared pool for each key, and the waits for them (law J20). The next one is first. Without a
// name it lists those of all pools. Of a process with many waiting tasks it lists the first ones. A pool with a rate alone has
// no places. Processes whose leases have run out are left out. The list is empty where the store has no shared pools.
func (rt *Runtime) Places(ctx context.Context, pool string) ([]Place, error) {
	return rt.fleet.Places(ctx, pool)
}

// Work executes runs without an owner until ctx is done (law J10). They were queued, lost their process, or
// were answered by a process that did not resume them. It finds their plans by Options.Plans. A run whose plan
// it does not get is left to other workers; if none has taken it after some seconds, Run.Error says why.
// Several processes may work on one store: each run is taken by one of them.
//
// Work returns when ctx is done and its runs have come to rest. Close ends that wait, and others take the runs
// over. Work fails at once if the store is no journal.Leaser, leases are off, Options.Plans is nil, or the
// runtime is already working.
func (rt *Runtime) Work(ctx context.Context, o WorkOptions) error {
	return rt.fleet.Work(ctx, o)
}

// Close stops all executions and waits for their tasks; every run stays resumable (law F3). A store that was
// passed to New stays open. If a node of one of its runs calls Close, it cannot wait for that node: it asks all
// tasks to stop and fails with ErrInside at once; the runtime is closed once they have returned. A goroutine
// that a node waits for must not call it. A second call waits as the first one does.
func (rt *Runtime) Close() error {
	return rt.fleet.Close()
}
