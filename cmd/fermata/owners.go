package main

import (
	"context"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
)

// owners are the processes that execute runs, with how long their leases last: no time at all for those that are gone.
type owners map[string]time.Duration

// owners asks the store for the leases of the owners of runs.
func (h *house) owners(ctx context.Context, rows ...fermata.RunInfo) (owners, error) {
	leases, ok := journal.As[journal.Leaser](h.store)
	by := make(owners)
	for i := range rows {
		name := rows[i].Driver
		if _, known := by[name]; known || name == "" || rows[i].Ended() || !ok {
			continue
		}
		left, err := leases.Left(ctx, name)
		if err != nil {
			return nil, err
		}
		by[name] = left
	}
	return by, nil
}

// left is how long the lease of a run's owner lasts; zero where it has none.
func (by owners) left(r *fermata.RunInfo) time.Duration { return by[r.Driver] }

// notTaken says why a run that is wanted has no owner; "" for others.
func (by owners) notTaken(r *fermata.RunInfo) string {
	switch {
	case !r.Wanted() || by.left(r) > 0:
		return ""
	case r.Error != "":
		return r.Error
	case r.Driver != "":
		return ownerName(r.Driver) + " is gone, and no worker has taken it over"
	}
	return "no worker has taken it"
}

// note names the owner of a run, or says why it has none; "" where there is nothing to say.
func (by owners) note(r *fermata.RunInfo) string {
	if left := by.left(r); left > 0 {
		return "owned by " + ownerName(r.Driver) + ", its lease ends in " + leaseText(left)
	}
	if strings.HasPrefix(r.Error, "undoing: ") && r.Wanted() { // law F10
		return r.Error
	}
	if why := by.notTaken(r); why != "" {
		return "not taken: " + why
	}
	return ""
}

// leaseText is a time as people read it: whole seconds, rounded up.
func leaseText(left time.Duration) string {
	return (left + time.Second - 1).Truncate(time.Second).String()
}
