package redis

import "time"

// Watchers is how many watch the store.
func (s *Store) Watchers() int {
	s.watchers.mu.Lock()
	defer s.watchers.mu.Unlock()
	return len(s.watchers.call)
}

// TellAfter sets how long entries gather before others are told of them.
func (s *Store) TellAfter(d time.Duration) { s.news.wait = d }
