package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Errors of stores. Find them with errors.Is; a *StoreError around them names file, run and seq.
var (
	ErrConflict = errors.New("another writer was first") // law J3
	ErrNotFound = errors.New("no such run")
	ErrCorrupt  = errors.New("the stored data is damaged")         // law J6
	ErrNewer    = errors.New("the stored data has a newer format") // law J9
	ErrClosed   = errors.New("the store is closed")
	ErrNoSpace  = errors.New("no space left")
	ErrReadOnly = errors.New("the store cannot be written")
	ErrRefused  = errors.New("the store cannot keep this") // a batch that would be refused again
	ErrSealed   = errors.New("the stored data is sealed")  // with a key that was not given (law J15)
)

// StoreError is a failure of a store, with the place where it happened.
type StoreError struct {
	Op   string // open, append, read, …
	File string // the file or address, without secrets
	Run  string // the run that it was about, "" for none
	Seq  uint64 // the entry that it was about, 0 for none
	Err  error  // the cause
}

func (e *StoreError) Error() string {
	s := e.Op
	if e.File != "" {
		s += " " + e.File
	}
	if e.Run != "" {
		s += fmt.Sprintf(", run %s", e.Run)
	}
	if e.Seq != 0 {
		s += fmt.Sprintf(", seq %d", e.Seq)
	}
	return s + ": " + e.Err.Error()
}

// Unwrap is the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// Durability says what Append waits for (law J2).
type Durability uint8

// Durabilities. The zero value is the strongest.
const (
	Sync  Durability = iota // stored, as safely as the store is configured to
	Async                   // in order; stored within the store's stated bound, or by Flush at Close
	None                    // not stored at all: the runtime never hands such a run to a store
)

// Batch is what one Append writes, in one transaction: all of it or nothing.
type Batch struct {
	Run        string      // the run that is written to
	After      uint64      // the head that the writer knows; 0 creates the run
	Entries    []Entry     // Seq After+1, After+2, …
	Row        *RunRow     // the run's projection, where it changed; needed when After is 0. Once it has ended, its timers are removed
	Interrupts []Interrupt // as they stand now: new ones, and those that have changed
	Timers     []Timer     // new ones, and those that are Done
	Checkpoint *Checkpoint // takes the place of the run's last one; nil for none
	Durability Durability  // what Append waits for
	// Driver is the driver that the run is expected to have. Where it has another one, nothing is written (ErrConflict). A
	// claim leaves the head alone, so a writer of the row that does not drive the run could undo a claim (law J10). It is nil
	// for the run's driver, and for a new run.
	Driver *string
}

// Checkpoint is the fold of a journal up to Seq: a way to open a long run fast, never needed (law J6). A store
// keeps the last one of a run.
type Checkpoint struct {
	Seq  uint64
	Data []byte
}

// RunFilter selects runs. Zero fields select everything but definitions.
type RunFilter struct {
	ID         string // of the run
	Status     string // see RunRow.Status
	Plan       string // the name of its plan
	Kind       string // the kind of its plan
	Limit      int    // 0: all
	Definition bool   // the stored definitions, in place of the runs
}

// InboxFilter selects interrupts. Zero fields select all that are open or claimed.
type InboxFilter struct {
	ID    string // of the interrupt
	Run   string // that asks
	Role  string // that may answer
	All   bool   // also those that are closed
	Limit int    // 0: all
}

// Store keeps journals. Its methods may be called from several goroutines, and several processes may hold the same
// store open. All errors are *StoreError.
type Store interface {
	// Append writes a batch atomically. It fails with ErrConflict when After is not the run's head (law J3) or,
	// for After 0, when the run exists; and with a *HeldError when an open run holds the deduplication key of a new one (law
	// J17). When it has returned nil, the batch is as durable as it asked for.
	// The store keeps no reference to the batch's slices, nor to what its pointers lead to.
	Append(ctx context.Context, b Batch) error
	// Read yields the run's entries with a Seq greater than after, in order, as they are at the time of the call.
	// It yields an error at most once, last: ErrNotFound, ErrCorrupt, ErrNewer. The entries' slices belong to the
	// caller.
	Read(ctx context.Context, run string, after uint64) iter.Seq2[Entry, error]
	// Checkpoint returns the run's last checkpoint; Seq 0 when there is none.
	Checkpoint(ctx context.Context, run string) (Checkpoint, error)
	// Runs lists runs, newest first.
	Runs(ctx context.Context, f RunFilter) ([]RunRow, error)
	// Inbox lists interrupts, oldest first.
	Inbox(ctx context.Context, f InboxFilter) ([]Interrupt, error)
	// Timers lists the pending timers of all runs that are due at or before the given time (microseconds), the
	// earliest first, at most limit (0: all). A time of math.MaxInt64 and a limit of 1 finds the next one.
	Timers(ctx context.Context, due int64, limit int) ([]Timer, error)
	// Delete removes a run with all that belongs to it. Removing an unknown run is no error.
	Delete(ctx context.Context, run string) error
	// Close waits for what is being written and closes the store.
	Close() error
}

