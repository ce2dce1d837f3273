package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

// PruneOptions select the runs to delete. The zero value deletes every run that has ended.
type PruneOptions struct {
	// Before spares runs that were written to at this time or later. Defaults to none.
	Before time.Time
	// Statuses are the statuses of runs to delete. Defaults to all final ones. A failed or expired run can be
	// retried until it is deleted.
	Statuses []runtype.Status
	// Plan limits deletion to runs of the plan with this name. Defaults to all.
	Plan string
	// Runs limits deletion to the runs with these ids. Defaults to all.
	Runs []string
	// Keep spares the newest selected runs of each plan, this many. Defaults to 0.
	Keep int
	// DryRun only reports what would be deleted.
	DryRun bool
}

// Pruned reports what Prune has deleted, or would delete.
type Pruned struct {
	Runs  []runtype.RunInfo // the newest first
	Texts []string          // ids of unneeded definitions and outlines of plans
}

// young is how long an unneeded text is kept: a run that is about to start may need it.
const young = time.Hour

// Prune deletes ended runs with all their data, then definitions and outlines that no run needs. A running or paused
// run is never deleted. Forks have journals of their own, so they stay when their origin goes (law J9).
//
// If Prune fails, it returns the work done so far; a second call goes on.
func (h *History) Prune(ctx context.Context, o PruneOptions) (Pruned, error) {
	var p Pruned
	if err := o.check(); err != nil {
		return p, &runtype.Error{Code: runtype.CodeInvalid, Err: err}
	}
	rows, err := h.Runs(ctx, journal.RunFilter{})
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
		deleted, err := h.prune(ctx, rows[i].ID, o)
		if err != nil {
			return p, err
		}
		if deleted {
			p.Runs = append(p.Runs, rows[i])
			gone[rows[i].ID] = true
		}
	}
	return p, h.pruneTexts(ctx, &p, gone, o.DryRun)
}

func (o *PruneOptions) check() error {
	ended := []runtype.Status{runtype.Completed, runtype.Failed, runtype.Cancelled, runtype.Expired, runtype.Stuck}
	if err := checkStatuses("prune", "of runs that have ended", o.Statuses, ended); err != nil {
		return err
	}
	if o.Keep < 0 {
		return fmt.Errorf("prune: expected to keep 0 runs or more, found %d", o.Keep)
	}
	return nil
}

// checkStatuses refuses statuses that are not allowed here.
func checkStatuses(verb, whose string, found, may []runtype.Status) error {
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

// means reports whether a run is selected for deletion, before Keep.
func (o *PruneOptions) means(r *runtype.RunInfo) bool {
	return runtype.Status(r.Status).Ended() && (len(o.Statuses) == 0 || slices.Contains(o.Statuses, runtype.Status(r.Status))) &&
		(o.Plan == "" || o.Plan == r.Plan) && (len(o.Runs) == 0 || slices.Contains(o.Runs, r.ID)) && (o.Before.IsZero() || r.Updated < o.Before.UnixMicro())
}

// prune deletes one run, unless it was resumed since it was listed.
func (h *History) prune(ctx context.Context, id string, o PruneOptions) (bool, error) {
	if !h.Live.Deserted(id) {
		return false, nil
	}
	row, err := h.Info(ctx, id)
	if errors.Is(err, runtype.ErrNotFound) || err == nil && !o.means(&row) {
		return false, nil
	}
	if err != nil || o.DryRun {
		return err == nil, err
	}
	if err := h.Store.Delete(ctx, id); err != nil {
		return false, h.StoreError(id, err)
	}
	h.Live.Forget(id)
	return true, nil
}

// pruneTexts deletes unneeded definitions and outlines.
func (h *History) pruneTexts(ctx context.Context, p *Pruned, gone map[string]bool, dryRun bool) error {
	texts, err := h.Runs(ctx, journal.RunFilter{Definition: true}) // before the runs: a text that is needed later is young
	if err != nil {
		return err
	}
	rows, err := h.Runs(ctx, journal.RunFilter{})
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r runtype.RunInfo) bool { return gone[r.ID] })
	unused := make(map[string]bool)
	for _, text := range texts {
		unused[text.ID] = isText(text.ID) && text.Created < h.Storage.Now()-young.Microseconds()
	}
	for _, r := range rows {
		delete(unused, r.Definition)
		delete(unused, storage.OutlineID(r.Fingerprint))
	}
	h.Outlines.Each(func(fingerprint string) { delete(unused, storage.OutlineID(fingerprint)) }) // they are not stored again
	for _, text := range texts {
		if !unused[text.ID] {
			delete(unused, text.ID)
		}
	}
	if len(unused) == 0 {
		return nil
	}
	for _, r := range rows { // a run may have had other plans before
		if err := h.spareTexts(ctx, r.ID, unused); err != nil {
			return err
		}
	}
	for _, text := range texts {
		if !unused[text.ID] {
			continue
		}
		if !dryRun {
			if err := h.Store.Delete(ctx, text.ID); err != nil {
				return h.StoreError(text.ID, err)
			}
		}
		p.Texts = append(p.Texts, text.ID)
	}
	return nil
}

// isText reports whether a journal holds a definition or an outline. Those of cached outcomes and of mailboxes of
// channels are listed beside them, and belong to others.
func isText(id string) bool {
	return strings.HasPrefix(id, storage.DefinitionPrefix) || strings.HasPrefix(id, storage.OutlinePrefix)
}

// spareTexts removes the texts named in a journal from the unused ones.
func (h *History) spareTexts(ctx context.Context, run string, unused map[string]bool) error {
	for e, err := range h.Store.Read(ctx, run, 0) {
		if errors.Is(err, runtype.ErrNotFound) {
			return nil // deleted meanwhile
		}
		if err != nil {
			return h.StoreError(run, err)
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
			return h.ReplayError(run, e.Seq, err)
		}
		delete(unused, definition)
		delete(unused, storage.OutlineID(fingerprint))
	}
	return nil
}
