package fleet

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

// Backlog says of each queue how many runs wait for a worker, and how long (law J16).
func (f *Fleet) Backlog(ctx context.Context) ([]runtype.Backlog, error) {
	if err := f.Open(""); err != nil || f.lease.store == nil {
		return nil, err
	}
	now := f.Now()
	rows, err := f.lease.store.Deserted(ctx, journal.WantedQuery{Due: now, Limit: journal.MaxCount})
	if err != nil {
		return nil, f.StoreError("", err)
	}
	queues := make(map[string]*runtype.Backlog)
	for i := range rows {
		q := queues[rows[i].Queue]
		if q == nil {
			q = &runtype.Backlog{Queue: rows[i].Queue}
			queues[q.Queue] = q
		}
		q.Runs++
		q.Longest = max(q.Longest, time.Duration(now-max(rows[i].Updated, rows[i].NotBefore))*time.Microsecond)
	}
	list := make([]runtype.Backlog, 0, len(queues))
	for _, q := range queues {
		list = append(list, *q)
	}
	slices.SortFunc(list, func(a, b runtype.Backlog) int { return cmp.Compare(a.Queue, b.Queue) })
	return list, nil
}

// Processes counts the processes that work on runs of the store: those whose lease lasts (law J10).
func (f *Fleet) Processes(ctx context.Context) (int, error) {
	store, ok := storage.Capability[journal.DriverLister](f.Store)
	if !ok || f.lease.store == nil {
		return 0, f.Open("")
	}
	drivers, err := store.Drivers(ctx)
	if err != nil {
		return 0, f.StoreError("", err)
	}
	return len(drivers), f.Open("")
}
