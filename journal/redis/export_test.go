package redis

// Watchers is how many watch the store.
func (s *Store) Watchers() int {
	s.watchers.mu.Lock()
	defer s.watchers.mu.Unlock()
	return len(s.watchers.call)
}
