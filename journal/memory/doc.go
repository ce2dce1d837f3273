// Package memory is a [journal.Store] in the memory of the process, for short-lived runs and tests. It is a whole
// store, not a fake: it passes the suite in journal/journaltest.
//
//	rt, err := fermata.New(fermata.Options{Store: memory.New()})
//
// Entries are kept decoded, so that an append is little more than a copy. Runs end with the process,
// so Sync and Async are the same.
package memory
