package memory

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/fermata-go/fermata/journal"
)

// watchers are those who are told of appends.
type watchers struct {
	mu  sync.RWMutex
	all map[*watcher]bool // nil while there are none
}

// watcher is one who is told of appends.
type watcher struct {
	signs chan struct{} // holds one where there is something to tell

	mu   sync.Mutex
	runs map[string]bool // that were written to since it was told
}

// Watch implements [journal.Watcher], see WatchRuns.
func (s *store) Watch(ctx context.Context, changed func()) error {
	return s.WatchRuns(ctx, func(journal.Change) { changed() })
}

// WatchRuns implements [journal.RunWatcher]. The store does not know who writes: a watcher is told of all appends.
func (s *store) WatchRuns(ctx context.Context, changed func(journal.Change)) error {
	if err := s.ready(ctx, "watch", ""); err != nil {
		return err
	}
	w := &watcher{signs: make(chan struct{}, 1), runs: make(map[string]bool)}
	s.watchers.mu.Lock()
	if s.watchers.all == nil {
		s.watchers.all = make(map[*watcher]bool)
	}
	s.watchers.all[w] = true
	s.watched.Add(1)
	s.watchers.mu.Unlock()
	go func() {
		defer s.leave(w)
		for {
			select {
			case <-ctx.Done():
				return
			case <-w.signs:
				changed(journal.Change{Runs: w.take()})
			}
		}
	}()
	return nil
}

func (s *store) leave(w *watcher) {
	s.watchers.mu.Lock()
	defer s.watchers.mu.Unlock()
	delete(s.watchers.all, w)
	s.watched.Add(-1)
}

// tell tells the watchers of a write to a run.
func (s *store) tell(run string) {
	s.watchers.mu.RLock()
	defer s.watchers.mu.RUnlock()
	for w := range s.watchers.all {
		w.mu.Lock()
		w.runs[run] = true
		w.mu.Unlock()
		select {
		case w.signs <- struct{}{}:
		default: // there is one already
		}
	}
}

func (w *watcher) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	runs := slices.Collect(maps.Keys(w.runs))
	clear(w.runs)
	return runs
}
