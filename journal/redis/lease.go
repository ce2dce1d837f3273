package redis

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis/internal/resp"
)

// Beat implements [journal.Leaser]: a key that the server lets expire.
func (s *Store) Beat(ctx context.Context, name string, ttl time.Duration) error {
	_, err := s.call(ctx, func() error {
		commands := [][]any{{"DEL", s.key(beat) + name}, {"SREM", s.key(drivers), name}}
		if ttl > 0 {
			ms := max(ttl.Milliseconds(), 1)
			commands = [][]any{{"SET", s.key(beat) + name, "", "PX", ms}, {"SADD", s.key(drivers), name}}
		}
		_, err := resp.FirstError(s.client.Pipeline(ctx, commands...))
		return err
	})
	if err != nil {
		return s.fail("beat", "", 0, err)
	}
	return nil
}

// Left implements [journal.Leaser].
func (s *Store) Left(ctx context.Context, driver string) (left time.Duration, err error) {
	var ms int64
	_, err = s.call(ctx, func() (err error) {
		ms, err = resp.Int(s.client.Do(ctx, "PTTL", s.key(beat)+driver))
		return err
	})
	if err != nil {
		return 0, s.fail("beat", "", 0, err)
	}
	return time.Duration(max(ms, 0)) * time.Millisecond, nil // a key that is not there has a negative one
}

// Drivers implements [journal.DriverLister].
func (s *Store) Drivers(ctx context.Context) (alive []string, err error) {
	known := deserted{store: s, lives: make(map[string]bool)}
	_, err = s.call(ctx, func() error {
		names, err := resp.Strings(s.client.Do(ctx, "SMEMBERS", s.key(drivers)))
		for _, name := range names {
			known.lives[name] = false
		}
		return err
	})
	if err == nil {
		err = known.look(ctx, slices.Collect(maps.Keys(known.lives)))
	}
	var gone []string
	for name, lives := range known.lives {
		if lives {
			alive = append(alive, name)
		} else {
			gone = append(gone, name)
		}
	}
	if err == nil && len(gone) > 0 {
		_, err = s.call(ctx, func() error {
			_, err := s.client.Do(ctx, texts("SREM", s.key(drivers), gone)...)
			return err
		})
	}
	if err != nil {
		return nil, s.fail("drivers", "", 0, err)
	}
	return alive, nil
}

// Claim implements [journal.Leaser].
func (s *Store) Claim(ctx context.Context, driver, run string) (claimed bool, err error) {
	err = ctx.Err()
	if err == nil && checkRun(run) == nil {
		_, err = s.call(ctx, func() error {
			n, err := resp.Int(s.scripts.claim.Run(ctx, s.client, []string{s.runKey(run, "")}, driver, s.key(beat)))
			claimed = n == 1
			return err
		})
	}
	if err != nil {
		return false, s.fail("claim", run, 0, err)
	}
	return claimed, nil
}

// Deserted implements [journal.Leaser]. It reads the runs of other queues that come before those of the query.
func (s *Store) Deserted(ctx context.Context, q journal.WantedQuery) ([]journal.RunRow, error) {
	d := deserted{store: s, query: q, lives: make(map[string]bool)}
	st := stretch{key: s.key(found), base: byTurn}
	if q.Later {
		st.base = byLater
		st.span(journal.Span{From: q.Due + 1})
	}
	if err := s.walkStretch(ctx, &st, func(members, ids []string, _ map[string]int64) (bool, error) { return d.take(ctx, members, ids) }); err != nil {
		return nil, s.fail("deserted", "", 0, err)
	}
	return d.rows, nil
}

// deserted collects runs that nobody drives.
type deserted struct {
	store *Store
	query journal.WantedQuery
	lives map[string]bool // drivers that were asked for
	rows  []journal.RunRow
}

// take takes those of a page of the index.
func (d *deserted) take(ctx context.Context, members, ids []string) (enough bool, err error) {
	rows, err := d.store.rowsIn(ctx, d.store.key(found), members, ids)
	if err == nil {
		err = d.ask(ctx, rows)
	}
	if err != nil {
		return false, err
	}
	for i := range rows {
		if r := &rows[i]; !r.Wanted() || d.lives[r.Driver] || !d.query.Match(r) {
			continue
		}
		if d.rows = append(d.rows, rows[i]); len(d.rows) == d.query.Limit {
			return true, nil
		}
	}
	return false, nil
}

// ask asks which of the drivers live.
func (d *deserted) ask(ctx context.Context, rows []journal.RunRow) error {
	var names []string
	for i := range rows {
		name := rows[i].Driver
		if _, known := d.lives[name]; name != "" && !known {
			d.lives[name] = false
			names = append(names, name)
		}
	}
	return d.look(ctx, names)
}

// look looks which drivers live.
func (d *deserted) look(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	commands := make([][]any, len(names))
	for i, name := range names {
		commands[i] = []any{"EXISTS", d.store.key(beat) + name}
	}
	var answers []any
	_, err := d.store.call(ctx, func() (err error) {
		answers, err = resp.FirstError(d.store.client.Pipeline(ctx, commands...))
		return err
	})
	for i, a := range answers {
		d.lives[names[i]] = a == int64(1)
	}
	return err
}