// Wrapper is a store over another one. It has the methods of all capabilities below, and each capability that its inner
// store has: ask it by [As], not by a type assertion.
type Wrapper interface {
	Store
	// Inner returns the store that is wrapped.
	Inner() Store
}

// As returns a store as one with a capability: a [Leaser], a [Clock], a [Compactor] and so on.
func As[T any](s Store) (more T, ok bool) {
	more, ok = s.(T)
	if w, wraps := s.(Wrapper); wraps && ok {
		_, ok = As[T](w.Inner())
	}
	if !ok {
		var none T
		return none, false
	}
	return more, true
}

// Watcher is a store that reports writes by other processes.
type Watcher interface {
	// Watch calls changed, from a goroutine of its own, soon after another process may have written. It stops when
	// ctx is done.
	Watch(ctx context.Context, changed func()) error
}

// RunWatcher is a Watcher that says which runs were written to, so that only their readers look.
type RunWatcher interface {
	Watcher
	// WatchRuns is Watch with the runs that were written to. Calls of changed come one at a time, and own its argument.
	WatchRuns(ctx context.Context, changed func(Change)) error
}

// HeadReader is a RunWatcher that may miss a write.
//
// A process that is killed tells nobody of its last writes, and a store that two runtimes share does not tell the one of the
// other's. So watchers ask the store now and then for the heads of the runs that matter.
type HeadReader interface {
	RunWatcher
	// Heads are the seqs of the last entries of the given runs, all of them in one question. Unknown runs are left out.
	Heads(ctx context.Context, runs []string) (map[string]uint64, error)
}

// Change says which runs other processes have written to. Without runs, and without Any, something was written that
// is not in a journal: the row of a run, a beat.
type Change struct {
	Runs []string // the runs that were written to, each once
	Any  bool     // any run may have been written to: the store does not know which, or may have missed something
}

// Clock is a store on a machine of its own, whose time counts.
//
// Deadlines and sleeps of its runs are set, compared and stamped by the store's time, so that a process whose clock is
// wrong lets none pass early or late (law J12).
type Clock interface {
	// Now returns the time of the store. It is called every few seconds. The result may be off by as long as the call takes.
	Now(ctx context.Context) (time.Time, error)
}

// Leaser is a store that knows which drivers of runs live (law J10).
//
// So a run is driven by one, and taken over when that one is gone. Times are the store's own: drivers on several machines
// need no common clock. A lease spares work and promises nothing: the fence of Append keeps a journal right (law J3).
type Leaser interface {
	// Beat says that a driver lives, for at least a millisecond and the given time from now on; zero or less: not any more.
	Beat(ctx context.Context, driver string, ttl time.Duration) error
	// Left is how long a driver's last beat still counts, zero when it does not.
	Left(ctx context.Context, driver string) (time.Duration, error)
	// Deserted lists runs that are wanted (see RunRow.Wanted) and whose driver is nobody or does not live: those of the
	// highest priority first, and of one priority those that were created first (law J16).
	Deserted(ctx context.Context, q WantedQuery) ([]RunRow, error)
	// Claim makes driver the driver of a run that has not ended, unless another one that lives is: then it reports
	// false, as for an unknown run. It leaves the journal alone, so it is no fence. A blocked run has not ended.
	Claim(ctx context.Context, driver, run string) (bool, error)
}

// DriverLister is a Leaser that can list the drivers whose last beat still counts.
//
// Nobody has to wait for a driver that is known to be gone. Only processes of the same machine, boot and container that have ended are: a driver's name holds marks of
// all three, and the start of its process tells it from a later one with the same id. Of all others nothing is assumed but
// what their beats say (law J10).
type DriverLister interface {
	Leaser
	// Drivers lists the drivers whose last beat still counts.
	Drivers(ctx context.Context) ([]string, error)
}

// Compactor is a store that can keep a journal in less space.
type Compactor interface {
	// Compact packs the entries of a run. Nothing is lost: every entry can be read as before, under its seq, and
	// appends go on behind them, also while Compact is at work, in this process and in others. Calling it again packs
	// what was appended since; where there is nothing to pack, nothing is written. When it fails, some of the entries
	// may be packed. Errors are *StoreError: ErrNotFound, ErrCorrupt, ErrNewer, ErrReadOnly, ErrNoSpace.
	Compact(ctx context.Context, run string) (Compaction, error)
}

// Compaction is the outcome of packing a run.
type Compaction struct {
	Before  int64 // bytes that the run's entries took in the store
	After   int64 // bytes that they take now
	Entries int   // how many entries there are
}
