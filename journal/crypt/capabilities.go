package crypt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-go/fermata/journal"
)

// as is the inner store as one with a capability. An error says that it has none: nobody who asked journal.As gets it.
func as[T any](s *Store, op string) (more T, err error) {
	more, ok := journal.As[T](s.inner)
	if !ok {
		err = &journal.StoreError{Op: op, Err: fmt.Errorf("%w: the store that is sealed (%T) cannot do it", errors.ErrUnsupported, s.inner)}
	}
	return more, err
}

// Watch implements [journal.Watcher].
func (s *Store) Watch(ctx context.Context, changed func()) error {
	w, err := as[journal.Watcher](s, "watch")
	if err != nil {
		return err
	}
	return w.Watch(ctx, changed)
}

// WatchRuns implements [journal.RunWatcher].
func (s *Store) WatchRuns(ctx context.Context, changed func(journal.Change)) error {
	w, err := as[journal.RunWatcher](s, "watch")
	if err != nil {
		return err
	}
	return w.WatchRuns(ctx, changed)
}

// Heads implements [journal.HeadReader].
func (s *Store) Heads(ctx context.Context, runs []string) (map[string]uint64, error) {
	h, err := as[journal.HeadReader](s, "heads")
	if err != nil {
		return nil, err
	}
	return h.Heads(ctx, runs)
}

// Now implements [journal.Clock].
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	c, err := as[journal.Clock](s, "clock")
	if err != nil {
		return time.Time{}, err
	}
	return c.Now(ctx)
}

// Beat implements [journal.Leaser].
func (s *Store) Beat(ctx context.Context, driver string, ttl time.Duration) error {
	l, err := as[journal.Leaser](s, "beat")
	if err != nil {
		return err
	}
	return l.Beat(ctx, driver, ttl)
}

// Left implements [journal.Leaser].
func (s *Store) Left(ctx context.Context, driver string) (time.Duration, error) {
	l, err := as[journal.Leaser](s, "beat")
	if err != nil {
		return 0, err
	}
	return l.Left(ctx, driver)
}

// Deserted implements [journal.Leaser].
func (s *Store) Deserted(ctx context.Context, q journal.WantedQuery) ([]journal.RunRow, error) {
	l, err := as[journal.Leaser](s, "deserted")
	if err != nil {
		return nil, err
	}
	rows, err := l.Deserted(ctx, q)
	return opened(rows, err, func(row *journal.RunRow) error { return fail("deserted", row.ID, 0, s.ring.openRow(row)) })
}

// Claim implements [journal.Leaser].
func (s *Store) Claim(ctx context.Context, driver, run string) (bool, error) {
	l, err := as[journal.Leaser](s, "claim")
	if err != nil {
		return false, err
	}
	return l.Claim(ctx, driver, run)
}

// Drivers implements [journal.DriverLister].
func (s *Store) Drivers(ctx context.Context) ([]string, error) {
	l, err := as[journal.DriverLister](s, "drivers")
	if err != nil {
		return nil, err
	}
	return l.Drivers(ctx)
}

// Feed implements [journal.Feeder].
func (s *Store) Feed(ctx context.Context, q journal.FeedQuery) (journal.FeedPage, error) {
	f, err := as[journal.Feeder](s, "feed")
	if err != nil {
		return journal.FeedPage{}, err
	}
	page, err := f.Feed(ctx, q)
	for i := range page.Changes {
		if c := &page.Changes[i]; err == nil && !c.Gone { // of a run that is gone all is clear
			err = fail("feed", c.Row.ID, 0, s.ring.openRow(&c.Row))
		}
	}
	if err != nil {
		return journal.FeedPage{}, err
	}
	return page, nil
}

// Compact implements [journal.Compactor]. Sealed values do not get shorter; what stays clear does.
func (s *Store) Compact(ctx context.Context, run string) (journal.Compaction, error) {
	c, err := as[journal.Compactor](s, "compact")
	if err != nil {
		return journal.Compaction{}, err
	}
	return c.Compact(ctx, run)
}

// Promise says how safe the inner store keeps entries, see [storekind.Promiser].
func (s *Store) Promise() string {
	if p, err := as[interface{ Promise() string }](s, "promise"); err == nil {
		return p.Promise()
	}
	return ""
}

// Cell implements [journal.Swapper]. Cells stay clear: they hold ids, names of tasks, numbers and times (law J15).
func (s *Store) Cell(ctx context.Context, name string) ([]byte, error) {
	c, err := as[journal.Swapper](s, "cell")
	if err != nil {
		return nil, err
	}
	return c.Cell(ctx, name)
}

// Swap implements [journal.Swapper].
func (s *Store) Swap(ctx context.Context, name string, was, next []byte) (now []byte, swapped bool, err error) {
	c, err := as[journal.Swapper](s, "swap")
	if err != nil {
		return nil, false, err
	}
	return c.Swap(ctx, name, was, next)
}

// Cells implements [journal.Swapper].
func (s *Store) Cells(ctx context.Context, prefix string, limit int) ([]journal.Cell, error) {
	c, err := as[journal.Swapper](s, "cells")
	if err != nil {
		return nil, err
	}
	return c.Cells(ctx, prefix, limit)
}
