// Package sqlite is a [journal.Store] in one SQLite file, for all processes of one machine.
//
//	store, err := sqlite.Open("triage.db")
//
// The file is in WAL mode. One connection writes; batches of several runs that wait for it are committed together,
// each whole or not at all, and a conflict of one is its own (laws J2, J3). A writer that nobody waits for commits in
// its caller's goroutine. Readers have connections of their own and never wait for the writer.
//
// A step of a run is one row at the end of a log: a frame of entries (see [journal.AppendEntries]), and how far back
// the run's row before it is. A step that nothing else is committed with is one statement, which is its fence, too;
// projections are written only by batches that bring some.
package sqlite
