package fermata

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/journal"
)

// PruneOptions say which runs are deleted. The zero value deletes every run that has ended.
type PruneOptions struct {
	// Before spares runs of which something was written at this time or later. Defaults to sparing none.
	Before time.Time
	// Statuses are those of the runs that are deleted. Defaults to all with which a run has ended. A failed or expired
	// run can be retried as long as it is there.
	Statuses []Status
	// Plan deletes only runs of the plan with this name. Defaults to all.
	Plan string
	// Keep spares so many of those of each plan that would go, the newest ones. Defaults to 0.
	Keep int
	// DryRun only says what would be deleted.
	DryRun bool
}

// Pruned is what Prune has deleted, or would delete.
type Pruned struct {
	Runs  []RunInfo // the newest first
	Texts []string  // ids of definitions, and of outlines of plans, that no run needs any more
}

// young is how long a text is kept that no run needs: it may have been stored for a run that is about to start.
const young = time.Hour

// Prune deletes runs that have ended, with all that belongs to them, and then the definitions and outlines that no
// run needs any more. A run that is running or paused is never deleted. Forks have journals of their own, and stay
// when the runs that they come from go (law J9).
//
// When Prune fails, what it returns is what it has deleted before; called again, it goes on.
func (rt *Runtime) Prune(ctx context.Context, o PruneOptions) (Pruned, error) {
	var p Pruned
	if err := o.check(); err != nil {
		return p, &Error{Code: CodeInvalid, Err: err}
	}
	rows, err := rt.Runs(ctx, journal.RunFilter{})
	if err != nil {
		return p, err
	}
	gone, kept := make(map[string]bool), make(map[string]int)
	for i := range rows {
		if !o.means(&rows[i]) {
			continue
		}
		if kept[rows[i].Plan] < o.Keep {
			kept[rows[i].Plan]++
			continue
		}
		deleted, err := rt.prune(ctx, rows[i].ID, o)
		if err != nil {
			return p, err
		}
		if deleted {
			p.Runs = append(p.Runs, rows[i])
			gone[rows[i].ID] = true
		}
	}
	return p, rt.pruneTexts(ctx, &p, gone, o.DryRun)
}

func (o *PruneOptions) check() error {
	ended := []Status{Completed, Failed, Cancelled, Expired, Stuck}
	if err := checkStatuses("prune", "of runs that have ended", o.Statuses, ended); err != nil {
		return err
	}
	if o.Keep < 0 {
		return fmt.Errorf("prune: expected to keep 0 runs or more, found %d", o.Keep)
	}
	return nil
}

// checkStatuses refuses statuses that are none of those that may be named.
func checkStatuses(verb, whose string, found, may []Status) error {
	for _, s := range found {
		if slices.Contains(may, s) {
			continue
		}
		names := make([]string, len(may))
		for i, s := range may {
			names[i] = string(s)
		}
		return fmt.Errorf("%s: expected statuses %s (%s), found %q%s", verb, whose, strings.Join(names, ", "), s, nearest.Hint(string(s), names))
	}
	return nil
}

// means reports whether a run is one of those that are deleted, Keep aside.
func (o *PruneOptions) means(r *RunInfo) bool {
	return Status(r.Status).Ended() && (len(o.Statuses) == 0 || slices.Contains(o.Statuses, Status(r.Status))) &&
		(o.Plan == "" || o.Plan == r.Plan) && (o.Before.IsZero() || r.Updated < o.Before.UnixMicro())
}

// prune deletes one run, unless somebody has taken it up since it was listed.
func (rt *Runtime) prune(ctx context.Context, id string, o PruneOptions) (bool, error) {
	if !rt.deserted(id) {
		return false, nil
	}
	row, err := rt.Info(ctx, id)
	if errors.Is(err, ErrNotFound) || err == nil && !o.means(&row) {
		return false, nil
	}
	if err != nil || o.DryRun {
		return err == nil, err
	}
	if err := rt.store.Delete(ctx, id); err != nil {
		return false, rt.storeError(id, err)
	}
	rt.mu.Lock()
	delete(rt.parked.drives, id)
	delete(rt.trouble, id)
	delete(rt.moved, id)
	rt.ringLocked(id)
	rt.mu.Unlock()
	return true, nil
}

// pruneTexts deletes the definitions and outlines that no run needs.
func (rt *Runtime) pruneTexts(ctx context.Context, p *Pruned, gone map[string]bool, dryRun bool) error {
	texts, err := rt.Runs(ctx, journal.RunFilter{Definition: true}) // before the runs: what is needed later is young
	if err != nil {
		return err
	}
	rows, err := rt.Runs(ctx, journal.RunFilter{})
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r RunInfo) bool { return gone[r.ID] })
	unused := make(map[string]bool)
	for _, text := range texts {
		unused[text.ID] = text.Created < rt.now()-young.Microseconds()
	}
	for _, r := range rows {
		delete(unused, r.Definition)
		delete(unused, outlineID(r.Fingerprint))
	}
	rt.mu.Lock()
	for fingerprint := range rt.kept { // this runtime will not store their outlines again
		delete(unused, outlineID(fingerprint))
	}
	rt.mu.Unlock()
	for _, text := range texts {
		if !unused[text.ID] {
			delete(unused, text.ID)
		}
	}
	if len(unused) == 0 {
		return nil
	}
	for _, r := range rows { // a run may have had other plans before the one that it has now
		if err := rt.spareTexts(ctx, r.ID, unused); err != nil {
			return err
		}
	}
	for _, text := range texts {
		if !unused[text.ID] {
			continue
		}
		if !dryRun {
			if err := rt.store.Delete(ctx, text.ID); err != nil {
				return rt.storeError(text.ID, err)
			}
		}
		p.Texts = append(p.Texts, text.ID)
	}
	return nil
}

// spareTexts takes what a journal names off the list of unused texts.
func (rt *Runtime) spareTexts(ctx context.Context, run string, unused map[string]bool) error {
	for e, err := range rt.store.Read(ctx, run, 0) {
		if errors.Is(err, ErrNotFound) {
			return nil // somebody else has deleted it
		}
		if err != nil {
			return rt.storeError(run, err)
		}
		var fingerprint, definition string
		switch e.Kind {
		case journal.RunStarted:
			err = read(&e, func(b *journal.StartedBody) { fingerprint, definition = b.Fingerprint, b.Definition })
		case journal.RunResumed:
			err = read(&e, func(b *journal.ResumedBody) { fingerprint, definition = b.Fingerprint, b.Definition })
		default:
			continue
		}
		if err != nil {
			return rt.replayError(run, e.Seq, err)
		}
		delete(unused, definition)
		delete(unused, outlineID(fingerprint))
	}
	return nil
}
