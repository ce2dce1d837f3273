package sqlite

import (
	"context"
	"database/sql/driver"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/fermata-go/fermata/journal"
)

// quietTime is how long a watcher waits after a sign of a write, so that many are one.
const quietTime = 2 * time.Millisecond

// Watch implements [journal.Watcher], see [Store.WatchRuns].
func (s *Store) Watch(ctx context.Context, changed func()) error {
	return s.WatchRuns(ctx, func(journal.Change) { changed() })
}

// WatchRuns implements [journal.RunWatcher]. It waits for the file system to report a write to the file or its log,
// asks SQLite whether another connection was it, and reads which runs have new rows. While nobody writes it does
// nothing.
func (s *Store) WatchRuns(ctx context.Context, changed func(journal.Change)) error {
	if err := s.watch(ctx, changed); err != nil {
		return s.fail("watch", "", 0, err)
	}
	return nil
}

func (s *Store) watch(ctx context.Context, changed func(journal.Change)) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	file := s.readers.config.path
	err = watcher.Add(filepath.Dir(file))
	var version int64
	var seen seen
	if err == nil {
		version, err = s.version(ctx)
	}
	if err == nil {
		seen, err = s.end()
	}
	if err != nil {
		_ = watcher.Close()
		return err
	}
	go func() {
		defer watcher.Close() //nolint:errcheck // nothing hangs on it
		for s.await(ctx, watcher, file) {
			if now, ok := s.newer(ctx, version); ok {
				version = now
				change := s.change(&seen)
				changed(change)
			}
		}
	}()
	return nil
}

// seen is what a watcher has told of.
type seen struct {
	row  int64 // the last one of the log
	cell int64 // the last version of a cell
}

// end is all that there is.
func (s *Store) end() (at seen, err error) {
	c, err := s.readers.get()
	if err != nil {
		return at, err
	}
	defer s.readers.put(c)
	if err = s.tail.catchUp(c); err == nil {
		at.row = s.tail.last()
		at.cell, _, err = c.one(lastVersion)
	}
	return at, err
}

// change is the runs with rows behind the last one that was seen, and the cells with later versions. Those of this process
// are among them.
func (s *Store) change(seen *seen) (change journal.Change) {
	c, err := s.readers.get()
	if err != nil {
		return journal.Change{Any: true}
	}
	defer s.readers.put(c)
	rows, err := newEnds(c, seen.row)
	if err != nil {
		return journal.Change{Any: true}
	}
	known := make(map[int64]bool)
	for _, row := range rows {
		seen.row = max(seen.row, row.row)
		if known[row.run] {
			continue
		}
		known[row.run] = true
		name, err := runName(c, row.run)
		if err != nil || name == "" { // it was deleted
			change.Any = true
			continue
		}
		change.Runs = append(change.Runs, name)
	}
	cells, version, err := newCells(c, seen.cell)
	change.Any = change.Any || err != nil
	change.Runs, seen.cell = append(change.Runs, cells...), version
	if change.Any {
		change.Runs = nil
	}
	return change
}

// runName is the id of the run with a number; "" for none.
func runName(c *conn, number int64) (name string, err error) {
	err = c.each(func(row []driver.Value) error {
		name, _ = row[0].(string)
		return nil
	}, nameOfRun, number)
	return name, err
}

// newer waits a little for the version to change. The sign of a write comes before the write is synced, and only a
// synced commit changes the version: to look once would miss the last commit before a pause.
func (s *Store) newer(ctx context.Context, version int64) (int64, bool) {
	for wait := quietTime; wait < time.Second; wait *= 2 {
		now, err := s.version(ctx)
		if err == nil && now != version {
			return now, true
		}
		select {
		case <-ctx.Done():
			return version, false
		case <-s.done:
			return version, false
		case <-time.After(wait):
		}
	}
	return version, false
}

// version changes with every commit by another connection than the writer's, which is one of another process, or of
// another Store.
func (s *Store) version(ctx context.Context) (version int64, err error) {
	err = s.exclusive(ctx, func(w *writer) error {
		version, _, err = w.conn.one(dataVersion)
		return err
	})
	return version, err
}

// await waits for a write to the file, and for those that follow at once. It is false when there is no more to wait
// for.
func (s *Store) await(ctx context.Context, watcher *fsnotify.Watcher, file string) bool {
	var quiet <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false
		case <-s.done:
			return false
		case <-quiet:
			return true
		case event, ok := <-watcher.Events:
			if !ok {
				return false
			}
			if quiet == nil && (event.Name == file || event.Name == file+"-wal") {
				quiet = time.After(quietTime)
			}
		case _, ok := <-watcher.Errors: // events were lost: there may have been a write
			if !ok {
				return false
			}
			if quiet == nil {
				quiet = time.After(quietTime)
			}
		}
	}
}
