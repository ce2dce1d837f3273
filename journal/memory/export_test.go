package memory

import "github.com/fermata-go/fermata/journal"

// Watchers returns how many watch a store.
func Watchers(s journal.Store) int { return int(s.(*store).watched.Load()) }
