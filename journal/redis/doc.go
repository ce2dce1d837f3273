// Package redis is a [journal.Store] in Redis (6.2 or later), for processes on any number of machines.
//
//	store, err := redis.Open("redis://127.0.0.1:6379/0")
//
// A batch is one Lua script: it looks at the head, appends one frame of entries (see [journal.AppendEntries]) to the
// run's stream and brings the projections up to date, or changes nothing (law J3). A script whose answer was lost is
// sent again and then finds that it is done.
//
// The worth of an append depends on how the server keeps its memory, so Open asks: a server that may forget what it
// has acknowledged is refused, unless [Options].Accept says that this is understood. [Store.Promises] says in words
// what was found. The package never changes the server's configuration, never lets a key expire and never makes a
// weaker promise without saying so.
//
// The keys of a run, "fermata:{run_1}" and those that begin with it, are in one slot. The projections of all runs are
// not, and one script writes both: a server in cluster mode is refused.
package redis
