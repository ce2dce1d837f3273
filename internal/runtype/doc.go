// Package runtype holds the types that all rooms of the engine share with users. They are errors and their codes,
// statuses, results, events, options and observers. Package fermata re-exports them as aliases. It starts nothing and
// stores nothing.
//
//	err := &runtype.Error{Code: runtype.CodeNotFound, Run: id, Err: runtype.ErrNotFound}
package runtype
