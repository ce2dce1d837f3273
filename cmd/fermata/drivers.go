package main

import (
	"context"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
)

// drivers are who drives runs, with how long their leases last: no time at all for those that are gone.
type drivers map[string]time.Duration

// drivers asks the store for the leases of those who drive the runs.
func (h *house) drivers(ctx context.Context, rows ...fermata.RunInfo) (drivers, error) {
	leases, ok := h.store.(journal.Leaser)
	by := make(drivers)
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

// left is how long the lease of a run's driver lasts; zero where nobody drives it.
func (by drivers) left(r *fermata.RunInfo) time.Duration { return by[r.Driver] }

// notTaken says why nobody drives a run that is wanted; "" for others.
func (by drivers) notTaken(r *fermata.RunInfo) string {
	switch {
	case !r.Wanted() || by.left(r) > 0:
		return ""
	case r.Error != "":
		return r.Error
	case r.Driver != "":
		return driverName(r.Driver) + " is gone, and no worker has taken it over"
	}
	return "no worker has taken it"
}

// note says who drives a run, or why nobody does; "" where there is nothing to say.
func (by drivers) note(r *fermata.RunInfo) string {
	if left := by.left(r); left > 0 {
		return "driven by " + driverName(r.Driver) + ", its lease ends in " + leaseText(left)
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
