package sqlite

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime is how long a watcher waits after a sign of a write, so that many are one.
const settleTime = 2 * time.Millisecond

// Watch implements [journal.Watcher]. It waits for the file system to tell of a write to the file or its log, and then
// asks SQLite whether another connection was it. While nobody writes it does nothing.
func (s *Store) Watch(ctx context.Context, changed func()) error {
	if err := s.watch(ctx, changed); err != nil {
		return s.fail("watch", "", 0, err)
	}
	return nil
}

func (s *Store) watch(ctx context.Context, changed func()) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	file := s.readers.config.path
	err = watcher.Add(filepath.Dir(file))
	var version int64
	if err == nil {
		version, err = s.version(ctx)
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
				changed()
			}
		}
	}()
	return nil
}

// newer waits a little for the version to change. The sign of a write comes before the write is synced, and only a
// synced commit changes the version: to look once would miss the last commit before a pause.
func (s *Store) newer(ctx context.Context, version int64) (int64, bool) {
	for wait := settleTime; wait < time.Second; wait *= 2 {
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
	var settled <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false
		case <-s.done:
			return false
		case <-settled:
			return true
		case event, ok := <-watcher.Events:
			if !ok {
				return false
			}
			if settled == nil && (event.Name == file || event.Name == file+"-wal") {
				settled = time.After(settleTime)
			}
		case _, ok := <-watcher.Errors: // events were lost: there may have been a write
			if !ok {
				return false
			}
			if settled == nil {
				settled = time.After(settleTime)
			}
		}
	}
}
