package fleet

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/internal/executor"
	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// takeovers returns the limit of takeovers per run; negative for none.
func (f *Fleet) takeovers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.worker == nil {
		return runtype.DefaultTakeovers
	}
	return f.worker.options.Takeovers
}

// takeUp is Resume for a run that goes on by itself. was names the previous owner, "" for none or unknown.
func (f *Fleet) takeUp(ctx context.Context, id string, p *plan.Plan, was string) error {
	err := guard.OnOwnGoroutine(func() error { // the goroutine is the engine's, and loading may run code of the program
		_, err := f.resume(ctx, id, p, journal.ResumedBody{}, &was)
		return err
	})
	if err == runtype.ErrGoexit { //nolint:errorlint // it belongs to no caller
		err = &runtype.Error{Code: runtype.CodeInternal, Run: id, Err: fmt.Errorf("the run could not be read: %w", err)}
	}
	return err
}

// blockFor blocks a run that this process has claimed and whose plan does not fit (law J8).
func (f *Fleet) blockFor(ctx context.Context, run string, changed error) error {
	for {
		row, err := f.Info(ctx, run)
		if err != nil || row.Driver != f.lease.driver || row.Ended() {
			return err
		}
		now := f.Now()
		b := journal.Batch{Run: run, After: row.Head, Row: &row, Driver: &f.lease.driver}
		due := now + min(max(now-row.Updated, executor.FirstRetry), executor.MostRetry)
		if row.Status != string(runtype.Blocked) {
			due = now + executor.FirstRetry
			body, err := json.Marshal(journal.BlockedBody{Code: machine.BlockPlan, Error: changed.Error(), RetryAt: due})
			if err != nil {
				return err
			}
			b.Entries = []journal.Entry{{Seq: row.Head + 1, At: now, Kind: journal.RunBlocked, Body: body}}
			row.Status, row.Updated = string(runtype.Blocked), now
		}
		row.Error, row.Driver, row.Ready = changed.Error(), "", false
		b.Timers = []journal.Timer{{Run: run, ID: storage.BlockTimer, Due: due}}
		again, err := f.Record(ctx, &row, &b)
		if again {
			continue
		}
		if err == nil {
			f.timers.set(due)
			f.Notify(run)
		}
		return err
	}
}
