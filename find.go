package fermata

import (
	"context"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// RunPage is a page of runs.
//
//	type RunPage struct {
//	    Runs []RunInfo
//	    Next string // the cursor of the next page; "" where there is none
//	}
type RunPage = journal.RunPage

// InterruptPage is a page of interrupts.
//
//	type InterruptPage struct {
//	    Interrupts []Interrupt // in the query's order
//	    Next       string      // the cursor of the next page; "" where there is none
//	}
type InterruptPage = runtype.InterruptPage

// FindRuns returns a page of the runs that a query selects, the newest first (law J14). The next page is that of the same
// query with RunPage.Next as its After. A query that cannot be answered is CodeInvalid, with journal.ErrQuery: an unknown status, a limit above
// journal.MaxPage, a cursor of another query.
func (rt *Runtime) FindRuns(ctx context.Context, q journal.RunQuery) (RunPage, error) {
	return rt.fleet.Storage.FindRuns(ctx, q)
}

// CountRuns counts the runs that a query selects by "status", "plan" or "label:KEY".
//
// It counts up to journal.MaxCount of each value. The query's page does not matter.
func (rt *Runtime) CountRuns(ctx context.Context, q journal.RunQuery, by string) (journal.Counts, error) {
	return rt.fleet.Storage.CountRuns(ctx, q, by)
}

// FindInterrupts returns a page of the interrupts that a query selects, the oldest first (law J14).
// It is FindRuns for interrupts.
func (rt *Runtime) FindInterrupts(ctx context.Context, q journal.InterruptQuery) (InterruptPage, error) {
	return rt.fleet.Storage.FindInterrupts(ctx, q)
}

// CountInterrupts counts the interrupts that a query selects, by "state", "plan" or "role".
func (rt *Runtime) CountInterrupts(ctx context.Context, q journal.InterruptQuery, by string) (journal.Counts, error) {
	return rt.fleet.Storage.CountInterrupts(ctx, q, by)
}

// Backlog is what waits for workers in one queue. Its JSON is for readers.
//
//	type Backlog struct {
//	    Queue   string        // "" is the default queue
//	    Runs    int           // that a worker may take now, and no living process has; at most journal.MaxCount in all queues
//	    Longest time.Duration // how long one of them has waited
//	}
type Backlog = runtype.Backlog

// Backlog returns for each queue how many runs wait for a worker, and how long (law J16).
//
// The result is sorted by queue. Queues in which no run waits are left out. It counts up to journal.MaxCount runs of all queues together. A store without leases
// has no backlog.
func (rt *Runtime) Backlog(ctx context.Context) ([]Backlog, error) { return rt.fleet.Backlog(ctx) }

// Processes returns how many processes execute runs of the store, this one included.
//
// They are those whose lease lasts (law J10). A process has a lease while it works or has a run in memory. The result is 0 for a store that cannot list them.
func (rt *Runtime) Processes(ctx context.Context) (int, error) { return rt.fleet.Processes(ctx) }
