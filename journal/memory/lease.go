package memory

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/fermata-go/fermata/journal"
)

var _ journal.Leaser = (*store)(nil)

// Beat implements [journal.Leaser].
func (s *store) Beat(ctx context.Context, driver string, ttl time.Duration) error {
	if err := s.ready(ctx, "beat", ""); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for name, until := range s.beats {
		if !until.After(now) {
			delete(s.beats, name)
		}
	}
	if ttl <= 0 {
		delete(s.beats, driver)
	} else {
		s.beats[driver] = now.Add(ttl)
	}
	return nil
}

// Left implements [journal.Leaser].
func (s *store) Left(ctx context.Context, driver string) (time.Duration, error) {
	if err := s.ready(ctx, "beat", ""); err != nil {
		return 0, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.left(driver), nil
}

func (s *store) left(driver string) time.Duration {
	return max(time.Until(s.beats[driver]), 0)
}

// Deserted implements [journal.Leaser].
func (s *store) Deserted(ctx context.Context, q journal.WantedQuery) ([]journal.RunRow, error) {
	if err := s.ready(ctx, "deserted", ""); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	order := byTurn
	if q.Later {
		order = byNotBefore
	}
	var rows []journal.RunRow
	for _, r := range slices.SortedFunc(maps.Keys(s.index.wanted), order) {
		row := &r.index.row
		if row.Driver != "" && s.left(row.Driver) > 0 || !q.Match(row) {
			continue
		}
		if rows = append(rows, r.index.shown()); len(rows) == q.Limit {
			break
		}
	}
	return rows, nil
}

// Claim implements [journal.Leaser].
func (s *store) Claim(ctx context.Context, driver, run string) (bool, error) {
	if err := s.ready(ctx, "claim", run); err != nil {
		return false, err
	}
	r := s.find(run, false)
	if r == nil {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	row := &r.index.row
	if r.index.born == 0 || row.Ended() || row.Driver != driver && row.Driver != "" && s.left(row.Driver) > 0 {
		return false, nil
	}
	row.Driver = driver
	return true, nil
}
