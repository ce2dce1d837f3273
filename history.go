package fermata

import (
	"context"
	"io"
	"iter"

	"github.com/fermata-go/fermata/internal/history"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// ErrSkip is returned by an edit of a fork for a value that it does not edit. An edit that skips all values is
// an error.
var ErrSkip = runtype.ErrSkip

// Verdict is the predicted outcome of resuming a run.
type Verdict = history.Verdict

// The verdicts of [Runtime.CanResume].
const (
	GoesOn      = history.GoesOn      // the run goes on, possibly on a changed plan
	Migrates    = history.Migrates    // it goes on with the migration in Outlook.Nodes and Outlook.Values, given or declared by the plan
	PlanChanged = history.PlanChanged // ErrPlanChanged: the plan has no place for a value or task of the run (law J8)
	Diverges    = history.Diverges    // ErrDiverged: the code of an open task diverged from its journal (law N3)
	NeedsRetry  = history.NeedsRetry  // the run was set aside after too many takeovers: it needs Retry (law J11)
	Refused     = history.Refused     // resuming fails for another reason: Outlook.Reason
	PlanUnknown = history.PlanUnknown // this process does not know the plan of the run
	HasEnded    = history.HasEnded    // the run has ended: there is nothing to resume
)

// Outlook is the predicted outcome of resuming one run. See [Runtime.CanResume].
//
//	type Outlook struct {
//	    Run       string            // id of the run
//	    Plan      string            // name of its plan
//	    Status    Status            // of the run
//	    Verdict   Verdict           // the prediction
//	    Reason    string            // why it cannot go on
//	    Task      string            // id of the task whose code diverges
//	    Value     string            // the value without a place in the plan
//	    Diff      string            // of the plan and the one that the run was started on
//	    Hint      string            // names that may have changed
//	    Nodes     map[string]string // of the migration
//	    Values    map[string]string // of the migration
//	    Replayed  []string          // open tasks whose code was replayed without divergence
//	    Unchecked string            // limits of the check
//	}
//
//	// CanGoOn reports whether the check found nothing against resuming the run.
//	func (*Outlook) CanGoOn() bool
type Outlook = history.Outlook

// ResumeCheck configures [Runtime.CanResume]. The zero value checks runs against the plans that the runtime
// knows.
//
//	type ResumeCheck struct {
//	    // Plans returns the plan that a run would go on with; nil for none.
//	    Plans func(ctx context.Context, run RunInfo) (*plan.Plan, error)
//	    // Migration is applied to runs of other plans than those found, as by Migrate.
//	    Migration plan.Migration
//	    // Replay runs the functions of open tasks against their recorded calls, up to the first unrecorded one.
//	    Replay bool
//	}
type ResumeCheck = history.ResumeCheck

// CompactOptions select the runs to compact. The zero value compacts every run that is not running.
//
//	type CompactOptions struct {
//	    // Run compacts the run with this id, regardless of the other options.
//	    Run string
//	    // Before spares runs that were written to at this time or later.
//	    Before time.Time
//	    // Statuses are the statuses of runs to compact.
//	    Statuses []Status
//	    // Plan limits compaction to runs of the plan with this name.
//	    Plan string
//	}
type CompactOptions = history.CompactOptions

// Compacted reports what Compact did to one run.
//
//	type Compacted struct {
//	    Run                RunInfo // its row
//	    journal.Compaction         // After equals Before if there was nothing to pack
//	}
type Compacted = history.Compacted

// At is a point in a run: its state when the entry with this seq was stored.
//
//	type At struct {
//	    Run string // id of the run
//	    Seq uint64 // 0 is the end
//	}
type At = history.At

// Difference is what differs between two points, of two runs or of one.
//
//	type Difference struct {
//	    A Side // the first point
//	    B Side // the second point
//	    // Common is the seq up to which both agree, except for times and ids.
//	    Common  uint64
//	    Answers []AnswerDifference // in the order of the questions
//	    Tasks   []TaskDifference   // in the order of their start
//	    State   []Change           // of the last recorded value
//	    Output  []Change           // of results that the plan makes itself
//	}
//
//	// Same reports whether nothing differs except times, ids and owners.
//	func (*Difference) Same() bool
type Difference = history.Difference

// Side is one of two points that are compared.
//
//	type Side struct {
//	    At
//	    Plan   string          // name of the run's plan
//	    Status Status          // of the run at that point
//	    Error  string          // of the run; "" for none
//	    Fork   *journal.Origin // origin of a fork; nil for none
//	}
type Side = history.Side

// TaskDifference is a task that differs, or that only one side has.
//
//	type TaskDifference struct {
//	    Task   string       // id of the task
//	    A      *TaskSummary // nil
//	    B      *TaskSummary // likewise
//	    Output []Change     // of its outputs, if both finished
//	}
type TaskDifference = history.TaskDifference

// TaskSummary is the state of a task.
//
//	type TaskSummary struct {
//	    State    string // open, waiting, retrying, finished, failed
//	    Attempts int    // number of attempts
//	    Route    string // its choice
//	    Error    string // of its last attempt; "" for none
//	}
type TaskSummary = history.TaskSummary

// AnswerDifference is a question whose answers differ.
//
//	type AnswerDifference struct {
//	    Task   string         // id of the asking task
//	    Op     string         // identity of the call that asked
//	    Prompt string         // of the question
//	    A      *AnswerSummary // nil
//	    B      *AnswerSummary // likewise
//	}
type AnswerDifference = history.AnswerDifference

// AnswerSummary is the state of a question.
//
//	type AnswerSummary struct {
//	    State  string          // open, claimed, answered, expired, withdrawn
//	    Answer json.RawMessage // nil for none
//	    By     string          // id of the person
//	}
type AnswerSummary = history.AnswerSummary

// Change is a place in a JSON value where two values differ.
//
//	type Change struct {
//	    Path string          // a JSON Pointer; "" is the whole value
//	    Old  json.RawMessage // nil
//	    New  json.RawMessage // likewise
//	}
type Change = history.Change

// Moment is one entry of a run's history with its whole values. Traces are made of moments.
//
//	type Moment struct {
//	    Entry journal.Entry   // the entry
//	    Input json.RawMessage // NodeStarted
//	    Value json.RawMessage // entries that record a state
//	}
type Moment = history.Moment

// ForkOptions say where a fork begins, and what it changes. The zero value forks at the end and changes
// nothing.
//
//	type ForkOptions struct {
//	    // At is the seq of the last entry that the fork copies.
//	    At uint64
//	    // ID is the fork's id; one that exists is a conflict.
//	    ID string
//	    By string // By names who forks; it is recorded
//	    // Edit changes the values held at At.
//	    Edit func(value any) (any, error)
//	    // Set changes the same values as JSON, before Edit.
//	    Set map[string]json.RawMessage
//	    // Of limits Edit and Set to the value of one task ("review#2"), or of the token on its way to one node ("review").
//	    Of string
//	    // AskAgain names questions, by id or by task, whose answers the fork drops.
//	    AskAgain []string
//	    // Migration maps renamed nodes and values if the plan is not the run's own (law J8).
//	    Migration plan.Migration
//	    // Definition is the digest of the text that the plan was made from.
//	    Definition string
//	    // Breaks are the breakpoints of the fork; it has none of the run that it comes from (law J19).
//	    Breaks journal.Breaks
//	    // Hold only stores the fork.
//	    Hold bool
//	}
type ForkOptions = history.ForkOptions

// ImportOptions configure an import. The zero value keeps the run as it was exported.
//
//	type ImportOptions struct {
//	    // ID gives the run another id.
//	    ID string
//	    // By is who imports the run, on record where ID gives it another id.
//	    By string
//	    // Name names the data in errors.
//	    Name string
//	    // Plans returns the run's plan, with which its journal is folded before it is stored.
//	    Plans func(ctx context.Context, run RunInfo) (*plan.Plan, error)
//	    // Admit refuses the run with the error that it returns, before anything is stored.
//	    Admit func(run RunInfo) error
//	    // MaxBytes limits the data, and its size in memory.
//	    MaxBytes int64
//	}
type ImportOptions = history.ImportOptions

// PruneOptions select the runs to delete. The zero value deletes every run that has ended.
//
//	type PruneOptions struct {
//	    // Before spares runs that were written to at this time or later.
//	    Before time.Time
//	    // Statuses are the statuses of runs to delete.
//	    Statuses []Status
//	    // Plan limits deletion to runs of the plan with this name.
//	    Plan string
//	    // Runs limits deletion to the runs with these ids.
//	    Runs []string
//	    // Keep spares the newest selected runs of each plan, this many.
//	    Keep int
//	    // DryRun only reports what would be deleted.
//	    DryRun bool
//	}
type PruneOptions = history.PruneOptions

// Pruned reports what Prune has deleted, or would delete.
//
//	type Pruned struct {
//	    Runs  []RunInfo // the newest first
//	    Texts []string  // ids of unneeded definitions and outlines of plans
//	}
type Pruned = history.Pruned

// Fork starts a new run from a copy of another run's history up to a seq. The other run does not change,
// whether it has ended or is still executed.
//
// The fork has a journal of its own, which begins with the copied entries and no longer needs the other one
// (law J9). Tasks that had finished are not run again (law J4), and recorded steps are not repeated (law J5).
// The fork repeats unrecorded work itself, with idempotency keys of its own. Questions get new ids and tokens:
// an answer to one run is none to the other. Deadlines and backoffs keep their times; a deadline that has
// passed starts again from now.
//
// A seq inside a group of entries that belong together, as an outcome and its route, is CodeInvalid; the error
// names the nearest valid seqs. A plan that does not fit is ErrPlanChanged (law J8). An edit or a question that
// would lose an AtMostOnce step of unknown outcome is a conflict.
func (rt *Runtime) Fork(ctx context.Context, run string, p *plan.Plan, o ForkOptions) (*Run, error) {
	if err := rt.fleet.Open(run); err != nil {
		return nil, err
	}
	s, work, err := rt.history.Fork(ctx, run, p, o)
	if err != nil {
		return nil, err
	}
	return rt.fleet.Continue(s, work, o.Hold)
}

// TryFork returns how a fork would differ from the run before it continues (law W1). It refuses what Fork
// refuses, stores nothing and executes nothing. Tasks and answers that only side A has are those that the fork
// repeats and asks again.
func (rt *Runtime) TryFork(ctx context.Context, run string, p *plan.Plan, o ForkOptions) (*Difference, error) {
	return rt.history.TryFork(ctx, run, p, o)
}

// History yields a run's entries up to now, each with its values as whole JSON. It reads the journal twice. It
// keeps a value only as long as a later entry refers to it.
func (rt *Runtime) History(ctx context.Context, id string) iter.Seq2[Moment, error] {
	return rt.history.History(ctx, id)
}

// Diff compares two points: two runs, or two seqs of one run. It needs no plans, and they may differ.
func (rt *Runtime) Diff(ctx context.Context, a, b At) (*Difference, error) {
	return rt.history.Diff(ctx, a, b)
}

// CanResume predicts the outcome of resuming runs in this process (law J8). It changes nothing: it appends
// nothing, claims nothing and takes no lease, so it is safe beside the owners of the runs. The filter selects
// runs: one by its ID, even if it has ended; else all that have not ended. Outlooks are sorted by plan, then by
// start time.
func (rt *Runtime) CanResume(ctx context.Context, f journal.RunFilter, c ResumeCheck) ([]Outlook, error) {
	return rt.history.CanResume(ctx, f, c)
}

// Export writes a run to a file for [Runtime.Import], which may use another kind of store. The file holds lines
// of JSON: the entries to the byte, the texts of definitions, and a checksum. The same journal gives the same
// file.
//
// A run that is being executed is written in its state at the time of the call. The file holds inputs, outputs
// and answers, but only hashes of resume tokens (law H5). Errors are CodeNotFound, CodeStore, and those of w.
func (rt *Runtime) Export(ctx context.Context, run string, w io.Writer) error {
	return rt.history.Export(ctx, run, w)
}

// Import stores a run written by [Runtime.Export], and returns its row. The journal is stored byte for byte,
// and open questions and timers are rebuilt from it (law J6). An unfinished run then has no owner. It rests
// until it is resumed, or answered if Options.Plans knows its plan; a worker on the store takes it at once (law
// J10). To only inspect a run, import it into a store without workers.
//
// Damaged, truncated or foreign data is CodeInvalid with a *journal.StoreError that names the line and seq
// (journal.ErrCorrupt, journal.ErrNewer); nothing is stored then. The same holds for entries that no run
// writes, such as a second end, a delta of a missing value, or an answer that four eyes forbid (law H6). A run
// that exists is a conflict. If the run's plan is known, the journal is folded with it; see
// ImportOptions.Plans. The definitions come with the run and are executed when it is resumed, so import only
// files that you would run.
func (rt *Runtime) Import(ctx context.Context, r io.Reader, o ImportOptions) (RunInfo, error) {
	if err := rt.fleet.Open(""); err != nil {
		return RunInfo{}, err
	}
	return rt.history.Import(ctx, r, o)
}

// Compact packs the journals of runs, so that they take less space. Nothing is lost: events, traces, resuming,
// retrying, forking and comparing work as before (laws E1, J6, J9). Runs may be executed meanwhile, by any
// process.
//
// A store that cannot compact returns errors.ErrUnsupported; the one in memory is such a store. If Compact
// fails, it returns the work done so far; a second call goes on.
func (rt *Runtime) Compact(ctx context.Context, o CompactOptions) ([]Compacted, error) {
	return rt.history.Compact(ctx, o)
}

// Prune deletes ended runs with all their data, then definitions and outlines that no run needs. A running or paused
// run is never deleted. Forks have journals of their own, so they stay when their origin goes (law J9).
//
// If Prune fails, it returns the work done so far; a second call goes on.
func (rt *Runtime) Prune(ctx context.Context, o PruneOptions) (Pruned, error) {
	return rt.history.Prune(ctx, o)
}
